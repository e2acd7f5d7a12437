//! Norm and adjugate of a ring element, by the tower of fields `Q(x) > Q(x^2) > Q(x^4) > ... > Q`.
//!
//! `G(x) G(-x)` has only even powers, so it is an element `G'` of the ring of half the dimension, and the norm of `G`
//! is the norm of `G'`. With `G = E(x^2) + x O(x^2)`, `G'(y) = E(y)^2 - y O(y)^2`.

use super::ring;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

/// The norm of a generator: the resultant of `G` and `x^n + 1`. It is not negative, because `x^n + 1` has no real root.
///
/// Cost: three steps in 128-bit words, the rest with big integers, fewer than 2 n^2 products in all. Key generation
/// computes the norm of every candidate, and the adjugate only of the accepted one.
pub(crate) fn norm(generator: &[i64]) -> BigUint {
    let mut words: Vec<i128> = generator.iter().copied().map(i128::from).collect();
    while words.len() > 1 {
        match descend_words(&words) {
            Some(half) => words = half,
            None => break,
        }
    }
    let mut element: Vec<BigInt> = words.into_iter().map(BigInt::from).collect();
    while element.len() > 1 {
        let (even, odd) = halves(&element);
        let (mut half, odd) = (ring::mul(&even, &even), ring::mul(&odd, &odd));
        for (slot, square) in half.iter_mut().zip(times_y(odd)) {
            *slot -= square;
        }
        element = half;
    }
    element.pop().unwrap_or_default().into_parts().1
}

/// One step of the tower in machine words; `None` if the result might not fit.
fn descend_words(element: &[i128]) -> Option<Vec<i128>> {
    // Each new coefficient is a sum of at most n products.
    let largest = element.iter().map(|c| c.unsigned_abs()).max()?;
    if largest >= 1 << 59 {
        return None;
    }
    let n = element.len() / 2;
    let even: Vec<_> = element.iter().copied().step_by(2).collect();
    let odd: Vec<_> = element.iter().copied().skip(1).step_by(2).collect();
    let mut half = vec![0i128; n];
    for (i, slot) in half.iter_mut().enumerate() {
        *slot = square_coefficient(&even, i) - shifted_square_coefficient(&odd, i);
    }
    Some(half)
}

/// The coefficient of `y^i` in the square of `u`.
fn square_coefficient(u: &[i128], i: usize) -> i128 {
    let n = u.len();
    let low: i128 = (0..=i).map(|j| u[j] * u[i - j]).sum();
    let high: i128 = (i + 1..n).map(|j| u[j] * u[n + i - j]).sum();
    low - high
}

/// The coefficient of `y^i` in `y u^2`.
fn shifted_square_coefficient(u: &[i128], i: usize) -> i128 {
    match i.checked_sub(1) {
        Some(before) => square_coefficient(u, before),
        None => -square_coefficient(u, u.len() - 1),
    }
}

fn halves(element: &[BigInt]) -> (Vec<BigInt>, Vec<BigInt>) {
    let half = |from| element.iter().skip(from).step_by(2).cloned().collect();
    (half(0), half(1))
}

fn times_y(mut element: Vec<BigInt>) -> Vec<BigInt> {
    element.rotate_right(1);
    if let Some(first) = element.first_mut() {
        *first = -std::mem::take(first);
    }
    element
}

/// The norm `N` of an element and its adjugate `W`, with `G W = N` in the ring.
pub(crate) fn norm_and_adjugate(element: &[BigInt]) -> (BigInt, Vec<BigInt>) {
    if let [constant] = element {
        return (constant.clone(), vec![BigInt::one()]);
    }
    let conjugate: Vec<_> = element
        .iter()
        .enumerate()
        .map(|(i, c)| if i % 2 == 0 { c.clone() } else { -c })
        .collect();
    let product = ring::mul(element, &conjugate);
    let (norm, below) = norm_and_adjugate(&halves(&product).0);
    let mut lifted = vec![BigInt::zero(); element.len()];
    for (slot, coefficient) in lifted.iter_mut().step_by(2).zip(below) {
        *slot = coefficient;
    }
    (norm, ring::mul(&conjugate, &lifted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::Signed;
    use rand::{Rng, SeedableRng};

    fn random(n: usize, rng: &mut impl Rng) -> Vec<i64> {
        let bound = i64::try_from(n).unwrap();
        (0..n).map(|_| rng.gen_range(-bound..=bound)).collect()
    }

    fn big(u: &[i64]) -> Vec<BigInt> {
        u.iter().map(|c| BigInt::from(*c)).collect()
    }

    /// The determinant of multiplication by `u`, by fraction-free elimination.
    fn resultant(u: &[i64]) -> BigInt {
        let mut rows = vec![u.to_vec()];
        for _ in 1..u.len() {
            let mut next = rows[rows.len() - 1].clone();
            ring::rotate(&mut next);
            rows.push(next);
        }
        let mut rows: Vec<_> = rows.iter().map(|row| big(row)).collect();
        let (mut sign, mut last) = (1, BigInt::one());
        for k in 0..rows.len() {
            let Some(pivot) = (k..rows.len()).find(|i| !rows[*i][k].is_zero()) else {
                return BigInt::zero();
            };
            if pivot != k {
                rows.swap(pivot, k);
                sign = -sign;
            }
            for i in k + 1..rows.len() {
                for j in k + 1..rows.len() {
                    rows[i][j] = (&rows[i][j] * &rows[k][k] - &rows[i][k] * &rows[k][j]) / &last;
                }
            }
            last = rows[k][k].clone();
        }
        last * sign
    }

    #[test]
    fn the_tower_agrees_with_the_resultant() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        for n in [1, 2, 4, 8, 16] {
            for _ in 0..20 {
                let u = random(n, &mut rng);
                let expected = resultant(&u);
                assert_eq!(norm_and_adjugate(&big(&u)).0, expected);
                assert_eq!(BigInt::from(norm(&u)), expected.abs());
            }
        }
    }

    #[test]
    fn an_element_times_its_adjugate_is_its_norm() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(2);
        for n in [4, 16, 64, 128] {
            let u = random(n, &mut rng);
            let (constant, adjugate) = norm_and_adjugate(&big(&u));
            let mut expected = vec![BigInt::zero(); n];
            expected[0] = constant.clone();
            assert_eq!(ring::mul(&big(&u), &adjugate), expected);
            assert_eq!(BigInt::from(norm(&u)), constant);
        }
    }

    #[test]
    fn the_norm_of_a_product_is_the_product_of_the_norms() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(3);
        for n in [4, 8, 32] {
            let (u, v) = (random(n, &mut rng), random(n, &mut rng));
            let product = ring::mul_wrapping(&u, &v);
            assert_eq!(norm(&product), norm(&u) * norm(&v));
        }
    }
}
