//! The scheme: sign, append, verify, and the operations that anyone can do with a chain.

use crate::{
    hash,
    keys::PublicKey,
    malformed::MalformedAggregate,
    raw::{BackEndError, RawPrivate},
    secret::SecretKey,
    suite::{HopCountOutOfRange, HopNumber, Suite, HASH_LEN, MAX_HOPS, RANDOMNESS_LEN, TOP_BIT},
};
use thiserror::Error;

/// A signer's input from its predecessor: `x` below `2^(K-1)`, and `h`.
///
/// The two are always used together. Their origin has not been verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    suite: Suite,
    x: Vec<u8>,
    h: [u8; HASH_LEN],
}

/// The data of a hop that is stored beside its successor's [`Link`]: `r`, and the bit that does not fit into `x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The randomness in `H`.
    pub randomness: [u8; RANDOMNESS_LEN],
    /// The most significant bit of the RSA output.
    pub overflow: bool,
}

/// The key and the message of one signer, as known to a verifier.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'a> {
    /// The signer's key, from a list that the verifier trusts.
    pub key: &'a PublicKey,
    /// The message of this signer. The signature does not cover the other messages.
    pub message: &'a [u8],
}

/// An aggregate of many signatures, each on its own message. It has the size of one RSA number, one hash and a few
/// bytes per hop.
///
/// Well-formed, but not verified: see [`ChainSignature::verify`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainSignature {
    link: Link,
    hops: Vec<Hop>,
}

/// Why signing failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SignError {
    /// The key has another modulus size than the chain.
    #[error("the chain uses {expected}, but the key is {got}")]
    MixedModulusSize {
        /// The suite of the chain.
        expected: Suite,
        /// The suite of the key.
        got: Suite,
    },
    /// The chain has the maximum number of hops.
    #[error("the chain has the maximum of {MAX_HOPS} hops")]
    TooManyHops,
    /// The private operation returned a wrong result. It was discarded, because it would compromise the key.
    #[error("the private operation returned a wrong result, which was discarded")]
    Fault,
    /// The RSA library or the device failed.
    #[error(transparent)]
    BackEnd(#[from] BackEndError),
}

/// Why a chain was not verified.
///
/// Only [`VerifyError::NonCanonical`] and [`VerifyError::OutOfRange`] name a hop. That hop is at fault only if all
/// later hops are honest: a wrong element randomises all hops before it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The numbers of statements and hops differ.
    #[error("expected {expected} statements, one per hop, got {got}")]
    StatementCount {
        /// The number of hops.
        expected: usize,
        /// The number of statements.
        got: usize,
    },
    /// A key has another modulus size than the chain.
    #[error("hop {hop}: the chain uses {expected}, but the key is {got}")]
    MixedModulusSize {
        /// The first hop with such a key.
        hop: HopNumber,
        /// The suite of the chain.
        expected: Suite,
        /// The suite of the key.
        got: Suite,
    },
    /// The RSA number is not below the modulus: a second encoding of the same signature.
    #[error("hop {hop}: the number is not below the modulus")]
    NonCanonical {
        /// The hop.
        hop: HopNumber,
    },
    /// The RSA operation gives a value that does not fit a link.
    #[error("hop {hop}: the result of the RSA operation is out of range")]
    OutOfRange {
        /// The hop.
        hop: HopNumber,
    },
    /// The chain does not end at a valid first signature.
    #[error("the signature does not verify")]
    BadSignature,
    /// The RSA library failed. This does not mean that the signature is invalid.
    #[error("hop {hop}: {error}")]
    BackEnd {
        /// The hop that was being verified.
        hop: HopNumber,
        /// The cause.
        error: BackEndError,
    },
}

impl Link {
    /// Creates a link from `x` and `h`, as received from a predecessor.
    ///
    /// # Errors
    /// `x` does not have the length of the suite's moduli, or is not below `2^(K-1)`.
    pub fn new(suite: Suite, x: &[u8], h: [u8; HASH_LEN]) -> Result<Self, MalformedAggregate> {
        if x.len() != suite.modulus_len() {
            return Err(MalformedAggregate::Length {
                expected: suite.modulus_len(),
                got: x.len(),
            });
        }
        if x.first().is_none_or(|first| first & TOP_BIT != 0) {
            return Err(MalformedAggregate::TopBit);
        }
        Ok(Self {
            suite,
            x: x.to_vec(),
            h,
        })
    }

    /// The modulus size of the chain.
    pub fn suite(&self) -> Suite {
        self.suite
    }

    /// `x`, big-endian, with the length of a modulus; its most significant bit is zero.
    pub fn x(&self) -> &[u8] {
        &self.x
    }

    /// `h`.
    pub fn h(&self) -> &[u8; HASH_LEN] {
        &self.h
    }
}

/// Signs `message` on top of `previous`, or as the first hop of a chain. Returns the hop and the new link.
///
/// This is the algorithm Sign of the scheme. It depends only on the signer's key, its message and the predecessor's
/// link. It needs no other key or message, and verifies nothing. It is deterministic.
///
/// Cost: one private operation and one public one.
///
/// # Errors
/// The key and the link have different sizes, or the library or the device failed.
///
/// # Security
/// The result proves that this signer signed this message. It proves nothing about the chain that it was appended to.
pub fn sign<R: RawPrivate>(
    key: &SecretKey<R>,
    message: &[u8],
    previous: Option<&Link>,
) -> Result<(Hop, Link), SignError> {
    let suite = key.suite();
    if let Some(expected) = previous.map(Link::suite).filter(|link| *link != suite) {
        let got = suite;
        return Err(SignError::MixedModulusSize { expected, got });
    }
    let (x, h) = match previous {
        Some(link) => (Some(link.x()), *link.h()),
        None => (None, [0; HASH_LEN]),
    };
    let randomness = key.randomness(message, previous.map(|link| (link.x(), link.h())))?;
    let fingerprint = key.public().fingerprint().0;
    let h = xor(h, hash::h(&fingerprint, message, &randomness, x));

    let mut y = x.map_or_else(|| vec![0; suite.modulus_len()], <[u8]>::to_vec);
    hash::g_xor(&h, &mut y);
    let mut x = invert(key, &y)?;
    let overflow = take_top_bit(&mut x);
    let hop = Hop {
        randomness,
        overflow,
    };
    Ok((hop, Link { suite, x, h }))
}

/// `y^d mod N`. The result is released only after it was checked against `y`: one faulty CRT result factors the
/// modulus.
fn invert<R: RawPrivate>(key: &SecretKey<R>, y: &[u8]) -> Result<Vec<u8>, SignError> {
    let mut output = vec![0; y.len()];
    key.private(y, &mut output)?;
    if !key.public().is_above(&output) {
        return Err(SignError::Fault);
    }
    let mut back = vec![0; y.len()];
    key.public().public(&output, &mut back)?;
    if back != y {
        return Err(SignError::Fault);
    }
    Ok(output)
}

/// `split`: clears the most significant bit and returns it.
fn take_top_bit(number: &mut [u8]) -> bool {
    let Some(first) = number.first_mut() else {
        return false;
    };
    let bit = *first & TOP_BIT != 0;
    *first &= !TOP_BIT;
    bit
}

fn xor(mut left: [u8; HASH_LEN], right: [u8; HASH_LEN]) -> [u8; HASH_LEN] {
    for (left, right) in left.iter_mut().zip(right) {
        *left ^= right;
    }
    left
}

impl ChainSignature {
    /// Signs the first hop of a chain.
    ///
    /// # Errors
    /// As [`sign`].
    pub fn first<R: RawPrivate>(key: &SecretKey<R>, message: &[u8]) -> Result<Self, SignError> {
        let (hop, link) = sign(key, message, None)?;
        let hops = vec![hop];
        Ok(Self { link, hops })
    }

    /// Appends a hop to this signature. The existing hops are not verified; see [`sign`].
    ///
    /// # Errors
    /// As [`sign`], or the chain has the maximum number of hops.
    pub fn append<R: RawPrivate>(
        &self,
        key: &SecretKey<R>,
        message: &[u8],
    ) -> Result<Self, SignError> {
        if self.hops.len() >= MAX_HOPS {
            return Err(SignError::TooManyHops);
        }
        let (hop, link) = sign(key, message, Some(&self.link))?;
        let hops = self.hops.iter().copied().chain([hop]).collect();
        Ok(Self { link, hops })
    }

    /// Assembles a signature from its parts.
    ///
    /// # Errors
    /// There are no hops, or more than 255.
    pub fn from_parts(link: Link, hops: Vec<Hop>) -> Result<Self, HopCountOutOfRange> {
        HopNumber::new(hops.len())?;
        Ok(Self { link, hops })
    }

    /// The modulus size of the chain.
    pub fn suite(&self) -> Suite {
        self.link.suite
    }

    /// The link that the next signer appends to.
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// The data of each hop, in the order of signing; from 1 to 255.
    pub fn hops(&self) -> &[Hop] {
        &self.hops
    }

    /// Verifies that the holder of each key signed its message, in this order.
    ///
    /// `statements` are in the order of signing.
    ///
    /// Cost: one public operation per hop.
    ///
    /// # Errors
    /// The number of statements; then the first key of another size; then the first failing check, from the last hop to
    /// the first.
    ///
    /// # Security
    /// - The keys must come from a list that the verifier trusts.
    ///
    /// - Anyone can remove hops from the end of a chain ([`ChainSignature::peel`]) and continue from there. Where that
    ///   matters, the messages must name their predecessor and successor, as an [`Attestation`](crate::Attestation)
    ///   does.
    pub fn verify(&self, statements: &[Statement<'_>]) -> Result<(), VerifyError> {
        let (expected, got) = (self.hops.len(), statements.len());
        if expected != got {
            return Err(VerifyError::StatementCount { expected, got });
        }
        for (index, statement) in statements.iter().enumerate() {
            self.check_suite(HopNumber::at(index), statement.key)?;
        }
        let mut link = self.link.clone();
        let mut y = vec![0; self.suite().modulus_len()];
        let mut hops = self.hops.iter().zip(statements).enumerate();
        let first = hops.next();
        for (index, (hop, statement)) in hops.rev() {
            invert_split(HopNumber::at(index), hop, statement.key, &mut link, &mut y)?;
            step_back(hop, statement, &mut link, &mut y);
        }
        let Some((index, (hop, statement))) = first else {
            return Err(VerifyError::BadSignature);
        };
        invert_split(HopNumber::at(index), hop, statement.key, &mut link, &mut y)?;
        let fingerprint = statement.key.fingerprint().0;
        let h = hash::h(&fingerprint, statement.message, &hop.randomness, None);
        hash::g_xor(&link.h, &mut y);
        if link.h != h || y.iter().any(|byte| *byte != 0) {
            return Err(VerifyError::BadSignature);
        }
        Ok(())
    }

    /// The chain without its last hop, which anyone can compute; `None` if there was only one hop.
    ///
    /// It is valid if the whole chain is. So a chain proves its statements, but not that nothing else was signed.
    ///
    /// # Errors
    /// The key has another size, or the last hop's number is not a possible output of its signer.
    pub fn peel(&self, last: &Statement<'_>) -> Result<Option<Self>, VerifyError> {
        let number = HopNumber::at(self.hops.len().saturating_sub(1));
        self.check_suite(number, last.key)?;
        let Some((hop, rest)) = self.hops.split_last().filter(|(_, rest)| !rest.is_empty()) else {
            return Ok(None);
        };
        let mut link = self.link.clone();
        let mut y = vec![0; self.suite().modulus_len()];
        invert_split(number, hop, last.key, &mut link, &mut y)?;
        step_back(hop, last, &mut link, &mut y);
        let hops = rest.to_vec();
        Ok(Some(Self { link, hops }))
    }

    fn check_suite(&self, hop: HopNumber, key: &PublicKey) -> Result<(), VerifyError> {
        let (expected, got) = (self.suite(), key.suite());
        if expected != got {
            return Err(VerifyError::MixedModulusSize { hop, expected, got });
        }
        Ok(())
    }
}

/// Combines a hop's overflow bit with `x` and inverts the signer's RSA operation. The result `y` is the signer's input.
///
/// Both checks are needed for a signature to have a unique encoding: the number is below the modulus, and `y` is below
/// `2^(K-1)`. The `x` of the link is consumed.
fn invert_split(
    number: HopNumber,
    hop: &Hop,
    key: &PublicKey,
    link: &mut Link,
    y: &mut [u8],
) -> Result<(), VerifyError> {
    if let Some(first) = link.x.first_mut().filter(|_| hop.overflow) {
        *first |= TOP_BIT;
    }
    if !key.is_above(&link.x) {
        return Err(VerifyError::NonCanonical { hop: number });
    }
    key.public(&link.x, y)
        .map_err(|error| VerifyError::BackEnd { hop: number, error })?;
    if y.first().is_some_and(|first| first & TOP_BIT != 0) {
        return Err(VerifyError::OutOfRange { hop: number });
    }
    Ok(())
}

/// Computes the predecessor's link from a hop's `y` and `h`.
fn step_back(hop: &Hop, statement: &Statement<'_>, link: &mut Link, y: &mut [u8]) {
    hash::g_xor(&link.h, y);
    link.x.copy_from_slice(y);
    let fingerprint = statement.key.fingerprint().0;
    let hashed = hash::h(
        &fingerprint,
        statement.message,
        &hop.randomness,
        Some(&link.x),
    );
    link.h = xor(link.h, hashed);
}
