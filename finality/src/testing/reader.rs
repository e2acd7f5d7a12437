//! A reader whose answers say what was asked for, and that has dropped the states up to a block.

use crate::{
    client::AccountId,
    rpc::{ChainReader, Path, ReaderError},
};
use codec::Encode;
use duet_primitives::{
    testing::secret, Accusation, BlockNumber, DualKeyBytes, EvidenceStatus, SigningRecord, H256,
};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// The reader.
pub(crate) struct TestReader {
    /// The states of blocks below this one are gone.
    pub(crate) oldest_state: BlockNumber,
    /// How often records were asked for.
    pub(crate) asked: AtomicU32,
    /// What can be done about accusations; `None` where the runtime does not know it.
    pub(crate) status: Mutex<Option<EvidenceStatus>>,
    /// The block at which no set signs.
    pub(crate) without_set: Mutex<Option<H256>>,
}

impl TestReader {
    /// Of a chain whose states below a block are gone.
    pub(crate) fn of_states_from(oldest_state: BlockNumber) -> Self {
        Self {
            oldest_state,
            asked: AtomicU32::new(0),
            status: Mutex::default(),
            without_set: Mutex::default(),
        }
    }
}

impl ChainReader for TestReader {
    fn nodes(
        &self,
        number: BlockNumber,
        hash: H256,
        keys: &[Vec<u8>],
    ) -> Result<Vec<Vec<u8>>, ReaderError> {
        if number < self.oldest_state {
            return Err(ReaderError::NoState(number));
        }
        Ok(keys.iter().map(|key| (hash, key).encode()).collect())
    }

    fn signing_keys(&self, at: H256) -> Result<Option<Vec<DualKeyBytes>>, ReaderError> {
        let signs = *self.without_set.lock() != Some(at);
        Ok(signs.then(|| vec![secret(1).public()]))
    }

    fn path(&self, older: BlockNumber, newer: BlockNumber) -> Result<Path, ReaderError> {
        Ok(Path {
            leaves: older.encode(),
            proof: newer.encode(),
        })
    }

    fn signing_records(&self, at: H256) -> Result<Vec<(AccountId, SigningRecord)>, ReaderError> {
        let record = SigningRecord {
            signed: self.asked.fetch_add(1, Ordering::Relaxed),
            handoffs: 3,
        };
        Ok(vec![(AccountId::new(at.0), record)])
    }

    fn accusation_status(
        &self,
        _: H256,
        _: &Accusation,
    ) -> Result<Option<EvidenceStatus>, ReaderError> {
        Ok(*self.status.lock())
    }
}
