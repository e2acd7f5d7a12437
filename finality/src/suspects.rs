//! Proofs from gossip that name another block than GRANDPA finalized at their height on this node, or another payload
//! than the header of this block, however long ago.
//! They are checked at a desk: each is evidence of a contradiction (ROUND-10), or its sender is to blame (GOSSIP-6).
//! Each peer has a few places there (GOSSIP-7).

use crate::{
    chain::{error::CheckError, Chain},
    desk::Desk,
    metrics::Metrics,
};
use duet_gossip::{reputation::PeerBehaviour, source::Watch, Network, LOG_TARGET};
use duet_primitives::UncheckedJustification;
use duet_voter::Event;
use parking_lot::Mutex;
use sc_network_types::PeerId;
use std::{collections::HashMap, sync::Arc};

/// The most proofs of one peer that wait.
const OF_PEER: usize = 4;

/// A proof, perhaps of another block than the final one here, and its sender.
pub(crate) struct Suspect {
    sender: PeerId,
    justification: UncheckedJustification,
    /// The sender's proofs share it while they wait.
    _place: Arc<()>,
}

/// Takes such proofs from gossip.
pub(crate) struct Suspects {
    pub(crate) chain: Arc<Chain>,
    /// The desk that checks them.
    pub(crate) checks: Desk<Suspect>,
    /// The peers whose proofs wait.
    pub(crate) places: Mutex<HashMap<PeerId, Arc<()>>>,
    pub(crate) metrics: Metrics,
}

impl Suspects {
    fn hand_in(&self, sender: &PeerId, justification: &UncheckedJustification) {
        let mut places = self.places.lock();
        places.retain(|_, place| Arc::strong_count(place) > 1);
        let place = places.entry(*sender).or_default();
        let has_room = Arc::strong_count(place) <= OF_PEER;
        let suspect = || Suspect {
            sender: *sender,
            justification: justification.clone(),
            _place: place.clone(),
        };
        if !has_room || self.checks.hand_in(suspect()).is_err() {
            self.metrics.suspects_dropped.inc();
        }
    }
}

impl Watch for Suspects {
    fn takes(&self, sender: &PeerId, justification: &UncheckedJustification) -> bool {
        if self.chain.contradicts(&justification.commitment) != Some(true) {
            return false;
        }
        self.hand_in(sender, justification);
        true
    }

    fn shows(&self, sender: &PeerId, justification: &UncheckedJustification) {
        if justification.commitment.block_number <= self.chain.finalized().0 {
            self.hand_in(sender, justification);
        }
    }
}

/// Checks one proof. A valid proof goes to the worker like any other, and is compared there.
pub(crate) fn check(chain: &Chain, network: &dyn Network, suspect: Suspect) -> Option<Event> {
    let Suspect {
        sender,
        justification,
        ..
    } = suspect;
    let number = justification.commitment.block_number;
    if chain.contradicts(&justification.commitment) != Some(true) || network.is_banned(&sender) {
        return None;
    }
    match chain.check(justification) {
        Ok(justification) => Some(Event::Justification(justification)),
        Err(CheckError::Broken(error)) => {
            log::debug!(target: LOG_TARGET, "{sender} sent a bad proof of block {number}: {error}");
            if let Some(behaviour) = PeerBehaviour::of_justification_error(&error) {
                network.report(sender, behaviour);
            }
            None
        }
        Err(CheckError::Set(error)) => {
            log::debug!(target: LOG_TARGET, "a proof of block {number} is not used: {error}");
            None
        }
    }
}
