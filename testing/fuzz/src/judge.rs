//! The rules once more, from `docs/spec` and by arkworks' arithmetic alone: slow, plain, and without code of ours except
//! for types, errors and constants.

use ark_bls12_381::{g1, g2, Bls12_381, Fq, Fq2, Fr, G1Affine, G1Projective, G2Affine};
use ark_ec::{
    hashing::{curve_maps::wb::WBMap, map_to_curve_hasher::MapToCurveBasedHasher, HashToCurve},
    pairing::Pairing,
    short_weierstrass::{Affine, SWCurveConfig},
    AffineRepr, CurveGroup,
};
use ark_ff::{
    field_hashers::{DefaultFieldHasher, HashToField},
    BigInt, BigInteger, PrimeField, Zero,
};
use codec::{Decode, Encode};
use duet_curve::PointError;
use duet_primitives::{
    suite, DualKeyBytes, JustificationError, KeyError, KeysetCommitment, KeysetError, MerkleError,
    MerkleProof, Pk1Bytes, Pk2Bytes, PossessionError, PossessionProof, SecretKey, SetId,
    SignatureError, SignerIndex, UncheckedJustification, VoteSignature, H256,
};
use sha2::Sha256;
use sha3::{Digest, Keccak256};
use std::collections::BTreeMap;

use crate::odd::{compress, small_g1, small_g2};

const COMPRESSED: u8 = 0x80;
const INFINITY: u8 = 0x40;
const SIGN: u8 = 0x20;

/// The coordinates of an encoding and whether `y` is the greater of the two. (ENC-1, ENC-2)
fn coordinates(bytes: &[u8]) -> Result<(Vec<Fq>, bool), PointError> {
    let flags = bytes[0];
    let mut body = bytes.to_vec();
    body[0] &= !(COMPRESSED | INFINITY | SIGN);
    if flags & COMPRESSED == 0 {
        return Err(PointError::NotCanonical);
    }
    if flags & INFINITY != 0 {
        let is_plain = flags & SIGN == 0 && body.iter().all(|byte| *byte == 0);
        return Err(if is_plain {
            PointError::Infinity
        } else {
            PointError::NotCanonical
        });
    }
    let coordinates: Option<Vec<_>> = body.chunks(48).map(coordinate).collect();
    let coordinates = coordinates.ok_or(PointError::NotCanonical)?;
    Ok((coordinates, flags & SIGN != 0))
}

fn coordinate(bytes: &[u8]) -> Option<Fq> {
    let mut limbs = [0; 6];
    for (limb, chunk) in limbs.iter_mut().zip(bytes.rchunks(8)) {
        *limb = u64::from_be_bytes(chunk.try_into().ok()?);
    }
    Fq::from_bigint(BigInt(limbs))
}

/// ENC-1 to ENC-3.
fn g1_on_curve(bytes: &[u8; 48]) -> Result<G1Affine, PointError> {
    let (x, greatest) = coordinates(bytes)?;
    Affine::get_point_from_x_unchecked(x[0], greatest).ok_or(PointError::NotOnCurve)
}

/// ENC-3 and ENC-4; the order of the point is found by multiplication with `r`.
fn of_order_r<P: SWCurveConfig<ScalarField = Fr>>(
    x: P::BaseField,
    greatest: bool,
) -> Result<Affine<P>, PointError> {
    let point = Affine::get_point_from_x_unchecked(x, greatest).ok_or(PointError::NotOnCurve)?;
    if !point.mul_bigint(Fr::MODULUS).is_zero() {
        return Err(PointError::NotInSubgroup);
    }
    Ok(point)
}

/// A point of G1. (ENC-1 to ENC-4)
///
/// # Errors
/// The first broken rule.
pub fn g1(bytes: &[u8; 48]) -> Result<G1Affine, PointError> {
    let (x, greatest) = coordinates(bytes)?;
    of_order_r::<g1::Config>(x[0], greatest)
}

/// A point of G2. (ENC-1 to ENC-4)
///
/// # Errors
/// The first broken rule.
pub fn g2(bytes: &[u8; 96]) -> Result<G2Affine, PointError> {
    let (x, greatest) = coordinates(bytes)?;
    of_order_r::<g2::Config>(Fq2::new(x[1], x[0]), greatest)
}

/// A scalar. (ENC-5)
pub fn scalar(bytes: &[u8; 32]) -> Option<Fr> {
    let mut limbs = [0; 4];
    for (limb, chunk) in limbs.iter_mut().zip(bytes.chunks(8)) {
        *limb = u64::from_le_bytes(chunk.try_into().ok()?);
    }
    Fr::from_bigint(BigInt(limbs))
}

/// RFC 9380 `XMD:SHA-256_SSWU_RO` to G1.
pub fn hash_to_g1(dst: &[u8], message: &[u8]) -> G1Affine {
    type Hasher =
        MapToCurveBasedHasher<G1Projective, DefaultFieldHasher<Sha256, 128>, WBMap<g1::Config>>;
    Hasher::new(dst)
        .and_then(|hasher| hasher.hash(message))
        .expect("the map is defined on the whole field of this curve")
}

/// `H(m)` under a ciphersuite. (MSG-1)
fn message_point(ciphersuite: &[u8], message: &[u8]) -> G1Affine {
    hash_to_g1(suite::HASH_TO_CURVE_DST, &[ciphersuite, message].concat())
}

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
    let hashed = [*hm, *pk1, sigma, a, b].map(|point| compress::<g1::Config, 48>(&point));
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
pub fn signature(
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
pub fn possession_point(pk2: &Pk2Bytes) -> G1Affine {
    message_point(suite::POSSESSION_SUITE, &pk2.0)
}

/// A signature with its proof over any point, for what the interface does not let one sign.
pub fn sign(secret: &SecretKey, hm: &G1Affine) -> VoteSignature {
    let secret = scalar(&secret.expose()).expect("a secret is reduced");
    let encode = |point: G1Projective| compress::<g1::Config, 48>(&point.into_affine());
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
pub fn key(bytes: &DualKeyBytes) -> Result<(G1Affine, G2Affine), KeyError> {
    let pk1 = g1(&bytes.pk1().0).map_err(KeyError::Pk1)?;
    let pk2 = g2(&bytes.pk2().0).map_err(KeyError::Pk2)?;
    Ok((pk1, pk2))
}

/// A proof of possession. (POP-1 to POP-3, the last by the logarithms being equal and not by its coefficient)
///
/// # Errors
/// The first broken rule.
pub fn possession(
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
pub struct Set<'a> {
    /// Number of the set.
    pub id: SetId,
    /// The members' keys in set order.
    pub keys: &'a [Pk1Bytes],
    /// The chain.
    pub genesis: H256,
}

/// A justification. (JUST-1 to JUST-5, the last by the logarithms being equal and not by its coefficient)
///
/// # Errors
/// The first broken rule.
pub fn justification(
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

/// The sum of a good point of G1 and a point of small order.
pub fn plus_small(bytes: &[u8; 48], place: usize) -> [u8; 48] {
    match g1(bytes) {
        Ok(point) => compress(&(point.into_group() + small_g1(place)).into_affine()),
        Err(_) => *bytes,
    }
}

/// The sum of a good point of G2 and a point of small order.
pub fn plus_small_g2(bytes: &[u8; 96], place: usize) -> [u8; 96] {
    match g2(bytes) {
        Ok(point) => compress(&(point.into_group() + small_g2(place)).into_affine()),
        Err(_) => *bytes,
    }
}

/// The sum of a good point of G1 and a small multiple of the generator, or the difference.
pub fn plus_multiple(bytes: &[u8; 48], times: u8, minus: bool) -> [u8; 48] {
    let multiple = G1Affine::generator() * Fr::from(times);
    match g1(bytes) {
        Ok(point) if minus => compress(&(point.into_group() - multiple).into_affine()),
        Ok(point) => compress(&(point.into_group() + multiple).into_affine()),
        Err(_) => *bytes,
    }
}

/// The negative of a good point of G1.
pub fn minus(bytes: &[u8; 48]) -> [u8; 48] {
    compress(&-g1(bytes).expect("a good point"))
}

/// The double of a good point of G1.
pub fn twice(bytes: &[u8; 48]) -> [u8; 48] {
    let point = g1(bytes).expect("a good point");
    compress(&(point + point).into_affine())
}

/// `H(m)` of what validators sign, encoded.
pub fn signed_point(signed: &[u8]) -> [u8; 48] {
    compress(&message_point(suite::SIGNATURE_SUITE, signed))
}

/// What commits to keys that stand in chain state, in no need of a subgroup check. (SET-1 to SET-3, SET-5)
///
/// # Errors
/// The first broken rule.
pub fn keyset(id: SetId, keys: &[Pk1Bytes]) -> Result<KeysetCommitment, KeysetError> {
    if keys.is_empty() {
        return Err(KeysetError::Empty);
    }
    for index in 1..keys.len() {
        if keys[index].0 <= keys[index - 1].0 {
            return Err(KeysetError::Order { index });
        }
    }
    let mut total = G1Projective::zero();
    for (index, key) in keys.iter().enumerate() {
        let point = g1_on_curve(&key.0).map_err(KeyError::Pk1);
        total += point.map_err(|error| KeysetError::Key { index, error })?;
    }
    if total.is_zero() {
        return Err(KeysetError::ZeroTotal);
    }
    Ok(KeysetCommitment {
        id,
        len: u32::try_from(keys.len()).expect("small sets"),
        root: root(keys),
        apk1: Pk1Bytes(compress(&total.into_affine())),
    })
}

fn keccak(parts: &[&[u8]]) -> [u8; 32] {
    let hasher = Keccak256::new();
    let hasher = parts
        .iter()
        .fold(hasher, |hasher, part| hasher.chain_update(part));
    hasher.finalize().into()
}

fn leaf(key: &Pk1Bytes) -> [u8; 32] {
    keccak(&[&[0], &key.0])
}

/// The root over keys. (SET-2)
pub fn root(keys: &[Pk1Bytes]) -> H256 {
    let mut layer: Vec<_> = keys.iter().map(leaf).collect();
    while layer.len() > 1 {
        let above = layer.chunks(2).map(|pair| match pair {
            [left, right] => keccak(&[&[1], left, right]),
            alone => alone[0],
        });
        layer = above.collect();
    }
    layer.first().map(H256::from).unwrap_or_default()
}

/// The hashes of a proof, out of its encoding.
pub fn hashes_of(proof: &MerkleProof) -> Vec<[u8; 32]> {
    <Vec<[u8; 32]>>::decode(&mut &proof.encode()[..]).expect("a proof is a list of hashes")
}

/// A multiproof, layer by layer. (SET-2)
///
/// # Errors
/// The first broken rule.
pub fn merkle(
    hashes: &[[u8; 32]],
    root: H256,
    len: u32,
    keys: &[(SignerIndex, Pk1Bytes)],
) -> Result<(), MerkleError> {
    let ascending = keys.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let inside = keys
        .iter()
        .all(|(place, _)| place.get() < len && len <= suite::MAX_VALIDATORS);
    if !ascending || !inside {
        return Err(MerkleError::Indices);
    }
    let mut known: BTreeMap<u32, [u8; 32]> = keys
        .iter()
        .map(|(place, key)| (place.get(), leaf(key)))
        .collect();
    let mut rest = hashes.iter();
    let (mut size, mut expected) = (len, 0);
    while size > 1 && !known.is_empty() {
        let mut above = BTreeMap::new();
        for (place, hash) in &known {
            let sibling = place ^ 1;
            if sibling >= size {
                above.insert(place / 2, *hash);
                continue;
            }
            let other = known.get(&sibling).copied().unwrap_or_else(|| {
                expected += 1;
                rest.next().copied().unwrap_or_default()
            });
            let pair = if place % 2 == 0 {
                [*hash, other]
            } else {
                [other, *hash]
            };
            above.insert(place / 2, keccak(&[&[1], &pair[0], &pair[1]]));
        }
        (known, size) = (above, size.div_ceil(2));
    }
    let got = hashes.len();
    if got != expected {
        return Err(MerkleError::HashCount { expected, got });
    }
    let found = known.get(&0).copied();
    let holds = keys.is_empty() || found == Some(root.0);
    holds.then_some(()).ok_or(MerkleError::Root)
}
