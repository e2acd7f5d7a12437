//! Compares the stored proofs with the finalized chain: some were stored by a version without the comparison, or when
//! their blocks were missing here. (ROUND-10)

use crate::{chain::Chain, store::Store};
use duet_gossip::LOG_TARGET;
use duet_primitives::{Justification, SetId, UncheckedJustification};
use duet_voter::{Event, Millis};

/// The interval of comparisons after the one at the start.
pub(crate) const INTERVAL: Millis = 3_600_000;

/// Compares the newest proof and the handoffs of all sets up to this one. Valid proofs that contradict the chain go
/// to the worker like any other.
///
/// Cost: two reads of the database per set.
pub(crate) fn review(chain: &Chain, store: &Store, up_to: SetId) -> Option<Event> {
    let handoffs = (0..=up_to.get()).map(|set| store.handoff(SetId::new(set)));
    let stored = std::iter::once(store.best()).chain(handoffs);
    let mut contradicting = Vec::new();
    for justification in stored {
        match justification {
            Ok(Some(justification)) => contradicting.extend(contradicts(chain, justification)),
            Ok(None) => {}
            Err(error) => log::warn!(target: LOG_TARGET, "a stored proof cannot be read: {error}"),
        }
    }
    (!contradicting.is_empty()).then_some(Event::Response(contradicting))
}

/// A valid stored proof, if it contradicts the block that GRANDPA finalized at its height.
fn contradicts(chain: &Chain, justification: UncheckedJustification) -> Option<Justification> {
    let commitment = &justification.commitment;
    let (number, hash) = (commitment.block_number, commitment.block_hash);
    if chain.contradicts(commitment) != Some(true) {
        return None;
    }
    let finalized = chain.finalized_at(number)?;
    match chain.check(justification) {
        Ok(justification) => Some(justification),
        Err(error) => {
            log::error!(
                target: LOG_TARGET,
                "the stored proof of block {number} names {hash:?}, where {finalized:?} is final, and fails the check: {error}",
            );
            None
        }
    }
}
