//! The journal file.

use crate::{
    disk,
    error::{FileError, FileFault},
    header::Header,
};
use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// An append-only file, locked while it is open.
#[derive(Debug)]
pub(crate) struct JournalFile {
    path: PathBuf,
    file: File,
}

impl JournalFile {
    /// Creates a journal that has only a header. If writing fails, no file is left behind.
    pub(crate) fn create(path: &Path, header: &Header) -> Result<Self, FileError> {
        let create = || disk::for_owner().read(true).create_new(true).open(path);
        let file = create().map_err(|error| FileFault::creating(error).of(path))?;
        Self::locked(path, file)
            .and_then(|journal| journal.begin(header))
            .map_err(|fault| {
                // The first error is reported, not one from the clean-up.
                let _ = fs::remove_file(path);
                fault.of(path)
            })
    }

    fn begin(mut self, header: &Header) -> Result<Self, FileFault> {
        self.file.write_all(&header.to_bytes())?;
        self.file.sync_all()?;
        disk::sync_folder_of(&self.path)?;
        Ok(self)
    }

    /// Opens a journal. Before you append, read it to its end and [truncate](Self::truncate) it after the last whole
    /// entry.
    pub(crate) fn open(path: &Path) -> Result<Self, FileError> {
        let file = OpenOptions::new().read(true).write(true).open(path);
        file.map_err(FileFault::opening)
            .and_then(|file| Self::locked(path, file))
            .map_err(|fault| fault.of(path))
    }

    fn locked(path: &Path, file: File) -> Result<Self, FileFault> {
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => FileFault::InUse,
            TryLockError::Error(error) => FileFault::Io(error),
        })?;
        let path = path.to_owned();
        Ok(Self { path, file })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the journal from its beginning.
    pub(crate) fn reader(&mut self) -> io::Result<impl Read + '_> {
        self.file.seek(SeekFrom::Start(0))?;
        Ok(BufReader::new(&self.file))
    }

    /// Truncates the file to `length` bytes, so that the next entry is appended there. Returns once the remaining bytes
    /// are on disk, which they may not have been after a crash.
    pub(crate) fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)?;
        self.file.seek(SeekFrom::Start(length))?;
        self.file.sync_all()
    }

    /// Appends bytes, and returns once they are on disk.
    ///
    /// After an error the content on disk is unknown, and a retry cannot clarify it. Do not append again until the
    /// journal has been reopened.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
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
        let end = bytes.len() as u64 - 4;
        journal.truncate(end).unwrap();
        journal.append(b"more").unwrap();
        let bytes = contents(&mut journal);
        assert_eq!(HEADER.strip(&bytes), Ok(&b"wholemore"[..]));
    }
}
