//! Decides what to relay next, and when, without I/O and without a clock of its own.

use crate::{
    messages::{Due, Nonce, Parcel},
    target::Status,
    turns::Turns,
};
use duet_primitives::{BlockNumber, SetId};
use std::{
    num::NonZeroU32,
    time::{Duration, Instant},
};

/// The operator's choices.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// Bring a proof once the target is this many blocks behind, beside the handoffs; none for handoffs and demands only.
    pub every: Option<NonZeroU32>,
    /// How long an incomplete proof may wait for missing votes. Each missing vote costs, where proofs name absent
    /// validators.
    pub patience: Duration,
    /// How relayers of one target take turns.
    pub turns: Turns,
}

/// A proof that a target lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The proof by which this set names its successor.
    Handoff(SetId),
    /// A proof of this block.
    Block(BlockNumber),
    /// Messages of a lane, from this one on.
    Messages(Nonce),
    /// The news that messages of a lane, from this one on, were received.
    Confirmation(Nonce),
    /// The announcement of a recovery from this block.
    Announcement(BlockNumber),
    /// The crossing from this block.
    Crossing(BlockNumber),
}

/// The pending delivery of a lane for the target.
pub(crate) enum Mail {
    /// This, and what to call it while it waits.
    Here(Parcel, Wanted),
    /// Something that this block proves.
    Under(BlockNumber),
}

impl From<Due> for Wanted {
    fn from(due: Due) -> Self {
        match due {
            Due::Messages { first, .. } => Self::Messages(first),
            Due::Confirmation { first, .. } => Self::Confirmation(first),
        }
    }
}

/// The proofs that the chain offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Block of the proof by which the newest set that the target knows has named its successor.
    pub handoff: Option<BlockNumber>,
    /// The newest proven block. Where the chain was reset behind the target's sets: the newest that they have proven.
    pub head: Option<BlockNumber>,
}

/// The next proof to relay: handoffs first, because only they lead past a set; then a block, when one is demanded or
/// the target is far enough behind. Any block from `demanded` on will do.
pub fn wanted(
    status: &Status,
    offer: &Offer,
    demanded: Option<BlockNumber>,
    every: Option<NonZeroU32>,
) -> Option<Wanted> {
    if offer.handoff.is_some_and(|block| block > status.best) {
        return Some(Wanted::Handoff(status.latest()));
    }
    let head = offer.head.filter(|head| *head > status.best)?;
    let is_demanded = demanded.is_some_and(|block| block > status.best && block <= head);
    let behind = head.get().saturating_sub(status.best.get());
    let is_behind = every.is_some_and(|every| behind >= every.get());
    (is_demanded || is_behind).then_some(Wanted::Block(head))
}

/// Something that is wanted, since when.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// What.
    pub wanted: Wanted,
    /// The target's newest block when the proof was first wanted: the proof is pinned while that does not change.
    pub best: BlockNumber,
    /// Since when.
    pub since: Instant,
}

impl Waiting {
    /// Continues to wait for the same proof, or begins. While the target does not change, the first wanted block is
    /// kept: a newer block would have to wait for its votes again.
    pub fn on(before: Option<Self>, wanted: Wanted, status: &Status, now: Instant) -> Self {
        let is_same = |waiting: &Self| match (waiting.wanted, wanted) {
            (Wanted::Block(_), Wanted::Block(_)) | (Wanted::Handoff(_), Wanted::Handoff(_)) => {
                waiting.best == status.best
            }
            (before, now) => before == now,
        };
        before.filter(is_same).unwrap_or(Self {
            wanted,
            best: status.best,
            since: now,
        })
    }

    /// When to relay it: at this relayer's turn, if the proof is complete or has waited long enough.
    pub fn due(&self, absent: usize, policy: &Policy) -> Instant {
        let topic = match self.wanted {
            Wanted::Handoff(set) => set.get(),
            Wanted::Block(_) => u64::from(self.best.get()),
            Wanted::Announcement(block) | Wanted::Crossing(block) => u64::from(block.get()),
            Wanted::Messages(nonce) | Wanted::Confirmation(nonce) => nonce,
        };
        let patience = if absent == 0 {
            Duration::ZERO
        } else {
            policy.patience
        };
        let wait = policy.turns.wait(topic).saturating_add(patience);
        self.since.checked_add(wait).unwrap_or(self.since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::SetRef;
    use duet_primitives::H256;

    fn status(best: u32, signing: u64, knows_next: bool) -> Status {
        let set = |id| SetRef {
            id: SetId::new(id),
            fingerprint: H256::from_low_u64_be(id),
        };
        Status {
            best: BlockNumber::new(best),
            signing: set(signing),
            next: knows_next.then(|| set(signing + 1)),
            is_stopped: false,
            trust: None,
        }
    }

    fn offer(handoff: Option<u32>, head: u32) -> Offer {
        Offer {
            handoff: handoff.map(BlockNumber::new),
            head: Some(BlockNumber::new(head)),
        }
    }

    fn block(number: u32) -> Option<Wanted> {
        Some(Wanted::Block(BlockNumber::new(number)))
    }

    #[test]
    fn handoffs_come_before_everything_and_need_no_demand() {
        let found = wanted(&status(7, 3, false), &offer(Some(9), 30), None, None);
        assert_eq!(found, Some(Wanted::Handoff(SetId::new(3))));
        let found = wanted(&status(9, 3, true), &offer(Some(19), 30), None, None);
        assert_eq!(found, Some(Wanted::Handoff(SetId::new(4))));
        // Known already.
        assert_eq!(
            wanted(&status(9, 3, true), &offer(Some(9), 30), None, None),
            None
        );
    }

    #[test]
    fn a_block_is_brought_when_it_is_demanded_or_far_enough() {
        let status = status(10, 1, true);
        let every = NonZeroU32::new(5);
        assert_eq!(wanted(&status, &offer(None, 14), None, every), None);
        assert_eq!(wanted(&status, &offer(None, 15), None, every), block(15));
        let demanded = |number| Some(BlockNumber::new(number));
        assert_eq!(
            wanted(&status, &offer(None, 14), demanded(12), None),
            block(14)
        );
        // Not proven yet, and known already.
        assert_eq!(wanted(&status, &offer(None, 14), demanded(15), None), None);
        assert_eq!(wanted(&status, &offer(None, 14), demanded(10), None), None);
        let nothing = Offer {
            handoff: None,
            head: None,
        };
        assert_eq!(wanted(&status, &nothing, demanded(12), every), None);
    }

    #[test]
    fn a_proof_waits_for_votes_that_are_missing_and_a_full_one_does_not() {
        let now = Instant::now();
        let status = status(10, 1, true);
        let policy = Policy {
            every: None,
            patience: Duration::from_secs(6),
            turns: Turns::alone(),
        };
        let wanted = Wanted::Block(BlockNumber::new(14));
        let waiting = Waiting::on(None, wanted, &status, now);
        assert_eq!(waiting.due(0, &policy), now);
        assert_eq!(waiting.due(1, &policy), now + policy.patience);
    }

    #[test]
    fn what_is_waited_for_stays_until_the_target_changes() {
        let now = Instant::now();
        let later = now + Duration::from_secs(3);
        let [first, second] = [14, 15].map(|number| Wanted::Block(BlockNumber::new(number)));
        let before = Waiting::on(None, first, &status(10, 1, true), now);
        let same = Waiting::on(Some(before), second, &status(10, 1, true), later);
        assert_eq!((same.wanted, same.since), (first, now));
        let other = Waiting::on(Some(before), second, &status(11, 1, true), later);
        assert_eq!((other.wanted, other.since), (second, later));
        let handoff = Wanted::Handoff(SetId::new(2));
        let other = Waiting::on(Some(before), handoff, &status(10, 1, true), later);
        assert_eq!((other.wanted, other.since), (handoff, later));
    }
}
