//! Keys in a directory, one file each, and keys that live in memory only.

use crate::{
    directory::{Directory, Files, Modified},
    error::KeyStoreError,
    fault::{verified_possession, verified_vote},
    file::file_name,
    seal::SealCost,
    signer::{Signer, SignerError},
    votes::{self, Refusal, Votes},
};
use duet_primitives::{
    DualKeyBytes, Pk1Bytes, PossessionProof, RoundMessage, SecretKey, SignerIndex, UncheckedVote,
    H256,
};
use rand::{rngs::OsRng, RngCore};
use sp_core::crypto::{ExposeSecret, SecretString};
use std::{
    collections::{btree_map::Entry, BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};
use zeroize::Zeroizing;

/// Secrets of Duet keys: read once from their files, checked against their public keys, wiped on drop.
///
/// Signing is blst's, constant-time. Files that appear while the node runs are found by [`Signer::keys`], so
/// that `duet-key insert` needs no restart.
pub struct KeyStore {
    directory: Option<Directory>,
    keys: RwLock<Keys>,
    /// What each key has voted for on each chain; on disk too, unless the key lives in memory only.
    votes: Mutex<BTreeMap<(Pk1Bytes, H256), Votes>>,
}

#[derive(Default)]
struct Keys {
    /// From files, by file name.
    on_disk: BTreeMap<String, SecretKey>,
    /// From secret URIs, gone with the process.
    in_memory: BTreeMap<Pk1Bytes, SecretKey>,
    /// Files that appeared later and were refused: reported once, and read again when they change.
    refused: Files,
}

impl Keys {
    /// Whether a file was read, or refused as it is now.
    fn knows(&self, name: &str, modified: &Modified) -> bool {
        self.on_disk.contains_key(name) || self.refused.get(name) == Some(modified)
    }

    fn knows_all(&self, files: &Files) -> bool {
        files
            .iter()
            .all(|(name, modified)| self.knows(name, modified))
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

impl KeyStore {
    /// Opens the key files of a directory, which is made if it is missing, with mode 0700.
    ///
    /// With a password, new keys are encrypted under it, and files must be; without, they are in the clear.
    ///
    /// # Errors
    /// [`KeyStoreError`] naming the first file that is damaged, exposed to others or under another password:
    /// a validator that starts without one of its keys would not vote.
    pub fn open(
        path: impl Into<PathBuf>,
        password: Option<SecretString>,
    ) -> Result<Self, KeyStoreError> {
        Self::open_with_cost(path, password, SealCost::default())
    }

    /// [`KeyStore::open`], with the cost that files written from now on are sealed at.
    ///
    /// # Errors
    /// As [`KeyStore::open`].
    pub fn open_with_cost(
        path: impl Into<PathBuf>,
        password: Option<SecretString>,
        cost: SealCost,
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
            cost,
        };
        directory.create()?;
        let mut keys = Keys::default();
        for name in directory.files()?.into_keys() {
            let secret = directory.load(&name)?;
            keys.on_disk.insert(name, secret);
        }
        Ok(Self {
            directory: Some(directory),
            keys: RwLock::new(keys),
            votes: Mutex::default(),
        })
    }

    /// A key store without a directory: all keys live in memory only.
    pub fn in_memory() -> Self {
        Self {
            directory: None,
            keys: RwLock::default(),
            votes: Mutex::default(),
        }
    }

    /// Keeps a key until the process ends, as `--alice` and the like do. Nothing is written.
    pub fn insert_ephemeral(&self, secret: SecretKey) {
        self.write().in_memory.insert(secret.public().pk1(), secret);
    }

    /// Keeps a key: in its file, or in memory where there is no directory. Inserting a key twice changes
    /// nothing.
    ///
    /// # Errors
    /// [`KeyStoreError::Occupied`] when its file holds another key; what [`KeyStore::open`] says of a file
    /// that is there already; [`KeyStoreError::Io`] when it cannot be written, in which case nothing is left.
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

    /// The file of a key, whether it exists or not; `None` without a directory.
    pub fn path_of(&self, key: &Pk1Bytes) -> Option<PathBuf> {
        self.directory
            .as_ref()
            .map(|directory| directory.path.join(file_name(key)))
    }

    /// The file that a key's votes on the chain with this genesis are recorded in; `None` without a directory.
    pub fn votes_path_of(&self, key: &Pk1Bytes, genesis: H256) -> Option<PathBuf> {
        self.directory
            .as_ref()
            .map(|directory| votes::path(directory, key, genesis))
    }

    /// Records a vote, on disk unless the key lives in memory only. (ROUND-4)
    fn record(&self, key: &Pk1Bytes, message: &RoundMessage) -> Result<(), SignerError> {
        let directory = self
            .directory
            .as_ref()
            .filter(|_| !self.read().in_memory.contains_key(key));
        let genesis = message.genesis_hash();
        // Held while the file is written: of two votes at a time, the second sees the first.
        let mut all = self.votes.lock().unwrap_or_else(PoisonError::into_inner);
        let votes = match all.entry((*key, genesis)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(match directory {
                Some(directory) => Votes::read(directory, key, genesis)?,
                None => Votes::new(key, genesis),
            }),
        };
        let (key, block) = (*key, message.commitment().block_number);
        let Some(with) = votes.with(message).map_err(|refusal| match refusal {
            Refusal::Voted => SignerError::AlreadyVoted { key, block },
            Refusal::Forgotten => SignerError::TooOld { key, block },
        })?
        else {
            return Ok(());
        };
        if let Some(directory) = directory {
            with.write(directory, &key, genesis)?;
        }
        *votes = with;
        Ok(())
    }

    /// Looks for files that were added, changed or removed. A file that is refused is logged and ignored: the keys
    /// in use must keep working.
    fn refresh(&self) -> Result<(), KeyStoreError> {
        let Some(directory) = &self.directory else {
            return Ok(());
        };
        let files = directory.files()?;
        let changed: Vec<_> = {
            let keys = self.read();
            if keys.on_disk.keys().all(|name| files.contains_key(name)) && keys.knows_all(&files) {
                return Ok(());
            }
            files
                .iter()
                .filter(|(name, modified)| !keys.knows(name, modified))
                .map(|(name, _)| name.clone())
                .collect()
        };
        // Outside of the lock: opening a sealed file takes a while, and votes must not wait for it.
        let loaded: Vec<_> = changed
            .into_iter()
            .map(|name| (directory.load(&name), name))
            .collect();
        let mut keys = self.write();
        keys.on_disk.retain(|name, _| files.contains_key(name));
        keys.refused.retain(|name, _| files.contains_key(name));
        for (secret, name) in loaded {
            match secret {
                Ok(secret) => {
                    keys.refused.remove(&name);
                    keys.on_disk.insert(name, secret);
                }
                Err(error) => {
                    log::error!(target: "duet", "🔑 A key file is left out: {error}");
                    let modified = files.get(&name).copied().flatten();
                    keys.refused.insert(name, modified);
                }
            }
        }
        Ok(())
    }

    /// Returns the vote that `sign` makes, once it is verified and recorded. (ROUND-4)
    fn vote_made_by(
        &self,
        key: &Pk1Bytes,
        message: &RoundMessage,
        sign: impl FnOnce(&SecretKey) -> UncheckedVote,
    ) -> Result<UncheckedVote, SignerError> {
        let vote = self.with_secret(key, sign)?;
        let vote = verified_vote(key, message, vote)
            .map_err(|fault| SignerError::Faulty { key: *key, fault })?;
        self.record(key, message)?;
        Ok(vote)
    }

    /// Returns the proof of possession that `prove` makes, once it is verified.
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

    fn with_secret<T>(
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

impl Signer for KeyStore {
    fn keys(&self) -> Result<Vec<DualKeyBytes>, SignerError> {
        self.refresh()?;
        Ok(self.read().public())
    }

    fn sign_vote(
        &self,
        key: &Pk1Bytes,
        signer: SignerIndex,
        message: &RoundMessage,
    ) -> Result<UncheckedVote, SignerError> {
        self.vote_made_by(key, message, |secret| {
            UncheckedVote::sign(secret, signer, message)
        })
    }

    fn prove_possession(
        &self,
        key: &Pk1Bytes,
        owner: &[u8],
    ) -> Result<PossessionProof, SignerError> {
        self.refresh()?;
        self.possession_made_by(key, owner, |secret| secret.prove_possession(owner))
    }

    fn generate(&self) -> Result<DualKeyBytes, SignerError> {
        let mut seed = Zeroizing::new([0; 32]);
        OsRng
            .try_fill_bytes(&mut *seed)
            .map_err(KeyStoreError::Randomness)?;
        let secret = SecretKey::from_seed(&seed).map_err(KeyStoreError::Seed)?;
        let public = secret.public();
        self.insert(secret)?;
        Ok(public)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Fault;
    use duet_primitives::{
        BlockNumber, Commitment, KeysetCommitment, PossessionError, SetId, SignatureError,
        VoteSignature,
    };

    fn message(block_hash: u8) -> RoundMessage {
        let next = KeysetCommitment {
            id: SetId::new(0),
            len: 1,
            root: H256::zero(),
            apk1: secret().public().pk1(),
        };
        let commitment = Commitment {
            block_number: BlockNumber::new(8),
            block_hash: H256::repeat_byte(block_hash),
            mmr_root: H256::zero(),
            validator_set_id: SetId::new(0),
            next,
        };
        RoundMessage::new(H256::zero(), commitment)
    }

    fn secret() -> SecretKey {
        SecretKey::from_seed(&[1; 32]).expect("a key")
    }

    fn store() -> KeyStore {
        let store = KeyStore::in_memory();
        store.insert_ephemeral(secret());
        store
    }

    /// One bit of the response `s` flips while the machine signs.
    fn with_fault(VoteSignature(mut bytes): VoteSignature) -> VoteSignature {
        bytes[80] ^= 1;
        VoteSignature(bytes)
    }

    #[test]
    fn a_faulty_vote_does_not_leave_the_signer_and_is_not_recorded() {
        let (store, key) = (store(), secret().public().pk1());
        let error = store
            .vote_made_by(&key, &message(1), |secret| {
                let mut vote = UncheckedVote::sign(secret, SignerIndex::new(0), &message(1));
                vote.signature = with_fault(vote.signature);
                vote
            })
            .expect_err("the signature does not hold");
        let expected = Fault::Vote(SignatureError::ProofFails);
        assert!(
            matches!(error, SignerError::Faulty { key: named, fault } if named == key && fault == expected),
            "{error}"
        );
        store
            .sign_vote(&key, SignerIndex::new(0), &message(2))
            .expect("nothing was given out for this block");
    }

    #[test]
    fn a_vote_that_a_damaged_secret_signed_does_not_leave_the_signer() {
        let (store, key) = (store(), secret().public().pk1());
        let damaged = SecretKey::from_seed(&[2; 32]).expect("a key");
        let error = store
            .vote_made_by(&key, &message(1), |_| {
                UncheckedVote::sign(&damaged, SignerIndex::new(0), &message(1))
            })
            .expect_err("the signature is of another key");
        assert!(matches!(error, SignerError::Faulty { .. }), "{error}");
    }

    #[test]
    fn a_faulty_proof_of_possession_does_not_leave_the_signer() {
        let error = store()
            .possession_made_by(&secret().public().pk1(), b"owner", |secret| {
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
