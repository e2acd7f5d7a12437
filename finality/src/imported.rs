//! Justifications that came with blocks, until their blocks are final.

use crate::{
    chain::{error::CheckError, Chain},
    import::Imported,
    metrics::Metrics,
};
use duet_gossip::LOG_TARGET;
use duet_primitives::{BlockNumber, Justification, UncheckedJustification};
use duet_voter::State;
use std::{collections::BTreeMap, sync::Arc};

/// Justifications that wait; further ones are dropped and counted. (GOSSIP-7)
const MAX_WAITING: usize = 2048;

/// Justifications that came with blocks which are not final yet.
pub(crate) struct ImportedJustifications {
    chain: Arc<Chain>,
    metrics: Metrics,
    waiting: BTreeMap<BlockNumber, UncheckedJustification>,
}

impl ImportedJustifications {
    pub(crate) fn new(chain: Arc<Chain>, metrics: Metrics) -> Self {
        Self {
            chain,
            metrics,
            waiting: BTreeMap::new(),
        }
    }

    /// Adds one that came with a block.
    pub(crate) fn add(&mut self, imported: Imported) {
        let Imported {
            block,
            justification,
        } = imported;
        if justification.commitment.block_hash != block {
            self.metrics.imported_bad.inc();
            return;
        }
        if self.waiting.len() >= MAX_WAITING {
            self.metrics.imported_dropped.inc();
            return;
        }
        let number = justification.commitment.block_number;
        self.waiting.insert(number, justification);
    }

    /// Takes out and checks those whose blocks the voter has scanned: the handoffs and the highest. The others would
    /// change nothing and cost a pairing each.
    pub(crate) fn take_due(&mut self, state: &State) -> Vec<Justification> {
        let later = self.waiting.split_off(&state.scanned().saturating_next());
        let due = std::mem::replace(&mut self.waiting, later);
        let best = state.best_number();
        let handoffs: Vec<_> = state.eras().filter_map(|era| era.mandatory).collect();
        let highest = due.keys().next_back().copied();
        due.into_iter()
            .filter(|(number, _)| {
                *number > best && (Some(*number) == highest || handoffs.contains(number))
            })
            .filter_map(|(number, justification)| self.check(number, justification))
            .collect()
    }

    fn check(
        &self,
        number: BlockNumber,
        justification: UncheckedJustification,
    ) -> Option<Justification> {
        match self.chain.check(justification) {
            Ok(justification) => {
                self.metrics.imported_good.inc();
                return Some(justification);
            }
            Err(CheckError::Broken(error)) => {
                self.metrics.imported_bad.inc();
                log::debug!(target: LOG_TARGET, "a bad proof came with block {number}: {error}");
            }
            Err(CheckError::Set(error)) => {
                log::debug!(target: LOG_TARGET, "the proof of block {number} is not used: {error}");
            }
        }
        None
    }
}
