//! The records of keys' votes, and the lock for changing them. (ROUND-4)

use crate::{
    directory,
    error::KeyStoreError,
    export::VoteExport,
    lock::DirectoryLock,
    record,
    signer::SignerError,
    votes::{Merged, Refusal, Votes},
};
use duet_primitives::{BlockNumber, Pk1Bytes, RoundMessage, H256};
use std::{
    collections::{btree_map::Entry, BTreeMap},
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The votes of a directory's keys on each chain. Neither the secrets nor their password are needed.
///
/// While it lives, no other process signs with the keys of the directory or changes these records.
pub struct VoteRecords {
    place: Option<Place>,
    /// The records on disk; for keys in memory, the only ones.
    known: Mutex<Accounts>,
}

type Accounts = BTreeMap<(Pk1Bytes, H256), Votes>;

struct Place {
    directory: PathBuf,
    _lock: DirectoryLock,
}

/// Where a key's votes are remembered.
pub(crate) enum Memory {
    /// On disk, if there is a directory.
    Lasting,
    /// Until the process ends, unless there is a record of the key.
    Ephemeral,
}

/// The result of merging another record into a key's record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedVotes {
    /// The key.
    pub key: Pk1Bytes,
    /// The lowest block that the key may sign now, apart from the remembered ones; `None` if there is none.
    pub lowest: Option<BlockNumber>,
    /// The number of remembered votes.
    pub votes: usize,
    /// The blocks with two known hashes: the key signed twice, and signs nothing at or below them any more.
    pub signed_twice: Vec<BlockNumber>,
}

impl ImportedVotes {
    fn new(key: Pk1Bytes, merged: Merged) -> Self {
        Self {
            key,
            lowest: merged.votes.lowest().block(),
            votes: merged.votes.len(),
            signed_twice: merged.signed_twice.into_iter().collect(),
        }
    }
}

impl VoteRecords {
    /// Opens and locks the records of a directory, creating it with mode 0700 if it is missing.
    ///
    /// # Errors
    /// [`KeyStoreError::InUse`] at once when a node or another command holds the lock; [`KeyStoreError::Io`].
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

    /// The file that records a key's votes on the chain with this genesis; `None` without a directory.
    pub fn path_of(&self, key: &Pk1Bytes, genesis: H256) -> Option<PathBuf> {
        self.place
            .as_ref()
            .map(|place| record::path(&place.directory, key, genesis))
    }

    /// The votes of all keys here on a chain, including keys whose secrets are gone.
    ///
    /// The export is out of date as soon as one of the keys signs again.
    ///
    /// # Errors
    /// [`KeyStoreError::CorruptVotes`] with the first unreadable record; [`KeyStoreError::Io`].
    pub fn export(&self, genesis: H256) -> Result<VoteExport, KeyStoreError> {
        let known = self.known();
        let all = match &self.place {
            Some(place) => record::all(&place.directory, genesis)?,
            None => known
                .iter()
                .filter(|((_, chain), _)| *chain == genesis)
                .map(|((key, _), votes)| (*key, votes.clone()))
                .collect(),
        };
        Ok(VoteExport::new(genesis, all))
    }

    /// Merges votes exported elsewhere into the records here. A vote refused before stays refused. The secrets of the
    /// keys need not be here. Importing twice changes nothing.
    ///
    /// Each record is replaced as a whole and flushed. After a power cut, only some may be replaced: import again.
    ///
    /// # Errors
    /// [`KeyStoreError::CorruptVotes`] with the first unreadable record here, in which case nothing is changed;
    /// [`KeyStoreError::Io`].
    pub fn import(&self, export: &VoteExport) -> Result<Vec<ImportedVotes>, KeyStoreError> {
        let genesis = export.genesis();
        let mut known = self.known();
        let mut all = Vec::new();
        for (key, theirs) in export.iter() {
            let ours = match known.get(&(*key, genesis)) {
                Some(ours) => ours.clone(),
                None => self.read(key, genesis)?,
            };
            let both = theirs.and(&Merged::one(ours.clone()));
            all.push((*key, ours, both));
        }
        for (key, ours, Merged { votes, .. }) in &all {
            if let Some(place) = self.place.as_ref().filter(|_| votes != ours) {
                record::write(&place.directory, key, genesis, votes)?;
            }
            known.insert((*key, genesis), votes.clone());
        }
        Ok(all
            .into_iter()
            .map(|(key, _, both)| ImportedVotes::new(key, both))
            .collect())
    }

    /// Records a vote before it is given out. (ROUND-4)
    pub(crate) fn record(
        &self,
        key: &Pk1Bytes,
        message: &RoundMessage,
        memory: Memory,
    ) -> Result<(), SignerError> {
        let genesis = message.genesis_hash();
        // Held while the file is written: the second of two concurrent votes sees the first.
        let mut known = self.known();
        let votes = match known.entry((*key, genesis)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(self.read(key, genesis)?),
        };
        let (key, block) = (*key, message.commitment().block_number);
        let Some(with) = votes.with(message).map_err(|refusal| match refusal {
            Refusal::Voted => SignerError::AlreadyVoted { key, block },
            Refusal::Forgotten => SignerError::TooOld { key, block },
        })?
        else {
            return Ok(());
        };
        if let Some(Place { directory, .. }) = &self.place {
            let lasts = match memory {
                Memory::Lasting => true,
                Memory::Ephemeral => record::path(directory, &key, genesis).exists(),
            };
            if lasts {
                record::write(directory, &key, genesis, &with)?;
            }
        }
        *votes = with;
        Ok(())
    }

    fn read(&self, key: &Pk1Bytes, genesis: H256) -> Result<Votes, KeyStoreError> {
        match &self.place {
            Some(place) => record::read(&place.directory, key, genesis),
            None => Ok(Votes::default()),
        }
    }

    // A panic while the lock is held leaves the map consistent: each change is one insertion.
    fn known(&self) -> MutexGuard<'_, Accounts> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
