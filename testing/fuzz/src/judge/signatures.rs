//! Signatures, keys, proofs of possession and justifications.

use super::curve::{g1, g2, message_point, scalar};
use crate::odd::compress;
use ark_bls12_381::{g1::Config as G1Config, Bls12_381, Fr, G1Affine, G1Projective, G2Affine};
use ark_ec::{pairing::Pairing, AffineRepr, CurveGroup};
use ark_ff::{
    field_hashers::{DefaultFieldHasher, HashToField},
    BigInteger, PrimeField, Zero,
};
use codec::Encode;
use duet_primitives::{
    suite, DualKeyBytes, JustificationError, KeyError, Pk1Bytes, Pk2Bytes, PossessionError,
    PossessionProof, SecretKey, SetId, SignatureError, UncheckedJustification, VoteSignature, H256,
};
use sha2::Sha256;

fn hash_to_scalar(parts: &[&[u8]]) -> Fr {
    let judge = <DefaultFieldHasher<Sha256, 128> as HashToField<Fr>>::new(&[]);
    let [scalar]: [Fr; 1] = judge.hash_to_field(&parts.concat());
    scalar
}

/// A signature over the bytes that are hashed, under a key that was checked; σ. (ENC-5, ENC-1 to ENC-4, DLEQ-2)
fn dleq(
    pk1: &G1Affine,
    hm: &G1Affine,
    signature: &VoteSignature,
) -> Result<G1Affine, SignatureError> {
    let [mut c, mut s] = [[0; 32]; 2];
    c.copy_from_slice(&signature.0[48..80]);
    s.copy_from_slice(&signature.0[80..]);
    let c = scalar(&c).ok_or(SignatureError::ChallengeNotReduced)?;
    let s = scalar(&s).ok_or(SignatureError::ResponseNotReduced)?;
    let sigma = g1(&signature.sigma().0).map_err(SignatureError::Sigma)?;
    let a = (G1Affine::generator() * s + *pk1 * c).into_affine();
    let b = (*hm * s + sigma * c).into_affine();
    let hashed = [*hm, *pk1, sigma, a, b].map(|point| compress::<G1Config, 48>(&point));
    let parts: Vec<&[u8]> = hashed.iter().map(|bytes| &bytes[..]).collect();
    if hash_to_scalar(&parts) != c {
        return Err(SignatureError::ProofFails);
    }
    Ok(sigma)
}

/// A signature over a message under a key that was checked. (DLEQ-2)
///
/// # Errors
/// The first broken rule.
pub(crate) fn signature(
    pk1: &Pk1Bytes,
    message: &[u8],
    signature: &VoteSignature,
) -> Result<(), SignatureError> {
    let pk1 = g1(&pk1.0).expect("a key that was checked");
    dleq(
        &pk1,
        &message_point(suite::SIGNATURE_SUITE, message),
        signature,
    )
    .map(|_| ())
}

/// What the possession part of a proof signs. (POP-2)
pub(crate) fn possession_point(pk2: &Pk2Bytes) -> G1Affine {
    message_point(suite::POSSESSION_SUITE, &pk2.0)
}

/// A signature with its proof over any point, for what the interface does not let one sign.
pub(crate) fn sign(secret: &SecretKey, hm: &G1Affine) -> VoteSignature {
    let secret = scalar(&secret.expose()).expect("a secret is reduced");
    let encode = |point: G1Projective| compress::<G1Config, 48>(&point.into_affine());
    let (generator, witness) = (G1Affine::generator(), Fr::from(7_u64));
    let sigma = encode(*hm * secret);
    let parts = [
        compress(hm),
        encode(generator * secret),
        sigma,
        encode(generator * witness),
        encode(*hm * witness),
    ];
    let c = hash_to_scalar(&parts.iter().map(|bytes| &bytes[..]).collect::<Vec<_>>());
    let mut signature = VoteSignature([0; 112]);
    signature.0[..48].copy_from_slice(&sigma);
    signature.0[48..80].copy_from_slice(&c.into_bigint().to_bytes_le());
    signature.0[80..].copy_from_slice(&(witness - c * secret).into_bigint().to_bytes_le());
    signature
}

/// A key. (KEY-1)
///
/// # Errors
/// The first broken rule, with the half.
pub(crate) fn key(bytes: &DualKeyBytes) -> Result<(G1Affine, G2Affine), KeyError> {
    let pk1 = g1(&bytes.pk1().0).map_err(KeyError::Pk1)?;
    let pk2 = g2(&bytes.pk2().0).map_err(KeyError::Pk2)?;
    Ok((pk1, pk2))
}

/// A proof of possession. (POP-1 to POP-3, the last by the logarithms being equal and not by its coefficient)
///
/// # Errors
/// The first broken rule.
pub(crate) fn possession(
    bytes: &DualKeyBytes,
    owner: &[u8],
    proof: &PossessionProof,
) -> Result<(), PossessionError> {
    let (pk1, pk2) = key(bytes)?;
    let owned = message_point(
        suite::SIGNATURE_SUITE,
        &[suite::OWNERSHIP_TAG, owner].concat(),
    );
    let _owned = dleq(&pk1, &owned, &proof.ownership()).map_err(PossessionError::Ownership)?;
    let possessed = message_point(suite::POSSESSION_SUITE, &bytes.pk2().0);
    let sigma = dleq(&pk1, &possessed, &proof.possession()).map_err(PossessionError::Possession)?;
    let same_secret = is_one(&[(pk1, G2Affine::generator()), (-G1Affine::generator(), pk2)]);
    let same_signature = is_one(&[(sigma, G2Affine::generator()), (-possessed, pk2)]);
    (same_secret && same_signature)
        .then_some(())
        .ok_or(PossessionError::HalvesDiffer)
}

fn is_one(pairs: &[(G1Affine, G2Affine)]) -> bool {
    Bls12_381::multi_pairing(
        pairs.iter().map(|(point, _)| *point),
        pairs.iter().map(|(_, point)| *point),
    )
    .is_zero()
}

/// A set, as the judge of justifications sees it.
pub(crate) struct Set<'a> {
    /// Number of the set.
    pub(crate) id: SetId,
    /// The members' keys in set order.
    pub(crate) keys: &'a [Pk1Bytes],
    /// The chain.
    pub(crate) genesis: H256,
}

/// A justification. (JUST-1 to JUST-5, the last by the logarithms being equal and not by its coefficient)
///
/// # Errors
/// The first broken rule.
pub(crate) fn justification(
    proof: &UncheckedJustification,
    set: &Set<'_>,
) -> Result<(), JustificationError> {
    let got = proof.commitment.validator_set_id;
    if got != set.id {
        return Err(JustificationError::WrongSet {
            expected: set.id,
            got,
        });
    }
    let field = proof.signers.as_bytes();
    let expected = set.keys.len().div_ceil(8);
    if field.len() != expected {
        return Err(JustificationError::BitfieldLength {
            expected,
            got: field.len(),
        });
    }
    let is_set = |place: usize| field[place / 8] >> (place % 8) & 1 == 1;
    if (set.keys.len()..field.len() * 8).any(is_set) {
        return Err(JustificationError::PaddingBits);
    }
    let signers: Vec<_> = (0..set.keys.len()).filter(|place| is_set(*place)).collect();
    let [threshold, got] = [set.keys.len() - (set.keys.len() - 1) / 3, signers.len()]
        .map(|number| u32::try_from(number).expect("small sets"));
    if got < threshold {
        return Err(JustificationError::BelowThreshold { threshold, got });
    }
    let sigma = g1(&proof.signature.0).map_err(JustificationError::Signature)?;
    let apk2 = g2(&proof.apk2.0).map_err(JustificationError::Apk2)?;
    let apk1 = signers
        .iter()
        .map(|place| g1(&set.keys[*place].0).expect("a key that was checked"))
        .fold(G1Projective::zero(), |sum, key| sum + key)
        .into_affine();
    let signed = [
        suite::MESSAGE_PREFIX,
        set.genesis.as_bytes(),
        &proof.commitment.encode(),
    ]
    .concat();
    let hm = message_point(suite::SIGNATURE_SUITE, &signed);
    let same_keys = is_one(&[
        (apk1, G2Affine::generator()),
        (-G1Affine::generator(), apk2),
    ]);
    let same_signature = is_one(&[(sigma, G2Affine::generator()), (-hm, apk2)]);
    (same_keys && same_signature)
        .then_some(())
        .ok_or(JustificationError::EquationFails)
}
