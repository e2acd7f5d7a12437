//! Keys in a directory, one file each, and keys in memory only.

use crate::{
    directory::{self, Directory, FileState, Files},
    error::KeyStoreError,
    fault::verified_possession,
    file::file_name,
    seal::SealCost,
    signer::SignerError,
};
use duet_primitives::{DualKeyBytes, Pk1Bytes, PossessionProof, SecretKey};
use rand::{rngs::OsRng, RngCore};
use sp_core::crypto::{ExposeSecret, SecretString};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};
use zeroize::Zeroizing;

/// Secrets of Duet keys: read once from their files, checked against their public keys, wiped on drop.
///
/// A ring lists, adds and proves keys, even while a node signs with them. It signs no votes: for that, a
/// [`KeyStore`](crate::KeyStore) owns the directory exclusively.
pub struct KeyRing {
    directory: Option<Directory>,
    keys: RwLock<Keys>,
}

#[derive(Default)]
struct Keys {
    /// From files, by file name.
    on_disk: BTreeMap<String, SecretKey>,
    /// From secret URIs, lost when the process ends.
    in_memory: BTreeMap<Pk1Bytes, SecretKey>,
    /// Later files that were refused: reported once, and read again when they change.
    refused: Files,
}

impl Keys {
    /// Whether a file was read, or refused in its present state.
    fn knows(&self, name: &str, state: &FileState) -> bool {
        self.on_disk.contains_key(name) || self.refused.get(name) == Some(state)
    }

    fn get(&self, key: &Pk1Bytes) -> Option<&SecretKey> {
        self.in_memory
            .get(key)
            .or_else(|| self.on_disk.get(&file_name(key)))
            .filter(|secret| &secret.public().pk1() == key)
    }

    fn public(&self) -> Vec<DualKeyBytes> {
        let all = self.on_disk.values().chain(self.in_memory.values());
        let keys: BTreeSet<_> = all.map(SecretKey::public).collect();
        keys.into_iter().collect()
    }
}

impl KeyRing {
    /// Opens the key files of a directory, creating it with mode 0700 if it is missing.
    ///
    /// With a password, new keys are encrypted, and existing files must be; without one, all are unencrypted.
    ///
    /// # Errors
    /// [`KeyStoreError`] naming the first file that is damaged, exposed to others or under another password:
    /// a validator that starts without one of its keys would not vote.
    pub fn open(
        path: impl Into<PathBuf>,
        password: Option<SecretString>,
    ) -> Result<Self, KeyStoreError> {
        if password
            .as_ref()
            .is_some_and(|password| password.expose_secret().is_empty())
        {
            return Err(KeyStoreError::EmptyPassword);
        }
        let directory = Directory {
            path: path.into(),
            password,
            cost: SealCost::default(),
        };
        directory::create(&directory.path)?;
        let mut keys = Keys::default();
        for name in directory.files()?.into_keys() {
            let secret = directory.load(&name)?;
            keys.on_disk.insert(name, secret);
        }
        Ok(Self {
            directory: Some(directory),
            keys: RwLock::new(keys),
        })
    }

    /// The same keys; later files are sealed at this cost.
    pub fn with_seal_cost(mut self, cost: SealCost) -> Self {
        if let Some(directory) = &mut self.directory {
            directory.cost = cost;
        }
        self
    }

    /// Keys without a directory: all live in memory only.
    pub fn in_memory() -> Self {
        Self {
            directory: None,
            keys: RwLock::default(),
        }
    }

    /// Keeps a key until the process ends, like `--alice`. Writes nothing. A file of the same key stays one.
    pub fn insert_ephemeral(&self, secret: SecretKey) {
        self.write().in_memory.insert(secret.public().pk1(), secret);
    }

    /// Keeps a key: in its file, or in memory if there is no directory. Inserting a key twice changes nothing.
    ///
    /// # Errors
    /// [`KeyStoreError::Occupied`] when its file holds another key; the errors of [`KeyRing::open`] for an existing
    /// file; [`KeyStoreError::Io`] when it cannot be written: nothing is left behind, unless only the flush of the
    /// directory failed.
    pub fn insert(&self, secret: SecretKey) -> Result<(), KeyStoreError> {
        let Some(directory) = &self.directory else {
            self.insert_ephemeral(secret);
            return Ok(());
        };
        directory.store(&secret)?;
        self.write()
            .on_disk
            .insert(file_name(&secret.public().pk1()), secret);
        Ok(())
    }

    /// Makes a new key, keeps it and returns its public half.
    ///
    /// # Errors
    /// As [`KeyRing::insert`]; [`KeyStoreError::Randomness`].
    pub fn generate(&self) -> Result<DualKeyBytes, KeyStoreError> {
        let mut seed = Zeroizing::new([0; 32]);
        OsRng
            .try_fill_bytes(&mut *seed)
            .map_err(KeyStoreError::Randomness)?;
        let secret = SecretKey::from_seed(&seed).map_err(KeyStoreError::Seed)?;
        let public = secret.public();
        self.insert(secret)?;
        Ok(public)
    }

    /// The keys, in ascending order of their bytes. Reflects files added or removed since the last call.
    ///
    /// # Errors
    /// [`KeyStoreError::Io`] when the directory cannot be read.
    pub fn keys(&self) -> Result<Vec<DualKeyBytes>, KeyStoreError> {
        self.refresh()?;
        Ok(self.read().public())
    }

    /// Proves to `owner` that this ring holds the secret of `key`. (POP-1, POP-2)
    ///
    /// # Errors
    /// [`SignerError::NoKey`]; [`SignerError::Faulty`] when the fresh proof does not hold; [`KeyStoreError::Io`].
    pub fn prove_possession(
        &self,
        key: &Pk1Bytes,
        owner: &[u8],
    ) -> Result<PossessionProof, SignerError> {
        self.refresh()?;
        self.possession_made_by(key, owner, |secret| secret.prove_possession(owner))
    }

    /// The path of a key's file, even if it does not exist; `None` without a directory.
    pub fn path_of(&self, key: &Pk1Bytes) -> Option<PathBuf> {
        self.directory
            .as_ref()
            .map(|directory| directory.path.join(file_name(key)))
    }

    /// Whether a key has a file here.
    pub(crate) fn is_on_disk(&self, key: &Pk1Bytes) -> bool {
        let keys = self.read();
        let found = keys.on_disk.get(&file_name(key));
        found.is_some_and(|secret| secret.public().pk1() == *key)
    }

    /// Removes the file of a key, and wipes its secret.
    pub(crate) fn remove(&self, key: &Pk1Bytes) -> Result<(), KeyStoreError> {
        let name = file_name(key);
        let mut keys = self.write();
        let is_it = |secret: &&SecretKey| secret.public().pk1() == *key;
        let found = keys.on_disk.get(&name).filter(is_it);
        let (Some(directory), Some(_)) = (&self.directory, found) else {
            return Err(KeyStoreError::NoFile(*key));
        };
        directory.remove(key)?;
        keys.on_disk.remove(&name);
        Ok(())
    }

    /// Looks for files that were added, changed or removed. A refused file is logged and ignored: the keys in use
    /// must keep working.
    fn refresh(&self) -> Result<(), KeyStoreError> {
        let Some(directory) = &self.directory else {
            return Ok(());
        };
        // Before the listing: a key that is inserted meanwhile is not in it, and is not gone.
        let known: BTreeSet<_> = self.read().on_disk.keys().cloned().collect();
        let files = directory.files()?;
        let is_gone = |name: &String| known.contains(name) && !files.contains_key(name);
        let changed = {
            let keys = self.read();
            let changed: Vec<_> = files
                .iter()
                .filter(|(name, state)| !keys.knows(name, state))
                .map(|(name, _)| name.clone())
                .collect();
            if changed.is_empty() && !known.iter().any(is_gone) {
                return Ok(());
            }
            changed
        };
        // Outside of the lock: opening a sealed file takes a while, and must not delay votes.
        let loaded: Vec<_> = changed
            .into_iter()
            .map(|name| (directory.load(&name), name))
            .collect();
        let mut keys = self.write();
        keys.on_disk.retain(|name, _| !is_gone(name));
        keys.refused.retain(|name, _| files.contains_key(name));
        for (secret, name) in loaded {
            match secret {
                Ok(secret) => {
                    keys.refused.remove(&name);
                    keys.on_disk.insert(name, secret);
                }
                Err(error) => {
                    log::error!(target: "duet", "🔑 Skipped a key file: {error}");
                    let state = files.get(&name).copied().flatten();
                    keys.refused.insert(name, state);
                }
            }
        }
        Ok(())
    }

    /// Returns the proof of possession made by `prove`, once it is verified.
    fn possession_made_by(
        &self,
        key: &Pk1Bytes,
        owner: &[u8],
        prove: impl FnOnce(&SecretKey) -> PossessionProof,
    ) -> Result<PossessionProof, SignerError> {
        let (public, proof) = self.with_secret(key, |secret| (secret.public(), prove(secret)))?;
        verified_possession(&public, owner, proof)
            .map_err(|fault| SignerError::Faulty { key: *key, fault })
    }

    /// Lends the secret of a key, for keys that sign something else than votes. A signer of votes uses
    /// [`KeyStore`](crate::KeyStore), which keeps the record of them.
    ///
    /// # Errors
    /// [`SignerError::NoKey`].
    ///
    /// # Security
    /// What `use_it` returns is verified by the caller: a faulty signature can give the secret away.
    pub fn with_secret<T>(
        &self,
        key: &Pk1Bytes,
        use_it: impl FnOnce(&SecretKey) -> T,
    ) -> Result<T, SignerError> {
        self.read()
            .get(key)
            .map(use_it)
            .ok_or(SignerError::NoKey(*key))
    }

    // A panic while the lock is held leaves the maps consistent: each change is one insertion or removal.
    fn read(&self) -> RwLockReadGuard<'_, Keys> {
        self.keys.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Keys> {
        self.keys.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::{tests::with_fault, Fault};
    use duet_primitives::{PossessionError, SignatureError};

    #[test]
    fn the_file_of_a_key_is_read_only_once() {
        let dir = tempfile::tempdir().expect("a directory");
        let ring = KeyRing::open(dir.path(), None).expect("an empty ring");
        let key = ring.generate().expect("a key").pk1();
        std::fs::write(ring.path_of(&key).expect("a path"), "damaged").expect("a file");
        ring.keys().expect("the directory can be read");
        assert!(ring.read().refused.is_empty());
    }

    #[test]
    fn a_faulty_proof_of_possession_does_not_leave_the_ring() {
        let secret = SecretKey::from_seed(&[1; 32]).expect("a key");
        let (ring, key) = (KeyRing::in_memory(), secret.public().pk1());
        ring.insert_ephemeral(secret);
        let error = ring
            .possession_made_by(&key, b"owner", |secret| {
                let good = secret.prove_possession(b"owner");
                PossessionProof::new(good.ownership(), with_fault(good.possession()))
            })
            .expect_err("the second part does not hold");
        let expected = Fault::Possession(PossessionError::Possession(SignatureError::ProofFails));
        assert!(
            matches!(error, SignerError::Faulty { fault, .. } if fault == expected),
            "{error}"
        );
    }
}
