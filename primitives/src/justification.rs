//! The finality proof: one signature, one key in G2, and the bitfield of signers.

use crate::{
    commitment::{Commitment, RoundMessage},
    equation::{Coefficient, Equation},
    error::JustificationError,
    keyset::{Keyset, KeysetCommitment},
    suite::AGGREGATE_TAG,
    transcript::{coefficient, equation_digest},
    Bitfield, Pk2Bytes, SignatureBytes, Witness, H256,
};
use alloc::{sync::Arc, vec::Vec};
use codec::{Decode, DecodeWithMemTracking, Encode};
use duet_curve::{Base, Curve, Native};
use scale_info::TypeInfo;

/// A finality proof as it travels, not checked. About 320 bytes, plus one bit per validator.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking, TypeInfo)]
pub struct UncheckedJustification {
    /// The signed commitment.
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
    /// Cost: one hash to G1, one addition in G1 per signer or per non-signer (whichever are fewer), one
    /// decompression in each group, two short multiplications in G1, one product of two pairings.
    ///
    /// # Errors
    /// The first broken rule in that order; see [`JustificationError::culprit`].
    ///
    /// # Security
    /// `set` must come from chain state or from a checked justification, never from the sender.
    pub fn check(
        self,
        set: &Keyset,
        genesis_hash: H256,
    ) -> Result<Justification, JustificationError> {
        self.prepare(set, genesis_hash, None)?.verify()
    }

    /// Checks everything but the pairing equation, which [`PreparedJustification::verify_all`] checks for many at
    /// once. If the proof `before` this one in that batch has the same `apk2`, as by the same signers, the point is
    /// decompressed and checked once, and the pairings of both are one.
    ///
    /// # Errors
    /// As [`UncheckedJustification::check`], save for JUST-5.
    ///
    /// # Security
    /// As for [`UncheckedJustification::check`], but `set` may also come from another prepared justification, if both
    /// are verified together, in order.
    pub fn prepare(
        self,
        set: &Keyset,
        genesis_hash: H256,
        before: Option<&PreparedJustification>,
    ) -> Result<PreparedJustification, JustificationError> {
        self.check_form(set.commitment())?;
        let message = RoundMessage::new(genesis_hash, self.commitment.clone());
        let apk1 = set.sum_of(&self.signers);
        self.prepare_equation(&apk1, &message, before)
    }

    /// JUST-1 to JUST-4: everything but curve arithmetic.
    pub(crate) fn check_form(&self, set: &KeysetCommitment) -> Result<(), JustificationError> {
        let (expected, got) = (set.id, self.commitment.validator_set_id);
        if expected != got {
            return Err(JustificationError::WrongSet { expected, got });
        }
        check_signers(&self.signers, set)
    }

    /// ENC-1 to ENC-4 for both points, with `apk1` and the hashed commitment from the caller.
    pub(crate) fn prepare_equation(
        self,
        apk1: &Base<Native>,
        message: &RoundMessage,
        before: Option<&PreparedJustification>,
    ) -> Result<PreparedJustification, JustificationError> {
        let same = before.filter(|before| before.justification.apk2 == self.apk2);
        let apk2 = Apk2 {
            bytes: &self.apk2,
            point: same.map(|before| before.equation.point.clone()),
        };
        let equation = equation(message.hm(), apk1, apk2, &self.signature)?;
        Ok(PreparedJustification {
            justification: self,
            equation,
        })
    }
}

/// JUST-2 to JUST-4.
pub(crate) fn check_signers(
    signers: &Bitfield,
    set: &KeysetCommitment,
) -> Result<(), JustificationError> {
    signers.check(set.len)?;
    let (threshold, got) = (set.threshold(), signers.count());
    if got < threshold {
        return Err(JustificationError::BelowThreshold { threshold, got });
    }
    Ok(())
}

/// A finality proof whose pairing equation is not checked yet: it proves nothing. 20 KB, because the subgroup check of
/// `apk2` leaves the input of its pairing.
#[derive(Debug)]
pub struct PreparedJustification {
    justification: UncheckedJustification,
    equation: Equation<Native>,
}

impl PreparedJustification {
    /// Checks the equation. (JUST-5)
    ///
    /// # Errors
    /// [`JustificationError::EquationFails`].
    pub fn verify(self) -> Result<Justification, JustificationError> {
        self.equation
            .holds()
            .then_some(Justification(self.justification))
            .ok_or(JustificationError::EquationFails)
    }

    /// [`Self::verify`] by a witness from [`Self::witness`], which spares WASM the final exponentiation. (JUST-11)
    ///
    /// # Errors
    /// [`JustificationError::EquationFails`] where the equation does not hold, or the witness is not one of it.
    pub fn verify_by(self, witness: &Witness) -> Result<Justification, JustificationError> {
        self.equation
            .holds_by(&witness.0)
            .then_some(Justification(self.justification))
            .ok_or(JustificationError::EquationFails)
    }

    /// The witness of the equation, if it holds; else a witness of nothing. Anybody can compute it. Cost: some 3 000 products
    /// in Fp12.
    pub fn witness(&self) -> Witness {
        Witness(self.equation.witness())
    }

    /// Checks many equations for about half of the cost of checking them one by one: one Miller loop for each run of
    /// proofs with one `apk2`, and one final exponentiation for all. Returns the justifications before the first that
    /// does not hold. (JUST-6)
    ///
    /// The verdicts are those of [`PreparedJustification::verify`] one after the other. The equations are added up
    /// with weights of 128 bits that hash everything in them, so that errors cannot cancel. When the sum does not
    /// hold, each equation is checked alone.
    pub fn verify_all(prepared: Vec<Self>) -> Vec<Justification> {
        let equations: Vec<_> = prepared.iter().map(|one| &one.equation).collect();
        let good = if Equation::all_hold(&equations) {
            equations.len()
        } else {
            let first_bad = equations.iter().position(|equation| !equation.holds());
            first_bad.unwrap_or(equations.len())
        };
        let justifications = prepared
            .into_iter()
            .map(|one| Justification(one.justification));
        justifications.take(good).collect()
    }
}

/// The sum of the signers' `pk2`, for [`equation`].
pub(crate) struct Apk2<'a, C: Curve> {
    pub(crate) bytes: &'a Pk2Bytes,
    /// The point of these bytes, if a proof checked it before.
    pub(crate) point: Option<Arc<C::G2Prepared>>,
}

impl<'a, C: Curve> From<&'a Pk2Bytes> for Apk2<'a, C> {
    fn from(bytes: &'a Pk2Bytes) -> Self {
        Self { bytes, point: None }
    }
}

/// JUST-5: `e(σ + t·apk1, g2) = e(H(m) + t·g1, apk2)`, with `t` a hash of everything in it.
///
/// The paper draws `t` at random. A hash (Fiat-Shamir) gives every verifier the same verdict, in a runtime too.
pub(crate) fn equation<C: Curve>(
    hm: &Base<C>,
    apk1: &Base<C>,
    apk2: Apk2<'_, C>,
    signature: &SignatureBytes,
) -> Result<Equation<C>, JustificationError> {
    let sigma = C::g1_from_bytes(&signature.0).map_err(JustificationError::Signature)?;
    let point = match apk2.point {
        Some(point) => point,
        None => C::g2_prepared_from_bytes(&apk2.bytes.0)
            .map_err(JustificationError::Apk2)?
            .into(),
    };
    let digest = equation_digest(
        AGGREGATE_TAG,
        hm.bytes(),
        apk1.bytes(),
        &apk2.bytes.0,
        &signature.0,
    );
    let t = Coefficient::Short(coefficient(&digest));
    Ok(Equation {
        right: t.add_mul(hm.point(), &Base::generator()),
        sigma,
        t,
        key: apk1.clone(),
        point,
        digest,
    })
}

/// A checked finality proof: verified, or the sum of checked votes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Justification(UncheckedJustification);

impl Justification {
    /// The sum of checked votes.
    pub(crate) fn from_votes(sum: UncheckedJustification) -> Self {
        Self(sum)
    }

    /// The signed commitment.
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
