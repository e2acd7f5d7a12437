//! Sums of many points, and of some of the same points again and again.
//!
//! Every proof of a set asks for the sum of those keys whose owners did, or did not, sign. Split the keys into groups
//! of eight and keep the sum of every subset of a group: a proof then takes one addition for each group instead
//! of one for each key. Making these tables takes 31 additions for each key, so they are made when the additions that
//! they would have saved so far have come to as many: nobody who checks a few proofs pays for them, and nobody
//! takes more than twice the additions of somebody who knew beforehand how many proofs would come.
//!
//! Those who are away mostly stay away. So the last sum is kept too, and where that takes fewer additions, the next one
//! begins with it and adds or takes off the keys in which they differ.

use super::{
    super::{is_set, places, some},
    lanes::{Lanes, ZERO},
    normal,
    point::{Affine, Jacobian},
    LANES, MIN_LANES,
};
use alloc::{vec, vec::Vec};
use blst::blst_p1_affine;
use std::sync::{
    atomic::{AtomicUsize, Ordering},
    Arc, Mutex, OnceLock,
};

/// The sum of points, which may be zero, equal or opposite.
pub(crate) fn sum(mut points: impl Iterator<Item = Affine>) -> blst_p1_affine {
    let mut sums: Vec<_> = points.by_ref().take(LANES).collect();
    let mut lanes = Lanes::before_scalars();
    let mut at = 0;
    for point in points {
        lanes.push(at, point);
        at += 1;
        if at == sums.len() {
            lanes.flush(&mut sums);
            at = 0;
        }
    }
    lanes.flush(&mut sums);
    while sums.len() > MIN_LANES {
        let rest = sums.split_off(sums.len().div_ceil(2));
        for (at, point) in rest.into_iter().enumerate() {
            lanes.push(at, point);
        }
        lanes.flush(&mut sums);
    }
    let last = sums.iter().filter(|point| !point.is_zero());
    normal(last.fold(Jacobian::ZERO, |sum, point| sum.add_affine(point)))
}

/// What the kept sums of a set may take.
const BYTES: usize = 40 << 20;

/// Points in a group, from the largest on: the first with which a list fits into [`BYTES`] is taken. Sums of larger
/// lists are not kept.
const WIDTHS: [usize; 3] = [8, 4, 2];

/// Groups whose tables are made in step.
const GROUPS_IN_STEP: usize = 16;

/// What is kept of the sums of some of one list of points, shared by its copies; nothing at first.
#[derive(Clone, Debug, Default)]
pub struct Sums(Arc<Kept>);

#[derive(Debug, Default)]
struct Kept {
    /// Additions that tables would have saved.
    missed: AtomicUsize,
    subsets: OnceLock<Option<Subsets>>,
    last: Mutex<Option<Last>>,
}

/// A sum, and of which points.
#[derive(Debug)]
struct Last {
    selected: Vec<u8>,
    sum: blst_p1_affine,
}

impl Last {
    /// The points in which another sum differs from this one.
    fn differences(&self, selected: &[u8]) -> Vec<u8> {
        let mut differing = self.selected.clone();
        differing.resize(selected.len().max(differing.len()), 0);
        differing
            .iter_mut()
            .zip(selected)
            .for_each(|(byte, selected)| *byte ^= selected);
        differing
    }

    /// The sum that differs in these points from this one.
    fn next<P>(
        &self,
        list: &[P],
        point: fn(&P) -> &blst_p1_affine,
        differing: &[u8],
    ) -> blst_p1_affine {
        let changes = places(differing).map_while(|place| {
            let changed = Affine::from_blst(point(list.get(place)?));
            Some(changed.neg_if(is_set(&self.selected, place)))
        });
        sum(core::iter::once(Affine::from_blst(&self.sum)).chain(changes))
    }
}

/// How many bits are set.
fn ones(bytes: &[u8]) -> usize {
    bytes.iter().map(|byte| byte.count_ones() as usize).sum()
}

impl Sums {
    /// The sum of those whose bits are set in `selected`.
    pub(crate) fn sum_of_some<P>(
        &self,
        list: &[P],
        point: fn(&P) -> &blst_p1_affine,
        selected: &[u8],
    ) -> blst_p1_affine {
        // Who finds it taken does without it.
        let mut last = self.0.last.try_lock().ok();
        let nearby = last.as_deref().and_then(Option::as_ref).and_then(|last| {
            let differing = last.differences(selected);
            (ones(&differing) < self.terms(selected)).then_some((last, differing))
        });
        let sum = match nearby {
            Some((last, differing)) => last.next(list, point, &differing),
            None => self.sum_anew(list, point, selected),
        };
        if let Some(last) = last.as_deref_mut() {
            *last = Some(Last {
                selected: selected.to_vec(),
                sum,
            });
        }
        sum
    }

    /// How many terms a sum has that does not begin with the last one.
    fn terms(&self, selected: &[u8]) -> usize {
        match self.0.subsets.get() {
            Some(Some(subsets)) => groups(selected, subsets.width).count(),
            _ => ones(selected),
        }
    }

    fn sum_anew<P>(
        &self,
        list: &[P],
        point: fn(&P) -> &blst_p1_affine,
        selected: &[u8],
    ) -> blst_p1_affine {
        let affine = |entry: &P| Affine::from_blst(point(entry));
        match self.0.subsets.get() {
            Some(Some(subsets)) => return sum(subsets.terms(selected)),
            // They do not fit.
            Some(None) => {}
            None if self.is_due(list.len(), selected) => {
                let points: Vec<_> = list.iter().map(affine).collect();
                let subsets = self.0.subsets.get_or_init(|| Subsets::of(&points));
                return match subsets {
                    Some(subsets) => sum(subsets.terms(selected)),
                    None => sum(some(&points, selected).copied()),
                };
            }
            None => {}
        }
        // Finding them first lets the processor fetch many at once.
        let entries: Vec<_> = some(list, selected).collect();
        sum(entries.into_iter().map(affine))
    }

    /// Counts what tables would have saved of this sum, and says whether they are worth making now.
    fn is_due(&self, len: usize, selected: &[u8]) -> bool {
        let Some(width) = width(len) else {
            return false;
        };
        let saved = ones(selected).saturating_sub(groups(selected, width).count());
        let missed = self.0.missed.fetch_add(saved, Ordering::Relaxed);
        missed.saturating_add(saved) >= len.div_ceil(width) * ((1 << width) - width - 1)
    }

    #[cfg(test)]
    pub(super) fn are_kept(&self) -> bool {
        matches!(self.0.subsets.get(), Some(Some(_)))
    }
}

/// How wide the groups of so many points are, if they fit at all.
pub(super) fn width(len: usize) -> Option<usize> {
    let bytes = |width: usize| len.div_ceil(width) * (size_of::<Affine>() << width);
    WIDTHS.into_iter().find(|width| bytes(*width) <= BYTES)
}

/// The groups of which something is selected, and what.
fn groups(selected: &[u8], width: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    let in_byte = 8 / width;
    let mask = (1 << width) - 1;
    selected
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte != 0)
        .flat_map(move |(at, byte)| {
            (0..in_byte).map(move |part| {
                let subset = usize::from(*byte) >> (part * width) & mask;
                (at * in_byte + part, subset)
            })
        })
        .filter(|(_, subset)| *subset != 0)
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
        let mut lanes = Lanes::default();
        let in_step = points.chunks(width * GROUPS_IN_STEP);
        for (points, sums) in in_step.zip(sums.chunks_mut(size * GROUPS_IN_STEP)) {
            for bit in 0..width {
                for (group, points) in points.chunks(width).enumerate() {
                    let first = group * size;
                    for without in first..first + (1 << bit) {
                        let with = without + (1 << bit);
                        sums[with] = sums[without];
                        if let Some(point) = points.get(bit) {
                            lanes.push(with, *point);
                        }
                    }
                }
                lanes.flush(sums);
            }
        }
        Self { width, sums }
    }

    /// What adds up to the sum of those whose bits are set. Those beyond the points count for nothing.
    pub(super) fn terms<'a>(&'a self, selected: &'a [u8]) -> impl Iterator<Item = Affine> + 'a {
        groups(selected, self.width)
            .filter_map(|(group, subset)| self.sums.get((group << self.width) + subset).copied())
    }
}
