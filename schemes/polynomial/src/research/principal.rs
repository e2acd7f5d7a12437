//! PrincGen: a principal prime ideal of degree one, with a short generator.

use super::{params::Dimension, prime, ring, stream::Stream, tower};
use num_bigint::{BigInt, BigUint};
use std::{
    num::NonZeroUsize,
    sync::atomic::{AtomicU64, Ordering},
    thread,
};
use zeroize::Zeroizing;

/// A generator `G` of the ideal `(p, x - a)`, and derived values.
pub(crate) struct Principal {
    /// `G`, with coefficients of `G - 1` even and from -n to n. Secret.
    pub(crate) generator: Zeroizing<Vec<i64>>,
    /// `p`, the norm of `G`.
    pub(crate) modulus: BigUint,
    /// `a`, the root of `G` and of `x^n + 1` mod `p`.
    pub(crate) root: BigUint,
    /// `W`, with `G W = p`. Secret.
    pub(crate) adjugate: Vec<BigInt>,
}

impl Principal {
    /// `None` if the norm of the generator is not prime, or if it has no unique root.
    pub(crate) fn from_generator(generator: Zeroizing<Vec<i64>>) -> Option<Self> {
        if !prime::is_prime(&tower::norm(&generator)) {
            return None;
        }
        let big: Vec<_> = generator.iter().map(|c| BigInt::from(*c)).collect();
        let (norm, adjugate) = tower::norm_and_adjugate(&big);
        let modulus = norm.into_parts().1;
        // W is a multiple of (x^n + 1)/(x - a) mod p, whose two lowest coefficients have the ratio a.
        let (low, next) = (adjugate.first()?, adjugate.get(1)?);
        let inverse = ring::reduce(next, &modulus).modinv(&modulus)?;
        let root = ring::reduce(low, &modulus) * inverse % &modulus;
        let zero = BigUint::ZERO;
        let stands = is_root(&root, generator.len(), &modulus)
            && ring::evaluate_at(&big, &root, &modulus) == zero;
        stands.then_some(Self {
            generator,
            modulus,
            root,
            adjugate,
        })
    }
}

/// Whether `root^n = -1` mod `modulus`.
pub(crate) fn is_root(root: &BigUint, n: usize, modulus: &BigUint) -> bool {
    root < modulus && root.modpow(&BigUint::from(n), modulus) + 1u8 == *modulus
}

/// Whether [`search`] may return this vector: the constant is odd, all other coefficients are even, and all are within
/// n of the element 1.
pub(crate) fn is_admissible(generator: &[i64]) -> bool {
    let n = i64::try_from(generator.len()).unwrap_or(i64::MAX);
    generator.iter().enumerate().all(|(i, coefficient)| {
        let even = coefficient - i64::from(i == 0);
        even % 2 == 0 && even.abs() <= n
    })
}

/// A deterministic source of candidates.
pub(crate) struct Source<'a> {
    pub(crate) seed: &'a [u8; 32],
    pub(crate) dimension: Dimension,
    /// The index of the ideal: the first or the second.
    pub(crate) ideal: u8,
    /// The number of the attempt of key generation.
    pub(crate) attempt: u32,
}

impl Source<'_> {
    fn candidate(&self, number: u64) -> Zeroizing<Vec<i64>> {
        let n = u64::try_from(self.dimension.get()).unwrap_or(u64::MAX);
        let mut stream = Stream::new(&[
            b"BF-V01-KEYGEN",
            self.seed,
            &n.to_be_bytes(),
            &[self.ideal],
            &self.attempt.to_be_bytes(),
            &number.to_be_bytes(),
        ]);
        let half = i64::try_from(n / 2).unwrap_or(i64::MAX);
        let coefficient = |i| {
            let drawn = i64::try_from(stream.below(n + 1)).unwrap_or(0);
            2 * (drawn - half) + i64::from(i == 0)
        };
        Zeroizing::new((0..self.dimension.get()).map(coefficient).collect())
    }

    /// The ideal that a candidate generates, if the candidate is suitable.
    fn attempt(&self, number: u64) -> Option<Principal> {
        let generator = self.candidate(number);
        // Trial division first: it is cheap and rejects most candidates.
        prime::has_no_small_divisor(&tower::norm(&generator))
            .then(|| Principal::from_generator(generator))
            .flatten()
    }
}

/// The first candidate of `source` with a prime norm, and its number.
///
/// `workers` threads test candidates in order. The result is the smallest number that succeeds, independent of the
/// number of threads. `tested` is called for each candidate.
pub(crate) fn search(
    source: &Source<'_>,
    workers: NonZeroUsize,
    tested: &(dyn Fn() + Sync),
) -> (u64, Principal) {
    let next = AtomicU64::new(0);
    // All candidates below this number are tested.
    let best = AtomicU64::new(u64::MAX);
    let work = || {
        let mut found = None;
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= best.load(Ordering::Relaxed) {
                return found;
            }
            if let Some(principal) = source.attempt(number) {
                best.fetch_min(number, Ordering::Relaxed);
                found = Some((number, principal));
            }
            tested();
        }
    };
    let all: Vec<_> = thread::scope(|scope| {
        let others: Vec<_> = (1..workers.get()).map(|_| scope.spawn(work)).collect();
        let mine = work();
        let joined = others.into_iter().map(|thread| match thread.join() {
            Ok(found) => found,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.chain([mine]).flatten().collect()
    });
    match all.into_iter().min_by_key(|(number, _)| *number) {
        Some(found) => found,
        // A thread that finds a candidate returns it, and no thread returns before one is found.
        None => unreachable!("the search ends only when a candidate is found"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(n: usize, ideal: u8) -> Source<'static> {
        Source {
            seed: &[7; 32],
            dimension: Dimension::new(n).unwrap(),
            ideal,
            attempt: 0,
        }
    }

    fn found(n: usize, workers: usize) -> (u64, Principal) {
        search(&source(n, 0), workers.try_into().unwrap(), &|| ())
    }

    #[test]
    fn the_find_does_not_depend_on_the_number_of_threads() {
        for n in [8, 32] {
            let (alone, one) = found(n, 1);
            let (together, four) = found(n, 4);
            assert_eq!(alone, together);
            assert_eq!(one.generator, four.generator);
        }
    }

    #[test]
    fn the_find_is_the_first_candidate_with_a_prime_norm() {
        let (number, principal) = found(16, 1);
        let source = source(16, 0);
        for earlier in 0..number {
            assert!(!prime::is_prime(&tower::norm(&source.candidate(earlier))));
        }
        assert_eq!(principal.generator, source.candidate(number));
        assert_ne!(
            found(16, 1).1.modulus,
            search(&self::source(16, 1), 1.try_into().unwrap(), &|| ())
                .1
                .modulus
        );
    }

    #[test]
    fn candidates_are_one_plus_twice_a_short_vector() {
        let source = source(64, 0);
        let candidates: Vec<_> = (0..100).map(|number| source.candidate(number)).collect();
        assert!(candidates.iter().all(|c| is_admissible(c)));
        let reaches = |bound: i64| candidates.iter().any(|c| c[1..].contains(&bound));
        assert!(reaches(64) && reaches(-64));
    }

    #[test]
    fn the_root_is_the_only_one_that_generator_and_modulus_share() {
        let (_, principal) = found(4, 1);
        let big: Vec<_> = principal
            .generator
            .iter()
            .map(|c| BigInt::from(*c))
            .collect();
        let modulus: u32 = principal.modulus.clone().try_into().unwrap();
        let common: Vec<_> = (0..modulus)
            .map(BigUint::from)
            .filter(|x| is_root(x, 4, &principal.modulus))
            .filter(|x| ring::evaluate_at(&big, x, &principal.modulus) == BigUint::ZERO)
            .collect();
        assert_eq!(common, [principal.root]);
    }
}
