//! Multiplication without tables, for a point that is used once, together with its subgroup check: one chain of doublings
//! serves both.
//!
//! `P` is in G1 exactly when `φ(P) = −[z²]P` (Scott, eprint 2021/1130). Computing `[z²]P` takes `2^i·P` for
//! `i < 64` and `2^i·[z]P` for `i < 64`, and these are all that a product needs when its scalar is written in base
//! `|z|`: `(d0 + d2·z²)·P` from the first run, `(d1 + d3·z²)·[z]P` from the second, where `[z²]` is `−φ`. Digits
//! are taken from the lowest on (Yao), so that the sums by digit grow as the chain does.

use super::{
    batch::Additions,
    point::{to_affine, Affine, Jacobian, ZERO},
};
use crate::{
    digits::{self, BaseZ, LONG_NAF_STEPS, NAF_STEPS, Z_BITS},
    traits::Weight,
};
use alloc::{vec, vec::Vec};
use core::iter::successors;

/// Bits of a digit of [`mul`], and how many odd multiples it chooses from.
const WINDOW: u32 = 5;
const ODD: usize = 1 << (WINDOW - 2);

/// Digits are 1, 3, 5 and 7 in absolute value.
type Naf = digits::Naf<4>;
const BUCKETS: usize = 4;

/// `scalar · point`, or `None` when the point, which is on the curve and not zero, is not in the subgroup.
///
/// Cost: 128 doublings, about 70 additions.
pub(crate) fn mul_checked(point: &Affine, scalar: &BaseZ) -> Option<Jacobian> {
    let BaseZ([d0, d1, d2, d3]) = *scalar;
    let mut buckets = [Jacobian::ZERO; BUCKETS];
    let times_z = run_and_times_z((*point).into(), [d0, d2], &mut buckets);
    let times_z2 = run_and_times_z(times_z, [d1, d3], &mut buckets);
    times_z2
        .equals(&point.mul_z2().into())
        .then(|| weighted(&buckets))
}

/// `scalar · point`. Without a subgroup check, digits are
/// taken from the highest on (Straus), and additions are of affine points.
///
/// Cost: 129 doublings, about 50 additions, one inversion.
pub(crate) fn mul(point: &Affine, scalar: &BaseZ) -> Jacobian {
    let first = Jacobian::from(*point);
    let twice = first.double();
    let odd = successors(Some(first), |last| Some(last.add(&twice)));
    let odd = to_affine(&odd.take(ODD).collect::<Vec<_>>());
    let digits = scalar.halves().map(|half| {
        let mut naf = digits::Naf::<WINDOW>::new(half);
        [(); LONG_NAF_STEPS].map(|()| naf.step())
    });
    (0..LONG_NAF_STEPS).rev().fold(Jacobian::ZERO, |sum, at| {
        let mut sum = sum.double();
        for (half, digits) in digits.iter().enumerate() {
            if let Some(digit) = digits[at] {
                let multiple = odd[digit.bucket].neg_if(digit.is_negative);
                sum = sum.add_affine(&if half == 0 {
                    multiple
                } else {
                    multiple.mul_z2()
                });
            }
        }
        sum
    })
}

/// `weight · point`.
///
/// Cost: 64 doublings, about 30 additions.
pub(crate) fn times_weight(point: &Affine, weight: Weight) -> Jacobian {
    let mut buckets = [Jacobian::ZERO; BUCKETS];
    run((*point).into(), weight, &mut buckets, |_, _| ());
    weighted(&buckets)
}

/// `scalar · point`.
///
/// Cost: 128 doublings, about 30 additions.
pub(crate) fn mul_short(point: &Affine, scalar: u128) -> Jacobian {
    let mut naf = Naf::new(scalar);
    let mut buckets = [Jacobian::ZERO; BUCKETS];
    let mut power = Jacobian::from(*point);
    for step in 0..LONG_NAF_STEPS {
        if let Some(digit) = naf.step() {
            let bucket = &mut buckets[digit.bucket];
            *bucket = bucket.add(&power.neg_if(digit.is_negative));
        }
        if step + 1 < LONG_NAF_STEPS {
            power = power.double();
        }
    }
    weighted(&buckets)
}

/// [`run`], and `[|z|]` of the point.
fn run_and_times_z(
    point: Jacobian,
    digits: [u64; SETS],
    buckets: &mut [Jacobian; BUCKETS],
) -> Jacobian {
    let mut times_z = Jacobian::ZERO;
    run(point, digits, buckets, |step, power| {
        if Z_BITS.contains(&step) {
            times_z = times_z.add(power);
        }
    });
    times_z
}

/// Doubles `point` 64 times, shows each power, and adds the digits' selections to the buckets: for the first number
/// from the powers, for the second from `[z²]` times the powers.
fn run(
    point: Jacobian,
    digits: [u64; SETS],
    buckets: &mut [Jacobian; BUCKETS],
    mut show: impl FnMut(usize, &Jacobian),
) {
    let mut digits = digits.map(Naf::new);
    let mut power = point;
    for step in 0..NAF_STEPS {
        for (half, naf) in digits.iter_mut().enumerate() {
            let Some(digit) = naf.step() else { continue };
            let addend = if half == 0 { power } else { power.mul_z2() };
            let bucket = &mut buckets[digit.bucket];
            *bucket = bucket.add(&addend.neg_if(digit.is_negative));
        }
        show(step, &power);
        if step + 1 < NAF_STEPS {
            power = power.double();
        }
    }
}

/// `Σ (2i + 1)·buckets[i]`.
fn weighted(buckets: &[Jacobian; BUCKETS]) -> Jacobian {
    let mut running = Jacobian::ZERO;
    let mut sum = Jacobian::ZERO;
    for bucket in buckets.iter().skip(1).rev() {
        running = running.add(bucket);
        sum = sum.add(&running);
    }
    sum.double().add(&running.add(&buckets[0]))
}

/// [`mul_checked`] of many points in one batch.
///
/// Returns the products, and whether each point is in the subgroup. The products of points outside are meaningless.
pub(crate) fn mul_checked_all(
    points: &[Affine],
    scalars: &[BaseZ],
    additions: &mut Additions,
) -> (Vec<Affine>, Vec<bool>) {
    let count = points.len();
    let mut work = Work::new(points);
    let digits = |of: [usize; SETS]| scalars.iter().map(move |scalar| of.map(|at| scalar.0[at]));
    work.run(digits([0, 2]), &Z_BITS, additions);
    work.points.copy_within(count..2 * count, 0);
    work.points[count..2 * count].fill(ZERO);
    work.run(digits([1, 3]), &Z_BITS, additions);
    let are_in_subgroup = points
        .iter()
        .zip(&work.points[count..2 * count])
        .map(|(point, times_z2)| *times_z2 == point.mul_z2())
        .collect();
    (work.products(additions), are_in_subgroup)
}

/// [`times_weight`] of many points in one batch; they may be zero.
pub(crate) fn times_weights(
    points: &[Affine],
    weights: &[Weight],
    additions: &mut Additions,
) -> Vec<Affine> {
    let mut work = Work::new(points);
    work.run(weights.iter().copied(), &[], additions);
    work.products(additions)
}

/// Numbers whose digits a run takes; the second is multiplied by `[z²]`. In a batch each has buckets of its own,
/// so that `[z²]` is applied once.
const SETS: usize = 2;

/// The points that many products are computed with: the powers, the sums that become `[z]` of the points, the buckets of
/// the first point, those of the second, and so on.
struct Work {
    count: usize,
    points: Vec<Affine>,
}

impl Work {
    fn new(points: &[Affine]) -> Self {
        let count = points.len();
        let mut all = vec![ZERO; count * (2 + SETS * BUCKETS)];
        all[..count].copy_from_slice(points);
        Self { count, points: all }
    }

    /// [`run`] for all. The powers of these bits are added up beside.
    fn run(
        &mut self,
        digits: impl Iterator<Item = [u64; SETS]>,
        bits: &[usize],
        additions: &mut Additions,
    ) {
        let buckets = 2 * self.count;
        let mut digits: Vec<_> = digits.map(|digits| digits.map(Naf::new)).collect();
        for step in 0..NAF_STEPS {
            for (index, digits) in digits.iter_mut().enumerate() {
                let power = self.points[index];
                for (set, naf) in digits.iter_mut().enumerate() {
                    let Some(digit) = naf.step() else { continue };
                    let bucket = (index * SETS + set) * BUCKETS + digit.bucket;
                    additions.push(buckets + bucket, power.neg_if(digit.is_negative));
                }
                if bits.contains(&step) {
                    additions.push(self.count + index, power);
                }
            }
            // Doublings stay together: vectors do either these or additions.
            if step + 1 < NAF_STEPS {
                for index in 0..self.count {
                    additions.push(index, self.points[index]);
                }
            }
            additions.flush(&mut self.points);
        }
    }

    /// [`weighted`] for all.
    fn products(&self, additions: &mut Additions) -> Vec<Affine> {
        let buckets = &self.points[2 * self.count..];
        let groups = self.count * SETS;
        let push =
            |additions: &mut Additions, offset: usize, points: &mut dyn Iterator<Item = Affine>| {
                (offset..)
                    .zip(points)
                    .for_each(|(at, point)| additions.push(at, point));
            };
        let column = |at: usize| buckets.iter().skip(at).step_by(BUCKETS).copied();
        // The running sums, then the sums of those.
        let mut sums = vec![ZERO; 2 * groups];
        for at in (1..BUCKETS).rev() {
            push(additions, 0, &mut column(at));
            additions.flush(&mut sums);
            let running = sums[..groups].to_vec();
            push(additions, groups, &mut running.into_iter());
            additions.flush(&mut sums);
        }
        let doubled = sums[groups..].to_vec();
        push(additions, 0, &mut column(0));
        push(additions, groups, &mut doubled.into_iter());
        additions.flush(&mut sums);
        let running = sums[..groups].to_vec();
        push(additions, groups, &mut running.into_iter());
        additions.flush(&mut sums);
        let mut products: Vec<_> = sums[groups..].iter().step_by(SETS).copied().collect();
        let of_z2 = sums[groups..].iter().skip(1).step_by(SETS);
        push(additions, 0, &mut of_z2.map(Affine::mul_z2));
        additions.flush(&mut products);
        products
    }
}
