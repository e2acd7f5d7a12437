//! The journal file.

use crate::{disk, header::Header};
use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};
use thiserror::Error;

/// Why a journal could not be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Another process has it open.
    #[error("in use by another process")]
    InUse,
    /// The file is missing, exists already, or cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// An append-only file, locked while it is open.
#[derive(Debug)]
pub struct JournalFile {
    path: PathBuf,
    file: File,
}

impl JournalFile {
    /// Creates a journal that has only a header. If writing fails, no file is left behind.
    ///
    /// # Errors
    /// [`OpenError::Io`] with [`io::ErrorKind::AlreadyExists`] if a file of this name exists; otherwise as for
    /// [`JournalFile::open`].
    pub fn create(path: &Path, header: &Header) -> Result<Self, OpenError> {
        let file = disk::for_owner().read(true).create_new(true).open(path)?;
        Self::locked(path, file)
            .and_then(|journal| journal.begin(header))
            .inspect_err(|_| {
                // The first error is reported, not one from the clean-up.
                let _ = fs::remove_file(path);
            })
    }

    fn begin(mut self, header: &Header) -> Result<Self, OpenError> {
        self.file.write_all(&header.to_bytes())?;
        self.file.sync_all()?;
        disk::sync_folder_of(&self.path)?;
        Ok(self)
    }

    /// Opens a journal. Before you append, read it to its end and [truncate](Self::truncate) it after the last valid
    /// entry.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        Self::locked(path, file)
    }

    fn locked(path: &Path, file: File) -> Result<Self, OpenError> {
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => OpenError::InUse,
            TryLockError::Error(error) => OpenError::Io(error),
        })?;
        let path = path.to_owned();
        Ok(Self { path, file })
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the journal from its beginning.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn reader(&mut self) -> io::Result<impl Read + '_> {
        self.file.seek(SeekFrom::Start(0))?;
        Ok(BufReader::new(&self.file))
    }

    /// The length in bytes.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Truncates the file to `length` bytes, so that the next entry is appended there. Returns once the remaining bytes
    /// are on disk, which they may not have been after a crash.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)?;
        self.file.seek(SeekFrom::Start(length))?;
        self.file.sync_all()
    }

    /// Appends bytes, and returns once they are on disk.
    ///
    /// # Errors
    /// Any I/O error. The content on disk is then unknown, and a retry cannot clarify it. Do not append again until the
    /// journal has been reopened.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.file.sync_data()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: Header = Header::new(b"TAG", [5; 32]);

    fn contents(journal: &mut JournalFile) -> Vec<u8> {
        let mut bytes = Vec::new();
        journal.reader().unwrap().read_to_end(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn bytes_appended_after_a_truncation_follow_the_truncated_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut journal = JournalFile::create(&path, &HEADER).unwrap();
        journal.append(b"whole").unwrap();
        journal.append(b"half").unwrap();
        drop(journal);
        let mut journal = JournalFile::open(&path).unwrap();
        let bytes = contents(&mut journal);
        assert_eq!(HEADER.strip(&bytes), Ok(&b"wholehalf"[..]));
        let end = journal.length().unwrap() - 4;
        journal.truncate(end).unwrap();
        journal.append(b"more").unwrap();
        let bytes = contents(&mut journal);
        assert_eq!(HEADER.strip(&bytes), Ok(&b"wholemore"[..]));
    }

    #[test]
    fn a_journal_is_open_once_and_not_created_over_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let open = JournalFile::create(&path, &HEADER).unwrap();
        assert!(matches!(JournalFile::open(&path), Err(OpenError::InUse)));
        drop(open);
        let again = JournalFile::create(&path, &HEADER).unwrap_err();
        let exists = |error: &io::Error| error.kind() == io::ErrorKind::AlreadyExists;
        assert!(matches!(again, OpenError::Io(error) if exists(&error)));
        JournalFile::open(&path).unwrap();
    }
}
