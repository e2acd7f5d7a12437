//! Validators' statements that contradict the finalized chain: single votes and whole finality proofs. They are
//! searched among the valid votes, and reported as long as that helps. (GOSSIP-10, FALSE-1)

use crate::{
    chain::{error::ChainError, Chain},
    metrics::Metrics,
    report::Report,
    reports::Filing,
    statement::FalseStatement,
};
use duet_gossip::{clock::Clock, GossipValidator, Network, LOG_TARGET};
use duet_primitives::{Commitment, EvidenceStatus};
use duet_voter::Millis;
use prometheus_endpoint::{Counter, Gauge, U64};
use std::sync::Arc;

/// How often votes are compared with the chain.
const INTERVAL: Millis = 1_000;

impl Report for FalseStatement {
    fn status(&self, chain: &Chain) -> Result<EvidenceStatus, ChainError> {
        // This node may have been behind when it took it for false.
        if chain.refutes(self.commitment())? == Some(false) {
            return Ok(EvidenceStatus::Invalid);
        }
        match chain.accusation_status(self) {
            Err(ChainError::NoSignature) => Ok(EvidenceStatus::Invalid),
            status => status,
        }
    }

    fn submit(&self, chain: &Chain) -> Result<Option<()>, ChainError> {
        chain.accuse(self)
    }

    fn waiting(metrics: &Metrics) -> &Gauge<U64> {
        &metrics.false_statements_waiting
    }

    fn submitted(metrics: &Metrics) -> &Counter<U64> {
        &metrics.false_statement_reports
    }
}

/// Compares the valid votes with the chain.
pub(crate) struct VoteWatch {
    pub(crate) chain: Arc<Chain>,
    pub(crate) validator: Arc<GossipValidator>,
    pub(crate) network: Arc<dyn Network>,
    pub(crate) reports: Filing<FalseStatement>,
    pub(crate) clock: Arc<dyn Clock>,
}

impl VoteWatch {
    /// Runs until the node stops. Reads the database, so it blocks.
    pub(crate) async fn run(self) {
        loop {
            for said in self.validator.strange_statements() {
                self.judge(&said);
            }
            let next = self.clock.now().saturating_add(INTERVAL);
            self.clock.sleep_until(next).await;
        }
    }

    /// Compares statements with the chain, as far as possible.
    fn judge(&self, said: &Commitment) {
        let refuted = match self.chain.refutes(said) {
            Ok(Some(refuted)) => refuted,
            Ok(None) if self.chain.is_beyond(said) && !self.network.is_syncing() => true,
            // The block is not final yet.
            Ok(None) => return,
            Err(error) => {
                log::debug!(
                    target: LOG_TARGET,
                    "votes on block {} cannot be compared with the chain: {error}",
                    said.block_number,
                );
                return;
            }
        };
        for vote in self.validator.take_judged(said) {
            if refuted {
                self.report(FalseStatement::Vote(vote.into_unchecked()));
            }
        }
    }

    fn report(&self, statement: FalseStatement) {
        if let Err(error) = self.reports.file(&statement) {
            log::error!(target: LOG_TARGET, "{statement} is false, but cannot be reported: {error}");
        }
    }
}
