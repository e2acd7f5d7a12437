//! The log's file: what is appended lasts, and what is long is written anew.

use super::{
    log::{self, Chain, LogError},
    rules::{AddError, Change, InconsistentChange, Queue},
};
use duet_journal::disk;
use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};
use thiserror::Error;

const LOG: &str = "queue.log";
/// The next log while it is written; meaningless until it has the log's name.
const NEXT_LOG: &str = "queue.log.next";
const LOCK: &str = "queue.lock";
/// A log is written anew when it is this much longer than what the queue holds.
const SLACK: u64 = 1 << 20;

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

/// The log in its folder, locked while it is open.
#[derive(Debug)]
pub(super) struct LogFile {
    folder: PathBuf,
    file: File,
    chain: Chain,
    len: u64,
    /// After a failed compaction: how long the log is to be before the next attempt.
    compact_from: u64,
    is_in_doubt: bool,
    /// Held for as long as this value lives.
    _lock: File,
}

impl LogFile {
    /// Opens the log in a folder, which is made if it is not there, and reads what is whole of it.
    ///
    /// Nothing may be appended before it is [mended](Self::mend).
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
            is_in_doubt: false,
            _lock: lock,
        };
        Ok((log, contents.changes))
    }

    /// Cuts off what was not written whole, and writes the header of a new log.
    pub(super) fn mend(&mut self) -> Result<(), StoreError> {
        self.cut().map_err(io_error(&self.path()))
    }

    fn cut(&mut self) -> io::Result<()> {
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

    /// Whether an earlier write failed, so that nobody knows what is on the disk.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.is_in_doubt
    }

    /// The log is whole, and the queue does not take it.
    pub(super) fn inconsistent(&self, source: InconsistentChange) -> StoreError {
        StoreError::Inconsistent {
            path: self.path(),
            source,
        }
    }

    /// Appends changes, and comes back when they are on disk.
    pub(super) fn append(&mut self, changes: &[Change]) -> Result<(), StoreError> {
        if self.is_in_doubt {
            return Err(StoreError::InDoubt);
        }
        let path = self.path();
        let (frame, chain) = log::frame(self.chain, changes).map_err(log_error(&path))?;
        // Until both succeed nobody knows what is in the file.
        self.is_in_doubt = true;
        self.file
            .write_all(&frame)
            .and_then(|()| self.file.sync_data())
            .map_err(io_error(&path))?;
        self.is_in_doubt = false;
        self.len += frame.len() as u64;
        self.chain = chain;
        Ok(())
    }

    /// Writes a log of what the queue holds, when the log has much more in it: its length stays within twice the limits.
    ///
    /// When this fails before the new log takes the old one's place, everything goes on with the old one, and the next
    /// attempt is made when it has grown some more.
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
            // Bytes that nobody reads take room that the log may need.
            let _ = fs::remove_file(&next);
            io_error(&next)(error)
        })?;
        // From here on nobody knows which of the two files has the log's name.
        self.is_in_doubt = true;
        fs::rename(&next, self.path())
            .and_then(|()| disk::sync_folder(&self.folder))
            .map_err(io_error(&next))?;
        self.is_in_doubt = false;
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
