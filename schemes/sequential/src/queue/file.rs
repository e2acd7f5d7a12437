//! The log file and its anchor: durable appends and compaction.

use super::{
    log::{self, Chain, Contents, LogError},
    rules::{AddError, Change, InconsistentChange, Queue},
};
use duet_journal::{disk, Anchor, FileError, FileFault, Header, Mark};
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
const ANCHOR: &str = "queue.anchor";
/// Queues have no owners: the anchor of another queue does not have a mark of this one.
const ANCHOR_HEADER: Header = Header::new(b"DUET-QUEUE-ANCHOR\x01", [0; 32]);
/// The log is compacted when it is this much longer than the content of the queue.
const SLACK: u64 = 1 << 20;

/// Where a queue is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueFiles {
    /// The folder with the log.
    pub folder: PathBuf,
    /// The anchor, which stores how far the log has come.
    ///
    /// Keep it on another disk than the folder if possible, and where no backup includes it. If the folder and the
    /// anchor are restored to the same earlier state, nobody can tell, and records are handed out twice.
    pub anchor: PathBuf,
}

impl QueueFiles {
    /// The queue in a folder that has the anchor, too. This detects that the log alone was restored or truncated.
    pub fn in_folder(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            anchor: folder.join(ANCHOR),
        }
    }

    fn log(&self) -> PathBuf {
        self.folder.join(LOG)
    }
}

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
    /// The log does not have the position of its anchor: it was restored from a copy, replaced or truncated. If it were
    /// used, records would be lost or handed out twice.
    #[error(
        "{path}: the log has {frames} frames, but {expected} were written: it was rolled back or replaced"
    )]
    RolledBack {
        /// The log.
        path: PathBuf,
        /// The frames that the log counts.
        frames: u64,
        /// The frames that the anchor counts.
        expected: u64,
    },
    /// There is a log but no anchor: the queue is of an earlier version, or its anchor was lost.
    #[error(
        "{anchor}: missing, so {log} may not be the latest; `QueueStore::adopt` accepts it as it is"
    )]
    Unanchored {
        /// The log.
        log: PathBuf,
        /// The missing anchor.
        anchor: PathBuf,
    },
    /// The anchor cannot be used.
    #[error(transparent)]
    Anchor(#[from] FileError),
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
    #[error("an earlier write to the queue failed; reopen the queue")]
    Poisoned,
}

/// The log in its folder and its anchor, locked while it is open.
#[derive(Debug)]
pub(super) struct LogFile {
    folder: PathBuf,
    file: File,
    anchor: Anchor,
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
    pub(super) fn open(files: &QueueFiles) -> Result<(Self, Vec<Change>), StoreError> {
        create_folder(&files.folder).map_err(io_error(&files.folder))?;
        let lock = lock(&files.folder.join(LOCK))?;
        let path = files.log();
        let mut file = open_log(&path).map_err(io_error(&path))?;
        let anchor = find_anchor(files)?;
        let start = Chain::start().mark();
        let anchored = anchor.as_ref().map_or(start, Anchor::mark);
        let contents = read_log(&mut file, &path, anchored)?;
        if !contents.has_anchored {
            return Err(StoreError::RolledBack {
                path,
                frames: contents.mark().entries(),
                expected: anchored.entries(),
            });
        }
        let anchor = match anchor {
            Some(_) if contents.version == log::UNANCHORED => {
                let got = contents.version;
                return Err(log_error(&path)(LogError::Version { got }));
            }
            Some(anchor) => anchor,
            // A new queue gets its anchor before the header of its log: with a header, the log is not new any more.
            None if contents.whole == 0 => Anchor::create(&files.anchor, ANCHOR_HEADER, start)?,
            None => {
                let anchor = files.anchor.clone();
                return Err(StoreError::Unanchored { log: path, anchor });
            }
        };
        let log = Self {
            folder: files.folder.clone(),
            file,
            anchor,
            chain: contents.chain,
            len: contents.whole as u64,
            compact_from: 0,
            is_poisoned: false,
            _lock: lock,
        };
        Ok((log, contents.changes))
    }

    /// Takes over a queue that has no anchor. `replay` makes a queue of the changes in its log.
    pub(super) fn adopt(
        files: &QueueFiles,
        replay: impl FnOnce(Vec<Change>) -> Result<Queue, InconsistentChange>,
    ) -> Result<(), StoreError> {
        let _lock = lock(&files.folder.join(LOCK))?;
        let path = files.log();
        let mut file = File::open(&path).map_err(io_error(&path))?;
        if find_anchor(files)?.is_some() {
            return Err(StoreError::Anchor(FileError {
                path: files.anchor.clone(),
                fault: FileFault::Exists,
            }));
        }
        let contents = read_log(&mut file, &path, Chain::start().mark())?;
        let mark = contents.mark();
        let queue = replay(contents.changes).map_err(|source| {
            let path = path.clone();
            StoreError::Inconsistent { path, source }
        })?;
        NextLog::write(&files.folder, &queue, mark)?.rename(&files.folder)?;
        Anchor::create(&files.anchor, ANCHOR_HEADER, mark)?;
        Ok(())
    }

    /// Truncates an incomplete frame, writes the header of a new log, and moves the anchor to the end.
    pub(super) fn repair(&mut self) -> Result<(), StoreError> {
        self.truncate().map_err(io_error(&self.path()))?;
        Ok(self.anchor.move_to(self.chain.mark())?)
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

    /// Appends changes, moves the anchor after them, and returns once both are on disk.
    pub(super) fn append(&mut self, changes: &[Change]) -> Result<(), StoreError> {
        if self.is_poisoned {
            return Err(StoreError::Poisoned);
        }
        let path = self.path();
        let (frame, chain) = log::frame(self.chain, changes).map_err(log_error(&path))?;
        // Until all calls succeed, the content of the files is unknown.
        self.is_poisoned = true;
        self.file
            .write_all(&frame)
            .and_then(|()| self.file.sync_data())
            .map_err(io_error(&path))?;
        self.anchor.move_to(chain.mark())?;
        self.is_poisoned = false;
        self.len += frame.len() as u64;
        self.chain = chain;
        Ok(())
    }

    /// Rewrites the log with the content of the queue, if it is much longer. So its length stays within twice the
    /// limits.
    ///
    /// The new log has the same mark, so the anchor holds for both, and does not move. If this fails before the rename,
    /// the old log stays in use, and compaction is attempted again when it has grown further.
    pub(super) fn compact_if_long(&mut self, queue: &Queue) -> Result<(), StoreError> {
        let held = queue.bytes() as u64;
        let enough = held.saturating_mul(2).saturating_add(SLACK);
        if self.len <= enough.max(self.compact_from) {
            return Ok(());
        }
        self.compact_from = self.len.saturating_add(SLACK);
        let next = NextLog::write(&self.folder, queue, self.chain.mark())?;
        // From here on it is unknown which of the two files has the log's name.
        self.is_poisoned = true;
        next.rename(&self.folder)?;
        self.is_poisoned = false;
        self.file = next.file;
        self.chain = next.chain;
        self.len = next.len;
        self.compact_from = 0;
        Ok(())
    }
}

/// A log that is to take the place of the one with the same mark, under a temporary name.
struct NextLog {
    file: File,
    chain: Chain,
    len: u64,
}

impl NextLog {
    /// Writes the content of a queue whose log has this mark.
    fn write(folder: &Path, queue: &Queue, mark: Mark) -> Result<Self, StoreError> {
        let path = folder.join(NEXT_LOG);
        let written = log::written_anew(queue.snapshot(), mark);
        let (bytes, chain) = written.map_err(log_error(&path))?;
        let file = disk::overwrite(&path, &bytes).map_err(|error| {
            // The partial file is useless and takes disk space that the log may need.
            let _ = fs::remove_file(&path);
            io_error(&path)(error)
        })?;
        let len = bytes.len() as u64;
        Ok(Self { file, chain, len })
    }

    /// Gives it the log's name, and returns once that is on disk.
    fn rename(&self, folder: &Path) -> Result<(), StoreError> {
        let path = folder.join(NEXT_LOG);
        fs::rename(&path, folder.join(LOG))
            .and_then(|()| disk::sync_folder(folder))
            .map_err(io_error(&path))
    }
}

/// The anchor of a queue, if it has one.
fn find_anchor(files: &QueueFiles) -> Result<Option<Anchor>, StoreError> {
    match Anchor::open(&files.anchor, ANCHOR_HEADER) {
        Ok(anchor) => Ok(Some(anchor)),
        Err(error) if matches!(error.fault, FileFault::Missing) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn read_log(file: &mut File, path: &Path, anchored: Mark) -> Result<Contents, StoreError> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(io_error(path))?;
    log::read(&bytes, anchored).map_err(log_error(path))
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
