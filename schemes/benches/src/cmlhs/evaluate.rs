//! Evaluation of a linear function.

use super::Signature;
use crate::group::Group;
use blst::{blst_p1, blst_p1_affine, blst_p2, blst_p2_affine};

/// One signer's part of a combined signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// `σ`.
    pub sigma: blst_p1_affine,
    /// `Z`.
    pub z: blst_p2_affine,
    /// The weighted sum of `A`.
    pub a: blst_p1_affine,
    /// The weighted sum of `C`.
    pub c: blst_p1_affine,
}

/// The signature of a linear function of numbers of many signers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combined {
    /// Each signer's part.
    pub parts: Vec<Part>,
    /// The weighted sum of `R`.
    pub r: blst_p1_affine,
    /// The weighted sum of `S`.
    pub s: blst_p2_affine,
}

/// Why signatures were not combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluateError {
    /// There are no inputs, or a signer has none.
    Empty,
    /// There are not as many coefficients as signatures.
    Length {
        /// The signer's position; `None` if signers are missing.
        signer: Option<usize>,
    },
    /// A signer's signatures are not of one data set.
    MixedDataSets {
        /// The signer's position.
        signer: usize,
    },
}

/// Combines each signer's signatures with its coefficients.
///
/// # Errors
/// [`EvaluateError`], of the first signer with a fault.
pub fn evaluate(
    coefficients: &[Vec<u32>],
    signatures: &[Vec<Signature>],
) -> Result<Combined, EvaluateError> {
    if coefficients.len() != signatures.len() {
        return Err(EvaluateError::Length { signer: None });
    }
    let signers = coefficients.iter().zip(signatures).enumerate();
    let parts: Result<Vec<_>, _> = signers
        .map(|(signer, (weights, signatures))| part(signer, weights, signatures))
        .collect();
    let parts = parts?;
    if parts.is_empty() {
        return Err(EvaluateError::Empty);
    }
    let (rs, ss): (Vec<_>, Vec<_>) = signatures
        .iter()
        .flatten()
        .map(|signature| (signature.r, signature.s))
        .unzip();
    let weights = coefficients.concat();
    Ok(Combined {
        parts,
        r: blst_p1::weighted_sum(&rs, &weights).affine(),
        s: blst_p2::weighted_sum(&ss, &weights).affine(),
    })
}

fn part(signer: usize, weights: &[u32], signatures: &[Signature]) -> Result<Part, EvaluateError> {
    if weights.len() != signatures.len() {
        let signer = Some(signer);
        return Err(EvaluateError::Length { signer });
    }
    let first = signatures.first().ok_or(EvaluateError::Empty)?;
    if !signatures.iter().all(|other| other.shares_data_set(first)) {
        return Err(EvaluateError::MixedDataSets { signer });
    }
    let (a, c): (Vec<_>, Vec<_>) = signatures
        .iter()
        .map(|signature| (signature.a, signature.c))
        .unzip();
    Ok(Part {
        sigma: first.sigma,
        z: first.z,
        a: blst_p1::weighted_sum(&a, weights).affine(),
        c: blst_p1::weighted_sum(&c, weights).affine(),
    })
}
