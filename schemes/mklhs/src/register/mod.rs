//! The label register: at most one message per label, recorded durably.
//!
//! Two signatures on one label for two messages compromise the key (see
//! [`EquivocationProof`](crate::EquivocationProof)). So the register records each message and flushes it to disk before
//! it releases the signature. The record consists of two files:
//!
//! - the **journal** has an entry for each label. It is append-only and hash-chained, so that corruption and truncation
//!   are detected;
//! - the **anchor** stores how many entries the journal has. Keep it beside the key, and on another disk than the
//!   journal if possible. If the journal is lost or restored from a backup, it is behind its anchor, and the register
//!   refuses to sign.
//!
//! The register cannot detect that both files were restored to the same earlier state, for example because the whole
//! folder was restored from a backup. The key would then sign other messages under labels that it has used. Never do
//! this: keep the anchor where no backup includes it, and restore a key only together with the latest journal.

mod error;
mod journal;

pub use error::RegisterError;
pub use journal::labels_in_journal;

use crate::{
    bounds::Message,
    identity::SignerId,
    keys::SigningKey,
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

/// The paths of the two files.
#[derive(Clone, Debug)]
pub struct RegisterFiles {
    /// The journal: 144 bytes for each label.
    pub journal: PathBuf,
    /// The anchor, stored beside the key.
    pub anchor: PathBuf,
}

/// The record of what one key has signed. It can be shared between threads, but not between processes.
#[derive(Debug)]
pub struct LabelRegister {
    signer: SignerId,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    journal: Journal,
    anchor: Anchor,
    /// The encoded signatures of the journal, by the hash of their label. They are decoded on demand, because a
    /// subgroup check per entry would make it slow to open a long journal.
    entries: HashMap<[u8; 32], Stored>,
    is_poisoned: bool,
}

/// An encoded signature and the number of its entry.
#[derive(Debug)]
struct Stored {
    index: u64,
    signature: [u8; SIGNATURE_LEN],
}

/// Entries by the hash of their label. `first` is the number of the first one.
fn stored(entries: Vec<Entry>, first: u64) -> impl Iterator<Item = ([u8; 32], Stored)> {
    (first..).zip(entries).map(|(index, entry)| {
        let signature = entry.signature;
        (entry.label_hash, Stored { index, signature })
    })
}

/// Signatures that are recorded on disk and may be released.
#[derive(Debug)]
#[must_use = "recorded signatures that are not released must be requested again"]
pub struct Recorded(Vec<Signature>);

impl Recorded {
    /// The signatures, in the order of the requests.
    pub fn release(self) -> Vec<Signature> {
        self.0
    }
}

impl LabelRegister {
    /// Creates the register of a new key.
    ///
    /// # Errors
    /// [`RegisterError::Exists`] if one of the two files exists, or [`RegisterError::Io`].
    ///
    /// # Security
    /// Only for a key that has never signed. Do not create a new register for a key whose register was lost: revoke the
    /// key.
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
    /// An incomplete last entry is dropped: its signature was not released.
    ///
    /// # Errors
    /// [`RegisterError::Missing`], [`RolledBack`](RegisterError::RolledBack), [`Corrupt`](RegisterError::Corrupt),
    /// [`OtherSigner`](RegisterError::OtherSigner), [`InUse`](RegisterError::InUse) or [`Io`](RegisterError::Io).
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
            is_poisoned: false,
        });
        Self { signer, state }
    }

    /// The owner of the register.
    pub fn signer(&self) -> SignerId {
        self.signer
    }

    /// The number of labels that were signed.
    ///
    /// # Errors
    /// [`RegisterError::Poisoned`] if a thread panicked while it was signing.
    pub fn len(&self) -> Result<usize, RegisterError> {
        let state = self.state.lock().map_err(|_| RegisterError::Poisoned)?;
        Ok(state.entries.len())
    }

    /// Whether no label was signed.
    ///
    /// # Errors
    /// As [`LabelRegister::len`].
    pub fn is_empty(&self) -> Result<bool, RegisterError> {
        Ok(self.len()? == 0)
    }

    /// Signs a message under a label. The same message again returns the same signature.
    ///
    /// Cost: [`SigningKey::sign_unregistered`], and flushing two files.
    ///
    /// # Errors
    /// [`RegisterError`]. No signature was released.
    pub fn sign(
        &self,
        key: &SigningKey,
        label: &Label,
        message: Message,
    ) -> Result<Signature, RegisterError> {
        let recorded = self.record(key, &[(label, message)])?;
        recorded.release().pop().ok_or(RegisterError::Poisoned)
    }

    /// Signs many messages with one flush, on all threads of rayon's pool.
    ///
    /// # Errors
    /// [`RegisterError`]. No signature was released, and nothing was recorded unless a write failed.
    pub fn sign_all(
        &self,
        key: &SigningKey,
        messages: &[(&Label, Message)],
    ) -> Result<Vec<Signature>, RegisterError> {
        Ok(self.record(key, messages)?.release())
    }

    /// The first half of [`LabelRegister::sign_all`]: makes the signatures and writes them to disk. After this call the
    /// labels are used, even if the signatures are not released.
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
        // Not under the lock: while a pool thread waits for others it takes other jobs, and those may sign with this
        // register.
        let sign = |new: &New<'_>| {
            let index = new.index;
            key.sign_unregistered(new.label, new.message)
                .map(|signature| (new.hash, signature))
                .map_err(|source| RegisterError::Sign { index, source })
        };
        let made: Result<HashMap<_, _>, _> = new.par_iter().map(sign).collect();
        let made = made?;
        let mut state = self.locked()?;
        // Another thread may have used some of the labels meanwhile. Their signatures are dropped unreleased.
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
            None => state.signature(hash)?.ok_or(RegisterError::Poisoned),
        };
        Ok(Recorded(
            hashes.iter().map(signature).collect::<Result<_, _>>()?,
        ))
    }

    /// The state, unless a write has failed. Do not wait for jobs on rayon's pool while it is locked.
    fn locked(&self) -> Result<MutexGuard<'_, State>, RegisterError> {
        // A thread that panicked under the lock may have written a part: the same as a failed write.
        let state = self.state.lock().map_err(|_| RegisterError::Poisoned)?;
        if state.is_poisoned {
            return Err(RegisterError::Poisoned);
        }
        Ok(state)
    }
}

/// A message to be signed under an unused label.
struct New<'a> {
    /// The index of the request.
    index: usize,
    hash: [u8; 32],
    label: &'a Label,
    message: Message,
}

impl State {
    /// The requests that are not recorded yet, each label once.
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

    /// The signature recorded under this hash.
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
        self.is_poisoned = true;
        self.journal.append(&entries)?;
        follow(&mut self.anchor, &self.journal)?;
        self.is_poisoned = false;
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

/// Moves the anchor to the end of the journal, and returns once it is on disk.
fn follow(anchor: &mut Anchor, journal: &Journal) -> Result<(), RegisterError> {
    let moved = anchor.move_to(journal.mark());
    moved.map_err(|error| io_error(anchor.path(), error))
}
