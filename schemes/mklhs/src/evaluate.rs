//! Combining signatures. No key is needed.

use crate::{
    batch::check_all,
    combined::Combined,
    curve::{self, G1Projective},
    error::{CombineError, ProgramError},
    program::Program,
    scalar::Scalar,
    signature::Signature,
    signers::Signers,
    suite::MAX_INPUTS,
};
use rand_core::CryptoRngCore;

/// Checks each signature and combines them: `signatures[i]` is the signature on the program's label `i`.
///
/// `rng` draws the weights of the check. The makers of the signatures must not be able to predict it.
///
/// Cost: [`check_all`], then [`evaluate_unchecked`].
///
/// # Errors
/// [`CombineError::LengthMismatch`], or [`CombineError::BadInputs`] with every invalid signature.
pub fn evaluate(
    program: &Program,
    signatures: &[Signature],
    signers: &Signers,
    rng: &mut impl CryptoRngCore,
) -> Result<Combined, CombineError> {
    check_all(signers, program.bounds(), program.labels(), signatures, rng)?;
    evaluate_unchecked(program, signatures)
}

/// Combines signatures that were checked before. One invalid signature makes the result invalid, and the result does
/// not show which it was.
///
/// Cost: one multi-scalar multiplication, with scalars of the length of the coefficients.
///
/// # Errors
/// [`CombineError::LengthMismatch`] or [`CombineError::IdentityPoint`].
pub fn evaluate_unchecked(
    program: &Program,
    signatures: &[Signature],
) -> Result<Combined, CombineError> {
    refuse_other_count(program, signatures)?;
    let points: Vec<_> = signatures.iter().map(|signature| signature.gamma).collect();
    let gamma = curve::weighted_sum(&points, program.coefficients());
    let product = |index: &usize| {
        let coefficient = program.coefficients().get(*index)?;
        Some(*coefficient * signatures.get(*index)?.message)
    };
    let partial = |inputs: &Vec<usize>| inputs.iter().filter_map(product).sum();
    combined(
        &gamma,
        program.groups().inputs.iter().map(partial).collect(),
    )
}

fn refuse_other_count(program: &Program, signatures: &[Signature]) -> Result<(), CombineError> {
    let (expected, got) = (program.labels().len(), signatures.len());
    if expected == got {
        Ok(())
    } else {
        Err(CombineError::LengthMismatch { expected, got })
    }
}

fn combined(gamma: &G1Projective, partials: Vec<Scalar>) -> Result<Combined, CombineError> {
    if curve::is_identity(gamma) {
        return Err(CombineError::IdentityPoint);
    }
    Ok(Combined {
        gamma: curve::one_to_affine(gamma),
        partials,
    })
}

/// A combined signature that becomes part of a larger one.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// The weight of its result.
    pub weight: Scalar,
    /// Its program.
    pub program: &'a Program,
    /// The signature.
    pub combined: &'a Combined,
}

/// Combines combined signatures, and returns the program `Σ weight·program` and its signature.
///
/// The programs must not have a label in common. They may have signers in common: the result has one partial sum for
/// each signer. The signatures are not checked; the result is valid if they are.
///
/// # Errors
/// [`CombineError::BoundsMismatch`], [`CombineError::PartialCountMismatch`], [`CombineError::Program`] if the programs
/// have a label in common or a coefficient exceeds its bounds, or [`CombineError::IdentityPoint`].
pub fn combine_disjoint(parts: &[Part<'_>]) -> Result<(Program, Combined), CombineError> {
    let first = parts.first().ok_or(ProgramError::EmptyProgram)?;
    let bounds = first.program.bounds();
    for (
        part,
        Part {
            program, combined, ..
        },
    ) in parts.iter().enumerate()
    {
        if program.bounds() != bounds {
            return Err(CombineError::BoundsMismatch { part });
        }
        let (expected, got) = (program.signers().len(), combined.partials.len());
        if expected != got {
            return Err(CombineError::PartialCountMismatch {
                part,
                expected,
                got,
            });
        }
    }
    let got = parts.iter().map(|part| part.program.labels().len()).sum();
    if got > MAX_INPUTS {
        return Err(ProgramError::TooManyInputs { got }.into());
    }
    let program = joined_program(parts)?;
    let points: Vec<_> = parts.iter().map(|part| part.combined.gamma).collect();
    let weights: Vec<_> = parts.iter().map(|part| part.weight).collect();
    let gamma = curve::weighted_sum(&points, &weights);
    let partials = joined_partials(parts, &program);
    Ok((program, combined(&gamma, partials)?))
}

fn joined_program(parts: &[Part<'_>]) -> Result<Program, CombineError> {
    let bounds = parts.first().map(|part| part.program.bounds());
    let mut coefficients = Vec::new();
    let mut labels = Vec::new();
    for Part {
        weight, program, ..
    } in parts
    {
        for (coefficient, label) in program.coefficients().iter().zip(program.labels()) {
            // Only the product has to be within bounds. The partial sums follow it modulo `q`.
            coefficients.push(*weight * *coefficient);
            labels.push(label.clone());
        }
    }
    Ok(Program::new(
        bounds.unwrap_or_default(),
        coefficients,
        labels,
    )?)
}

fn joined_partials(parts: &[Part<'_>], program: &Program) -> Vec<Scalar> {
    let mut sums: std::collections::HashMap<_, Scalar> = std::collections::HashMap::new();
    for part in parts {
        for (signer, partial) in part.program.signers().iter().zip(&part.combined.partials) {
            let sum = sums.entry(*signer).or_default();
            *sum = *sum + part.weight * *partial;
        }
    }
    let sum = |signer| sums.get(signer).copied().unwrap_or_default();
    program.signers().iter().map(sum).collect()
}
