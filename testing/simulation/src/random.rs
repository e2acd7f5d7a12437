//! Randomness from a seed, the same on every machine.

use rand_chacha::{
    rand_core::{RngCore, SeedableRng},
    ChaCha8Rng,
};

/// What is drawn; each from a stream of its own, so that one more draw of one changes nothing about the others.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Links,
    Latencies,
    Garbage,
    Starts,
    Ranks,
    Phases,
}

/// A stream of numbers.
pub(crate) struct Random(ChaCha8Rng);

impl Random {
    pub(crate) fn new(seed: u64, purpose: Purpose) -> Self {
        let mut stream = ChaCha8Rng::seed_from_u64(seed);
        stream.set_stream(match purpose {
            Purpose::Links => 1,
            Purpose::Latencies => 2,
            Purpose::Garbage => 3,
            Purpose::Starts => 4,
            Purpose::Ranks => 5,
            Purpose::Phases => 6,
        });
        Self(stream)
    }

    /// Below `bound`, or zero when that is zero. The bias is below `bound / 2^64`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        let scaled = (u128::from(self.0.next_u64()) * u128::from(bound)) >> 64;
        u64::try_from(scaled).expect("below a u64; qed")
    }

    /// The same for indices.
    pub(crate) fn index(&mut self, bound: u32) -> u32 {
        u32::try_from(self.below(u64::from(bound))).expect("below a u32; qed")
    }

    /// Above zero, at most one.
    fn unit(&mut self) -> f64 {
        const BITS: u32 = 53;
        let steps = (self.0.next_u64() >> (64 - BITS)) + 1;
        steps as f64 / (1_u64 << BITS) as f64
    }

    /// From the standard normal distribution (Box and Muller), with logarithm, root and cosine that are the same
    /// on every platform.
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(self.unit()));
        radius * libm::cos(core::f64::consts::TAU * self.unit())
    }

    /// The numbers below `len` in random order.
    pub(crate) fn permutation(&mut self, len: u32) -> Vec<u32> {
        let mut order: Vec<_> = (0..len).collect();
        for at in (1..order.len()).rev() {
            let bound = u64::try_from(at + 1).expect("a length in memory; qed");
            let other = usize::try_from(self.below(bound)).expect("an index; qed");
            order.swap(at, other);
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permutation_has_every_number_once_and_depends_on_the_seed() {
        let of = |seed| Random::new(seed, Purpose::Ranks).permutation(50);
        let mut sorted = of(1);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..50).collect::<Vec<_>>());
        assert_ne!(of(1), of(2));
        assert_eq!(of(1), of(1));
    }

    #[test]
    fn normal_draws_have_mean_zero_and_variance_one() {
        let mut random = Random::new(3, Purpose::Latencies);
        let draws: Vec<_> = (0..20_000).map(|_| random.normal()).collect();
        let count = 20_000.0;
        let mean = draws.iter().sum::<f64>() / count;
        let variance = draws.iter().map(|draw| draw * draw).sum::<f64>() / count;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05);
    }
}
