//! Statistics that anyone can compute from signed values and anyone can verify, for both schemes.

use crate::assurance::{Level, Verified};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// A statistic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stat {
    /// The mean.
    Mean,
    /// The variance of the population. The standard deviation is its [square root](Statistic::square_root).
    Variance,
    /// The sum of the values, each times its coefficient.
    Linear(Vec<i64>),
}

/// The exact value of a statistic: a fraction.
///
/// A mean of k values has the denominator k, and a variance k^2, unreduced. With weights, k is the sum of the weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistic {
    numerator: BigInt,
    denominator: BigInt,
}

impl Statistic {
    /// `numerator / denominator`; `None` unless the denominator is positive.
    pub fn new(numerator: BigInt, denominator: BigInt) -> Option<Self> {
        (denominator > BigInt::ZERO).then_some(Self {
            numerator,
            denominator,
        })
    }

    /// The numerator, which is the number that the signatures authenticate.
    pub fn numerator(&self) -> &BigInt {
        &self.numerator
    }

    /// The denominator; positive.
    pub fn denominator(&self) -> &BigInt {
        &self.denominator
    }

    /// The value as a float; infinite if it is too large.
    pub fn to_f64(&self) -> f64 {
        let over = self.numerator.to_f64().unwrap_or(f64::INFINITY);
        over / self.denominator.to_f64().unwrap_or(f64::INFINITY)
    }

    /// The square root as a float: of a variance, the standard deviation. `None` for negative values.
    pub fn square_root(&self) -> Option<f64> {
        let value = self.to_f64();
        (value >= 0.0).then(|| value.sqrt())
    }
}

/// A scheme that signs values, computes statistics from the signatures, and verifies them.
///
/// There are three parties: the signer, the prover and the verifier. They trust the signer for the values, and nobody
/// else for anything. The assurance [`Level`] of the scheme is part of the type that `verify` returns. Code that moves
/// anything of value should require `Verified<_, Standard>`.
pub trait VerifiableStats {
    /// The assurance level of a verified statistic.
    type Level: Level;
    /// A secret key and the record of its signatures.
    type Signer;
    /// A signed value.
    type Record;
    /// The verifier's own view: the keys, the data set, and the values with their weights.
    type View;
    /// The proof of a statistic.
    type Proof;
    /// Why an operation was refused.
    type Error: std::error::Error;

    /// Signs the values of a data set, numbered from 0.
    ///
    /// # Errors
    /// A value cannot be signed, or one of the labels was used for another value.
    fn sign(
        signer: &mut Self::Signer,
        data_set: &[u8],
        values: &[i64],
    ) -> Result<Vec<Self::Record>, Self::Error>;

    /// Computes a statistic of signed values and its proof. `records` are in the order of the view.
    ///
    /// # Errors
    /// The statistic cannot be computed from these records.
    fn prove(
        view: &Self::View,
        stat: &Stat,
        records: &[Self::Record],
    ) -> Result<(Statistic, Self::Proof), Self::Error>;

    /// Checks that `claim` is the statistic of the values in the view.
    ///
    /// # Errors
    /// The first broken rule.
    ///
    /// # Security
    /// `view` and `stat` must be the verifier's own, never received with the proof.
    fn verify(
        view: &Self::View,
        stat: &Stat,
        claim: &Statistic,
        proof: &Self::Proof,
    ) -> Result<Verified<Statistic, Self::Level>, Self::Error>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fraction_has_a_positive_denominator_and_a_root_from_zero_up() {
        let fraction = |n: i32, d: i32| Statistic::new(n.into(), d.into());
        assert_eq!(fraction(1, 0), None);
        assert_eq!(fraction(1, -2), None);
        let value = fraction(9, 4).unwrap();
        assert_eq!((value.to_f64(), value.square_root()), (2.25, Some(1.5)));
        assert_eq!(fraction(-9, 4).unwrap().square_root(), None);
    }
}
