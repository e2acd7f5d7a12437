//! The queue on disk.

use super::{
    log::{self, Chain, LogError},
    parallel::check_all,
    rules::{AddError, Change, InconsistentChange, Limits, Order, Queue, Reason, State, Terms},
};
use crate::{
    attestation::{Party, Time},
    directory::KeyDirectory,
    record::{Record, RecordId, VerifiedRecord},
};
use duet_journal::disk;
use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::Arc,
};
use thiserror::Error;

const LOG: &str = "queue.log";
/// The next log while it is written; meaningless until it has the log's name.
const NEXT_LOG: &str = "queue.log.next";
const LOCK: &str = "queue.lock";
/// A log is written anew when it is this much longer than what the queue holds.
const SLACK: u64 = 1 << 20;
/// Verdicts reach the disk after this many records: so much work is lost in a crash.
const BATCH: usize = 512;

/// Why the queue on disk was not read or changed.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Another process has the queue open.
    #[error("{0}: in use by another process")]
    InUse(PathBuf),
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The log is damaged.
    #[error("{path}: {source}")]
    Log {
        /// Which file.
        path: PathBuf,
        /// How.
        source: LogError,
    },
    /// The log is whole, and its changes do not follow from one another.
    #[error("{path}: {source}")]
    Inconsistent {
        /// Which file.
        path: PathBuf,
        /// The change that does not follow.
        source: InconsistentChange,
    },
    /// The record is not taken in; the queue is as it was.
    #[error(transparent)]
    Add(#[from] AddError),
    /// An earlier write failed, and the file is in doubt: open the queue again.
    #[error("an earlier write failed; the queue must be opened again")]
    InDoubt,
}

/// What one round of verification came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Dropped, because their deadline was over.
    pub expired: Vec<RecordId>,
    /// Found to be good.
    pub verified: Vec<RecordId>,
    /// Found to be bad, and why.
    pub invalid: Vec<(RecordId, Reason)>,
    /// Could not be decided now: a key is not known, or the directory or the library failed. They wait until their deadline.
    pub undecided: Vec<RecordId>,
}

/// A [`Queue`] in a folder of its own: one process at a time, every change flushed before it counts.
///
/// The file is trusted as far as the folder is: whoever may write there may write verdicts.
#[derive(Debug)]
pub struct QueueStore {
    folder: PathBuf,
    queue: Queue,
    log: File,
    chain: Chain,
    len: u64,
    /// After a failed compaction: how long the log is to be before the next attempt.
    compact_from: u64,
    is_in_doubt: bool,
    /// Held for as long as this value lives.
    _lock: File,
}

impl QueueStore {
    /// Opens the queue in a folder, which is made if it is not there.
    ///
    /// A change that was being written when the last process ended is forgotten; nothing that was reported as done is.
    /// With smaller limits than before, records stay, and no more come in until there is room.
    ///
    /// # Errors
    /// Another process has the queue open, a file cannot be read or written, or the log is damaged.
    pub fn open(folder: &Path, limits: Limits) -> Result<Self, StoreError> {
        create_folder(folder).map_err(io_error(folder))?;
        let lock = lock(&folder.join(LOCK))?;
        let path = folder.join(LOG);
        let mut file = open_log(&path).map_err(io_error(&path))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io_error(&path))?;
        let contents = log::read(&bytes).map_err(|source| StoreError::Log {
            path: path.clone(),
            source,
        })?;
        let mut queue = Queue::new(limits);
        for change in contents.changes {
            queue
                .apply(change)
                .map_err(|source| StoreError::Inconsistent {
                    path: path.clone(),
                    source,
                })?;
        }
        let mut store = Self {
            folder: folder.to_owned(),
            queue,
            log: file,
            chain: contents.chain,
            len: contents.whole as u64,
            compact_from: 0,
            is_in_doubt: false,
            _lock: lock,
        };
        store.mend().map_err(io_error(&path))?;
        match store.compact_if_long() {
            Err(error) if store.is_in_doubt => Err(error),
            // A log that stays long says the same.
            Ok(()) | Err(_) => Ok(store),
        }
    }

    /// Cuts off what was not written whole, and writes the header of a new log.
    fn mend(&mut self) -> io::Result<()> {
        self.log.set_len(self.len)?;
        self.log.seek(SeekFrom::Start(self.len))?;
        if self.len == 0 {
            self.log.write_all(&log::header())?;
            self.len = log::HEADER_LEN as u64;
        }
        self.log.sync_all()?;
        disk::sync_folder(&self.folder)
    }

    /// What is in the queue.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Takes a record in, unverified.
    ///
    /// # Errors
    /// The rules refuse it ([`Queue::add`]), or it cannot be written.
    pub fn add(&mut self, record: Record, terms: Terms, now: Time) -> Result<RecordId, StoreError> {
        let id = record.id();
        let changes = self.queue.add(Arc::new(record), terms, now)?;
        self.commit(changes)?;
        Ok(id)
    }

    /// Drops what is over at `now`, and decides up to `most` of the records that wait for this verifier on `threads` threads.
    ///
    /// Verdicts are written as they come; `progress` is told how many records more are done.
    ///
    /// # Errors
    /// A verdict cannot be written; those before it are.
    pub fn verify(
        &mut self,
        directory: &dyn KeyDirectory,
        now: Time,
        work: &Work,
        mut progress: impl FnMut(usize),
    ) -> Result<Report, StoreError> {
        let mut report = Report {
            expired: self.expire(now)?,
            ..Report::default()
        };
        let pending = self.queue.pending(work.verifier, work.order);
        let mut waiting = pending.as_slice();
        loop {
            // What cannot be decided does not count, or it would keep everything behind it from being verified.
            let decided = report.verified.len() + report.invalid.len();
            let round = BATCH.min(work.most.saturating_sub(decided));
            let (ids, later) = waiting.split_at(round.min(waiting.len()));
            if ids.is_empty() {
                break;
            }
            waiting = later;
            let records: Vec<_> = ids
                .iter()
                .filter_map(|id| self.queue.get(id))
                .map(|entry| entry.record().clone())
                .collect();
            let verdicts = check_all(&records, directory, work.threads);
            let mut changes = Vec::with_capacity(ids.len());
            for (id, verdict) in ids.iter().zip(&verdicts) {
                let change = self.queue.settle(id, verdict);
                match &change {
                    Some(Change::Settled { invalid: None, .. }) => report.verified.push(*id),
                    Some(Change::Settled {
                        invalid: Some(reason),
                        ..
                    }) => report.invalid.push((*id, *reason)),
                    _ => report.undecided.push(*id),
                }
                changes.extend(change);
            }
            self.commit(changes)?;
            progress(ids.len());
        }
        Ok(report)
    }

    /// Drops the unverified and the invalid records whose deadline is over; verified ones stay until they are taken.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn expire(&mut self, now: Time) -> Result<Vec<RecordId>, StoreError> {
        let changes = self.queue.expire(now);
        let ids = changes.iter().filter_map(|change| match change {
            Change::Removed { id } => Some(*id),
            Change::Added { .. } | Change::Settled { .. } => None,
        });
        let ids = ids.collect();
        self.commit(changes)?;
        Ok(ids)
    }

    /// A verified record, which stays where it is; `None` when there is no such record or nothing good is known about it.
    ///
    /// Whoever passes it on before it is removed ([`QueueStore::remove`]) does not lose it when passing it on fails.
    pub fn verified(&self, id: &RecordId) -> Option<VerifiedRecord> {
        let entry = self.queue.get(id)?;
        if entry.state() != State::Verified {
            return None;
        }
        let record = Record::clone(entry.record());
        Some(VerifiedRecord::verified_before_unchecked(record))
    }

    /// Takes a verified record out; `None` when there is no such record or nothing good is known about it.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn take(&mut self, id: &RecordId) -> Result<Option<VerifiedRecord>, StoreError> {
        let Some(record) = self.verified(id) else {
            return Ok(None);
        };
        self.commit(vec![Change::Removed { id: *id }])?;
        Ok(Some(record))
    }

    /// Removes a record in whatever state; `false` when there is none.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn remove(&mut self, id: &RecordId) -> Result<bool, StoreError> {
        if self.queue.get(id).is_none() {
            return Ok(false);
        }
        self.commit(vec![Change::Removed { id: *id }])?;
        Ok(true)
    }

    /// Writes changes, flushes them, and lets them happen.
    fn commit(&mut self, changes: Vec<Change>) -> Result<(), StoreError> {
        if changes.is_empty() {
            return Ok(());
        }
        if self.is_in_doubt {
            return Err(StoreError::InDoubt);
        }
        let path = self.folder.join(LOG);
        let (frame, chain) =
            log::frame(self.chain, &changes).map_err(|source| StoreError::Log {
                path: path.clone(),
                source,
            })?;
        // Until both succeed nobody knows what is in the file.
        self.is_in_doubt = true;
        self.log
            .write_all(&frame)
            .and_then(|()| self.log.sync_data())
            .map_err(io_error(&path))?;
        self.is_in_doubt = false;
        self.len += frame.len() as u64;
        self.chain = chain;
        for change in changes {
            self.queue
                .apply(change)
                .map_err(|source| StoreError::Inconsistent {
                    path: path.clone(),
                    source,
                })?;
        }
        // The changes are on the disk: a log that stays long, or is in doubt from now on, does not undo them.
        let _ = self.compact_if_long();
        Ok(())
    }

    /// Writes a log of what is there now, when the log has much more in it: its length stays within twice the limits.
    ///
    /// When this fails before the new log takes the old one's place, everything goes on with the old one, and the next
    /// attempt is made when it has grown some more.
    fn compact_if_long(&mut self) -> Result<(), StoreError> {
        let held = self.queue.bytes() as u64;
        let enough = held.saturating_mul(2).saturating_add(SLACK);
        if self.len <= enough.max(self.compact_from) {
            return Ok(());
        }
        self.compact_from = self.len.saturating_add(SLACK);
        let next = self.folder.join(NEXT_LOG);
        let mut chain = Chain::start();
        let mut bytes = log::header().to_vec();
        for change in self.queue.snapshot() {
            let (frame, after) =
                log::frame(chain, &[change]).map_err(|source| StoreError::Log {
                    path: next.clone(),
                    source,
                })?;
            bytes.extend_from_slice(&frame);
            chain = after;
        }
        let file = disk::overwrite(&next, &bytes).map_err(|error| {
            // Bytes that nobody reads take room that the log may need.
            let _ = fs::remove_file(&next);
            io_error(&next)(error)
        })?;
        // From here on nobody knows which of the two files has the log's name.
        self.is_in_doubt = true;
        fs::rename(&next, self.folder.join(LOG))
            .and_then(|()| disk::sync_folder(&self.folder))
            .map_err(io_error(&next))?;
        self.is_in_doubt = false;
        self.log = file;
        self.chain = chain;
        self.len = bytes.len() as u64;
        self.compact_from = 0;
        Ok(())
    }
}

/// What one round of verification is to do.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Whose records.
    pub verifier: Party,
    /// Which first.
    pub order: Order,
    /// How many verdicts at most; records that cannot be decided now do not count.
    pub most: usize,
    /// On how many threads.
    pub threads: NonZeroUsize,
}

impl Work {
    /// Everything that waits for this verifier, on all cores.
    pub fn all(verifier: Party, order: Order) -> Self {
        Self {
            verifier,
            order,
            most: usize::MAX,
            threads: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        }
    }
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> StoreError + '_ {
    move |source| StoreError::Io {
        path: path.to_owned(),
        source,
    }
}

/// Makes a folder and those above it, each so that it is there after a power cut.
fn create_folder(folder: &Path) -> io::Result<()> {
    let above = folder.ancestors();
    let missing: Vec<_> = above
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        .collect();
    fs::create_dir_all(folder)?;
    for made in missing {
        disk::sync_folder_of(made)?;
    }
    Ok(())
}

fn open_log(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
}

fn lock(path: &Path) -> Result<File, StoreError> {
    let file = open_log(path).map_err(io_error(path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse(path.to_owned())),
        Err(TryLockError::Error(source)) => Err(io_error(path)(source)),
    }
}
