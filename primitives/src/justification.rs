//! The finality proof: one signature, one key in G2, and who signed.

use crate::{
    commitment::{Commitment, RoundMessage},
    curve::{Curve, Native},
    dleq::Encoded,
    error::JustificationError,
    keyset::Keyset,
    transcript::aggregate_coefficient,
    Bitfield, Pk2Bytes, SignatureBytes, H256,
};
use codec::{Decode, DecodeWithMemTracking, Encode};
use scale_info::TypeInfo;

/// A finality proof as it travels; nothing is known about it. About 320 bytes, plus one bit per validator.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking, TypeInfo)]
pub struct UncheckedJustification {
    /// What was signed.
    pub commitment: Commitment,
    /// Who signed.
    pub signers: Bitfield,
    /// The sum of the signatures, in G1.
    pub signature: SignatureBytes,
    /// The sum of the signers' `pk2`, in G2.
    pub apk2: Pk2Bytes,
}

impl UncheckedJustification {
    /// Checks this justification against its set.
    ///
    /// Rules: JUST-1 set id, JUST-2 bitfield length, JUST-3 padding, JUST-4 threshold, ENC-1 to ENC-4 for both
    /// points, JUST-5 the pairing equation.
    /// Cost: one hash to G1, one addition in G1 per signer or per absentee (whichever are fewer), one
    /// decompression in each group, two short multiplications in G1, one product of two pairings.
    ///
    /// # Errors
    /// The first broken rule in that order; whoever sent it is to blame.
    ///
    /// # Security
    /// `set` must come from chain state or from a checked justification, never from the sender.
    pub fn check(
        self,
        set: &Keyset,
        genesis_hash: H256,
    ) -> Result<Justification, JustificationError> {
        self.check_form(set.id(), set.len(), set.threshold())?;
        let apk1 = set.sum_of(&self.signers);
        self.check_equation(apk1, genesis_hash)
    }

    /// JUST-1 to JUST-4: everything that needs no arithmetic.
    pub(crate) fn check_form(
        &self,
        set_id: u64,
        len: u32,
        threshold: u32,
    ) -> Result<(), JustificationError> {
        let (expected, got) = (set_id, self.commitment.validator_set_id);
        if expected != got {
            return Err(JustificationError::WrongSet { expected, got });
        }
        self.signers.check(len)?;
        let got = self.signers.count();
        if got < threshold {
            return Err(JustificationError::BelowThreshold { threshold, got });
        }
        Ok(())
    }

    /// The points and JUST-5, with the signers' `apk1` worked out by the caller.
    pub(crate) fn check_equation(
        self,
        apk1: <Native as Curve>::G1,
        genesis_hash: H256,
    ) -> Result<Justification, JustificationError> {
        let message = RoundMessage::new(genesis_hash, self.commitment.clone());
        equation::<Native>(&message.hm, &apk1, &self.apk2, &self.signature)?;
        Ok(Justification(self))
    }
}

/// JUST-5: `e(σ + t·apk1, g2) = e(H(m) + t·g1, apk2)`, with `t` a hash of everything in it.
///
/// The paper draws `t` at random; Fiat-Shamir lets every verifier, a runtime too, decide alike.
pub(crate) fn equation<C: Curve>(
    hm: &Encoded<C>,
    apk1: &C::G1,
    apk2: &Pk2Bytes,
    signature: &SignatureBytes,
) -> Result<(), JustificationError> {
    let sigma = C::g1_from_bytes(&signature.0).map_err(JustificationError::Signature)?;
    let apk2_point = C::g2_from_bytes(&apk2.0).map_err(JustificationError::Apk2)?;
    let t = aggregate_coefficient(&hm.bytes, &C::g1_to_bytes(apk1), &apk2.0, &signature.0);
    let left = C::g1_add_mul_short(&sigma, t, apk1);
    let right = C::g1_add_mul_short(&hm.point, t, &C::g1_generator());
    C::pairings_equal(&left, &C::g2_generator(), &right, &apk2_point)
        .then_some(())
        .ok_or(JustificationError::EquationFails)
}

/// A finality proof that was checked, or made from votes that were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Justification(UncheckedJustification);

impl Justification {
    pub(crate) fn from_votes(
        commitment: Commitment,
        signers: Bitfield,
        signature: SignatureBytes,
        apk2: Pk2Bytes,
    ) -> Self {
        Self(UncheckedJustification {
            commitment,
            signers,
            signature,
            apk2,
        })
    }

    /// What was signed.
    pub fn commitment(&self) -> &Commitment {
        &self.0.commitment
    }

    /// Who signed.
    pub fn signers(&self) -> &Bitfield {
        &self.0.signers
    }

    /// The proof as it travels.
    pub fn into_unchecked(self) -> UncheckedJustification {
        self.0
    }

    /// The proof as it travels, borrowed.
    pub fn as_unchecked(&self) -> &UncheckedJustification {
        &self.0
    }
}
