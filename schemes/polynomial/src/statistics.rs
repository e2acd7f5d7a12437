//! Statistics that anybody computes from signed values and anybody checks, by either scheme.

use crate::assurance::{Level, Verified};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// What is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stat {
    /// The mean.
    Mean,
    /// The variance of the population. The standard deviation is its [square root](Statistic::square_root).
    Variance,
    /// The sum of the values, each times its coefficient here.
    Linear(Vec<i64>),
}

/// The value of a statistic, exactly: a fraction.
///
/// A mean of k values is over k and a variance over k^2, unreduced; with weights, k is their sum.
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

    /// What is over the line. This is the number that signatures vouch for.
    pub fn numerator(&self) -> &BigInt {
        &self.numerator
    }

    /// What is below the line; positive.
    pub fn denominator(&self) -> &BigInt {
        &self.denominator
    }

    /// The value to the precision of a float; infinite where it is too large for one.
    pub fn to_f64(&self) -> f64 {
        let over = self.numerator.to_f64().unwrap_or(f64::INFINITY);
        over / self.denominator.to_f64().unwrap_or(f64::INFINITY)
    }

    /// The square root to the precision of a float: of a variance, the standard deviation. `None` below zero.
    pub fn square_root(&self) -> Option<f64> {
        let value = self.to_f64();
        (value >= 0.0).then(|| value.sqrt())
    }
}

/// A scheme by which values are signed, statistics are computed from the signatures, and both are checked.
///
/// Three parties, who trust each other in nothing but the signer's values: the signer, whoever computes, and the
/// verifier. The scheme's [`Level`] is in the type of what `verify` returns; code that moves anything of value asks
/// for `Verified<_, Standard>`.
pub trait VerifiableStats {
    /// How much a verified statistic is worth.
    type Level: Level;
    /// A secret key and the record of what it signed.
    type Signer;
    /// A signed value.
    type Record;
    /// What a verifier knows by itself: keys, the data set, which values count and for how much.
    type View;
    /// What shows that a statistic is right.
    type Proof;
    /// Why something was refused.
    type Error: std::error::Error;

    /// Signs the values of a data set, which are numbered from 0.
    ///
    /// # Errors
    /// A value that cannot be signed, or one of these labels has another value already.
    fn sign(
        signer: &mut Self::Signer,
        data_set: &[u8],
        values: &[i64],
    ) -> Result<Vec<Self::Record>, Self::Error>;

    /// Computes a statistic of signed values, and the proof that it is right. `records` are in the order of the view.
    ///
    /// # Errors
    /// The statistic cannot be computed from these records.
    fn prove(
        view: &Self::View,
        stat: &Stat,
        records: &[Self::Record],
    ) -> Result<(Statistic, Self::Proof), Self::Error>;

    /// Checks that `claim` is the statistic of the values that the view names.
    ///
    /// # Errors
    /// The first broken rule.
    ///
    /// # Security
    /// `view` and `stat` must be the verifier's own, never what came with the proof.
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
