//! The common interface of all evidence that is reported to the chain.

use crate::{
    chain::{error::ChainError, Chain},
    metrics::Metrics,
    store::Entry,
};
use duet_primitives::{BlockNumber, EquivocationProof, EvidenceStatus, SetId, SignerIndex};
use prometheus_endpoint::{Counter, Gauge, U64};

/// Evidence that is reported until the finalized chain has it, or cannot use it.
pub(crate) trait Report: Entry + Clone + Send + Sync + 'static {
    /// The finalized chain's status of it.
    ///
    /// # Errors
    /// [`ChainError::NotInThisRuntime`] when the runtime is too old for the question.
    fn status(&self, chain: &Chain) -> Result<EvidenceStatus, ChainError>;

    /// Submits it; `None` when the runtime or the pool refuses it now.
    fn submit(&self, chain: &Chain) -> Result<Option<()>, ChainError>;

    /// The number of waiting items.
    fn waiting(metrics: &Metrics) -> &Gauge<U64>;

    /// The number of submissions.
    fn submitted(metrics: &Metrics) -> &Counter<U64>;
}

impl Entry for EquivocationProof {
    const ENTRY: &'static str = "report";
    const LIST: &'static str = "reports";

    type Id = (SetId, SignerIndex, BlockNumber);

    fn id(&self) -> Self::Id {
        let commitment = &self.first.0;
        (
            commitment.validator_set_id,
            self.signer,
            commitment.block_number,
        )
    }

    fn describe(&self) -> String {
        let commitment = &self.first.0;
        format!(
            "the equivocation of {} on block {} in set {}",
            self.key, commitment.block_number, commitment.validator_set_id,
        )
    }
}

impl Report for EquivocationProof {
    fn status(&self, chain: &Chain) -> Result<EvidenceStatus, ChainError> {
        chain.evidence_status(self)
    }

    fn submit(&self, chain: &Chain) -> Result<Option<()>, ChainError> {
        chain.report(self.clone())
    }

    fn waiting(metrics: &Metrics) -> &Gauge<U64> {
        &metrics.reports_waiting
    }

    fn submitted(metrics: &Metrics) -> &Counter<U64> {
        &metrics.equivocation_reports
    }
}
