//! What numbers are: integers within bounds, or residues.

use crate::{error::SignError, scalar::Scalar};

/// What the numbers of a program are.
///
/// The equation that is verified is one modulo `q`. Bounds make it one of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Bounds {
    /// Coefficients and messages have at most 64 bits besides the sign. With at most 2^16 inputs every sum stays
    /// below 2^144, far from `q/2`: what is verified holds for the integers themselves.
    #[default]
    Integers,
    /// Coefficients and messages are residues modulo `q`, and so is what is verified. A total can be reached from
    /// small messages in the sense of the application and from others that wrap around; only use it where that
    /// makes no difference.
    Residues,
}

impl Bounds {
    /// Whether a coefficient or a message may have this value.
    pub(crate) fn admit(self, number: &Scalar) -> bool {
        match self {
            Self::Integers => number.short_magnitude().is_some(),
            Self::Residues => true,
        }
    }
}

/// A number that may be signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Message(Scalar);

impl Message {
    /// A number within `bounds`.
    ///
    /// # Errors
    /// [`SignError::OutOfBounds`] for integers of 65 bits or more.
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
