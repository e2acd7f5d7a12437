//! A batch of votes: the powers of σ, the buckets of digits, and both sums.

use super::{
    found::Found,
    schedule::{Next, Schedule},
};
use crate::{
    digits::{sparse, BaseZ, NAF_STEPS, Z_BITS},
    fast::{
        point::Affine,
        vector::{
            lockstep::{space, Copies, Point, SingleStep, Space, Steps},
            octet::{Lanes, Octet, CUBE_ROOT, LANES},
        },
    },
};
use alloc::{vec, vec::Vec};

/// Digits are 1, 3, 5 and 7 in absolute value, and numbers of a run are two.
pub(super) const BUCKETS: usize = 4;
pub(super) const SETS: usize = 2;
/// Single points of a chain: its buckets, and its power.
pub(super) const SINGLES: usize = SETS * BUCKETS + 1;
pub(super) const POWER: usize = SETS * BUCKETS;

/// Where points are: powers and `[z]` of each chain, then both sums.
pub(super) struct Batch {
    pub(super) space: Space,
    pub(super) chains: usize,
    /// Buckets that are not empty, of each owner and chain.
    pub(super) filled: Vec<u8>,
    /// Whether each sum is not empty.
    pub(super) begun: [bool; 2],
}

impl Batch {
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(super) fn new(count: usize, chains: &[&Vec<(Affine, BaseZ)>]) -> Self {
        let mut space = space(count, SINGLES * chains.len(), 2 * chains.len() + 2);
        for (chain, list) in chains.iter().enumerate() {
            for (octet, points) in list.chunks(LANES).enumerate() {
                let at = 2 * chain * space.octets + octet;
                space.points[at].set(eight(points, |(point, _)| point));
            }
        }
        let octets = space.octets;
        Self {
            filled: vec![0; octets * LANES * chains.len()],
            space,
            chains: chains.len(),
            begun: [false; 2],
        }
    }

    pub(super) fn power(&self, chain: usize) -> usize {
        2 * chain * self.space.octets
    }

    pub(super) fn times_z(&self, chain: usize) -> usize {
        self.power(chain) + self.space.octets
    }

    pub(super) fn sum(&self, sum: usize) -> usize {
        (2 * self.chains + sum) * self.space.octets
    }

    /// The first single point of a chain of an owner.
    pub(super) fn single(&self, owner: usize, chain: usize) -> usize {
        owner * self.space.stride + chain * SINGLES
    }

    /// `variable::Work::run`, and what comes next of both sums with each step.
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(super) fn run<'a>(
        &mut self,
        run: usize,
        chains: &[&Vec<(Affine, BaseZ)>],
        steps: &mut Steps<'a>,
        schedules: &mut [Schedule<'a>; 2],
    ) {
        let octets = self.space.octets;
        let digits = self.digits(run, chains);
        let mut wanted = vec![Copies::default(); self.chains * octets];
        self.set_wanted(&mut wanted, &digits[0]);
        for chain in 0..self.chains {
            let (power, times_z) = (self.power(chain), self.times_z(chain));
            if run > 0 {
                self.space
                    .points
                    .copy_within(times_z..times_z + octets, power);
            }
            for octet in 0..octets {
                let copies = wanted[chain * octets + octet];
                let Space {
                    points,
                    singles,
                    stride,
                    ..
                } = &mut self.space;
                points[power + octet].write_to(singles, copies, *stride);
            }
        }
        let mut additions = Vec::new();
        for (step, of_step) in digits.iter().enumerate() {
            let next = digits.get(step + 1).map_or(&[][..], Vec::as_slice);
            self.set_wanted(&mut wanted, next); // What a step adds is read before it is doubled, as the last steps are done first.
            if step + 1 < NAF_STEPS {
                for chain in 0..self.chains {
                    for octet in 0..octets {
                        let copies = wanted[chain * octets + octet];
                        steps.double(self.power(chain) + octet, copies);
                    }
                }
            }
            self.add_digits(of_step, &mut additions);
            steps.singles(additions.drain(..), false);
            if Z_BITS.contains(&step) {
                for chain in 0..self.chains {
                    let (power, times_z) = (self.power(chain), self.times_z(chain));
                    if step == Z_BITS[0] {
                        self.space
                            .points
                            .copy_within(power..power + octets, times_z);
                    } else {
                        (0..octets).for_each(|octet| steps.add(times_z + octet, power + octet));
                    }
                }
            }
            self.add_tables(steps, schedules);
            steps.run(&mut self.space);
        }
    }

    /// By step, the digits of all: which bucket, and whether it is a negative one.
    pub(super) fn digits(
        &self,
        run: usize,
        chains: &[&Vec<(Affine, BaseZ)>],
    ) -> Vec<Vec<(u32, bool)>> {
        let mut digits: Vec<_> = (0..NAF_STEPS)
            .map(|_| Vec::with_capacity(self.filled.len()))
            .collect();
        for (chain, list) in chains.iter().enumerate() {
            for (owner, (_, scalar)) in list.iter().enumerate() {
                for set in 0..SETS {
                    for (step, digit) in sparse::<4>(scalar.0[run + 2 * set]) {
                        let bucket = self.single(owner, chain) + set * BUCKETS + digit.bucket;
                        digits[step].push((to_u32(bucket), digit.is_negative));
                    }
                }
            }
        }
        digits
    }

    /// The powers of which single copies are wanted: those that these digits add.
    pub(super) fn set_wanted(&self, wanted: &mut [Copies], digits: &[(u32, bool)]) {
        let octets = self.space.octets;
        for (at, copies) in wanted.iter_mut().enumerate() {
            *copies = Copies {
                lanes: 0,
                first: self.single(at % octets * LANES, at / octets) + POWER,
            };
        }
        for (bucket, _) in digits {
            let at = *bucket as usize / SINGLES;
            let (owner, chain) = (at / self.chains, at % self.chains);
            wanted[chain * octets + owner / LANES].lanes |= 1 << (owner % LANES);
        }
    }

    /// Adds powers to buckets. Into an empty one it is copied.
    pub(super) fn add_digits(&mut self, digits: &[(u32, bool)], additions: &mut Vec<SingleStep>) {
        for (bucket, is_negative) in digits {
            let place = *bucket as usize;
            let addend = place - place % SINGLES + POWER;
            self.add_single(place, addend, *is_negative, additions);
        }
    }

    /// Adds non-empty entries to a bucket, unless the owner is out.
    pub(super) fn add_single(
        &mut self,
        to: usize,
        addend: usize,
        is_negative: bool,
        additions: &mut Vec<SingleStep>,
    ) {
        if self.space.is_out(to / self.space.stride) {
            return;
        }
        let filled = &mut self.filled[to / SINGLES];
        let bit = 1 << (to % SINGLES);
        if *filled & bit == 0 {
            *filled |= bit;
            let Point { x, y } = self.space.singles[addend];
            let y = if is_negative { y.negated() } else { y };
            self.space.singles[to] = Point { x, y };
            return;
        }
        additions.push(SingleStep {
            to: to_u32(to),
            addend: to_u32(addend),
            is_negative,
        });
    }

    /// The next step of each sum; whether there was one.
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(super) fn add_tables<'a>(
        &mut self,
        steps: &mut Steps<'a>,
        schedules: &mut [Schedule<'a>; 2],
    ) -> bool {
        let mut is_any = false;
        for (sum, schedule) in schedules.iter_mut().enumerate() {
            let first = self.sum(sum);
            let Some(next) = schedule.take() else {
                continue;
            };
            is_any = true;
            match next {
                Next::Double => {
                    (0..self.space.octets)
                        .for_each(|octet| steps.double(first + octet, Copies::default()));
                }
                Next::Add(addends) => {
                    for (octet, addends) in addends.into_iter().enumerate() {
                        if self.begun[sum] {
                            steps.add_table(first + octet, addends);
                        } else {
                            addends.copy_to(&mut self.space.points[first + octet]);
                        }
                    }
                    self.begun[sum] = true;
                }
            }
        }
        is_any
    }

    /// Whether each σ is in the subgroup.
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(super) fn are_in_subgroup(&self, sigma: &[(Affine, BaseZ)]) -> Vec<Lanes> {
        let found = self.space.points.iter().skip(self.times_z(0));
        sigma
            .chunks(LANES)
            .zip(found)
            .map(|(sigma, found)| {
                let sigma = eight(sigma, |(point, _)| point);
                let x = Octet::load(&CUBE_ROOT).mul(&Octet::of(sigma.map(|point| &point.x)));
                let y = Octet::of(sigma.map(|point| &point.y)).negated_where(Lanes::MAX);
                let (found_x, found_y) = (Octet::load(&found.x), Octet::load(&found.y));
                found_x.canonical().equals(&x.canonical())
                    & found_y.canonical().equals(&y.reduced().canonical())
            })
            .collect()
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(super) fn found(&self, count: usize, are_in_subgroup: &[Lanes]) -> Vec<Option<Found>> {
        let mut found = Vec::with_capacity(count);
        for (octet, in_subgroup) in are_in_subgroup.iter().enumerate() {
            let [a, b] = [0, 1].map(|sum| self.space.points[self.sum(sum) + octet].affine());
            for lane in 0..LANES {
                found.push((self.space.out[octet] >> lane & 1 == 0).then_some(Found {
                    is_in_subgroup: in_subgroup >> lane & 1 == 1,
                    sums: [a[lane], b[lane]],
                }));
            }
        }
        found.truncate(count);
        found
    }
}

#[allow(
    clippy::expect_used,
    reason = "a batch has a few thousand single points"
)]
pub(super) fn to_u32(index: usize) -> u32 {
    u32::try_from(index).expect("a batch has fewer; qed")
}

/// Eight entries; the last again where there are fewer.
fn eight<T, U>(list: &[T], of: impl Fn(&T) -> &U) -> [&U; LANES] {
    core::array::from_fn(|lane| of(&list[lane.min(list.len() - 1)]))
}
