//! The records of what keys voted for, and the lock under which they are changed. (ROUND-4)

use crate::{
    directory,
    error::KeyStoreError,
    lock::DirectoryLock,
    record,
    signer::SignerError,
    votes::{Refusal, Votes},
};
use duet_primitives::{Pk1Bytes, RoundMessage, H256};
use std::{
    collections::{btree_map::Entry, BTreeMap},
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// What the keys of a directory voted for on each chain. Secrets are not needed for it, nor their password.
///
/// As long as it lives, no other process signs with the keys of the directory or changes these records.
pub struct VoteRecords {
    place: Option<Place>,
    /// As on disk; the only account for keys that live in memory only.
    known: Mutex<Accounts>,
}

type Accounts = BTreeMap<(Pk1Bytes, H256), Votes>;

struct Place {
    directory: PathBuf,
    _lock: DirectoryLock,
}

/// Where the votes of a key are remembered.
pub(crate) enum Memory {
    /// On disk, where there is a directory.
    Lasting,
    /// Until the process ends.
    Ephemeral,
}

impl VoteRecords {
    /// Opens the records of a directory, which is made if it is missing, with mode 0700, and locks it.
    ///
    /// # Errors
    /// [`KeyStoreError::InUse`] at once when a node or another command has it; [`KeyStoreError::Io`].
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, KeyStoreError> {
        let directory = path.into();
        directory::create(&directory)?;
        let lock = DirectoryLock::take(&directory)?;
        Ok(Self {
            place: Some(Place {
                directory,
                _lock: lock,
            }),
            known: Mutex::default(),
        })
    }

    pub(crate) fn in_memory() -> Self {
        Self {
            place: None,
            known: Mutex::default(),
        }
    }

    /// The file that a key's votes on the chain with this genesis are recorded in; `None` without a directory.
    pub fn path_of(&self, key: &Pk1Bytes, genesis: H256) -> Option<PathBuf> {
        self.place
            .as_ref()
            .map(|place| record::path(&place.directory, key, genesis))
    }

    /// Records a vote before it is given out. (ROUND-4)
    pub(crate) fn record(
        &self,
        key: &Pk1Bytes,
        message: &RoundMessage,
        memory: Memory,
    ) -> Result<(), SignerError> {
        let genesis = message.genesis_hash();
        // Held while the file is written: of two votes at a time, the second sees the first.
        let mut known = self.known();
        let votes = match known.entry((*key, genesis)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(self.read(key, genesis, &memory)?),
        };
        let (key, block) = (*key, message.commitment().block_number);
        let Some(with) = votes.with(message).map_err(|refusal| match refusal {
            Refusal::Voted => SignerError::AlreadyVoted { key, block },
            Refusal::Forgotten => SignerError::TooOld { key, block },
        })?
        else {
            return Ok(());
        };
        if let (Some(place), Memory::Lasting) = (&self.place, memory) {
            record::write(&place.directory, &key, genesis, &with)?;
        }
        *votes = with;
        Ok(())
    }

    fn read(&self, key: &Pk1Bytes, genesis: H256, memory: &Memory) -> Result<Votes, KeyStoreError> {
        match (&self.place, memory) {
            (Some(place), Memory::Lasting) => record::read(&place.directory, key, genesis),
            (None, _) | (_, Memory::Ephemeral) => Ok(Votes::default()),
        }
    }

    // A panic while it is held leaves the map consistent: each change is one insertion.
    fn known(&self) -> MutexGuard<'_, Accounts> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
