//! The signers that a verifier knows, and the status of their keys.

use crate::{
    equivocation::EquivocationProof,
    error::{AdmissionError, EquivocationError, KeyStatusError},
    identity::SignerId,
    keys::{ProofOfPossession, PublicKey},
};
use std::collections::BTreeMap;

/// The status of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyStatus {
    /// The key is known, but without a proof of possession.
    Announced,
    /// Possession was proven: signatures are accepted.
    Registered,
    /// The signer signed two messages under one label: signatures are no longer accepted.
    Revoked,
}

/// The keys that a verifier knows.
///
/// A program names signers by the fingerprints of their keys. The keys are looked up here; never use a key that came
/// with a signature.
#[derive(Clone, Debug, Default)]
pub struct Signers {
    known: BTreeMap<SignerId, (PublicKey, KeyStatus)>,
}

impl Signers {
    /// No signers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a key whose proof of possession is still missing. If the key is known, its status does not change.
    pub fn announce(&mut self, key: PublicKey) -> SignerId {
        let id = key.id();
        self.known.entry(id).or_insert((key, KeyStatus::Announced));
        id
    }

    /// Registers a key after checking its proof of possession.
    ///
    /// Without this check, an attacker could claim `a·P2 − pk` as a key, and sign for itself and the holder of `pk`
    /// together.
    ///
    /// Cost: a hash to the curve and two pairings.
    ///
    /// # Errors
    /// [`AdmissionError::BadPop`] if the proof does not belong to this key, [`AdmissionError::Revoked`] if the key was
    /// revoked.
    pub fn register(
        &mut self,
        key: PublicKey,
        pop: &ProofOfPossession,
    ) -> Result<SignerId, AdmissionError> {
        let signer = key.id();
        if self.status(&signer) == Some(KeyStatus::Revoked) {
            return Err(AdmissionError::Revoked { signer });
        }
        if !key.is_possessed(pop) {
            return Err(AdmissionError::BadPop);
        }
        self.known.insert(signer, (key, KeyStatus::Registered));
        Ok(signer)
    }

    /// Decodes both arguments and calls [`Signers::register`].
    ///
    /// # Errors
    /// [`AdmissionError::Key`] or [`AdmissionError::Pop`] if an argument does not decode; otherwise as for
    /// [`Signers::register`].
    pub fn register_bytes(&mut self, key: &[u8], pop: &[u8]) -> Result<SignerId, AdmissionError> {
        let key = PublicKey::from_bytes(key).map_err(AdmissionError::Key)?;
        let pop = ProofOfPossession::from_bytes(pop).map_err(AdmissionError::Pop)?;
        self.register(key, &pop)
    }

    /// Revokes the key of the signer that `proof` incriminates, permanently.
    ///
    /// # Errors
    /// [`EquivocationError`] if the proof is invalid or the signer is not known.
    pub fn revoke(&mut self, proof: &EquivocationProof) -> Result<SignerId, EquivocationError> {
        let signer = proof.label().signer();
        let (key, status) = self
            .known
            .get_mut(&signer)
            .ok_or(EquivocationError::UnknownSigner { signer })?;
        proof.check(key)?;
        *status = KeyStatus::Revoked;
        Ok(signer)
    }

    /// The status of a key.
    pub fn status(&self, signer: &SignerId) -> Option<KeyStatus> {
        self.known.get(signer).map(|(_, status)| *status)
    }

    /// All known keys, ordered by fingerprint.
    pub fn iter(&self) -> impl Iterator<Item = (&PublicKey, KeyStatus)> {
        self.known.values().map(|(key, status)| (key, *status))
    }

    /// The key of a signer whose signatures are accepted.
    ///
    /// # Errors
    /// [`KeyStatusError`] with the signer.
    pub fn key(&self, signer: &SignerId) -> Result<&PublicKey, KeyStatusError> {
        let signer = *signer;
        match self.known.get(&signer) {
            Some((key, KeyStatus::Registered)) => Ok(key),
            Some((_, KeyStatus::Announced)) => Err(KeyStatusError::MissingPop { signer }),
            Some((_, KeyStatus::Revoked)) => Err(KeyStatusError::Revoked { signer }),
            None => Err(KeyStatusError::UnknownSigner { signer }),
        }
    }
}
