//! Tells the operator whether a set is to sign at all: without one, missing proofs are no fault. (ACTIVE-1, ACTIVE-3)

use crate::{chain::Chain, metrics::Metrics};
use duet_gossip::{clock::Clock, LOG_TARGET};
use duet_primitives::H256;
use duet_voter::Millis;
use parking_lot::Mutex;
use std::{convert::Infallible, sync::Arc};

/// The interval between looks for a new final block.
const INTERVAL: Millis = 1_000;

/// Whether a set is to sign at the finalized block: the watch informs the RPC. `None` when that cannot be read. Cheap
/// to clone; clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedActivity(Arc<Mutex<Option<bool>>>);

impl SharedActivity {
    /// Sets whether a set is to sign from now on.
    pub(crate) fn set(&self, active: Option<bool>) {
        *self.0.lock() = active;
    }

    /// Whether a set is to sign now.
    pub(crate) fn get(&self) -> Option<bool> {
        *self.0.lock()
    }
}

/// Reads the state of the block that is final at each look.
pub(crate) struct ActivityWatch {
    pub(crate) chain: Arc<Chain>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) activity: SharedActivity,
    pub(crate) metrics: Metrics,
}

impl ActivityWatch {
    /// Runs for as long as the node does. Reads the database, so it blocks.
    pub(crate) async fn run(self) -> Infallible {
        let mut read = None;
        loop {
            self.look(&mut read);
            let next = self.clock.now().saturating_add(INTERVAL);
            self.clock.sleep_until(next).await;
        }
    }

    /// `read` is the block whose state was last read. An unreadable one is read again.
    fn look(&self, read: &mut Option<H256>) {
        let (_, at) = self.chain.finalized();
        if *read == Some(at) {
            return;
        }
        let active = match self.chain.is_active(at) {
            Ok(active) => Some(active),
            Err(error) => {
                log::debug!(target: LOG_TARGET, "cannot read whether a set is to sign at block {at:?}: {error}");
                None
            }
        };
        *read = active.map(|_| at);
        // An unreadable state silences no alarm.
        self.metrics.active.set(active.unwrap_or(true).into());
        self.activity.set(active);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{clock::VirtualClock, TestBlock, TestChain};
    use duet_primitives::testing::TestSet;
    use futures::{future::BoxFuture, FutureExt};

    /// A node that looks at its chain.
    struct Node {
        test: TestChain,
        clock: VirtualClock,
        activity: SharedActivity,
        metrics: Metrics,
        run: BoxFuture<'static, Infallible>,
    }

    impl Node {
        fn new() -> Self {
            let (test, clock) = (TestChain::default(), VirtualClock::default());
            test.push_without_duet();
            let (activity, metrics) = (SharedActivity::default(), Metrics::new(None));
            let watch = ActivityWatch {
                chain: Arc::new(test.chain()),
                clock: Arc::new(clock.clone()),
                activity: activity.clone(),
                metrics: metrics.clone(),
            };
            let mut run = watch.run().boxed();
            assert!((&mut run).now_or_never().is_none());
            Self {
                test,
                clock,
                activity,
                metrics,
                run,
            }
        }

        /// Its output a second later: to the RPC, and in the gauge.
        fn says(&mut self) -> (Option<bool>, u64) {
            assert!(self.clock.advance());
            assert!((&mut self.run).now_or_never().is_none());
            (self.activity.get(), self.metrics.active.get())
        }
    }

    /// ACTIVE-1, ACTIVE-3, ACTIVE-4.
    #[test]
    fn a_chain_is_active_from_its_first_set_on_until_duet_is_put_down() {
        let (mut node, set) = (Node::new(), TestSet::new(0, 0..4));
        assert_eq!(node.says(), (Some(false), 0));
        node.test.push(&set, &set, &[]);
        assert_eq!(node.says(), (Some(true), 1));
        node.test.add(&TestBlock::new(&set, &set, &[]).put_down());
        assert_eq!(node.says(), (Some(false), 0));
        node.test.push(&set, &set, &[]);
        assert_eq!(node.says(), (Some(true), 1));
    }

    /// HANDOFF-5: the set's proofs have stopped, and only a reset helps.
    #[test]
    fn a_set_that_has_expired_is_one_that_should_sign() {
        let (mut node, set) = (Node::new(), TestSet::new(0, 0..4));
        node.test.add(&TestBlock::new(&set, &set, &[]).expired());
        assert_eq!(node.says(), (Some(true), 1));
    }

    #[test]
    fn a_state_that_cannot_be_read_makes_no_chain_inactive() {
        let mut node = Node::new();
        assert_eq!(node.says(), (Some(false), 0));
        let block = TestBlock::without_duet();
        node.test.add(&block.clone().without_state());
        assert_eq!(node.says(), (None, 1));
        node.test.add(&block);
        assert_eq!(node.says(), (Some(false), 0));
        let hash = node.test.add(&block.clone().without_state());
        assert_eq!(node.says(), (None, 1));
        node.test.remember(hash, &block);
        assert_eq!(node.says(), (Some(false), 0), "it is read again");
    }

    #[test]
    fn a_state_is_read_once_and_may_be_pruned_then() {
        let mut node = Node::new();
        let hash = node.test.push_without_duet();
        assert_eq!(node.says(), (Some(false), 0));
        node.test.prune(hash);
        assert_eq!(node.says(), (Some(false), 0));
    }
}
