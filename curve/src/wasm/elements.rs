//! The points of this back end.

use super::{
    fp::Fp,
    fp2::Fp2,
    pairing::Lines,
    point::{Affine, Jacobian},
};

/// A point of G1, and `[|z|]` of it where the subgroup check has computed that.
#[derive(Clone, Copy, Debug)]
pub struct G1 {
    pub(super) point: Affine<Fp>,
    pub(super) times_z: Option<Jacobian<Fp>>,
}

impl PartialEq for G1 {
    fn eq(&self, other: &Self) -> bool {
        self.point == other.point
    }
}

impl From<Affine<Fp>> for G1 {
    fn from(point: Affine<Fp>) -> Self {
        Self {
            point,
            times_z: None,
        }
    }
}

/// A point of G2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct G2(pub(super) Affine<Fp2>);

/// A point of G2 and the lines of its Miller loop; none where the node computes pairings.
#[derive(Debug)]
pub struct G2Prepared {
    pub(super) point: G2,
    pub(super) lines: Lines,
}
