//! Tells the operator whether a set is to sign at all: without one, missing proofs are no fault (ACTIVE-1, ACTIVE-3). And how
//! old the newest proven block is: on a chain that has stopped, nothing else shows it.

use crate::{chain::Chain, metrics::Metrics, store::Store};
use codec::DecodeAll;
use duet_gossip::{clock::Clock, LOG_TARGET};
use duet_light_client::TIME_STORAGE_KEY;
use duet_primitives::H256;
use duet_voter::Millis;
use parking_lot::Mutex;
use std::{
    convert::Infallible,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

/// The interval between looks for a new final block.
const INTERVAL: Millis = 1_000;

#[derive(Debug, Default)]
struct Activity {
    active: Option<bool>,
    /// In milliseconds since the Unix epoch.
    proven: Option<u64>,
}

/// What the watch tells the RPC. Cheap to clone; clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedActivity(Arc<Mutex<Activity>>);

impl SharedActivity {
    /// Sets whether a set is to sign from now on.
    pub(crate) fn set(&self, active: Option<bool>) {
        self.0.lock().active = active;
    }

    /// Whether a set is to sign at the finalized block; `None` when that cannot be read.
    pub(crate) fn get(&self) -> Option<bool> {
        self.0.lock().active
    }

    /// Seconds since the time of the newest proven block, by this node's clock; `None` when its state is pruned or has no
    /// time.
    pub(crate) fn age(&self) -> Option<u64> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        let proven = self.0.lock().proven?;
        Some(now.as_secs().saturating_sub(proven / 1000))
    }
}

/// Reads the state of the block that is final at each look.
pub(crate) struct ActivityWatch {
    pub(crate) chain: Arc<Chain>,
    pub(crate) store: Store,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) activity: SharedActivity,
    pub(crate) metrics: Metrics,
}

impl ActivityWatch {
    /// Runs for as long as the node does. Reads the database, so it blocks.
    pub(crate) async fn run(self) -> Infallible {
        let (mut read, mut dated) = (None, None);
        loop {
            self.look(&mut read);
            self.date(&mut dated);
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

    /// `dated` is the newest proven block whose time was last read. What cannot be read is known to nobody.
    fn date(&self, dated: &mut Option<H256>) {
        // The worker reports an unreadable entry.
        let Ok(Some(best)) = self.store.best() else {
            return;
        };
        let at = best.commitment.block_hash;
        if *dated == Some(at) {
            return;
        }
        let stored = self.chain.stored(at, &TIME_STORAGE_KEY);
        let time = stored.ok().flatten();
        let time = time.and_then(|time| u64::decode_all(&mut time.as_slice()).ok());
        *dated = Some(at);
        self.metrics.best_time.set(time.unwrap_or_default() / 1000);
        self.activity.0.lock().proven = time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{clock::VirtualClock, TestBlock, TestChain};
    use duet_primitives::{testing::TestSet, RoundMessage};
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
                store: test.store(),
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
    fn the_newest_proven_block_has_the_age_that_its_state_says() {
        let (mut node, set) = (Node::new(), TestSet::new(0, 0..4));
        node.says();
        assert_eq!(
            (node.activity.age(), node.metrics.best_time.get()),
            (None, 0)
        );
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let time = now.as_secs() - 100;
        let key = TIME_STORAGE_KEY.to_vec();
        node.test
            .client
            .store(key, codec::Encode::encode(&(time * 1000)));
        let mut commitment = set.commitment(1, &set.set);
        commitment.block_hash = node.test.push(&set, &set, &[]);
        let message = RoundMessage::new(H256::zero(), commitment);
        let proof = set.justify(&message, 0..4).into_unchecked();
        node.test.store().put_best(&proof).unwrap();
        node.says();
        assert_eq!(node.metrics.best_time.get(), time);
        let age = node.activity.age().unwrap();
        assert!((100..160).contains(&age), "{age}");
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
