//! Single group operations as the library computes them, for benches that compare them with the paper and with
//! arkworks. Not part of the public API.

use crate::{
    constant_time,
    fixed_base::PointTable,
    generator,
    gt::{has_order_r, Gt},
    gt_table::{GtTable, SecretPowers},
    scalar::{self, Digits},
    torus,
};
use ark_bls12_381::{Bls12_381, Fq12, Fr, G1Affine, G1Projective, G2Affine, G2Projective};
use ark_ec::{pairing::Pairing, CurveGroup};
use ark_ff::{Field, One, PrimeField};
use rand_core::{CryptoRng, RngCore};

/// A point of each group and a scalar, with their tables.
pub struct Operations {
    scalar: Fr,
    digits: Digits,
    g1: G1Affine,
    g2: G2Affine,
    gt: Gt,
    g1_table: PointTable<G1Projective>,
    g2_table: PointTable<G2Projective>,
    gt_table: GtTable,
    torus: [u8; crate::suite::TORUS_LEN],
}

impl core::fmt::Debug for Operations {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Operations")
    }
}

impl Operations {
    /// Random points and a random scalar.
    pub fn new(rng: &mut (impl RngCore + CryptoRng)) -> Self {
        let mut next = || *scalar::random_nonzero(rng);
        let g1 = constant_time::mul_g1(&generator::g1(), &next());
        let g2 = constant_time::mul_g2(&generator::g2(), &next());
        let gt = Gt::pairing(&g1, &g2);
        let scalar = next();
        Self {
            digits: Digits::of(&scalar),
            scalar,
            g1_table: PointTable::new(g1),
            g2_table: PointTable::new(g2),
            gt_table: GtTable::new(&gt),
            torus: torus::compress(&gt),
            g1,
            g2,
            gt,
        }
    }

    /// Variable-base multiplication in G1, by arkworks.
    pub fn mul_g1(&self) -> G1Affine {
        (self.g1 * self.scalar).into_affine()
    }

    /// Constant-time variable-base multiplication in G1, by blst.
    pub fn mul_g1_secret(&self) -> G1Affine {
        constant_time::mul_g1(&self.g1, &self.scalar)
    }

    /// Fixed-base multiplication in G1.
    pub fn mul_g1_fixed(&self) -> G1Affine {
        self.g1_table.mul(&self.scalar).into_affine()
    }

    /// Variable-base multiplication in G2, by arkworks.
    pub fn mul_g2(&self) -> G2Affine {
        (self.g2 * self.scalar).into_affine()
    }

    /// Constant-time variable-base multiplication in G2, by blst.
    pub fn mul_g2_secret(&self) -> G2Affine {
        constant_time::mul_g2(&self.g2, &self.scalar)
    }

    /// Fixed-base multiplication in G2.
    pub fn mul_g2_fixed(&self) -> G2Affine {
        self.g2_table.mul(&self.scalar).into_affine()
    }

    /// Variable-base exponentiation in the target group.
    pub fn pow_gt(&self) -> Fq12 {
        *self.gt.pow(&self.scalar).as_field()
    }

    /// The same, by arkworks.
    pub fn pow_gt_arkworks(&self) -> Fq12 {
        ark_ff::CyclotomicMultSubgroup::cyclotomic_exp(
            self.gt.as_field(),
            self.scalar.into_bigint(),
        )
    }

    /// Variable-base exponentiation in the target group with a secret exponent.
    pub fn pow_gt_secret(&self) -> Fq12 {
        *SecretPowers::new(&self.gt).pow(&self.digits).as_field()
    }

    /// Fixed-base exponentiation in the target group.
    pub fn pow_gt_fixed(&self) -> Fq12 {
        *self.gt_table.pow(&self.digits).as_field()
    }

    /// One pairing, by arkworks.
    pub fn pairing(&self) -> Fq12 {
        Bls12_381::pairing(self.g1, self.g2).0
    }

    /// The order check in the target group, with the Frobenius map.
    pub fn order_check(&self) -> bool {
        has_order_r(self.gt.as_field())
    }

    /// The same, by exponentiation with `r`.
    pub fn order_check_by_power(&self) -> bool {
        self.gt.as_field().pow(Fr::MODULUS).is_one()
    }

    /// Decompresses an element and checks it.
    pub fn decompress(&self) -> bool {
        torus::decompress(&self.torus).is_some()
    }
}
