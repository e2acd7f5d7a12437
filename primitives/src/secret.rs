//! The secret key, and everything that it signs.

use crate::{
    dleq::{self, hash_message},
    error::SecretKeyError,
    possession,
    possession::Suites,
    suite::{SCALAR_LEN, SIGNATURE_SUITE},
    transcript::hash_to_scalar,
    DualKeyBytes, Pk1Bytes, Pk2Bytes, PossessionProof, VoteSignature,
};
use alloc::boxed::Box;
use core::{fmt, hint::black_box};
use duet_curve::{Base, Encodings, Groups, Multiplications, Native, Purpose, Scalars};
use zeroize::{Zeroize, Zeroizing};

/// Bytes of stack that are overwritten after secrets were used: more than signing takes.
const STACK_LEN: usize = 32 * 1024;

/// One secret with a public key in both groups. Printed redacted, wiped on drop, never zero.
///
/// With `std` all arithmetic on it is constant-time (blst). Without, it is not: keep secrets out of runtimes.
/// Signatures are not verified here: signers do that before they give one out, because a faulty one can give the secret
/// away (`duet-keystore`).
///
/// # Where the secret is
/// In one place on the heap, and one more for each clone, which are wiped on drop; moving the key moves a pointer. The
/// functions that make or clone a key, or sign, wipe their intermediate values and then overwrite the stack that they
/// used. Not covered: registers that the operating system saves, pages that it swaps out, core dumps, what
/// [`SecretKey::expose`] returns once the caller moves it, and the seed or bytes that the caller passes in.
pub struct SecretKey {
    scalar: Box<Zeroizing<<Native as Scalars>::Scalar>>,
    pk1: Base<Native>,
    public: DualKeyBytes,
}

impl Clone for SecretKey {
    fn clone(&self) -> Self {
        on_clean_stack(|| Self {
            scalar: self.scalar.clone(),
            pk1: self.pk1.clone(),
            public: self.public,
        })
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
        on_clean_stack(|| Self::from_scalar(hash_to_scalar::<Native>(&[seed])))
    }

    /// The key whose scalar is these 32 little-endian bytes, as `bls381::Pair::to_raw_vec` gives them.
    ///
    /// # Errors
    /// [`SecretKeyError::NotReduced`] when they are not below `r`, [`SecretKeyError::Zero`] when they are zero.
    pub fn from_bytes(bytes: &[u8; SCALAR_LEN]) -> Result<Self, SecretKeyError> {
        on_clean_stack(|| {
            Self::from_scalar(Native::scalar_from_bytes(bytes).ok_or(SecretKeyError::NotReduced)?)
        })
    }

    fn from_scalar(mut on_stack: <Native as Scalars>::Scalar) -> Result<Self, SecretKeyError> {
        // One of the two back ends has scalars that are `Copy`.
        #[allow(clippy::clone_on_copy)]
        let scalar = Box::new(Zeroizing::new(on_stack.clone()));
        on_stack.zeroize();
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
        let scalar: &<Native as Scalars>::Scalar = &self.scalar;
        on_clean_stack(|| dleq::sign(scalar, &self.pk1, hm))
    }

    /// Proves that both halves of the public key have this secret, and names `owner`. (POP-1, POP-2)
    ///
    /// `owner` is [`ownership_statement`](crate::ownership_statement) of an account for keys that go on chain.
    pub fn prove_possession(&self, owner: &[u8]) -> PossessionProof {
        self.prove_with(&Suites::VOTING, owner)
    }

    /// The same for a key that is used as a recovery key. (RECOVER-1)
    ///
    /// `owner` is [`recovery_ownership_statement`](crate::recovery_ownership_statement) of an account.
    pub fn prove_recovery_possession(&self, owner: &[u8]) -> PossessionProof {
        self.prove_with(&Suites::RECOVERY, owner)
    }

    fn prove_with(&self, suites: &Suites, owner: &[u8]) -> PossessionProof {
        let sign =
            |suite, message: &[u8]| self.sign_point(&hash_message(suite, message, Purpose::Once));
        PossessionProof::new(
            sign(suites.ownership, &possession::tagged_owner(owner)),
            sign(suites.possession, self.public.pk2().as_ref()),
        )
    }
}

/// Runs `work` on secrets and overwrites the stack that it used.
fn on_clean_stack<T>(work: impl FnOnce() -> T) -> T {
    let result = in_a_frame_of_its_own(work);
    overwrite_stack();
    result
}

/// Keeps the values of `work` out of the frame of its caller, which is not overwritten.
#[inline(never)]
fn in_a_frame_of_its_own<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// Overwrites the stack below the frame of its caller, where the functions that returned before had their values.
#[inline(never)]
fn overwrite_stack() {
    let mut area = [0u8; STACK_LEN];
    black_box(&mut area);
}
