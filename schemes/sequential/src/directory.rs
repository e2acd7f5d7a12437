//! Which key a fingerprint stands for, and since and until when.

use crate::keys::{Fingerprint, PublicKey};
use std::{collections::BTreeMap, fmt, sync::Arc};
use thiserror::Error;

/// A number that grows with time and means the same to everybody: a session, a set of validators, a day.
///
/// A record carries the epoch in which it was begun, and its keys are looked up as of then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(pub u64);

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Why there is no key for a fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum KeyError {
    /// Nothing is known about such a key in this epoch; it may become known.
    #[error("the key is not known")]
    KeyUnavailable,
    /// The key was revoked or replaced before this epoch began; that does not change any more.
    #[error("the key is revoked")]
    KeyRevoked,
}

/// An authenticated list of keys: the chain's, an operator's.
pub trait KeyDirectory: Sync {
    /// The key that a fingerprint stands for in an epoch.
    ///
    /// # Errors
    /// It is not known yet, or it was revoked before.
    ///
    /// # Security
    /// What is answered must not depend on whoever sent the record.
    fn key(&self, fingerprint: &Fingerprint, epoch: Epoch) -> Result<PublicKey, KeyError>;
}

impl<D: KeyDirectory + Send + ?Sized> KeyDirectory for Arc<D> {
    fn key(&self, fingerprint: &Fingerprint, epoch: Epoch) -> Result<PublicKey, KeyError> {
        (**self).key(fingerprint, epoch)
    }
}

/// When a key is good: from an epoch on, until before another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Validity {
    from: Epoch,
    revoked: Option<Epoch>,
}

/// A [`KeyDirectory`] in memory.
#[derive(Clone, Debug, Default)]
pub struct Keyring(BTreeMap<Fingerprint, (PublicKey, Validity)>);

/// A key that is to be revoked is not in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("no key {fingerprint}")]
pub struct UnknownKey {
    /// What the key was called by.
    pub fingerprint: Fingerprint,
}

impl Keyring {
    /// Adds a key that is good from `from` on. A key that is there keeps what was said of it first.
    pub fn insert(&mut self, key: PublicKey, from: Epoch) {
        let revoked = None;
        self.0
            .entry(key.fingerprint())
            .or_insert((key, Validity { from, revoked }));
    }

    /// Says that a key is not good any more from `epoch` on; the earliest such epoch counts.
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

    /// All keys, by fingerprint, with the epochs from which they are good and from which they are revoked.
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
