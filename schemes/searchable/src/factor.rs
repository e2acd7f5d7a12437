//! Numbers that can be multiplied once: what inner products are made of.

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

/// A number that can be multiplied once: `a` in the open, `b` encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factor {
    ring: Ring,
    a: u32,
    b: Ciphertext,
}

/// Why bytes are no factor or no product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FactorError {
    /// Too few bytes, or bytes left over.
    #[error("no ciphertext of an inner product: {0}")]
    Length(#[from] LengthError),
    /// A version that is not known.
    #[error("a ciphertext of an inner product of version {got} is not known here")]
    Version {
        /// The version byte.
        got: u8,
    },
    /// A product of vectors of no length: it never was one.
    #[error("an inner product of no components")]
    Empty,
    /// No such ring, or a number outside it.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// One of the ciphertexts is refused.
    #[error("ciphertext {index}: {error}")]
    Ciphertext {
        /// Its position, from zero.
        index: usize,
        /// Why.
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
    /// [`RingError::NotReduced`]: the number is not below `T`.
    pub fn encrypt(
        encryptor: &Encryptor,
        ring: Ring,
        number: u32,
        rng: &mut (impl RngCore + CryptoRng),
    ) -> Result<Self, RingError> {
        let number = ring.check(number)?;
        // T is a power of two: the low bits of a uniform number are uniform.
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

    /// The part in the open.
    pub fn open(&self) -> u32 {
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

    /// Reads and checks the bytes of a factor.
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

    /// Reads and checks many, one after the other in the bytes, on all cores: one verdict each, in their order.
    /// `progress` is told of each.
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

/// Takes the version, the ring and a number from the front, and checks the length of it all.
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
