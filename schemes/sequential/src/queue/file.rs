//! The log file: durable appends and compaction.

use super::{
    log::{self, Chain, LogError},
    rules::{AddError, Change, InconsistentChange, Queue},
};
use duet_journal::disk;
use std::{
    fs::{self, File, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};
use thiserror::Error;

const LOG: &str = "queue.log";
/// The temporary file of a compaction. It has no meaning until it is renamed.
const NEXT_LOG: &str = "queue.log.next";
const LOCK: &str = "queue.lock";
/// The log is compacted when it is this much longer than the content of the queue.
const SLACK: u64 = 1 << 20;

/// Why the queue on disk could not be read or changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another process has the queue open.
    #[error("{0}: in use by another process")]
    InUse(PathBuf),
    /// An I/O error.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The log is corrupt.
    #[error("{path}: {source}")]
    Log {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: LogError,
    },
    /// The log is intact, but its changes are inconsistent.
    #[error("{path}: {source}")]
    Inconsistent {
        /// The file.
        path: PathBuf,
        /// The inconsistent change.
        source: InconsistentChange,
    },
    /// The record was not added; the queue is unchanged.
    #[error(transparent)]
    Add(#[from] AddError),
    /// An earlier write failed, so the content of the file is unknown. Open the queue again.
    #[error("an earlier write to the queue failed; open it again")]
    Poisoned,
}

/// The log in its folder, locked while it is open.
#[derive(Debug)]
pub(super) struct LogFile {
    folder: PathBuf,
    file: File,
    chain: Chain,
    len: u64,
    /// After a failed compaction: the length at which the next one is attempted.
    compact_from: u64,
    is_poisoned: bool,
    /// Locked for as long as this value lives.
    _lock: File,
}

impl LogFile {
    /// Opens the log in a folder, creating the folder if it is missing, and reads all complete frames.
    ///
    /// Call [`repair`](Self::repair) before you append.
    pub(super) fn open(folder: &Path) -> Result<(Self, Vec<Change>), StoreError> {
        create_folder(folder).map_err(io_error(folder))?;
        let lock = lock(&folder.join(LOCK))?;
        let path = folder.join(LOG);
        let mut file = open_log(&path).map_err(io_error(&path))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io_error(&path))?;
        let contents = log::read(&bytes).map_err(log_error(&path))?;
        let log = Self {
            folder: folder.to_owned(),
            file,
            chain: contents.chain,
            len: contents.whole as u64,
            compact_from: 0,
            is_poisoned: false,
            _lock: lock,
        };
        Ok((log, contents.changes))
    }

    /// Truncates an incomplete frame, and writes the header of a new log.
    pub(super) fn repair(&mut self) -> Result<(), StoreError> {
        self.truncate().map_err(io_error(&self.path()))
    }

    fn truncate(&mut self) -> io::Result<()> {
        self.file.set_len(self.len)?;
        self.file.seek(SeekFrom::Start(self.len))?;
        if self.len == 0 {
            self.file.write_all(&log::header())?;
            self.len = log::HEADER_LEN as u64;
        }
        self.file.sync_all()?;
        disk::sync_folder(&self.folder)
    }

    fn path(&self) -> PathBuf {
        self.folder.join(LOG)
    }

    /// Whether an earlier write failed, so that the content on disk is unknown.
    pub(super) fn is_poisoned(&self) -> bool {
        self.is_poisoned
    }

    /// The error for an intact log that the queue does not accept.
    pub(super) fn inconsistent(&self, source: InconsistentChange) -> StoreError {
        StoreError::Inconsistent {
            path: self.path(),
            source,
        }
    }

    /// Appends changes, and returns once they are on disk.
    pub(super) fn append(&mut self, changes: &[Change]) -> Result<(), StoreError> {
        if self.is_poisoned {
            return Err(StoreError::Poisoned);
        }
        let path = self.path();
        let (frame, chain) = log::frame(self.chain, changes).map_err(log_error(&path))?;
        // Until both calls succeed, the content of the file is unknown.
        self.is_poisoned = true;
        self.file
            .write_all(&frame)
            .and_then(|()| self.file.sync_data())
            .map_err(io_error(&path))?;
        self.is_poisoned = false;
        self.len += frame.len() as u64;
        self.chain = chain;
        Ok(())
    }

    /// Rewrites the log with the content of the queue, if it is much longer. So its length stays within twice the
    /// limits.
    ///
    /// If this fails before the rename, the old log stays in use, and compaction is attempted again when it has grown
    /// further.
    pub(super) fn compact_if_long(&mut self, queue: &Queue) -> Result<(), StoreError> {
        let held = queue.bytes() as u64;
        let enough = held.saturating_mul(2).saturating_add(SLACK);
        if self.len <= enough.max(self.compact_from) {
            return Ok(());
        }
        self.compact_from = self.len.saturating_add(SLACK);
        let next = self.folder.join(NEXT_LOG);
        let mut chain = Chain::start();
        let mut bytes = log::header().to_vec();
        for change in queue.snapshot() {
            let (frame, after) = log::frame(chain, &[change]).map_err(log_error(&next))?;
            bytes.extend_from_slice(&frame);
            chain = after;
        }
        let file = disk::overwrite(&next, &bytes).map_err(|error| {
            // The partial file is useless and takes disk space that the log may need.
            let _ = fs::remove_file(&next);
            io_error(&next)(error)
        })?;
        // From here on it is unknown which of the two files has the log's name.
        self.is_poisoned = true;
        fs::rename(&next, self.path())
            .and_then(|()| disk::sync_folder(&self.folder))
            .map_err(io_error(&next))?;
        self.is_poisoned = false;
        self.file = file;
        self.chain = chain;
        self.len = bytes.len() as u64;
        self.compact_from = 0;
        Ok(())
    }
}

fn log_error(path: &Path) -> impl FnOnce(LogError) -> StoreError + '_ {
    move |source| StoreError::Log {
        path: path.to_owned(),
        source,
    }
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> StoreError + '_ {
    move |source| StoreError::Io {
        path: path.to_owned(),
        source,
    }
}

/// Creates a folder and its parents durably.
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
    disk::for_owner()
        .read(true)
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
