//! Primality: Baillie-PSW from the `crypto-primes` crate, and 20 rounds of Miller-Rabin with bases derived by hashing.

use super::stream::Stream;
use crypto_bigint::{BoxedUint, Odd};
use crypto_primes::{hazmat::MillerRabin, is_prime as baillie_psw, Flavor};
use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};

/// The number of Miller-Rabin rounds after Baillie-PSW.
const ROUNDS: usize = 20;

/// Trial division uses all odd primes below this limit.
const TRIAL_LIMIT: u32 = 1 << 12;

/// Whether a number is prime.
///
/// No composite is known to pass Baillie-PSW. To pass 20 rounds of Miller-Rabin as well, a composite must pass for
/// bases that are a hash of itself: a probability of 2^-40.
pub(crate) fn is_prime(number: &BigUint) -> bool {
    let Some(boxed) = boxed(number) else {
        return false;
    };
    baillie_psw(Flavor::Any, &boxed) && passes_miller_rabin(number, boxed)
}

/// Whether a number is an odd prime. Modulo 2, `x^n + 1` has a root, but the message space is empty.
pub(crate) fn is_odd_prime(number: &BigUint) -> bool {
    number.bit(0) && is_prime(number)
}

/// Whether a number has no small divisor. This is cheap, and rejects most candidates before the full test.
pub(crate) fn has_no_small_divisor(number: &BigUint) -> bool {
    // Several divisors at once: the remainder by their product fits one word and takes one pass over the number.
    SMALL_PRIMES.with(|groups| {
        groups.iter().all(|(product, primes)| {
            let remainder = (number % *product).to_u64().unwrap_or(0);
            primes.iter().all(|prime| {
                !remainder.is_multiple_of(u64::from(*prime)) || number == &BigUint::from(*prime)
            })
        })
    })
}

thread_local! {
    static SMALL_PRIMES: Vec<(u64, Vec<u32>)> = groups_of_primes();
}

/// The odd primes below the limit, in groups whose product fits one word.
fn groups_of_primes() -> Vec<(u64, Vec<u32>)> {
    let mut groups: Vec<(u64, Vec<u32>)> = Vec::new();
    let is_prime = |n: u32| {
        (3..)
            .step_by(2)
            .take_while(|d| d * d <= n)
            .all(|d| !n.is_multiple_of(d))
    };
    for prime in (3..TRIAL_LIMIT).step_by(2).filter(|n| is_prime(*n)) {
        match groups.last_mut() {
            Some((product, primes)) if *product <= u64::from(u32::MAX) => {
                *product *= u64::from(prime);
                primes.push(prime);
            }
            _ => groups.push((u64::from(prime), vec![prime])),
        }
    }
    groups
}

fn boxed(number: &BigUint) -> Option<BoxedUint> {
    let bits = u32::try_from(number.bits().max(1).next_multiple_of(64)).ok()?;
    BoxedUint::from_be_slice(&number.to_bytes_be(), bits).ok()
}

/// Miller-Rabin with bases drawn from a hash of the number.
fn passes_miller_rabin(number: &BigUint, boxed: BoxedUint) -> bool {
    let two = BigUint::from(2u8);
    let Some(odd) = Option::<Odd<BoxedUint>>::from(Odd::new(boxed)) else {
        return number == &two;
    };
    let bytes = number.to_bytes_be();
    // Bases range from 2 to number - 2, so there are none for numbers below 5.
    let Some(span) = checked_sub(number, 3) else {
        return false;
    };
    if span.is_zero() {
        return true;
    }
    let precision = odd.as_ref().bits_precision();
    let test = MillerRabin::new(odd);
    (0u8..).take(ROUNDS).all(|round| {
        let mut base = vec![0; bytes.len() + 16];
        Stream::new(&[b"BF-V01-MR", &[round], &bytes]).fill(&mut base);
        let base = BigUint::from_bytes_be(&base) % &span + &two;
        BoxedUint::from_be_slice(&base.to_bytes_be(), precision)
            .is_ok_and(|base| !test.test(&base).is_composite())
    })
}

fn checked_sub(number: &BigUint, small: u8) -> Option<BigUint> {
    let small = BigUint::from(small);
    (number >= &small).then(|| number - small)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_are_judged_as_trial_division_does() {
        for n in 0u32..2000 {
            let expected = n > 1 && (2..n).all(|d| n % d != 0);
            assert_eq!(is_prime(&BigUint::from(n)), expected, "{n}");
        }
    }

    #[test]
    fn carmichael_numbers_and_strong_pseudoprimes_are_composite() {
        // The least strong pseudoprimes to the first 1, 4, 9 and 13 prime bases, and a strong Lucas pseudoprime.
        for n in [
            "2047",
            "3215031751",
            "3825123056546413051",
            "3317044064679887385961981",
            "5459",
            "561",
            "1729",
        ] {
            assert!(!is_prime(&n.parse().unwrap()), "{n}");
        }
    }

    #[test]
    fn a_mersenne_prime_is_prime_and_its_square_is_not() {
        let prime = (BigUint::from(1u8) << 521u32) - 1u8;
        assert!(is_prime(&prime));
        assert!(!is_prime(&(&prime * &prime)));
    }

    #[test]
    fn trial_division_never_rejects_a_prime() {
        for n in (3u32..20_000).step_by(2) {
            let number = BigUint::from(n);
            assert!(has_no_small_divisor(&number) || !is_prime(&number), "{n}");
        }
        assert!(!has_no_small_divisor(&(BigUint::from(17u8) << 100u32)));
    }
}
