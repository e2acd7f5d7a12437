//! Reports of offences: kept until the chain has them.
//!
//! A report can fail for many temporary reasons: a full pool, a block that became an orphan, a stopped node. So
//! evidence is stored first, and then submitted again and again, until the finalized chain knows the offence or can
//! no longer punish it. (EQV-6, EQV-7)

use crate::{
    chain::{error::ChainError, Chain},
    metrics::Metrics,
    report::Report,
    store::{ReportBook, Store, StoreError},
};
use async_channel::{Receiver, Sender};
use duet_gossip::{clock::Clock, LOG_TARGET};
use duet_primitives::EvidenceStatus;
use duet_voter::Millis;
use futures::{
    future::{self, Either},
    pin_mut,
};
use std::sync::Arc;

/// The interval after which evidence that is not on the finalized chain is submitted again: some blocks.
const INTERVAL: Millis = 60_000;

/// New evidence on its way to the reporter.
const REPORTS: usize = 16;

/// The place to file evidence for reporting.
pub(crate) struct Filing<R> {
    book: ReportBook<R>,
    /// To the reporter of the book's evidence.
    written: Sender<R>,
}

impl<R> Clone for Filing<R> {
    fn clone(&self) -> Self {
        Self {
            book: self.book.clone(),
            written: self.written.clone(),
        }
    }
}

impl<R: Report> Filing<R> {
    /// Stores evidence, and triggers its submission. Known evidence waits for its next minute, however often it comes.
    pub(crate) fn file(&self, evidence: &R) -> Result<(), StoreError> {
        if self.book.put(evidence)? {
            log::warn!(target: LOG_TARGET, "{} will be reported", evidence.describe());
            // Evidence that finds no room is submitted with the whole book.
            let _ = self.written.try_send(evidence.clone());
        }
        Ok(())
    }
}

/// The reporter's end of the book.
pub(crate) struct Filed<R> {
    book: ReportBook<R>,
    /// Delivers evidence just written into the book.
    written: Receiver<R>,
}

/// A book of reports, with both of its ends.
pub(crate) fn book<R: Report>(store: &Store) -> (Filing<R>, Filed<R>) {
    let book = ReportBook::new(store);
    let (to_reporter, written) = async_channel::bounded(REPORTS);
    let filing = Filing {
        book: book.clone(),
        written: to_reporter,
    };
    (filing, Filed { book, written })
}

/// Submits filed evidence.
pub(crate) struct Reporter<R> {
    pub(crate) chain: Arc<Chain>,
    pub(crate) filed: Filed<R>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) metrics: Metrics,
}

impl<R: Report> Reporter<R> {
    /// Runs until nobody files any more, starting with old evidence. Blocks, as it calls the runtime and the database.
    pub(crate) async fn run(self) {
        loop {
            let all = self.filed.book.all();
            told(all.and_then(|all| self.pursue(&all)));
            let next = self.clock.now().saturating_add(INTERVAL);
            let mut later = self.clock.sleep_until(next);
            // New evidence does not wait for the next minute, and waiting evidence is not resubmitted because of it.
            loop {
                let written = self.filed.written.recv();
                pin_mut!(written);
                match future::select(written, later).await {
                    Either::Left((Ok(evidence), rest)) => {
                        told(self.pursue(&[evidence]));
                        later = rest;
                    }
                    Either::Left((Err(_), _)) => return,
                    Either::Right(_) => break,
                }
            }
        }
    }

    fn pursue(&self, waiting: &[R]) -> Result<(), StoreError> {
        for evidence in waiting {
            if self.is_done_with(evidence) {
                self.filed.book.remove(evidence)?;
            }
        }
        let left = self.filed.book.len()?;
        R::waiting(&self.metrics).set(left);
        Ok(())
    }

    /// Whether the evidence is done: asks the finalized chain, and submits what the chain does not know yet.
    fn is_done_with(&self, evidence: &R) -> bool {
        let done = |how: &str| {
            log::info!(target: LOG_TARGET, "{} {how}", evidence.describe());
            true
        };
        match evidence.status(&self.chain) {
            Ok(EvidenceStatus::Reported) => done("is on the finalized chain"),
            Ok(EvidenceStatus::NotSlashable) => done("can no longer be punished: EQV-6"),
            Ok(EvidenceStatus::Invalid) => done("is no offence, as the chain sees it"),
            // The finalized block is behind the one at which it was seen.
            Ok(EvidenceStatus::NotActive) => false,
            Ok(EvidenceStatus::New) => {
                self.submit(evidence);
                false
            }
            // The runtime has no such call: there is one try.
            Err(ChainError::NotInThisRuntime) => {
                self.submit(evidence);
                true
            }
            Err(error) => {
                log::debug!(target: LOG_TARGET, "the status of a report is not known: {error}");
                false
            }
        }
    }

    fn submit(&self, evidence: &R) {
        match evidence.submit(&self.chain) {
            Ok(Some(())) => R::submitted(&self.metrics).inc(),
            Ok(None) => log::debug!(target: LOG_TARGET, "the pool does not take a report now"),
            Err(error) => log::warn!(target: LOG_TARGET, "a report was not submitted: {error}"),
        }
    }
}

/// The evidence stays in the book.
fn told(pursued: Result<(), StoreError>) {
    if let Err(error) = pursued {
        log::error!(target: LOG_TARGET, "reports are delayed: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{clock::VirtualClock, Submission, TestChain};
    use duet_primitives::{testing::TestSet, EquivocationProof, RoundMessage, H256};
    use futures::{future::BoxFuture, FutureExt};

    /// A node with one piece of evidence in its book, whose reporter is a future that the test moves.
    struct Node {
        test: TestChain,
        filing: Filing<EquivocationProof>,
        clock: VirtualClock,
        metrics: Metrics,
        run: BoxFuture<'static, ()>,
    }

    impl Node {
        fn new() -> Self {
            let (test, clock) = (TestChain::default(), VirtualClock::default());
            let set = TestSet::new(0, [1, 2, 3, 4]);
            test.push(&set, &set, &[]);
            Self::over(test, clock)
        }

        fn over(test: TestChain, clock: VirtualClock) -> Self {
            let metrics = Metrics::new(None);
            let (filing, filed) = book(&test.store());
            let reporter = Reporter {
                chain: Arc::new(test.chain()),
                filed,
                clock: Arc::new(clock.clone()),
                metrics: metrics.clone(),
            };
            Self {
                test,
                filing,
                clock,
                metrics,
                run: reporter.run().boxed(),
            }
        }

        /// The reporter receives evidence while it waits.
        fn file(&mut self, block: u32) {
            assert!((&mut self.run).now_or_never().is_none());
            self.filing.file(&evidence(block)).unwrap();
            assert!((&mut self.run).now_or_never().is_none());
        }

        fn a_minute_later(&mut self) {
            assert!(self.clock.advance());
            assert!((&mut self.run).now_or_never().is_none());
        }

        /// The number of submissions to the pool, and of waiting evidence.
        fn seen(&self) -> (u32, u64) {
            (
                self.test.client.reports(),
                self.metrics.reports_waiting.get(),
            )
        }
    }

    /// Validator 0 signs two statements about a block.
    fn evidence(block: u32) -> EquivocationProof {
        let set = TestSet::new(0, [1, 2, 3, 4]);
        let said = set.commitment(block, &set.set);
        let mut other = said.clone();
        other.mmr_root = H256::repeat_byte(0xee);
        let vote = |said| set.vote(0, &RoundMessage::new(H256::zero(), said)).unwrap();
        EquivocationProof::new(set.set.keyset(), &vote(said), &vote(other)).unwrap()
    }

    #[test]
    fn evidence_is_submitted_each_minute_until_the_finalized_chain_has_it() {
        let mut node = Node::new();
        node.file(1);
        assert_eq!(node.seen(), (1, 1), "the pool took it, and no block has it");
        node.a_minute_later();
        assert_eq!(node.seen(), (2, 1));
        node.test.client.judge(EvidenceStatus::Reported);
        node.a_minute_later();
        assert_eq!(node.seen(), (2, 0));
        assert_eq!(node.filing.book.all().unwrap(), []);
    }

    #[test]
    fn a_full_pool_and_a_runtime_that_cannot_be_called_lose_nothing() {
        let mut node = Node::new();
        for submission in [Submission::Refused, Submission::Failed] {
            node.test.client.answer_reports(submission);
            let asked = node.seen().0;
            match asked {
                0 => node.file(1),
                _ => node.a_minute_later(),
            }
            assert_eq!(node.seen(), (asked + 1, 1));
        }
        assert_eq!(node.metrics.equivocation_reports.get(), 0);
        node.test.client.answer_reports(Submission::Taken);
        node.a_minute_later();
        assert_eq!(node.seen(), (3, 1));
        assert_eq!(node.metrics.equivocation_reports.get(), 1);
    }

    #[test]
    fn new_evidence_is_submitted_at_once_and_what_waits_keeps_its_minute() {
        let mut node = Node::new();
        for block in 1..=3 {
            node.file(block);
            assert_eq!(node.seen(), (block, u64::from(block)));
        }
        node.a_minute_later();
        assert_eq!(node.seen(), (6, 3));
    }

    #[test]
    fn evidence_that_comes_again_waits_for_its_minute() {
        let mut node = Node::new();
        for _ in 0..3 {
            node.file(1);
        }
        assert_eq!(node.seen(), (1, 1));
        node.a_minute_later();
        assert_eq!(node.seen(), (2, 1));
    }

    #[test]
    fn evidence_outlives_a_restart() {
        let mut node = Node::new();
        node.test.client.answer_reports(Submission::Refused);
        node.file(1);
        node.file(2);
        let Node { test, clock, .. } = node;
        test.client.answer_reports(Submission::Taken);

        let mut node = Node::over(test, clock);
        let asked = node.seen().0;
        assert!((&mut node.run).now_or_never().is_none());
        assert_eq!(node.seen(), (asked + 2, 2), "without any new evidence");
    }

    #[test]
    fn evidence_that_can_no_longer_be_punished_is_given_up() {
        for status in [EvidenceStatus::NotSlashable, EvidenceStatus::Invalid] {
            let mut node = Node::new();
            node.test.client.judge(status);
            node.file(1);
            assert_eq!(node.seen(), (0, 0), "{status:?}");
        }
    }

    #[test]
    fn evidence_about_a_set_that_is_not_final_yet_waits() {
        let mut node = Node::new();
        node.test.client.judge(EvidenceStatus::NotActive);
        node.file(1);
        assert_eq!(node.seen(), (0, 1));
        node.test.client.judge(EvidenceStatus::New);
        node.a_minute_later();
        assert_eq!(node.seen(), (1, 1));
    }

    #[test]
    fn the_reporter_ends_with_the_worker() {
        let mut node = Node::new();
        assert!((&mut node.run).now_or_never().is_none());
        drop(node.filing);
        assert!(node.run.now_or_never().is_some());
    }
}
