//! Fixed-base multiplication for public scalars.

use crate::scalar::{signed_windows, window_of, WINDOW, WINDOW_MAX};
use ark_bls12_381::Fr;
use ark_ec::CurveGroup;
use ark_ff::PrimeField;
use zeroize::Zeroize;

/// Windows of a 255-bit scalar.
const WINDOWS: usize = 52;

/// The multiples of a point for each signed five-bit window: 832 points. Not constant-time.
pub(crate) struct PointTable<G: CurveGroup>(Vec<G::Affine>);

impl<G: CurveGroup<ScalarField = Fr>> PointTable<G> {
    pub(crate) fn new(base: G::Affine) -> Self {
        let mut base: G = base.into();
        let mut multiples = Vec::with_capacity(WINDOWS * WINDOW_MAX);
        for _ in 0..WINDOWS {
            let mut multiple = base;
            for _ in 0..WINDOW_MAX {
                multiples.push(multiple);
                multiple += base;
            }
            for _ in 0..WINDOW {
                base.double_in_place();
            }
        }
        let table = G::normalize_batch(&multiples);
        multiples.zeroize();
        Self(table)
    }

    /// Cost: 52 additions.
    pub(crate) fn mul(&self, scalar: &Fr) -> G {
        let scalar = scalar.into_bigint();
        let windows = signed_windows::<WINDOWS>(|index| window_of(&scalar, index));
        let mut sum = G::zero();
        for (multiples, window) in self.0.chunks_exact(WINDOW_MAX).zip(windows.iter()) {
            let index = usize::try_from(window.magnitude).unwrap_or_default();
            let Some(multiple) = index.checked_sub(1).and_then(|index| multiples.get(index)) else {
                continue;
            };
            if window.negative == 1 {
                sum -= multiple;
            } else {
                sum += multiple;
            }
        }
        sum
    }
}

impl<G: CurveGroup> Drop for PointTable<G> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_bls12_381::{G1Affine, G1Projective, G2Affine, G2Projective};
    use ark_ec::AffineRepr;
    use ark_ff::{Field, One, Zero};

    #[test]
    fn multiples_from_the_table_agree_with_multiples_without_it() {
        let g1 = PointTable::<G1Projective>::new(G1Affine::generator());
        let g2 = PointTable::<G2Projective>::new(G2Affine::generator());
        for scalar in [
            Fr::zero(),
            Fr::one(),
            -Fr::one(),
            Fr::from(16u64),
            Fr::from(3u64).pow([98_765]),
        ] {
            assert_eq!(g1.mul(&scalar), G1Affine::generator() * scalar);
            assert_eq!(g2.mul(&scalar), G2Affine::generator() * scalar);
        }
    }
}
