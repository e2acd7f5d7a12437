//! The RPC. Everything that is proven or signed is SCALE in 0x-hex.
//!
//! | code | meaning |
//! | --- | --- |
//! | 9001 | nothing is proven on this node yet: ask again later |
//! | 9002 | the limit is not between 1 and the most that is allowed, or there are too many keys |
//! | 9003 | the node's database failed, or what it holds is damaged |
//! | 9004 | the signer refused, or the key given is not one |
//! | 9005 | this node cannot prove the genesis: the chain did not start with Duet |
//! | 9006 | this node began in the middle of the chain, and what was asked for is not here yet: ask again later |
//! | 9007 | the connection has as many subscriptions as one may have: end one, or open another connection |
//! | 9008 | this node does not have the state of that block any more: ask a node that keeps it |
//! | 9009 | the proof does not decode or does not hold, or its set is not known here |
//!
//! Lists are bounded in number and end early at 1 MiB; they always hold at least one entry when there is one.

use crate::{
    client::AccountId,
    links::RpcLinks,
    newest::Newest,
    statement::FalseStatement,
    store::{bounded, sets},
};
use codec::{DecodeAll, Encode};
use duet_gossip::source::ProofSource;
use duet_keystore::Signer;
use duet_primitives::{
    ownership_statement, suite, BlockNumber, DualKeyBytes, Keyset, Pk1Bytes, SetId, SigningRecord,
    StatelessProof, UncheckedJustification, H256,
};
use futures::FutureExt;
use jsonrpsee::{
    core::{async_trait, RpcResult},
    Extensions, PendingSubscriptionSink,
};
use parking_lot::Mutex;
use sc_rpc::SubscriptionTaskExecutor;
use sc_rpc_api::check_if_safe;
use schnellru::{ByLength, LruMap};
use sp_core::Bytes;
use std::sync::Arc;
use subscribers::{serve, Seats};
use tokio::sync::watch;

mod api;
mod error;
mod health;
mod reader;
mod subscribers;

pub use api::{BlockPath, DuetRpcClient, DuetRpcServer, GeneratedKeys, Proofs, Record, Verdict};
pub use error::{HistoryItem, RpcError};
pub use health::{Contradiction, Health};
pub use reader::{ChainReader, ClientReader, Path, ReaderError};

/// Most sets in one answer.
pub const MAX_SETS: u32 = 128;
/// Most keys that one answer proves.
pub const MAX_KEYS: usize = 64;
/// Stateless proofs that are cached.
const STATELESS_CACHE: u32 = 256;
/// Keysets that are cached.
const KEYSET_CACHE: u32 = 4;
/// Keys that one answer has parsed at most, beside those of its first entry: those of one large set.
const MAX_PARSED: u32 = 10_000;

/// Answers the methods of [`DuetRpcServer`].
pub struct Duet {
    links: RpcLinks,
    reader: Arc<dyn ChainReader>,
    signer: Arc<dyn Signer>,
    executor: SubscriptionTaskExecutor,
    seats: Seats,
    stateless: Mutex<LruMap<H256, StatelessProof, ByLength>>,
    keysets: Mutex<LruMap<SetId, Arc<Keyset>, ByLength>>,
    max_parsed: u32,
    /// The records of a block: they cost the same for everybody, and are worked out once.
    records: Mutex<Option<(H256, Vec<Record>)>>,
}

impl Duet {
    /// Over the links that [`block_import`](crate::block_import) made; `reader` is a [`ClientReader`] on a real chain.
    pub fn new(
        links: RpcLinks,
        reader: Arc<dyn ChainReader>,
        signer: Arc<dyn Signer>,
        executor: SubscriptionTaskExecutor,
    ) -> Self {
        Self {
            seats: Seats::new(links.metrics.clone()),
            links,
            reader,
            signer,
            executor,
            stateless: Mutex::new(LruMap::new(ByLength::new(STATELESS_CACHE))),
            keysets: Mutex::new(LruMap::new(ByLength::new(KEYSET_CACHE))),
            max_parsed: MAX_PARSED,
            records: Mutex::default(),
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

impl Duet {
    /// The justification of a block of the finalized chain, if it has one here: the one with the most signers. (ROUND-9)
    fn stored(&self, block: BlockNumber) -> Result<Option<UncheckedJustification>, RpcError> {
        if block > self.links.blocks.finalized().0 {
            return Ok(None);
        }
        if let Some(bytes) = self.with_block(block)? {
            let first = UncheckedJustification::decode_all(&mut &*bytes)
                .map_err(|error| RpcError::Malformed { block, error })?;
            return Ok(Some(self.links.store.fullest(first)?));
        }
        let fetched = self.links.store.handoff_at(block)?;
        if fetched.is_none() {
            self.absent(HistoryItem::Block(block))?;
        }
        Ok(fetched)
    }

    /// The justification that is stored with a block.
    fn with_block(&self, block: BlockNumber) -> Result<Option<Vec<u8>>, RpcError> {
        match self.links.blocks.hash(block)? {
            Some(hash) => Ok(self.links.blocks.justification(hash)?),
            None => Ok(None),
        }
    }

    /// Something is not here: an error when it is still being fetched. (REQ-6)
    fn absent(&self, what: HistoryItem) -> Result<(), RpcError> {
        match self.links.missing.get() {
            Some(missing) if what.is_in(missing) => Err(RpcError::NotHereYet { what }),
            _ => Ok(()),
        }
    }

    /// A list of handoffs that begins with that of `from_set`; empty when that set has not handed off.
    fn handoffs_or_wait<T: Encode>(&self, from_set: SetId, list: &[T]) -> Result<Bytes, RpcError> {
        if list.is_empty() {
            self.absent(HistoryItem::Set(from_set))?;
        }
        Ok(list.encode().into())
    }

    /// The keys of a set; `None` when they are not here.
    fn keyset(&self, set: SetId) -> Result<Option<Arc<Keyset>>, RpcError> {
        if let Some(keyset) = self.keysets.lock().get(&set) {
            return Ok(Some(keyset.clone()));
        }
        let Some(commitment) = self.links.store.set(set)? else {
            return Ok(None);
        };
        let Some(keys) = self.links.store.key_halves(&commitment)? else {
            return Ok(None);
        };
        let keyset = Keyset::check(&commitment, &keys)
            .map_err(|error| RpcError::DamagedKeys { set, error })?;
        let keyset = Arc::new(keyset);
        self.keysets.lock().insert(set, keyset.clone());
        Ok(Some(keyset))
    }

    /// The stateless proof of this justification, if it was made before; of one that has grown meanwhile it is made anew.
    fn cached(&self, justification: &UncheckedJustification) -> Option<StatelessProof> {
        let mut cache = self.stateless.lock();
        let proof = cache.get(&justification.commitment.block_hash)?;
        (proof.justification == *justification).then(|| proof.clone())
    }

    /// How many keys have to be parsed for the stateless proof of a justification: none when the proof or its set is cached.
    fn keys_to_parse(&self, justification: &UncheckedJustification) -> Result<u32, RpcError> {
        let set = justification.commitment.validator_set_id;
        let is_here =
            self.cached(justification).is_some() || self.keysets.lock().peek(&set).is_some();
        if is_here {
            return Ok(0);
        }
        Ok(self.links.store.set(set)?.map_or(0, |set| set.len))
    }

    /// Makes a stateless proof, or takes it from the cache; `None` when the keys of its set are not here. The
    /// justification is checked again on the way, because what comes from a disk may not be what was written.
    fn stateless(
        &self,
        justification: UncheckedJustification,
    ) -> Result<Option<StatelessProof>, RpcError> {
        let commitment = &justification.commitment;
        let (block, hash) = (commitment.block_number, commitment.block_hash);
        let set = commitment.validator_set_id;
        if let Some(proof) = self.cached(&justification) {
            return Ok(Some(proof));
        }
        let Some(keyset) = self.keyset(set)? else {
            self.absent(HistoryItem::Set(set))?;
            return Ok(None);
        };
        let justification = justification
            .check(&keyset, self.links.blocks.genesis_hash())
            .map_err(|error| RpcError::Damaged { block, error })?;
        let proof = StatelessProof::new(&justification, &keyset)
            .map_err(|error| RpcError::Stateless { block, error })?;
        self.stateless.lock().insert(hash, proof.clone());
        Ok(Some(proof))
    }

    /// What the finalized chain says about a proof that a stranger brings. One that holds and is false is filed. (FALSE-3)
    fn judge(&self, bytes: &[u8]) -> Result<Verdict, RpcError> {
        let RpcLinks {
            blocks,
            false_statements,
            ..
        } = &self.links;
        let proof = UncheckedJustification::decode_all(&mut &*bytes).map_err(RpcError::NoProof)?;
        let set = proof.commitment.validator_set_id;
        let Some(keyset) = self.keyset(set)? else {
            self.absent(HistoryItem::Set(set))?;
            return Err(RpcError::UnknownSet { set });
        };
        let proof = proof
            .check(&keyset, blocks.genesis_hash())?
            .into_unchecked();
        let refuted = match blocks.refutes(&proof.commitment)? {
            Some(refuted) => refuted,
            None if blocks.is_beyond(&proof.commitment) => true,
            None => return Ok(Verdict::Undecided),
        };
        if !refuted {
            return Ok(Verdict::True);
        }
        false_statements.file(&FalseStatement::Proof(proof))?;
        Ok(Verdict::False)
    }

    /// The block whose proof of finality is asked for, with that proof.
    fn proven(
        &self,
        block: Option<BlockNumber>,
    ) -> Result<Option<UncheckedJustification>, RpcError> {
        let block = match block {
            Some(block) => block,
            None => {
                let best = self.links.store.best()?.ok_or(RpcError::NotReady)?;
                best.commitment.block_number
            }
        };
        self.stored(block)
    }

    /// Everything that proves entries of the state at a block, under the proof of a later one or of its own.
    fn prove_state(
        &self,
        keys: &[Vec<u8>],
        block: Option<BlockNumber>,
        justification: UncheckedJustification,
        stateless: bool,
    ) -> Result<Option<Proofs>, RpcError> {
        let under = justification.commitment.block_number;
        let block = block.unwrap_or(under);
        if block > under {
            return Ok(None);
        }
        let Some(hash) = self.links.blocks.hash(block)? else {
            return Ok(None);
        };
        let path = if block == under {
            None
        } else {
            let path = self.reader.path(block, under)?;
            Some(BlockPath {
                leaves: path.leaves.into(),
                proof: path.proof.into(),
            })
        };
        let nodes = match keys {
            [] => Vec::new(),
            keys => self.reader.nodes(block, hash, keys)?,
        };
        let header = self.links.blocks.header(hash)?.encoded;
        let proof = if stateless {
            self.stateless(justification)?.map(|proof| proof.encode())
        } else {
            Some(justification.encode())
        };
        Ok(proof.map(|proof| Proofs {
            proof: proof.into(),
            header: header.into(),
            nodes: nodes.into_iter().map(Bytes).collect(),
            path,
        }))
    }

    /// Serves a subscription, if its connection may have one more.
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

    fn prove(&self, key: &Pk1Bytes, owner: &AccountId) -> Result<Bytes, RpcError> {
        let statement = ownership_statement(self.links.blocks.genesis_hash(), owner);
        Ok(self
            .signer
            .prove_possession(key, &statement)?
            .encode()
            .into())
    }
}

#[async_trait]
impl DuetRpcServer for Duet {
    async fn subscribe_justifications(&self, pending: PendingSubscriptionSink) {
        let newest = self.links.shown.newest.clone();
        self.subscribe(pending, newest).await;
    }

    async fn subscribe_fuller_justifications(&self, pending: PendingSubscriptionSink) {
        let fuller = self.links.shown.fuller.clone();
        self.subscribe(pending, fuller).await;
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
        let list = self.links.store.handoff_proofs(from_set, limit);
        Ok(self.handoffs_or_wait(from_set, &list.map_err(RpcError::from)?)?)
    }

    fn stateless_set_proofs(&self, from_set: SetId, limit: u32) -> RpcResult<Bytes> {
        check_limit(limit)?;
        let mut room = None;
        let entries = sets(from_set, limit).map(|set| {
            let Some(justification) = self.links.store.handoff(set)? else {
                return Ok(None);
            };
            // The first entry costs what it costs, or nothing would ever be answered of a set that is larger.
            let cost = match room {
                Some(_) => self.keys_to_parse(&justification)?,
                None => 0,
            };
            room = room.unwrap_or(self.max_parsed).checked_sub(cost);
            match room {
                Some(_) => self.stateless(justification),
                None => Ok(None),
            }
        });
        let list: Vec<StatelessProof> = bounded(entries)?;
        Ok(self.handoffs_or_wait(from_set, &list)?)
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
            self.absent(HistoryItem::Genesis)?;
            return Err(RpcError::NoGenesisProof.into());
        };
        Ok(proof.encode().into())
    }

    fn keys(&self, set: SetId) -> RpcResult<Option<Bytes>> {
        let Some(commitment) = self.links.store.set(set).map_err(RpcError::from)? else {
            self.absent(HistoryItem::Set(set))?;
            return Ok(None);
        };
        let keys = self.links.store.key_halves(&commitment);
        let keys = keys.map_err(RpcError::from)?;
        Ok(keys.map(|keys| keys.encode().into()))
    }

    fn reset(&self, from_set: SetId) -> RpcResult<Option<Bytes>> {
        let RpcLinks { store, blocks, .. } = &self.links;
        let finalized_at = |number| blocks.finalized_at(number).ok().flatten();
        let reset = store.reset_after(from_set, finalized_at);
        let Some(reset) = reset.map_err(RpcError::from)? else {
            return Ok(None);
        };
        let header = blocks.header(reset.hash).map_err(RpcError::from)?;
        Ok(Some(header.encoded.into()))
    }

    fn proofs(
        &self,
        keys: Vec<Bytes>,
        block: Option<BlockNumber>,
        under: Option<BlockNumber>,
        stateless: Option<bool>,
    ) -> RpcResult<Option<Proofs>> {
        if keys.len() > MAX_KEYS {
            let (most, got) = (MAX_KEYS, keys.len());
            return Err(RpcError::Keys { most, got }.into());
        }
        let keys: Vec<Vec<u8>> = keys.into_iter().map(|key| key.0).collect();
        let Some(justification) = self.proven(under)? else {
            return Ok(None);
        };
        Ok(self.prove_state(&keys, block, justification, stateless.unwrap_or(false))?)
    }

    fn report_proof(&self, proof: Bytes) -> RpcResult<Verdict> {
        Ok(self.judge(&proof)?)
    }

    fn signing_records(&self) -> RpcResult<Vec<Record>> {
        let (_, at) = self.links.blocks.finalized();
        // Who asks meanwhile waits for this answer.
        let mut known = self.records.lock();
        if let Some((_, records)) = known.as_ref().filter(|(of, _)| *of == at) {
            return Ok(records.clone());
        }
        let records = self.reader.signing_records(at).map_err(RpcError::from)?;
        let record = |(validator, record): (AccountId, SigningRecord)| Record {
            validator,
            signed: record.signed,
            handoffs: record.handoffs,
        };
        let records: Vec<_> = records.into_iter().map(record).collect();
        *known = Some((at, records.clone()));
        Ok(records)
    }

    fn health(&self) -> RpcResult<Health> {
        Ok(Health::of(&self.links)?)
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
        let got = public.len();
        // The length is all that can be wrong: a key's bytes are any bytes.
        let key = DualKeyBytes::decode_all(&mut &public[..])
            .map_err(|_| RpcError::Key { expected, got })?;
        Ok(self.prove(&key.pk1(), &owner)?)
    }
}

#[cfg(test)]
#[path = "rpc_tests.rs"]
mod tests;
