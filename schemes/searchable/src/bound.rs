//! Bounds on plaintexts. They are stored beside ciphertexts, which do not reveal them.

use crate::error::BoundTooLarge;

/// The plaintext is between `−bound` and `bound`.
///
/// A ciphertext does not contain its bound. The application stores and authenticates the bound beside the ciphertext,
/// and computes the bound of a sum with [`of_sum`](Self::of_sum) before it evaluates the sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bound(u64);

impl Bound {
    /// The bound for plaintexts of at most this magnitude.
    pub const fn new(magnitude: u64) -> Self {
        Self(magnitude)
    }

    /// The largest magnitude.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The bound of a weighted sum and a constant: `Σ|a_i|·bound_i + |constant|`.
    ///
    /// # Errors
    /// [`BoundTooLarge`] if the bound exceeds the range of plaintexts.
    pub fn of_sum(
        terms: impl IntoIterator<Item = (i64, Self)>,
        constant: i64,
    ) -> Result<Self, BoundTooLarge> {
        let sum = terms
            .into_iter()
            .try_fold(constant.unsigned_abs(), |sum, (weight, bound)| {
                sum.checked_add(weight.unsigned_abs().checked_mul(bound.0)?)
            });
        sum.filter(|sum| i64::try_from(*sum).is_ok())
            .map(Self)
            .ok_or(BoundTooLarge)
    }
}
