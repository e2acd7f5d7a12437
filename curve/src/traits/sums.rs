//! Sums of points, and of subsets of a list of points.

use super::groups::Groups;
use crate::selection::selected;
use alloc::vec::Vec;
use core::{fmt::Debug, ops::Deref};

/// Additions of public points.
pub trait Sums: Groups {
    /// The back end's cache of subset sums of one list, to make the next sum cheaper. The default is the empty cache.
    type SubsetCache: Clone + Debug + Default + Send + Sync;

    /// The sum of points; zero for none.
    fn g1_sum(points: &[&Self::G1]) -> Self::G1;
    /// `a − b`.
    fn g1_sub(a: &Self::G1, b: &Self::G1) -> Self::G1;
    /// The sum of points; zero for none.
    fn g2_sum(points: &[&Self::G2]) -> Self::G2;

    /// [`PointList::sum_of`], which is the only caller: a cache belongs to one list.
    #[doc(hidden)]
    fn g1_sum_of_subset<P>(
        list: &[P],
        point: fn(&P) -> &Self::G1,
        subset: &[u8],
        _cache: &Self::SubsetCache,
    ) -> Self::G1 {
        Self::g1_sum(&selected(list, subset).map(point).collect::<Vec<_>>())
    }
}

/// A list of entries with a point of G1 each, whose subsets are added up repeatedly.
///
/// Copies share the back end's cache.
#[derive(Clone, Debug)]
pub struct PointList<C: Sums, P> {
    entries: Vec<P>,
    point: fn(&P) -> &C::G1,
    cache: C::SubsetCache,
}

impl<C: Sums, P> PointList<C, P> {
    /// A list of these entries, each with the point that `point` finds in it.
    pub fn new(entries: Vec<P>, point: fn(&P) -> &C::G1) -> Self {
        Self {
            entries,
            point,
            cache: C::SubsetCache::default(),
        }
    }

    /// The sum of all points.
    pub fn sum(&self) -> C::G1 {
        C::g1_sum(&self.entries.iter().map(self.point).collect::<Vec<_>>())
    }

    /// The sum of the points whose bits are set in `subset`, the lowest bit of the first byte first. Bits beyond the list
    /// are ignored.
    pub fn sum_of(&self, subset: &[u8]) -> C::G1 {
        C::g1_sum_of_subset(&self.entries, self.point, subset, &self.cache)
    }
}

impl<C: Sums, P> Deref for PointList<C, P> {
    type Target = [P];

    fn deref(&self) -> &[P] {
        &self.entries
    }
}
