//! The ring dimension, the limits of a key, and the Gaussian width.

use super::error::KeyError;
use num_bigint::BigUint;

/// The largest dimension. Beyond it, the precision of 53-bit floats is insufficient for the sampler.
pub const MAX_DIMENSION: usize = 128;

/// The largest coefficient of a function.
pub const MAX_COEFFICIENT: u64 = i64::MAX.unsigned_abs();

/// The dimension n of the ring `Z[x]/(x^n + 1)`: a power of two from 4 to [`MAX_DIMENSION`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dimension(u8);

impl Dimension {
    /// # Errors
    /// [`KeyError::BadDimension`] if n is not a power of two, is below 4 or above [`MAX_DIMENSION`].
    pub fn new(n: usize) -> Result<Self, KeyError> {
        let fits = n.is_power_of_two() && (4..=MAX_DIMENSION).contains(&n);
        match u8::try_from(n) {
            Ok(small) if fits => Ok(Self(small)),
            _ => Err(KeyError::BadDimension { got: n }),
        }
    }

    /// n.
    pub fn get(self) -> usize {
        usize::from(self.0)
    }

    /// The width nu = n^4 log2(n) of the Gaussian that signatures are drawn from.
    pub fn width(self) -> u64 {
        u64::from(self.0).pow(4) * u64::from(self.0.ilog2())
    }

    /// An upper bound on the norm of a generator: a product of n embeddings whose squares sum to n ||G||^2.
    pub(crate) fn largest_norm(self) -> BigUint {
        let n = u32::from(self.0);
        let squared = (n - 1) * n * n + (n + 1) * (n + 1);
        BigUint::from(squared).pow(n / 2)
    }
}

/// The limits of the functions that a key admits; part of the public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    variables: u32,
    degree: u8,
    coefficient: u64,
}

impl Limits {
    /// Functions in at most `variables` values, of degree at most `degree`, with coefficients from
    /// `-coefficient` to `coefficient`.
    ///
    /// # Errors
    /// [`KeyError::BadLimits`] if a limit is zero, or if `coefficient` exceeds [`MAX_COEFFICIENT`].
    pub fn new(variables: u32, degree: u8, coefficient: u64) -> Result<Self, KeyError> {
        if variables == 0 || degree == 0 || coefficient == 0 || coefficient > MAX_COEFFICIENT {
            return Err(KeyError::BadLimits);
        }
        Ok(Self {
            variables,
            degree,
            coefficient,
        })
    }

    /// The limits that the statistics of this crate need for up to `variables` values: degree 2, and coefficients up to
    /// `max(variables - 1, 2)`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn for_statistics(variables: u32) -> Result<Self, KeyError> {
        Self::new(variables, 2, u64::from(variables.saturating_sub(1).max(2)))
    }

    /// The maximum size of a data set, k.
    pub fn variables(&self) -> u32 {
        self.variables
    }

    /// The highest degree, d.
    pub fn degree(&self) -> u8 {
        self.degree
    }

    /// The largest coefficient, y.
    pub fn coefficient(&self) -> u64 {
        self.coefficient
    }

    /// The maximum number of monomials of an admissible function: `C(k + d, d) - 1`.
    pub fn monomials(&self) -> BigUint {
        monomials(self.variables, self.degree)
    }
}

/// `C(k + d, d) - 1`: the non-constant monomials in `variables` variables of degree at most `degree`.
pub(crate) fn monomials(variables: u32, degree: u8) -> BigUint {
    let mut count = BigUint::from(1u8);
    for step in 1..=u64::from(degree) {
        count = count * (u64::from(variables) + step) / step;
    }
    count - 1u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_powers_of_two_from_4_to_128_are_dimensions() {
        let good: Vec<_> = (0..=1024).filter(|n| Dimension::new(*n).is_ok()).collect();
        assert_eq!(good, [4, 8, 16, 32, 64, 128]);
        assert_eq!(
            Dimension::new(256),
            Err(KeyError::BadDimension { got: 256 })
        );
    }

    #[test]
    fn the_width_is_n_to_the_fourth_times_its_logarithm() {
        let widths = [4, 16, 128].map(|n| Dimension::new(n).unwrap().width());
        assert_eq!(widths, [512, 262_144, 1_879_048_192]);
    }

    #[test]
    fn monomials_are_counted_without_the_constant() {
        assert_eq!(monomials(3, 2), BigUint::from(9u8));
        assert_eq!(monomials(4, 2), BigUint::from(14u8));
        assert_eq!(monomials(20, 1), BigUint::from(20u8));
    }
}
