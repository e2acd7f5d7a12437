//! Programs: linear combinations of labelled numbers.

use crate::{
    bounds::Bounds,
    curve::{self, G1Projective},
    error::{MalformedProgram, ProgramError},
    identity::SignerId,
    label::Label,
    scalar::Scalar,
    suite::{DST_LABEL, INTEGER_BITS, MAX_INPUTS, PROGRAM_TAG, SCALAR_LEN},
};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// The distinct signers of a list of labels, in order of first appearance, and the labels of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignerGroups {
    /// The signers.
    pub signers: Vec<SignerId>,
    /// For each signer, the indices of the labels, in ascending order.
    pub inputs: Vec<Vec<usize>>,
}

/// Groups labels by signer.
pub fn group_by_signer<'a>(labels: impl IntoIterator<Item = &'a Label>) -> SignerGroups {
    let mut places = HashMap::new();
    let mut groups = SignerGroups {
        signers: Vec::new(),
        inputs: Vec::<Vec<usize>>::new(),
    };
    for (index, label) in labels.into_iter().enumerate() {
        let signer = label.signer();
        let place = *places.entry(signer).or_insert(groups.signers.len());
        match groups.inputs.get_mut(place) {
            Some(inputs) => inputs.push(index),
            None => {
                groups.signers.push(signer);
                groups.inputs.push(vec![index]);
            }
        }
    }
    groups
}

/// A linear combination `Σ fᵢ·mᵢ` of numbers under distinct labels.
///
/// Every verifier builds the program from its own view of the epoch and the stakes. It must never take it from an
/// aggregator: a valid result of another program is not a forgery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    bounds: Bounds,
    coefficients: Vec<Scalar>,
    labels: Vec<Label>,
    groups: SignerGroups,
}

impl Program {
    /// Creates a program.
    ///
    /// # Errors
    /// [`ProgramError`] with the first broken rule, in the order of its variants.
    pub fn new(
        bounds: Bounds,
        coefficients: Vec<Scalar>,
        labels: Vec<Label>,
    ) -> Result<Self, ProgramError> {
        let count = coefficients.len();
        if count == 0 && labels.is_empty() {
            return Err(ProgramError::EmptyProgram);
        }
        if count != labels.len() {
            return Err(ProgramError::LengthMismatch {
                coefficients: count,
                labels: labels.len(),
            });
        }
        if count > MAX_INPUTS {
            return Err(ProgramError::TooManyInputs { got: count });
        }
        if let Some(index) = coefficients.iter().position(Scalar::is_zero) {
            return Err(ProgramError::ZeroCoefficient { index });
        }
        refuse_duplicates(&labels)?;
        if let Some(index) = coefficients.iter().position(|f| !bounds.admit(f)) {
            return Err(ProgramError::OutOfBounds { index });
        }
        Ok(Self {
            bounds,
            groups: group_by_signer(&labels),
            coefficients,
            labels,
        })
    }

    /// The range of its numbers.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The coefficient of each number.
    pub fn coefficients(&self) -> &[Scalar] {
        &self.coefficients
    }

    /// The label of each number.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// The labels of each signer.
    pub fn groups(&self) -> &SignerGroups {
        &self.groups
    }

    /// The distinct signers, in order of first appearance.
    pub fn signers(&self) -> &[SignerId] {
        &self.groups.signers
    }

    /// The digest that names this program in logs and messages: a hash of all coefficients and labels.
    pub fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new()
            .chain_update(PROGRAM_TAG)
            .chain_update(be32(self.labels.len()));
        for (coefficient, label) in self.coefficients.iter().zip(&self.labels) {
            hash.update(coefficient.to_bytes());
            hash.update(be32(label.as_bytes().len()));
            hash.update(label);
        }
        hash.finalize().into()
    }

    /// The encoding: the bounds (one byte, 0 for integers and 1 for residues), the number of inputs (4 bytes, big-endian), and
    /// for each input the coefficient (32 bytes), the length of the label (4 bytes) and the label.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![match self.bounds {
            Bounds::Integers => 0,
            Bounds::Residues => 1,
        }];
        bytes.extend(be32(self.labels.len()));
        for (coefficient, label) in self.coefficients.iter().zip(&self.labels) {
            bytes.extend(coefficient.to_bytes());
            bytes.extend(be32(label.as_bytes().len()));
            bytes.extend(label.as_bytes());
        }
        bytes
    }

    /// Decodes a program.
    ///
    /// # Errors
    /// [`MalformedProgram`] with the first broken rule.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MalformedProgram> {
        let cut = |index| MalformedProgram::Cut { index };
        let (bounds, rest) = bytes.split_first().ok_or(cut(0))?;
        let bounds = match *bounds {
            0 => Bounds::Integers,
            1 => Bounds::Residues,
            got => return Err(MalformedProgram::Bounds { got }),
        };
        let (count, mut rest) = rest.split_first_chunk().ok_or(cut(0))?;
        let got = usize::try_from(u32::from_be_bytes(*count)).unwrap_or(usize::MAX);
        if got > MAX_INPUTS {
            return Err(ProgramError::TooManyInputs { got }.into());
        }
        let (mut coefficients, mut labels) = (Vec::new(), Vec::new());
        for index in 0..got {
            let (coefficient, after) = rest.split_first_chunk::<SCALAR_LEN>().ok_or(cut(index))?;
            let (length, after) = after.split_first_chunk().ok_or(cut(index))?;
            let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
            let (label, after) = after.split_at_checked(length).ok_or(cut(index))?;
            let coefficient = Scalar::from_bytes(coefficient);
            coefficients.push(coefficient.ok_or(MalformedProgram::NonCanonicalScalar { index })?);
            let label = Label::from_bytes(label);
            labels.push(label.map_err(|error| MalformedProgram::Label { index, error })?);
            rest = after;
        }
        if !rest.is_empty() {
            return Err(MalformedProgram::Trailing { got: rest.len() });
        }
        Ok(Self::new(bounds, coefficients, labels)?)
    }

    /// The offline part of a verification: hashes the labels, and sums the weighted points of each signer. The result
    /// serves every verification of this program.
    ///
    /// Cost: a hash to the curve for each label, on all threads of rayon's pool.
    pub fn prepare(&self) -> PreparedProgram {
        PreparedProgram {
            outline: self.outline(),
            label_sums: self.label_sums(),
        }
    }

    /// `Lⱼ = Σ fᵢ·H(labelᵢ)` for each signer.
    pub(crate) fn label_sums(&self) -> Vec<G1Projective> {
        let points = curve::map_all(DST_LABEL, &self.labels);
        let pick = |inputs: &Vec<usize>| {
            let point = |index: &usize| points.get(*index).copied();
            let points: Vec<_> = inputs.iter().filter_map(point).collect();
            curve::label_sum(&points, &self.coefficients_of(inputs))
        };
        self.groups.inputs.par_iter().map(pick).collect()
    }

    fn coefficients_of(&self, inputs: &[usize]) -> Vec<Scalar> {
        let coefficient = |index: &usize| self.coefficients.get(*index).copied();
        inputs.iter().filter_map(coefficient).collect()
    }

    pub(crate) fn outline(&self) -> Outline {
        let limit = |inputs: &Vec<usize>| {
            let coefficients = self.coefficients_of(inputs);
            coefficients
                .iter()
                .filter_map(Scalar::short_magnitude)
                .map(u128::from)
                .sum()
        };
        Outline {
            bounds: self.bounds,
            signers: self.groups.signers.clone(),
            limits: self.groups.inputs.iter().map(limit).collect(),
        }
    }
}

fn be32(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes()
}

fn refuse_duplicates(labels: &[Label]) -> Result<(), ProgramError> {
    let mut seen = HashMap::with_capacity(labels.len());
    for (second, label) in labels.iter().enumerate() {
        if let Some(first) = seen.insert(label.as_bytes(), second) {
            return Err(ProgramError::DuplicateLabel { first, second });
        }
    }
    Ok(())
}

/// Everything that a verification needs of a program except the points of the labels.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    pub(crate) bounds: Bounds,
    pub(crate) signers: Vec<SignerId>,
    /// `Σ |fᵢ|` of each signer. Its partial sum is at most this times `2^64`.
    limits: Vec<u128>,
}

impl Outline {
    /// The first signer whose partial sum cannot result from messages within bounds.
    pub(crate) fn out_of_bounds(&self, partials: &[Scalar]) -> Option<SignerId> {
        if self.bounds == Bounds::Residues {
            return None;
        }
        const { assert!(INTEGER_BITS == 64, "limits count in units of 2^64") };
        let mut sums = self.signers.iter().zip(self.limits.iter().zip(partials));
        sums.find(|(_, (limit, sum))| !sum.is_within(**limit))
            .map(|(signer, _)| *signer)
    }
}

/// A program with hashed labels, which a light client can keep for an epoch.
#[derive(Clone)]
pub struct PreparedProgram {
    pub(crate) outline: Outline,
    pub(crate) label_sums: Vec<G1Projective>,
}

impl PreparedProgram {
    /// The distinct signers, in order of first appearance.
    pub fn signers(&self) -> &[SignerId] {
        &self.outline.signers
    }
}

impl std::fmt::Debug for PreparedProgram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PreparedProgram({:?})", self.outline)
    }
}
