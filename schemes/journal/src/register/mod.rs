//! The label register of a key: at most one message per label, recorded durably.
//!
//! Some keys are compromised if they sign two messages under one label. So their signer records the message of a label,
//! and has it on disk, before it releases a signature. The record consists of two files:
//!
//! - the **journal** has an entry for each label. It is append-only and hash-chained, so that corruption and truncation
//!   are detected;
//! - the **anchor** stores how many entries the journal has. It is replaced after the journal is on disk. Keep it beside
//!   the key, and on another disk than the journal if possible. If the journal is lost or restored from a copy, it is
//!   behind its anchor, and the register refuses to work.
//!
//! The register cannot detect that both files were restored to the same earlier state, for example because the whole
//! folder was restored from a backup. The key would then sign other messages under labels that it has used. Never do
//! this: keep the anchor where no backup includes it, and restore a key only together with the latest journal.
//!
//! # What an entry is
//!
//! A scheme chooses the [`Tags`] of the files, hashes its labels to a [`Key`], and stores a value of `N` bytes that names
//! the message: a hash of it, or the signature. After the header an entry is `key(32) || value(N) || link(32)`, where the
//! link is the SHA-256 hash of the previous link, the key and the value. The first one follows the hash of the header. No
//! key is in a journal twice.
//!
//! # What a crash leaves
//!
//! Entries beyond the anchor that are whole count as recorded: the anchor follows them. An entry that a crash
//! interrupted is dropped, if it is beyond the anchor: its signature was not released. A crash leaves the beginning of
//! the written bytes, and zeros where the file was extended before they were written. Anything else is corruption, and
//! the register does not open: somebody has to find out what happened before the key signs again.

mod journal;

pub use journal::Key;

use crate::{
    anchor::Anchor,
    error::{FileError, FileFault},
    file::JournalFile,
    header::Header,
    mark::Mark,
};
use journal::Stored;
use std::{collections::HashMap, fs, io::Read, path::PathBuf};

/// The paths of the two files.
#[derive(Clone, Debug)]
pub struct RegisterFiles {
    /// The journal.
    pub journal: PathBuf,
    /// The anchor, stored beside the key.
    pub anchor: PathBuf,
}

/// The tags with which the files of a scheme begin. No tag may be a prefix of another tag.
#[derive(Clone, Copy, Debug)]
pub struct Tags {
    /// The journal's.
    pub journal: &'static [u8],
    /// The anchor's.
    pub anchor: &'static [u8],
}

/// A label, by its hash, and the message to sign under it. A register stores `N` bytes for each label.
pub trait Request<const N: usize> {
    /// The message, or a hash of it.
    type Message: Copy + PartialEq;

    /// The hash of the label.
    fn key(&self) -> Key;

    /// The message.
    fn message(&self) -> Self::Message;

    /// The message that a stored value names; `None` if it names none.
    fn stored(value: &[u8; N]) -> Option<Self::Message>;
}

/// A request, and the value to be stored for it, from which [`Request::stored`] gets its message.
impl<const N: usize, R: Request<N>> Request<N> for (R, [u8; N]) {
    type Message = R::Message;

    fn key(&self) -> Key {
        self.0.key()
    }

    fn message(&self) -> R::Message {
        self.0.message()
    }

    fn stored(value: &[u8; N]) -> Option<R::Message> {
        R::stored(value)
    }
}

/// Why requests were refused.
#[derive(Debug)]
pub enum Refusal<M> {
    /// The label was used for another message, earlier or in the same call.
    LabelUsed {
        /// The index of the request, from 0.
        index: usize,
        /// The message of the label.
        used: M,
        /// The requested message.
        asked: M,
    },
    /// A file of the register cannot be used.
    File(FileError),
}

impl<M> From<FileError> for Refusal<M> {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

/// The requests whose label is not recorded yet, each label once, with their indices. `recorded` looks a label up.
///
/// # Errors
/// [`Refusal::LabelUsed`] for the first such request, or an error of `recorded`.
pub fn unrecorded<const N: usize, R: Request<N>>(
    requests: &[R],
    recorded: impl Fn(&Key) -> Result<Option<R::Message>, FileError>,
) -> Result<Vec<(usize, &R)>, Refusal<R::Message>> {
    let mut asked_for = HashMap::new();
    let mut new = Vec::new();
    for (index, request) in requests.iter().enumerate() {
        let (key, asked) = (request.key(), request.message());
        let used = match asked_for.get(&key) {
            Some(message) => Some(*message),
            None => recorded(&key)?,
        };
        match used {
            Some(used) if used != asked => return Err(Refusal::LabelUsed { index, used, asked }),
            Some(_) => {}
            None => {
                asked_for.insert(key, asked);
                new.push((index, request));
            }
        }
    }
    Ok(new)
}

/// The number of entries in a journal, without its anchor: for inspecting a copy.
///
/// The key has signed at least so many labels. Only the anchor shows whether these are all.
///
/// # Errors
/// [`FileFault::OtherFile`], [`OtherOwner`](FileFault::OtherOwner), [`Corrupt`](FileFault::Corrupt) or
/// [`Io`](FileFault::Io).
pub fn entries_in<const N: usize>(
    journal: impl Read,
    tags: Tags,
    owner: [u8; 32],
) -> Result<u64, FileFault> {
    let header = Header::new(tags.journal, owner);
    let contents = journal::read::<N>(journal, &header, Mark::start(&header))?;
    Ok(contents.mark.entries())
}

/// The register of one key, in two files, locked while it is open. It stores `N` bytes for each label.
#[derive(Debug)]
pub struct Register<const N: usize> {
    header: Header,
    entries: HashMap<Key, Stored<N>>,
    journal: JournalFile,
    mark: Mark,
    anchor: Anchor,
    is_poisoned: bool,
}

impl<const N: usize> Register<N> {
    /// Creates the register of a new key. If that fails, no file is left behind.
    ///
    /// # Errors
    /// [`FileFault::Exists`] if one of the two files exists, or [`FileFault::Io`].
    ///
    /// # Security
    /// Only for a key that has never signed. Do not create a new register for a key whose register was lost: revoke the
    /// key.
    pub fn create(files: &RegisterFiles, tags: Tags, owner: [u8; 32]) -> Result<Self, FileError> {
        let header = Header::new(tags.journal, owner);
        let mark = Mark::start(&header);
        let journal = JournalFile::create(&files.journal, &header)?;
        let anchor_header = Header::new(tags.anchor, owner);
        let anchor = Anchor::create(&files.anchor, anchor_header, mark).inspect_err(|_| {
            // The first error is reported, not one from the clean-up.
            let _ = fs::remove_file(&files.journal);
        })?;
        Ok(Self {
            header,
            entries: HashMap::new(),
            journal,
            mark,
            anchor,
            is_poisoned: false,
        })
    }

    /// Opens the register of a key, and drops an entry that a crash interrupted.
    ///
    /// Cost: one hash for each label that was ever signed.
    ///
    /// # Errors
    /// [`FileFault::Missing`], [`InUse`](FileFault::InUse), [`OtherFile`](FileFault::OtherFile),
    /// [`OtherOwner`](FileFault::OtherOwner), [`Corrupt`](FileFault::Corrupt), [`RolledBack`](FileFault::RolledBack) or
    /// [`Io`](FileFault::Io).
    pub fn open(files: &RegisterFiles, tags: Tags, owner: [u8; 32]) -> Result<Self, FileError> {
        // The journal's lock comes first: the anchor moves only while somebody holds it.
        let mut journal = JournalFile::open(&files.journal)?;
        let mut anchor = Anchor::open(&files.anchor, Header::new(tags.anchor, owner))?;
        let header = Header::new(tags.journal, owner);
        let contents = Self::recover(&mut journal, &header, anchor.mark())
            .map_err(|fault| fault.of(&files.journal))?;
        anchor.move_to(contents.mark)?;
        Ok(Self {
            header,
            entries: contents.entries,
            journal,
            mark: contents.mark,
            anchor,
            is_poisoned: false,
        })
    }

    /// Reads a journal, and truncates it after its last whole entry.
    fn recover(
        journal: &mut JournalFile,
        header: &Header,
        anchored: Mark,
    ) -> Result<journal::Contents<N>, FileFault> {
        let contents = journal::read(journal.reader()?, header, anchored)?;
        journal.truncate(journal::position::<N>(header, contents.mark.entries()))?;
        Ok(contents)
    }

    /// The number of labels that were signed.
    ///
    /// # Errors
    /// [`FileFault::Poisoned`] if an earlier write failed.
    pub fn len(&self) -> Result<usize, FileError> {
        self.check_not_poisoned()?;
        Ok(self.entries.len())
    }

    /// Whether no label was signed.
    ///
    /// # Errors
    /// As [`Register::len`].
    pub fn is_empty(&self) -> Result<bool, FileError> {
        Ok(self.len()? == 0)
    }

    /// The recorded value of a label, decoded.
    ///
    /// # Errors
    /// [`FileFault::Corrupt`] with the place of the entry if `decode` refuses its value, or
    /// [`Poisoned`](FileFault::Poisoned) if an earlier write failed.
    pub fn get<T>(
        &self,
        key: &Key,
        decode: impl Fn(&[u8; N]) -> Option<T>,
    ) -> Result<Option<T>, FileError> {
        self.check_not_poisoned()?;
        let decode = |stored: &Stored<N>| {
            let at = journal::position::<N>(&self.header, stored.index);
            decode(&stored.value).ok_or_else(|| FileFault::Corrupt { at }.of(self.journal.path()))
        };
        self.entries.get(key).map(decode).transpose()
    }

    /// The requests whose label is not recorded yet, each label once, with their indices.
    ///
    /// # Errors
    /// [`Refusal::LabelUsed`] for the first such request, or [`Refusal::File`] as [`Register::get`].
    pub fn unrecorded<'a, R: Request<N>>(
        &self,
        requests: &'a [R],
    ) -> Result<Vec<(usize, &'a R)>, Refusal<R::Message>> {
        unrecorded(requests, |key| self.get(key, R::stored))
    }

    /// Records these requests with their values, all or none. When it returns, both files are on disk, and the signatures
    /// may be released.
    ///
    /// A label that is recorded with the same message is no error, and is not written again.
    ///
    /// Cost: flushing two files, if there is something to write.
    ///
    /// # Errors
    /// As [`Register::unrecorded`]: nothing was recorded. Or [`FileFault::Io`]: whether something was recorded is
    /// unknown, and the register has to be opened again.
    pub fn record<R: Request<N>>(
        &mut self,
        requests: &[(R, [u8; N])],
    ) -> Result<(), Refusal<R::Message>> {
        let new = self.unrecorded(requests)?.into_iter();
        let entries: Vec<_> = new.map(|(_, (new, value))| (new.key(), *value)).collect();
        if entries.is_empty() {
            return Ok(());
        }
        // Stays set unless both files are on disk.
        self.is_poisoned = true;
        self.append(&entries)?;
        self.is_poisoned = false;
        Ok(())
    }

    /// Appends entries to the journal, and then moves the anchor to its end.
    fn append(&mut self, entries: &[(Key, [u8; N])]) -> Result<(), FileError> {
        let (bytes, mark) = journal::encode(self.mark, entries);
        let appended = self.journal.append(&bytes);
        appended.map_err(|error| FileFault::Io(error).of(self.journal.path()))?;
        self.anchor.move_to(mark)?;
        let stored = (self.mark.entries()..).zip(entries);
        self.entries.extend(stored.map(|(index, (key, value))| {
            let value = *value;
            (*key, Stored { index, value })
        }));
        self.mark = mark;
        Ok(())
    }

    fn check_not_poisoned(&self) -> Result<(), FileError> {
        if self.is_poisoned {
            return Err(FileFault::Poisoned.of(self.journal.path()));
        }
        Ok(())
    }
}
