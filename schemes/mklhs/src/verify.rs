//! Verification of combined signatures.

use crate::{
    combined::Combined,
    curve::{self, G1Projective},
    error::VerifyError,
    identity::SignerId,
    keys::PublicKey,
    program::{Outline, PreparedProgram, Program},
    scalar::Scalar,
    signers::Signers,
};
use rayon::prelude::*;

/// The result of a verified combined signature.
///
/// A signer that shares its secret or signs false numbers can change its own part, and with it the total, but not the
/// part of another signer. Apply plausibility rules to each part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// `Σ fᵢ·mᵢ`.
    pub total: Scalar,
    /// The contribution of each signer, in the order of the program.
    pub per_signer: Vec<(SignerId, Scalar)>,
}

/// Checks that `combined` proves that `program` evaluates to `total`.
///
/// Cost: a hash to the curve for each label, a pairing for each signer and one more, on all threads of rayon's pool.
///
/// # Errors
/// The first broken rule, in the order of the variants of [`VerifyError`].
///
/// # Security
/// Build `program` from the verifier's own view, and take `signers` from a registry with proofs of possession. Never
/// take either from the sender of the signature.
pub fn verify(
    program: &Program,
    signers: &Signers,
    total: Scalar,
    combined: &Combined,
) -> Result<Verified, VerifyError> {
    let outline = program.outline();
    let keys = check_structure(&outline, signers, total, combined)?;
    check_equation(&program.label_sums(), &keys, combined)?;
    Ok(verified(&outline, total, combined))
}

impl PreparedProgram {
    /// The online part of [`verify`], after the labels have been hashed.
    ///
    /// Cost: a pairing for each signer and one more, on all threads of rayon's pool.
    ///
    /// # Errors
    /// As [`verify`].
    ///
    /// # Security
    /// As [`verify`].
    pub fn verify(
        &self,
        signers: &Signers,
        total: Scalar,
        combined: &Combined,
    ) -> Result<Verified, VerifyError> {
        let keys = check_structure(&self.outline, signers, total, combined)?;
        check_equation(&self.label_sums, &keys, combined)?;
        Ok(verified(&self.outline, total, combined))
    }
}

/// All checks except the equation. Returns the signers' keys.
fn check_structure<'a>(
    outline: &Outline,
    signers: &'a Signers,
    total: Scalar,
    combined: &Combined,
) -> Result<Vec<&'a PublicKey>, VerifyError> {
    let keys: Vec<_> = outline
        .signers
        .iter()
        .map(|signer| signers.key(signer))
        .collect::<Result<_, _>>()?;
    let (expected, got) = (keys.len(), combined.partials.len());
    if expected != got {
        return Err(VerifyError::PartialCountMismatch { expected, got });
    }
    if let Some(signer) = outline.out_of_bounds(&combined.partials) {
        return Err(VerifyError::OutOfBounds { signer });
    }
    if combined.total() != total {
        return Err(VerifyError::SumMismatch);
    }
    Ok(keys)
}

/// `e(−γ, P2) · Π e(Lⱼ + μⱼ·U, pkⱼ) = 1`.
fn check_equation(
    label_sums: &[G1Projective],
    keys: &[&PublicKey],
    combined: &Combined,
) -> Result<(), VerifyError> {
    let signed = |(label_sum, partial): (&G1Projective, &Scalar)| {
        curve::add(label_sum, &curve::base_multiple(partial))
    };
    let mut points: Vec<_> = label_sums
        .par_iter()
        .with_min_len(64)
        .zip(&combined.partials)
        .map(signed)
        .collect();
    points.push(curve::negated(&curve::from_affine(&combined.gamma)));
    let in_g2 = keys
        .iter()
        .map(|key| key.point())
        .chain([curve::g2_generator()]);
    let pairs: Vec<_> = curve::to_affine(&points).into_iter().zip(in_g2).collect();
    if curve::pairing_product_is_one(&pairs) {
        Ok(())
    } else {
        Err(VerifyError::PairingMismatch)
    }
}

fn verified(outline: &Outline, total: Scalar, combined: &Combined) -> Verified {
    let partials = combined.partials.iter().copied();
    Verified {
        total,
        per_signer: outline.signers.iter().copied().zip(partials).collect(),
    }
}
