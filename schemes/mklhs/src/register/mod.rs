//! One message per label, for ever: the record of what a key has signed.
//!
//! Two signatures on one label for two messages give the key away (see [`EquivocationProof`](crate::EquivocationProof)).
//! So what is signed is written down first, flushed to disk, and only then does the signature leave. Two files hold the
//! record:
//!
//! - the **journal** has an entry for every label, appended and chained by a hash, so that a damaged or shortened one is
//!   told from a whole one;
//! - the **anchor** says how far the journal has come. It lies beside the key, on another disk where there is one. A journal
//!   that was lost, or restored from a backup, is behind its anchor, and then nothing is signed.
//!
//! What this cannot see: both files being restored to the same earlier moment, as when a whole folder comes back from an
//! old copy. The key would then sign other messages under labels that it used. Never do that: keep the anchor elsewhere,
//! where no backup reaches it, and restore a key only together with the latest journal.

mod anchor;
mod journal;

use crate::{
    bounds::Message,
    error::SignError,
    keys::{SignerId, SigningKey},
    label::Label,
    signature::Signature,
    suite::{REGISTER_LABEL_TAG, SIGNATURE_LEN},
};
use anchor::Anchor;
use journal::{Entry, Journal};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard},
};

/// Why nothing was signed.
#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    /// The key signed another message under this label.
    #[error("request {index}: the label was used for the message {used}, and is not signed again for {asked}")]
    LabelAlreadyUsed {
        /// Which of the labels that were handed in, from 0.
        index: usize,
        /// What was signed.
        used: crate::Scalar,
        /// What should have been signed.
        asked: crate::Scalar,
    },
    /// The label is somebody else's.
    #[error("request {index}: {source}")]
    Sign {
        /// Which of the labels that were handed in, from 0.
        index: usize,
        /// Whose it is.
        source: SignError,
    },
    /// The key that should sign is not the one whose register this is.
    #[error("the register is of {register}, and the key of {key}")]
    WrongKey {
        /// Whose register.
        register: SignerId,
        /// Whose key.
        key: SignerId,
    },
    /// A file is not there. A key that has a register signs nothing without it.
    #[error("{}: missing, and without it nobody knows what the key has signed", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A file is there already: the key has a register.
    #[error("{}: the key has a register already", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The journal is older than its anchor, or another one: it was restored from a backup.
    #[error(
        "{}: this journal has {entries} entries, and the key has signed {expected}: it is an earlier one or another one",
        path.display()
    )]
    RolledBack {
        /// The journal.
        path: PathBuf,
        /// Entries that it has.
        entries: u64,
        /// Entries that the anchor knows of.
        expected: u64,
    },
    /// A file is not as it was written.
    #[error("{}: not as it was written, at byte {at}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Where it goes wrong.
        at: u64,
    },
    /// Another process works with it.
    #[error("{}: another process works with this register", path.display())]
    InUse {
        /// The journal.
        path: PathBuf,
    },
    /// An earlier write failed, so that nobody knows what is on the disk. Open the register again.
    #[error("an earlier write to the register failed; it has to be opened again")]
    Failed,
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
}

impl RegisterError {
    /// Which of the labels that were handed in is to blame, from 0, where it is one of them.
    pub fn request(&self) -> Option<usize> {
        match self {
            Self::LabelAlreadyUsed { index, .. } | Self::Sign { index, .. } => Some(*index),
            Self::WrongKey { .. }
            | Self::Missing { .. }
            | Self::Exists { .. }
            | Self::RolledBack { .. }
            | Self::Corrupt { .. }
            | Self::InUse { .. }
            | Self::Failed
            | Self::Io { .. } => None,
        }
    }
}

/// Where the two files are.
#[derive(Clone, Debug)]
pub struct RegisterFiles {
    /// The journal: 144 bytes for each label that is signed.
    pub journal: PathBuf,
    /// The anchor: beside the key.
    pub anchor: PathBuf,
}

/// The record of what one key has signed. Threads may share it; other processes are kept out.
#[derive(Debug)]
pub struct LabelRegister {
    signer: SignerId,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    journal: Journal,
    anchor: Anchor,
    /// The signatures as they stand in the journal, by the hashes of their labels. They become points when they are
    /// asked for: a journal of many years opens without a subgroup check for each of them.
    entries: HashMap<[u8; 32], Stored>,
    has_failed: bool,
}

/// A signature, and the number of its entry.
#[derive(Debug)]
struct Stored {
    index: u64,
    signature: [u8; SIGNATURE_LEN],
}

/// Entries by the hashes of their labels; `first` is the number of the first one.
fn stored(entries: Vec<Entry>, first: u64) -> impl Iterator<Item = ([u8; 32], Stored)> {
    (first..).zip(entries).map(|(index, entry)| {
        let signature = entry.signature;
        (entry.label_hash, Stored { index, signature })
    })
}

/// Signatures that are on disk and may be released.
#[derive(Debug)]
#[must_use = "what is recorded and not released has to be asked for again"]
pub struct Recorded(Vec<Signature>);

impl Recorded {
    /// The signatures, in the order in which they were asked for.
    pub fn release(self) -> Vec<Signature> {
        self.0
    }
}

impl LabelRegister {
    /// Starts the register of a key that has signed nothing yet.
    ///
    /// # Errors
    /// [`RegisterError::Exists`] when there is one of the two files, [`RegisterError::Io`].
    ///
    /// # Security
    /// Only for a new key. A key that has lost its register must not get another one: revoke it.
    pub fn create(files: &RegisterFiles, signer: SignerId) -> Result<Self, RegisterError> {
        if files.anchor.exists() {
            let path = files.anchor.clone();
            return Err(RegisterError::Exists { path });
        }
        let journal = Journal::create(&files.journal, signer)?;
        let anchor = Anchor::create(&files.anchor, signer, journal.mark())?;
        Ok(Self::new(signer, journal, anchor, HashMap::new()))
    }

    /// Opens the register of a key.
    ///
    /// The end of an entry that was being written when the machine stopped is dropped: its signature was not released.
    ///
    /// # Errors
    /// [`RegisterError::Missing`], [`RolledBack`](RegisterError::RolledBack), [`Corrupt`](RegisterError::Corrupt),
    /// [`InUse`](RegisterError::InUse) or [`Io`](RegisterError::Io).
    pub fn open(files: &RegisterFiles, signer: SignerId) -> Result<Self, RegisterError> {
        let mut anchor = Anchor::open(&files.anchor, signer)?;
        let (journal, entries) = Journal::open(&files.journal, signer, anchor.mark())?;
        anchor.move_to(journal.mark())?;
        let entries = stored(entries, 0).collect();
        Ok(Self::new(signer, journal, anchor, entries))
    }

    fn new(
        signer: SignerId,
        journal: Journal,
        anchor: Anchor,
        entries: HashMap<[u8; 32], Stored>,
    ) -> Self {
        let state = Mutex::new(State {
            journal,
            anchor,
            entries,
            has_failed: false,
        });
        Self { signer, state }
    }

    /// Whose register it is.
    pub fn signer(&self) -> SignerId {
        self.signer
    }

    /// How many labels were signed.
    ///
    /// # Errors
    /// [`RegisterError::Failed`] when a thread ended in the middle of signing.
    pub fn len(&self) -> Result<usize, RegisterError> {
        let state = self.state.lock().map_err(|_| RegisterError::Failed)?;
        Ok(state.entries.len())
    }

    /// Whether no label was signed.
    ///
    /// # Errors
    /// As [`LabelRegister::len`].
    pub fn is_empty(&self) -> Result<bool, RegisterError> {
        Ok(self.len()? == 0)
    }

    /// Signs a message under a label, once: the same message again gives the signature that was given before.
    ///
    /// Cost: [`SigningKey::sign_unregistered`], and flushing two files.
    ///
    /// # Errors
    /// [`RegisterError`]; nothing was released then.
    pub fn sign(
        &self,
        key: &SigningKey,
        label: &Label,
        message: Message,
    ) -> Result<Signature, RegisterError> {
        let recorded = self.record(key, &[(label, message)])?;
        recorded.release().pop().ok_or(RegisterError::Failed)
    }

    /// Signs many messages with one flush, on all threads of rayon's pool.
    ///
    /// # Errors
    /// [`RegisterError`]; then nothing was released, and nothing recorded unless the disk failed.
    pub fn sign_all(
        &self,
        key: &SigningKey,
        messages: &[(&Label, Message)],
    ) -> Result<Vec<Signature>, RegisterError> {
        Ok(self.record(key, messages)?.release())
    }

    /// The first half of [`LabelRegister::sign_all`]: makes the signatures and writes them to disk. From here on the
    /// labels are used, whether the signatures are released or not.
    ///
    /// # Errors
    /// As [`LabelRegister::sign_all`].
    pub fn record(
        &self,
        key: &SigningKey,
        messages: &[(&Label, Message)],
    ) -> Result<Recorded, RegisterError> {
        let (register, key_id) = (self.signer, key.id());
        if register != key_id {
            let key = key_id;
            return Err(RegisterError::WrongKey { register, key });
        }
        let hashes: Vec<_> = messages.iter().map(|(label, _)| hash(label)).collect();
        let new = self.locked()?.new_messages(&hashes, messages)?;
        // Without the lock: a thread of the pool that waits for the others takes on other work meanwhile, and that may
        // sign with this register.
        let sign = |new: &New<'_>| {
            let index = new.index;
            key.sign_unregistered(new.label, new.message)
                .map(|signature| (new.hash, signature))
                .map_err(|source| RegisterError::Sign { index, source })
        };
        let made: Result<HashMap<_, _>, _> = new.par_iter().map(sign).collect();
        let made = made?;
        let mut state = self.locked()?;
        // Another thread may have used some of the labels by now. What was made for those is dropped unseen.
        let new = state.new_messages(&hashes, messages)?;
        let entry = |new: &New<'_>| {
            let signature = made.get(&new.hash)?.to_bytes();
            Some(Entry {
                label_hash: new.hash,
                signature,
            })
        };
        state.append(new.iter().filter_map(entry).collect())?;
        let signature = |hash| match made.get(hash) {
            Some(signature) => Ok(*signature),
            None => state.signature(hash)?.ok_or(RegisterError::Failed),
        };
        Ok(Recorded(
            hashes.iter().map(signature).collect::<Result<_, _>>()?,
        ))
    }

    /// The state, unless nobody knows what is on the disk. Nothing that runs on rayon's pool may be waited for while it
    /// is held.
    fn locked(&self) -> Result<MutexGuard<'_, State>, RegisterError> {
        // A thread that ended while it held the lock may have written half: the same as a failed write.
        let state = self.state.lock().map_err(|_| RegisterError::Failed)?;
        if state.has_failed {
            return Err(RegisterError::Failed);
        }
        Ok(state)
    }
}

/// What is to be signed under a label for the first time.
struct New<'a> {
    /// Which request it is.
    index: usize,
    hash: [u8; 32],
    label: &'a Label,
    message: Message,
}

impl State {
    /// Those that are not recorded, each label once.
    fn new_messages<'a>(
        &self,
        hashes: &[[u8; 32]],
        messages: &[(&'a Label, Message)],
    ) -> Result<Vec<New<'a>>, RegisterError> {
        let mut asked_for = HashMap::new();
        let mut new = Vec::new();
        for (index, (hash, (label, message))) in hashes.iter().zip(messages).enumerate() {
            let asked = message.scalar();
            let used = match asked_for.get(hash) {
                Some(message) => Some(*message),
                None => self.signature(hash)?.map(|signature| signature.message),
            };
            match used {
                Some(used) if used != asked => {
                    return Err(RegisterError::LabelAlreadyUsed { index, used, asked });
                }
                Some(_) => {}
                None => {
                    asked_for.insert(*hash, asked);
                    new.push(New {
                        index,
                        hash: *hash,
                        label,
                        message: *message,
                    });
                }
            }
        }
        Ok(new)
    }

    /// What is recorded under this hash.
    fn signature(&self, hash: &[u8; 32]) -> Result<Option<Signature>, RegisterError> {
        let read = |stored: &Stored| {
            let signature = Signature::from_bytes(&stored.signature);
            signature.map_err(|_| self.journal.corrupt(stored.index))
        };
        self.entries.get(hash).map(read).transpose()
    }

    fn append(&mut self, entries: Vec<Entry>) -> Result<(), RegisterError> {
        if entries.is_empty() {
            return Ok(());
        }
        let first = self.journal.mark().entries;
        // Stays set unless both files are on disk.
        self.has_failed = true;
        self.journal.append(&entries)?;
        self.anchor.move_to(self.journal.mark())?;
        self.has_failed = false;
        self.entries.extend(stored(entries, first));
        Ok(())
    }
}

fn hash(label: &Label) -> [u8; 32] {
    let hash = Sha256::new().chain_update(REGISTER_LABEL_TAG);
    hash.chain_update(label).finalize().into()
}

/// How far a journal has come: how many entries, and the end of the chain of their hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    entries: u64,
    link: [u8; 32],
}

fn io_error(path: &Path, source: io::Error) -> RegisterError {
    RegisterError::Io {
        path: path.to_owned(),
        source,
    }
}

/// A file could not be opened, or made anew.
fn open_error(path: &Path, source: io::Error) -> RegisterError {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::NotFound => RegisterError::Missing { path },
        io::ErrorKind::AlreadyExists => RegisterError::Exists { path },
        _ => RegisterError::Io { path, source },
    }
}

/// Makes the name of a new file durable.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => sync_folder(folder),
        _ => sync_folder(Path::new(".")),
    }
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    std::fs::File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The bytes with a few of them changed, left out or put in: from a fixed seed.
#[cfg(test)]
fn mutated(bytes: &[u8], count: usize) -> impl Iterator<Item = Vec<u8>> + '_ {
    use rand_core::{RngCore, SeedableRng};
    let mut rng = rand_chacha::ChaCha20Rng::seed_from_u64(8);
    std::iter::repeat_with(move || {
        let mut bytes = bytes.to_vec();
        let mut below = |end: usize| usize::try_from(rng.next_u32()).unwrap_or(0) % end.max(1);
        for _ in 0..=below(2) {
            let at = below(bytes.len());
            match below(8) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, 0xff),
                2 => bytes.push(0),
                _ => {
                    let bit = 1 << below(8);
                    if let Some(byte) = bytes.get_mut(at) {
                        *byte ^= bit;
                    }
                }
            }
        }
        bytes
    })
    .take(count)
}
