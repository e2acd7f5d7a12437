//! Compares each valid proof with the block that GRANDPA finalized at its height on this node, and with the payload
//! that the block's header names: at once, or when GRANDPA reaches that height. (ROUND-10)

use crate::{chain::Chain, metrics::Metrics};
use duet_primitives::{BlockNumber, Justification, H256};
use std::{collections::BTreeMap, sync::Arc};

/// The most waiting proofs; the highest is dropped first. (GOSSIP-7)
const MAX_WAITING: usize = 256;

/// The result of a comparison.
// Only one lives at a time, for a moment.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Compared {
    /// GRANDPA finalized the block that it names, and what it says of the block is true.
    Agrees(Justification),
    /// GRANDPA finalized another block, or the header of the block names another payload.
    Contradicts(Justification),
    /// Its height is not final yet, or the block is missing here: it is compared later.
    Waits,
}

/// Proofs that wait to be compared, and the chain to compare them with.
pub(crate) struct Comparison {
    chain: Arc<Chain>,
    metrics: Metrics,
    waiting: BTreeMap<(BlockNumber, H256), Justification>,
}

impl Comparison {
    pub(crate) fn new(chain: Arc<Chain>, metrics: Metrics) -> Self {
        Self {
            chain,
            metrics,
            waiting: BTreeMap::new(),
        }
    }

    /// Compares a proof, or keeps it until a comparison is possible. Cost: two look-ups in the database.
    pub(crate) fn compare(&mut self, justification: Justification) -> Compared {
        let commitment = justification.commitment();
        let (number, hash) = (commitment.block_number, commitment.block_hash);
        match self.chain.contradicts(commitment) {
            Some(false) => Compared::Agrees(justification),
            Some(true) => Compared::Contradicts(justification),
            None => {
                self.waiting.entry((number, hash)).or_insert(justification);
                if self.waiting.len() > MAX_WAITING {
                    self.waiting.pop_last();
                    self.metrics.dropped_justifications.inc();
                }
                Compared::Waits
            }
        }
    }

    /// Removes the proofs whose height is final now.
    pub(crate) fn take_due(&mut self) -> Vec<Justification> {
        let (finalized, _) = self.chain.finalized();
        let later = self
            .waiting
            .split_off(&(finalized.saturating_next(), H256::zero()));
        std::mem::replace(&mut self.waiting, later)
            .into_values()
            .collect()
    }

    /// The block that GRANDPA finalized at this height on this node.
    pub(crate) fn finalized_at(&self, number: BlockNumber) -> Option<H256> {
        self.chain.finalized_at(number)
    }

    /// The number of waiting proofs.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }
}
