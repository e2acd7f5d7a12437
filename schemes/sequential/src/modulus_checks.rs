//! Cheap checks that reject moduli from broken or malicious generators.
//!
//! The scheme does not need a proof that a key is well-formed: a bad modulus only endangers statements under that key.
//! These checks protect owners from broken generators.

use std::sync::OnceLock;

/// Trial division uses all odd primes up to this limit.
const TRIAL_LIMIT: u16 = u16::MAX;
/// The primes modulo which ROCA moduli are powers of 65537.
const ROCA_LIMIT: u16 = 167;

/// The odd primes up to [`TRIAL_LIMIT`].
fn primes() -> &'static [u16] {
    static PRIMES: OnceLock<Vec<u16>> = OnceLock::new();
    PRIMES.get_or_init(|| {
        let mut primes: Vec<u16> = Vec::with_capacity(6541);
        for candidate in (3..=TRIAL_LIMIT).step_by(2) {
            let is_prime = primes
                .iter()
                .take_while(|prime| u32::from(**prime).pow(2) <= u32::from(candidate))
                .all(|prime| candidate % prime != 0);
            if is_prime {
                primes.push(candidate);
            }
        }
        primes
    })
}

/// `number mod modulus` for a big-endian number.
fn residue(number: &[u8], modulus: u32) -> u32 {
    let modulus = u64::from(modulus.max(1));
    let residue = number.chunks(4).fold(0, |residue: u64, chunk| {
        let word = chunk
            .iter()
            .fold(0, |word, byte| word << 8 | u64::from(*byte));
        (residue << (8 * chunk.len()) | word) % modulus
    });
    u32::try_from(residue).unwrap_or(u32::MAX)
}

/// The smallest odd prime below 2^16 that divides the number. The length of the number must be a multiple of four
/// bytes.
///
/// Cost: about a millisecond for 3072 bits. Each pass over the number tests two primes.
pub(crate) fn small_factor(number: &[u8]) -> Option<u16> {
    primes().chunks(2).find_map(|pair| {
        let product = pair.iter().map(|prime| u32::from(*prime)).product();
        let residue = residue(number, product);
        pair.iter()
            .copied()
            .find(|prime| residue.is_multiple_of(u32::from(*prime)))
    })
}

/// Whether the number has the fingerprint of the generator of CVE-2017-15361 (ROCA).
///
/// Its primes are `k·M + (65537^a mod M)`, where `M` is a product of small primes. So its moduli are powers of 65537
/// modulo each of these primes, which has a probability of about 2^-27 for a random modulus.
pub(crate) fn has_roca_fingerprint(number: &[u8]) -> bool {
    primes()
        .iter()
        .take_while(|prime| **prime <= ROCA_LIMIT)
        .all(|prime| {
            let prime = u32::from(*prime);
            is_power_of_65537(residue(number, prime), prime)
        })
}

fn is_power_of_65537(number: u32, prime: u32) -> bool {
    let generator = 65537 % prime;
    let mut power = 1;
    for _ in 0..prime {
        if power == number {
            return true;
        }
        power = power * generator % prime;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;

    /// Padded to a multiple of four bytes, like a modulus.
    fn padded(number: &BigUint) -> Vec<u8> {
        let mut bytes = number.to_bytes_be();
        while !bytes.len().is_multiple_of(4) {
            bytes.insert(0, 0);
        }
        bytes
    }

    #[test]
    fn all_odd_primes_below_two_to_the_sixteenth_are_tried() {
        assert_eq!(primes().len(), 6541);
        assert_eq!(primes().first(), Some(&3));
        assert_eq!(primes().last(), Some(&65521));
    }

    #[test]
    fn a_residue_is_the_one_that_big_integers_give() {
        let number: Vec<u8> = (0..256_u32)
            .map(|i| (i * i % 251).to_le_bytes()[0])
            .collect();
        for modulus in [1, 3, 65521, 65521 * 65519, u32::MAX] {
            let expected = BigUint::from_bytes_be(&number) % modulus;
            assert_eq!(BigUint::from(residue(&number, modulus)), expected);
        }
    }

    #[test]
    fn a_small_factor_is_found_and_named() {
        // A large prime, 2^521 - 1, times each factor.
        let prime: BigUint = (BigUint::from(1_u8) << 521) - 1_u8;
        for factor in [3_u16, 65519, 65521] {
            let number: BigUint = &prime * factor;
            assert_eq!(small_factor(&padded(&number)), Some(factor));
        }
        assert_eq!(small_factor(&padded(&prime)), None);
    }

    #[test]
    fn products_of_powers_of_65537_have_the_fingerprint_and_their_neighbours_do_not() {
        let product: BigUint = primes()
            .iter()
            .take_while(|prime| **prime <= ROCA_LIMIT)
            .map(|prime| BigUint::from(*prime))
            .product();
        let power: BigUint = BigUint::from(65537_u32).modpow(&BigUint::from(123_456_u32), &product);
        let number: BigUint = &product * 1_234_567_u32 + power;
        assert!(has_roca_fingerprint(&padded(&number)));
        assert!(!has_roca_fingerprint(&padded(&(number + 2_u8))));
    }
}
