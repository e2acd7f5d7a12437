//! The secret basis, which gives a short vector of any coset of the lattice.
//!
//! The lattice is `L = T R` with `T = g_p g_q`; its basis is the set of rotations `x^i T`. A coset `c + L` of a
//! constant `c` is first reduced exactly, `v = c - T round(c / T)`, and `v` is then replaced by a Gaussian sample over
//! `v + L` (Klein's sampler, with the Gram-Schmidt basis in 53-bit floats). Returning `v` itself would leak the basis,
//! signature by signature.

use super::{
    ring,
    sampler::{self, to_float},
    stream::Stream,
};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use std::f64::consts::{LN_2, PI};
use zeroize::Zeroizing;

/// The part of the secret key that the coset sampler needs. Wiped on drop.
pub(crate) struct Basis {
    /// `T`.
    generator: Zeroizing<Vec<i64>>,
    /// The Gram-Schmidt vectors of the rotations of `T`, concatenated.
    orthogonal: Zeroizing<Vec<f64>>,
    /// Their squared norms.
    squares: Zeroizing<Vec<f64>>,
    /// `1 / T`.
    inverse: Inverse,
}

impl Basis {
    /// Computes the basis from `T`, its adjugate `W_T` and its norm `p q`, with `T W_T = p q`.
    pub(crate) fn new(generator: Zeroizing<Vec<i64>>, adjugate: &[BigInt], norm: &BigUint) -> Self {
        let (orthogonal, squares) = orthogonalise(&generator);
        Self {
            generator,
            orthogonal,
            squares,
            inverse: Inverse::new(adjugate, norm),
        }
    }

    /// The smallest width at which samples do not leak the basis: the length of the longest Gram-Schmidt vector times
    /// the smoothing parameter of the integers for a statistical distance of 2^-64.
    pub(crate) fn smallest_width(&self) -> f64 {
        let n = to_float(i64::try_from(self.generator.len()).unwrap_or(i64::MAX));
        let longest = self.squares.iter().copied().fold(0.0, f64::max).sqrt();
        // ln(2n (1 + 2^64)), where the one is negligible.
        longest * (((2.0 * n).ln() + 64.0 * LN_2) / PI).sqrt()
    }

    /// The short representative `v = c - T round(c W_T / (p q))` of a coset.
    ///
    /// Its coefficients are at most half the sum of those of `T`, so wrapping arithmetic modulo 2^64 is exact.
    pub(crate) fn reduce(&self, constant: &BigUint) -> Zeroizing<Vec<i64>> {
        let quotient = Zeroizing::new(self.inverse.rounded_multiples(constant));
        let mut near = Zeroizing::new(ring::mul_wrapping(&self.generator, &quotient));
        for coefficient in near.iter_mut() {
            *coefficient = coefficient.wrapping_neg();
        }
        if let Some(first) = near.first_mut() {
            *first = first.wrapping_add(lowest_word(constant).cast_signed());
        }
        near
    }

    /// A Gaussian sample of the given width over `near + L`, centred at zero.
    ///
    /// Klein's sampler: from the last basis vector to the first, subtracts a Gaussian multiple, centred at the
    /// coefficient that the nearest-plane algorithm would round.
    ///
    /// All integers stay below 2^53, where floats are exact. Only samples that become signatures are released; rejected
    /// samples are wiped.
    pub(crate) fn sample(
        &self,
        near: &[i64],
        width: f64,
        stream: &mut Stream,
    ) -> Zeroizing<Vec<i64>> {
        let n = self.generator.len();
        let mut current = Zeroizing::new(near.to_vec());
        let mut rotation = Zeroizing::new(self.generator.to_vec());
        for _ in 1..n {
            ring::rotate(&mut rotation);
        }
        let vectors = self.orthogonal.chunks_exact(n).zip(self.squares.iter());
        for (orthogonal, square) in vectors.rev() {
            let centre = dot(&current, orthogonal) / square;
            let multiple = sampler::sample(stream, centre, width / square.sqrt());
            for (coefficient, basis) in current.iter_mut().zip(rotation.iter()) {
                *coefficient -= multiple * basis;
            }
            rotate_back(&mut rotation);
        }
        current
    }
}

fn dot(integers: &[i64], floats: &[f64]) -> f64 {
    let products = integers.iter().zip(floats).map(|(i, f)| to_float(*i) * f);
    products.sum()
}

/// Divides the element by x.
fn rotate_back(u: &mut [i64]) {
    u.rotate_left(1);
    if let Some(last) = u.last_mut() {
        *last = -*last;
    }
}

/// The Gram-Schmidt vectors of the rotations, and their squared norms. Each vector is orthogonalised twice, to reach
/// working precision.
fn orthogonalise(generator: &[i64]) -> (Zeroizing<Vec<f64>>, Zeroizing<Vec<f64>>) {
    let n = generator.len();
    let mut vectors = Zeroizing::new(Vec::with_capacity(n * n));
    let mut squares = Zeroizing::new(Vec::with_capacity(n));
    let mut rotation = Zeroizing::new(generator.to_vec());
    for _ in 0..n {
        let mut vector: Zeroizing<Vec<f64>> =
            Zeroizing::new(rotation.iter().map(|c| to_float(*c)).collect());
        for _ in 0..2 {
            for (earlier, square) in vectors.chunks_exact(n).zip(squares.iter()) {
                let share: f64 = product(&vector, earlier) / square;
                for (slot, along) in vector.iter_mut().zip(earlier) {
                    *slot -= share * along;
                }
            }
        }
        squares.push(product(&vector, &vector));
        vectors.extend_from_slice(&vector);
        ring::rotate(&mut rotation);
    }
    (vectors, squares)
}

fn product(u: &[f64], v: &[f64]) -> f64 {
    u.iter().zip(v).map(|(x, y)| x * y).sum()
}

/// `1 / T = W_T / (p q)` in fixed point: for each coefficient its sign and its magnitude, with one word before the
/// binary point, and one word more than `p q` after it.
struct Inverse {
    /// -1 or 1 for each coefficient.
    signs: Zeroizing<Vec<i64>>,
    /// The magnitudes, concatenated, least significant word first.
    magnitudes: Zeroizing<Vec<u64>>,
    /// The number of words after the binary point.
    fraction: usize,
}

impl Inverse {
    fn new(adjugate: &[BigInt], norm: &BigUint) -> Self {
        let fraction = norm.to_u64_digits().len() + 1;
        let mut signs = Zeroizing::new(Vec::with_capacity(adjugate.len()));
        let mut magnitudes = Zeroizing::new(Vec::with_capacity(adjugate.len() * (fraction + 1)));
        for coefficient in adjugate {
            let scaled = (coefficient.magnitude() << (64 * fraction)).div_floor(norm);
            let mut words = Zeroizing::new(scaled.to_u64_digits());
            words.resize(fraction + 1, 0);
            signs.push(if coefficient < &BigInt::ZERO { -1 } else { 1 });
            magnitudes.extend_from_slice(&words);
        }
        Self {
            signs,
            magnitudes,
            fraction,
        }
    }

    /// `round(c / T)` modulo 2^64, for `c` below `p q`.
    ///
    /// Rounds to nearest, except that within 2^-64 of a half it may round to either neighbour. The sequence of steps
    /// does not depend on the secret.
    fn rounded_multiples(&self, constant: &BigUint) -> Vec<i64> {
        let constant = constant.to_u64_digits();
        let multiples = self.magnitudes.chunks_exact(self.fraction + 1);
        multiples
            .zip(self.signs.iter())
            .map(|(magnitude, sign)| {
                let (whole, after) = product_around_point(&constant, magnitude, self.fraction);
                let rounded = whole.wrapping_add(after >> 63);
                rounded.cast_signed().wrapping_mul(*sign)
            })
            .collect()
    }
}

/// The words with index `point` and `point - 1` of the product of two numbers, least significant word first.
fn product_around_point(u: &[u64], v: &[u64], point: usize) -> (u64, u64) {
    let mut words = Zeroizing::new(vec![0u64; point + 1]);
    for (i, x) in u.iter().enumerate() {
        let mut carry = 0;
        for (slot, y) in words.iter_mut().skip(i).zip(v) {
            (*slot, carry) = x.carrying_mul_add_words(*y, *slot, carry);
        }
        if let Some(slot) = words.get_mut(i + v.len()) {
            *slot = carry;
        }
    }
    let word = |index: Option<usize>| index.and_then(|i| words.get(i)).copied().unwrap_or(0);
    (word(Some(point)), word(point.checked_sub(1)))
}

trait CarryingMul: Sized {
    /// The low and the high word of `self * factor + addend + carry`.
    fn carrying_mul_add_words(self, factor: Self, addend: Self, carry: Self) -> (Self, Self);
}

impl CarryingMul for u64 {
    #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
    fn carrying_mul_add_words(self, factor: Self, addend: Self, carry: Self) -> (Self, Self) {
        let sum = u128::from(self) * u128::from(factor) + u128::from(addend) + u128::from(carry);
        (sum as Self, (sum >> 64) as Self)
    }
}

fn lowest_word(number: &BigUint) -> u64 {
    number.iter_u64_digits().next().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::research::tower;
    use num_traits::ToPrimitive;
    use rand::{Rng, SeedableRng};

    struct Case {
        basis: Basis,
        adjugate: Vec<BigInt>,
        norm: BigUint,
    }

    fn case(n: usize, seed: u64) -> Case {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        let mut draw = || -> Vec<i64> { (0..n).map(|_| rng.gen_range(-20..=20)).collect() };
        let generator = ring::mul_wrapping(&draw(), &draw());
        let big: Vec<_> = generator.iter().map(|c| BigInt::from(*c)).collect();
        let (norm, adjugate) = tower::norm_and_adjugate(&big);
        let norm = norm.into_parts().1;
        let basis = Basis::new(Zeroizing::new(generator), &adjugate, &norm);
        Case {
            basis,
            adjugate,
            norm,
        }
    }

    fn random_below(norm: &BigUint, rng: &mut impl Rng) -> BigUint {
        let bytes: Vec<u8> = (0..norm.bits() / 8 + 9).map(|_| rng.gen()).collect();
        BigUint::from_bytes_be(&bytes) % norm
    }

    /// The reference reduction, with big integers.
    fn exact(case: &Case, constant: &BigUint) -> Vec<i64> {
        let norm = BigInt::from(case.norm.clone());
        let constant = BigInt::from(constant.clone());
        let rounded: Vec<_> = case
            .adjugate
            .iter()
            .map(|w| (((&constant * w) << 1u8) + &norm).div_floor(&(&norm << 1u8)))
            .collect();
        let generator: Vec<_> = case
            .basis
            .generator
            .iter()
            .map(|c| BigInt::from(*c))
            .collect();
        let mut near: Vec<_> = ring::mul(&generator, &rounded)
            .into_iter()
            .map(|c| -c)
            .collect();
        near[0] += constant;
        near.iter().map(|c| c.to_i64().unwrap()).collect()
    }

    #[test]
    fn fixed_point_reduction_is_the_exact_one() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(9);
        for (n, seed) in [(4, 1), (16, 2), (64, 3)] {
            let case = case(n, seed);
            for _ in 0..20 {
                let constant = random_below(&case.norm, &mut rng);
                assert_eq!(*case.basis.reduce(&constant), exact(&case, &constant));
            }
        }
    }

    #[test]
    fn gram_schmidt_vectors_are_orthogonal_and_span_the_volume() {
        let case = case(32, 4);
        let vectors: Vec<_> = case.basis.orthogonal.chunks_exact(32).collect();
        for (i, u) in vectors.iter().enumerate() {
            for v in &vectors[..i] {
                let cosine = product(u, v) / (product(u, u) * product(v, v)).sqrt();
                assert!(cosine.abs() < 1e-12, "{cosine}");
            }
        }
        let volume: f64 = case.basis.squares.iter().map(|s| s.log2() / 2.0).sum();
        let expected = case.norm.to_f64().unwrap().log2();
        assert!((volume - expected).abs() < 1e-6, "{volume} {expected}");
    }

    #[test]
    fn samples_stay_in_the_coset() {
        let case = case(16, 5);
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(10);
        let constant = random_below(&case.norm, &mut rng);
        let near = case.basis.reduce(&constant);
        let width = 16.0 * case.basis.smallest_width();
        let mut stream = Stream::new(&[b"coset"]);
        let sample = case.basis.sample(&near, width, &mut stream);
        // The difference is a multiple of T, so its product with W_T is divisible by the norm.
        let difference: Vec<_> = sample
            .iter()
            .zip(near.iter())
            .map(|(a, b)| BigInt::from(a - b))
            .collect();
        let norm = BigInt::from(case.norm);
        assert!(ring::mul(&difference, &case.adjugate)
            .iter()
            .all(|c| c.is_multiple_of(&norm)));
        assert!(difference.iter().any(|c| c != &BigInt::ZERO));
    }

    #[test]
    fn coefficients_are_centred_with_the_deviation_of_the_width() {
        let case = case(16, 6);
        let width = 64.0 * case.basis.smallest_width();
        let mut stream = Stream::new(&[b"moments"]);
        let (mut sum, mut squares, mut signs) = (0.0, 0.0, 0i32);
        let samples = 10_000;
        let near = case.basis.reduce(&(&case.norm / 3u8));
        for _ in 0..samples {
            let sample = case.basis.sample(&near, width, &mut stream);
            signs += if dot(&sample, &case.basis.orthogonal[..16]) > 0.0 {
                1
            } else {
                -1
            };
            for coefficient in sample.iter() {
                sum += to_float(*coefficient);
                squares += to_float(*coefficient).powi(2);
            }
        }
        let count = f64::from(samples) * 16.0;
        let deviation = width / (2.0 * PI).sqrt();
        assert!((sum / count).abs() < 0.01 * deviation);
        assert!(((squares / count).sqrt() / deviation - 1.0).abs() < 0.01);
        // Four standard deviations for fair signs.
        assert!(signs.abs() < 400, "{signs}");
    }
}
