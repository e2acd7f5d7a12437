//! Directories of keys: which key a fingerprint denotes, and when it is valid.

use crate::keys::{Fingerprint, PublicKey};
use std::{collections::BTreeMap, fmt, sync::Arc};
use thiserror::Error;

/// A number that grows with time and has a common meaning: a session, a set of validators, a day.
///
/// A record states the epoch in which it was begun. Its keys are looked up as of that epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(pub u64);

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Why a directory has no key for a fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The key is not known for this epoch; it may become known later.
    #[error("the key is not known")]
    KeyUnavailable,
    /// The key was revoked or replaced before this epoch began. This is permanent.
    #[error("the key is revoked")]
    KeyRevoked,
}

/// An authenticated list of keys, for example of the chain or of an operator.
pub trait KeyDirectory: Sync {
    /// The key of a fingerprint in an epoch.
    ///
    /// # Errors
    /// The key is not known yet, or was revoked before.
    ///
    /// # Security
    /// The answer must not depend on the sender of the record.
    fn key(&self, fingerprint: &Fingerprint, epoch: Epoch) -> Result<PublicKey, KeyError>;
}

impl<D: KeyDirectory + Send + ?Sized> KeyDirectory for Arc<D> {
    fn key(&self, fingerprint: &Fingerprint, epoch: Epoch) -> Result<PublicKey, KeyError> {
        (**self).key(fingerprint, epoch)
    }
}

/// The validity of a key: from an epoch until before another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Validity {
    from: Epoch,
    revoked: Option<Epoch>,
}

/// A [`KeyDirectory`] in memory.
#[derive(Clone, Debug, Default)]
pub struct Keyring(BTreeMap<Fingerprint, (PublicKey, Validity)>);

/// The key to revoke is not in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("unknown key {fingerprint}")]
pub struct UnknownKey {
    /// The fingerprint of the key.
    pub fingerprint: Fingerprint,
}

impl Keyring {
    /// Adds a key that is valid from `from` on. If the key is in the list already, its first entry is kept.
    pub fn insert(&mut self, key: PublicKey, from: Epoch) {
        let revoked = None;
        self.0
            .entry(key.fingerprint())
            .or_insert((key, Validity { from, revoked }));
    }

    /// Revokes a key from `epoch` on. If it is revoked more than once, the earliest epoch applies.
    ///
    /// # Errors
    /// The key is not in the list.
    pub fn revoke(&mut self, fingerprint: Fingerprint, epoch: Epoch) -> Result<(), UnknownKey> {
        let Some((_, validity)) = self.0.get_mut(&fingerprint) else {
            return Err(UnknownKey { fingerprint });
        };
        let earlier = validity.revoked.filter(|revoked| *revoked <= epoch);
        validity.revoked = earlier.or(Some(epoch));
        Ok(())
    }

    /// All keys, by fingerprint, with the epochs from which they are valid and from which they are revoked.
    pub fn iter(&self) -> impl Iterator<Item = (&PublicKey, Epoch, Option<Epoch>)> {
        self.0
            .values()
            .map(|(key, validity)| (key, validity.from, validity.revoked))
    }
}

impl KeyDirectory for Keyring {
    fn key(&self, fingerprint: &Fingerprint, epoch: Epoch) -> Result<PublicKey, KeyError> {
        let (key, validity) = self.0.get(fingerprint).ok_or(KeyError::KeyUnavailable)?;
        if validity.revoked.is_some_and(|revoked| revoked <= epoch) {
            return Err(KeyError::KeyRevoked);
        }
        if epoch < validity.from {
            return Err(KeyError::KeyUnavailable);
        }
        Ok(key.clone())
    }
}
