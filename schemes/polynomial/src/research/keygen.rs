//! Key generation.

use super::{
    key::{SecretKey, SigningKey},
    params::{Dimension, Limits},
    principal::{search, Source},
    stream::Stream,
};
use std::num::NonZeroUsize;
use zeroize::Zeroizing;

/// Options of key generation. They do not influence the key.
pub struct KeyGeneration<'a> {
    /// The number of threads that test candidates.
    pub workers: NonZeroUsize,
    /// Called for each tested candidate, from any thread.
    pub tested: &'a (dyn Fn() + Sync),
}

impl Default for KeyGeneration<'_> {
    /// One thread per core, no progress callback.
    fn default() -> Self {
        Self {
            workers: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            tested: &|| (),
        }
    }
}

/// A new key. It depends only on `seed`, `dimension` and `limits`.
#[derive(Debug)]
pub struct GeneratedKey {
    /// The key to store.
    pub secret: SecretKey,
    /// The key to sign with.
    pub signing: SigningKey,
    /// The number of candidates that were tested.
    pub candidates: u64,
}

impl KeyGeneration<'_> {
    /// Generates the key of a random 32-byte seed.
    ///
    /// Cost: one norm for each candidate, of which there are a few to a few hundred, and a primality test for those
    /// without small divisors.
    pub fn run(&self, seed: &[u8; 32], dimension: Dimension, limits: Limits) -> GeneratedKey {
        let mut candidates = 0;
        let mut attempt = 0;
        loop {
            let mut principal = |ideal| {
                let source = Source {
                    seed,
                    dimension,
                    ideal,
                    attempt,
                };
                let (number, principal) = search(&source, self.workers, self.tested);
                candidates += number + 1;
                principal
            };
            let (p, q) = (principal(0), principal(1));
            let generators = [p.generator.clone(), q.generator.clone()];
            let prf = prf_seed(seed);
            // Equal primes, or a basis too long for the width: try again.
            if let Ok(signing) = SigningKey::from_ideals(p, q, prf.clone(), limits) {
                let secret = SecretKey {
                    dimension,
                    generators,
                    seed: prf,
                };
                return GeneratedKey {
                    secret,
                    signing,
                    candidates,
                };
            }
            attempt += 1;
        }
    }
}

fn prf_seed(seed: &[u8; 32]) -> Zeroizing<[u8; 32]> {
    let mut out = Zeroizing::new([0; 32]);
    Stream::new(&[b"BF-V01-PRF", seed]).fill(&mut *out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At n = 4 there are so few primes that both ideals occasionally get the same one.
    #[test]
    fn key_generation_begins_anew_where_both_primes_are_the_same() {
        let dimension = Dimension::new(4).unwrap();
        let first = |seed: &[u8; 32], ideal| {
            let source = Source {
                seed,
                dimension,
                ideal,
                attempt: 0,
            };
            search(&source, NonZeroUsize::MIN, &|| ())
        };
        let seed = (0..=u8::MAX).map(|byte| [byte; 32]).find(|seed| {
            let [(_, p), (_, q)] = [0, 1].map(|ideal| first(seed, ideal));
            p.modulus == q.modulus
        });
        let seed = seed.unwrap();
        let limits = Limits::new(1, 1, 1).unwrap();
        let generated = KeyGeneration::default().run(&seed, dimension, limits);
        let [(i, _), (j, _)] = [0, 1].map(|ideal| first(&seed, ideal));
        assert!(generated.candidates > i + j + 2);
        let public = generated.signing.public();
        assert_ne!(public.message_modulus(), public.identifier_modulus());
    }
}
