//! Combining signatures: no key is needed, anybody can.

use crate::{
    batch::check_all,
    combined::Combined,
    curve::{self, Sum},
    error::{CombineError, ProgramError},
    program::Program,
    scalar::Scalar,
    signature::Signature,
    signers::Signers,
    suite::MAX_INPUTS,
};
use rand_core::CryptoRngCore;

/// Combines signatures after checking each of them: `signatures[i]` is the one on the program's label `i`.
///
/// `rng` weights the signatures in the check; it must not be known to whom they come from.
/// Cost: [`check_all`], then [`evaluate_unchecked`].
///
/// # Errors
/// [`CombineError::LengthMismatch`], or [`CombineError::BadInputs`] with every signature that does not hold.
pub fn evaluate(
    program: &Program,
    signatures: &[Signature],
    signers: &Signers,
    rng: &mut impl CryptoRngCore,
) -> Result<Combined, CombineError> {
    check_all(signers, program.bounds(), program.labels(), signatures, rng)?;
    evaluate_unchecked(program, signatures)
}

/// Combines signatures that were checked before. One that does not hold makes a result that does not hold, and nobody
/// can tell from it which.
///
/// Cost: one multi-scalar multiplication with scalars as long as the coefficients.
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
        program.organized().inputs.iter().map(partial).collect(),
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

fn combined(gamma: &Sum, partials: Vec<Scalar>) -> Result<Combined, CombineError> {
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
    /// What its result is multiplied by.
    pub weight: Scalar,
    /// What it is of.
    pub program: &'a Program,
    /// The signature.
    pub combined: &'a Combined,
}

/// Combines what was combined already: the program `Σ weight·program` and its signature.
///
/// No label may be in two of the programs. A signer may: the result has one partial sum for each. Nothing is checked of
/// the signatures; the result holds if they do.
///
/// # Errors
/// [`CombineError::BoundsMismatch`], [`CombineError::PartialCountMismatch`], [`CombineError::Program`] when the programs
/// have a label in common or a coefficient leaves its bounds, or [`CombineError::IdentityPoint`].
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
            // Bounds are those of the product, whatever it was made from: the partial sums follow it modulo `q`.
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
