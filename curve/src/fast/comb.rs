//! Multiplication with tables, for a point that is multiplied repeatedly: a signed comb.
//!
//! Half of a scalar, an odd `k` below `2^128`, is written with the digits ±1 only, in rows of `columns` bits. The
//! bits of one column, one from each row (a tooth), select one point of a table of `2^(teeth − 1)`; the sign of
//! the highest tooth is taken out of it. With `blocks` such tables, each for another part of the columns, all but
//! `columns / blocks − 1` doublings are in the tables. The other half of the scalar uses the same tables through
//! the endomorphism.

use super::{
    batch::Additions,
    point::{to_affine, Affine, Jacobian, ZERO},
};
use crate::{
    digits::{BaseZ, Naf, LONG_NAF_STEPS},
    parameters::Z,
};
use alloc::{vec, vec::Vec};
use core::{hint::black_box, iter::successors};

/// The size of a comb: memory against the cost of a multiplication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    teeth: usize,
    columns: usize,
    blocks: usize,
}

impl Shape {
    /// `teeth · columns ≥ 128`, and `blocks` divides `columns`.
    pub(crate) const fn new(teeth: usize, columns: usize, blocks: usize) -> Self {
        assert!(teeth > 1 && teeth * columns >= 128 && columns.is_multiple_of(blocks));
        Self {
            teeth,
            columns,
            blocks,
        }
    }

    /// Bits of a half of a scalar that the digits make up.
    const fn bits(self) -> usize {
        self.teeth * self.columns
    }

    const fn entries(self) -> usize {
        1 << (self.teeth - 1)
    }

    /// Points in the tables.
    pub(crate) const fn points(self) -> usize {
        self.blocks * self.entries()
    }

    /// Bytes of the tables.
    pub(crate) const fn bytes(self) -> usize {
        self.points() * size_of::<Affine>()
    }

    /// Columns of each block: doublings of a multiplication, and one.
    pub(crate) const fn steps(self) -> usize {
        self.columns / self.blocks
    }
}

/// A step of a multiplication.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pass {
    /// Doubles the sum so far.
    Double,
    /// Adds the selection of a half of the scalar from a block.
    Add {
        half: usize,
        block: usize,
        step: usize,
    },
    /// Takes off what made a half odd, where it was even.
    Correct { half: usize },
}

impl Shape {
    /// The steps of a multiplication, which begins with zero.
    pub(crate) fn passes(self) -> impl Iterator<Item = Pass> {
        let additions = move |step| {
            (0..self.blocks)
                .flat_map(move |block| [0, 1].map(|half| Pass::Add { half, block, step }))
        };
        let steps = (0..self.steps()).rev().flat_map(move |step| {
            let is_first = step + 1 == self.steps();
            (!is_first)
                .then_some(Pass::Double)
                .into_iter()
                .chain(additions(step))
        });
        steps.chain([0, 1].map(|half| Pass::Correct { half }))
    }
}

/// `2^i · base` for so many `i`.
fn doubles(base: Affine, count: usize) -> Vec<Jacobian> {
    let first = Jacobian::from(base);
    successors(Some(first), |last| Some(last.double()))
        .take(count)
        .collect()
}

/// The selections of each column of both halves of a scalar from a comb.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns {
    /// The place in the block, and [`NEGATIVE`].
    selected: [[u16; MOST_COLUMNS]; 2],
    /// The halves that are present, and whether each was even.
    halves: [Option<bool>; 2],
}

/// Combs that many scalars are multiplied with have no more columns.
const MOST_COLUMNS: usize = 32;
/// Says of a place that its point is to be negated.
const NEGATIVE: u16 = 1 << 15;

/// The tables of one point.
#[derive(Debug)]
pub(crate) struct Comb {
    shape: Shape,
    base: Affine,
    table: Vec<Affine>,
}

/// Half of a scalar, ready for the columns.
#[derive(Clone, Copy, Debug)]
struct Odd {
    half: u128,
    was_even: bool,
}

impl Odd {
    fn new(half: u128) -> Self {
        Self {
            half: half | 1,
            was_even: half & 1 == 0,
        }
    }

    /// Whether the digit at this bit is +1: `k = Σ ±2^i` holds for the bits of `(k + 2^n − 1)/2`.
    #[inline(always)]
    fn is_positive(self, bit: usize, bits: usize) -> bool {
        bit + 1 == bits || (bit < 127 && (self.half >> (bit + 1)) & 1 == 1)
    }
}

/// A scalar, ready for combs of any shape. One that is short has no second half.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CombScalar([Option<Odd>; 2]);

impl CombScalar {
    pub(crate) fn new(scalar: &BaseZ) -> Self {
        Self(scalar.halves().map(|half| Some(Odd::new(half))))
    }

    pub(crate) fn short(scalar: u128) -> Self {
        Self([Some(Odd::new(scalar)), None])
    }
}

impl Comb {
    /// Makes the tables of a point. Cost: 128 doublings, one addition per point.
    pub(crate) fn new(shape: Shape, base: Affine) -> Self {
        Self::of_doubles(shape, base, &doubles(base, shape.bits()))
    }

    /// The same for a base that is on the curve and not zero; `None` if it is outside of G1. It is in G1 exactly when `φ(P) = −[z²]P` (Scott, eprint
    /// 2021/1130). The doublings are those of the tables; about 30 additions come on top.
    pub(crate) fn new_checked(shape: Shape, base: Affine) -> Option<Self> {
        let doubles = doubles(base, shape.bits().max(LONG_NAF_STEPS));
        let mut z2 = Naf::<2>::new(u128::from(Z) * u128::from(Z));
        let times_z2 = doubles.iter().fold(Jacobian::ZERO, |sum, double| {
            z2.step()
                .map_or(sum, |digit| sum.add(&double.neg_if(digit.is_negative)))
        });
        times_z2
            .equals(&base.mul_z2().into())
            .then(|| Self::of_doubles(shape, base, &doubles))
    }

    /// Of `2^i · base`.
    fn of_doubles(shape: Shape, base: Affine, doubles: &[Jacobian]) -> Self {
        let bases = Self::bases(shape, doubles);
        let teeth = shape.teeth;
        let mut additions = Additions::default();
        let mut table = vec![ZERO; shape.points()];
        // Place 0 of each block: the highest tooth, and every other with the digit −1.
        for (block, rows) in bases.chunks_exact(teeth).enumerate() {
            table[block * shape.entries()] = rows[teeth - 1];
        }
        for tooth in 0..teeth - 1 {
            for (block, rows) in bases.chunks_exact(teeth).enumerate() {
                additions.push(block * shape.entries(), rows[tooth].neg());
            }
            additions.flush(&mut table);
        }
        // Level by level: the upper half has the digit of one more tooth turned to +1.
        let mut twice = bases.clone();
        for (at, base) in bases.iter().enumerate() {
            additions.push(at, *base);
        }
        additions.flush(&mut twice);
        for tooth in 0..teeth - 1 {
            let size = 1 << tooth;
            for (block, rows) in twice.chunks_exact(teeth).enumerate() {
                let start = block * shape.entries();
                table.copy_within(start..start + size, start + size);
                for at in start + size..start + 2 * size {
                    additions.push(at, rows[tooth]);
                }
            }
            additions.flush(&mut table);
        }
        Self { shape, base, table }
    }

    /// `2^(tooth · columns + block · steps) · base`, block by block, tooth by tooth.
    fn bases(shape: Shape, doubles: &[Jacobian]) -> Vec<Affine> {
        let wanted: Vec<_> = (0..shape.blocks)
            .flat_map(|block| {
                (0..shape.teeth).map(move |tooth| tooth * shape.columns + block * shape.steps())
            })
            .map(|bit| doubles[bit])
            .collect();
        to_affine(&wanted)
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// The addend of a pass, if any.
    #[inline(always)]
    fn addend(&self, scalar: &CombScalar, pass: Pass) -> Option<Addend<'_>> {
        let (half, (point, is_negative)) = match pass {
            Pass::Double => return None,
            Pass::Add { half, block, step } => (half, self.column(scalar.0[half]?, block, step)),
            Pass::Correct { half } => {
                if !scalar.0[half]?.was_even {
                    return None;
                }
                (half, (&self.base, true))
            }
        };
        Some(Addend {
            point,
            sign: Sign {
                is_negative,
                is_times_z2: half == 1,
            },
        })
    }

    pub(crate) fn base(&self) -> &Affine {
        &self.base
    }

    /// The scalar's selections, column by column.
    pub(crate) fn columns(&self, scalar: &CombScalar) -> Columns {
        let Shape { teeth, columns, .. } = self.shape;
        debug_assert!(columns <= MOST_COLUMNS && teeth <= 15);
        let mut selected = [[0; MOST_COLUMNS]; 2];
        for (selected, odd) in selected.iter_mut().zip(scalar.0) {
            let Some(odd) = odd else { continue };
            let digits = odd.half >> 1;
            let row = |tooth: usize| {
                let shift = u32::try_from(tooth * columns).unwrap_or(u32::MAX);
                low_word(digits.checked_shr(shift).unwrap_or(0))
            };
            // The highest digit is always +1.
            let highest = row(teeth - 1) | 1 << (columns - 1);
            for tooth in 0..teeth - 1 {
                let same = !(row(tooth) ^ highest);
                for (column, selected) in selected.iter_mut().enumerate().take(columns) {
                    *selected |= low_bit(same >> column) << tooth;
                }
            }
            for (column, selected) in selected.iter_mut().enumerate().take(columns) {
                *selected |= low_bit(!highest >> column) * NEGATIVE;
            }
        }
        Columns {
            selected,
            halves: scalar.0.map(|odd| odd.map(|odd| odd.was_even)),
        }
    }

    /// The addend of a pass, if any: its half, the point, and whether to negate it.
    #[inline(always)]
    pub(crate) fn selected(&self, columns: &Columns, pass: Pass) -> Option<(usize, &Affine, bool)> {
        match pass {
            Pass::Double => None,
            Pass::Add { half, block, step } => {
                columns.halves[half]?;
                let selected = columns.selected[half][block * self.shape.steps() + step];
                let place = block * self.shape.entries() + usize::from(selected & !NEGATIVE);
                Some((half, &self.table[place], selected & NEGATIVE != 0))
            }
            Pass::Correct { half } => {
                (columns.halves[half] == Some(true)).then_some((half, &self.base, true))
            }
        }
    }

    /// The point that the bits of a column select, and whether it is to be negated.
    #[inline(always)]
    fn column(&self, odd: Odd, block: usize, step: usize) -> (&Affine, bool) {
        let Shape { teeth, columns, .. } = self.shape;
        let column = block * self.shape.steps() + step;
        let is_positive = |tooth: usize| odd.is_positive(tooth * columns + column, teeth * columns);
        let sign = is_positive(teeth - 1);
        let index = (0..teeth - 1).fold(0, |index, tooth| {
            index | (usize::from(is_positive(tooth) == sign) << tooth)
        });
        (&self.table[block * self.shape.entries() + index], !sign)
    }

    /// `scalar · base`.
    pub(crate) fn mul(&self, scalar: &CombScalar) -> Jacobian {
        let passes = self.shape.passes();
        let steps: Vec<_> = passes
            .map(|pass| (pass, self.addend(scalar, pass)))
            .collect();
        fetch(
            steps
                .iter()
                .filter_map(|(_, addend)| Some(addend.as_ref()?.point)),
        );
        steps
            .into_iter()
            .fold(Jacobian::ZERO, |sum, step| match step {
                (Pass::Double, _) => sum.double(),
                (_, Some(addend)) => sum.add_affine(&addend.sign.applied_to(*addend.point)),
                (_, None) => sum,
            })
    }
}

#[allow(clippy::cast_possible_truncation)] // The digits of a row.
fn low_word(digits: u128) -> u64 {
    digits as u64
}

fn low_bit(word: u64) -> u16 {
    u16::from(word & 1 == 1)
}

/// A point of a table and its sign.
struct Addend<'a> {
    point: &'a Affine,
    sign: Sign,
}

/// The factor of a point of a table: ±1, and `z²` for the second half of a scalar.
#[derive(Clone, Copy)]
struct Sign {
    is_negative: bool,
    is_times_z2: bool,
}

impl Sign {
    #[inline(always)]
    fn applied_to(self, point: Affine) -> Affine {
        let point = point.neg_if(self.is_negative);
        if self.is_times_z2 {
            point.mul_z2()
        } else {
            point
        }
    }
}

/// One product of a sum of products.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term<'a> {
    pub(crate) comb: &'a Comb,
    pub(crate) scalar: &'a CombScalar,
}

/// Touches points that lie far apart, so that they are near when they are used: with nothing else to do in between, the
/// processor fetches many at once.
fn fetch<'a>(points: impl Iterator<Item = &'a Affine>) {
    black_box(points.fold(0, |sum, point| {
        sum ^ point.x.0.l[0] ^ point.y.0.l[0] ^ point.y.0.l[5]
    }));
}

/// `sums[i]`, which is zero, becomes the sum of the `i`th terms of each list. Both lists of lists are processed
/// together, the first for the first half of `sums` and the second for the second. In a list all combs have one shape,
/// and only the first list may have one that doubles.
pub(crate) fn sums(sums: &mut [Affine], of: [&[Vec<Term<'_>>]; 2], additions: &mut Additions) {
    let half = sums.len() / 2;
    let mut schedules = of.map(|lists| {
        lists.iter().flat_map(|terms| {
            let shape = terms.first().map(|term| term.comb.shape);
            shape
                .into_iter()
                .flat_map(Shape::passes)
                .map(move |pass| (pass, terms))
        })
    });
    let mut addends = Vec::with_capacity(half);
    loop {
        let mut is_done = true;
        for (schedule, offset) in schedules.iter_mut().zip([0, half]) {
            let Some((pass, terms)) = schedule.next() else {
                continue;
            };
            is_done = false;
            if let Pass::Double = pass {
                (offset..)
                    .zip(terms)
                    .for_each(|(at, _)| additions.push(at, sums[at]));
                continue;
            }
            addends.clear();
            let selected = (offset..)
                .zip(terms)
                .filter_map(|(at, term)| Some((at, term.comb.addend(term.scalar, pass)?)));
            addends.extend(selected);
            fetch(addends.iter().map(|(_, addend)| addend.point));
            for (at, addend) in &addends {
                additions.push(*at, addend.sign.applied_to(*addend.point));
            }
        }
        if is_done {
            return;
        }
        additions.flush(sums);
    }
}
