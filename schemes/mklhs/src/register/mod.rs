//! The label register: at most one message per label, recorded durably.
//!
//! Two signatures on one label for two messages compromise the key (see
//! [`EquivocationProof`](crate::EquivocationProof)). So each signature is recorded in the register of its key
//! ([`duet_journal::register`]), and is on disk, before it is released. That module describes the two files of a
//! register, where to keep them, and the limits of detection. The value of an entry is the signature, which contains
//! the message.

mod error;

pub use duet_journal::{register::RegisterFiles, FileError, FileFault};
pub use error::RegisterError;

use crate::{
    bounds::Message,
    identity::SignerId,
    keys::SigningKey,
    label::Label,
    scalar::Scalar,
    signature::Signature,
    suite::{ANCHOR_TAG, REGISTER_LABEL_TAG, REGISTER_TAG, SIGNATURE_LEN},
};
use duet_journal::register::{Key, Refusal, Register, Request, Tags};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::{
    collections::HashMap,
    slice,
    sync::{Mutex, MutexGuard, PoisonError},
};

const TAGS: Tags = Tags {
    journal: REGISTER_TAG,
    anchor: ANCHOR_TAG,
};

/// The record of what one key has signed. It can be shared between threads, but not between processes.
#[derive(Debug)]
pub struct LabelRegister {
    signer: SignerId,
    /// Signatures are decoded on demand, because a subgroup check per entry would make it slow to open a long journal.
    register: Mutex<Register<SIGNATURE_LEN>>,
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
    /// Creates the register of a new key. If that fails, no file is left behind.
    ///
    /// # Errors
    /// [`FileFault::Exists`] if one of the two files exists, or [`FileFault::Io`].
    ///
    /// # Security
    /// Only for a key that has never signed. Do not create a new register for a key whose register was lost: revoke the
    /// key.
    pub fn create(files: &RegisterFiles, signer: SignerId) -> Result<Self, RegisterError> {
        let register = Register::create(files, TAGS, *signer.as_bytes())?;
        Ok(Self::new(signer, register))
    }

    /// Opens the register of a key.
    ///
    /// An incomplete last entry is dropped: its signature was not released.
    ///
    /// # Errors
    /// [`RegisterError::File`], as [`Register::open`].
    pub fn open(files: &RegisterFiles, signer: SignerId) -> Result<Self, RegisterError> {
        let register = Register::open(files, TAGS, *signer.as_bytes())?;
        Ok(Self::new(signer, register))
    }

    fn new(signer: SignerId, register: Register<SIGNATURE_LEN>) -> Self {
        let register = Mutex::new(register);
        Self { signer, register }
    }

    /// The owner of the register.
    pub fn signer(&self) -> SignerId {
        self.signer
    }

    /// The number of labels that were signed.
    ///
    /// # Errors
    /// [`FileFault::Poisoned`] if an earlier write failed.
    pub fn len(&self) -> Result<usize, RegisterError> {
        Ok(self.locked().len()?)
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
        let asked = Asked::new(label, message);
        let made = self.make(key, slice::from_ref(&asked))?;
        self.made_or_recorded(key, &made, &asked)
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
        let asked = messages
            .iter()
            .map(|(label, message)| Asked::new(label, *message));
        let asked: Vec<_> = asked.collect();
        let made = self.make(key, &asked)?;
        let signatures = asked
            .iter()
            .map(|asked| self.made_or_recorded(key, &made, asked));
        Ok(Recorded(signatures.collect::<Result<_, _>>()?))
    }

    /// Makes and records the signatures of labels that are not recorded yet.
    fn make(
        &self,
        key: &SigningKey,
        asked: &[Asked<'_>],
    ) -> Result<HashMap<Key, Signature>, RegisterError> {
        let (register, key_id) = (self.signer, key.id());
        if register != key_id {
            let key = key_id;
            return Err(RegisterError::WrongKey { register, key });
        }
        let new = self.locked().unrecorded(asked)?;
        // Not under the lock: while a pool thread waits for others it takes other jobs, and those may sign with this
        // register.
        let sign = new.par_iter().map(|(index, asked)| {
            let signature = asked.sign(key, *index)?;
            Ok((**asked, signature))
        });
        let made: Vec<(Asked<'_>, Signature)> = sign.collect::<Result<_, RegisterError>>()?;
        let entries = made
            .iter()
            .map(|(asked, made)| (*asked, made.to_bytes()))
            .collect::<Vec<_>>();
        // Another thread may have used some of the labels meanwhile. For the same message it made the same signature.
        let recorded = self.locked().record(&entries);
        recorded.map_err(|refusal| match refusal {
            Refusal::LabelUsed { index, used, asked } => {
                let index = new.get(index).map_or(index, |(index, _)| *index);
                RegisterError::LabelAlreadyUsed { index, used, asked }
            }
            Refusal::File(error) => error.into(),
        })?;
        let made = made.into_iter();
        Ok(made.map(|(asked, made)| (asked.hash, made)).collect())
    }

    /// The signature of a request that is recorded.
    fn made_or_recorded(
        &self,
        key: &SigningKey,
        made: &HashMap<Key, Signature>,
        asked: &Asked<'_>,
    ) -> Result<Signature, RegisterError> {
        if let Some(signature) = made.get(&asked.hash) {
            return Ok(*signature);
        }
        let decode = |bytes: &[u8; SIGNATURE_LEN]| Signature::from_bytes(bytes).ok();
        match self.locked().get(&asked.hash, decode)? {
            Some(signature) => Ok(signature),
            // A signature is deterministic, so this one is the same.
            None => asked.sign(key, 0),
        }
    }

    /// Do not wait for jobs on rayon's pool while it is locked.
    fn locked(&self) -> MutexGuard<'_, Register<SIGNATURE_LEN>> {
        // A thread that panicked while it wrote has left the register itself poisoned.
        self.register.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A message to be signed under a label.
#[derive(Clone, Copy)]
struct Asked<'a> {
    hash: Key,
    label: &'a Label,
    message: Message,
}

impl<'a> Asked<'a> {
    fn new(label: &'a Label, message: Message) -> Self {
        let hash = Sha256::new().chain_update(REGISTER_LABEL_TAG);
        Self {
            hash: hash.chain_update(label).finalize().into(),
            label,
            message,
        }
    }

    fn sign(&self, key: &SigningKey, index: usize) -> Result<Signature, RegisterError> {
        key.sign_unregistered(self.label, self.message)
            .map_err(|source| RegisterError::Sign { index, source })
    }
}

impl Request<SIGNATURE_LEN> for Asked<'_> {
    type Message = Scalar;

    fn key(&self) -> Key {
        self.hash
    }

    fn message(&self) -> Scalar {
        self.message.scalar()
    }

    fn stored(value: &[u8; SIGNATURE_LEN]) -> Option<Scalar> {
        let signature = Signature::from_bytes(value).ok()?;
        Some(signature.message)
    }
}
