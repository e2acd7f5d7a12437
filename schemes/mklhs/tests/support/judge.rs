//! The reference verifier: the same scheme over arkworks. It shares no code with the implementation under test.
//!
//! Each rule can be disabled, to show that an attack succeeds without it.

use ark_bls12_381::{Bls12_381, Fr, G1Affine, G1Projective, G2Affine};
use ark_ec::{
    hashing::{curve_maps::wb::WBMap, map_to_curve_hasher::MapToCurveBasedHasher, HashToCurve},
    pairing::Pairing,
    AffineRepr, CurveGroup,
};
use ark_ff::{field_hashers::DefaultFieldHasher, BigInteger, PrimeField, Zero};
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize};
use duet_mklhs::{suite, Combined, Label, Program, Scalar, Signature, SignerId};
use sha2::Sha256;
use std::collections::HashMap;

type Hasher = MapToCurveBasedHasher<
    G1Projective,
    DefaultFieldHasher<Sha256, 128>,
    WBMap<ark_bls12_381::g1::Config>,
>;

pub(crate) fn hash_to_g1(dst: &[u8], message: &[u8]) -> G1Projective {
    Hasher::new(dst).unwrap().hash(message).unwrap().into()
}

pub(crate) fn base() -> G1Projective {
    hash_to_g1(suite::DST_BASE, suite::BASE_MESSAGE)
}

pub(crate) fn fr(scalar: Scalar) -> Fr {
    Fr::from_be_bytes_mod_order(&scalar.to_bytes())
}

pub(crate) fn scalar(fr: Fr) -> Scalar {
    let bytes = fr.into_bigint().to_bytes_be();
    Scalar::from_bytes(&bytes.try_into().unwrap()).unwrap()
}

pub(crate) fn g1(bytes: &[u8]) -> G1Projective {
    G1Affine::deserialize_compressed(bytes).unwrap().into()
}

pub(crate) fn g1_affine(bytes: &[u8]) -> G1Affine {
    g1(bytes).into_affine()
}

pub(crate) fn compress(point: G1Projective) -> Vec<u8> {
    bytes(point.into_affine())
}

pub(crate) fn g2(bytes: &[u8]) -> G2Affine {
    G2Affine::deserialize_compressed(bytes).unwrap()
}

pub(crate) fn bytes(point: impl CanonicalSerialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    point.serialize_compressed(&mut bytes).unwrap();
    bytes
}

/// The point of a signature.
pub(crate) fn gamma(signature: &Signature) -> G1Projective {
    g1(&signature.to_bytes()[..suite::G1_LEN])
}

/// A signature from an arbitrary point and message.
pub(crate) fn signature(gamma: impl CurveGroup<Affine = G1Affine>, message: Scalar) -> Signature {
    let wire = [bytes(gamma.into_affine()), message.to_bytes().to_vec()].concat();
    Signature::from_bytes(&wire).unwrap()
}

/// A combined signature from arbitrary parts.
pub(crate) fn combined(gamma: G1Projective, partials: &[Scalar]) -> Combined {
    let mut wire = bytes(gamma.into_affine());
    wire.extend(partials.iter().flat_map(Scalar::to_bytes));
    Combined::from_bytes(&wire).unwrap()
}

/// The status of a key.
pub(crate) struct Key {
    pub(crate) point: G2Affine,
    pub(crate) is_possessed: bool,
}

/// How a label is hashed to a point.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Labels {
    /// One hash over all four fields.
    Bound,
    /// Only the tag is hashed, so the point is not bound to the signer.
    TagOnly,
    /// `H(dataset ‖ signer) + H(signer ‖ tag)`.
    Split,
}

/// The rules. With all of them, this is the scheme.
pub(crate) struct Rules {
    pub(crate) possession: bool,
    pub(crate) nonzero: bool,
    pub(crate) distinct: bool,
    pub(crate) bounds: bool,
    pub(crate) sum: bool,
    pub(crate) labels: Labels,
    pub(crate) base: G1Projective,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            possession: true,
            nonzero: true,
            distinct: true,
            bounds: true,
            sum: true,
            labels: Labels::Bound,
            base: base(),
        }
    }
}

impl Rules {
    /// All rules but those that are changed.
    pub(crate) fn but(change: impl FnOnce(&mut Self)) -> Self {
        let mut rules = Self::default();
        change(&mut rules);
        rules
    }

    pub(crate) fn point(&self, label: &Label) -> G1Projective {
        let hash = |message: &[u8]| hash_to_g1(suite::DST_LABEL, message);
        let signer = label.signer();
        let signer = signer.as_bytes().as_slice();
        match self.labels {
            Labels::Bound => hash(label.as_bytes()),
            Labels::TagOnly => hash(label.tag()),
            Labels::Split => {
                hash(&[label.dataset(), signer].concat()) + hash(&[signer, label.tag()].concat())
            }
        }
    }

    /// Returns the first rule that a combined signature breaks.
    pub(crate) fn verify(
        &self,
        program: &[(Scalar, &Label)],
        keys: &HashMap<SignerId, Key>,
        total: Scalar,
        gamma: G1Projective,
        partials: &[Scalar],
    ) -> Result<(), &'static str> {
        let refuse = |rule, broken| if broken { Err(rule) } else { Ok(()) };
        let has_zero = program.iter().any(|(f, _)| *f == Scalar::ZERO);
        refuse("ZeroCoefficient", self.nonzero && has_zero)?;
        let repeats = |(index, (_, label)): (usize, &(Scalar, &Label))| {
            program[..index].iter().any(|(_, other)| other == label)
        };
        let has_twice = program.iter().enumerate().any(repeats);
        refuse("DuplicateLabel", self.distinct && has_twice)?;
        let mut signers = Vec::new();
        for (_, label) in program {
            if !signers.contains(&label.signer()) {
                signers.push(label.signer());
            }
        }
        for signer in &signers {
            let key = keys.get(signer).ok_or("UnknownSigner")?;
            refuse("MissingPop", self.possession && !key.is_possessed)?;
        }
        refuse("PartialCountMismatch", signers.len() != partials.len())?;
        let sums = signers.iter().zip(partials);
        for (signer, partial) in sums.clone() {
            let of_signer = program
                .iter()
                .filter(|(_, label)| label.signer() == *signer);
            let limit: u128 = of_signer.map(|(f, _)| magnitude_low(*f)).sum();
            refuse("OutOfBounds", self.bounds && !is_within(*partial, limit))?;
        }
        let sum: Fr = partials.iter().map(|partial| fr(*partial)).sum();
        refuse("SumMismatch", self.sum && sum != fr(total))?;
        let mut product = Bls12_381::pairing(-gamma, G2Affine::generator());
        for (signer, partial) in sums {
            let mut signed = self.base * fr(*partial);
            for (f, label) in program
                .iter()
                .filter(|(_, label)| label.signer() == *signer)
            {
                signed += self.point(label) * fr(*f);
            }
            product += Bls12_381::pairing(signed, keys[signer].point);
        }
        refuse("PairingMismatch", !product.is_zero())
    }

    /// As [`Rules::verify`], for values of the crate's API.
    pub(crate) fn verify_program(
        &self,
        program: &Program,
        keys: &HashMap<SignerId, Key>,
        total: Scalar,
        combined: &Combined,
    ) -> Result<(), &'static str> {
        let wire = combined.to_bytes();
        let terms = program.coefficients().iter().copied().zip(program.labels());
        self.verify(
            &terms.collect::<Vec<_>>(),
            keys,
            total,
            g1(&wire[..suite::G1_LEN]),
            combined.partials(),
        )
    }
}

fn magnitude(number: Scalar) -> ark_ff::BigInt<4> {
    let number = fr(number).into_bigint();
    let half = Fr::MODULUS_MINUS_ONE_DIV_TWO;
    if number > half {
        let mut magnitude = Fr::MODULUS;
        magnitude.sub_with_borrow(&number);
        magnitude
    } else {
        number
    }
}

fn magnitude_low(number: Scalar) -> u128 {
    u128::from(magnitude(number).0[0])
}

/// `|number| ≤ limit · 2^64`.
fn is_within(number: Scalar, limit: u128) -> bool {
    let number = num_bytes(&magnitude(number));
    let mut bound = [0; 32];
    bound[8..24].copy_from_slice(&limit.to_be_bytes());
    number <= bound
}

fn num_bytes(number: &ark_ff::BigInt<4>) -> [u8; 32] {
    number.to_bytes_be().try_into().unwrap()
}

/// The keys of a list of signers, all with proof of possession.
pub(crate) fn possessed<'a>(
    keys: impl IntoIterator<Item = &'a duet_mklhs::SigningKey>,
) -> HashMap<SignerId, Key> {
    let entry = |key: &duet_mklhs::SigningKey| {
        let point = g2(&key.public().to_bytes());
        let is_possessed = true;
        (
            key.id(),
            Key {
                point,
                is_possessed,
            },
        )
    };
    keys.into_iter().map(entry).collect()
}
