//! What the voter asks of the chain and its runtime: sets, and what is signed about blocks. Each is done at a desk:
//! a set of 10 000 validators takes seconds to read, and a call of the runtime as long as the runtime likes.

use crate::chain::{error::ChainError, Chain};
use duet_gossip::LOG_TARGET;
use duet_primitives::{BlockNumber, KeysetCommitment, RoundMessage};
use duet_voter::Event;

/// A block of which what is signed about it is wanted.
pub(crate) struct ToPrepare {
    pub(crate) number: BlockNumber,
    /// How many votes on it may come.
    pub(crate) votes: u32,
}

/// Reads the set with this commitment.
pub(crate) fn load_set(chain: &Chain, commitment: &KeysetCommitment) -> Option<Event> {
    let (_, finalized) = chain.finalized();
    match chain.set(commitment, finalized) {
        Ok(set) => Some(Event::Set(set)),
        Err(error) => {
            log::warn!(target: LOG_TARGET, "set {} cannot be read: {error}", commitment.id);
            None
        }
    }
}

/// ROUND-1: only what this node's finalized chain says is ever hashed, and so signed.
pub(crate) fn prepare(chain: &Chain, ToPrepare { number, votes }: &ToPrepare) -> Option<Event> {
    let commitment = match chain.commitment(*number) {
        Ok(commitment) => commitment,
        Err(error) => {
            try_again("what is signed about a block cannot be read", &error);
            return None;
        }
    };
    // Hashed once for the whole round.
    let message = RoundMessage::new(chain.genesis_hash(), commitment).expecting(*votes);
    Some(Event::Prepared(message))
}

/// Logs what could not be read this time; it is asked for again.
pub(crate) fn try_again(what: &str, error: &ChainError) {
    log::debug!(target: LOG_TARGET, "{what}: {error}");
}
