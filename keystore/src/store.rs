//! The signer of a node: the keys of a directory, with the record of their votes, under a lock.

use crate::{
    error::KeyStoreError,
    fault::verified_vote,
    records::{Memory, VoteRecords},
    ring::KeyRing,
    signer::{Signer, SignerError},
};
use duet_primitives::{
    DualKeyBytes, Pk1Bytes, PossessionProof, RoundMessage, SecretKey, SignerIndex, UncheckedVote,
};
use sp_core::crypto::SecretString;
use std::path::PathBuf;

/// Signs with the keys of a directory, to which it has exclusive access.
///
/// blst signs in constant time. [`Signer::keys`] finds files that appear while the node runs:
/// `duet-key insert` needs no restart.
pub struct KeyStore {
    // Before the keys, so that no secret is read from a directory that another process uses for signing.
    records: VoteRecords,
    ring: KeyRing,
}

impl KeyStore {
    /// Locks a directory and opens its key files, as [`KeyRing::open`] does.
    ///
    /// # Errors
    /// [`KeyStoreError::InUse`] at once when another process signs with these keys; otherwise as [`KeyRing::open`].
    pub fn open(
        path: impl Into<PathBuf>,
        password: Option<SecretString>,
    ) -> Result<Self, KeyStoreError> {
        let path = path.into();
        let records = VoteRecords::open(&path)?;
        let ring = KeyRing::open(path, password)?;
        Ok(Self { records, ring })
    }

    /// A key store without a directory: all keys and their votes live in memory only.
    pub fn in_memory() -> Self {
        Self {
            records: VoteRecords::in_memory(),
            ring: KeyRing::in_memory(),
        }
    }

    /// As [`KeyRing::insert_ephemeral`]. The votes of a key without a file are not recorded, and a warning says so.
    pub fn insert_ephemeral(&self, secret: SecretKey) {
        let key = secret.public().pk1();
        if !self.ring.is_on_disk(&key) {
            log::warn!(
                target: "duet",
                "🔑 The key {key} has no file, so its votes are not recorded: after a restart it may contradict them. \
                 Never use it on a real network",
            );
        }
        self.ring.insert_ephemeral(secret);
    }

    /// As [`KeyRing::insert`].
    ///
    /// # Errors
    /// As [`KeyRing::insert`].
    pub fn insert(&self, secret: SecretKey) -> Result<(), KeyStoreError> {
        self.ring.insert(secret)
    }

    /// Removes the file of a key, flushes that to disk, and wipes the secret. The record of its votes stays: if the
    /// key comes back from a backup or a phrase, it still signs nothing that contradicts its earlier votes.
    ///
    /// # Errors
    /// [`KeyStoreError::NoFile`] when the key has no file; [`KeyStoreError::Io`].
    pub fn remove(&self, key: &Pk1Bytes) -> Result<(), KeyStoreError> {
        self.ring.remove(key)
    }

    /// The keys, without their votes.
    pub fn ring(&self) -> &KeyRing {
        &self.ring
    }

    /// The votes of the keys. The next vote sees an import into it.
    pub fn records(&self) -> &VoteRecords {
        &self.records
    }

    /// Returns the vote made by `sign`, once it is verified and recorded. (ROUND-4)
    fn vote_made_by(
        &self,
        key: &Pk1Bytes,
        message: &RoundMessage,
        sign: impl FnOnce(&SecretKey) -> UncheckedVote,
    ) -> Result<UncheckedVote, SignerError> {
        let vote = self.ring.with_secret(key, sign)?;
        let vote = verified_vote(key, message, vote)
            .map_err(|fault| SignerError::Faulty { key: *key, fault })?;
        let memory = match self.ring.is_on_disk(key) {
            true => Memory::Lasting,
            false => Memory::Ephemeral,
        };
        self.records.record(key, message, memory)?;
        Ok(vote)
    }
}

impl Signer for KeyStore {
    fn keys(&self) -> Result<Vec<DualKeyBytes>, SignerError> {
        Ok(self.ring.keys()?)
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
        self.ring.prove_possession(key, owner)
    }

    fn generate(&self) -> Result<DualKeyBytes, SignerError> {
        Ok(self.ring.generate()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::{tests::with_fault, Fault};
    use duet_primitives::{BlockNumber, Commitment, KeysetCommitment, SetId, SignatureError, H256};

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
}
