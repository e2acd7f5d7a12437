//! The secret key, and everything that it signs.

use crate::{
    dleq::{self, hash_message},
    error::SecretKeyError,
    possession,
    suite::{POSSESSION_SUITE, SCALAR_LEN, SIGNATURE_SUITE},
    transcript::hash_to_scalar,
    DualKeyBytes, Pk1Bytes, Pk2Bytes, PossessionProof, VoteSignature,
};
use core::fmt;
use duet_curve::{Base, Encodings, Groups, Multiplications, Native, Purpose, Scalars};
use zeroize::{Zeroize, Zeroizing};

/// One secret with a public key in both groups. Printed redacted, wiped on drop, never zero.
///
/// With `std` all arithmetic on it is constant-time (blst). Without, it is not: keep secrets out of runtimes.
#[derive(Clone)]
pub struct SecretKey {
    scalar: <Native as Scalars>::Scalar,
    pk1: Base<Native>,
    public: DualKeyBytes,
}

impl Drop for SecretKey {
    fn drop(&mut self) {
        self.scalar.zeroize();
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey(redacted, of {})", self.public.pk1())
    }
}

impl SecretKey {
    /// The key of a 32-byte seed, as `bls381::Pair::from_seed` makes it: the seed is hashed to a scalar.
    ///
    /// # Errors
    /// [`SecretKeyError::Zero`] in the unreachable case that the seed hashes to zero.
    pub fn from_seed(seed: &[u8; 32]) -> Result<Self, SecretKeyError> {
        Self::from_scalar(hash_to_scalar::<Native>(&[seed]))
    }

    /// The key whose scalar is these 32 little-endian bytes, as `bls381::Pair::to_raw_vec` gives them.
    ///
    /// # Errors
    /// [`SecretKeyError::NotReduced`] when they are not below `r`, [`SecretKeyError::Zero`] when they are zero.
    pub fn from_bytes(bytes: &[u8; SCALAR_LEN]) -> Result<Self, SecretKeyError> {
        Self::from_scalar(Native::scalar_from_bytes(bytes).ok_or(SecretKeyError::NotReduced)?)
    }

    fn from_scalar(scalar: <Native as Scalars>::Scalar) -> Result<Self, SecretKeyError> {
        let pk1 = Native::g1_mul_secret(&Native::g1_generator(), &scalar);
        if Native::g1_is_zero(&pk1) {
            return Err(SecretKeyError::Zero);
        }
        let pk1 = Base::new(pk1, Purpose::Once);
        let pk2 = Native::g2_mul_secret(&Native::g2_generator(), &scalar);
        let public = DualKeyBytes::new(Pk1Bytes(*pk1.bytes()), Pk2Bytes(Native::g2_to_bytes(&pk2)));
        Ok(Self {
            scalar,
            pk1,
            public,
        })
    }

    /// The scalar, 32 little-endian bytes, wiped when dropped. For key files only.
    pub fn expose(&self) -> Zeroizing<[u8; SCALAR_LEN]> {
        Zeroizing::new(Native::scalar_to_bytes(&self.scalar))
    }

    /// The public key in both groups.
    pub fn public(&self) -> DualKeyBytes {
        self.public
    }

    /// Signs any message, as `bls381::Pair::sign` does. Deterministic.
    pub fn sign(&self, message: &[u8]) -> VoteSignature {
        self.sign_point(&hash_message(SIGNATURE_SUITE, message, Purpose::Once))
    }

    pub(crate) fn sign_point(&self, hm: &Base<Native>) -> VoteSignature {
        dleq::sign(&self.scalar, &self.pk1, hm)
    }

    /// Proves that both halves of the public key have this secret, and names `owner`. (POP-1, POP-2)
    ///
    /// `owner` is [`ownership_statement`](crate::ownership_statement) of an account for keys that go on chain.
    pub fn prove_possession(&self, owner: &[u8]) -> PossessionProof {
        let ownership = self.sign(&possession::tagged_owner(owner));
        let possession = self.sign_point(&hash_message(
            POSSESSION_SUITE,
            self.public.pk2().as_ref(),
            Purpose::Once,
        ));
        PossessionProof::new(ownership, possession)
    }
}
