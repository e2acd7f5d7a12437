//! Signatures: short ring elements.

use super::{error::BadEncoding, params::Dimension, ring};
use num_bigint::{BigInt, BigUint};

/// An unverified signature: a ring element as received or computed. Use [`verify`].
///
/// [`verify`]: super::PublicKey::verify
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    dimension: Dimension,
    coefficients: Vec<BigInt>,
}

impl Signature {
    /// # Errors
    /// [`BadEncoding::Length`] unless there are n coefficients.
    pub fn from_coefficients(
        dimension: Dimension,
        coefficients: Vec<BigInt>,
    ) -> Result<Self, BadEncoding> {
        if coefficients.len() != dimension.get() {
            return Err(BadEncoding::Length);
        }
        let signature = Self {
            dimension,
            coefficients,
        };
        if signature.width() > usize::from(u8::MAX) {
            return Err(BadEncoding::TooLarge);
        }
        Ok(signature)
    }

    /// The ring's dimension.
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// Its coefficients, constant first.
    pub fn coefficients(&self) -> &[BigInt] {
        &self.coefficients
    }

    pub(crate) fn element(&self) -> &Vec<BigInt> {
        &self.coefficients
    }

    /// The square of its Euclidean norm.
    pub fn norm_squared(&self) -> BigUint {
        ring::norm_squared(&self.coefficients)
    }

    /// `w(1) || n * w bytes`: the coefficients in big-endian two's complement, each in w bytes, where w is the smallest
    /// width that fits all of them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let width = self.width();
        let mut out = Vec::with_capacity(1 + width * self.coefficients.len());
        out.push(u8::try_from(width).unwrap_or(u8::MAX));
        for coefficient in &self.coefficients {
            let bytes = coefficient.to_signed_bytes_be();
            let sign = if coefficient < &BigInt::ZERO { 0xff } else { 0 };
            out.resize(out.len() + width.saturating_sub(bytes.len()), sign);
            out.extend_from_slice(&bytes);
        }
        out
    }

    /// # Errors
    /// [`BadEncoding::Length`] unless there are exactly n coefficients, and [`NotMinimal`](BadEncoding::NotMinimal) if
    /// a smaller width would fit all of them.
    pub fn from_bytes(dimension: Dimension, bytes: &[u8]) -> Result<Self, BadEncoding> {
        let (width, rest) = bytes.split_first().ok_or(BadEncoding::Length)?;
        let width = usize::from(*width);
        if rest.len() != width * dimension.get() {
            return Err(BadEncoding::Length);
        }
        if width == 0 {
            return Err(BadEncoding::NotMinimal);
        }
        let coefficients = rest
            .chunks_exact(width)
            .map(BigInt::from_signed_bytes_be)
            .collect();
        let signature = Self {
            dimension,
            coefficients,
        };
        if signature.width() != width {
            return Err(BadEncoding::NotMinimal);
        }
        Ok(signature)
    }

    /// The smallest width in bytes that fits every coefficient.
    fn width(&self) -> usize {
        let widths = self
            .coefficients
            .iter()
            .map(|c| c.to_signed_bytes_be().len());
        widths.max().unwrap_or(1)
    }
}

impl AsRef<Signature> for Signature {
    fn as_ref(&self) -> &Signature {
        self
    }
}
