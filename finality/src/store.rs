//! What outlives a restart, in the client's auxiliary store.
//!
//! Keys start with `duet/v1/`; a change of any layout takes another number.
//!
//! The database applies writes in the order in which they were made, so that after a crash it holds a prefix of
//! them: never a proof without the sets before it, never a vote without the finalized block that it is about.
//! That prefix may lack a vote that was sent. The voter then asks for it again, and the signer, which has a
//! record of its own that is flushed with each vote, returns the same bytes or an error. (ROUND-4)

use codec::{Decode, DecodeAll, Encode};
use duet_gossip::source::{GenesisProof, HandoffProof, ProofSource};
use duet_primitives::{
    BlockNumber, CommitmentPayload, DualKeyBytes, KeysetCommitment, Pk1Bytes, SetId,
    UncheckedJustification, H256,
};
use sc_client_api::AuxStore;
use std::sync::Arc;

const PREFIX: &[u8] = b"duet/v1/";
/// Lists for others end when they have this many bytes.
pub(crate) const MAX_LIST_BYTES: usize = 1024 * 1024;

/// Why something could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The database.
    #[error("the database refused: {0}")]
    Database(#[from] sp_blockchain::Error),
    /// An entry is not what was written.
    #[error("the entry {entry} in the database does not decode: {error}")]
    Corrupt {
        /// The table that it is in.
        entry: &'static str,
        /// What the decoder says.
        error: codec::Error,
    },
}

/// A write: a key, and what goes there or nothing.
type Write = (Vec<u8>, Option<Vec<u8>>);

/// The auxiliary store without its generics.
trait Aux: Send + Sync {
    fn read(&self, key: &[u8]) -> sp_blockchain::Result<Option<Vec<u8>>>;
    fn write(&self, writes: &[Write]) -> sp_blockchain::Result<()>;
}

impl<A: AuxStore + Send + Sync> Aux for A {
    fn read(&self, key: &[u8]) -> sp_blockchain::Result<Option<Vec<u8>>> {
        self.get_aux(key)
    }

    fn write(&self, writes: &[Write]) -> sp_blockchain::Result<()> {
        let insert: Vec<_> = writes
            .iter()
            .filter_map(|(key, value)| value.as_deref().map(|value| (key.as_slice(), value)))
            .collect();
        let delete: Vec<_> = writes
            .iter()
            .filter(|(_, value)| value.is_none())
            .map(|(key, _)| key.as_slice())
            .collect();
        self.insert_aux(&insert, &delete)
    }
}

/// What Duet keeps in the client's auxiliary store. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Store {
    aux: Arc<dyn Aux>,
}

fn key(table: &'static str, id: &[u8]) -> Vec<u8> {
    [PREFIX, table.as_bytes(), b"/", id].concat()
}

fn entry(table: &'static str, id: &[u8], value: &impl Encode) -> Write {
    (key(table, id), Some(value.encode()))
}

const STATE: &str = "state";
const KEYS: &str = "keys";
/// The halves in G1 of the keys under a root, of sets whose keys did not come from the chain's state.
const HALVES: &str = "halves";
const SET: &str = "set";
const PAYLOAD: &str = "payload";
const HANDOFF: &str = "handover";
/// By the number of a block, the set that handed off with it.
const HANDOFF_AT: &str = "handover-at";
const BEST: &str = "best";
const GENESIS: &str = "genesis";

impl Store {
    /// The store over a client or its back end.
    pub(crate) fn new<A: AuxStore + Send + Sync + 'static>(aux: Arc<A>) -> Self {
        Self { aux }
    }

    fn get<T: Decode>(&self, table: &'static str, id: &[u8]) -> Result<Option<T>, StoreError> {
        let Some(bytes) = self.aux.read(&key(table, id))? else {
            return Ok(None);
        };
        T::decode_all(&mut &*bytes)
            .map(Some)
            .map_err(|error| StoreError::Corrupt {
                entry: table,
                error,
            })
    }

    fn put(&self, table: &'static str, id: &[u8], value: &impl Encode) -> Result<(), StoreError> {
        Ok(self.aux.write(&[entry(table, id, value)])?)
    }

    /// The voter's state as it encoded it.
    pub(crate) fn voter_state(&self) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.aux.read(&key(STATE, &[]))?)
    }

    /// Stores the voter's state. (ROUND-4)
    pub(crate) fn put_voter_state(&self, state: Vec<u8>) -> Result<(), StoreError> {
        Ok(self.aux.write(&[(key(STATE, &[]), Some(state))])?)
    }

    /// The keys under a commitment's root, as the chain had them.
    pub(crate) fn keys(
        &self,
        commitment: &KeysetCommitment,
    ) -> Result<Option<Vec<DualKeyBytes>>, StoreError> {
        self.get(KEYS, commitment.root.as_bytes())
    }

    /// Stores the keys of a set that a block of any fork plans.
    pub(crate) fn put_keys(
        &self,
        commitment: &KeysetCommitment,
        keys: &[DualKeyBytes],
    ) -> Result<(), StoreError> {
        self.put(KEYS, commitment.root.as_bytes(), &keys)
    }

    /// The halves in G1 of the keys under a commitment's root, in set order.
    pub(crate) fn key_halves(
        &self,
        commitment: &KeysetCommitment,
    ) -> Result<Option<Vec<Pk1Bytes>>, StoreError> {
        if let Some(keys) = self.keys(commitment)? {
            return Ok(Some(keys.iter().map(DualKeyBytes::pk1).collect()));
        }
        self.get(HALVES, commitment.root.as_bytes())
    }

    /// The set with this number on the finalized chain.
    pub(crate) fn set(&self, id: SetId) -> Result<Option<KeysetCommitment>, StoreError> {
        self.get(SET, &id.get().to_le_bytes())
    }

    /// Notes a set of the finalized chain under its number.
    pub(crate) fn put_set(&self, commitment: &KeysetCommitment) -> Result<(), StoreError> {
        self.put(SET, &commitment.id.get().to_le_bytes(), commitment)
    }

    /// What is signed about a block, kept because its state may be gone when it is signed.
    pub(crate) fn payload(&self, block: H256) -> Result<Option<CommitmentPayload>, StoreError> {
        self.get(PAYLOAD, block.as_bytes())
    }

    /// Stores what is signed about a block.
    pub(crate) fn put_payload(
        &self,
        block: H256,
        payload: &CommitmentPayload,
    ) -> Result<(), StoreError> {
        self.put(PAYLOAD, block.as_bytes(), payload)
    }

    /// Forgets what is signed about blocks that need no vote any more.
    pub(crate) fn drop_payloads(&self, blocks: &[H256]) -> Result<(), StoreError> {
        let writes: Vec<_> = blocks
            .iter()
            .map(|block| (key(PAYLOAD, block.as_bytes()), None))
            .collect();
        Ok(self.aux.write(&writes)?)
    }

    /// The justification with which this set handed off to the next.
    pub(crate) fn handoff(
        &self,
        set_id: SetId,
    ) -> Result<Option<UncheckedJustification>, StoreError> {
        self.get(HANDOFF, &set_id.get().to_le_bytes())
    }

    /// The justification of the highest block.
    pub(crate) fn best(&self) -> Result<Option<UncheckedJustification>, StoreError> {
        self.get(BEST, &[])
    }

    /// Stores the justification of the highest block.
    pub(crate) fn put_best(
        &self,
        justification: &UncheckedJustification,
    ) -> Result<(), StoreError> {
        self.put(BEST, &[], justification)
    }

    /// Stores the justification of the highest block, and as the handoff of its set.
    pub(crate) fn put_handoff(
        &self,
        justification: &UncheckedJustification,
    ) -> Result<(), StoreError> {
        let set_id = justification.commitment.validator_set_id;
        Ok(self.aux.write(&[
            entry(BEST, &[], justification),
            entry(HANDOFF, &set_id.get().to_le_bytes(), justification),
        ])?)
    }

    /// Stores the proof that light clients start from.
    pub(crate) fn put_genesis_proof(&self, proof: &GenesisProof) -> Result<(), StoreError> {
        self.put(GENESIS, &[], proof)
    }

    /// The handoff justification of this block, if it was fetched from peers.
    pub(crate) fn handoff_at(
        &self,
        block: BlockNumber,
    ) -> Result<Option<UncheckedJustification>, StoreError> {
        match self.get(HANDOFF_AT, &block.get().to_le_bytes())? {
            Some(set_id) => self.handoff(set_id),
            None => Ok(None),
        }
    }

    /// The handoff of this set with the keys of the set that takes over.
    pub(crate) fn handoff_proof(&self, set_id: SetId) -> Result<Option<HandoffProof>, StoreError> {
        let Some(justification) = self.handoff(set_id)? else {
            return Ok(None);
        };
        let next_keys = self.key_halves(&justification.commitment.next)?;
        Ok(next_keys.map(|next_keys| HandoffProof {
            justification,
            next_keys,
        }))
    }

    /// Stores the proof of the first set that a peer sent, once it was checked, and that set.
    pub(crate) fn put_fetched_genesis(
        &self,
        proof: &GenesisProof,
        first: &KeysetCommitment,
    ) -> Result<(), StoreError> {
        Ok(self.aux.write(&[
            entry(SET, &first.id.get().to_le_bytes(), first),
            entry(HALVES, first.root.as_bytes(), &proof.keys),
            entry(GENESIS, &[], proof),
        ])?)
    }

    /// Stores a handoff proof that a peer sent, once it was checked, and the set that takes over.
    pub(crate) fn put_fetched(&self, proof: &HandoffProof) -> Result<(), StoreError> {
        let HandoffProof {
            justification,
            next_keys,
        } = proof;
        let commitment = &justification.commitment;
        let (set_id, next) = (commitment.validator_set_id, &commitment.next);
        Ok(self.aux.write(&[
            entry(SET, &next.id.get().to_le_bytes(), next),
            entry(HALVES, next.root.as_bytes(), next_keys),
            entry(
                HANDOFF_AT,
                &commitment.block_number.get().to_le_bytes(),
                &set_id,
            ),
            entry(HANDOFF, &set_id.get().to_le_bytes(), justification),
        ])?)
    }
}

impl ProofSource for Store {
    type Error = StoreError;

    fn handoff_justifications(
        &self,
        first_set: SetId,
        count: u32,
    ) -> Result<Vec<UncheckedJustification>, StoreError> {
        sets(first_set, count)
            .map_while(|set_id| self.handoff(set_id).transpose())
            .collect()
    }

    fn handoff_proofs(
        &self,
        first_set: SetId,
        count: u32,
    ) -> Result<Vec<HandoffProof>, StoreError> {
        bounded(sets(first_set, count).map(|set_id| self.handoff_proof(set_id)))
    }

    /// The proof that light clients start from.
    fn genesis_proof(&self) -> Result<Option<GenesisProof>, StoreError> {
        self.get(GENESIS, &[])
    }
}

/// `count` sets from the first on, or up to the largest number.
pub(crate) fn sets(first_set: SetId, count: u32) -> impl Iterator<Item = SetId> {
    (0..u64::from(count))
        .map_while(move |offset| first_set.get().checked_add(offset).map(SetId::new))
}

/// As many of `entries` as come before the first that is missing and fit [`MAX_LIST_BYTES`]; one at least when there
/// is one.
pub(crate) fn bounded<T: Encode, E>(
    entries: impl Iterator<Item = Result<Option<T>, E>>,
) -> Result<Vec<T>, E> {
    let (mut list, mut size) = (Vec::new(), 0_usize);
    for entry in entries {
        let Some(entry) = entry? else { break };
        size = size.saturating_add(entry.encoded_size());
        if size > MAX_LIST_BYTES && !list.is_empty() {
            break;
        }
        list.push(entry);
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::MemoryAux;
    use duet_primitives::{testing::TestSet, RoundMessage};

    fn justification(id: u64, number: u32) -> UncheckedJustification {
        let (set, next) = (TestSet::new(id, 0..4), TestSet::new(id + 1, 1..5));
        let message = RoundMessage::new(H256::zero(), set.commitment(number, &next.set));
        set.justify(&message, 0..3).into_unchecked()
    }

    #[test]
    fn what_is_stored_is_read_back() {
        let store = Store::new(Arc::new(MemoryAux::default()));
        let set = TestSet::new(3, 0..4);
        let commitment = set.set.commitment();
        let keys: Vec<_> = set.secrets.iter().map(|secret| secret.public()).collect();

        assert_eq!(store.keys(commitment).unwrap(), None);
        store.put_keys(commitment, &keys).unwrap();
        assert_eq!(store.keys(commitment).unwrap(), Some(keys));

        assert_eq!(store.set(SetId::new(3)).unwrap(), None);
        store.put_set(commitment).unwrap();
        assert_eq!(store.set(SetId::new(3)).unwrap().as_ref(), Some(commitment));

        assert_eq!(store.voter_state().unwrap(), None);
        store.put_voter_state(vec![1, 2, 3]).unwrap();
        assert_eq!(store.voter_state().unwrap(), Some(vec![1, 2, 3]));

        let proof = GenesisProof {
            header: vec![1],
            nodes: vec![vec![2]],
            keys: Vec::new(),
        };
        store.put_genesis_proof(&proof).unwrap();
        assert_eq!(store.genesis_proof().unwrap(), Some(proof));
    }

    #[test]
    fn payloads_go_when_they_are_dropped() {
        let store = Store::new(Arc::new(MemoryAux::default()));
        let next = TestSet::new(1, 0..4).set.commitment().clone();
        let payload = CommitmentPayload {
            mmr_root: H256::zero(),
            validator_set_id: SetId::new(0),
            next,
        };
        let [kept, dropped] = [1, 2].map(H256::repeat_byte);
        for block in [kept, dropped] {
            store.put_payload(block, &payload).unwrap();
        }
        store.drop_payloads(&[dropped]).unwrap();
        assert_eq!(store.payload(kept).unwrap(), Some(payload));
        assert_eq!(store.payload(dropped).unwrap(), None);
    }

    #[test]
    fn a_handoff_is_kept_under_its_set_and_as_the_best_proof() {
        let store = Store::new(Arc::new(MemoryAux::default()));
        let (first, second, last) = (
            justification(0, 10),
            justification(1, 20),
            justification(2, 25),
        );
        for proof in [&first, &second] {
            store.put_handoff(proof).unwrap();
            assert_eq!(store.best().unwrap().as_ref(), Some(proof));
        }
        store.put_best(&last).unwrap();
        assert_eq!(store.best().unwrap(), Some(last));
        assert_eq!(
            store.handoff_justifications(SetId::new(0), 9).unwrap(),
            [first, second.clone()]
        );
        assert_eq!(
            store.handoff_justifications(SetId::new(1), 1).unwrap(),
            [second]
        );
        assert_eq!(store.handoff_justifications(SetId::new(2), 9).unwrap(), []);
    }

    #[test]
    fn a_handoff_that_was_fetched_is_found_by_its_set_and_by_its_block() {
        let chain = duet_light_client::testing::TestChain::new(2, 4, 0);
        let store = Store::new(Arc::new(MemoryAux::default()));
        let proofs = chain.handoff_proofs(0, 2);
        store.put_fetched(&proofs[0]).unwrap();
        let block = chain.mandatory(0);
        let first = &proofs[0].justification;
        assert_eq!(store.handoff(SetId::new(0)).unwrap().as_ref(), Some(first));
        assert_eq!(
            store.handoff_at(BlockNumber::new(block)).unwrap().as_ref(),
            Some(first)
        );
        assert_eq!(store.handoff_at(BlockNumber::new(block + 1)).unwrap(), None);
        assert_eq!(
            store.set(SetId::new(1)).unwrap().as_ref(),
            Some(&first.commitment.next)
        );
        assert_eq!(store.handoff_proofs(SetId::new(0), 9).unwrap(), proofs[..1]);
        assert_eq!(store.handoff_proofs(SetId::new(u64::MAX), 9).unwrap(), []);
    }

    #[test]
    fn the_names_of_tables_are_pinned() {
        let aux = Arc::new(MemoryAux::default());
        Store::new(aux.clone())
            .put_handoff(&justification(0, 10))
            .unwrap();
        let keys = aux.0.lock();
        assert!(keys.contains_key(&b"duet/v1/best/"[..]));
        assert!(keys.contains_key(&b"duet/v1/handover/\0\0\0\0\0\0\0\0"[..]));
    }

    #[test]
    fn keys_from_the_chain_serve_as_halves_and_halves_never_serve_as_keys() {
        let set = TestSet::new(1, 1..5);
        let (commitment, halves) = (set.set.commitment(), set.set.keyset().key_bytes());
        let store = Store::new(Arc::new(MemoryAux::default()));
        let mut proof = duet_light_client::testing::TestChain::new(1, 4, 0).handoff_proofs(0, 1);
        assert_eq!(&proof[0].justification.commitment.next, commitment);
        store.put_fetched(&proof.remove(0)).unwrap();
        assert_eq!(store.keys(commitment).unwrap(), None);
        assert_eq!(store.key_halves(commitment).unwrap(), Some(halves.clone()));

        let store = Store::new(Arc::new(MemoryAux::default()));
        let keys: Vec<_> = set.secrets.iter().map(|secret| secret.public()).collect();
        store.put_keys(commitment, &keys).unwrap();
        assert_eq!(store.key_halves(commitment).unwrap(), Some(halves));
    }

    #[test]
    fn a_damaged_entry_is_an_error_and_not_an_absence() {
        let aux = Arc::new(MemoryAux::default());
        let store = Store::new(aux.clone());
        store.put_best(&justification(0, 10)).unwrap();
        for value in aux.0.lock().values_mut() {
            value.push(0);
        }
        let error = store.best().unwrap_err();
        assert!(matches!(error, StoreError::Corrupt { entry: BEST, .. }));
    }
}
