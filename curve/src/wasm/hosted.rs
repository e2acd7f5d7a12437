//! Products of pairings by the node, through the SDK's host functions for elliptic curves: an option for chains whose
//! nodes all have them. (docs/decisions/0009)
//!
//! Points are passed on as they are: the node checks neither curve nor subgroup, and need not, because all points
//! were checked when they were decoded.

use super::{fp::Fp, fp2::Fp2, point::Affine};
use alloc::vec::Vec;
use ark_bls12_381::Fq2;
use ark_ec::pairing::Pairing;
use ark_ff::Zero;
use sp_crypto_ec_utils::bls12_381::{Bls12_381, G1Affine, G2Affine};

/// [`super::pairing::product_is_one`].
pub(crate) fn product_is_one(pairs: &[(&Affine<Fp>, &Affine<Fp2>)]) -> bool {
    let (g1, g2): (Vec<_>, Vec<_>) = pairs
        .iter()
        .filter(|(p, q)| !p.is_zero() && !q.is_zero())
        .map(|(p, q)| (g1(p), g2(q)))
        .unzip();
    g1.is_empty() || Bls12_381::multi_pairing(g1, g2).is_zero()
}

fn g1(point: &Affine<Fp>) -> G1Affine {
    G1Affine::new_unchecked(point.x.to_ark(), point.y.to_ark())
}

fn g2(point: &Affine<Fp2>) -> G2Affine {
    let [x, y] = [point.x, point.y].map(|part| Fq2::new(part.c0.to_ark(), part.c1.to_ark()));
    G2Affine::new_unchecked(x, y)
}
