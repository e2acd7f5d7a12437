//! Inner products of two encrypted vectors, with one multiplication, by the transformation of Catalano and Fiore.
//!
//! A number `m` modulo `T` is represented by `a = m − b` in clear and a random `b`, encrypted. The product of two
//! numbers is `a·a' + a·b' + a'·b + b·b'`. The first term is public, the next two are sums of ciphertexts with public
//! weights, and the receiver computes the last one after decrypting `b` and `b'`. So the result includes the encrypted
//! `b`s: `2l + 1` ciphertexts for vectors of length `l`. If one of the vectors is public, a weighted sum
//! ([`HomomorphicKey::evaluate`]) suffices, which is one ciphertext.

use crate::{
    bound::Bound,
    ciphertext::Ciphertext,
    decrypt::{decrypt_all, Rejected},
    discrete_log::DiscreteLog,
    error::{BoundTooLarge, EvaluationError, PlaintextOutOfRange},
    evaluate::Term,
    factor::{compressed, head, Factor, FactorError},
    homomorphic_key::HomomorphicKey,
    message::Message,
    progress::Progress,
    ring::Ring,
    suite::{COMPRESSED_LEN, PRODUCT_VERSION},
};
use core::iter::repeat;
use rand_core::{CryptoRng, RngCore};
use rayon::prelude::*;

/// Version, bits of the ring, length of the vectors.
const PRODUCT_HEAD: usize = 1 + 1 + 4;

/// One of the two vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first vector.
    Left,
    /// The second vector.
    Right,
}

impl core::fmt::Display for Side {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Left => "left",
            Self::Right => "right",
        })
    }
}

/// Why an inner product could not be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InnerProductError {
    /// The vectors are empty.
    #[error("there are no components to multiply")]
    EmptyInput,
    /// The vectors have different lengths.
    #[error("the vectors have different lengths: {left} and {right}")]
    LengthMismatch {
        /// The length of the first.
        left: usize,
        /// The length of the second.
        right: usize,
    },
    /// A component has another ring than the first one.
    #[error("component {index} of the {side} vector is in a different ring")]
    RingMismatch {
        /// The vector.
        side: Side,
        /// Its index, from zero.
        index: usize,
    },
    /// A component fails the test with this key.
    #[error("component {index} of the {side} vector is not for this keyword")]
    MisOperation {
        /// The vector.
        side: Side,
        /// Its index, from zero.
        index: usize,
    },
    /// The vectors are too long for the ring.
    #[error(transparent)]
    TooLong(#[from] BoundTooLarge),
    /// The length of the vectors does not fit the length field of a product.
    #[error(
        "vectors of length {length} are too long: at most {} is allowed",
        u32::MAX
    )]
    LengthTooLarge {
        /// Their length.
        length: usize,
    },
}

/// The encrypted inner product of two encrypted vectors: `2l + 1` ciphertexts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncryptedProduct {
    ring: Ring,
    total: Ciphertext,
    /// The encrypted `b`s of both vectors, in pairs.
    pairs: Vec<(Ciphertext, Ciphertext)>,
}

impl HomomorphicKey {
    /// The inner product of two encrypted vectors: one mEval over all components.
    ///
    /// # Errors
    /// The first error of the vectors, or the first component that is not for this keyword.
    pub fn inner_product(
        &self,
        left: &[Factor],
        right: &[Factor],
        rng: &mut (impl RngCore + CryptoRng),
        progress: &impl Progress,
    ) -> Result<EncryptedProduct, InnerProductError> {
        let ring = check_vectors(left, right)?;
        ring.product_bound(left.len())?;
        wire_length(left.len())?;
        let pairs = || left.iter().zip(right);
        let constant = pairs()
            .map(|(x, y)| i64::from(x.clear_part()) * i64::from(y.clear_part()))
            .sum();
        let terms: Vec<_> = pairs()
            .flat_map(|(x, y)| {
                [
                    Term::new(i64::from(y.clear_part()), x.ciphertext()),
                    Term::new(i64::from(x.clear_part()), y.ciphertext()),
                ]
            })
            .collect();
        let total = self
            .evaluate_with_progress(&terms, constant, rng, progress)
            .map_err(component)?
            .into_ciphertext();
        let pairs = pairs()
            .map(|(x, y)| (x.ciphertext().clone(), y.ciphertext().clone()))
            .collect();
        Ok(EncryptedProduct { ring, total, pairs })
    }
}

/// The length in the encoding of a product.
fn wire_length(length: usize) -> Result<u32, InnerProductError> {
    u32::try_from(length).map_err(|_| InnerProductError::LengthTooLarge { length })
}

/// Maps the index of an input to the component. The inputs alternate between the vectors.
fn component(error: EvaluationError) -> InnerProductError {
    match error {
        EvaluationError::EmptyInput => InnerProductError::EmptyInput,
        EvaluationError::MisOperation { index } | EvaluationError::TestedWithOtherKey { index } => {
            InnerProductError::MisOperation {
                side: if index % 2 == 0 {
                    Side::Left
                } else {
                    Side::Right
                },
                index: index / 2,
            }
        }
    }
}

fn check_vectors(left: &[Factor], right: &[Factor]) -> Result<Ring, InnerProductError> {
    if left.len() != right.len() {
        return Err(InnerProductError::LengthMismatch {
            left: left.len(),
            right: right.len(),
        });
    }
    let ring = left.first().ok_or(InnerProductError::EmptyInput)?.ring();
    for (side, vector) in [(Side::Left, left), (Side::Right, right)] {
        if let Some(index) = vector.iter().position(|factor| factor.ring() != ring) {
            return Err(InnerProductError::RingMismatch { side, index });
        }
    }
    Ok(ring)
}

/// Why an inner product could not be decrypted. Ciphertexts are numbered from zero, in the order of the encoding: the
/// sum, then the pairs.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProductError {
    /// A ciphertext was rejected.
    #[error("ciphertext {index}: {error}")]
    Rejected {
        /// Its index.
        index: usize,
        /// The cause.
        error: Rejected,
    },
    /// A number was not found: the table is too small, or the ciphertext does not contain a number.
    #[error("ciphertext {index}: {error}")]
    PlaintextOutOfRange {
        /// Its index.
        index: usize,
        /// The cause.
        error: PlaintextOutOfRange,
    },
    /// A number was found that is not possible in an honest product.
    #[error("ciphertext {index}: the number is not from 0 to {most}")]
    NotInRing {
        /// Its index.
        index: usize,
        /// The largest possible number.
        most: u64,
    },
}

impl EncryptedProduct {
    /// The ring.
    pub fn ring(&self) -> Ring {
        self.ring
    }

    /// The length of the vectors.
    pub fn length(&self) -> usize {
        self.pairs.len()
    }

    /// The number of ciphertexts: `2l + 1`.
    pub fn ciphertexts(&self) -> usize {
        2 * self.pairs.len() + 1
    }

    /// The range that a table for [`decrypt`](Self::decrypt) must cover.
    ///
    /// # Errors
    /// [`BoundTooLarge`] if the length is not possible in an honest product.
    pub fn bound(&self) -> Result<Bound, BoundTooLarge> {
        self.ring.product_bound(self.length())
    }

    /// The inner product modulo `T`. `decrypt` is the method of either key, under the keyword of the product.
    ///
    /// All ciphertexts are decrypted before the first search.
    ///
    /// # Errors
    /// [`ProductError`] if a ciphertext was rejected or its number is not in range.
    pub fn decrypt(
        &self,
        decrypt: impl Fn(&Ciphertext) -> Result<Message, Rejected> + Sync,
        table: &DiscreteLog,
    ) -> Result<u32, ProductError> {
        self.decrypt_with_progress(decrypt, table, &())
    }

    /// As [`decrypt`](Self::decrypt). Reports `progress` twice for each ciphertext: after decryption and after the
    /// search.
    ///
    /// # Errors
    /// As [`decrypt`](Self::decrypt).
    pub fn decrypt_with_progress(
        &self,
        decrypt: impl Fn(&Ciphertext) -> Result<Message, Rejected> + Sync,
        table: &DiscreteLog,
        progress: &impl Progress,
    ) -> Result<u32, ProductError> {
        let pairs = self.pairs.iter().flat_map(|(left, right)| [left, right]);
        let ciphertexts: Vec<_> = [&self.total].into_iter().chain(pairs).collect();
        let messages: Vec<_> = decrypt_all(&ciphertexts, progress, decrypt)
            .into_iter()
            .enumerate()
            .map(|(index, message)| {
                message.map_err(|error| ProductError::Rejected { index, error })
            })
            .collect::<Result<_, _>>()?;
        let largest = u64::from(self.ring.modulus()) - 1;
        let largest_total = self.bound().map_or(u64::MAX, Bound::get) - 1;
        let limits = [largest_total].into_iter().chain(repeat(largest));
        let mut numbers = messages.iter().zip(limits).enumerate();
        let mut next = || {
            let (index, (message, most)) = numbers.next()?;
            let number = number_of(index, message, most, table);
            progress.advance(1);
            Some(number)
        };
        let mut sum = next().transpose()?.map_or(0, u128::from);
        while let (Some(left), Some(right)) = (next().transpose()?, next().transpose()?) {
            sum += u128::from(left) * u128::from(right);
        }
        Ok(self.ring.reduce(sum))
    }

    /// Encodes version, bits of the ring, length of the vectors (big-endian), and `2l + 1` compressed ciphertexts.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![PRODUCT_VERSION, self.ring.bits()];
        let length = wire_length(self.length());
        let length = length.expect("checked when the product was created; qed");
        bytes.extend(length.to_be_bytes());
        bytes.extend(self.total.to_compressed());
        for (left, right) in &self.pairs {
            bytes.extend(left.to_compressed());
            bytes.extend(right.to_compressed());
        }
        bytes
    }

    /// Decodes and checks a product, on all cores.
    ///
    /// # Errors
    /// The first check that fails.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FactorError> {
        let expected = |length: u32| {
            usize::try_from(length)
                .ok()
                .and_then(|length| length.checked_mul(2)?.checked_add(1))
                .and_then(|count| count.checked_mul(COMPRESSED_LEN)?.checked_add(PRODUCT_HEAD))
                .unwrap_or(usize::MAX)
        };
        let (ring, length, body) = head(PRODUCT_VERSION, bytes, expected)?;
        if length == 0 {
            return Err(FactorError::Empty);
        }
        let checked: Vec<_> = body
            .par_chunks_exact(COMPRESSED_LEN)
            .enumerate()
            .map(|(index, bytes)| compressed(index, bytes))
            .collect();
        let mut ciphertexts = checked.into_iter();
        let mut next = || ciphertexts.next().transpose();
        let total = next()?.ok_or(FactorError::Empty)?;
        let mut pairs = Vec::new();
        while let (Some(left), Some(right)) = (next()?, next()?) {
            pairs.push((left, right));
        }
        Ok(Self { ring, total, pairs })
    }
}

/// The number in a decrypted ciphertext, from zero to `most`.
fn number_of(
    index: usize,
    message: &Message,
    most: u64,
    table: &DiscreteLog,
) -> Result<u64, ProductError> {
    let number = table
        .find(message)
        .map_err(|error| ProductError::PlaintextOutOfRange { index, error })?;
    u64::try_from(number)
        .ok()
        .filter(|number| *number <= most)
        .ok_or(ProductError::NotInRing { index, most })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_that_the_bytes_cannot_say_is_refused() {
        assert_eq!(wire_length(7), Ok(7));
        let length = usize::try_from(u64::from(u32::MAX) + 1).expect("64 bits");
        let refused = InnerProductError::LengthTooLarge { length };
        assert_eq!(wire_length(length), Err(refused));
    }
}
