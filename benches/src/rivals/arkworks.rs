//! Plain arkworks: two pairings.

use ark_bls12_381::{g1, Bls12_381, G1Affine, G1Projective, G2Affine};
use ark_ec::{
    hashing::{curve_maps::wb::WBMap, map_to_curve_hasher::MapToCurveBasedHasher, HashToCurve},
    pairing::Pairing,
    AffineRepr,
};
use ark_ff::{field_hashers::DefaultFieldHasher, Zero};
use ark_serialize::CanonicalDeserialize;
use duet_primitives::{suite, DualKeyBytes};
use sha2::Sha256;

type Hasher =
    MapToCurveBasedHasher<G1Projective, DefaultFieldHasher<Sha256, 128>, WBMap<g1::Config>>;

/// A BLS signature in G1, checked as a textbook has it.
pub struct Arkworks {
    key: G2Affine,
    hasher: Hasher,
}

impl Arkworks {
    /// Reads the half in G2 of a key.
    pub fn new(key: &DualKeyBytes) -> Self {
        Self {
            key: G2Affine::deserialize_compressed(key.pk2().as_ref()).expect("a key"),
            hasher: Hasher::new(suite::HASH_TO_CURVE_DST).expect("a tag that is short enough"),
        }
    }

    /// Checks the 48 bytes of σ over `message`, which starts with the ciphersuite.
    pub fn check(&self, message: &[u8], sigma: &[u8]) -> bool {
        let Ok(sigma) = G1Affine::deserialize_compressed(sigma) else {
            return false;
        };
        let Ok(hashed) = self.hasher.hash(message) else {
            return false;
        };
        Bls12_381::multi_pairing([sigma, -hashed], [G2Affine::generator(), self.key]).is_zero()
    }
}
