//! The contradictions known to this node: each is logged once, stored, and keeps a validator from voting until the
//! operator acknowledges it. (ROUND-10)

use crate::{evidence::Divergence, metrics::Metrics};
use duet_gossip::LOG_TARGET;
use duet_primitives::{BlockNumber, Justification, H256};
use sc_telemetry::{telemetry, TelemetryHandle, CONSENSUS_WARN};

/// The most kept contradictions; an acknowledged one makes room for a new one. Whoever can make one can make any
/// number, and the first few show as much as all of them would.
const MAX_KEPT: usize = 8;

/// The remedy, for the log.
const ADVICE: &str =
    "Do not rely on finality from this node until you know which chain is right: docs/operators/divergence.md";

/// The contradictions known to this node.
pub(crate) struct Divergences {
    kept: Vec<Divergence>,
    metrics: Metrics,
    telemetry: Option<TelemetryHandle>,
}

impl Divergences {
    /// None, until [`Divergences::recall`].
    pub(crate) fn new(metrics: Metrics, telemetry: Option<TelemetryHandle>) -> Self {
        Self {
            kept: Vec::new(),
            metrics,
            telemetry,
        }
    }

    /// Loads the stored contradictions after a restart, and acknowledges those at these blocks. Returns what to store
    /// if that changed anything.
    pub(crate) fn recall(
        &mut self,
        stored: Vec<Divergence>,
        acknowledged: &[BlockNumber],
    ) -> Option<Vec<Divergence>> {
        self.kept = stored;
        let mut changed = false;
        for number in acknowledged {
            let at_block = |one: &&mut Divergence| block_of(one) == *number;
            let mut found = false;
            for one in self.kept.iter_mut().filter(at_block) {
                found = true;
                changed |= !one.acknowledged;
                one.acknowledged = true;
            }
            match found {
                true => log::warn!(
                    target: LOG_TARGET,
                    "the contradiction at block {number} is acknowledged: it no longer keeps this node from voting",
                ),
                false => log::warn!(
                    target: LOG_TARGET,
                    "no contradiction at block {number} is known, so there is nothing to acknowledge",
                ),
            }
        }
        for one in self.kept.iter().filter(|one| !one.acknowledged) {
            log::error!(target: LOG_TARGET, "{} (found before the restart)", description(one));
        }
        self.show();
        changed.then(|| self.kept.clone())
    }

    /// Handles a valid proof that contradicts a final block here. Returns what to store if it is a new one.
    pub(crate) fn add(
        &mut self,
        justification: &Justification,
        finalized: Option<H256>,
    ) -> Option<Vec<Divergence>> {
        let justification = justification.as_unchecked();
        let same = |one: &Divergence| one.justification.commitment == justification.commitment;
        if self.kept.iter().any(same) {
            return None;
        }
        if self.kept.len() >= MAX_KEPT {
            let Some(oldest) = self.kept.iter().position(|one| one.acknowledged) else {
                let number = justification.commitment.block_number;
                log::debug!(target: LOG_TARGET, "one more contradiction, at block {number}, is not kept");
                return None;
            };
            self.kept.remove(oldest);
        }
        let one = Divergence {
            finalized,
            justification: justification.clone(),
            acknowledged: false,
        };
        self.tell(&one);
        self.kept.push(one);
        self.metrics.justifications_diverged.inc();
        self.show();
        Some(self.kept.clone())
    }

    /// Whether this node must not vote.
    pub(crate) fn is_halted(&self) -> bool {
        self.kept.iter().any(|one| !one.acknowledged)
    }

    fn tell(&self, one: &Divergence) {
        log::error!(target: LOG_TARGET, "{}", description(one));
        let commitment = &one.justification.commitment;
        telemetry!(self.telemetry; CONSENSUS_WARN; "duet.diverged";
            "number" => commitment.block_number.get(),
            "proven" => ?commitment.block_hash,
            "finalized" => ?one.finalized,
            "set_id" => commitment.validator_set_id.get(),
            "signers" => one.justification.signers.count(),
        );
    }

    fn show(&self) {
        self.metrics.diverged.set(self.is_halted().into());
    }
}

fn block_of(one: &Divergence) -> BlockNumber {
    one.justification.commitment.block_number
}

/// The message to the operator.
fn description(one: &Divergence) -> String {
    let commitment = &one.justification.commitment;
    let finalized = match one.finalized {
        Some(hash) if hash == commitment.block_hash => {
            "the same block with another next set or MMR root".into()
        }
        Some(hash) => format!("{hash:?}"),
        None => "no block that this node has".into(),
    };
    format!(
        "DIVERGENCE: {} signers of set {} proved block {} to be {:?} with the MMR root {:?}, which contradicts this node's \
         finalized chain: GRANDPA finalized {finalized} there. More than a third of the validators, or this node's chain, \
         are at fault. This node does not vote any more. {ADVICE}",
        one.justification.signers.count(),
        commitment.validator_set_id,
        commitment.block_number,
        commitment.block_hash,
        commitment.mmr_root,
    )
}
