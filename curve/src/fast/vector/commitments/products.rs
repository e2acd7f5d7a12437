//! The products of σ and of keys, from their buckets.

use super::batch::{to_u32, Batch, BUCKETS, SETS, SINGLES};
use crate::fast::vector::{
    lockstep::{Point, SingleStep, Steps},
    octet::{Lanes, Octet, CUBE_ROOT, LANES},
};
use alloc::vec::Vec;

impl Batch {
    /// `variable::Work::products`, and adds each to its sum.
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(super) fn add_products(&mut self, steps: &mut Steps<'_>) {
        // The running sums of the buckets from the highest on, and in the highest the sum of those: `b3 + (b2 + b3) +
        // (b1 + b2 + b3)`, which is then doubled and added to the sum of all.
        for pairs in [&[(2, 3)][..], &[(1, 2), (3, 2)], &[(0, 1), (3, 1)]] {
            self.add_buckets(pairs, steps);
        }
        let highest: Vec<_> = self
            .sets()
            .map(|set| set + BUCKETS - 1)
            .filter(|place| self.filled[place / SINGLES] >> (place % SINGLES) & 1 == 1)
            .filter(|place| !self.space.is_out(place / self.space.stride))
            .map(|place| SingleStep {
                to: to_u32(place),
                addend: to_u32(place),
                is_negative: false,
            })
            .collect();
        steps.singles(highest.into_iter(), true);
        steps.run(&mut self.space);
        self.add_buckets(&[(0, 3)], steps);
        self.apply_times_z2();
        let chains: Vec<_> = self.chain_starts().collect();
        self.add_pairs(
            chains.into_iter().map(|first| (first, first + BUCKETS)),
            steps,
        );
        for chain in 0..self.chains {
            // σ belongs to the second sum, and the key to the first.
            let (sum, power) = (self.sum(1 - chain), self.power(chain));
            for octet in 0..self.space.octets {
                let places: [_; LANES] =
                    core::array::from_fn(|lane| self.single(octet * LANES + lane, chain));
                for (lane, place) in places.iter().enumerate() {
                    // A product that is zero.
                    if self.filled[place / SINGLES] & 1 == 0 {
                        self.space.out[octet] |= 1 << lane;
                    }
                }
                let products = places.map(|place| &self.space.singles[place]);
                let (x, y) = (
                    Octet::gather(products.map(|point| &point.x)),
                    Octet::gather(products.map(|point| &point.y)),
                );
                let points = &mut self.space.points[power + octet];
                x.store(&mut points.x);
                y.store(&mut points.y);
                steps.add(sum + octet, power + octet);
            }
        }
        steps.run(&mut self.space);
    }

    /// The first single point of every owner and chain.
    fn chain_starts(&self) -> impl Iterator<Item = usize> {
        (0..self.filled.len()).map(|at| at * SINGLES)
    }

    /// The first bucket of every set of every owner and chain.
    fn sets(&self) -> impl Iterator<Item = usize> {
        self.chain_starts()
            .flat_map(|first| (0..SETS).map(move |set| first + set * BUCKETS))
    }

    /// In every set, adds buckets to others.
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    fn add_buckets(&mut self, pairs: &[(usize, usize)], steps: &mut Steps<'_>) {
        let sets: Vec<_> = self.sets().collect();
        let places = sets.iter().flat_map(|set| {
            pairs
                .iter()
                .map(move |(to, addend)| (set + to, set + addend))
        });
        self.add_pairs(places, steps);
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    fn add_pairs(&mut self, pairs: impl Iterator<Item = (usize, usize)>, steps: &mut Steps<'_>) {
        let mut additions = Vec::new();
        for (to, addend) in pairs {
            if self.filled[addend / SINGLES] >> (addend % SINGLES) & 1 == 1 {
                self.add_single(to, addend, false, &mut additions);
            }
        }
        steps.singles(additions.into_iter(), false);
        steps.run(&mut self.space);
    }

    /// Turns the first bucket of every second set into `−φ` of it.
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    fn apply_times_z2(&mut self) {
        for octet in self.space.singles.chunks_exact_mut(SINGLES * LANES) {
            let mut points = [&Point::ZERO; LANES];
            for (point, own) in points.iter_mut().zip(octet.chunks_exact(SINGLES)) {
                *point = &own[BUCKETS];
            }
            let x = Octet::load(&CUBE_ROOT).mul(&Octet::gather(points.map(|point| &point.x)));
            let y = Octet::gather(points.map(|point| &point.y)).negated_where(Lanes::MAX);
            let both = x.singles().into_iter().zip(y.reduced().singles());
            for (own, (x, y)) in octet.chunks_exact_mut(SINGLES).zip(both) {
                own[BUCKETS] = Point { x, y };
            }
        }
    }
}
