//! Ordinary RSA keys: in PEM, as OpenSSL and tokens give them.

use duet_sequential::{BackEndError, BadPublicKey, BadSecretKey, PublicKey, SecretKey, SEED_LEN};
use openssl::{
    error::ErrorStack,
    pkey::{Id, PKey},
    rand::rand_priv_bytes,
};
use thiserror::Error;
use zeroize::Zeroizing;

/// The maximum length of a key file.
pub const MAX_PEM: usize = 16 * 1024;
/// The mark of an encrypted file's header, in both forms.
const ENCRYPTED: &[u8] = b"ENCRYPTED";

/// Why a key in PEM is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BadPem {
    /// It is longer than any key.
    #[error("{got} bytes are too many for a key")]
    TooLong {
        /// The length.
        got: usize,
    },
    /// The key is encrypted.
    #[error("the key is encrypted: decrypt it, or use a signing command")]
    Encrypted,
    /// It is no key in PEM.
    #[error("not a key in PEM")]
    NotPem,
    /// The key is no RSA key.
    #[error("not an RSA key")]
    NotRsa,
    /// The secret key is refused.
    #[error(transparent)]
    Secret(#[from] BadSecretKey),
    /// The public key is refused.
    #[error(transparent)]
    Public(#[from] BadPublicKey),
    /// The library failed. This does not mean that the key is invalid.
    #[error(transparent)]
    BackEnd(#[from] BackEndError),
}

impl From<ErrorStack> for BadPem {
    fn from(stack: ErrorStack) -> Self {
        Self::BackEnd(stack.into())
    }
}

/// Reads a secret key in PEM, which is not encrypted: PKCS#8, or the older form of RSA keys.
///
/// A file of this kind has no seed of a signature's randomness, so that the key gets a fresh one. Two signatures of one
/// statement then differ, which does no harm.
///
/// Cost: two primality tests, tens of milliseconds.
///
/// # Errors
/// The first check that fails; see [`SecretKey::from_pkcs8`].
pub fn secret_key_from_pem(pem: &[u8]) -> Result<SecretKey, BadPem> {
    check_length(pem)?;
    if pem.windows(ENCRYPTED.len()).any(|part| part == ENCRYPTED) {
        return Err(BadPem::Encrypted);
    }
    // Whatever the file is, nobody is asked for a passphrase.
    let key = PKey::private_key_from_pem_callback(pem, |_| Ok(0)).map_err(|_| BadPem::NotPem)?;
    if key.id() != Id::RSA {
        return Err(BadPem::NotRsa);
    }
    let der = Zeroizing::new(key.private_key_to_pkcs8()?);
    Ok(SecretKey::from_pkcs8(&der, fresh_seed()?)?)
}

/// Reads a public key in PEM: a `SubjectPublicKeyInfo`, as `openssl pkey -pubout` writes it.
///
/// # Errors
/// The first check that fails; see [`PublicKey::from_parts`].
pub fn public_key_from_pem(pem: &[u8]) -> Result<PublicKey, BadPem> {
    check_length(pem)?;
    let key = PKey::public_key_from_pem(pem).map_err(|_| BadPem::NotPem)?;
    if key.id() != Id::RSA {
        return Err(BadPem::NotRsa);
    }
    let rsa = key.rsa()?;
    Ok(PublicKey::from_parts(&rsa.n().to_vec(), &rsa.e().to_vec())?)
}

/// A seed of a signature's randomness, for a key that is kept without one.
///
/// # Errors
/// The library has no randomness.
pub fn fresh_seed() -> Result<Zeroizing<[u8; SEED_LEN]>, BackEndError> {
    let mut seed = Zeroizing::new([0; SEED_LEN]);
    rand_priv_bytes(seed.as_mut())?;
    Ok(seed)
}

fn check_length(pem: &[u8]) -> Result<(), BadPem> {
    if pem.len() > MAX_PEM {
        return Err(BadPem::TooLong { got: pem.len() });
    }
    Ok(())
}
