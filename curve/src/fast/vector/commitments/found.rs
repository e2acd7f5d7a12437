//! The computation on votes, and its results.

use crate::{
    digits::BaseZ,
    fast::{comb::Term, point::Affine},
};
use alloc::vec::Vec;

/// The inputs of each vote, in lists of equal length or empty ones.
#[derive(Debug)]
pub(crate) struct Work<'a> {
    /// σ, and the scalar that it is multiplied with.
    pub(crate) sigma: Vec<(Affine, BaseZ)>,
    /// The key, where it has no tables.
    pub(crate) key: Vec<(Affine, BaseZ)>,
    /// Products of the first sum with tables, and of the second. Combs of a list have one shape.
    pub(crate) tables: [Vec<Vec<Term<'a>>>; 2],
}

/// The results of a vote.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) is_in_subgroup: bool,
    /// With the product of the key, where that has no tables, and with that of σ.
    pub(crate) sums: [Affine; 2],
}
