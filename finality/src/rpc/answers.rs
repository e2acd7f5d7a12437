//! The answers, and their costs. Nothing here waits for a turn or knows a connection.

use super::{
    api::{BlockPath, GeneratedKeys, Proofs, Record, Verdict},
    error::{HistoryItem, RpcError},
    health::Health,
    reader::{ChainReader, ReaderError},
    votes::RoundState,
};
use crate::{
    client::AccountId,
    links::RpcLinks,
    statement::FalseStatement,
    store::{bounded, sets},
};
use codec::{DecodeAll, Encode};
use duet_gossip::source::ProofSource;
use duet_keystore::Signer;
use duet_light_client::{start::start_keys, StartProof};
use duet_primitives::{
    ownership_statement, suite, Accusation, BlockNumber, DualKeyBytes, EvidenceStatus, Keyset,
    Pk1Bytes, SetId, SigningRecord, StatelessProof, UncheckedJustification, H256,
};
use jsonrpsee::core::RpcResult;
use parking_lot::Mutex;
use schnellru::{ByLength, LruMap};
use sp_core::Bytes;
use std::sync::Arc;

/// The most sets in one answer.
pub const MAX_SETS: u32 = 128;
/// The most keys proven by one answer.
pub const MAX_KEYS: usize = 64;
/// The number of cached stateless proofs.
const STATELESS_CACHE: u32 = 256;
/// The number of cached keysets.
const KEYSET_CACHE: u32 = 4;
/// The most keys parsed for one answer, apart from its first entry: those of one large set.
const MAX_PARSED: u32 = 10_000;

/// The answers of the methods of [`DuetRpcServer`](super::DuetRpcServer).
pub(super) struct Answers {
    pub(super) links: RpcLinks,
    reader: Arc<dyn ChainReader>,
    signer: Arc<dyn Signer>,
    stateless: Mutex<LruMap<H256, StatelessProof, ByLength>>,
    keysets: Mutex<LruMap<SetId, Arc<Keyset>, ByLength>>,
    pub(super) max_parsed: u32,
    /// The records at a block: they are equal for all callers, and are computed once.
    records: Mutex<Option<(H256, Vec<Record>)>>,
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

impl Answers {
    pub(super) fn new(
        links: RpcLinks,
        reader: Arc<dyn ChainReader>,
        signer: Arc<dyn Signer>,
    ) -> Self {
        Self {
            links,
            reader,
            signer,
            stateless: Mutex::new(LruMap::new(ByLength::new(STATELESS_CACHE))),
            keysets: Mutex::new(LruMap::new(ByLength::new(KEYSET_CACHE))),
            max_parsed: MAX_PARSED,
            records: Mutex::default(),
        }
    }

    /// The justification of a block of the finalized chain, if there is one: the one with the most signers. (ROUND-9)
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

    /// The justification of the highest block that this set signed, as far as this node knows. (RESET-5)
    fn last_by(&self, set: SetId) -> Result<Option<UncheckedJustification>, RpcError> {
        let store = &self.links.store;
        let last = match store.last(set)? {
            None => store.handoff(set)?,
            last => last,
        };
        let (finalized, _) = self.links.blocks.finalized();
        match last.filter(|last| last.commitment.block_number <= finalized) {
            Some(last) => Ok(Some(store.fullest(last)?)),
            None => {
                self.absent(HistoryItem::Set(set))?;
                Ok(None)
            }
        }
    }

    /// The justification stored with a block.
    fn with_block(&self, block: BlockNumber) -> Result<Option<Vec<u8>>, RpcError> {
        match self.links.blocks.hash(block)? {
            Some(hash) => Ok(self.links.blocks.justification(hash)?),
            None => Ok(None),
        }
    }

    /// Data is missing: an error while it is still being fetched. (REQ-6)
    fn absent(&self, what: HistoryItem) -> Result<(), RpcError> {
        match self.links.missing.get() {
            Some(missing) if what.is_in(missing) => Err(RpcError::NotHereYet { what }),
            _ => Ok(()),
        }
    }

    /// A list of handoffs that begins with `from_set`; empty when that set has not handed off.
    fn handoffs_or_wait<T: Encode>(&self, from_set: SetId, list: &[T]) -> Result<Bytes, RpcError> {
        if list.is_empty() {
            self.absent(HistoryItem::Set(from_set))?;
        }
        Ok(list.encode().into())
    }

    /// The keys of a set; `None` when they are missing here.
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

    /// The cached stateless proof of this justification; a justification that has grown needs a new one.
    fn cached(&self, justification: &UncheckedJustification) -> Option<StatelessProof> {
        let mut cache = self.stateless.lock();
        let proof = cache.get(&justification.commitment.block_hash)?;
        (proof.justification == *justification).then(|| proof.clone())
    }

    /// The number of keys to parse for a justification's stateless proof: none when the proof or its set is cached.
    fn keys_to_parse(&self, justification: &UncheckedJustification) -> Result<u32, RpcError> {
        let set = justification.commitment.validator_set_id;
        let is_here =
            self.cached(justification).is_some() || self.keysets.lock().peek(&set).is_some();
        if is_here {
            return Ok(0);
        }
        Ok(self.links.store.set(set)?.map_or(0, |set| set.len))
    }

    /// Makes a stateless proof, or takes it from the cache; `None` when the keys of its set are missing here. The
    /// justification is checked again on the way, because a disk may return other data than was written.
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

    /// The finalized chain's verdict on a client's proof. A valid but false proof is filed. (FALSE-3)
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
        let proof = proof.check(&keyset, blocks.genesis_hash())?;
        let refuted = match blocks.refutes(proof.commitment())? {
            Some(refuted) => refuted,
            None if blocks.is_beyond(proof.commitment()) => true,
            None => return Ok(Verdict::Undecided),
        };
        if !refuted {
            return Ok(Verdict::True);
        }
        if self.may_be_punished(&Accusation::of_proof(&proof, &keyset))? {
            false_statements.file(&FalseStatement::Proof(proof.into_unchecked()))?;
        }
        Ok(Verdict::False)
    }

    /// Whether the finalized chain can still punish one of these, as far as its runtime says. Old keys are cheap to
    /// buy, and their owner could make a node keep and log any number of proofs; so could those who were punished.
    /// (EQV-6, EQV-7)
    fn may_be_punished(&self, accusations: &[Accusation]) -> Result<bool, RpcError> {
        let (_, at) = self.links.blocks.finalized();
        for accusation in accusations {
            match self.reader.accusation_status(at, accusation)? {
                Some(
                    EvidenceStatus::Reported
                    | EvidenceStatus::NotSlashable
                    | EvidenceStatus::Invalid,
                ) => {}
                _ => return Ok(true),
            }
        }
        Ok(false)
    }

    /// The block whose proof of finality is requested, with that proof.
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

    /// The complete proof of entries of the state at a block, under the proof of a later block or its own.
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

    fn prove(&self, key: &Pk1Bytes, owner: &AccountId) -> Result<Bytes, RpcError> {
        let statement = ownership_statement(self.links.blocks.genesis_hash(), owner);
        Ok(self
            .signer
            .prove_possession(key, &statement)?
            .encode()
            .into())
    }
}

/// One for each method.
impl Answers {
    pub(super) fn finalized_head(&self) -> RpcResult<H256> {
        let best = self.links.store.best().map_err(RpcError::from)?;
        Ok(best.ok_or(RpcError::NotReady)?.commitment.block_hash)
    }

    pub(super) fn justification(&self, block: BlockNumber) -> RpcResult<Option<Bytes>> {
        Ok(self
            .stored(block)?
            .map(|justification| justification.encode().into()))
    }

    pub(super) fn last_justification(&self, set: SetId) -> RpcResult<Option<Bytes>> {
        let last = self.last_by(set)?;
        Ok(last.map(|justification| justification.encode().into()))
    }

    pub(super) fn last_stateless_proof(&self, set: SetId) -> RpcResult<Option<Bytes>> {
        let Some(justification) = self.last_by(set)? else {
            return Ok(None);
        };
        let proof = self.stateless(justification)?;
        Ok(proof.map(|proof| proof.encode().into()))
    }

    pub(super) fn set_proofs(&self, from_set: SetId, limit: u32) -> RpcResult<Bytes> {
        check_limit(limit)?;
        let list = self.links.store.handoff_proofs(from_set, limit);
        Ok(self.handoffs_or_wait(from_set, &list.map_err(RpcError::from)?)?)
    }

    pub(super) fn stateless_set_proofs(&self, from_set: SetId, limit: u32) -> RpcResult<Bytes> {
        check_limit(limit)?;
        let mut room = None;
        let entries = sets(from_set, limit).map(|set| {
            let Some(justification) = self.links.store.handoff(set)? else {
                return Ok(None);
            };
            // The first entry has no limit, or no answer about a larger set would ever be possible.
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

    pub(super) fn stateless_proof(&self, block: BlockNumber) -> RpcResult<Option<Bytes>> {
        let Some(justification) = self.stored(block)? else {
            return Ok(None);
        };
        Ok(self
            .stateless(justification)?
            .map(|proof| proof.encode().into()))
    }

    pub(super) fn genesis_proof(&self) -> RpcResult<Bytes> {
        let proof = self.first_set_proof()?;
        if proof.block_hash() != self.links.blocks.genesis_hash() {
            return Err(RpcError::NoGenesisProof.into());
        }
        Ok(proof.encode().into())
    }

    pub(super) fn start_proof(&self, block: Option<H256>) -> RpcResult<Option<Bytes>> {
        let Some(block) = block else {
            return Ok(Some(self.first_set_proof()?.encode().into()));
        };
        let proof = match self.first_set_proof() {
            Ok(proof) if proof.block_hash() == block => Some(proof),
            _ => self.prove_start(block)?,
        };
        Ok(proof.map(|proof| proof.encode().into()))
    }

    fn first_set_proof(&self) -> Result<StartProof, RpcError> {
        let Some(proof) = self.links.store.first_set_proof()? else {
            self.absent(HistoryItem::Genesis)?;
            return Err(RpcError::NoGenesisProof);
        };
        Ok(proof)
    }

    /// The proof of the sets at a final block with state; `None` at any other one, and where no set signs.
    fn prove_start(&self, hash: H256) -> Result<Option<StartProof>, RpcError> {
        let Some(header) = self.links.blocks.find_header(hash)? else {
            return Ok(None);
        };
        let number = header.number;
        if self.links.blocks.finalized_at(number)? != Some(hash) {
            return Ok(None);
        }
        let keys: Vec<_> = start_keys(number).iter().map(|key| key.to_vec()).collect();
        let nodes = match self.reader.nodes(number, hash, &keys) {
            Err(ReaderError::NoState(_)) => return Ok(None),
            nodes => nodes?,
        };
        let keys = self.reader.signing_keys(hash)?;
        Ok(keys.map(|keys| StartProof {
            header: header.encoded,
            nodes,
            keys: keys.iter().map(DualKeyBytes::pk1).collect(),
        }))
    }

    pub(super) fn warp_genesis(&self) -> RpcResult<Option<Bytes>> {
        let Some(warp) = &self.links.warp else {
            return Ok(None);
        };
        let proof = warp.genesis().map_err(RpcError::from)?;
        Ok(proof.map(Bytes))
    }

    pub(super) fn warp_proof(&self, after: BlockNumber) -> RpcResult<Option<Bytes>> {
        let Some(warp) = &self.links.warp else {
            return Ok(None);
        };
        let proof = warp.after(after).map_err(RpcError::from)?;
        Ok(proof.map(Bytes))
    }

    pub(super) fn keys(&self, set: SetId) -> RpcResult<Option<Bytes>> {
        let Some(commitment) = self.links.store.set(set).map_err(RpcError::from)? else {
            self.absent(HistoryItem::Set(set))?;
            return Ok(None);
        };
        let keys = self.links.store.key_halves(&commitment);
        let keys = keys.map_err(RpcError::from)?;
        Ok(keys.map(|keys| keys.encode().into()))
    }

    pub(super) fn reset(&self, from_set: SetId) -> RpcResult<Option<Bytes>> {
        let RpcLinks { store, blocks, .. } = &self.links;
        let finalized_at = |number| blocks.finalized_at(number).ok().flatten();
        let reset = store.reset_after(from_set, finalized_at);
        let Some(reset) = reset.map_err(RpcError::from)? else {
            return Ok(None);
        };
        let header = blocks.header(reset.hash).map_err(RpcError::from)?;
        Ok(Some(header.encoded.into()))
    }

    pub(super) fn proofs(
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

    pub(super) fn report_proof(&self, proof: &[u8]) -> RpcResult<Verdict> {
        Ok(self.judge(proof)?)
    }

    pub(super) fn signing_records(&self) -> RpcResult<Vec<Record>> {
        let (_, at) = self.links.blocks.finalized();
        // A concurrent caller waits for this answer.
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

    pub(super) fn round_state(&self) -> RpcResult<Option<RoundState>> {
        Ok(RoundState::of(&self.links)?)
    }

    pub(super) fn health(&self) -> RpcResult<Health> {
        Ok(Health::of(&self.links)?)
    }

    pub(super) fn generate_keys(&self, owner: &AccountId) -> RpcResult<GeneratedKeys> {
        let public = self.signer.generate().map_err(RpcError::from)?;
        let proof = self.prove(&public.pk1(), owner)?;
        Ok(GeneratedKeys {
            public: public.encode().into(),
            proof,
        })
    }

    pub(super) fn prove_keys(&self, public: &[u8], owner: &AccountId) -> RpcResult<Bytes> {
        let expected = suite::DUAL_KEY_LEN;
        let got = public.len();
        // Only the length can be wrong: any bytes of that length are accepted here.
        let key =
            DualKeyBytes::decode_all(&mut &*public).map_err(|_| RpcError::Key { expected, got })?;
        Ok(self.prove(&key.pk1(), owner)?)
    }
}
