//! The generators of the suite, and values derived from them, computed once per process.

use crate::{fixed_base::PointTable, gt::Gt, gt_table::GtTable};
use ark_bls12_381::{G1Affine, G1Projective, G2Affine};
use ark_ec::AffineRepr;
use std::sync::OnceLock;

/// `P1`.
pub(crate) fn g1() -> G1Affine {
    G1Affine::generator()
}

/// `P2`.
pub(crate) fn g2() -> G2Affine {
    G2Affine::generator()
}

/// The table of `P1`.
pub(crate) fn g1_table() -> &'static PointTable<G1Projective> {
    static TABLE: OnceLock<PointTable<G1Projective>> = OnceLock::new();
    TABLE.get_or_init(|| PointTable::new(g1()))
}

/// `Z = e(P1, P2)`, with the normalisation of arkworks, which the suite prescribes.
pub(crate) fn gt() -> &'static Gt {
    static Z: OnceLock<Gt> = OnceLock::new();
    Z.get_or_init(|| Gt::pairing(&g1(), &g2()))
}

/// The table of `Z`.
pub(crate) fn table() -> &'static GtTable {
    static TABLE: OnceLock<GtTable> = OnceLock::new();
    TABLE.get_or_init(|| GtTable::new(gt()))
}
