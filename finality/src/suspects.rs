//! Proofs from gossip that name another block than GRANDPA finalized at their height on this node, or another payload
//! than the header of this block, however long ago.
//! They are checked at a desk: each is evidence of a contradiction (ROUND-10), or its sender is to blame (GOSSIP-6).

use crate::{
    chain::{error::CheckError, Chain},
    desk::Desk,
    metrics::Metrics,
};
use duet_gossip::{reputation::PeerBehaviour, source::Watch, Network, LOG_TARGET};
use duet_primitives::UncheckedJustification;
use duet_voter::Event;
use sc_network_types::PeerId;
use std::sync::Arc;

/// A proof that contradicts the final block here, if it is valid, and its sender.
pub(crate) struct Suspect {
    sender: PeerId,
    justification: UncheckedJustification,
}

/// Takes such proofs from gossip.
pub(crate) struct Suspects {
    pub(crate) chain: Arc<Chain>,
    /// The desk that checks them.
    pub(crate) checks: Desk<Suspect>,
    pub(crate) metrics: Metrics,
}

impl Watch for Suspects {
    fn takes(&self, sender: &PeerId, justification: &UncheckedJustification) -> bool {
        if self.chain.contradicts(&justification.commitment) != Some(true) {
            return false;
        }
        let suspect = Suspect {
            sender: *sender,
            justification: justification.clone(),
        };
        if self.checks.hand_in(suspect).is_err() {
            self.metrics.suspects_dropped.inc();
        }
        true
    }
}

/// Checks one proof. A valid proof goes to the worker like any other, and is compared there.
pub(crate) fn check(chain: &Chain, network: &dyn Network, suspect: Suspect) -> Option<Event> {
    let Suspect {
        sender,
        justification,
    } = suspect;
    let number = justification.commitment.block_number;
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
