//! The target group, by blst's calls.

use super::Group;
use blst::{
    blst_final_exp, blst_fp12, blst_fp12_conjugate, blst_fp12_cyclotomic_sqr, blst_fp12_mul,
    blst_miller_loop_n, blst_p1, blst_p1_affine, blst_p2, blst_p2_affine,
};

/// An element of the target group: the value of a pairing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target(blst_fp12);

impl Target {
    /// `Π e(p, q)`: one Miller loop over all pairs, one final exponentiation.
    pub fn product_of_pairings(pairs: &[(blst_p1_affine, blst_p2_affine)]) -> Self {
        let ps: Vec<_> = pairs.iter().map(|(p, _)| *p).collect();
        let qs: Vec<_> = pairs.iter().map(|(_, q)| *q).collect();
        let (p_list, q_list) = (
            [ps.as_ptr(), std::ptr::null()],
            [qs.as_ptr(), std::ptr::null()],
        );
        let (mut loops, mut out) = (blst_fp12::default(), blst_fp12::default());
        // SAFETY: null second entries of the lists tell blst that the points are contiguous, and both have as many as
        // there are pairs.
        unsafe {
            blst_miller_loop_n(&mut loops, q_list.as_ptr(), p_list.as_ptr(), pairs.len());
            blst_final_exp(&mut out, &loops);
        }
        Self(out)
    }
}

impl Group for Target {
    type Affine = Self;

    fn zero() -> Self {
        Self(blst_fp12::default())
    }

    fn generator() -> Self {
        let (p, q) = (blst_p1::generator().affine(), blst_p2::generator().affine());
        Self::product_of_pairings(&[(p, q)])
    }

    fn double(&self) -> Self {
        let mut out = blst_fp12::default();
        // SAFETY: both pointers come from references to initialised values.
        unsafe { blst_fp12_cyclotomic_sqr(&mut out, &self.0) };
        Self(out)
    }

    fn plus(&self, other: &Self) -> Self {
        let mut out = blst_fp12::default();
        // SAFETY: all pointers come from references to initialised values; `out` is distinct from both inputs.
        unsafe { blst_fp12_mul(&mut out, &self.0, &other.0) };
        Self(out)
    }

    fn plus_affine(&self, other: &Self) -> Self {
        self.plus(other)
    }

    fn minus(mut self) -> Self {
        // SAFETY: the pointer comes from a reference to an initialised value.
        unsafe { blst_fp12_conjugate(&mut self.0) };
        self
    }

    fn affine(&self) -> Self {
        *self
    }

    fn affines(elements: &[Self]) -> Vec<Self> {
        elements.to_vec()
    }
}
