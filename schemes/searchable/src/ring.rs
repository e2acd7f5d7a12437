//! The plaintext ring of inner products.

use crate::{bound::Bound, error::BoundTooLarge};

/// The ring of integers modulo `T = 2^t`, with `t` from 1 to 16. The limit is 16 because decryption searches for a
/// number of more than `2·t` bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring(u8);

/// Why a ring or an element is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RingError {
    /// The number of bits is not from 1 to 16.
    #[error("a ring must have 1 to 16 bits, not {bits}")]
    Bits {
        /// The requested number of bits.
        bits: u8,
    },
    /// The number is not below `T`.
    #[error("{number} is not below {modulus}")]
    NotReduced {
        /// The number.
        number: u32,
        /// `T`.
        modulus: u32,
    },
}

impl Ring {
    /// The ring of integers modulo `2^bits`.
    ///
    /// # Errors
    /// [`RingError::Bits`] if `bits` is not from 1 to 16.
    pub fn new(bits: u8) -> Result<Self, RingError> {
        if (1..=16).contains(&bits) {
            Ok(Self(bits))
        } else {
            Err(RingError::Bits { bits })
        }
    }

    /// `t`.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// `T`.
    pub fn modulus(self) -> u32 {
        1 << self.0
    }

    pub(crate) fn reduce(self, number: u128) -> u32 {
        u32::try_from(number % u128::from(self.modulus())).unwrap_or_default()
    }

    pub(crate) fn check(self, number: u32) -> Result<u32, RingError> {
        if number < self.modulus() {
            Ok(number)
        } else {
            Err(RingError::NotReduced {
                number,
                modulus: self.modulus(),
            })
        }
    }

    /// The range for the search after an inner product of this length: below `3·l·T²`.
    ///
    /// # Errors
    /// [`BoundTooLarge`] if the vectors are too long for an inner product.
    pub fn product_bound(self, length: usize) -> Result<Bound, BoundTooLarge> {
        let length = u64::try_from(length).map_err(|_| BoundTooLarge)?;
        let square = u64::from(self.modulus()) * u64::from(self.modulus());
        let bound = length
            .checked_mul(3)
            .and_then(|terms| terms.checked_mul(square))
            .ok_or(BoundTooLarge)?;
        Bound::of_sum([(1, Bound::new(bound))], 0)
    }
}
