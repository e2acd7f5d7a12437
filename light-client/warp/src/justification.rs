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

    /// Checks that this set made the block final. Signatures come first: without the set's keys, nobody gets further. Each
    /// vote costs one walk along the headers at most, and all votes together walk once to the lowest of them.
    pub(crate) fn check(&self, set: &Set) -> Result<(), JustificationError> {
        let (most, got) = (set.most_votes(), self.commit.precommits.len());
        if got > most {
            return Err(JustificationError::TooManyVotes { most, got });
        }
        let mut cast = BTreeMap::<_, u8>::new();
        for (vote, signed) in self.commit.precommits.iter().enumerate() {
            if !set.voters.contains(&signed.id) {
                return Err(JustificationError::Stranger { vote });
            }
            // The first two prove an equivocation. A third one proves nothing more.
            match cast.entry(&signed.id).or_default() {
                count @ 0..=1 => *count = count.saturating_add(1),
                _ => return Err(JustificationError::ThirdVote { vote }),
            }
            let message = Message::Precommit(signed.precommit.clone());
            let message = (message, self.round, set.id).encode();
            if !Pair::verify(&signed.signature, &message, &signed.id) {
                return Err(JustificationError::Signature { vote });
            }
        }
        let chain = self.ancestry().ok_or(JustificationError::NotFinal)?;
        match validate_commit(&self.commit, &set.voters, &chain) {
            Ok(result) if result.is_valid() => {}
            _ => return Err(JustificationError::NotFinal),
        }
        if chain.needed.iter().eq(chain.parents.keys()) {
            Ok(())
        } else {
            Err(JustificationError::Surplus)
        }
    }

    /// The headers, with those on the way from each vote to the lowest of them; `None` when there is no vote, or no way.
    fn ancestry(&self) -> Option<Ancestry> {
        let votes = || {
            self.commit
                .precommits
                .iter()
                .map(|signed| &signed.precommit)
        };
        let lowest = votes().min_by_key(|vote| vote.target_number)?.target_hash;
        let headers = self.ancestry.iter();
        let parents: BTreeMap<_, _> = headers
            .map(|header| (header.hash, header.parent_hash))
            .collect();
        let mut needed = BTreeSet::new();
        for vote in votes() {
            let mut at = vote.target_hash;
            // From a header that another vote needed on, the way is known.
            while at != lowest && needed.insert(at) {
                at = *parents.get(&at)?;
            }
        }
        Some(Ancestry {
            lowest,
            parents,
            needed,
        })
    }
}

/// Which block comes before which, as far as the headers that came along say.
struct Ancestry {
    /// The lowest block that was voted for.
    lowest: H256,
    parents: BTreeMap<H256, H256>,
    /// From each of these headers the way leads to the lowest block.
    needed: BTreeSet<H256>,
}

impl Chain<H256, u32> for Ancestry {
    fn is_equal_or_descendent_of(&self, base: H256, block: H256) -> bool {
        let is_known = base == self.lowest && self.needed.contains(&block);
        is_known || base == block || self.ancestry(base, block).is_ok()
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    /// WARP-3: the library asks this once for each vote.
    #[test]
    fn what_the_votes_need_is_not_walked_again() {
        let [lowest, block, other] = [1, 2, 3].map(H256::repeat_byte);
        let chain = Ancestry {
            lowest,
            // A walk finds nothing.
            parents: BTreeMap::new(),
            needed: [block].into(),
        };
        assert!(chain.is_equal_or_descendent_of(lowest, block));
        assert!(chain.is_equal_or_descendent_of(other, other));
        assert!(!chain.is_equal_or_descendent_of(lowest, other));
        assert!(!chain.is_equal_or_descendent_of(other, block));
    }
}
