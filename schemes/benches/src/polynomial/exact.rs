//! Signing with an exact Gram-Schmidt basis, the thesis's first version, for its Figures 4.3 and 4.4.
//!
//! `duet-polynomial` makes one exact step and then samples with floats. Here every centre of the sampler is exact: all
//! coefficients are integers over the determinants of the leading Gram matrices.

use duet_polynomial::research::{GeneratedKey, PublicKey, Signature};
use num_bigint::BigInt;
use rand_core::RngCore;
use std::f64::consts::PI;

/// The Gram-Schmidt basis of a key, and the width of signatures.
pub struct ExactBasis {
    rows: Vec<Vec<BigInt>>,
    /// Of the Gram matrices of the first rows, from none on.
    determinants: Vec<BigInt>,
    /// Times the next determinant: the coefficients of each row on the earlier ones.
    shares: Vec<Vec<BigInt>>,
    /// Of each row's Gaussian.
    widths: Vec<f64>,
}

impl ExactBasis {
    /// Orthogonalises the rotations of `T`, the product of the key's generators.
    ///
    /// # Panics
    /// If the key's encoding is not the documented one.
    pub fn new(generated: &GeneratedKey) -> Self {
        let dimension = generated.signing.public().dimension();
        let [p, q] = generators(generated);
        let mut row: Vec<_> = multiply(&p, &q).into_iter().map(BigInt::from).collect();
        let mut basis = Self {
            rows: Vec::new(),
            determinants: vec![BigInt::from(1)],
            shares: Vec::new(),
            widths: Vec::new(),
        };
        for _ in 0..dimension.get() {
            let (shares, determinant) = basis.orthogonalise(&row);
            let earlier = &basis.determinants[basis.determinants.len() - 1];
            let length = quotient(&determinant, earlier).sqrt();
            basis.widths.push(float(dimension.width()) / length);
            basis.rows.push(row.clone());
            basis.shares.push(shares);
            basis.determinants.push(determinant);
            row.rotate_right(1);
            row[0] = -std::mem::take(&mut row[0]);
        }
        basis
    }

    /// A Gaussian sample of the coset of a constant, which is a signature if the constant encodes message and label.
    pub fn sample(&self, constant: &BigInt, rng: &mut impl RngCore) -> Vec<BigInt> {
        let mut current = vec![BigInt::ZERO; self.rows.len()];
        current[0] = constant.clone();
        let (mut shares, _) = self.orthogonalise(&current);
        for index in (0..self.rows.len()).rev() {
            let determinant = &self.determinants[index + 1];
            let (whole, rest) = floor(&shares[index], determinant);
            let multiple = whole + gaussian(rng, quotient(&rest, determinant), self.widths[index]);
            for (slot, coefficient) in current.iter_mut().zip(&self.rows[index]) {
                *slot -= &multiple * coefficient;
            }
            for (slot, share) in shares.iter_mut().zip(&self.shares[index]) {
                *slot -= &multiple * share;
            }
        }
        current
    }

    /// The coefficients on the rows so far, and the determinant with this row.
    fn orthogonalise(&self, vector: &[BigInt]) -> (Vec<BigInt>, BigInt) {
        let mut shares: Vec<BigInt> = Vec::with_capacity(self.rows.len());
        for (row, of_row) in self.rows.iter().zip(&self.shares) {
            let share = self.without(dot(vector, row), &shares, of_row);
            shares.push(share);
        }
        let determinant = self.without(dot(vector, vector), &shares, &shares);
        (shares, determinant)
    }

    fn without(&self, product: BigInt, left: &[BigInt], right: &[BigInt]) -> BigInt {
        let pairs = left.iter().zip(right).zip(self.determinants.windows(2));
        pairs.fold(product, |rest, ((left, right), determinants)| {
            (rest * &determinants[1] - left * right) / &determinants[0]
        })
    }
}

/// The constant whose coset has the signatures of a message under the label of `signature`, which is one of them.
///
/// # Panics
/// If both moduli of the key are one.
pub fn coset(key: &PublicKey, signature: &Signature, message: &BigInt) -> BigInt {
    let (p, q) = (key.message_modulus(), key.identifier_modulus());
    let (p, q) = (BigInt::from(p.clone()), BigInt::from(q.clone()));
    let root = BigInt::from(key.roots().1.clone());
    let coefficients = signature.coefficients().iter().rev();
    let label = coefficients.fold(BigInt::ZERO, |value, coefficient| {
        floor(&(value * &root + coefficient), &q).1
    });
    let inverse = floor(&q, &p).1.modinv(&p).expect("two primes");
    let difference = floor(&((message - &label) * inverse), &p).1;
    label + q * difference
}

/// The generators of the two ideals, from the documented encoding of a secret key.
///
/// # Panics
/// If the key's encoding is not the documented one.
pub fn generators(generated: &GeneratedKey) -> [Vec<i64>; 2] {
    let bytes = generated.secret.expose();
    let n = generated.signing.public().dimension().get();
    let (coefficients, _) = bytes[3..3 + 4 * n].as_chunks::<2>();
    let coefficients = coefficients
        .iter()
        .map(|bytes| i64::from(i16::from_be_bytes(*bytes)));
    let coefficients: Vec<_> = coefficients.collect();
    let (p, q) = coefficients.split_at(n);
    [p.to_vec(), q.to_vec()]
}

/// In the ring modulo `x^n + 1`. The products are small.
fn multiply(left: &[i64], right: &[i64]) -> Vec<i64> {
    let n = left.len();
    let mut out = vec![0; n];
    for (i, x) in left.iter().enumerate() {
        for (j, y) in right.iter().enumerate() {
            let sign = if i + j < n { 1 } else { -1 };
            out[(i + j) % n] += sign * x * y;
        }
    }
    out
}

fn dot(left: &[BigInt], right: &[BigInt]) -> BigInt {
    left.iter().zip(right).map(|(x, y)| x * y).sum()
}

/// Quotient and remainder; the remainder has the sign of the divisor, which is positive.
fn floor(dividend: &BigInt, divisor: &BigInt) -> (BigInt, BigInt) {
    let (quotient, rest) = (dividend / divisor, dividend % divisor);
    if rest < BigInt::ZERO {
        (quotient - 1, rest + divisor)
    } else {
        (quotient, rest)
    }
}

/// A fraction of numbers that are not negative, as a float.
fn quotient(dividend: &BigInt, divisor: &BigInt) -> f64 {
    let scaled: BigInt = (dividend << 64_u32) / divisor;
    let digits = scaled.iter_u64_digits().rev();
    let scale = 2_f64.powi(64);
    // The low half is lost, which a double has no room for.
    digits.fold(0.0, |sum, digit| sum * scale + float(digit)) / scale
}

#[expect(clippy::cast_precision_loss, reason = "the value of a float")]
fn float(digit: u64) -> f64 {
    digit as f64
}

/// A sample of the Gaussian over the integers: rejection from twelve deviations on each side.
#[expect(clippy::cast_possible_truncation, reason = "far below 2^63")]
fn gaussian(rng: &mut impl RngCore, centre: f64, width: f64) -> i64 {
    let reach = 12.0 * width / (2.0 * PI).sqrt();
    let unit = |rng: &mut dyn RngCore| float(rng.next_u64() >> 11) / 2_f64.powi(53);
    loop {
        let drawn = (centre + (2.0 * unit(rng) - 1.0) * reach).round();
        let distance = (drawn - centre) / width;
        if unit(rng) < (-PI * distance * distance).exp() {
            return drawn as i64;
        }
    }
}
