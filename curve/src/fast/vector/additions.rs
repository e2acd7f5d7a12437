//! Additions of points, sixteen at a time: the formulas and the cases of `batch`.

use super::{
    elements::{Fp16, Mask, Words, WIDTH},
    kernel::Kernel,
};
use crate::fast::{
    field::{invert_all, Fp},
    point::{vertical_sum, Affine},
};
use alloc::vec::Vec;
use core::cell::RefCell;
use std::thread_local;

/// An addition: to which place, and what.
pub(crate) type Addition = (usize, Affine);

/// Sixteen additions, and their intermediate values until the inversion is done.
#[derive(Clone)]
struct Group {
    point: Points,
    addend: Points,
    /// The divisors of the slopes; one where there is no slope.
    run: Fp16,
    /// The dividends of the slopes.
    rise: Fp16,
    /// The product of the divisors in all earlier groups.
    before: Fp16,
    /// Where there is no slope.
    vertical: Mask,
}

/// Points, coordinate by coordinate.
#[derive(Clone)]
struct Points {
    x: Fp16,
    y: Fp16,
}

/// Additions that share an inversion: enough to make it cheap, few enough to stay in the cache.
const MOST: usize = 64 * WIDTH;

thread_local! {
    /// Scratch buffer: 7 KB for each sixteen of the most additions that the thread has done at once.
    static GROUPS: RefCell<Vec<Group>> = const { RefCell::new(Vec::new()) };
}

/// `sums[at] += addend` for all additions. No two have the same place.
///
/// Cost: six products of vectors for each sixteen, seven where points are doubled, and one inversion for each [`MOST`].
pub(crate) fn add_all(kernel: Kernel, additions: &[Addition], sums: &mut [Affine]) {
    // SAFETY: there is a kernel only where the processor has AVX-512 (F and DQ).
    unsafe { add_with_avx512(kernel, additions, sums) }
}

#[target_feature(enable = "avx512f,avx512dq")]
fn add_with_avx512(kernel: Kernel, additions: &[Addition], sums: &mut [Affine]) {
    // Not re-entrant, so the scratch buffer is free.
    GROUPS.with_borrow_mut(|groups| {
        for additions in additions.chunks(MOST) {
            let count = additions.len().div_ceil(WIDTH);
            if groups.len() < count {
                groups.resize(count, Group::ZERO);
            }
            add_groups(kernel, additions, sums, &mut groups[..count]);
        }
    });
}

#[target_feature(enable = "avx512f,avx512dq")]
fn add_groups(kernel: Kernel, additions: &[Addition], sums: &mut [Affine], groups: &mut [Group]) {
    let mut product = Fp16::ONE;
    for (group, additions) in groups.iter_mut().zip(additions.chunks(WIDTH)) {
        group.load(kernel, additions, sums);
        group.before = product;
        kernel.mul(&mut product, &group.before, &group.run);
    }
    invert(&mut product);
    let (mut inverse, mut rest) = (Fp16::ZERO, product);
    for (group, additions) in groups.iter_mut().zip(additions.chunks(WIDTH)).rev() {
        kernel.mul(&mut inverse, &rest, &group.before);
        let before = rest;
        kernel.mul(&mut rest, &before, &group.run);
        group.add(kernel, &inverse);
        group.store(additions, sums);
    }
}

impl Group {
    const ZERO: Self = Self {
        point: Points::ZERO,
        addend: Points::ZERO,
        run: Fp16::ZERO,
        rise: Fp16::ZERO,
        before: Fp16::ZERO,
        vertical: 0,
    };

    /// Takes both points of each addition, zeros if fewer than sixteen, and computes run and rise.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn load(&mut self, kernel: Kernel, additions: &[Addition], sums: &[Affine]) {
        self.point.set(additions.iter().map(|(at, _)| &sums[*at]));
        self.addend.set(additions.iter().map(|(_, addend)| addend));
        let Self { point, addend, .. } = self;
        let any_zero = point.are_zero() | addend.are_zero();
        let same_x = point.x.equals(&addend.x);
        let doubling = if same_x == 0 {
            0
        } else {
            same_x & point.y.equals(&addend.y) & !any_zero
        };
        self.vertical = any_zero | same_x & !doubling;
        self.run.set_difference(&addend.x, &point.x);
        self.rise.set_difference(&addend.y, &point.y);
        if doubling != 0 {
            let (mut square, mut twice) = (Fp16::ZERO, Fp16::ZERO);
            twice.set_sum(&point.y, &point.y);
            self.run.replace(doubling, &twice);
            kernel.mul(&mut square, &point.x, &point.x);
            twice.set_sum(&square, &square);
            let mut thrice = Fp16::ZERO;
            thrice.set_sum(&twice, &square);
            self.rise.replace(doubling, &thrice);
        }
        if self.vertical != 0 {
            self.run.replace(self.vertical, &Fp16::ONE);
        }
    }

    /// Turns the addends into the sums, given the inverses of the runs. Results of vertical lines are meaningless.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn add(&mut self, kernel: Kernel, inverses: &Fp16) {
        let Self { point, addend, .. } = self;
        let (mut slope, mut square, mut both) = (Fp16::ZERO, Fp16::ZERO, Fp16::ZERO);
        kernel.mul(&mut slope, inverses, &self.rise);
        kernel.mul(&mut square, &slope, &slope);
        both.set_sum(&point.x, &addend.x);
        addend.x.set_difference(&square, &both);
        addend.x.reduce();
        let (mut back, mut product) = (both, square);
        back.set_difference(&point.x, &addend.x);
        kernel.mul(&mut product, &slope, &back);
        addend.y.set_difference(&product, &point.y);
    }

    /// Puts the sums into their places.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn store(&self, additions: &[Addition], sums: &mut [Affine]) {
        let (mut x, mut y) = (Words::ZERO, Words::ZERO);
        self.addend.x.canonical(&mut x);
        self.addend.y.canonical(&mut y);
        for (lane, (at, addend)) in additions.iter().enumerate() {
            let sum = &mut sums[*at];
            *sum = if self.vertical >> lane & 1 == 1 {
                vertical_sum(sum, addend)
            } else {
                Affine {
                    x: x.get(lane),
                    y: y.get(lane),
                }
            };
        }
    }
}

impl Points {
    const ZERO: Self = Self {
        x: Fp16::ZERO,
        y: Fp16::ZERO,
    };

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn set<'a>(&mut self, list: impl Iterator<Item = &'a Affine>) {
        let (mut x, mut y) = (Words::ZERO, Words::ZERO);
        for (lane, point) in list.enumerate() {
            x.set(lane, &point.x);
            y.set(lane, &point.y);
        }
        self.x.set_words(&x);
        self.y.set_words(&y);
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn are_zero(&self) -> Mask {
        self.x.equals(&Fp16::ZERO) & self.y.equals(&Fp16::ZERO)
    }
}

/// Inverts sixteen short elements.
#[target_feature(enable = "avx512f,avx512dq")]
fn invert(vector: &mut Fp16) {
    let mut words = Words::ZERO;
    vector.canonical(&mut words);
    let mut elements: [Fp; WIDTH] = core::array::from_fn(|lane| words.get(lane));
    invert_all(&mut elements, &mut Vec::with_capacity(WIDTH));
    for (lane, element) in elements.iter().enumerate() {
        words.set(lane, element);
    }
    vector.set_words(&words);
}
