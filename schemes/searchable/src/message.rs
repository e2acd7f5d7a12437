//! Plaintexts: an element of the target group, or a number in its exponent.

use crate::{error::MessageError, generator, gt::Gt, suite::GT_LEN, torus};
use core::fmt;
use zeroize::Zeroize;

/// A plaintext: an element of the target group. The number `m` is the element `Z^m`, so products of messages are sums
/// of numbers.
///
/// Printed as redacted, wiped on drop.
#[derive(Clone, PartialEq, Eq)]
pub struct Message(pub(crate) Gt);

impl Message {
    /// The message of a number. [`DiscreteLog`](crate::DiscreteLog) recovers the number.
    pub fn number(number: i64) -> Self {
        Self(generator::table().pow_signed(number))
    }

    /// Decodes 576 bytes.
    ///
    /// # Errors
    /// The bytes are not the canonical encoding of an element of the target group.
    pub fn from_bytes(bytes: &[u8; GT_LEN]) -> Result<Self, MessageError> {
        Gt::from_bytes(bytes).map(Self).ok_or(MessageError)
    }

    /// The encoding, 576 bytes.
    pub fn to_bytes(&self) -> [u8; GT_LEN] {
        self.0.to_bytes()
    }

    /// Decodes the compressed form, 288 bytes.
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes).
    pub fn from_compressed(bytes: &[u8; crate::suite::TORUS_LEN]) -> Result<Self, MessageError> {
        torus::decompress(bytes).map(Self).ok_or(MessageError)
    }

    /// The compressed encoding, 288 bytes.
    pub fn to_compressed(&self) -> [u8; crate::suite::TORUS_LEN] {
        torus::compress(&self.0)
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Message(redacted)")
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}
