//! Factors: encrypted numbers that can be multiplied once, for inner products.

use crate::{
    ciphertext::{Ciphertext, ReceivedCiphertext},
    encrypt::Encryptor,
    error::{CiphertextError, LengthError},
    progress::Progress,
    ring::{Ring, RingError},
    suite::{COMPRESSED_LEN, FACTOR_VERSION},
};
use rand_core::{CryptoRng, RngCore};
use rayon::prelude::*;
use zeroize::Zeroizing;

/// An encrypted number that can be multiplied once: `a` in clear, `b` encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factor {
    ring: Ring,
    a: u32,
    b: Ciphertext,
}

/// Why a factor or a product could not be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FactorError {
    /// Too few or too many bytes.
    #[error("not a ciphertext of an inner product: {0}")]
    Length(#[from] LengthError),
    /// Unknown version.
    #[error("unknown version {got} of an inner-product ciphertext")]
    Version {
        /// The version.
        got: u8,
    },
    /// A product of empty vectors, which cannot be created.
    #[error("an inner product without components")]
    Empty,
    /// The ring is invalid, or a number is not in it.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// A ciphertext was rejected.
    #[error("ciphertext {index}: {error}")]
    Ciphertext {
        /// Its index, from zero.
        index: usize,
        /// The cause.
        error: CiphertextError,
    },
}

/// Version, bits of the ring, `a`.
const FACTOR_HEAD: usize = 1 + 1 + 4;
/// Bytes of a factor: its head and a compressed ciphertext.
pub const FACTOR_LEN: usize = FACTOR_HEAD + COMPRESSED_LEN;
impl Factor {
    /// EncMul: encrypts a number modulo `T`, with a fresh random `b`.
    ///
    /// # Errors
    /// [`RingError::NotReduced`] if the number is not below `T`.
    pub fn encrypt(
        encryptor: &Encryptor,
        ring: Ring,
        number: u32,
        rng: &mut (impl RngCore + CryptoRng),
    ) -> Result<Self, RingError> {
        let number = ring.check(number)?;
        // `T` is a power of two, so the low bits of a uniform number are uniform.
        let b = Zeroizing::new(rng.next_u32() % ring.modulus());
        Ok(Self {
            ring,
            a: number.wrapping_sub(*b) % ring.modulus(),
            b: encryptor.encrypt(i64::from(*b), rng),
        })
    }

    /// The ring.
    pub fn ring(&self) -> Ring {
        self.ring
    }

    /// The part in clear.
    pub fn clear_part(&self) -> u32 {
        self.a
    }

    /// The encrypted part.
    pub fn ciphertext(&self) -> &Ciphertext {
        &self.b
    }

    /// 982 bytes: version, bits of the ring, `a` big-endian, and the compressed ciphertext of `b`.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(FACTOR_LEN);
        bytes.extend([FACTOR_VERSION, self.ring.bits()]);
        bytes.extend(self.a.to_be_bytes());
        bytes.extend(self.b.to_compressed());
        bytes
    }

    /// Decodes and checks a factor.
    ///
    /// # Errors
    /// The first check that fails.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FactorError> {
        let (ring, a, body) = head(FACTOR_VERSION, bytes, |_| FACTOR_LEN)?;
        Ok(Self {
            ring,
            a: ring.check(a)?,
            b: compressed(0, body)?,
        })
    }

    /// Decodes and checks concatenated factors, on all cores. The results are in the same order. Reports `progress` for
    /// each.
    pub fn read_all(bytes: &[u8], progress: &impl Progress) -> Vec<Result<Self, FactorError>> {
        bytes
            .par_chunks(FACTOR_LEN)
            .map(|record| {
                let factor = Self::from_bytes(record);
                progress.advance(1);
                factor
            })
            .collect()
    }
}

/// Reads the version, the ring and a number, and checks the total length.
pub(crate) fn head(
    version: u8,
    bytes: &[u8],
    length: impl Fn(u32) -> usize,
) -> Result<(Ring, u32, &[u8]), FactorError> {
    let Some(([got, bits, number @ ..], body)) = bytes.split_first_chunk::<FACTOR_HEAD>() else {
        return Err(FactorError::Length(LengthError {
            expected: FACTOR_LEN,
            got: bytes.len(),
        }));
    };
    if *got != version {
        return Err(FactorError::Version { got: *got });
    }
    let ring = Ring::new(*bits)?;
    let number = u32::from_be_bytes(*number);
    let expected = length(number);
    if bytes.len() != expected {
        return Err(FactorError::Length(LengthError {
            expected,
            got: bytes.len(),
        }));
    }
    Ok((ring, number, body))
}

/// Checks ciphertext `index` of a factor or a product.
pub(crate) fn compressed(index: usize, bytes: &[u8]) -> Result<Ciphertext, FactorError> {
    ReceivedCiphertext::from_compressed(bytes)
        .map_err(CiphertextError::from)
        .and_then(|received| received.check())
        .map_err(|error| FactorError::Ciphertext { index, error })
}
