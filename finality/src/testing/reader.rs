//! A reader whose answers say what was asked for, and that has dropped the states up to a block.

use crate::{
    client::AccountId,
    rpc::{ChainReader, Path, ReaderError},
};
use codec::Encode;
use duet_primitives::{BlockNumber, SigningRecord, H256};
use std::sync::atomic::{AtomicU32, Ordering};

/// The states of blocks below this one are gone. Counts how often records were asked for.
pub(crate) struct TestReader(pub(crate) BlockNumber, pub(crate) AtomicU32);

impl ChainReader for TestReader {
    fn nodes(
        &self,
        number: BlockNumber,
        hash: H256,
        keys: &[Vec<u8>],
    ) -> Result<Vec<Vec<u8>>, ReaderError> {
        if number < self.0 {
            return Err(ReaderError::NoState(number));
        }
        Ok(keys.iter().map(|key| (hash, key).encode()).collect())
    }

    fn path(&self, older: BlockNumber, newer: BlockNumber) -> Result<Path, ReaderError> {
        Ok(Path {
            leaves: older.encode(),
            proof: newer.encode(),
        })
    }

    fn signing_records(&self, at: H256) -> Result<Vec<(AccountId, SigningRecord)>, ReaderError> {
        let record = SigningRecord {
            signed: self.1.fetch_add(1, Ordering::Relaxed),
            handoffs: 3,
        };
        Ok(vec![(AccountId::new(at.0), record)])
    }
}
