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

mod error;
mod journal;

pub use error::RegisterError;
pub use journal::labels_in_journal;

use crate::{
    bounds::Message,
    keys::{SignerId, SigningKey},
    label::Label,
    signature::Signature,
    suite::{ANCHOR_TAG, REGISTER_LABEL_TAG, SIGNATURE_LEN},
};
use duet_journal::{Anchor, Header};
use error::{anchor_error, io_error, open_error};
use journal::{Entry, Journal};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Mutex, MutexGuard},
};

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
        let path = &files.anchor;
        let anchor = Anchor::create(path, anchor_header(signer), journal.mark())
            .map_err(|error| open_error(path, error.into()))?;
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
        let path = &files.anchor;
        let mut anchor =
            Anchor::open(path, anchor_header(signer)).map_err(|error| anchor_error(path, error))?;
        let (journal, entries) = Journal::open(&files.journal, signer, anchor.mark())?;
        follow(&mut anchor, &journal)?;
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
        let first = self.journal.mark().entries();
        // Stays set unless both files are on disk.
        self.has_failed = true;
        self.journal.append(&entries)?;
        follow(&mut self.anchor, &self.journal)?;
        self.has_failed = false;
        self.entries.extend(stored(entries, first));
        Ok(())
    }
}

fn hash(label: &Label) -> [u8; 32] {
    let hash = Sha256::new().chain_update(REGISTER_LABEL_TAG);
    hash.chain_update(label).finalize().into()
}

fn anchor_header(signer: SignerId) -> Header {
    Header::new(ANCHOR_TAG, *signer.as_bytes())
}

/// Moves the anchor to where the journal is, and comes back when it is on disk.
fn follow(anchor: &mut Anchor, journal: &Journal) -> Result<(), RegisterError> {
    let moved = anchor.move_to(journal.mark());
    moved.map_err(|error| io_error(anchor.path(), error))
}
