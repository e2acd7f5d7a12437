//! The scheme: sign, append, verify, and what everybody can do with a chain.

use crate::{
    encoding::MalformedAggregate,
    hash,
    keys::PublicKey,
    raw::{BackEndError, RawPrivate},
    secret::SecretKey,
    suite::{HopCountOutOfRange, HopNumber, Suite, HASH_LEN, MAX_HOPS, RANDOMNESS_LEN, TOP_BIT},
};
use thiserror::Error;

/// What a signer needs of its predecessor: `x` below `2^(K-1)`, and `h`.
///
/// One never comes without the other. Nothing is known about where they come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    suite: Suite,
    x: Vec<u8>,
    h: [u8; HASH_LEN],
}

/// What stays of a hop beside its successor's [`Link`]: `r` and the bit that did not fit into `x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The randomness inside of `H`.
    pub randomness: [u8; RANDOMNESS_LEN],
    /// The highest bit of the RSA output.
    pub overflow: bool,
}

/// One signer's key and message, as a verifier knows them.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'a> {
    /// The signer's key, from a list that the verifier trusts.
    pub key: &'a PublicKey,
    /// What this signer signed; nothing is said about the other messages.
    pub message: &'a [u8],
}

/// Many signers' signatures, each on its own message, in the room of one RSA number, one hash and a few bytes per hop.
///
/// Well formed, and no more than that: nothing is verified until [`ChainSignature::verify`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainSignature {
    link: Link,
    hops: Vec<Hop>,
}

/// Why nothing was signed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SignError {
    /// The key is not of the size that the chain is made of.
    #[error("the chain is made of {expected} and the key is {got}")]
    MixedModulusSize {
        /// What the chain is made of.
        expected: Suite,
        /// What the key is.
        got: Suite,
    },
    /// The chain has all the hops that it may have.
    #[error("the chain has its {MAX_HOPS} hops")]
    TooManyHops,
    /// The private operation gave a wrong answer, which would betray the key; it was not released.
    #[error("the private operation gave a wrong answer, which was thrown away")]
    Fault,
    /// The RSA library or device failed.
    #[error(transparent)]
    BackEnd(#[from] BackEndError),
}

/// Why a chain does not verify.
///
/// Only [`VerifyError::NonCanonical`] and [`VerifyError::OutOfRange`] name a hop, and they are right only if every later
/// hop is honest: one wrong element garbles everything before it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum VerifyError {
    /// There are not as many statements as hops.
    #[error("{got} statements for {expected} hops")]
    StatementCount {
        /// The hops of the chain.
        expected: usize,
        /// The statements that were given.
        got: usize,
    },
    /// A key is not of the size that the chain is made of.
    #[error("hop {hop}: the chain is made of {expected} and the key is {got}")]
    MixedModulusSize {
        /// The first hop with such a key.
        hop: HopNumber,
        /// What the chain is made of.
        expected: Suite,
        /// What the key is.
        got: Suite,
    },
    /// The RSA number is not below the modulus: a second spelling of the same signature.
    #[error("hop {hop}: the number is not below the modulus")]
    NonCanonical {
        /// The hop whose number it is.
        hop: HopNumber,
    },
    /// What the RSA number stands for does not fit into a link.
    #[error("hop {hop}: the number stands for none of the legal inputs")]
    OutOfRange {
        /// The hop whose number it is.
        hop: HopNumber,
    },
    /// The chain does not end where a first signature begins.
    #[error("the signature does not verify")]
    BadSignature,
    /// The RSA library failed, which says nothing about the signature.
    #[error("hop {hop}: {error}")]
    BackEnd {
        /// The hop that was being verified.
        hop: HopNumber,
        /// What failed.
        error: BackEndError,
    },
}

impl Link {
    /// Reads `x` and `h` as a predecessor sent them.
    ///
    /// # Errors
    /// `x` is not as long as the suite's moduli, or not below `2^(K-1)`.
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

    /// The size of the moduli of the chain.
    pub fn suite(&self) -> Suite {
        self.suite
    }

    /// `x`, big-endian, as long as a modulus; its highest bit is zero.
    pub fn x(&self) -> &[u8] {
        &self.x
    }

    /// `h`.
    pub fn h(&self) -> &[u8; HASH_LEN] {
        &self.h
    }
}

/// Signs `message` on top of `previous`, or as the first of a chain, and returns the hop and the new link.
///
/// This is the scheme's Sign: a function of the own key, the own message and the predecessor's link. No other key or
/// message is needed, and nothing is verified. The same inputs give the same bytes.
///
/// Cost: one private operation and one public one.
///
/// # Errors
/// Key and link are of different sizes, or the library or device fails.
///
/// # Security
/// The result says that this signer signed this message, and nothing about what it was appended to.
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

/// `y^d mod N`, released only after it was turned back into `y`: one faulty answer of a CRT factors the modulus.
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

/// `split`: the highest bit is taken out of the number and returned.
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
    /// The signature of a chain's first hop.
    ///
    /// # Errors
    /// As [`sign`].
    pub fn first<R: RawPrivate>(key: &SecretKey<R>, message: &[u8]) -> Result<Self, SignError> {
        let (hop, link) = sign(key, message, None)?;
        let hops = vec![hop];
        Ok(Self { link, hops })
    }

    /// This signature with one more hop. Nothing of what is there is verified; see [`sign`].
    ///
    /// # Errors
    /// As [`sign`], or the chain is full.
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

    /// A signature of parts that came separately.
    ///
    /// # Errors
    /// There is no hop, or there are more than 255.
    pub fn from_parts(link: Link, hops: Vec<Hop>) -> Result<Self, HopCountOutOfRange> {
        HopNumber::new(hops.len())?;
        Ok(Self { link, hops })
    }

    /// The size of the moduli of the chain.
    pub fn suite(&self) -> Suite {
        self.link.suite
    }

    /// What the next signer appends to.
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// What is kept of each hop, the first signer's first; from 1 to 255 of them.
    pub fn hops(&self) -> &[Hop] {
        &self.hops
    }

    /// Checks that the owner of each key signed its message, in this order.
    ///
    /// `statements` are given in the order of signing, the first signer's first.
    ///
    /// Cost: one public operation per hop.
    ///
    /// # Errors
    /// The counts; then the first key of another size; then, from the last hop to the first, what does not hold.
    ///
    /// # Security
    /// - The keys come from a list that the verifier trusts.
    /// - Anybody may shorten a chain from its end ([`ChainSignature::peel`]) or go on from there. Where that matters,
    ///   messages say who comes before and after, as [`Attestation`](crate::Attestation) does.
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

    /// The chain as it was before its last hop, which anybody can work out; `None` when there was nothing before.
    ///
    /// It verifies when the whole chain does: a chain is a proof of what was signed, never of what was not.
    ///
    /// # Errors
    /// The key is of another size, or the last hop's number is not one that its signer can have made.
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

/// Joins a hop's bit to `x` and undoes the signer's permutation: `y` is what the signer inverted.
///
/// Both checks are needed for a signature to have one spelling: the number is below the modulus, and `y` below
/// `2^(K-1)`. The link's `x` is used up.
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

/// From a hop's `y` and `h` to its predecessor's link.
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
