//! The RPC. All proofs and signed data are SCALE in 0x-hex.
//!
//! | code | meaning |
//! | --- | --- |
//! | 9001 | this node has no proof yet: ask again later |
//! | 9002 | the limit is not between 1 and the allowed maximum, there are too many keys, or the call is too long |
//! | 9003 | the node's database failed, or its data is damaged |
//! | 9004 | the signer refused, or the given key is invalid |
//! | 9005 | the genesis has no set to prove: the chain adopted Duet later, or has not yet |
//! | 9006 | this node began in the middle of the chain, and the requested data is not here yet: ask again later |
//! | 9007 | the connection has reached its limit of subscriptions: end one, or open another connection |
//! | 9008 | this node no longer has the state of that block: ask a node that keeps it |
//! | 9009 | the proof does not decode or does not hold, or its set is unknown here |
//! | 9010 | the connection has reached its limit of open calls: wait for answers |
//! | 9011 | the voter does not answer: `duet_health` says whether it has stopped |
//!
//! All but `duet_getFinalizedHead`, `duet_health` and the unsafe methods wait for a turn ([`MAX_RUNNING`]) and run on threads for work that blocks.
//!
//! Lists are bounded in number and end early at 1 MiB; they always hold at least one entry when there is one.

use crate::{client::AccountId, links::RpcLinks, newest::Newest};
use answers::Answers;
use duet_keystore::Signer;
use duet_primitives::{BlockNumber, SetId, H256};
use futures::FutureExt;
use jsonrpsee::{
    core::{async_trait, RpcResult},
    Extensions, PendingSubscriptionSink,
};
use sc_rpc::SubscriptionTaskExecutor;
use sc_rpc_api::check_if_safe;
use sp_core::Bytes;
use std::sync::Arc;
use subscribers::{serve, Seats};
use tokio::sync::watch;
use turns::Turns;

mod answers;
mod api;
mod bounds;
mod error;
mod extend;
mod health;
mod reader;
mod subscribers;
mod turns;
mod votes;

pub use answers::{MAX_KEYS, MAX_SETS};
pub use api::{BlockPath, DuetRpcClient, DuetRpcServer, GeneratedKeys, Proofs, Record, Verdict};
pub use bounds::MAX_CALL_LEN;
pub use error::{HistoryItem, RpcError};
pub use extend::extend;
pub use health::{Contradiction, Health};
pub use reader::{ChainReader, ClientReader, Path, ReaderError};
pub use turns::{MAX_OPEN, MAX_RUNNING};
pub use votes::{Missing, Round, RoundState};

/// Answers the methods of [`DuetRpcServer`].
pub struct Duet {
    answers: Arc<Answers>,
    turns: Turns,
    seats: Seats,
    executor: SubscriptionTaskExecutor,
}

impl Duet {
    /// Over the links that [`block_import`](crate::block_import) made; `reader` is a [`ClientReader`] on a real chain.
    pub fn new(
        links: RpcLinks,
        reader: Arc<dyn ChainReader>,
        signer: Arc<dyn Signer>,
        executor: SubscriptionTaskExecutor,
    ) -> Self {
        let metrics = links.metrics.clone();
        Self {
            answers: Arc::new(Answers::new(links, reader, signer)),
            turns: Turns::new(metrics.clone()),
            seats: Seats::new(metrics),
            executor,
        }
    }

    /// Serves a subscription, if the connection's limit allows it.
    async fn subscribe(&self, pending: PendingSubscriptionSink, shown: watch::Receiver<Newest>) {
        match self.seats.take(pending.connection_id()) {
            Ok(seat) => {
                let task = serve(pending, shown, seat);
                self.executor
                    .spawn("duet-rpc-justifications", Some("rpc"), task.boxed());
            }
            Err(error) => pending.reject(error).await,
        }
    }

    /// Computes an answer when it is this connection's turn.
    async fn answer<R: Send + 'static>(
        &self,
        ext: &Extensions,
        work: impl FnOnce(&Answers) -> RpcResult<R> + Send + 'static,
    ) -> RpcResult<R> {
        let answers = self.answers.clone();
        self.turns.run(ext, move || work(&answers)).await?
    }
}

#[async_trait]
impl DuetRpcServer for Duet {
    async fn subscribe_justifications(&self, pending: PendingSubscriptionSink) {
        let newest = self.answers.links.shown.newest.clone();
        self.subscribe(pending, newest).await;
    }

    async fn subscribe_fuller_justifications(&self, pending: PendingSubscriptionSink) {
        let fuller = self.answers.links.shown.fuller.clone();
        self.subscribe(pending, fuller).await;
    }

    fn finalized_head(&self) -> RpcResult<H256> {
        self.answers.finalized_head()
    }

    async fn justification(
        &self,
        ext: &Extensions,
        block: BlockNumber,
    ) -> RpcResult<Option<Bytes>> {
        self.answer(ext, move |answers| answers.justification(block))
            .await
    }

    async fn set_proofs(&self, ext: &Extensions, from_set: SetId, limit: u32) -> RpcResult<Bytes> {
        self.answer(ext, move |answers| answers.set_proofs(from_set, limit))
            .await
    }

    async fn stateless_set_proofs(
        &self,
        ext: &Extensions,
        from_set: SetId,
        limit: u32,
    ) -> RpcResult<Bytes> {
        self.answer(ext, move |answers| {
            answers.stateless_set_proofs(from_set, limit)
        })
        .await
    }

    async fn stateless_proof(
        &self,
        ext: &Extensions,
        block: BlockNumber,
    ) -> RpcResult<Option<Bytes>> {
        self.answer(ext, move |answers| answers.stateless_proof(block))
            .await
    }

    async fn genesis_proof(&self, ext: &Extensions) -> RpcResult<Bytes> {
        self.answer(ext, Answers::genesis_proof).await
    }

    async fn start_proof(
        &self,
        ext: &Extensions,
        block_hash: Option<H256>,
    ) -> RpcResult<Option<Bytes>> {
        let work = move |answers: &Answers| answers.start_proof(block_hash);
        self.answer(ext, work).await
    }

    async fn warp_genesis(&self, ext: &Extensions) -> RpcResult<Option<Bytes>> {
        self.answer(ext, Answers::warp_genesis).await
    }

    async fn warp_proof(&self, ext: &Extensions, after: BlockNumber) -> RpcResult<Option<Bytes>> {
        self.answer(ext, move |answers| answers.warp_proof(after))
            .await
    }

    async fn keys(&self, ext: &Extensions, set: SetId) -> RpcResult<Option<Bytes>> {
        self.answer(ext, move |answers| answers.keys(set)).await
    }

    async fn reset(&self, ext: &Extensions, from_set: SetId) -> RpcResult<Option<Bytes>> {
        self.answer(ext, move |answers| answers.reset(from_set))
            .await
    }

    async fn last_justification(&self, ext: &Extensions, set: SetId) -> RpcResult<Option<Bytes>> {
        self.answer(ext, move |answers| answers.last_justification(set))
            .await
    }

    async fn last_stateless_proof(&self, ext: &Extensions, set: SetId) -> RpcResult<Option<Bytes>> {
        self.answer(ext, move |answers| answers.last_stateless_proof(set))
            .await
    }

    async fn proofs(
        &self,
        ext: &Extensions,
        keys: Vec<Bytes>,
        block: Option<BlockNumber>,
        under: Option<BlockNumber>,
        stateless: Option<bool>,
    ) -> RpcResult<Option<Proofs>> {
        self.answer(ext, move |answers| {
            answers.proofs(keys, block, under, stateless)
        })
        .await
    }

    async fn report_proof(&self, ext: &Extensions, proof: Bytes) -> RpcResult<Verdict> {
        self.answer(ext, move |answers| answers.report_proof(&proof))
            .await
    }

    async fn signing_records(&self, ext: &Extensions) -> RpcResult<Vec<Record>> {
        self.answer(ext, Answers::signing_records).await
    }

    async fn round_state(&self, ext: &Extensions) -> RpcResult<Option<RoundState>> {
        self.answer(ext, Answers::round_state).await
    }

    fn health(&self) -> RpcResult<Health> {
        self.answers.health()
    }

    fn generate_keys(&self, ext: &Extensions, owner: AccountId) -> RpcResult<GeneratedKeys> {
        check_if_safe(ext)?;
        self.answers.generate_keys(&owner)
    }

    fn prove_keys(&self, ext: &Extensions, public: Bytes, owner: AccountId) -> RpcResult<Bytes> {
        check_if_safe(ext)?;
        self.answers.prove_keys(&public, &owner)
    }
}

#[cfg(test)]
#[path = "rpc_tests.rs"]
mod tests;
