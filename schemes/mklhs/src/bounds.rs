//! The range of numbers: bounded integers, or residues.

use crate::{error::SignError, scalar::Scalar};

/// The range of the numbers of a program.
///
/// The verification equation holds modulo `q`. With bounds it also holds for integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Bounds {
    /// Coefficients and messages have at most 64 bits, plus the sign. With at most 2^16 inputs every sum stays below
    /// 2^144, far below `q/2`: the result is correct for integers.
    #[default]
    Integers,
    /// Coefficients, messages and results are residues modulo `q`. A total can then result from small messages, or from
    /// others that wrap around modulo `q`. Use this only if your application does not depend on the difference.
    Residues,
}

impl Bounds {
    /// Whether this value is within the bounds.
    pub(crate) fn admit(self, number: &Scalar) -> bool {
        match self {
            Self::Integers => number.short_magnitude().is_some(),
            Self::Residues => true,
        }
    }
}

/// A number within the bounds, ready to be signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Message(Scalar);

impl Message {
    /// Checks that a number is within `bounds`.
    ///
    /// # Errors
    /// [`SignError::OutOfBounds`] for integers of more than 64 bits.
    pub fn new(bounds: Bounds, number: impl Into<Scalar>) -> Result<Self, SignError> {
        let message = number.into();
        if bounds.admit(&message) {
            Ok(Self(message))
        } else {
            Err(SignError::OutOfBounds { message })
        }
    }

    /// The number.
    pub fn scalar(&self) -> Scalar {
        self.0
    }
}

impl From<u64> for Message {
    fn from(number: u64) -> Self {
        Self(number.into())
    }
}

impl From<i64> for Message {
    fn from(number: i64) -> Self {
        Self(number.into())
    }
}

impl From<u32> for Message {
    fn from(number: u32) -> Self {
        Self(number.into())
    }
}

impl From<i32> for Message {
    fn from(number: i32) -> Self {
        Self(number.into())
    }
}
