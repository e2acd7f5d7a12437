//! The verifier's view, and the computations on it.

use super::{
    error::StandardError,
    proof::{Proof, Record},
};
use crate::statistics::{Stat, Statistic};
use duet_mklhs::{
    evaluate, Bounds, Combined, Label, LabelError, Program, ProgramError, Scalar, SignerId, Signers,
};
use num_bigint::BigInt;
use rand_core::OsRng;
use std::collections::BTreeMap;

/// The measured quantity: the same for all sources of a statistic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metric {
    /// The chain or deployment.
    pub context: Vec<u8>,
    /// The name of the metric.
    pub name: Vec<u8>,
}

impl Metric {
    /// The labels of a value and of its square.
    ///
    /// # Errors
    /// A field of the label is too long.
    pub fn labels(
        &self,
        source: SignerId,
        data_set: &[u8],
        index: u32,
    ) -> Result<[Label; 2], LabelError> {
        let label = |power| self.label(source, data_set, power, index);
        Ok([label(Power::First)?, label(Power::Second)?])
    }

    /// The label of a power of a value. Its tag is `name/power/index`, which is unambiguous when parsed from the right.
    pub(super) fn label(
        &self,
        source: SignerId,
        data_set: &[u8],
        power: Power,
        index: u32,
    ) -> Result<Label, LabelError> {
        let suffix = match power {
            Power::First => format!("/1/{index}"),
            Power::Second => format!("/2/{index}"),
        };
        let tag = [&self.name, suffix.as_bytes()].concat();
        Label::new(&self.context, source, data_set, &tag)
    }
}

#[derive(Clone, Copy)]
pub(super) enum Power {
    First,
    Second,
}

/// One value of a statistic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The source.
    pub source: SignerId,
    /// Its number in the source's data set.
    pub index: u32,
    /// Its weight in the mean and the variance. A [`Stat::Linear`] has its own coefficients.
    pub weight: u64,
}

/// The verifier's own view.
#[derive(Clone, Debug)]
pub struct View {
    /// The signers whose signatures are accepted.
    pub signers: Signers,
    /// The metric.
    pub metric: Metric,
    /// The data set, for example an epoch or a height.
    pub data_set: Vec<u8>,
    /// The values of the statistic.
    pub entries: Vec<Entry>,
}

impl View {
    /// The values 0 to `count - 1` of one source, all with the same weight.
    pub fn of_one_source(
        signers: Signers,
        metric: Metric,
        data_set: &[u8],
        source: SignerId,
        count: u32,
    ) -> Self {
        let entry = |index| Entry {
            source,
            index,
            weight: 1,
        };
        Self {
            signers,
            metric,
            data_set: data_set.to_vec(),
            entries: (0..count).map(entry).collect(),
        }
    }

    pub(super) fn expect_count(&self, got: usize) -> Result<(), StandardError> {
        let expected = self.entries.len();
        if got == expected {
            Ok(())
        } else {
            Err(StandardError::CountMismatch { expected, got })
        }
    }

    /// The coefficient of each value.
    fn coefficients(&self, stat: &Stat) -> Result<Vec<Scalar>, StandardError> {
        match stat {
            Stat::Linear(coefficients) => {
                self.expect_count(coefficients.len())?;
                Ok(coefficients.iter().map(|c| Scalar::from(*c)).collect())
            }
            Stat::Mean | Stat::Variance => {
                let weightless = self.entries.iter().position(|entry| entry.weight == 0);
                if let Some(position) = weightless {
                    return Err(StandardError::ZeroWeight { position });
                }
                Ok(self
                    .entries
                    .iter()
                    .map(|entry| Scalar::from(entry.weight))
                    .collect())
            }
        }
    }

    /// The linear program over a power of the values, and the positions of its inputs in the view. Entries with
    /// coefficient zero are omitted.
    fn program(&self, stat: &Stat, power: Power) -> Result<(Program, Vec<usize>), StandardError> {
        let (mut coefficients, mut labels, mut positions) = (Vec::new(), Vec::new(), Vec::new());
        let all = self.entries.iter().zip(self.coefficients(stat)?);
        for (position, (entry, coefficient)) in all.enumerate() {
            if coefficient.is_zero() {
                continue;
            }
            let label = self
                .metric
                .label(entry.source, &self.data_set, power, entry.index)?;
            coefficients.push(coefficient);
            labels.push(label);
            positions.push(position);
        }
        let program = Program::new(Bounds::Integers, coefficients, labels)?;
        Ok((program, positions))
    }

    pub(super) fn combine(
        &self,
        stat: &Stat,
        power: Power,
        records: &[Record],
    ) -> Result<Combined, StandardError> {
        let (program, positions) = self.program(stat, power)?;
        let records = positions
            .iter()
            .filter_map(|position| records.get(*position));
        let signatures: Vec<_> = records
            .map(|record| match power {
                Power::First => record.value,
                Power::Second => record.square,
            })
            .collect();
        Ok(evaluate(&program, &signatures, &self.signers, &mut OsRng)?)
    }

    /// Verifies a combined signature and returns the sum of each source.
    fn sums(
        &self,
        stat: &Stat,
        power: Power,
        combined: &Combined,
    ) -> Result<Vec<(SignerId, BigInt)>, StandardError> {
        let (program, _) = self.program(stat, power)?;
        let verified = duet_mklhs::verify(&program, &self.signers, combined.total(), combined)?;
        let sums = verified.per_signer.into_iter();
        Ok(sums.map(|(source, sum)| (source, integer(sum))).collect())
    }

    /// The sum of the weights of each source's values.
    fn weights(&self) -> BTreeMap<SignerId, BigInt> {
        let mut weights = BTreeMap::new();
        for entry in &self.entries {
            *weights.entry(entry.source).or_default() += entry.weight;
        }
        weights
    }

    /// Σ w x², after checking for each source that values with these sums exist: `(Σ w x)² <= Σ w · Σ w x²`.
    fn square_sum(
        &self,
        firsts: &[(SignerId, BigInt)],
        seconds: &[(SignerId, BigInt)],
    ) -> Result<BigInt, StandardError> {
        let weights = self.weights();
        for ((source, first), (_, second)) in firsts.iter().zip(seconds) {
            let exist = weights
                .get(source)
                .is_some_and(|weight| first * first <= weight * second);
            if !exist {
                let source_id = *source;
                return Err(StandardError::NoSuchValues { source_id });
            }
        }
        Ok(total(seconds))
    }

    pub(super) fn statistic(&self, stat: &Stat, proof: &Proof) -> Result<Statistic, StandardError> {
        let firsts = self.sums(stat, Power::First, &proof.sum)?;
        let sum = total(&firsts);
        let weight: BigInt = self.weights().values().sum();
        let (numerator, denominator) = match (stat, &proof.squares) {
            (Stat::Mean, None) => (sum, weight),
            (Stat::Linear(_), None) => (sum, 1.into()),
            (Stat::Variance, Some(squares)) => {
                let seconds = self.sums(stat, Power::Second, squares)?;
                let squares = self.square_sum(&firsts, &seconds)?;
                (&weight * squares - &sum * &sum, &weight * &weight)
            }
            (Stat::Mean | Stat::Linear(_), Some(_)) | (Stat::Variance, None) => {
                return Err(StandardError::WrongProof);
            }
        };
        // A program has inputs, and weights are positive.
        Statistic::new(numerator, denominator).ok_or(ProgramError::EmptyProgram.into())
    }
}

fn integer(scalar: Scalar) -> BigInt {
    // Both types use plain decimals.
    scalar.to_string().parse().unwrap_or_default()
}

fn total(sums: &[(SignerId, BigInt)]) -> BigInt {
    sums.iter().map(|(_, sum)| sum).sum()
}
