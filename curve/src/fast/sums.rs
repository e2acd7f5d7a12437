//! Sums of points, and cached subset sums of lists that are added up repeatedly.
//!
//! Every proof of a set needs the sum of the signers' or the non-signers' keys. The keys are split into groups of
//! eight, and the sum of every subset of a group is cached: a proof then takes one addition for each group instead of
//! one for each key. Making these tables takes 31 additions for each key. They are made as soon as they would have
//! saved as many additions as they cost: a node that checks a few proofs does not pay for them, and no node does more
//! than twice the additions that it would need if it knew the number of proofs beforehand.
//!
//! The set of non-signers rarely changes. So the last sum is cached too, and where that takes fewer additions, the next one
//! starts from it and adds or subtracts the keys in which they differ.

use super::{
    batch::{Additions, BATCH, MIN_BATCH},
    point::{Affine, Jacobian, ZERO},
};
use crate::selection::{is_set, selected, set_bits};
use alloc::{vec, vec::Vec};
use blst::blst_p1_affine;
use std::sync::{
    atomic::{AtomicUsize, Ordering},
    Arc, Mutex, OnceLock,
};

/// The sum of points, which may be zero, equal or opposite.
pub(crate) fn sum(mut points: impl Iterator<Item = Affine>) -> blst_p1_affine {
    let mut sums: Vec<_> = points.by_ref().take(BATCH).collect();
    let mut additions = Additions::before_scalar_code();
    let mut at = 0;
    for point in points {
        additions.push(at, point);
        at += 1;
        if at == sums.len() {
            additions.flush(&mut sums);
            at = 0;
        }
    }
    additions.flush(&mut sums);
    while sums.len() > MIN_BATCH {
        let rest = sums.split_off(sums.len().div_ceil(2));
        for (at, point) in rest.into_iter().enumerate() {
            additions.push(at, point);
        }
        additions.flush(&mut sums);
    }
    sums.iter()
        .fold(Jacobian::ZERO, |sum, point| sum.add_affine(point))
        .to_affine()
        .to_blst()
}

/// The most that the cached sums of a set may take.
const BYTES: usize = 40 << 20;

/// Points in a group, the largest first: the first is taken with which a list fits into [`BYTES`]. Subset sums of larger
/// lists are not cached.
const WIDTHS: [usize; 3] = [8, 4, 2];

/// Groups whose tables are made in one batch.
const GROUPS_IN_BATCH: usize = 16;

/// Cached subset sums of one list of points, shared by its copies; none at first.
#[derive(Clone, Debug, Default)]
pub struct SubsetCache(Arc<Cache>);

#[derive(Debug, Default)]
struct Cache {
    /// Additions that tables would have saved.
    missed: AtomicUsize,
    subsets: OnceLock<Option<Subsets>>,
    last: Mutex<Option<Last>>,
}

/// A sum, and the subset of its points.
#[derive(Debug)]
struct Last {
    subset: Vec<u8>,
    sum: blst_p1_affine,
}

impl Last {
    /// The points in which another sum differs from this one.
    fn differences(&self, subset: &[u8]) -> Vec<u8> {
        let mut differing = self.subset.clone();
        differing.resize(subset.len().max(differing.len()), 0);
        differing
            .iter_mut()
            .zip(subset)
            .for_each(|(byte, other)| *byte ^= other);
        differing
    }

    /// The sum that differs in these points from this one.
    fn next<P>(
        &self,
        list: &[P],
        point: fn(&P) -> &blst_p1_affine,
        differing: &[u8],
    ) -> blst_p1_affine {
        let changes = set_bits(differing).map_while(|index| {
            let changed = Affine::from_blst(point(list.get(index)?));
            Some(changed.neg_if(is_set(&self.subset, index)))
        });
        sum(core::iter::once(Affine::from_blst(&self.sum)).chain(changes))
    }
}

/// How many bits are set.
fn ones(bytes: &[u8]) -> usize {
    bytes.iter().map(|byte| byte.count_ones() as usize).sum()
}

impl SubsetCache {
    /// The sum of the points whose bits are set in `subset`.
    pub(crate) fn sum_of<P>(
        &self,
        list: &[P],
        point: fn(&P) -> &blst_p1_affine,
        subset: &[u8],
    ) -> blst_p1_affine {
        // A thread that finds it locked does without it.
        let mut last = self.0.last.try_lock().ok();
        let near = last.as_deref().and_then(Option::as_ref).and_then(|last| {
            let differing = last.differences(subset);
            (ones(&differing) < self.terms(subset)).then_some((last, differing))
        });
        let sum = match near {
            Some((last, differing)) => last.next(list, point, &differing),
            None => self.sum_from_scratch(list, point, subset),
        };
        if let Some(last) = last.as_deref_mut() {
            *last = Some(Last {
                subset: subset.to_vec(),
                sum,
            });
        }
        sum
    }

    /// How many terms a sum has that does not start from the last one.
    fn terms(&self, subset: &[u8]) -> usize {
        match self.0.subsets.get() {
            Some(Some(subsets)) => groups(subset, subsets.width).count(),
            _ => ones(subset),
        }
    }

    fn sum_from_scratch<P>(
        &self,
        list: &[P],
        point: fn(&P) -> &blst_p1_affine,
        subset: &[u8],
    ) -> blst_p1_affine {
        let affine = |entry: &P| Affine::from_blst(point(entry));
        match self.0.subsets.get() {
            Some(Some(subsets)) => return sum(subsets.terms(subset)),
            // They do not fit.
            Some(None) => {}
            None if self.is_due(list.len(), subset) => {
                let points: Vec<_> = list.iter().map(affine).collect();
                let subsets = self.0.subsets.get_or_init(|| Subsets::of(&points));
                return match subsets {
                    Some(subsets) => sum(subsets.terms(subset)),
                    None => sum(selected(&points, subset).copied()),
                };
            }
            None => {}
        }
        // Finding them first lets the processor fetch many at once.
        let entries: Vec<_> = selected(list, subset).collect();
        sum(entries.into_iter().map(affine))
    }

    /// Adds what tables would have saved of this sum, and returns whether it is time to make them.
    fn is_due(&self, len: usize, subset: &[u8]) -> bool {
        let Some(width) = width(len) else {
            return false;
        };
        let saved = ones(subset).saturating_sub(groups(subset, width).count());
        let missed = self.0.missed.fetch_add(saved, Ordering::Relaxed);
        missed.saturating_add(saved) >= len.div_ceil(width) * ((1 << width) - width - 1)
    }

    #[cfg(test)]
    pub(super) fn are_cached(&self) -> bool {
        matches!(self.0.subsets.get(), Some(Some(_)))
    }
}

/// How wide the groups of so many points are, if they fit at all.
pub(super) fn width(len: usize) -> Option<usize> {
    let bytes = |width: usize| len.div_ceil(width) * (size_of::<Affine>() << width);
    WIDTHS.into_iter().find(|width| bytes(*width) <= BYTES)
}

/// The groups of which something is selected, each with the bits of its subset.
fn groups(subset: &[u8], width: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    let in_byte = 8 / width;
    let mask = (1 << width) - 1;
    subset
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte != 0)
        .flat_map(move |(at, byte)| {
            (0..in_byte).map(move |part| {
                let bits = usize::from(*byte) >> (part * width) & mask;
                (at * in_byte + part, bits)
            })
        })
        .filter(|(_, bits)| *bits != 0)
}

/// The sum of every subset of every group, the empty one included, so that a subset's bits are its place.
#[derive(Debug)]
pub(super) struct Subsets {
    width: usize,
    sums: Vec<Affine>,
}

impl Subsets {
    fn of(points: &[Affine]) -> Option<Self> {
        width(points.len()).map(|width| Self::new(points, width))
    }

    /// Cost: an addition for each sum.
    pub(super) fn new(points: &[Affine], width: usize) -> Self {
        let size = 1 << width;
        let mut sums = vec![ZERO; points.len().div_ceil(width) * size];
        let mut additions = Additions::default();
        let batches = points.chunks(width * GROUPS_IN_BATCH);
        for (points, sums) in batches.zip(sums.chunks_mut(size * GROUPS_IN_BATCH)) {
            for bit in 0..width {
                for (group, points) in points.chunks(width).enumerate() {
                    let first = group * size;
                    for without in first..first + (1 << bit) {
                        let with = without + (1 << bit);
                        sums[with] = sums[without];
                        if let Some(point) = points.get(bit) {
                            additions.push(with, *point);
                        }
                    }
                }
                additions.flush(sums);
            }
        }
        Self { width, sums }
    }

    /// Terms whose sum is that of the points whose bits are set. Bits beyond the list are ignored.
    pub(super) fn terms<'a>(&'a self, subset: &'a [u8]) -> impl Iterator<Item = Affine> + 'a {
        groups(subset, self.width)
            .filter_map(|(group, bits)| self.sums.get((group << self.width) + bits).copied())
    }
}
