//! Duet's data in a node's database, for operators to inspect and repair while the node is stopped.

use crate::store::{Checked, Store, StoreError};
use duet_primitives::BlockNumber;
use duet_voter::{State, StateError};
use sc_client_api::AuxStore;
use std::{io, sync::Arc};

/// Duet's data in a database.
pub struct Stored {
    store: Store,
}

/// A stored entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEntry {
    /// Its name, such as `handover 7`.
    pub name: String,
    /// Its key in the auxiliary store.
    pub key: Vec<u8>,
    /// Why it is unreadable, and its actual content; `None` if it is readable.
    pub broken: Option<(String, Vec<u8>)>,
    /// The loss if it is removed.
    pub loss: &'static str,
}

/// Why there was no repair.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepairError {
    /// A newer node wrote the voter's state, and can read it.
    #[error(
        "the voter's state was written by a newer node ({0}): upgrade this node; nothing is broken"
    )]
    Newer(StateError),
    /// The backup of the removed entries could not be saved.
    #[error("the unreadable entries could not be saved, so they were left as they are: {0}")]
    NotSaved(#[from] io::Error),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Stored {
    /// The data in this database.
    pub fn of<A: AuxStore + Send + Sync + 'static>(aux: Arc<A>) -> Self {
        Self {
            store: Store::new(aux),
        }
    }

    /// The voter's state; `None` if none is stored.
    ///
    /// # Errors
    /// [`StoreError`] when the database cannot be read.
    pub fn voter(&self) -> Result<Option<Result<State, StateError>>, StoreError> {
        let bytes = self.store.voter_state()?;
        Ok(bytes.map(|bytes| State::from_bytes(&bytes)))
    }

    /// Every entry except the payloads of blocks. Sets and their handoffs are found only if the voter's state or the
    /// newest proof is readable.
    ///
    /// # Errors
    /// [`StoreError`] when the database cannot be read.
    pub fn entries(&self) -> Result<Vec<StoredEntry>, StoreError> {
        let entries = self.store.entries()?;
        Ok(entries.into_iter().map(StoredEntry::from).collect())
    }

    /// Removes the unreadable entries, after `save` has kept them, and returns them. `finalized` is the highest block
    /// that GRANDPA finalized: if the record of a node's votes is removed, no block up to it is signed again. (ROUND-4)
    ///
    /// # Errors
    /// [`RepairError`]; then nothing was changed.
    pub fn repair(
        &self,
        finalized: BlockNumber,
        save: impl FnOnce(&[StoredEntry]) -> io::Result<()>,
    ) -> Result<Vec<StoredEntry>, RepairError> {
        if let Some(Err(error @ StateError::Version { .. })) = self.voter()? {
            return Err(RepairError::Newer(error));
        }
        let mut removed = self.store.entries()?;
        removed.retain(|one| one.broken.is_some());
        if removed.is_empty() {
            return Ok(Vec::new());
        }
        let named: Vec<_> = removed.iter().map(StoredEntry::from).collect();
        save(&named)?;
        self.store.remove_unreadable(&removed, finalized)?;
        Ok(named)
    }
}

impl From<&Checked> for StoredEntry {
    fn from(one: &Checked) -> Self {
        let name = format!("{} {}", one.table, one.of);
        Self {
            name: name.trim_end().to_owned(),
            key: one.key.clone(),
            broken: one.broken.clone(),
            loss: one.loss(),
        }
    }
}

impl From<Checked> for StoredEntry {
    fn from(one: Checked) -> Self {
        Self::from(&one)
    }
}
