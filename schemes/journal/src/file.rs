//! The journal's file.

use crate::{disk, header::Header};
use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};
use thiserror::Error;

/// Why a journal is not opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Somebody else has it open.
    #[error("in use by another process")]
    InUse,
    /// It is missing, is there already, or cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A file that only grows, locked while it is open.
#[derive(Debug)]
pub struct JournalFile {
    path: PathBuf,
    file: File,
}

impl JournalFile {
    /// A journal with nothing in it but its header; nothing is left behind when it cannot be written.
    ///
    /// # Errors
    /// [`OpenError::Io`] with [`io::ErrorKind::AlreadyExists`] when there is a file of this name; and as
    /// [`JournalFile::open`].
    pub fn create(path: &Path, header: &Header) -> Result<Self, OpenError> {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create_new(true).open(path)?;
        Self::locked(path, file)
            .and_then(|journal| journal.begin(header))
            .inspect_err(|_| {
                // What failed first is worth more than what this may meet.
                let _ = fs::remove_file(path);
            })
    }

    fn begin(mut self, header: &Header) -> Result<Self, OpenError> {
        self.file.write_all(&header.to_bytes())?;
        self.file.sync_all()?;
        disk::sync_folder_of(&self.path)?;
        Ok(self)
    }

    /// Opens a journal. Read it to its end before anything is appended, and [cut](Self::cut) it where it ends.
    ///
    /// # Errors
    /// [`OpenError`].
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

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads it from its beginning.
    ///
    /// # Errors
    /// Whatever the file system says.
    pub fn reader(&mut self) -> io::Result<impl Read + '_> {
        self.file.seek(SeekFrom::Start(0))?;
        Ok(BufReader::new(&self.file))
    }

    /// How many bytes it has.
    ///
    /// # Errors
    /// Whatever the file system says.
    pub fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Drops what follows the first `length` bytes, so that the next entry is appended there; and comes back when what is
    /// left is on disk, which after a crash it may not have been yet.
    ///
    /// # Errors
    /// Whatever the file system says.
    pub fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)?;
        self.file.seek(SeekFrom::Start(length))?;
        self.file.sync_all()
    }

    /// Appends bytes, and comes back when they are on disk.
    ///
    /// # Errors
    /// Whatever the file system says. Then nobody knows what the disk holds, and asking again may not tell: nothing more
    /// is to be appended until the journal was opened anew.
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
    fn what_is_appended_after_a_cut_stands_where_the_cut_was_made() {
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
        journal.cut(end).unwrap();
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
