//! The voter's reads of the chain and its runtime: sets, and payloads of blocks. Each read runs at a desk: a set of
//! 10 000 validators takes seconds to read, and a runtime call has no time limit.

use crate::chain::{error::ChainError, Chain};
use duet_gossip::LOG_TARGET;
use duet_primitives::{BlockNumber, KeysetCommitment, RoundMessage};
use duet_voter::Event;

/// A block whose payload is to be read.
pub(crate) struct ToPrepare {
    pub(crate) number: BlockNumber,
    /// The number of votes that may come for it.
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

/// ROUND-1: this node hashes, and so signs, only payloads from its own finalized chain.
pub(crate) fn prepare(chain: &Chain, ToPrepare { number, votes }: &ToPrepare) -> Option<Event> {
    let commitment = match chain.commitment(*number) {
        Ok(commitment) => commitment,
        Err(error) => {
            try_again("the payload of a block cannot be read", &error);
            return None;
        }
    };
    // Hashed once for the whole round.
    let message = RoundMessage::new(chain.genesis_hash(), commitment).expecting(*votes);
    Some(Event::Prepared(message))
}

/// Logs a failed read; the voter asks again.
pub(crate) fn try_again(what: &str, error: &ChainError) {
    log::debug!(target: LOG_TARGET, "{what}: {error}");
}
