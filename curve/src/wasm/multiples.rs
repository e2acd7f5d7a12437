//! Sums of multiples of points, which share their doublings. (Straus)
//!
//! They are right for any points of the curve, where `[z²]` stands for `−φ`, which it is on G1.

use super::{
    fp::Fp,
    point::{to_affine, Affine, Jacobian},
};
use crate::digits::{BaseZ, Naf, LONG_NAF_STEPS};
use alloc::vec::Vec;
use ark_bls12_381::g1;

/// The cube root of one for which `φ(P) = −[z²]P` on G1.
const BETA: Fp = Fp::from_ark(g1::BETA);

/// `−φ(P)`, which is `[z²]P` for points of G1. Cost: one multiplication in `Fp`.
pub(super) const fn times_z2(point: &Affine<Fp>) -> Affine<Fp> {
    Affine {
        x: point.x.mul(BETA),
        y: point.y.neg(),
    }
}

/// Bits of a window.
const WINDOW: u32 = 5;
/// The odd multiples that a window selects from.
const ODD: usize = 1 << (WINDOW - 2);

/// `P, 3·P, 5·P, …` and `[z²]` of them. Those of a point of order 3 or 11 hold zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Multiples<const N: usize> {
    pub(super) own: [Affine<Fp>; N],
    pub(super) times_z2: [Affine<Fp>; N],
}

impl Multiples<ODD> {
    /// Of these points, with one inversion for all.
    pub(super) fn of(points: &[Jacobian<Fp>]) -> Vec<Self> {
        let mut all = Vec::with_capacity(ODD * points.len());
        for point in points {
            let twice = point.double();
            let mut multiple = *point;
            all.push(multiple);
            for _ in 1..ODD {
                multiple = multiple.add(&twice);
                all.push(multiple);
            }
        }
        to_affine(&all)
            .chunks_exact(ODD)
            .map(|chunk| {
                let mut own = [Affine::ZERO; ODD];
                own.copy_from_slice(chunk);
                Self {
                    times_z2: own.each_ref().map(times_z2),
                    own,
                }
            })
            .collect()
    }

    /// `scalar·P`, as terms of a sum.
    pub(super) fn times(&self, scalar: &BaseZ) -> [Term<'_>; 2] {
        let [low, high] = scalar.halves();
        [
            Term::new::<WINDOW>(&self.own, low),
            Term::new::<WINDOW>(&self.times_z2, high),
        ]
    }

    /// The same with a scalar that is not split.
    pub(super) fn times_short(&self, scalar: u128) -> Term<'_> {
        Term::new::<WINDOW>(&self.own, scalar)
    }
}

/// Multiples of a point and of `[|z|]` of it, which halve the doublings, for digits of windows of `W` bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quarters<const N: usize, const W: u32>(pub(super) [Multiples<N>; 2]);

/// Multiples that are computed when they are needed.
pub(super) type Few = Quarters<ODD, WINDOW>;

impl Few {
    /// Of a point and of `[|z|]` of it.
    pub(super) fn of(point: Jacobian<Fp>, times_z: Jacobian<Fp>) -> Option<Self> {
        match Multiples::of(&[point, times_z])[..] {
            [own, times_z] => Some(Self([own, times_z])),
            _ => None,
        }
    }
}

impl<const N: usize, const W: u32> Quarters<N, W> {
    /// `scalar·P`, as terms of a sum.
    pub(super) fn times(&self, scalar: &BaseZ) -> [Term<'_>; 4] {
        const { assert!(N == 1 << (W - 2)) }
        let [own, times_z] = &self.0;
        let [d0, d1, d2, d3] = scalar.0.map(u128::from);
        [
            Term::new::<W>(&own.own, d0),
            Term::new::<W>(&times_z.own, d1),
            Term::new::<W>(&own.times_z2, d2),
            Term::new::<W>(&times_z.times_z2, d3),
        ]
    }
}

/// One product of a sum.
pub(super) struct Term<'a> {
    odd: &'a [Affine<Fp>],
    digits: [i8; LONG_NAF_STEPS],
    len: usize,
}

impl<'a> Term<'a> {
    fn new<const W: u32>(odd: &'a [Affine<Fp>], scalar: u128) -> Self {
        let mut naf = Naf::<W>::new(scalar);
        let (mut digits, mut len) = ([0; LONG_NAF_STEPS], 0);
        for (at, place) in digits.iter_mut().enumerate() {
            if let Some(digit) = naf.step() {
                let odd = i8::try_from(2 * digit.bucket + 1).unwrap_or(i8::MAX);
                *place = if digit.is_negative { -odd } else { odd };
                len = at + 1;
            }
        }
        Self { odd, digits, len }
    }
}

/// The sum of these products.
pub(super) fn sum<'a>(terms: impl IntoIterator<Item = Term<'a>>) -> Jacobian<Fp> {
    let terms: Vec<_> = terms.into_iter().collect();
    let len = terms.iter().map(|term| term.len).max().unwrap_or(0);
    let mut sum = Jacobian::ZERO;
    for at in (0..len).rev() {
        sum = sum.double();
        for term in &terms {
            let digit = term.digits[at];
            if digit == 0 {
                continue;
            }
            let multiple = &term.odd[usize::from(digit.unsigned_abs() / 2)];
            sum = if digit < 0 {
                sum.add_affine(&multiple.neg())
            } else {
                sum.add_affine(multiple)
            };
        }
    }
    sum
}
