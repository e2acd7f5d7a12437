//! Signed values and proofs.

use super::error::StandardError;
use crate::statistics::Stat;
use duet_mklhs::{Combined, Signature};

/// A signed value: the signature of x and that of x².
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The signature of the value.
    pub value: Signature,
    /// The signature of its square.
    pub square: Signature,
}

impl Record {
    /// The two signatures, concatenated: 160 bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        [self.value.to_bytes(), self.square.to_bytes()].concat()
    }

    /// # Errors
    /// [`StandardError::Decode`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StandardError> {
        let (value, square) = bytes.split_at(bytes.len().div_ceil(2));
        Ok(Self {
            value: Signature::from_bytes(value)?,
            square: Signature::from_bytes(square)?,
        })
    }
}

/// The combined signatures of the sum and, for a variance, of the sum of squares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The signature of the weighted sum of the values.
    pub sum: Combined,
    /// The signature of the weighted sum of their squares; only for a variance.
    pub squares: Option<Combined>,
}

impl Proof {
    /// The combined signatures, concatenated: 48 + 32 t bytes each, for t sources.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.sum.to_bytes();
        bytes.extend(self.squares.iter().flat_map(Combined::to_bytes));
        bytes
    }

    /// Decodes the proof of a statistic.
    ///
    /// # Errors
    /// [`StandardError::Decode`].
    pub fn from_bytes(stat: &Stat, bytes: &[u8]) -> Result<Self, StandardError> {
        let (sum, squares) = match stat {
            Stat::Mean | Stat::Linear(_) => (bytes, None),
            Stat::Variance => {
                let (sum, squares) = bytes.split_at(bytes.len().div_ceil(2));
                (sum, Some(Combined::from_bytes(squares)?))
            }
        };
        Ok(Self {
            sum: Combined::from_bytes(sum)?,
            squares,
        })
    }
}
