//! The Chaum-Pedersen proof that `log_H(m) σ = log_g1 pk1`, byte for byte that of `bls381`.

use crate::{
    error::SignatureError,
    suite::{G1_LEN, HASH_TO_CURVE_DST},
    transcript::hash_to_scalar,
    VoteSignature,
};
use alloc::vec::Vec;
use duet_curve::{Base, Commitments, Curve, PointError, Purpose, Query};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// `H(m)`: the hash of the suite and the message. (MSG-1)
pub(crate) fn hash_message<C: Curve>(suite: &[u8], message: &[u8], purpose: Purpose) -> Base<C> {
    let hashed = [suite, message].concat();
    Base::new(C::hash_to_g1(HASH_TO_CURVE_DST, &hashed), purpose)
}

/// `c = Hash(H(m), pk1, σ, A, B)`. (DLEQ-1)
fn challenge<C: Curve>(
    hm: &Base<C>,
    pk1: &Base<C>,
    sigma: &[u8; G1_LEN],
    a: &C::G1,
    b: &C::G1,
) -> C::Scalar {
    let (a, b) = (C::g1_to_bytes(a), C::g1_to_bytes(b));
    hash_to_scalar::<C>(&[hm.bytes(), pk1.bytes(), sigma, &a, &b])
}

/// Signs `hm` with `secret` and proves it. Deterministic: the witness is a hash of the secret and `hm`. (DLEQ-3)
pub(crate) fn sign<C: Curve>(secret: &C::Scalar, pk1: &Base<C>, hm: &Base<C>) -> VoteSignature {
    let sigma = C::g1_to_bytes(&C::g1_mul_secret(hm.point(), secret));
    let hashed: Zeroizing<[u8; 32]> = {
        let secret_bytes = Zeroizing::new(C::scalar_to_bytes(secret));
        Zeroizing::new(Sha256::digest(secret_bytes.as_slice()).into())
    };
    let k = Zeroizing::new(hash_to_scalar::<C>(&[hashed.as_slice(), hm.bytes()]));

    let a = C::g1_mul_secret(&C::g1_generator(), &k);
    let b = C::g1_mul_secret(hm.point(), &k);
    let c = challenge(hm, pk1, &sigma, &a, &b);
    let s = C::scalar_sub_mul(&k, &c, secret);
    VoteSignature::new(sigma, C::scalar_to_bytes(&c), C::scalar_to_bytes(&s))
}

/// A signature with decoded scalars, and the key and message that it is checked against.
struct Parsed<'a, C: Curve> {
    c: C::Scalar,
    s: C::Scalar,
    sigma: [u8; G1_LEN],
    pk1: &'a Base<C>,
    hm: &'a Base<C>,
}

impl<'a, C: Curve> Parsed<'a, C> {
    /// ENC-5.
    fn new(
        signature: &VoteSignature,
        pk1: &'a Base<C>,
        hm: &'a Base<C>,
    ) -> Result<Self, SignatureError> {
        Ok(Self {
            c: C::scalar_from_bytes(&signature.c()).ok_or(SignatureError::ChallengeNotReduced)?,
            s: C::scalar_from_bytes(&signature.s()).ok_or(SignatureError::ResponseNotReduced)?,
            sigma: signature.sigma().0,
            pk1,
            hm,
        })
    }

    fn query(&self) -> Query<'_, C> {
        Query {
            c: &self.c,
            s: &self.s,
            pk1: self.pk1,
            hm: self.hm,
            sigma: &self.sigma,
        }
    }

    /// DLEQ-2: accept iff `c = Hash(H(m), pk1, σ, A, B)`.
    fn verdict(
        &self,
        commitments: Result<Commitments<C>, PointError>,
    ) -> Result<C::G1, SignatureError> {
        let Commitments { sigma, a, b } = commitments?;
        if challenge(self.hm, self.pk1, &self.sigma, &a, &b) != self.c {
            return Err(SignatureError::ProofFails);
        }
        Ok(sigma)
    }
}

/// Checks `signature` over `hm` under `pk1` and returns σ.
///
/// Rules: ENC-5 for `c` and `s`, ENC-1 to ENC-4 for σ, then DLEQ-2: with `A = s·g1 + c·pk1` and
/// `B = s·H(m) + c·σ`, accept iff `c = Hash(H(m), pk1, σ, A, B)`.
/// Cost: one decompression, four multiplications in G1 (one is part of the subgroup check of σ, and those with tables
/// cost about a fifth); no pairing.
pub(crate) fn check<C: Curve>(
    signature: &VoteSignature,
    pk1: &Base<C>,
    hm: &Base<C>,
) -> Result<C::G1, SignatureError> {
    let parsed = Parsed::new(signature, pk1, hm)?;
    parsed.verdict(C::dleq_commitments(&parsed.query()))
}

/// [`check`] of many signatures over one `hm`, each under its own key: the same verdicts in the same order, for
/// less work each.
pub(crate) fn check_all<C: Curve>(
    signatures: &[(VoteSignature, &Base<C>)],
    hm: &Base<C>,
) -> Vec<Result<C::G1, SignatureError>> {
    let parsed: Vec<_> = signatures
        .iter()
        .map(|(signature, pk1)| Parsed::new(signature, pk1, hm))
        .collect();
    let queries: Vec<_> = parsed.iter().flatten().map(Parsed::query).collect();
    let mut answers = C::dleq_commitments_all(&queries).into_iter();
    parsed
        .iter()
        .map(|parsed| match parsed {
            // There is one answer per query. One that were missing would be computed alone.
            Ok(parsed) => parsed.verdict(
                answers
                    .next()
                    .unwrap_or_else(|| C::dleq_commitments(&parsed.query())),
            ),
            Err(error) => Err(*error),
        })
        .collect()
}
