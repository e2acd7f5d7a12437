//! Keys and proofs of possession.

use crate::{
    curve::{self, Secret, G2},
    error::{DecodeError, KeyError},
    identity::SignerId,
    suite::{DST_POP, G1_LEN, G2_LEN, ID_TAG, KEY_INFO, MIN_KEY_MATERIAL_LEN, SCALAR_LEN},
};
use rand_core::CryptoRngCore;
use sha2::{Digest, Sha256};
use std::fmt;
use zeroize::Zeroizing;

/// The message base `U`, compressed: a point whose discrete logarithm to any other base is not known. The scheme signs
/// multiples of it.
pub fn message_base() -> [u8; G1_LEN] {
    curve::g1_to_bytes(curve::base())
}

/// A public key: a non-zero point of the subgroup. Proof of possession is a separate check, by
/// [`Signers`](crate::Signers).
#[derive(Clone)]
pub struct PublicKey {
    point: G2,
    bytes: [u8; G2_LEN],
    id: SignerId,
}

impl PublicKey {
    /// Decodes 96 bytes.
    ///
    /// Cost: a decompression, a subgroup check and a hash.
    ///
    /// # Errors
    /// [`DecodeError::BadLength`], [`BadPoint`](DecodeError::BadPoint),
    /// [`NotInSubgroup`](DecodeError::NotInSubgroup) or [`IdentityPoint`](DecodeError::IdentityPoint).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let bytes = bytes.try_into().map_err(|_| DecodeError::BadLength {
            expected: G2_LEN,
            got: bytes.len(),
        })?;
        Ok(Self::of_point(curve::g2_from_bytes(bytes)?, *bytes))
    }

    fn of_point(point: G2, bytes: [u8; G2_LEN]) -> Self {
        let hash = Sha256::new().chain_update(ID_TAG).chain_update(bytes);
        Self {
            point,
            bytes,
            id: SignerId::from_bytes(hash.finalize().into()),
        }
    }

    /// The encoding, 96 bytes.
    pub fn to_bytes(&self) -> [u8; G2_LEN] {
        self.bytes
    }

    /// The key's fingerprint.
    pub fn id(&self) -> SignerId {
        self.id
    }

    pub(crate) fn point(&self) -> &G2 {
        &self.point
    }

    /// Whether `pop` was made with the secret key of this public key.
    ///
    /// Cost: a hash to the curve and two pairings.
    pub(crate) fn is_possessed(&self, pop: &ProofOfPossession) -> bool {
        let hash = curve::one_to_affine(&curve::hash_to_g1(DST_POP, &self.bytes));
        let minus_pop = curve::one_to_affine(&curve::negated(&curve::from_affine(&pop.point)));
        curve::pairing_product_is_one(&[(minus_pop, curve::g2_generator()), (hash, &self.point)])
    }
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for PublicKey {}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", self.id)
    }
}

/// An unchecked proof of possession: 48 bytes that encode a non-zero point of the subgroup.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ProofOfPossession {
    point: curve::G1,
}

impl ProofOfPossession {
    /// Decodes 48 bytes. [`Signers::register`](crate::Signers::register) checks the proof.
    ///
    /// # Errors
    /// [`DecodeError::BadLength`], [`BadPoint`](DecodeError::BadPoint),
    /// [`NotInSubgroup`](DecodeError::NotInSubgroup) or [`IdentityPoint`](DecodeError::IdentityPoint).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let bytes = bytes.try_into().map_err(|_| DecodeError::BadLength {
            expected: G1_LEN,
            got: bytes.len(),
        })?;
        let point = curve::g1_from_bytes(bytes)?;
        Ok(Self { point })
    }

    /// The encoding, 48 bytes.
    pub fn to_bytes(&self) -> [u8; G1_LEN] {
        curve::g1_to_bytes(&self.point)
    }
}

impl fmt::Debug for ProofOfPossession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProofOfPossession({:02x?})", self.to_bytes())
    }
}

/// A secret key with its public key. The secret is wiped on drop and never printed.
///
/// # Security
/// Do not use the key for any other scheme. A key of the finality scheme publishes `sk·g1`; a scheme like this one with
/// message base `g1` could be forged with it. Here the base is another point, and [`SigningKey::generate`] uses its own
/// derivation tag.
pub struct SigningKey {
    secret: Secret,
    public: PublicKey,
}

impl SigningKey {
    /// Derives a key from at least 32 bytes of secret material: KeyGen of the BLS draft with the info `MKLHS-V01`.
    ///
    /// # Errors
    /// [`KeyError::ShortMaterial`].
    pub fn generate(material: &[u8]) -> Result<Self, KeyError> {
        let got = material.len();
        if got < MIN_KEY_MATERIAL_LEN {
            return Err(KeyError::ShortMaterial { got });
        }
        Secret::derive(material, KEY_INFO)
            .map(Self::of_secret)
            .ok_or(KeyError::BadSecret)
    }

    /// Generates a random key.
    ///
    /// # Errors
    /// [`KeyError::Randomness`] when `rng` fails.
    pub fn random(rng: &mut impl CryptoRngCore) -> Result<Self, KeyError> {
        let mut material = Zeroizing::new([0; MIN_KEY_MATERIAL_LEN]);
        rng.try_fill_bytes(material.as_mut())
            .map_err(|_| KeyError::Randomness)?;
        Self::generate(material.as_ref())
    }

    /// Decodes 32 big-endian bytes.
    ///
    /// # Errors
    /// [`KeyError::BadSecret`] for zero and for values not below `q`.
    pub fn from_bytes(bytes: &[u8; SCALAR_LEN]) -> Result<Self, KeyError> {
        Secret::from_bytes(bytes)
            .map(Self::of_secret)
            .ok_or(KeyError::BadSecret)
    }

    fn of_secret(secret: Secret) -> Self {
        let point = curve::public_of(&secret);
        let public = PublicKey::of_point(point, curve::g2_to_bytes(&point));
        Self { secret, public }
    }

    /// The secret, as 32 big-endian bytes that are wiped on drop.
    pub fn expose(&self) -> Zeroizing<[u8; SCALAR_LEN]> {
        self.secret.expose()
    }

    /// The public key.
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// The public key's fingerprint.
    pub fn id(&self) -> SignerId {
        self.public.id
    }

    /// Proves knowledge of the secret key.
    pub fn prove_possession(&self) -> ProofOfPossession {
        let hash = curve::hash_to_g1(DST_POP, &self.public.bytes);
        ProofOfPossession {
            point: curve::sign(&self.secret, &hash),
        }
    }

    pub(crate) fn secret(&self) -> &Secret {
        &self.secret
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey(of {}, redacted)", self.public.id)
    }
}
