//! The RPC. Everything that stands for itself is SCALE in 0x-hex.
//!
//! | code | meaning |
//! | --- | --- |
//! | 9001 | nothing is proven on this node yet: ask again later |
//! | 9002 | the limit is not between 1 and the most that is allowed |
//! | 9003 | the node's database refused |
//! | 9004 | the signer refused, or the key given is not one |
//! | 9005 | this node cannot prove the genesis: the chain did not start with Duet |
//! | 9006 | this node began in the middle of the chain, and what was asked for is not here yet: ask again later |
//!
//! Lists are bounded in number and end early at 1 MiB; they always hold at least one entry when there is one.

use super::{
    chain::AccountId,
    links::{AwaitedPast, RpcLinks},
    store::{bounded, sets},
    StoreError,
};
use crate::network::message::decode_exactly;
use codec::{Decode, Encode};
use duet_keystore::{Signer, SignerError};
use duet_primitives::{
    ownership_statement, suite, BlockNumber, DualKeyBytes, Keyset, Pk1Bytes, SetId, StatelessProof,
    UncheckedJustification, H256,
};
use futures::{FutureExt, StreamExt};
use jsonrpsee::{
    core::{async_trait, RpcResult},
    proc_macros::rpc,
    types::{ErrorObject, ErrorObjectOwned},
    Extensions, PendingSubscriptionSink,
};
use parking_lot::Mutex;
use sc_client_api::Backend as BackendT;
use sc_rpc::{
    utils::{BoundedVecDeque, PendingSubscription},
    SubscriptionTaskExecutor,
};
use sc_rpc_api::check_if_safe;
use schnellru::{ByLength, LruMap};
use serde::{Deserialize, Serialize};
use sp_blockchain::{Backend as BlockchainBackend, HeaderBackend};
use sp_core::Bytes;
use sp_runtime::traits::{Block as BlockT, NumberFor};
use std::sync::Arc;

/// Most sets in one answer.
pub const MAX_SETS: u32 = 128;
/// Justifications that wait for a subscriber; one that is further behind is dropped.
const SUBSCRIBER_QUEUE: usize = 64;
/// Subscribers' queues that hold more than this are warned of in the log.
const SUBSCRIBER_WARNING: usize = 1_000;
/// Stateless proofs that are kept made.
const STATELESS_CACHE: u32 = 256;
/// Keysets that are kept parsed.
const KEYSET_CACHE: u32 = 4;

/// Why a call failed. The codes are in the [module documentation](self).
#[derive(Debug, thiserror::Error)]
pub enum RpcError {
    /// Nothing is proven on this node yet.
    #[error("no block is proven on this node yet; ask again later")]
    NotReady,
    /// A limit outside the allowed range.
    #[error("the limit is {got}, it must be 1 to {most}")]
    Limit {
        /// The most that is allowed.
        most: u32,
        /// What was asked for.
        got: u32,
    },
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The signer.
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// Not the bytes of a dual key.
    #[error("a dual key has {expected} bytes, not {got}")]
    Key {
        /// Bytes of a key.
        expected: usize,
        /// Bytes given.
        got: usize,
    },
    /// The genesis cannot be proven.
    #[error("this node cannot prove the genesis: ask a node that holds the chain from its start")]
    NoGenesisProof,
    /// What was asked for is older than where this node began, and is being fetched from peers.
    #[error(
        "this node began in the middle of the chain and has not yet fetched {what} from its peers; \
         ask again later, or ask another node"
    )]
    NotHereYet {
        /// What was asked for.
        what: Missing,
    },
    /// What is stored does not hold any more.
    #[error("the proof of block {0} in the database is damaged")]
    Damaged(BlockNumber),
}

/// What a node that began in the middle of the chain fetches from its peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// The proof of the first set.
    #[error("the proof of the first set")]
    Genesis,
    /// What belongs to a set.
    #[error("the hand-overs up to that of set {0}")]
    Set(SetId),
    /// The proof of a block.
    #[error("the proofs of blocks as old as block {0}")]
    Block(BlockNumber),
}

impl Missing {
    fn is_awaited(self, awaited: AwaitedPast) -> bool {
        match self {
            Self::Genesis => true,
            Self::Set(set) => set < awaited.below_set,
            Self::Block(block) => block < awaited.below_block,
        }
    }
}

impl From<sp_blockchain::Error> for RpcError {
    fn from(error: sp_blockchain::Error) -> Self {
        Self::Store(error.into())
    }
}

impl From<RpcError> for ErrorObjectOwned {
    fn from(error: RpcError) -> Self {
        let code = match error {
            RpcError::NotReady => 9001,
            RpcError::Limit { .. } => 9002,
            RpcError::Store(_) | RpcError::Damaged(_) => 9003,
            RpcError::Signer(_) | RpcError::Key { .. } => 9004,
            RpcError::NoGenesisProof => 9005,
            RpcError::NotHereYet { .. } => 9006,
        };
        ErrorObject::owned(code, error.to_string(), None::<()>)
    }
}

/// A new key and the proof that its secret is here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GeneratedKeys {
    /// The dual key: 144 bytes.
    pub public: Bytes,
    /// The proof of possession for the owner: 224 bytes.
    pub proof: Bytes,
}

/// The methods.
#[rpc(client, server)]
pub trait DuetRpc {
    /// Sends each justification by which the node's proven chain grows: SCALE of `UncheckedJustification`.
    #[subscription(
        name = "duet_subscribeJustifications" => "duet_justifications",
        unsubscribe = "duet_unsubscribeJustifications",
        item = Bytes
    )]
    async fn subscribe_justifications(&self);

    /// Hash of the highest block that Duet proved. Answers from the store right after a restart.
    #[method(name = "duet_getFinalizedHead")]
    fn finalized_head(&self) -> RpcResult<H256>;

    /// The justification of a block of the finalized chain, if it has one.
    #[method(name = "duet_getJustification", blocking)]
    fn justification(&self, block: BlockNumber) -> RpcResult<Option<Bytes>>;

    /// What a syncing light client walks on: SCALE of a list, whose entry `i` is the mandatory justification
    /// of set `from_set + i` and the keys of the set that it names as next, `(UncheckedJustification,
    /// Vec<Pk1Bytes>)`. Empty when set `from_set` has not handed over.
    #[method(name = "duet_getSetProofs", blocking)]
    fn set_proofs(&self, from_set: SetId, limit: u32) -> RpcResult<Bytes>;

    /// The same for light clients without keys: SCALE of `Vec<StatelessProof>`.
    #[method(name = "duet_getStatelessSetProofs", blocking)]
    fn stateless_set_proofs(&self, from_set: SetId, limit: u32) -> RpcResult<Bytes>;

    /// The stateless proof of a block of the finalized chain, if it has a justification: SCALE of
    /// `StatelessProof`.
    #[method(name = "duet_getStatelessProof", blocking)]
    fn stateless_proof(&self, block: BlockNumber) -> RpcResult<Option<Bytes>>;

    /// What a light client starts from: SCALE of the genesis header's bytes, the storage proof of
    /// `Duet::Keysets` in its state, and the keys of set 0, `(Vec<u8>, Vec<Vec<u8>>, Vec<Pk1Bytes>)`.
    #[method(name = "duet_getGenesisProof", blocking)]
    fn genesis_proof(&self) -> RpcResult<Bytes>;

    /// The keys of a set in set order, to start from a checkpoint: SCALE of `Vec<Pk1Bytes>`.
    #[method(name = "duet_getKeys", blocking)]
    fn keys(&self, set: SetId) -> RpcResult<Option<Bytes>>;

    /// Makes a key in the node's key file and proves to `owner` that the secret is here. Unsafe: operators
    /// only. The secret stays in the key file.
    #[method(name = "duet_generateKeys", blocking, with_extensions)]
    fn generate_keys(&self, owner: AccountId) -> RpcResult<GeneratedKeys>;

    /// Proves to `owner` that the secret of `public` is in the node's key file. Unsafe: operators only.
    #[method(name = "duet_proveKeys", blocking, with_extensions)]
    fn prove_keys(&self, public: Bytes, owner: AccountId) -> RpcResult<Bytes>;
}

/// Answers the methods of [`DuetRpcServer`].
pub struct Duet<Block, Backend> {
    links: RpcLinks<Block, Backend>,
    signer: Arc<dyn Signer>,
    executor: SubscriptionTaskExecutor,
    stateless: Mutex<LruMap<H256, StatelessProof, ByLength>>,
    keysets: Mutex<LruMap<SetId, Arc<Keyset>, ByLength>>,
}

impl<Block, Backend> Duet<Block, Backend> {
    /// Over the links that [`block_import`](crate::block_import) made.
    pub fn new(
        links: RpcLinks<Block, Backend>,
        signer: Arc<dyn Signer>,
        executor: SubscriptionTaskExecutor,
    ) -> Self {
        Self {
            links,
            signer,
            executor,
            stateless: Mutex::new(LruMap::new(ByLength::new(STATELESS_CACHE))),
            keysets: Mutex::new(LruMap::new(ByLength::new(KEYSET_CACHE))),
        }
    }
}

fn check_limit(limit: u32) -> Result<(), RpcError> {
    if (1..=MAX_SETS).contains(&limit) {
        Ok(())
    } else {
        Err(RpcError::Limit {
            most: MAX_SETS,
            got: limit,
        })
    }
}

impl<Block, Backend> Duet<Block, Backend>
where
    Block: BlockT<Hash = H256>,
    NumberFor<Block>: From<BlockNumber>,
    Backend: BackendT<Block>,
{
    fn stored(&self, block: BlockNumber) -> Result<Option<UncheckedJustification>, RpcError> {
        let chain = self.links.backend.blockchain();
        if NumberFor::<Block>::from(block) > chain.info().finalized_number {
            return Ok(None);
        }
        if let Some(bytes) = self.with_block(block)? {
            return decode_exactly(&bytes)
                .map(Some)
                .ok_or(RpcError::Damaged(block));
        }
        let fetched = self.links.store.handover_at(block)?;
        if fetched.is_none() {
            self.nothing_of(Missing::Block(block))?;
        }
        Ok(fetched)
    }

    /// The justification that is stored with a block.
    fn with_block(&self, block: BlockNumber) -> Result<Option<Vec<u8>>, RpcError> {
        let chain = self.links.backend.blockchain();
        let Some(hash) = chain.hash(block.into())? else {
            return Ok(None);
        };
        let all = chain.justifications(hash)?;
        Ok(all.and_then(|all| all.into_justification(suite::ENGINE_ID)))
    }

    /// An error when something is missing only because it is still being fetched.
    fn nothing_of(&self, what: Missing) -> Result<(), RpcError> {
        match *self.links.awaited.lock() {
            Some(awaited) if what.is_awaited(awaited) => Err(RpcError::NotHereYet { what }),
            _ => Ok(()),
        }
    }

    /// A list of hand-overs that begins with that of `from_set`; empty when that set has not handed over.
    fn handovers_or_wait<T: Encode>(&self, from_set: SetId, list: &[T]) -> Result<Bytes, RpcError> {
        if list.is_empty() {
            self.nothing_of(Missing::Set(from_set))?;
        }
        Ok(list.encode().into())
    }

    fn keyset(&self, id: SetId) -> Result<Option<Arc<Keyset>>, RpcError> {
        if let Some(keyset) = self.keysets.lock().get(&id) {
            return Ok(Some(keyset.clone()));
        }
        let Some(commitment) = self.links.store.set(id)? else {
            return Ok(None);
        };
        let Some(keys) = self.links.store.key_halves(&commitment)? else {
            return Ok(None);
        };
        let Ok(keyset) = Keyset::check(&commitment, &keys) else {
            return Ok(None);
        };
        let keyset = Arc::new(keyset);
        self.keysets.lock().insert(id, keyset.clone());
        Ok(Some(keyset))
    }

    fn genesis_hash(&self) -> Result<H256, RpcError> {
        Ok(self.links.backend.blockchain().info().genesis_hash)
    }

    /// Makes a stateless proof, or takes it from the cache. The justification is checked again on the way,
    /// because what comes from a disk is not known to be what was written.
    fn stateless(
        &self,
        justification: UncheckedJustification,
    ) -> Result<Option<StatelessProof>, RpcError> {
        let (number, hash) = (
            justification.commitment.block_number,
            justification.commitment.block_hash,
        );
        if let Some(proof) = self.stateless.lock().get(&hash) {
            return Ok(Some(proof.clone()));
        }
        let id = justification.commitment.validator_set_id;
        let Some(keyset) = self.keyset(id)? else {
            return Ok(None);
        };
        let justification = justification
            .check(&keyset, self.genesis_hash()?)
            .map_err(|_| RpcError::Damaged(number))?;
        let proof =
            StatelessProof::new(&justification, &keyset).map_err(|_| RpcError::Damaged(number))?;
        self.stateless.lock().insert(hash, proof.clone());
        Ok(Some(proof))
    }

    fn prove(&self, key: &Pk1Bytes, owner: &AccountId) -> Result<Bytes, RpcError> {
        let statement = ownership_statement(self.genesis_hash()?, owner);
        Ok(self
            .signer
            .prove_possession(key, &statement)?
            .encode()
            .into())
    }
}

#[async_trait]
impl<Block, Backend> DuetRpcServer for Duet<Block, Backend>
where
    Block: BlockT<Hash = H256>,
    NumberFor<Block>: From<BlockNumber>,
    Backend: BackendT<Block> + 'static,
{
    async fn subscribe_justifications(&self, pending: PendingSubscriptionSink) {
        let stream = self.links.justifications.subscribe(SUBSCRIBER_WARNING);
        let stream = stream.map(|justification| Bytes::from(justification.encode()));
        let pipe = PendingSubscription::from(pending)
            .pipe_from_stream(stream, BoundedVecDeque::new(SUBSCRIBER_QUEUE));
        self.executor
            .spawn("duet-rpc-justifications", Some("rpc"), pipe.boxed());
    }

    fn finalized_head(&self) -> RpcResult<H256> {
        let best = self.links.store.best().map_err(RpcError::from)?;
        Ok(best.ok_or(RpcError::NotReady)?.commitment.block_hash)
    }

    fn justification(&self, block: BlockNumber) -> RpcResult<Option<Bytes>> {
        Ok(self
            .stored(block)?
            .map(|justification| justification.encode().into()))
    }

    fn set_proofs(&self, from_set: SetId, limit: u32) -> RpcResult<Bytes> {
        check_limit(limit)?;
        let list = self.links.store.set_proofs(from_set, limit);
        Ok(self.handovers_or_wait(from_set, &list.map_err(RpcError::from)?)?)
    }

    fn stateless_set_proofs(&self, from_set: SetId, limit: u32) -> RpcResult<Bytes> {
        check_limit(limit)?;
        let entries = sets(from_set, limit).map(|set| match self.links.store.handover(set)? {
            Some(justification) => self.stateless(justification),
            None => Ok(None),
        });
        let list: Vec<StatelessProof> = bounded(entries)?;
        Ok(self.handovers_or_wait(from_set, &list)?)
    }

    fn stateless_proof(&self, block: BlockNumber) -> RpcResult<Option<Bytes>> {
        let Some(justification) = self.stored(block)? else {
            return Ok(None);
        };
        Ok(self
            .stateless(justification)?
            .map(|proof| proof.encode().into()))
    }

    fn genesis_proof(&self) -> RpcResult<Bytes> {
        let proof = self.links.store.genesis_proof().map_err(RpcError::from)?;
        let Some(proof) = proof else {
            self.nothing_of(Missing::Genesis)?;
            return Err(RpcError::NoGenesisProof.into());
        };
        Ok(proof.encode().into())
    }

    fn keys(&self, set: SetId) -> RpcResult<Option<Bytes>> {
        let Some(commitment) = self.links.store.set(set).map_err(RpcError::from)? else {
            self.nothing_of(Missing::Set(set))?;
            return Ok(None);
        };
        let keys = self.links.store.key_halves(&commitment);
        let keys = keys.map_err(RpcError::from)?;
        Ok(keys.map(|keys| keys.encode().into()))
    }

    fn generate_keys(&self, ext: &Extensions, owner: AccountId) -> RpcResult<GeneratedKeys> {
        check_if_safe(ext)?;
        let public = self.signer.generate().map_err(RpcError::from)?;
        let proof = self.prove(&public.pk1(), &owner)?;
        Ok(GeneratedKeys {
            public: public.encode().into(),
            proof,
        })
    }

    fn prove_keys(&self, ext: &Extensions, public: Bytes, owner: AccountId) -> RpcResult<Bytes> {
        check_if_safe(ext)?;
        let expected = suite::DUAL_KEY_LEN;
        let key = DualKeyBytes::decode(&mut &public[..])
            .ok()
            .filter(|_| public.len() == expected)
            .ok_or(RpcError::Key {
                expected,
                got: public.len(),
            })?;
        Ok(self.prove(&key.pk1(), &owner)?)
    }
}

#[cfg(test)]
#[path = "rpc_tests.rs"]
mod tests;
