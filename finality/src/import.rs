//! Block import with Duet's part in it.
//!
//! Duet's justification is taken off the block before the inner import, which cannot check it, and goes to the
//! worker, which checks it once the block is final. When a block plans a set, its keys and the block's payload are
//! stored right away: its state is available now and may be pruned later.

use crate::{
    chain::logs::{check_payload, decode_logs, PayloadMismatch},
    client::AccountId,
    metrics::ImportMetrics,
    store::{Reset, Store, StoreError},
};
use codec::DecodeAll;
use duet_gossip::LOG_TARGET;
use duet_primitives::{
    suite, BlockNumber, ConsensusLog, DuetApi, KeysetCommitment, UncheckedJustification, H256,
};
use sc_consensus::{BlockCheckParams, BlockImport, BlockImportParams, ImportResult};
use sp_api::{ApiError, ProvideRuntimeApi};
use sp_consensus::BlockOrigin;
use sp_runtime::{
    traits::{Block as BlockT, Header as HeaderT},
    Digest, Justifications, SaturatedConversion,
};
use std::{marker::PhantomData, sync::Arc};

/// A justification imported with a block. It is unchecked, and may even be about another block.
#[derive(Clone, Debug)]
pub(crate) struct Imported {
    /// The block that it came with.
    pub(crate) block: H256,
    /// The justification.
    pub(crate) justification: UncheckedJustification,
}

/// A block import with Duet's part in it. Made by [`block_import`](crate::block_import).
pub struct DuetBlockImport<Block, Client, Inner> {
    inner: Inner,
    client: Arc<Client>,
    store: Store,
    to_worker: async_channel::Sender<Imported>,
    metrics: ImportMetrics,
    _block: PhantomData<fn() -> Block>,
}

impl<Block, Client, Inner: Clone> Clone for DuetBlockImport<Block, Client, Inner> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            client: self.client.clone(),
            store: self.store.clone(),
            to_worker: self.to_worker.clone(),
            metrics: self.metrics.clone(),
            _block: PhantomData,
        }
    }
}

/// Why the planned set of a block could not be stored.
#[derive(Debug, thiserror::Error)]
enum KeepError {
    #[error("the runtime cannot be called: {0}")]
    Runtime(#[from] ApiError),
    #[error(transparent)]
    Payload(#[from] PayloadMismatch),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl<Block, Client, Inner> DuetBlockImport<Block, Client, Inner> {
    pub(crate) fn new(
        inner: Inner,
        client: Arc<Client>,
        store: Store,
        to_worker: async_channel::Sender<Imported>,
        metrics: ImportMetrics,
    ) -> Self {
        Self {
            inner,
            client,
            store,
            to_worker,
            metrics,
            _block: PhantomData,
        }
    }

    /// Passes a block's justification to the worker, or counts it as dropped: gossip and requests deliver it again.
    fn forward(&self, block: H256, bytes: &[u8]) {
        let justification = match UncheckedJustification::decode_all(&mut &*bytes) {
            Ok(justification) => justification,
            Err(error) => {
                self.metrics.undecodable.inc();
                log::debug!(
                    target: LOG_TARGET,
                    "the justification of block {block:?} does not decode: {error}",
                );
                return;
            }
        };
        if self
            .to_worker
            .try_send(Imported {
                block,
                justification,
            })
            .is_err()
        {
            self.metrics.dropped.inc();
        }
    }
}

impl<Block, Client, Inner> DuetBlockImport<Block, Client, Inner>
where
    Block: BlockT<Hash = H256>,
    Client: ProvideRuntimeApi<Block>,
    Client::Api: DuetApi<Block, AccountId>,
{
    /// Stores the set that a block plans or begins with a reset, if any.
    fn keep(&self, block: H256, digest: &Digest, log: &ConsensusLog) {
        let (ConsensusLog::Planned(commitment)
        | ConsensusLog::Reset {
            set: commitment, ..
        }) = log
        else {
            return;
        };
        match self.keep_planned(block, digest, commitment) {
            Ok(()) => self.metrics.sets_kept.inc(),
            // The worker begins later, see `bootstrap`.
            Err(error) => {
                self.metrics.sets_missed.inc();
                log::warn!(target: LOG_TARGET, "the set that block {block:?} plans, or its payload, is not stored: {error}");
            }
        }
    }

    /// Stores a reset below this node's first block. (RESET-5)
    fn keep_reset(&self, reset: &Reset) {
        if let Err(error) = self.store.put_unchecked_reset(reset) {
            log::warn!(target: LOG_TARGET, "the reset at block {} is not stored: {error}", reset.block);
        }
    }

    /// Stores the keys of the set planned by this block, and the block's payload.
    fn keep_planned(
        &self,
        block: H256,
        digest: &Digest,
        commitment: &KeysetCommitment,
    ) -> Result<(), KeepError> {
        let api = self.client.runtime_api();
        self.store.put_keys(commitment, &api.next_keys(block)?)?;
        if let Some(payload) = api.commitment_payload(block)? {
            check_payload(digest, block, &payload)?;
            self.store.put_payload(block, &payload)?;
        }
        Ok(())
    }
}

/// The reset in a block, if it has one.
fn reset_in<H: HeaderT<Hash = H256>>(header: &H, hash: H256) -> Option<Reset> {
    let number = BlockNumber::new((*header.number()).saturated_into());
    decode_logs(header.digest())
        .into_iter()
        .find_map(|log| match log {
            ConsensusLog::Reset { ended, set } => Some(Reset {
                block: number,
                hash,
                ended,
                set,
            }),
            _ => None,
        })
}

/// Removes Duet's justification from a block's justifications.
fn take_ours(justifications: &mut Option<Justifications>) -> Option<Vec<u8>> {
    let all = justifications.take()?;
    let ours = all.get(suite::ENGINE_ID).cloned();
    let mut others = all
        .into_iter()
        .filter(|(engine, _)| *engine != suite::ENGINE_ID);
    if let Some(first) = others.next() {
        let mut rest = Justifications::from(first);
        for other in others {
            rest.append(other);
        }
        *justifications = Some(rest);
    }
    ours
}

#[async_trait::async_trait]
impl<Block, Client, Inner> BlockImport<Block> for DuetBlockImport<Block, Client, Inner>
where
    Block: BlockT<Hash = H256>,
    Client: ProvideRuntimeApi<Block> + Send + Sync,
    Client::Api: DuetApi<Block, AccountId>,
    Inner: BlockImport<Block> + Send + Sync,
{
    type Error = Inner::Error;

    async fn check_block(
        &self,
        block: BlockCheckParams<Block>,
    ) -> Result<ImportResult, Self::Error> {
        self.inner.check_block(block).await
    }

    async fn import_block(
        &self,
        mut block: BlockImportParams<Block>,
    ) -> Result<ImportResult, Self::Error> {
        let hash = block.post_hash();
        let logs = match block.origin {
            BlockOrigin::WarpSync | BlockOrigin::GapSync => Vec::new(),
            _ => decode_logs(block.header.digest()),
        };
        let digest = block.header.digest().clone();
        let reset = match block.origin {
            BlockOrigin::GapSync => reset_in(&block.header, hash),
            _ => None,
        };
        let justification = take_ours(&mut block.justifications);
        let result = self.inner.import_block(block).await;
        if let Ok(ImportResult::Imported(_)) = result {
            logs.iter().for_each(|log| self.keep(hash, &digest, log));
            reset.iter().for_each(|reset| self.keep_reset(reset));
        }
        // Also for a refused block, for example because another one of its number is final: a valid proof of it is a
        // contradiction (ROUND-10).
        if let Some(bytes) = justification {
            self.forward(hash, &bytes);
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{dual_keys, log_item, Block, TestBlock, TestChain, TestClient};
    use codec::Encode;
    use duet_primitives::{testing::TestSet, RoundMessage, SetId};
    use futures::executor::block_on;
    use parking_lot::Mutex;
    use sc_client_api::Backend as _;
    use sp_blockchain::HeaderBackend;
    use sp_runtime::generic::Header;

    type Outcome = Result<ImportResult, sp_consensus::Error>;

    /// An inner import that keeps the blocks passed to it.
    #[derive(Clone)]
    struct Inner {
        result: fn() -> Outcome,
        justifications: Arc<Mutex<Option<Justifications>>>,
    }

    #[async_trait::async_trait]
    impl BlockImport<Block> for Inner {
        type Error = sp_consensus::Error;

        async fn check_block(
            &self,
            _: BlockCheckParams<Block>,
        ) -> Result<ImportResult, Self::Error> {
            (self.result)()
        }

        async fn import_block(
            &self,
            block: BlockImportParams<Block>,
        ) -> Result<ImportResult, Self::Error> {
            *self.justifications.lock() = block.justifications;
            (self.result)()
        }
    }

    struct Setup {
        import: DuetBlockImport<Block, TestClient, Inner>,
        inner: Inner,
        imported: async_channel::Receiver<Imported>,
        metrics: ImportMetrics,
    }

    fn setup(test: &TestChain, result: fn() -> Outcome) -> Setup {
        let inner = Inner {
            result,
            justifications: Arc::default(),
        };
        let (sender, imported) = async_channel::bounded(1);
        let (metrics, client) = (ImportMetrics::new(None), test.client.clone());
        let import =
            DuetBlockImport::new(inner.clone(), client, test.store(), sender, metrics.clone());
        Setup {
            import,
            inner,
            imported,
            metrics,
        }
    }

    /// A block with a justification of Duet and one of another engine.
    fn block(header: Header<u32, sp_runtime::traits::BlakeTwo256>) -> BlockImportParams<Block> {
        let set = TestSet::new(0, 0..4);
        let message = RoundMessage::new(H256::zero(), set.commitment(1, &set.set));
        let ours = set.justify(&message, 0..3).into_unchecked().encode();
        let mut justifications = Justifications::from((*b"FRNK", vec![1]));
        justifications.append((suite::ENGINE_ID, ours));
        let mut block = BlockImportParams::new(BlockOrigin::NetworkBroadcast, header);
        block.justifications = Some(justifications);
        block
    }

    fn header(logs: &[ConsensusLog]) -> Header<u32, sp_runtime::traits::BlakeTwo256> {
        let digest = Digest {
            logs: logs.iter().map(log_item).collect(),
        };
        Header::new(1, H256::zero(), H256::zero(), H256::zero(), digest)
    }

    #[test]
    fn our_justification_goes_to_the_worker_and_the_others_to_the_inner_import() {
        let setup = setup(&TestChain::default(), || Ok(ImportResult::imported(true)));
        let header = header(&[]);
        block_on(setup.import.import_block(block(header.clone()))).unwrap();
        let others = Some(Justifications::from((*b"FRNK", vec![1])));
        assert_eq!(*setup.inner.justifications.lock(), others);
        assert_eq!(setup.imported.try_recv().unwrap().block, header.hash());
    }

    /// ROUND-10.
    #[test]
    fn a_justification_is_forwarded_whatever_becomes_of_the_block_that_it_came_with() {
        let results: [fn() -> Outcome; 4] = [
            || Ok(ImportResult::AlreadyInChain),
            || Ok(ImportResult::KnownBad),
            || Ok(ImportResult::MissingState),
            || {
                Err(sp_consensus::Error::StateUnavailable(
                    "of an old fork".into(),
                ))
            },
        ];
        for result in results {
            let setup = setup(&TestChain::default(), result);
            let imported = block_on(setup.import.import_block(block(header(&[]))));
            assert_eq!(imported.is_ok(), result().is_ok());
            assert!(setup.imported.try_recv().is_ok());
        }
    }

    #[test]
    fn what_does_not_fit_the_queue_or_does_not_decode_is_counted() {
        let setup = setup(&TestChain::default(), || Ok(ImportResult::imported(true)));
        for _ in 0..3 {
            block_on(setup.import.import_block(block(header(&[])))).unwrap();
        }
        assert_eq!(setup.metrics.dropped.get(), 2);
        let mut bad = block(header(&[]));
        bad.justifications = Some(Justifications::from((suite::ENGINE_ID, vec![7])));
        block_on(setup.import.import_block(bad)).unwrap();
        assert_eq!(setup.metrics.undecodable.get(), 1);
    }

    #[test]
    fn the_keys_of_a_set_that_a_block_names_are_kept_while_the_state_is_there() {
        let (current, next) = (TestSet::new(0, 0..4), TestSet::new(1, 1..5));
        let set = next.set.commitment().clone();
        let ended = SetId::new(0);
        let reset = ConsensusLog::Reset {
            ended,
            set: set.clone(),
        };
        for log in [ConsensusLog::Planned(set), reset] {
            let test = TestChain::default();
            let hash = test.push(&current, &next, std::slice::from_ref(&log));
            let header = test.backend.blockchain().expect_header(hash).unwrap();
            let setup = setup(&test, || Ok(ImportResult::imported(true)));
            block_on(setup.import.import_block(block(header))).unwrap();
            test.prune(hash);
            let store = test.store();
            assert_eq!(
                store.keys(next.set.commitment()).unwrap(),
                Some(dual_keys(&next))
            );
            assert!(store.payload(hash).unwrap().is_some());
            assert_eq!(setup.metrics.sets_kept.get(), 1);
        }
    }

    /// FALSE-1: the keys are those that the header names, the payload is not.
    #[test]
    fn of_a_block_whose_header_names_another_payload_the_keys_alone_are_kept() {
        let (current, next) = (TestSet::new(0, 0..4), TestSet::new(1, 1..5));
        let log = ConsensusLog::Planned(next.set.commitment().clone());
        let test = TestChain::default();
        let hash = test.add(&TestBlock::new(&current, &next, &[log]).after_an_upgrade());
        let header = test.backend.blockchain().expect_header(hash).unwrap();
        let setup = setup(&test, || Ok(ImportResult::imported(true)));
        block_on(setup.import.import_block(block(header))).unwrap();
        let store = test.store();
        assert!(store.keys(next.set.commitment()).unwrap().is_some());
        assert_eq!(store.payload(hash).unwrap(), None);
        assert_eq!(setup.metrics.sets_missed.get(), 1);
    }

    #[test]
    fn a_block_without_state_is_imported_all_the_same() {
        let test = TestChain::default();
        let next = TestSet::new(1, 1..5);
        let header = header(&[ConsensusLog::Planned(next.set.commitment().clone())]);
        let setup = setup(&test, || Ok(ImportResult::imported(true)));
        assert!(block_on(setup.import.import_block(block(header))).is_ok());
        assert_eq!(test.store().keys(next.set.commitment()).unwrap(), None);
    }

    #[test]
    fn what_a_block_without_execution_plans_is_not_looked_for_in_its_state() {
        let next = TestSet::new(1, 1..5);
        let header = header(&[ConsensusLog::Planned(next.set.commitment().clone())]);
        let setup = setup(&TestChain::default(), || Ok(ImportResult::imported(false)));
        for (origin, missed) in [
            (BlockOrigin::GapSync, 0),
            (BlockOrigin::WarpSync, 0),
            (BlockOrigin::NetworkInitialSync, 1),
        ] {
            let mut block = block(header.clone());
            block.origin = origin;
            block_on(setup.import.import_block(block)).unwrap();
            assert_eq!(setup.metrics.sets_missed.get(), missed, "{origin:?}");
        }
    }

    /// RESET-5.
    #[test]
    fn a_reset_below_where_a_node_began_is_kept_by_its_header_and_another_only_when_it_is_final() {
        let set = TestSet::new(3, 1..5).set.commitment().clone();
        let ended = SetId::new(1);
        let log = ConsensusLog::Reset {
            ended,
            set: set.clone(),
        };
        let header = header(&[log]);
        let hash = header.hash();
        for (origin, kept) in [
            (BlockOrigin::NetworkBroadcast, None),
            (
                BlockOrigin::GapSync,
                Some(Reset {
                    block: BlockNumber::new(1),
                    hash,
                    ended,
                    set,
                }),
            ),
        ] {
            let test = TestChain::default();
            let setup = setup(&test, || Ok(ImportResult::imported(false)));
            let mut block = block(header.clone());
            block.origin = origin;
            block_on(setup.import.import_block(block)).unwrap();
            assert_eq!(test.store().resets().unwrap(), Vec::from_iter(kept));
        }
    }

    #[test]
    fn our_justification_is_taken_off_and_the_others_stay() {
        let mut both = Justifications::from((*b"FRNK", vec![1]));
        both.append((suite::ENGINE_ID, vec![2]));
        let mut justifications = Some(both);
        assert_eq!(take_ours(&mut justifications), Some(vec![2]));
        assert_eq!(
            justifications,
            Some(Justifications::from((*b"FRNK", vec![1])))
        );
        assert_eq!(take_ours(&mut justifications), None);
        assert_eq!(
            justifications,
            Some(Justifications::from((*b"FRNK", vec![1])))
        );
    }

    #[test]
    fn a_block_with_our_justification_alone_is_left_without() {
        let mut justifications = Some(Justifications::from((suite::ENGINE_ID, vec![2])));
        assert_eq!(take_ours(&mut justifications), Some(vec![2]));
        assert_eq!(justifications, None);
    }
}
