//! The ring of plaintexts of inner products.

use crate::{bound::Bound, error::BoundTooLarge};

/// The ring of plaintexts: numbers modulo `T = 2^t`, with `t` from 1 to 16. Decryption searches for a number of about
/// `2·t` bits and more, hence no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring(u8);

/// Why there is no such ring, or no such element of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RingError {
    /// Not between 1 and 16 bits.
    #[error("a ring of {bits} bits is not possible: 1 to 16 are")]
    Bits {
        /// The bits that were asked for.
        bits: u8,
    },
    /// A number that is not below `T`.
    #[error("{number} is not below {modulus}")]
    NotReduced {
        /// The number.
        number: u32,
        /// `T`.
        modulus: u32,
    },
}

impl Ring {
    /// Numbers modulo `2^bits`.
    ///
    /// # Errors
    /// [`RingError::Bits`]: not between 1 and 16.
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

    /// The range of what has to be searched for after an inner product of this length: below `3·l·T²`.
    ///
    /// # Errors
    /// [`BoundTooLarge`]: vectors of that length have no inner product here.
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
