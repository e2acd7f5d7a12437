//! The Chaum-Pedersen proof that `log_H(m) σ = log_g1 pk1`, byte for byte that of `bls381`.

use crate::{
    curve::Curve, error::SignatureError, suite::G1_LEN, transcript::hash_to_scalar, VoteSignature,
};
use sha2::{Digest, Sha256};
use zeroize::Zeroize;

/// A point of G1 together with its encoding, which the challenge hashes.
#[derive(Clone, Debug)]
pub(crate) struct Encoded<C: Curve> {
    pub(crate) point: C::G1,
    pub(crate) bytes: [u8; G1_LEN],
}

impl<C: Curve> Encoded<C> {
    pub(crate) fn new(point: C::G1) -> Self {
        Self {
            bytes: C::g1_to_bytes(&point),
            point,
        }
    }

    /// `H(m)`: the suite stands before the message, inside of what is hashed. (MSG-1)
    pub(crate) fn hash(suite: &[u8], message: &[u8]) -> Self {
        Self::new(C::hash_to_g1(
            crate::suite::HASH_TO_CURVE_DST,
            &[suite, message].concat(),
        ))
    }
}

/// `c = Hash(H(m), pk1, σ, A, B)`. (DLEQ-1)
fn challenge<C: Curve>(
    hm: &Encoded<C>,
    pk1: &Encoded<C>,
    sigma: &Encoded<C>,
    a: &C::G1,
    b: &C::G1,
) -> C::Scalar {
    let (a, b) = (C::g1_to_bytes(a), C::g1_to_bytes(b));
    hash_to_scalar::<C>(&[&hm.bytes, &pk1.bytes, &sigma.bytes, &a, &b])
}

/// Signs `hm` with `secret` and proves it. Deterministic: the witness is a hash of the secret and `hm`. (DLEQ-3)
pub(crate) fn sign<C: Curve>(
    secret: &C::Scalar,
    pk1: &Encoded<C>,
    hm: &Encoded<C>,
) -> VoteSignature {
    let sigma = Encoded::<C>::new(C::g1_mul_secret(&hm.point, secret));
    let mut secret_bytes = C::scalar_to_bytes(secret);
    let mut hashed: [u8; 32] = Sha256::digest(secret_bytes).into();
    let mut k = hash_to_scalar::<C>(&[&hashed, &hm.bytes]);
    secret_bytes.zeroize();
    hashed.zeroize();

    let a = C::g1_mul_secret(&C::g1_generator(), &k);
    let b = C::g1_mul_secret(&hm.point, &k);
    let c = challenge(hm, pk1, &sigma, &a, &b);
    let s = C::scalar_sub_mul(&k, &c, secret);
    k.zeroize();
    VoteSignature::new(sigma.bytes, C::scalar_to_bytes(&c), C::scalar_to_bytes(&s))
}

/// Checks `signature` over `hm` under `pk1` and returns σ.
///
/// Rules: ENC-1 to ENC-4 for σ, ENC-5 for `c` and `s`, then DLEQ-2: with `A = s·g1 + c·pk1` and
/// `B = s·H(m) + c·σ`, accept iff `c = Hash(H(m), pk1, σ, A, B)`.
/// Cost: one decompression with its subgroup check, four multiplications in G1, no pairing.
pub(crate) fn check<C: Curve>(
    signature: &VoteSignature,
    pk1: &Encoded<C>,
    hm: &Encoded<C>,
) -> Result<C::G1, SignatureError> {
    let c = C::scalar_from_bytes(&signature.c()).ok_or(SignatureError::ChallengeNotReduced)?;
    let s = C::scalar_from_bytes(&signature.s()).ok_or(SignatureError::ResponseNotReduced)?;
    let bytes = signature.sigma().0;
    let sigma = Encoded::<C> {
        point: C::g1_from_bytes(&bytes)?,
        bytes,
    };
    let a = C::g1_mul_add(&s, &C::g1_generator(), &c, &pk1.point);
    let b = C::g1_mul_add(&s, &hm.point, &c, &sigma.point);
    if challenge(hm, pk1, &sigma, &a, &b) != c {
        return Err(SignatureError::ProofFails);
    }
    Ok(sigma.point)
}
