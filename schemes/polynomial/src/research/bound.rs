//! Norm bounds for the signatures of results.
//!
//! A product of ring elements is at most sqrt(n) times as long as the product of their lengths, and a fresh signature
//! has length at most nu sqrt(n). So a monomial of degree j has length at most `sqrt(n) nu^j n^(j-1)`. All bounds have
//! the common factor sqrt(n), and their squares are compared exactly, as integers.

use super::{function::Polynomial, key::PublicKey, params::Dimension};
use num_bigint::BigUint;

/// The bound that a verifier applies to the norm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NormBound {
    /// The bound for this function: the sum over its monomials of the coefficient times the monomial's bound.
    #[default]
    Tight,
    /// The bound of the paper: the same for all functions that the key admits, as if all monomials had the highest
    /// degree and the largest coefficient.
    Paper,
}

impl NormBound {
    /// The square of the largest norm accepted for `function` under `key`.
    pub fn squared(self, key: &PublicKey, function: &Polynomial) -> BigUint {
        let n = BigUint::from(key.dimension().get());
        let width = BigUint::from(key.dimension().width());
        let of_degree = |degree: usize| {
            let degree = u32::try_from(degree).unwrap_or(u32::MAX);
            width.pow(degree) * n.pow(degree.saturating_sub(1))
        };
        let sum = match self {
            Self::Tight => function
                .terms()
                .map(|(monomial, c)| of_degree(monomial.degree()) * c.unsigned_abs())
                .sum(),
            Self::Paper => {
                let limits = key.limits();
                let terms = limits.monomials() * limits.coefficient();
                terms * of_degree(limits.degree().into())
            }
        };
        n * sum.pow(2)
    }
}

/// The square of the largest norm of a fresh signature: `(nu sqrt(n))^2`.
pub(crate) fn fresh_squared(dimension: Dimension) -> BigUint {
    BigUint::from(dimension.width()).pow(2) * dimension.get()
}
