//! The bare RSA permutation: the only file that names the library which computes it.
//!
//! Two traits of one method each, and not one of two, because a verifier has no private half. [`RawPrivate`] is
//! public, so that a key may live in a device that offers only RSA; what a device answers is checked before it is
//! released.

use crate::suite::EXPONENT;
use openssl::{
    bn::BigNum,
    error::ErrorStack,
    pkey::{Private, Public},
    rsa::{Padding, Rsa},
};
use std::{error::Error, fmt, sync::Arc};

/// `X -> X^e mod N` on big-endian bytes.
pub(crate) trait RawPublic {
    /// Both slices are as long as the modulus, and the input is below it.
    fn public(&self, input: &[u8], output: &mut [u8]) -> Result<(), BackEndError>;
}

/// `y -> y^d mod N` on big-endian bytes.
pub trait RawPrivate {
    /// Both slices are as long as the modulus, and the input is below it.
    ///
    /// # Errors
    /// The library or the device failed.
    ///
    /// # Security
    /// The input is chosen in part by whoever sent the signature that is appended to. The work must be constant in
    /// time and blinded.
    fn private(&self, input: &[u8], output: &mut [u8]) -> Result<(), BackEndError>;
}

/// The RSA library or device failed: it has no memory, or a device does not answer.
///
/// This says nothing about a signature or a key.
#[derive(Clone)]
pub struct BackEndError(Arc<dyn Error + Send + Sync>);

impl BackEndError {
    /// Wraps what a library or device reported.
    pub fn new(source: impl Error + Send + Sync + 'static) -> Self {
        Self(Arc::new(source))
    }
}

impl From<ErrorStack> for BackEndError {
    fn from(stack: ErrorStack) -> Self {
        Self::new(stack)
    }
}

/// Two are equal when they are the same failure.
impl PartialEq for BackEndError {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for BackEndError {}

impl fmt::Debug for BackEndError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for BackEndError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the RSA library failed: {}", self.0)
    }
}

impl Error for BackEndError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.0)
    }
}

/// A number of bytes that the library answered is not the number that the modulus has.
#[derive(Debug, thiserror::Error)]
#[error("{got} bytes came back instead of {expected}")]
struct UnexpectedLength {
    expected: usize,
    got: usize,
}

fn expect_length(got: usize, expected: usize) -> Result<(), BackEndError> {
    if got == expected {
        return Ok(());
    }
    Err(BackEndError::new(UnexpectedLength { expected, got }))
}

/// OpenSSL's public half. It keeps the modulus' Montgomery constants after their first use.
pub(crate) struct OpenSslPublic(Rsa<Public>);

impl OpenSslPublic {
    pub(crate) fn new(modulus: &[u8]) -> Result<Self, BackEndError> {
        let (modulus, exponent) = (BigNum::from_slice(modulus)?, BigNum::from_u32(EXPONENT)?);
        Ok(Self(Rsa::from_public_components(modulus, exponent)?))
    }
}

impl RawPublic for OpenSslPublic {
    fn public(&self, input: &[u8], output: &mut [u8]) -> Result<(), BackEndError> {
        let expected = output.len();
        let got = self.0.public_encrypt(input, output, Padding::NONE)?;
        expect_length(got, expected)
    }
}

/// A private key in OpenSSL's memory: CRT in constant time with blinding; wiped when it is freed.
pub struct OpenSslPrivate(Rsa<Private>);

impl OpenSslPrivate {
    pub(crate) fn new(key: Rsa<Private>) -> Self {
        Self(key)
    }

    pub(crate) fn key(&self) -> &Rsa<Private> {
        &self.0
    }
}

impl fmt::Debug for OpenSslPrivate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OpenSslPrivate(redacted)")
    }
}

impl RawPrivate for OpenSslPrivate {
    fn private(&self, input: &[u8], output: &mut [u8]) -> Result<(), BackEndError> {
        let expected = output.len();
        let got = self.0.private_encrypt(input, output, Padding::NONE)?;
        expect_length(got, expected)
    }
}
