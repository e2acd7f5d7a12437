//! Checked keys.

use crate::{
    dleq::{self, hash_message},
    equation::Equation,
    error::{KeyError, PossessionError, SignatureError},
    possession::{self, Suites},
    suite::SIGNATURE_SUITE,
    DualKeyBytes, Pk1Bytes, Pk2Bytes, PossessionProof, VoteSignature,
};
use alloc::vec::Vec;
use duet_curve::{Base, Encodings, Groups, Native, Pairings, Purpose};

/// The half of a key in G1: on the curve, in the subgroup, not zero.
#[derive(Clone, Debug)]
pub struct Pk1(pub(crate) Base<Native>);

impl PartialEq for Pk1 {
    fn eq(&self, other: &Self) -> bool {
        self.0.bytes() == other.0.bytes()
    }
}
impl Eq for Pk1 {}

impl Pk1 {
    /// Reads a key from chain state, or from under a Merkle root that the chain made. Its proof of possession, and with
    /// it its subgroup, was checked at registration, so that only canonical form and curve are checked. (SET-5)
    ///
    /// # Errors
    /// [`KeyError::Pk1`] with the broken encoding rule.
    pub fn from_chain_state_unchecked(bytes: &Pk1Bytes) -> Result<Self, KeyError> {
        Base::from_stored_unchecked(&bytes.0, Purpose::Once)
            .map(Self)
            .map_err(KeyError::Pk1)
    }

    /// The same key, as that of a member of a set with `set_len` keys.
    pub(crate) fn of_member(&self, set_len: u32) -> Self {
        Self(self.0.for_purpose(Purpose::Member { set_len }))
    }

    /// The encoding.
    pub fn to_bytes(&self) -> Pk1Bytes {
        Pk1Bytes(*self.0.bytes())
    }

    /// Checks a signature over any message under this key, as `bls381::Pair::verify` does, without a pairing.
    ///
    /// Cost: one hash to the curve, one decompression with its subgroup check, four multiplications in G1.
    ///
    /// # Errors
    /// The first broken rule of ENC-1 to ENC-5 and DLEQ-2.
    pub fn verify(&self, message: &[u8], signature: &VoteSignature) -> Result<(), SignatureError> {
        let hm = hash_message(SIGNATURE_SUITE, message, Purpose::Once);
        dleq::check(signature, &self.0, &hm).map(|_| ())
    }
}

impl Pk1Bytes {
    /// Checks the encoding and the subgroup.
    ///
    /// # Errors
    /// [`KeyError::Pk1`] with the first broken rule of ENC-1 to ENC-4.
    pub fn check(&self) -> Result<Pk1, KeyError> {
        Base::from_bytes(&self.0, Purpose::Once)
            .map(Pk1)
            .map_err(KeyError::Pk1)
    }
}

/// Both halves are valid and not zero. They need not share a secret: see [`PossessedKey`].
#[derive(Clone, Debug)]
pub struct DualKey {
    pub(crate) pk1: Pk1,
    pub(crate) pk2: <Native as Groups>::G2,
    bytes: DualKeyBytes,
}

impl DualKey {
    /// The half in G1.
    pub fn pk1(&self) -> &Pk1 {
        &self.pk1
    }

    /// The encoding.
    pub fn to_bytes(&self) -> DualKeyBytes {
        self.bytes
    }
}

impl DualKeyBytes {
    /// Checks the encoding and the subgroup of both halves. (KEY-1)
    ///
    /// Cost: two decompressions, two subgroup checks.
    ///
    /// # Errors
    /// [`KeyError`] with the half and the first broken rule of ENC-1 to ENC-4.
    pub fn check(&self) -> Result<DualKey, KeyError> {
        let pk1 = self.pk1().check()?;
        let pk2 = Native::g2_from_bytes(&self.pk2().0).map_err(KeyError::Pk2)?;
        Ok(self.with_halves(pk1, pk2))
    }

    fn with_halves(&self, pk1: Pk1, pk2: <Native as Groups>::G2) -> DualKey {
        DualKey {
            pk1,
            pk2,
            bytes: *self,
        }
    }

    /// Checks that both halves have one secret and that its holder names `owner`.
    ///
    /// Rules: KEY-1, then POP-1 (ownership), POP-2 (possession), POP-3 (the pairing equation).
    /// Cost: two decompressions, three hashes to G1, two DLEQ checks, one product of two pairings.
    ///
    /// # Errors
    /// The first broken rule in that order.
    pub fn check_possession(
        &self,
        owner: &[u8],
        proof: &PossessionProof,
    ) -> Result<PossessedKey, PossessionError> {
        self.check_possession_with(&Suites::VOTING, owner, proof)
    }

    /// The same for a recovery key, with suites of its own. (RECOVER-1)
    ///
    /// # Errors
    /// As [`DualKeyBytes::check_possession`].
    pub fn check_recovery_possession(
        &self,
        owner: &[u8],
        proof: &PossessionProof,
    ) -> Result<PossessedKey, PossessionError> {
        self.check_possession_with(&Suites::RECOVERY, owner, proof)
    }

    fn check_possession_with(
        &self,
        suites: &Suites,
        owner: &[u8],
        proof: &PossessionProof,
    ) -> Result<PossessedKey, PossessionError> {
        let (key, equation) = self.prepare_possession(suites, owner, proof)?;
        possession::verify(&equation)?;
        Ok(PossessedKey(key))
    }

    /// [`DualKeyBytes::check_possession`] of many keys, each with its owner and proof: the same verdicts in the same
    /// order. (POP-4)
    ///
    /// Cost when all hold: as one by one, but with one Miller loop, one short multiplication and two terms of a sum of
    /// products each instead of a product of two pairings, and one such product for all. If an equation fails, the
    /// cost of checking one by one is added.
    ///
    /// # Errors
    /// Each key has its own verdict; a bad one changes nothing for the others.
    pub fn check_possession_all(
        registrations: &[(Self, &[u8], PossessionProof)],
    ) -> Vec<Result<PossessedKey, PossessionError>> {
        let prepared: Vec<_> = registrations
            .iter()
            .map(|(key, owner, proof)| key.prepare_possession(&Suites::VOTING, owner, proof))
            .collect();
        let equations: Vec<_> = prepared
            .iter()
            .flatten()
            .map(|(_, equation)| equation)
            .collect();
        let mut verdicts = possession::verify_all(&equations).into_iter();
        prepared
            .iter()
            .map(|prepared| {
                let (key, equation) = prepared.as_ref().map_err(|error| *error)?;
                // There is one verdict per equation. One that were missing would be found alone.
                verdicts
                    .next()
                    .unwrap_or_else(|| possession::verify(equation))?;
                Ok(PossessedKey(key.clone()))
            })
            .collect()
    }

    /// KEY-1, POP-1 and POP-2.
    fn prepare_possession(
        &self,
        suites: &Suites,
        owner: &[u8],
        proof: &PossessionProof,
    ) -> Result<(DualKey, Equation<Native>), PossessionError> {
        // It is multiplied three times here.
        let pk1 = Base::from_bytes(&self.pk1().0, Purpose::AFewTimes).map_err(KeyError::Pk1)?;
        let pk2 = Native::g2_prepared_from_bytes(&self.pk2().0).map_err(KeyError::Pk2)?;
        let checked = Pk1(pk1.for_purpose(Purpose::Once));
        let key = self.with_halves(checked, *Native::g2_of_prepared(&pk2));
        let equation = possession::prepare(&pk1, pk2, &self.pk2(), owner, proof, suites)?;
        Ok((key, equation))
    }
}

/// A key whose proof of possession holds. Only such keys may be added up.
#[derive(Clone, Debug)]
pub struct PossessedKey(DualKey);

impl PossessedKey {
    /// Reads a key from chain state, which holds only keys with a checked proof; no subgroup check. (SET-5)
    ///
    /// # Errors
    /// [`KeyError`] with the half and the broken encoding rule.
    ///
    /// # Security
    /// `bytes` must come from the state of a block that this node executed or that a proof vouches for.
    pub fn from_chain_state_unchecked(bytes: &DualKeyBytes) -> Result<Self, KeyError> {
        let pk1 = Pk1::from_chain_state_unchecked(&bytes.pk1())?;
        let pk2 = Native::g2_from_stored_unchecked(&bytes.pk2().0).map_err(KeyError::Pk2)?;
        Ok(Self(bytes.with_halves(pk1, pk2)))
    }

    /// The key.
    pub fn key(&self) -> &DualKey {
        &self.0
    }

    /// The half in G2, as bytes.
    pub fn pk2(&self) -> Pk2Bytes {
        self.0.bytes.pk2()
    }
}
