//! Steps that share an inversion.

use super::{
    points::{write, Addends, Copies, Point},
    space::Space,
};
use crate::fast::{
    field::{invert_all, Fp},
    vector::octet::{Lanes, Octet, Single, Stored, LANES, ONE},
};
use alloc::vec::Vec;

/// An addition of single points: the first becomes the sum.
#[derive(Clone, Copy)]
pub(in crate::fast::vector) struct SingleStep {
    pub(in crate::fast::vector) to: u32,
    pub(in crate::fast::vector) addend: u32,
    pub(in crate::fast::vector) is_negative: bool,
}

/// An operation on eight points.
#[derive(Clone, Copy)]
enum Step<'a> {
    /// Doubles points, and writes single copies of some.
    Double {
        at: usize,
        copies: Copies,
    },
    /// Adds points of tables.
    AddTable {
        at: usize,
        addends: Addends<'a>,
    },
    /// Adds other points.
    Add {
        at: usize,
        other: usize,
    },
    /// Adds single points to single points, or doubles points added to themselves.
    Singles {
        first: usize,
        len: usize,
        is_doubling: bool,
    },
    Nothing,
}

/// The operands of a sum.
#[derive(Clone, Copy)]
struct Operands {
    /// The first point.
    x: Octet,
    y: Octet,
    /// The dividend of the slope.
    rise: Octet,
    /// The `x` of both points added up, limb by limb.
    both: Octet,
}

/// Steps that share an inversion. No point may occur in two steps, except as an addend.
#[derive(Default)]
pub(in crate::fast::vector) struct Steps<'a> {
    steps: Vec<Step<'a>>,
    singles: Vec<SingleStep>,
    runs: Vec<Stored>,
    before: Vec<Stored>,
}

/// Products that are worked on in turn, so that one need not wait for the one before.
const CHAINS: usize = 2;

impl<'a> Steps<'a> {
    pub(in crate::fast::vector) fn double(&mut self, at: usize, copies: Copies) {
        self.steps.push(Step::Double { at, copies });
    }

    pub(in crate::fast::vector) fn add_table(&mut self, at: usize, addends: Addends<'a>) {
        self.steps.push(Step::AddTable { at, addends });
    }

    pub(in crate::fast::vector) fn add(&mut self, at: usize, other: usize) {
        self.steps.push(Step::Add { at, other });
    }

    /// Adds single points to others; with `is_doubling`, each is doubled.
    pub(in crate::fast::vector) fn singles(
        &mut self,
        list: impl Iterator<Item = SingleStep>,
        is_doubling: bool,
    ) {
        let begin = self.singles.len();
        self.singles.extend(list);
        let mut first = begin;
        while first < self.singles.len() {
            let len = LANES.min(self.singles.len() - first);
            self.steps.push(Step::Singles {
                first,
                len,
                is_doubling,
            });
            first += len;
        }
    }

    /// Runs the steps, the last first. An addend is read before an earlier step changes it.
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn run(&mut self, space: &mut Space) {
        if self.steps.is_empty() {
            return;
        }
        if self.steps.len() % CHAINS == 1 {
            // Fills the last pair.
            self.steps.push(Step::Nothing);
        }
        let count = self.steps.len();
        if self.runs.len() < count {
            self.runs.resize(count, Stored::ZERO);
            self.before.resize(count, Stored::ZERO);
        }
        let mut inverses = loop {
            let products = self.multiply(space);
            match inverted(&products) {
                Some(inverses) => break inverses,
                None => self.exclude(space, &products),
            }
        };
        for (pair, steps) in self.steps.chunks_exact(CHAINS).enumerate().rev() {
            self.finish(pair * CHAINS, [steps[0], steps[1]], &mut inverses, space);
        }
        self.steps.clear();
        self.singles.clear();
    }

    /// The divisors of the slopes, and the running products before each.
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    fn multiply(&mut self, space: &Space) -> [Stored; CHAINS] {
        let mut products = [ONE; CHAINS];
        for (at, step) in self.steps.iter().enumerate() {
            let (run, active) = self.divisor(*step, space);
            let run = run.replaced(!active, &Octet::load(&ONE));
            let product = &mut products[at % CHAINS];
            self.before[at] = *product;
            run.store(&mut self.runs[at]);
            Octet::load(product).mul(&run).store(product);
        }
        products
    }

    /// Below `4p`, and in which lanes it is meant.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    fn divisor(&self, step: Step<'_>, space: &Space) -> (Octet, Lanes) {
        match step {
            Step::Nothing => (Octet::load(&ONE), Lanes::MAX),
            Step::Double { at, .. } => {
                let y = Octet::load(&space.points[at].y);
                (y.plus(&y), !space.out[at % space.octets])
            }
            Step::AddTable { at, addends } => {
                let x = Octet::load(&space.points[at].x);
                let active = addends.active & !space.out[at % space.octets];
                (addends.x().minus(&x), active)
            }
            Step::Add { at, other } => {
                let x = Octet::load(&space.points[at].x);
                let other = Octet::load(&space.points[other].x);
                (other.minus(&x), !space.out[at % space.octets])
            }
            Step::Singles {
                first,
                len,
                is_doubling,
            } => {
                let list = &self.singles[first..][..len];
                let active = list.iter().enumerate().fold(0, |active, (lane, single)| {
                    let owner = to_index(single.to) / space.stride;
                    active | Lanes::from(!space.is_out(owner)) << lane
                });
                if is_doubling {
                    let y = gather(space, list, |single| single.to, |point| &point.y);
                    return (y.plus(&y), active);
                }
                let x = gather(space, list, |single| single.to, |point| &point.x);
                let other = gather(space, list, |single| single.addend, |point| &point.x);
                (other.minus(&x), active)
            }
        }
    }

    /// Turns the points of two steps into sums. The two steps do not wait for each other.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    fn finish(
        &self,
        at: usize,
        steps: [Step<'_>; CHAINS],
        inverses: &mut [Stored; CHAINS],
        space: &mut Space,
    ) {
        let [first, second] = inverses;
        let (one, other) = (Octet::load(first), Octet::load(second));
        let (run1, run2) = (Octet::load(&self.runs[at]), Octet::load(&self.runs[at + 1]));
        let own1 = one.mul(&Octet::load(&self.before[at]));
        let own2 = other.mul(&Octet::load(&self.before[at + 1]));
        one.mul(&run1).store(first);
        other.mul(&run2).store(second);
        let a = self.operands(&steps[0], &run1, space);
        let b = self.operands(&steps[1], &run2, space);
        let slope1 = own1.mul(&a.rise);
        let slope2 = own2.mul(&b.rise);
        let x1 = slope1.square().minus_sum(&a.both);
        let x2 = slope2.square().minus_sum(&b.both);
        let y1 = slope1.mul(&a.x.minus(&x1)).difference(&a.y);
        let y2 = slope2.mul(&b.x.minus(&x2)).difference(&b.y);
        self.keep(&steps[0], &x1, &y1, &a, space);
        self.keep(&steps[1], &x2, &y2, &b, space);
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    fn operands(&self, step: &Step<'_>, run: &Octet, space: &Space) -> Operands {
        match *step {
            Step::Double { at, .. } => {
                let point = &space.points[at];
                of_double(&Octet::load(&point.x), &Octet::load(&point.y))
            }
            Step::AddTable { at, addends } => {
                let point = &space.points[at];
                let (x, y) = (Octet::load(&point.x), Octet::load(&point.y));
                let (other, negative) = addends.y();
                of_sum(&x, &y, run, other.signed_minus(negative, &y))
            }
            Step::Add { at, other } => {
                let point = &space.points[at];
                let (x, y) = (Octet::load(&point.x), Octet::load(&point.y));
                of_sum(&x, &y, run, Octet::load(&space.points[other].y).minus(&y))
            }
            Step::Singles {
                first,
                len,
                is_doubling,
            } => {
                let list = &self.singles[first..][..len];
                let x = gather(space, list, |single| single.to, |point| &point.x);
                let y = gather(space, list, |single| single.to, |point| &point.y);
                if is_doubling {
                    return of_double(&x, &y);
                }
                let other = gather(space, list, |single| single.addend, |point| &point.y);
                let mut negative = 0;
                for (lane, single) in list.iter().enumerate() {
                    negative |= Lanes::from(single.is_negative) << lane;
                }
                of_sum(&x, &y, run, other.negated_where(negative).minus(&y))
            }
            Step::Nothing => of_sum(run, run, run, *run),
        }
    }

    /// Puts sums into their places.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    fn keep(&self, step: &Step<'_>, x: &Octet, y: &Octet, before: &Operands, space: &mut Space) {
        match *step {
            Step::Double { at, copies } => {
                let point = &mut space.points[at];
                x.store(&mut point.x);
                y.store(&mut point.y);
                write(x, y, &mut space.singles, copies, space.stride);
            }
            Step::AddTable { at, addends } => {
                let point = &mut space.points[at];
                let idle = !addends.active;
                x.replaced(idle, &before.x).store(&mut point.x);
                y.replaced(idle, &before.y).store(&mut point.y);
            }
            Step::Add { at, .. } => {
                let point = &mut space.points[at];
                x.store(&mut point.x);
                y.store(&mut point.y);
            }
            Step::Singles { first, len, .. } => {
                let list = &self.singles[first..][..len];
                for ((single, x), y) in list.iter().zip(x.singles()).zip(y.singles()) {
                    space.singles[to_index(single.to)] = Point { x, y };
                }
            }
            Step::Nothing => {}
        }
    }

    /// Finds in each lane of each chain the first step that has no slope, and excludes its owner.
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    fn exclude(&self, space: &mut Space, products: &[Stored; CHAINS]) {
        for (at, step) in self.steps.iter().enumerate() {
            let before = Octet::load(&self.before[at]).is_zero();
            let after = self.before[..self.steps.len()].get(at + CHAINS);
            let after = Octet::load(after.unwrap_or(&products[at % CHAINS])).is_zero();
            for lane in (0..LANES).filter(|lane| (after & !before) >> lane & 1 == 1) {
                let owner = match step {
                    Step::Double { at, .. } | Step::AddTable { at, .. } | Step::Add { at, .. } => {
                        at % space.octets * LANES + lane
                    }
                    Step::Nothing => continue,
                    Step::Singles { first, .. } => {
                        to_index(self.singles[first + lane].to) / space.stride
                    }
                };
                space.exclude(owner);
            }
        }
    }
}

fn to_index(index: u32) -> usize {
    index as usize
}

/// A coordinate of single points; the first again where there are fewer than eight.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn gather<'a>(
    space: &'a Space,
    list: &[SingleStep],
    which: impl Fn(&SingleStep) -> u32,
    coordinate: impl Fn(&'a Point) -> &'a Single,
) -> Octet {
    let of = |single| coordinate(&space.singles[to_index(which(single))]);
    Octet::gather(core::array::from_fn(|lane| {
        of(list.get(lane).unwrap_or(&list[0]))
    }))
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn of_double(x: &Octet, y: &Octet) -> Operands {
    Operands {
        x: *x,
        y: *y,
        rise: x.square().tripled(),
        both: x.plus_limbs(x),
    }
}

/// For a point and another `run` to the right and `rise` above.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn of_sum(x: &Octet, y: &Octet, run: &Octet, rise: Octet) -> Operands {
    Operands {
        x: *x,
        y: *y,
        rise,
        both: x.plus_limbs(x).plus_limbs(run),
    }
}

/// The inverses; none if one has no inverse.
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn inverted(products: &[Stored; CHAINS]) -> Option<[Stored; CHAINS]> {
    let (first, second) = (Octet::load(&products[0]), Octet::load(&products[1]));
    let mut elements: [Fp; LANES] = first.mul(&second).blst_form();
    if elements.iter().any(Fp::is_zero) {
        return None;
    }
    invert_all(&mut elements, &mut Vec::with_capacity(LANES));
    let inverse = Octet::of(elements.each_ref());
    let mut inverses = [Stored::ZERO; CHAINS];
    inverse.mul(&second).store(&mut inverses[0]);
    inverse.mul(&first).store(&mut inverses[1]);
    Some(inverses)
}
