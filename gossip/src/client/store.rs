//! What outlives a restart, in the client's auxiliary store.
//!
//! Keys start with `duet/v1/`; a change of any layout takes another number.
//!
//! The database applies writes in the order in which they were made, so that after a crash it holds a prefix of
//! them: never a proof without the sets before it, never a vote without the finalized block that it is about.
//! The prefix may lack a vote that was sent. The voter then asks for it again, and the signer, which has a
//! record of its own that is flushed with each vote, gives the same bytes or nothing. (ROUND-4)

use crate::network::message::decode_exactly;
use codec::{Decode, Encode};
use duet_primitives::{
    CommitmentPayload, DualKeyBytes, KeysetCommitment, Pk1Bytes, SetId, UncheckedJustification,
    H256,
};
use sc_client_api::AuxStore;
use std::sync::Arc;

const PREFIX: &[u8] = b"duet/v1/";

/// Why something could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database.
    #[error("the database refused: {0}")]
    Database(#[from] sp_blockchain::Error),
    /// An entry is not what was written.
    #[error("the entry {0} in the database does not decode")]
    Corrupt(&'static str),
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

/// What a light client starts from: the genesis header, and a proof of the first keysets in its state.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub(crate) struct GenesisProof {
    /// SCALE of the genesis header.
    pub(crate) header: Vec<u8>,
    /// Nodes of the state trie that prove `Duet::Keysets`.
    pub(crate) proof: Vec<Vec<u8>>,
    /// Keys of set 0 in set order.
    pub(crate) keys: Vec<Pk1Bytes>,
}

/// What Duet keeps in the client's auxiliary store. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Store {
    aux: Arc<dyn Aux>,
}

fn key(table: &'static str, id: &[u8]) -> Vec<u8> {
    [PREFIX, table.as_bytes(), b"/", id].concat()
}

const STATE: &str = "state";
const KEYS: &str = "keys";
const SET: &str = "set";
const PAYLOAD: &str = "payload";
const HANDOVER: &str = "handover";
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
        decode_exactly(&bytes)
            .map(Some)
            .ok_or(StoreError::Corrupt(table))
    }

    fn put(&self, table: &'static str, id: &[u8], value: &impl Encode) -> Result<(), StoreError> {
        Ok(self.aux.write(&[(key(table, id), Some(value.encode()))])?)
    }

    /// The voter's state as it encoded it.
    pub(crate) fn voter_state(&self) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.aux.read(&key(STATE, &[]))?)
    }

    /// Keeps the voter's state. (ROUND-4)
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

    /// Keeps the keys of a set that a block of any fork plans.
    pub(crate) fn put_keys(
        &self,
        commitment: &KeysetCommitment,
        keys: &[DualKeyBytes],
    ) -> Result<(), StoreError> {
        self.put(KEYS, commitment.root.as_bytes(), &keys)
    }

    /// The set with this number on the finalized chain.
    pub(crate) fn set(&self, id: SetId) -> Result<Option<KeysetCommitment>, StoreError> {
        self.get(SET, &id.to_le_bytes())
    }

    /// Notes a set of the finalized chain under its number.
    pub(crate) fn put_set(&self, commitment: &KeysetCommitment) -> Result<(), StoreError> {
        self.put(SET, &commitment.id.to_le_bytes(), commitment)
    }

    /// What is signed about a block, kept because its state may be gone when it is signed.
    pub(crate) fn payload(&self, block: H256) -> Result<Option<CommitmentPayload>, StoreError> {
        self.get(PAYLOAD, block.as_bytes())
    }

    /// Keeps what is signed about a block.
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

    /// The justification with which this set handed over to the next.
    pub(crate) fn handover(
        &self,
        set_id: SetId,
    ) -> Result<Option<UncheckedJustification>, StoreError> {
        self.get(HANDOVER, &set_id.to_le_bytes())
    }

    /// The justification of the highest block.
    pub(crate) fn best(&self) -> Result<Option<UncheckedJustification>, StoreError> {
        self.get(BEST, &[])
    }

    /// Keeps the justification of the highest block, and as its set's hand-over where it is one.
    pub(crate) fn put_best(
        &self,
        justification: &UncheckedJustification,
        mandatory: bool,
    ) -> Result<(), StoreError> {
        let bytes = justification.encode();
        let mut writes = vec![(key(BEST, &[]), Some(bytes.clone()))];
        if mandatory {
            let set_id = justification.commitment.validator_set_id;
            writes.push((key(HANDOVER, &set_id.to_le_bytes()), Some(bytes)));
        }
        Ok(self.aux.write(&writes)?)
    }

    /// The proof that light clients start from.
    pub(crate) fn genesis_proof(&self) -> Result<Option<GenesisProof>, StoreError> {
        self.get(GENESIS, &[])
    }

    /// Keeps the proof that light clients start from.
    pub(crate) fn put_genesis_proof(&self, proof: &GenesisProof) -> Result<(), StoreError> {
        self.put(GENESIS, &[], proof)
    }

    /// The hand-overs of sets `first_set`, `first_set + 1`, … in order, up to `count` or the first unknown.
    pub(crate) fn mandatory_justifications(
        &self,
        first_set: SetId,
        count: u32,
    ) -> Result<Vec<UncheckedJustification>, StoreError> {
        let mut found = Vec::new();
        for offset in 0..u64::from(count) {
            let Some(set_id) = first_set.checked_add(offset) else {
                break;
            };
            match self.handover(set_id)? {
                Some(justification) => found.push(justification),
                None => break,
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::testing::MemoryAux;
    use duet_primitives::{testing::TestSet, RoundMessage};

    fn justification(id: SetId, number: u32) -> UncheckedJustification {
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

        assert_eq!(store.set(3).unwrap(), None);
        store.put_set(commitment).unwrap();
        assert_eq!(store.set(3).unwrap().as_ref(), Some(commitment));

        assert_eq!(store.voter_state().unwrap(), None);
        store.put_voter_state(vec![1, 2, 3]).unwrap();
        assert_eq!(store.voter_state().unwrap(), Some(vec![1, 2, 3]));

        let proof = GenesisProof {
            header: vec![1],
            proof: vec![vec![2]],
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
            validator_set_id: 0,
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
    fn a_mandatory_proof_is_kept_as_the_hand_over_of_its_set() {
        let store = Store::new(Arc::new(MemoryAux::default()));
        let (first, second, last) = (
            justification(0, 10),
            justification(1, 20),
            justification(2, 25),
        );
        for (proof, mandatory) in [(&first, true), (&second, true), (&last, false)] {
            store.put_best(proof, mandatory).unwrap();
            assert_eq!(store.best().unwrap().as_ref(), Some(proof));
        }
        assert_eq!(
            store.mandatory_justifications(0, 9).unwrap(),
            [first, second.clone()]
        );
        assert_eq!(store.mandatory_justifications(1, 1).unwrap(), [second]);
        assert_eq!(store.mandatory_justifications(2, 9).unwrap(), []);
    }

    #[test]
    fn a_damaged_entry_is_an_error_and_not_an_absence() {
        let aux = Arc::new(MemoryAux::default());
        let store = Store::new(aux.clone());
        store.put_best(&justification(0, 10), false).unwrap();
        for value in aux.0.lock().values_mut() {
            value.push(0);
        }
        assert!(matches!(store.best(), Err(StoreError::Corrupt(BEST))));
    }
}
