//! From the signatures of recovery keys to one proof, and its check.

use super::{RecoveryMessage, RecoveryStatement};
use crate::{
    bitfield::Bitfield,
    error::{CombineError, RecoveryError},
    justification::{check_signers, equation},
    keyset::{Keyset, KeysetCommitment},
    merkle::MerkleProof,
    numbers::SignerIndex,
    stateless::{decode_non_signers, prove_non_signers, signers_sum},
    Pk1, Pk1Bytes, Pk2Bytes, SecretKey, SignatureBytes, H256,
};
use alloc::{collections::BTreeMap, vec::Vec};
use codec::{Decode, DecodeWithMemTracking, Encode, Error, Input, MaxEncodedLen};
use duet_curve::{Base, Encodings, Groups, Native, Sums};
use scale_info::TypeInfo;

/// The signature of one member of a recovery set, as it travels: 328 bytes.
///
/// It carries the member's `pk2`, which the commitment to the set does not bind, so that signatures can be combined
/// without the chain. The pairing equation binds it to the member's `pk1`.
#[derive(
    Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking, MaxEncodedLen, TypeInfo,
)]
pub struct RecoveryVote {
    /// What is signed.
    pub statement: RecoveryStatement,
    /// Position of the signer in the recovery set.
    pub signer: SignerIndex,
    /// The signer's key in G2.
    pub pk2: Pk2Bytes,
    /// The signature, in G1.
    pub signature: SignatureBytes,
}

impl RecoveryVote {
    /// Signs a statement. Deterministic.
    pub fn sign(secret: &SecretKey, signer: SignerIndex, message: &RecoveryMessage) -> Self {
        Self {
            statement: message.statement().clone(),
            signer,
            pk2: secret.public().pk2(),
            signature: secret.sign_point(message.hm()).sigma(),
        }
    }

    /// Checks the signature against the signer's key in the recovery set.
    ///
    /// Rules: RECOVER-6 for set and form, then JUST-5 for this signer alone.
    /// Cost: one hash to the curve, two decompressions with their subgroup checks, one product of two pairings.
    ///
    /// # Errors
    /// The first broken rule in that order. A bad signature blames its sender, never the signer that it names.
    pub fn check(&self, set: &Keyset, genesis_hash: H256) -> Result<(), RecoveryError> {
        self.statement.check_for(set.commitment())?;
        let (signer, len) = (self.signer, set.len());
        let key = set.key(signer);
        let key = key.ok_or(RecoveryError::UnknownSigner { signer, len })?;
        self.check_equation(key, genesis_hash)
    }

    /// JUST-5 for one signer.
    pub(super) fn check_equation(
        &self,
        key: &Pk1,
        genesis_hash: H256,
    ) -> Result<(), RecoveryError> {
        let message = RecoveryMessage::new(genesis_hash, self.statement.clone());
        holds(&message, &key.0, &self.pk2, &self.signature)
    }
}

/// A statement that more than two thirds of a recovery set signed, as it travels. (RECOVER-6)
///
/// Decoding refuses more keys than the largest set may have non-signers, before it allocates.
#[derive(Clone, Debug, PartialEq, Eq, Encode, DecodeWithMemTracking, TypeInfo)]
pub struct RecoveryProof {
    /// What is signed.
    pub statement: RecoveryStatement,
    /// Who signed.
    pub signers: Bitfield,
    /// The sum of the signatures, in G1.
    pub signature: SignatureBytes,
    /// The sum of the signers' `pk2`, in G2.
    pub apk2: Pk2Bytes,
    /// The keys of the non-signers, in set order.
    pub non_signers: Vec<Pk1Bytes>,
    /// Proves that these are their keys.
    pub proof: MerkleProof,
}

impl Decode for RecoveryProof {
    fn decode<I: Input>(input: &mut I) -> Result<Self, Error> {
        Ok(Self {
            statement: Decode::decode(input)?,
            signers: Decode::decode(input)?,
            signature: Decode::decode(input)?,
            apk2: Decode::decode(input)?,
            non_signers: decode_non_signers(input)?,
            proof: Decode::decode(input)?,
        })
    }
}

impl RecoveryProof {
    /// Checks the proof against the recovery set of the terms.
    ///
    /// Rules: RECOVER-6 for the set, RECOVER-5 for the form, JUST-2 to JUST-4, STATELESS-1, STATELESS-2, JUST-5.
    /// Cost: that of a stateless proof ([`check_stateless`](crate::check_stateless)).
    ///
    /// # Errors
    /// The first broken rule in that order; see [`RecoveryError::culprit`].
    ///
    /// # Security
    /// `set` must come from [`RecoveryTerms`](crate::RecoveryTerms) that the chain's state proves. The proof shows who
    /// signed, and not that the statement is true: a verifier also waits (RECOVER-7, RECOVER-8).
    pub fn check(
        self,
        set: &KeysetCommitment,
        genesis_hash: H256,
    ) -> Result<Recovery, RecoveryError> {
        self.statement.check_for(set)?;
        check_signers(&self.signers, set)?;
        let apk1 = signers_sum(set, &self.signers, self.non_signers.clone(), &self.proof)?;
        let message = RecoveryMessage::new(genesis_hash, self.statement.clone());
        holds(&message, &apk1, &self.apk2, &self.signature)?;
        Ok(Recovery(self))
    }
}

/// A checked recovery proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovery(RecoveryProof);

impl Recovery {
    /// Checks the signatures of members one by one, and adds them up.
    ///
    /// Cost: for each signature [`RecoveryVote::check`].
    ///
    /// # Errors
    /// [`CombineError`] when there are too few, two of one signer, some for another statement, or a bad one.
    pub fn combine(
        set: &Keyset,
        genesis_hash: H256,
        votes: &[RecoveryVote],
    ) -> Result<Self, CombineError> {
        let statement = &votes.first().ok_or(CombineError::Nothing)?.statement;
        let mut points = BTreeMap::new();
        for (at, vote) in votes.iter().enumerate() {
            if vote.statement != *statement {
                return Err(CombineError::OtherStatement { at });
            }
            let of_vote = |error| CombineError::Vote { at, error };
            vote.check(set, genesis_hash).map_err(of_vote)?;
            let read = Native::g1_from_stored_unchecked(&vote.signature.0);
            let sigma = read.map_err(|_| CombineError::ZeroSum)?;
            let read = Native::g2_from_stored_unchecked(&vote.pk2.0);
            let pk2 = read.map_err(|_| CombineError::ZeroSum)?;
            let signer = vote.signer;
            if points.insert(signer, (sigma, pk2)).is_some() {
                return Err(CombineError::RepeatedSigner { signer });
            }
        }
        let signers = Bitfield::from_indices(set.len(), points.keys().copied());
        let (threshold, got) = (set.threshold(), signers.count());
        if got < threshold {
            return Err(CombineError::BelowThreshold { threshold, got });
        }
        let (sigmas, keys): (Vec<_>, Vec<_>) = points.values().map(|(one, two)| (one, two)).unzip();
        let sigma = Native::g1_sum(&sigmas);
        if Native::g1_is_zero(&sigma) {
            return Err(CombineError::ZeroSum);
        }
        let (non_signers, proof) =
            prove_non_signers(&signers, set).map_err(|error| RecoveryError::Proof(error.into()))?;
        let proof = RecoveryProof {
            statement: statement.clone(),
            signers,
            signature: SignatureBytes(Native::g1_to_bytes(&sigma)),
            apk2: Pk2Bytes(Native::g2_to_bytes(&Native::g2_sum(&keys))),
            non_signers,
            proof,
        };
        Ok(proof.check(set.commitment(), genesis_hash)?)
    }

    /// What is proven.
    pub fn statement(&self) -> &RecoveryStatement {
        &self.0.statement
    }

    /// The proof as it travels, borrowed.
    pub fn as_unchecked(&self) -> &RecoveryProof {
        &self.0
    }

    /// The proof as it travels.
    pub fn into_unchecked(self) -> RecoveryProof {
        self.0
    }
}

/// ENC-1 to ENC-4 for both points, then JUST-5.
fn holds(
    message: &RecoveryMessage,
    apk1: &Base<Native>,
    apk2: &Pk2Bytes,
    signature: &SignatureBytes,
) -> Result<(), RecoveryError> {
    let equation = equation(message.hm(), apk1, apk2.into(), signature)?;
    let fails = crate::JustificationError::EquationFails;
    equation.holds().then_some(()).ok_or(fails.into())
}
