//! Ensures that only one process at a time signs with the keys of a directory.

use crate::error::KeyStoreError;
use std::{
    fs::{self, OpenOptions, TryLockError},
    io::{self, Read, Write},
    path::Path,
    process,
};

/// The name of the lock file. Its prefix is neither that of key files nor of records of votes, and it is not hex, so
/// that the SDK's keystore ignores it too.
const LOCK_FILE: &str = ".duet-lock";
/// Longer than any process id.
const MAX_HOLDER_LEN: u64 = 16;

/// The lock on a directory, held until it is dropped. The operating system releases it when the process dies in any
/// way, so the file stays and never has to be removed.
pub(crate) struct DirectoryLock {
    _file: fs::File,
}

impl DirectoryLock {
    /// Locks a directory, and writes this process's id into the file for later processes.
    ///
    /// # Errors
    /// [`KeyStoreError::InUse`] at once when this process or another one holds the lock;
    /// [`KeyStoreError::Io`] when the file system cannot lock.
    pub(crate) fn take(directory: &Path) -> Result<Self, KeyStoreError> {
        let path = directory.join(LOCK_FILE);
        let io_error = |source| KeyStoreError::Io {
            path: path.clone(),
            source,
        };
        let mut file = open(&path).map_err(io_error)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(KeyStoreError::InUse {
                    directory: directory.to_owned(),
                    holder: holder(&mut file),
                })
            }
            Err(TryLockError::Error(source)) => return Err(io_error(source)),
        }
        file.set_len(0)
            .and_then(|()| write!(file, "{}", process::id()))
            .map_err(io_error)?;
        Ok(Self { _file: file })
    }
}

/// Opens the file for its owner only; keeps its content, which may be another process's.
fn open(path: &Path) -> io::Result<fs::File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// The process that holds the lock, if the file names it: some systems do not let others read a locked file, and the
/// id is written a moment after locking.
fn holder(file: &mut fs::File) -> Option<u32> {
    let mut text = String::new();
    file.take(MAX_HOLDER_LEN).read_to_string(&mut text).ok()?;
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn a_second_one_is_refused_and_told_where_and_by_whom() {
        let dir = TempDir::new().unwrap();
        let _held = DirectoryLock::take(dir.path()).unwrap();
        let error = DirectoryLock::take(dir.path()).err().unwrap();
        let KeyStoreError::InUse { directory, holder } = &error else {
            panic!("{error}")
        };
        assert_eq!(directory, dir.path());
        assert_eq!(*holder, Some(process::id()));
        assert!(error.to_string().contains(&process::id().to_string()));
    }

    #[test]
    fn the_lock_is_free_when_its_holder_is_gone_whatever_its_file_says() {
        let dir = TempDir::new().unwrap();
        fs::write(dir.path().join(LOCK_FILE), "4000000000 and more").unwrap();
        drop(DirectoryLock::take(dir.path()).unwrap());
        DirectoryLock::take(dir.path()).unwrap();
        let text = fs::read_to_string(dir.path().join(LOCK_FILE)).unwrap();
        assert_eq!(text, process::id().to_string());
    }

    #[test]
    fn a_holder_that_is_not_named_is_refused_all_the_same() {
        let dir = TempDir::new().unwrap();
        let _held = DirectoryLock::take(dir.path()).unwrap();
        fs::write(dir.path().join(LOCK_FILE), "somebody").unwrap();
        let error = DirectoryLock::take(dir.path()).err().unwrap();
        assert!(
            matches!(error, KeyStoreError::InUse { holder: None, .. }),
            "{error}"
        );
    }
}
