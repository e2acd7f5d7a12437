//! The votes of GRANDPA's voters on one block. (WARP-3)

use crate::{
    error::JustificationError,
    header::{Header, Voters},
};
use codec::{Decode, Encode};
use duet_primitives::H256;
use finality_grandpa::{
    validate_commit, voter_set::VoterSet, Chain, Commit, Error as GrandpaError, Message,
};
use sp_core::{
    ed25519::{Pair, Public, Signature},
    Pair as _,
};
use std::collections::{BTreeMap, BTreeSet};

/// A justification as nodes send it: nothing is known about it.
#[derive(Clone, Debug, Decode)]
pub(crate) struct Justification {
    round: u64,
    commit: Commit<H256, u32, Signature, Public>,
    /// The headers from later voted blocks down to the block.
    ancestry: Vec<Header>,
}

/// Who votes: the set and its number.
#[derive(Clone, Debug)]
pub(crate) struct Set {
    pub(crate) id: u64,
    voters: VoterSet<Public>,
}

impl Set {
    /// `None` when these are no set: no voter has a weight, or the total is too large.
    pub(crate) fn new(id: u64, voters: Voters) -> Option<Self> {
        let voters = VoterSet::new(voters)?;
        Some(Self { id, voters })
    }

    /// Two per voter: two votes prove a voter's equivocation.
    fn most_votes(&self) -> usize {
        self.voters.len().get().saturating_mul(2)
    }
}

impl Justification {
    /// The block that it is about.
    pub(crate) fn target(&self) -> (u32, H256) {
        (self.commit.target_number, self.commit.target_hash)
    }

    /// Checks that this set made the block final. Signatures come first: without the set's keys, nobody gets further.
    pub(crate) fn check(&self, set: &Set) -> Result<(), JustificationError> {
        let (most, got) = (set.most_votes(), self.commit.precommits.len());
        if got > most {
            return Err(JustificationError::TooManyVotes { most, got });
        }
        for (vote, signed) in self.commit.precommits.iter().enumerate() {
            if !set.voters.contains(&signed.id) {
                return Err(JustificationError::Stranger { vote });
            }
            let message = Message::Precommit(signed.precommit.clone());
            let message = (message, self.round, set.id).encode();
            if !Pair::verify(&signed.signature, &message, &signed.id) {
                return Err(JustificationError::Signature { vote });
            }
        }
        let chain = Ancestry::new(&self.ancestry);
        match validate_commit(&self.commit, &set.voters, &chain) {
            Ok(result) if result.is_valid() => {}
            _ => return Err(JustificationError::NotFinal),
        }
        if self.needed(&chain) == chain.hashes() {
            Ok(())
        } else {
            Err(JustificationError::Surplus)
        }
    }

    /// The headers on the way from each vote to the lowest of them.
    fn needed(&self, chain: &Ancestry) -> BTreeSet<H256> {
        let votes = || {
            self.commit
                .precommits
                .iter()
                .map(|signed| &signed.precommit)
        };
        let lowest = votes().min_by_key(|vote| vote.target_number);
        let Some(lowest) = lowest.map(|vote| vote.target_hash) else {
            return BTreeSet::new();
        };
        let mut needed = BTreeSet::new();
        for vote in votes() {
            let mut at = vote.target_hash;
            while at != lowest && needed.insert(at) {
                match chain.parents.get(&at) {
                    Some(parent) => at = *parent,
                    None => break,
                }
            }
        }
        needed
    }
}

/// Which block comes before which, as far as the headers that came along say.
struct Ancestry {
    parents: BTreeMap<H256, H256>,
}

impl Ancestry {
    fn new(headers: &[Header]) -> Self {
        let parents = headers
            .iter()
            .map(|header| (header.hash, header.parent_hash));
        Self {
            parents: parents.collect(),
        }
    }

    fn hashes(&self) -> BTreeSet<H256> {
        self.parents.keys().copied().collect()
    }
}

impl Chain<H256, u32> for Ancestry {
    fn ancestry(&self, base: H256, block: H256) -> Result<Vec<H256>, GrandpaError> {
        let mut route = Vec::new();
        let mut at = block;
        while at != base {
            at = *self.parents.get(&at).ok_or(GrandpaError::NotDescendent)?;
            route.push(at);
        }
        // The base itself is not on the way.
        route.pop();
        Ok(route)
    }
}
