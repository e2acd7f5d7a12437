//! The client's auxiliary store as tables: a key is the prefix, the table's name and an id.

use codec::{Decode, DecodeAll, Encode};
use sc_client_api::AuxStore;
use std::sync::Arc;

const PREFIX: &[u8] = b"duet/v1/";

/// Why a read or write failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The database.
    #[error("the database failed: {0}")]
    Database(#[from] sp_blockchain::Error),
    /// An entry has invalid content.
    #[error("the entry {entry} in the database does not decode: {error}")]
    Corrupt {
        /// The table of the entry.
        entry: &'static str,
        /// The decoder's error.
        error: codec::Error,
    },
}

/// A write: a key, and the new value, or `None` to remove it.
pub(super) type Write = (Vec<u8>, Option<Vec<u8>>);

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

/// The tables of a database. Cheap to clone.
#[derive(Clone)]
pub(super) struct Tables {
    aux: Arc<dyn Aux>,
}

pub(super) fn key(table: &'static str, id: &[u8]) -> Vec<u8> {
    [PREFIX, table.as_bytes(), b"/", id].concat()
}

/// The write of one value.
pub(super) fn entry(table: &'static str, id: &[u8], value: &impl Encode) -> Write {
    (key(table, id), Some(value.encode()))
}

impl Tables {
    pub(super) fn new<A: AuxStore + Send + Sync + 'static>(aux: Arc<A>) -> Self {
        Self { aux }
    }

    /// The bytes of a value; `None` when there is none.
    pub(super) fn read(
        &self,
        table: &'static str,
        id: &[u8],
    ) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.aux.read(&key(table, id))?)
    }

    /// A value; `None` when there is none.
    pub(super) fn get<T: Decode>(
        &self,
        table: &'static str,
        id: &[u8],
    ) -> Result<Option<T>, StoreError> {
        let Some(bytes) = self.read(table, id)? else {
            return Ok(None);
        };
        T::decode_all(&mut &*bytes)
            .map(Some)
            .map_err(|error| StoreError::Corrupt {
                entry: table,
                error,
            })
    }

    pub(super) fn put(
        &self,
        table: &'static str,
        id: &[u8],
        value: &impl Encode,
    ) -> Result<(), StoreError> {
        self.write(&[entry(table, id, value)])
    }

    /// Makes all writes, or none of them.
    pub(super) fn write(&self, writes: &[Write]) -> Result<(), StoreError> {
        Ok(self.aux.write(writes)?)
    }
}
