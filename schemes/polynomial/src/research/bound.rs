//! How long the signature of a result may be.
//!
//! A product of ring elements is at most sqrt(n) times as long as the product of their lengths, and a fresh signature
//! at most nu sqrt(n) long. So a monomial of degree j gives at most `sqrt(n) nu^j n^(j-1)`. Every bound
//! carries the one factor sqrt(n), and squares compare exactly in integers.

use super::{function::Polynomial, key::PublicKey};
use num_bigint::BigUint;

/// Which bound a verifier puts on the norm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NormBound {
    /// That of this function: the sum over its monomials of coefficient times the monomial's bound.
    #[default]
    Tight,
    /// That of the paper: the same for every function that the key admits, as though all its monomials were of the
    /// highest degree with the largest coefficient.
    Paper,
}

impl NormBound {
    /// The square of the longest norm accepted for `function` under `key`.
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

/// The square of the longest norm of a fresh signature: `(nu sqrt(n))^2`.
pub(crate) fn fresh_squared(dimension: super::Dimension) -> BigUint {
    BigUint::from(dimension.width()).pow(2) * dimension.get()
}
