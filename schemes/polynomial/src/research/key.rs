//! Public keys, secret keys and signing keys.

use super::{
    basis::Basis,
    encoding::{byte_length, put_number, Reader, VERSION},
    error::{BadEncoding, KeyError, PublicKeyFault, SecretKeyFault},
    identifier::{Fingerprint, Tag},
    params::{Dimension, Limits},
    prime,
    principal::{is_admissible, is_root, Principal},
    ring,
    sampler::to_float,
};
use num_bigint::{BigInt, BigUint};
use std::fmt;
use zeroize::Zeroizing;

/// An ideal `(p, x - a)` of degree one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ideal {
    pub(crate) modulus: BigUint,
    pub(crate) root: BigUint,
}

/// A public key. Both ideals have been checked to be prime and of degree one.
///
/// **A forger needs nothing else**; see [`forgery`](super::forgery).
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey {
    dimension: Dimension,
    /// The ideal on which values are evaluated.
    pub(crate) messages: Ideal,
    /// The ideal on which identifiers are evaluated.
    pub(crate) identifiers: Ideal,
    limits: Limits,
    fingerprint: Fingerprint,
}

impl PublicKey {
    fn new(dimension: Dimension, messages: Ideal, identifiers: Ideal, limits: Limits) -> Self {
        let mut key = Self {
            dimension,
            messages,
            identifiers,
            limits,
            fingerprint: Fingerprint([0; 32]),
        };
        key.fingerprint = Fingerprint::of(&key.to_bytes());
        key
    }

    /// The ring's dimension.
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// The limits of the functions that it admits.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The SHA-256 fingerprint of the key.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// The prime p: messages and results are the integers strictly between -p/2 and p/2.
    pub fn message_modulus(&self) -> &BigUint {
        &self.messages.modulus
    }

    /// The prime q, the modulus of identifiers.
    pub fn identifier_modulus(&self) -> &BigUint {
        &self.identifiers.modulus
    }

    /// The roots `a` mod p and `b` mod q of `x^n + 1`.
    pub fn roots(&self) -> (&BigUint, &BigUint) {
        (&self.messages.root, &self.identifiers.root)
    }

    /// `0x01 || n(2) || len4 p || len4 a || len4 q || len4 b || k(4) || d(1) || y(8) || nu(8)`, big-endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        let n = u16::try_from(self.dimension.get()).unwrap_or(u16::MAX);
        let mut out = vec![VERSION];
        out.extend_from_slice(&n.to_be_bytes());
        for ideal in [&self.messages, &self.identifiers] {
            let length = byte_length(&ideal.modulus);
            put_number(&mut out, &ideal.modulus, length);
            put_number(&mut out, &ideal.root, length);
        }
        out.extend_from_slice(&self.limits.variables().to_be_bytes());
        out.push(self.limits.degree());
        out.extend_from_slice(&self.limits.coefficient().to_be_bytes());
        out.extend_from_slice(&self.dimension.width().to_be_bytes());
        out
    }

    /// Decodes a key and checks all its rules.
    ///
    /// Cost: two primality tests of a prime of up to 1350 bits.
    ///
    /// # Errors
    /// [`KeyError::BadEncoding`], [`BadDimension`](KeyError::BadDimension), [`BadLimits`](KeyError::BadLimits), or
    /// [`BadPublicKey`](KeyError::BadPublicKey) with the rule that it breaks.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, KeyError> {
        let mut reader = Reader::new(bytes);
        reader.version()?;
        let dimension = Dimension::new(u16::from_be_bytes(reader.array()?).into())?;
        let messages = read_ideal(&mut reader, dimension)?;
        let identifiers = read_ideal(&mut reader, dimension)?;
        let variables = u32::from_be_bytes(reader.array()?);
        let [degree] = reader.array()?;
        let limits = Limits::new(variables, degree, u64::from_be_bytes(reader.array()?));
        let width = u64::from_be_bytes(reader.array()?);
        reader.end()?;
        let key = Self::new(dimension, messages, identifiers, limits?);
        if width != dimension.width() {
            return Err(KeyError::BadPublicKey(PublicKeyFault::Width));
        }
        key.check().map_err(KeyError::BadPublicKey)?;
        Ok(key)
    }

    /// Cheap rules first: composite moduli that are chosen to waste time rarely have roots.
    fn check(&self) -> Result<(), PublicKeyFault> {
        let n = self.dimension.get();
        let (p, q) = (&self.messages, &self.identifiers);
        if p.modulus == q.modulus {
            return Err(PublicKeyFault::SameModulus);
        }
        if !is_root(&p.root, n, &p.modulus) {
            return Err(PublicKeyFault::BadRootA);
        }
        if !is_root(&q.root, n, &q.modulus) {
            return Err(PublicKeyFault::BadRootB);
        }
        if !prime::is_odd_prime(&p.modulus) {
            return Err(PublicKeyFault::CompositeP);
        }
        if !prime::is_odd_prime(&q.modulus) {
            return Err(PublicKeyFault::CompositeQ);
        }
        Ok(())
    }

    /// Whether an integer is strictly between -p/2 and p/2.
    pub(crate) fn is_message(&self, value: &BigInt) -> bool {
        value.magnitude() <= &(self.message_modulus() >> 1u8)
    }

    /// The constant that is `message` mod p and `identifier` mod q, reduced modulo p q.
    pub(crate) fn coset(&self, message: &BigInt, identifier: &BigUint) -> BigUint {
        let (p, q) = (self.message_modulus(), self.identifier_modulus());
        let difference = ring::reduce(&(message - BigInt::from(identifier.clone())), p);
        // p and q are different primes, so the inverse exists.
        let inverse = (q % p).modinv(p).unwrap_or_default();
        identifier + q * (difference * inverse % p)
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublicKey")
            .field("dimension", &self.dimension.get())
            .field("limits", &self.limits)
            .field("fingerprint", &self.fingerprint)
            .finish()
    }
}

/// Reads a modulus in its shortest form, and a root of the same length.
fn read_ideal(reader: &mut Reader<'_>, dimension: Dimension) -> Result<Ideal, KeyError> {
    let largest = dimension.largest_norm();
    let longest = byte_length(&largest);
    let modulus = reader.number(longest)?;
    if matches!(modulus.first(), None | Some(0)) {
        return Err(BadEncoding::NotMinimal.into());
    }
    let root = reader.number(longest)?;
    if root.len() != modulus.len() {
        return Err(BadEncoding::Length.into());
    }
    let (modulus, root) = (
        BigUint::from_bytes_be(modulus),
        BigUint::from_bytes_be(root),
    );
    if modulus > largest {
        return Err(BadEncoding::TooLarge.into());
    }
    Ok(Ideal { modulus, root })
}

/// The stored part of a secret key: two generators and a seed. Wiped on drop, printed as redacted.
pub struct SecretKey {
    pub(crate) dimension: Dimension,
    /// The generators of the ideals of messages and identifiers.
    pub(crate) generators: [Zeroizing<Vec<i64>>; 2],
    pub(crate) seed: Zeroizing<[u8; 32]>,
}

impl SecretKey {
    /// `0x01 || n(2) || g_p, g_q as 2 n coefficients of two bytes || seed(32)`, big-endian.
    pub fn expose(&self) -> Zeroizing<Vec<u8>> {
        let n = self.dimension.get();
        // Allocated at once: a growing vector would leave copies behind.
        let mut out = Zeroizing::new(Vec::with_capacity(3 + 4 * n + 32));
        out.push(VERSION);
        out.extend_from_slice(&u16::try_from(n).unwrap_or(u16::MAX).to_be_bytes());
        for coefficient in self.generators.iter().flat_map(|g| g.iter()) {
            let coefficient = i16::try_from(*coefficient).unwrap_or(i16::MAX);
            out.extend_from_slice(&coefficient.to_be_bytes());
        }
        out.extend_from_slice(&*self.seed);
        out
    }

    /// Decodes a secret key. [`SigningKey::new`] checks the generators.
    ///
    /// # Errors
    /// [`KeyError::BadEncoding`], [`BadDimension`](KeyError::BadDimension), or [`BadSecretKey`](KeyError::BadSecretKey)
    /// for coefficients that key generation never produces.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, KeyError> {
        let mut reader = Reader::new(bytes);
        reader.version()?;
        let dimension = Dimension::new(u16::from_be_bytes(reader.array()?).into())?;
        let mut generator = || -> Result<_, KeyError> {
            let mut coefficients = Zeroizing::new(Vec::with_capacity(dimension.get()));
            for _ in 0..dimension.get() {
                coefficients.push(i64::from(i16::from_be_bytes(reader.array()?)));
            }
            if !is_admissible(&coefficients) {
                return Err(KeyError::BadSecretKey(SecretKeyFault::Generator));
            }
            Ok(coefficients)
        };
        let generators = [generator()?, generator()?];
        let seed = Zeroizing::new(reader.array()?);
        reader.end()?;
        Ok(Self {
            dimension,
            generators,
            seed,
        })
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey(n = {}, redacted)", self.dimension.get())
    }
}

/// A secret key expanded for signing, and its public key. Wiped on drop, printed as redacted.
///
/// It signs only through a [`Signer`](super::Signer), which records its signatures.
pub struct SigningKey {
    pub(crate) basis: Basis,
    pub(crate) seed: Zeroizing<[u8; 32]>,
    public: PublicKey,
}

impl SigningKey {
    /// Expands a secret key. The public key admits functions within `limits`.
    ///
    /// Other limits give another public key, under which earlier signatures are invalid.
    ///
    /// Cost: two primality tests and the Gram-Schmidt basis, n^3 floating-point operations.
    ///
    /// # Errors
    /// [`KeyError::BadSecretKey`] if the norm of a generator is not prime, if both norms are equal, or if the basis is
    /// too long for the width.
    pub fn new(secret: &SecretKey, limits: Limits) -> Result<Self, KeyError> {
        let broken = || KeyError::BadSecretKey(SecretKeyFault::Norm);
        let [p, q] = &secret.generators;
        let p = Principal::from_generator(p.clone()).ok_or_else(broken)?;
        let q = Principal::from_generator(q.clone()).ok_or_else(broken)?;
        Self::from_ideals(p, q, secret.seed.clone(), limits).map_err(KeyError::BadSecretKey)
    }

    /// Expands a secret key whose public key is already published.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`KeyError::KeyMismatch`] if the public key belongs to another secret key.
    pub fn restore(secret: &SecretKey, public: &PublicKey) -> Result<Self, KeyError> {
        let key = Self::new(secret, public.limits())?;
        if key.public() != public {
            return Err(KeyError::KeyMismatch);
        }
        Ok(key)
    }

    pub(crate) fn from_ideals(
        p: Principal,
        q: Principal,
        seed: Zeroizing<[u8; 32]>,
        limits: Limits,
    ) -> Result<Self, SecretKeyFault> {
        if p.modulus == q.modulus {
            return Err(SecretKeyFault::Norm);
        }
        let dimension = Dimension::new(p.generator.len()).map_err(|_| SecretKeyFault::Generator)?;
        let generator = Zeroizing::new(ring::mul_wrapping(&p.generator, &q.generator));
        let adjugate = ring::mul(&p.adjugate, &q.adjugate);
        let basis = Basis::new(generator, &adjugate, &(&p.modulus * &q.modulus));
        let width = i64::try_from(dimension.width()).unwrap_or(i64::MAX);
        if to_float(width) < basis.smallest_width() {
            return Err(SecretKeyFault::Width);
        }
        let ideal = |principal: Principal| Ideal {
            modulus: principal.modulus,
            root: principal.root,
        };
        Ok(Self {
            basis,
            seed,
            public: PublicKey::new(dimension, ideal(p), ideal(q), limits),
        })
    }

    /// The public key.
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// The coset that contains the signature of `message`.
    pub(crate) fn coset(&self, tag: &Tag, index: u32, message: &BigInt) -> BigUint {
        let q = self.public.identifier_modulus();
        let identifier = self.public.fingerprint.identifier(tag, index, q);
        self.public.coset(message, &identifier)
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({:?}, redacted)", self.public)
    }
}
