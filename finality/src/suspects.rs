//! Proofs from gossip that name another block than GRANDPA finalized at their height on this node, or another payload
//! than the header of this block, however long ago.
//! They are checked at a desk: each is evidence of a contradiction (ROUND-10), or its sender is to blame (GOSSIP-6).

use crate::{
    chain::{error::CheckError, Chain},
    desk::Desk,
    metrics::Metrics,
};
use duet_gossip::{reputation::PeerBehaviour, source::Watch, GossipValidator, LOG_TARGET};
use duet_primitives::UncheckedJustification;
use duet_voter::Event;
use parking_lot::Mutex;
use sc_network_types::PeerId;
use std::{collections::HashMap, sync::Arc};

/// The most waiting proofs of one peer. (GOSSIP-7)
const MOST_OF_PEER: usize = 4;

/// How many proofs of each peer wait.
type Waiting = Arc<Mutex<HashMap<PeerId, usize>>>;

/// A proof that contradicts the final block here, if it is valid, and its sender.
pub(crate) struct Suspect {
    justification: UncheckedJustification,
    place: Place,
}

/// One of the places of its sender, given back on drop.
struct Place {
    sender: PeerId,
    waiting: Waiting,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut waiting = self.waiting.lock();
        if let Some(count) = waiting.get_mut(&self.sender) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                waiting.remove(&self.sender);
            }
        }
    }
}

/// Takes such proofs from gossip.
pub(crate) struct Suspects {
    chain: Arc<Chain>,
    /// The desk that checks them.
    checks: Desk<Suspect>,
    waiting: Waiting,
    metrics: Metrics,
}

impl Suspects {
    pub(crate) fn new(chain: Arc<Chain>, checks: Desk<Suspect>, metrics: Metrics) -> Self {
        Self {
            chain,
            checks,
            waiting: Waiting::default(),
            metrics,
        }
    }

    /// Has a proof checked, if its sender and the desk have room for it.
    fn hand_in(&self, sender: PeerId, justification: &UncheckedJustification) -> Result<(), ()> {
        let mut waiting = self.waiting.lock();
        let count = waiting.entry(sender).or_default();
        if *count >= MOST_OF_PEER {
            return Err(());
        }
        *count = count.saturating_add(1);
        drop(waiting);
        let suspect = Suspect {
            justification: justification.clone(),
            place: Place {
                sender,
                waiting: self.waiting.clone(),
            },
        };
        self.checks.hand_in(suspect).map_err(drop)
    }
}

impl Watch for Suspects {
    fn takes(&self, sender: &PeerId, justification: &UncheckedJustification) -> bool {
        if self.chain.contradicts(&justification.commitment) != Some(true) {
            return false;
        }
        if self.hand_in(*sender, justification).is_err() {
            self.metrics.suspects_dropped.inc();
        }
        true
    }
}

/// Checks one proof, unless its sender was banned meanwhile. A valid proof goes to the worker like any other, and is
/// compared there.
pub(crate) fn check(chain: &Chain, validator: &GossipValidator, suspect: Suspect) -> Option<Event> {
    let Suspect {
        justification,
        place,
    } = suspect;
    let sender = place.sender;
    if validator.is_banned(&sender) {
        return None;
    }
    let number = justification.commitment.block_number;
    match chain.check(justification) {
        Ok(justification) => Some(Event::Justification(justification)),
        Err(CheckError::Broken(error)) => {
            log::debug!(target: LOG_TARGET, "{sender} sent a bad proof of block {number}: {error}");
            if let Some(behaviour) = PeerBehaviour::of_justification_error(&error) {
                validator.report(&sender, behaviour);
            }
            None
        }
        Err(CheckError::Set(error)) => {
            log::debug!(target: LOG_TARGET, "a proof of block {number} is not used: {error}");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestChain;
    use duet_primitives::{testing::TestSet, RoundMessage, H256};
    use futures::FutureExt;

    /// GOSSIP-7.
    #[test]
    fn the_proofs_of_one_peer_leave_room_for_those_of_others() {
        let (test, set) = (TestChain::default(), TestSet::new(0, 0..4));
        let genesis = test.push(&set, &set, &[]);
        let mut said = set.commitment(0, &set.set);
        said.block_hash = H256::repeat_byte(0xf0);
        let proof = set.justify(&RoundMessage::new(genesis, said), 0..3);
        let proof = proof.as_unchecked();
        let (answers, _worker) = async_channel::bounded(1);
        let (checked, senders) = async_channel::unbounded();
        let (checks, mut clerk) = Desk::open(64, answers, move |suspect: Suspect| {
            checked.try_send(suspect.place.sender).unwrap();
            None::<Event>
        });
        let metrics = Metrics::new(None);
        let suspects = Suspects::new(Arc::new(test.chain()), checks, metrics.clone());
        let [flooder, other] = [(); 2].map(|()| PeerId::random());
        for round in 1..=2 {
            for _ in 0..100 {
                assert!(suspects.takes(&flooder, proof));
            }
            assert!(suspects.takes(&other, proof));
            assert_eq!(metrics.suspects_dropped.get(), 96 * round);
            assert!((&mut clerk).now_or_never().is_none());
            let expected = [flooder, flooder, flooder, flooder, other];
            assert_eq!([(); 5].map(|()| senders.try_recv().unwrap()), expected);
        }
    }
}
