//! The voter's reads of the chain and its runtime: sets, and payloads of blocks. Each read runs at a desk: a set of
//! 10 000 validators takes seconds to read, and a runtime call has no time limit.

use crate::{
    chain::{error::ChainError, logs::PayloadMismatch, Chain},
    metrics::Metrics,
};
use duet_gossip::LOG_TARGET;
use duet_primitives::{BlockNumber, KeysetCommitment, RoundMessage};
use duet_voter::Event;
use std::{collections::BTreeSet, sync::Arc};

/// The number of blocks that are remembered as reported; the voter asks for few blocks at a time.
const REPORTED: usize = 64;

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

/// Prepares blocks to be voted on. (ROUND-1)
pub(crate) struct Preparation {
    chain: Arc<Chain>,
    metrics: Metrics,
    /// The highest blocks whose payload differs from their header's. The voter asks for the same block again and again.
    reported: BTreeSet<BlockNumber>,
}

impl Preparation {
    pub(crate) fn new(chain: Arc<Chain>, metrics: Metrics) -> Self {
        Self {
            chain,
            metrics,
            reported: BTreeSet::new(),
        }
    }

    /// ROUND-1: this node hashes, and so signs, only payloads from its own finalized chain.
    pub(crate) fn run(&mut self, ToPrepare { number, votes }: &ToPrepare) -> Option<Event> {
        let commitment = match self.chain.commitment(*number) {
            Ok(commitment) => commitment,
            Err(ChainError::PayloadMismatch(mismatch)) => {
                self.report(*number, &mismatch);
                return None;
            }
            Err(error) => {
                try_again("the payload of a block cannot be read", &error);
                return None;
            }
        };
        // Hashed once for the whole round.
        let message = RoundMessage::new(self.chain.genesis_hash(), commitment).expecting(*votes);
        Some(Event::Prepared(message))
    }

    /// Tells the operator once for each block.
    fn report(&mut self, number: BlockNumber, mismatch: &PayloadMismatch) {
        if !self.reported.insert(number) {
            return;
        }
        if self.reported.len() > REPORTED {
            self.reported.pop_first();
        }
        self.metrics.payload_mismatches.inc();
        log::error!(target: LOG_TARGET, "block {number} is not signed: {mismatch}");
    }
}

/// Logs a failed read; the voter asks again.
pub(crate) fn try_again(what: &str, error: &ChainError) {
    log::debug!(target: LOG_TARGET, "{what}: {error}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TestBlock, TestChain};
    use duet_primitives::testing::TestSet;

    /// ROUND-1.
    #[test]
    fn a_block_whose_header_names_another_payload_is_reported_once_and_the_next_one_is_prepared() {
        let (test, set) = (TestChain::default(), TestSet::new(0, 0..4));
        test.add(&TestBlock::new(&set, &set, &[]).after_an_upgrade());
        test.push(&set, &set, &[]);
        let metrics = Metrics::new(None);
        let mut preparation = Preparation::new(Arc::new(test.chain()), metrics.clone());
        let mut prepare = |number| {
            let number = BlockNumber::new(number);
            preparation.run(&ToPrepare { number, votes: 4 }).is_some()
        };
        assert_eq!([prepare(0), prepare(0), prepare(1)], [false, false, true]);
        assert_eq!(metrics.payload_mismatches.get(), 1);
    }
}
