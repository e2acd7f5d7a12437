//! Whose signatures count: the keys that a verifier knows, and what it knows of them.

use crate::{
    equivocation::EquivocationProof,
    error::{AdmissionError, EquivocationError, StandingError},
    keys::{ProofOfPossession, PublicKey, SignerId},
};
use std::collections::BTreeMap;

/// What is known of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Somebody named it; nobody proved to have its secret.
    Announced,
    /// Its holder proved to have the secret: signatures count.
    Registered,
    /// Its holder signed two messages under one label: signatures do not count any more.
    Revoked,
}

/// The keys that a verifier knows.
///
/// A program names signers by the fingerprints of their keys, and the keys come from here and from nowhere else: never
/// from beside a signature.
#[derive(Clone, Debug, Default)]
pub struct Signers {
    known: BTreeMap<SignerId, (PublicKey, Standing)>,
}

impl Signers {
    /// Nobody.
    pub fn new() -> Self {
        Self::default()
    }

    /// Notes a key whose proof of possession is still to come; what is known of it already stays.
    pub fn announce(&mut self, key: PublicKey) -> SignerId {
        let id = key.id();
        self.known.entry(id).or_insert((key, Standing::Announced));
        id
    }

    /// Admits a key whose holder proves to have its secret.
    ///
    /// Without the proof somebody could name `a·P2 − pk` as a key, and sign for the holder of `pk` and himself together.
    /// Cost: a hash to the curve and two pairings.
    ///
    /// # Errors
    /// [`AdmissionError::BadPop`] when the proof is not of this key, [`AdmissionError::Revoked`] when the key was
    /// revoked.
    pub fn register(
        &mut self,
        key: PublicKey,
        pop: &ProofOfPossession,
    ) -> Result<SignerId, AdmissionError> {
        let signer = key.id();
        if self.standing(&signer) == Some(Standing::Revoked) {
            return Err(AdmissionError::Revoked { signer });
        }
        if !key.is_possessed(pop) {
            return Err(AdmissionError::BadPop);
        }
        self.known.insert(signer, (key, Standing::Registered));
        Ok(signer)
    }

    /// [`Signers::register`] from the bytes of both.
    ///
    /// # Errors
    /// [`AdmissionError::Key`] or [`AdmissionError::Pop`] when they do not decode, otherwise as there.
    pub fn register_bytes(&mut self, key: &[u8], pop: &[u8]) -> Result<SignerId, AdmissionError> {
        let key = PublicKey::from_bytes(key).map_err(AdmissionError::Key)?;
        let pop = ProofOfPossession::from_bytes(pop).map_err(AdmissionError::Pop)?;
        self.register(key, &pop)
    }

    /// Revokes the key of whom `proof` convicts; it never counts again.
    ///
    /// # Errors
    /// [`EquivocationError`] when it convicts nobody that is known here.
    pub fn revoke(&mut self, proof: &EquivocationProof) -> Result<SignerId, EquivocationError> {
        let signer = proof.label().signer();
        let (key, standing) = self
            .known
            .get_mut(&signer)
            .ok_or(EquivocationError::UnknownSigner { signer })?;
        proof.check(key)?;
        *standing = Standing::Revoked;
        Ok(signer)
    }

    /// What is known of a key.
    pub fn standing(&self, signer: &SignerId) -> Option<Standing> {
        self.known.get(signer).map(|(_, standing)| *standing)
    }

    /// Every key that is known, in the order of the fingerprints.
    pub fn iter(&self) -> impl Iterator<Item = (&PublicKey, Standing)> {
        self.known.values().map(|(key, standing)| (key, *standing))
    }

    /// The key of a signer whose signatures count.
    ///
    /// # Errors
    /// [`StandingError`] with the signer.
    pub fn key(&self, signer: &SignerId) -> Result<&PublicKey, StandingError> {
        let signer = *signer;
        match self.known.get(&signer) {
            Some((key, Standing::Registered)) => Ok(key),
            Some((_, Standing::Announced)) => Err(StandingError::MissingPop { signer }),
            Some((_, Standing::Revoked)) => Err(StandingError::Revoked { signer }),
            None => Err(StandingError::UnknownSigner { signer }),
        }
    }
}
