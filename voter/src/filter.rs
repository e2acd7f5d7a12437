//! Decides before any curve arithmetic whether a vote or a justification is worth checking, and keeps the first valid
//! vote of each signer.
//!
//! The gossip validator asks [`Filter::vote`] or [`Filter::justification`], runs the requested check, and records valid
//! objects with [`Filter::record_vote`] or [`Filter::record_justification`]. Invalid objects are not recorded, so that
//! a forged vote never takes the place of its alleged signer's. (GOSSIP-3)
//!
//! Recently concluded rounds are kept for evidence: late votes are still checked, once per signer, so that a late
//! equivocation is caught, too. They add signers to the proof of their block, and are forwarded only for a mandatory
//! block (ROUND-9).

use crate::{
    quota::Quota,
    verdict::{Blame, Ignored, Verdict},
};
use codec::Encode;
use duet_primitives::{
    BlockNumber, Commitment, DualKeyset, Justification, RoundMessage, SetId, SignerIndex,
    UncheckedJustification, UncheckedVote, Vote, VoteError,
};
use key::{key_of, Key};
use seen::Seen;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

mod answer;
mod key;
mod seen;
mod window;

pub use answer::{Recorded, RecordedProof, VoteCheck};
pub use window::{Accepted, Window};

/// The number of concluded rounds that are kept for evidence, beside those with growing proofs.
const EVIDENCE_ROUNDS: usize = 8;
/// How many proofs are remembered as seen.
const SEEN_PROOFS: usize = 64;

/// Decides which objects to check, and keeps the first valid vote per set, block and signer.
#[derive(Debug)]
pub struct Filter {
    window: Window,
    rounds_per_signer: usize,
    rounds: BTreeMap<Key, Seen>,
    /// Rounds with a vote of this signer, and the block at or below which its votes are no longer
    /// taken.
    signers: BTreeMap<(SetId, SignerIndex), Quota>,
    /// Proofs that are known, one for each statement: two statements about one block contradict each other. (ROUND-10)
    proofs: BTreeSet<(BlockNumber, SetId, Vec<u8>)>,
    /// How many votes `rounds` holds.
    votes_held: usize,
}

/// Where a vote belongs.
enum Place {
    /// Into a round that is or may be opened.
    Open(Arc<DualKeyset>),
    /// Into a concluded round that is kept for evidence.
    Late(Arc<DualKeyset>),
}

impl Place {
    fn set(self) -> Arc<DualKeyset> {
        match self {
            Self::Open(set) | Self::Late(set) => set,
        }
    }
}

impl Filter {
    /// A filter that takes nothing until its first window. `rounds_per_signer` as in
    /// [`Config`](crate::Config::rounds_per_signer).
    pub fn new(rounds_per_signer: usize) -> Self {
        Self {
            window: Window::default(),
            rounds_per_signer: rounds_per_signer.max(1),
            rounds: BTreeMap::new(),
            signers: BTreeMap::new(),
            proofs: BTreeSet::new(),
            votes_held: 0,
        }
    }

    /// Takes over what [`Voter::window`](crate::Voter::window) says now; call it after every event.
    /// Rounds that it concludes are pruned, but for the last few. (ROUND-7)
    pub fn update(&mut self, window: Window) {
        self.window = window;
        let mut concluded = Vec::new();
        for (key, seen) in &mut self.rounds {
            if self.window.has_concluded(*key) {
                concluded.push(*key);
                seen.release(key.0, key.1, &mut self.signers);
            }
        }
        // Rounds whose proofs may grow are bounded by the voter, and take no room from the others.
        concluded.retain(|key| self.window.late(*key).is_none());
        let surplus = concluded.len().saturating_sub(EVIDENCE_ROUNDS);
        for key in concluded.iter().take(surplus) {
            if let Some(seen) = self.rounds.remove(key) {
                self.votes_held = self.votes_held.saturating_sub(seen.votes.len());
            }
        }
        let oldest = self.rounds.keys().next().map(|key| key.0);
        let signing = self.window.signing.as_ref().map(Accepted::id);
        if let Some(oldest) = oldest.or(signing).min(signing) {
            self.signers = self.signers.split_off(&(oldest, SignerIndex::new(0)));
        }
    }

    /// Whether a vote is worth its curve work. (GOSSIP-2, GOSSIP-3, GOSSIP-4)
    ///
    /// Checked in this order: set (VOTE-1) and block are in the window, the signer is in the set (VOTE-2), the vote is
    /// not known yet. Cost: a few look-ups, one comparison of commitments.
    pub fn vote(&self, vote: &UncheckedVote) -> Verdict<VoteCheck> {
        let UncheckedVote {
            commitment, signer, ..
        } = vote;
        let (key, signer) = (key_of(commitment), *signer);
        let place = match self.place(key) {
            Ok(place) => place,
            Err(reason) => return Verdict::Ignore(reason),
        };
        let set = place.set();
        let len = set.keyset().len();
        if signer.get() >= len {
            return Verdict::Blame(Blame::Vote(VoteError::UnknownSigner { signer, len }));
        }
        match self
            .rounds
            .get(&key)
            .and_then(|seen| seen.votes.get(&signer))
        {
            Some(first) if first.vote.commitment() == commitment => Verdict::Known,
            Some(first) if first.equivocated => Verdict::Ignore(Ignored::Equivocator { signer }),
            None if self.is_crowded(key, signer) => Verdict::Ignore(Ignored::Crowded { signer }),
            _ => Verdict::Check(VoteCheck {
                set,
                prepared: self.prepared(commitment),
            }),
        }
    }

    /// Records a checked vote and classifies it.
    pub fn record_vote(&mut self, vote: &Vote) -> Recorded {
        let (key, signer) = (key_of(vote.commitment()), vote.signer());
        let place = match self.place(key) {
            Ok(place) => place,
            Err(_) => return Recorded::Late,
        };
        let open = matches!(place, Place::Open(_));
        let seen = self
            .rounds
            .entry(key)
            .or_insert_with(|| Seen::new(place.set()));
        if let Some(first) = seen.votes.get_mut(&signer) {
            return first.judge(&seen.set, vote);
        }
        seen.insert(vote);
        self.votes_held = self.votes_held.saturating_add(1);
        if open {
            self.charge(key, signer);
            Recorded::New
        } else if self.window.is_late_handoff(key) {
            Recorded::New
        } else if self.window.late(key).is_some() {
            Recorded::Fuller
        } else {
            Recorded::Late
        }
    }

    /// This node's own message about the block, if it has this commitment.
    pub fn prepared(&self, commitment: &Commitment) -> Option<RoundMessage> {
        let own = self.rounds.get(&key_of(commitment))?.own.as_ref()?;
        (own.commitment() == commitment).then(|| own.clone())
    }

    /// How many more votes the round of a commitment needs for a proof: at least, if some of its votes name another
    /// block. 0 for a round without votes that is not prepared.
    pub fn lacking(&self, commitment: &Commitment) -> usize {
        let seen = self.rounds.get(&key_of(commitment));
        let lacking = seen.map(|seen| {
            let threshold = seen.set.keyset().threshold();
            usize::try_from(threshold)
                .unwrap_or(usize::MAX)
                .saturating_sub(seen.votes.len())
        });
        lacking.unwrap_or_default()
    }

    /// Keeps the message of [`Event::Prepared`](crate::Event::Prepared), with its tables, for the votes on it.
    ///
    /// Nothing else that is kept here has tables: a commitment that only a peer named gets none. (GOSSIP-7)
    pub fn prepare(&mut self, message: &RoundMessage) {
        let key = key_of(message.commitment());
        if let Ok(place) = self.place(key) {
            self.rounds
                .entry(key)
                .or_insert_with(|| Seen::new(place.set()))
                .own = Some(message.clone());
        }
    }

    /// Whether a justification is worth its curve work, and the set to check it against. (GOSSIP-2,
    /// GOSSIP-3)
    pub fn justification(
        &self,
        justification: &UncheckedJustification,
    ) -> Verdict<Arc<DualKeyset>> {
        let (id, block) = key_of(&justification.commitment);
        if self.proofs.contains(&statement(&justification.commitment)) {
            return Verdict::Known;
        }
        let accepted = match self.window.unpublished(id, block) {
            Some(unpublished) => Ok(unpublished),
            None => self.window.place(id, block),
        };
        match accepted {
            Ok(accepted) => Verdict::Check(accepted.set.clone()),
            Err(reason) => Verdict::Ignore(reason),
        }
    }

    /// Records a justification that was checked.
    pub fn record_justification(&mut self, justification: &Justification) -> RecordedProof {
        if !self.proofs.insert(statement(justification.commitment())) {
            return RecordedProof::Duplicate;
        }
        if self.proofs.len() > SEEN_PROOFS {
            self.proofs.pop_first();
        }
        RecordedProof::New
    }

    /// The commitments of held valid votes that differ from this node's own, each once, until [`Filter::take_judged`].
    /// (GOSSIP-10)
    ///
    /// Cost: one comparison per vote in rounds with such a vote.
    pub fn strange(&self) -> Vec<Commitment> {
        self.rounds.values().flat_map(Seen::strange).collect()
    }

    /// The votes that say this, which was compared with the chain. Each is returned once. (GOSSIP-10)
    pub fn take_judged(&mut self, commitment: &Commitment) -> Vec<Vote> {
        let seen = self.rounds.get_mut(&key_of(commitment));
        seen.map(|seen| seen.take_judged(commitment))
            .unwrap_or_default()
    }

    /// How many valid votes are held.
    pub fn votes_held(&self) -> usize {
        self.votes_held
    }

    fn place(&self, key: Key) -> Result<Place, Ignored> {
        let seen = || {
            let growing = self.window.late(key).map(|accepted| &accepted.set);
            let set = growing.or(self.rounds.get(&key).map(|seen| &seen.set))?;
            Some(Place::Late(set.clone()))
        };
        match self.window.place(key.0, key.1) {
            Ok(accepted) => Ok(Place::Open(accepted.set.clone())),
            Err(reason) if self.window.has_concluded(key) => seen().ok_or(reason),
            Err(reason) => Err(reason),
        }
    }

    fn is_crowded(&self, (set, block): Key, signer: SignerIndex) -> bool {
        let quota = self.signers.get(&(set, signer));
        quota.is_some_and(|quota| quota.is_closed_to(block, self.rounds_per_signer))
    }

    /// Counts a round towards the signer's quota; its lowest vote is displaced when the quota is used
    /// up.
    fn charge(&mut self, (set, block): Key, signer: SignerIndex) {
        let quota = self.signers.entry((set, signer)).or_default();
        if let Some(lowest) = quota.charge(block, self.rounds_per_signer) {
            self.remove_vote((set, lowest), signer);
        }
    }

    fn remove_vote(&mut self, key: Key, signer: SignerIndex) {
        if let Some(seen) = self.rounds.get_mut(&key) {
            if seen.votes.remove(&signer).is_some() {
                self.votes_held = self.votes_held.saturating_sub(1);
            }
            if seen.votes.is_empty() && seen.own.is_none() {
                self.rounds.remove(&key);
            }
        }
    }
}

/// A commitment in the order of blocks.
fn statement(commitment: &Commitment) -> (BlockNumber, SetId, Vec<u8>) {
    let (id, block) = key_of(commitment);
    (block, id, commitment.encode())
}

#[cfg(test)]
mod tests;
