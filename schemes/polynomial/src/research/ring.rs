//! Arithmetic in `Z[x]/(x^n + 1)`: coefficient vectors, lowest degree first.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};

/// The product of two ring elements of the same length.
///
/// Cost: n^2 products, in machine words if they are certain to fit, otherwise with big integers.
pub(crate) fn mul(u: &[BigInt], v: &[BigInt]) -> Vec<BigInt> {
    debug_assert_eq!(u.len(), v.len());
    match (words(u), words(v)) {
        (Some(u), Some(v)) => mul_words(&u, &v),
        _ => mul_big(u, v),
    }
}

/// The elements as machine words, if all are within 2^60, so that a sum of 128 products fits 128 bits.
fn words(u: &[BigInt]) -> Option<Vec<i64>> {
    u.iter()
        .map(|c| c.to_i64().filter(|c| c.unsigned_abs() < 1 << 60))
        .collect()
}

fn mul_words(u: &[i64], v: &[i64]) -> Vec<BigInt> {
    let mut out = vec![0i128; u.len()];
    convolve(u, v, &mut out, |sum, x, y, wrapped| {
        let product = i128::from(*x) * i128::from(*y);
        *sum = if wrapped {
            *sum - product
        } else {
            *sum + product
        };
    });
    out.into_iter().map(BigInt::from).collect()
}

fn mul_big(u: &[BigInt], v: &[BigInt]) -> Vec<BigInt> {
    let mut out = vec![BigInt::zero(); u.len()];
    convolve(u, v, &mut out, |sum, x, y, wrapped| {
        if wrapped {
            *sum -= x * y;
        } else {
            *sum += x * y;
        }
    });
    out
}

/// Calls `add` for each pair of coefficients, with the slot of `out` that it contributes to. If the degrees sum to n or
/// more, the index wraps around and the sign changes, because `x^n = -1`.
fn convolve<T, S>(u: &[T], v: &[T], out: &mut [S], mut add: impl FnMut(&mut S, &T, &T, bool)) {
    let n = out.len();
    for (i, x) in u.iter().enumerate() {
        let (wrapped, straight) = out.split_at_mut(i);
        for (slot, y) in straight.iter_mut().zip(v) {
            add(slot, x, y, false);
        }
        for (slot, y) in wrapped.iter_mut().zip(v.iter().skip(n - i)) {
            add(slot, x, y, true);
        }
    }
}

/// The product of two elements with small coefficients, modulo 2^64. It is exact if the true coefficients fit.
pub(crate) fn mul_wrapping(u: &[i64], v: &[i64]) -> Vec<i64> {
    let mut out = vec![0i64; u.len()];
    convolve(u, v, &mut out, |sum, x, y, wrapped| {
        let product = x.wrapping_mul(*y);
        *sum = if wrapped {
            sum.wrapping_sub(product)
        } else {
            sum.wrapping_add(product)
        };
    });
    out
}

/// Multiplies the element by x, in place.
pub(crate) fn rotate(u: &mut [i64]) {
    u.rotate_right(1);
    if let Some(first) = u.first_mut() {
        *first = -*first;
    }
}

/// The square of the Euclidean norm.
pub(crate) fn norm_squared(u: &[BigInt]) -> BigUint {
    u.iter().map(|c| c.magnitude() * c.magnitude()).sum()
}

/// The value of the element at `point`, reduced modulo `modulus`.
pub(crate) fn evaluate_at(u: &[BigInt], point: &BigUint, modulus: &BigUint) -> BigUint {
    let (point, modulus) = (BigInt::from(point.clone()), BigInt::from(modulus.clone()));
    let value = u.iter().rev().fold(BigInt::zero(), |value, coefficient| {
        (value * &point + coefficient).mod_floor(&modulus)
    });
    value.into_parts().1
}

/// The number reduced modulo `modulus`, never negative.
pub(crate) fn reduce(number: &BigInt, modulus: &BigUint) -> BigUint {
    number
        .mod_floor(&BigInt::from(modulus.clone()))
        .into_parts()
        .1
}

/// The representative of smallest magnitude of a reduced number.
pub(crate) fn centre(number: BigUint, modulus: &BigUint) -> BigInt {
    let number = BigInt::from(number);
    if number.magnitude() > &(modulus >> 1u8) {
        number - BigInt::from(modulus.clone())
    } else {
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn big(u: &[i64]) -> Vec<BigInt> {
        u.iter().map(|c| BigInt::from(*c)).collect()
    }

    #[test]
    fn the_highest_power_times_x_is_minus_one() {
        let x3 = [0, 0, 0, 1];
        assert_eq!(mul(&big(&x3), &big(&[0, 1, 0, 0])), big(&[-1, 0, 0, 0]));
        let mut rotated = x3;
        rotate(&mut rotated);
        assert_eq!(rotated, [-1, 0, 0, 0]);
    }

    #[test]
    fn words_wrapping_words_and_big_integers_give_the_same_product() {
        let (u, v) = ([3, -5, 7, 1 << 40], [-2, 11, 1 << 19, 9]);
        let expected = mul_big(&big(&u), &big(&v));
        assert_eq!(mul(&big(&u), &big(&v)), expected);
        assert_eq!(big(&mul_wrapping(&u, &v)), expected);
    }

    #[test]
    fn large_coefficients_go_through_big_integers_without_loss() {
        let u = big(&[i64::MAX, i64::MIN, i64::MAX, i64::MIN]);
        assert_eq!(mul(&u, &u), mul_big(&u, &u));
    }

    #[test]
    fn evaluation_at_a_root_is_a_homomorphism() {
        // 2^4 = -1 mod 17.
        let (root, modulus) = (BigUint::from(2u8), BigUint::from(17u8));
        let at = |u: &[BigInt]| evaluate_at(u, &root, &modulus);
        let (u, v) = (big(&[3, -5, 7, 2]), big(&[-2, 11, 0, 9]));
        assert_eq!(at(&mul(&u, &v)), at(&u) * at(&v) % &modulus);
    }

    #[test]
    fn centring_keeps_the_residue_and_takes_the_smaller_side() {
        let modulus = BigUint::from(17u8);
        let all: Vec<_> = (0..17u8)
            .map(|x| centre(BigUint::from(x), &modulus))
            .collect();
        assert_eq!(all[8], BigInt::from(8));
        assert_eq!(all[9], BigInt::from(-8));
        assert_eq!(all[16], BigInt::from(-1));
    }
}
