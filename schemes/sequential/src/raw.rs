//! The raw RSA permutation. This is the only file that uses OpenSSL's RSA operations.
//!
//! There are two traits, because a verifier has no private operation. [`RawPrivate`] is public, so that a key can be in
//! a device that offers only RSA. The results of a device are checked before they are released.

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
    /// Both slices have the length of the modulus, and the input is below it.
    fn public(&self, input: &[u8], output: &mut [u8]) -> Result<(), BackEndError>;
}

/// `y -> y^d mod N` on big-endian bytes.
pub trait RawPrivate {
    /// Both slices have the length of the modulus, and the input is below it.
    ///
    /// # Errors
    /// The library or the device failed.
    ///
    /// # Security
    /// The sender of the chain that is appended to can partly choose the input. The implementation must be
    /// constant-time and blinded.
    fn private(&self, input: &[u8], output: &mut [u8]) -> Result<(), BackEndError>;
}

/// The RSA library or the device failed, for example out of memory or not responding.
///
/// This does not mean that a signature or key is invalid.
#[derive(Clone)]
pub struct BackEndError(Arc<dyn Error + Send + Sync>);

impl BackEndError {
    /// Wraps the error of a library or device.
    pub fn new(source: impl Error + Send + Sync + 'static) -> Self {
        Self(Arc::new(source))
    }
}

impl From<ErrorStack> for BackEndError {
    fn from(stack: ErrorStack) -> Self {
        Self::new(stack)
    }
}

/// Two errors are equal only if they are clones of the same failure.
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

/// The library returned a result of unexpected length.
#[derive(Debug, thiserror::Error)]
#[error("expected a result of {expected} bytes, got {got}")]
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

/// OpenSSL's public operation. It caches the Montgomery constants of the modulus on first use.
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

/// A private key in OpenSSL's memory: CRT in constant time, with blinding. OpenSSL wipes it when it is freed.
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
