//! The two resultants that the thesis compares, for its Figure 4.2: of `x^n + 1` and a candidate `G`, which is the norm
//! of `G`.
//!
//! `duet-polynomial` has neither: it computes norms in a tower of fields.

use num_bigint::BigInt;

/// By Euclid's algorithm over the rational numbers, exact at every step: the thesis's first version. Divisors are made
/// monic, without which the fractions grow much faster.
pub fn rational(candidate: &[i64]) -> BigInt {
    let mut above: Vec<_> = modulus(candidate.len()).map(Fraction::from).collect();
    let mut below: Vec<_> = candidate.iter().copied().map(Fraction::from).collect();
    let mut result = Fraction::from(1);
    loop {
        trim(&mut below, Fraction::is_zero);
        let Some(leading) = below.last().cloned() else {
            return BigInt::ZERO;
        };
        for _ in 1..above.len() {
            result = result.times(&leading);
        }
        if below.len() == 1 {
            return result.numerator;
        }
        for coefficient in &mut below {
            *coefficient = coefficient.over(&leading);
        }
        if (above.len() - 1) * (below.len() - 1) % 2 == 1 {
            result = Fraction::from(0).minus(&result);
        }
        while above.len() >= below.len() {
            let shift = above.len() - below.len();
            let factor = above.pop().unwrap_or_else(|| Fraction::from(0));
            for (slot, coefficient) in above[shift..].iter_mut().zip(&below) {
                *slot = slot.minus(&factor.times(coefficient));
            }
        }
        std::mem::swap(&mut above, &mut below);
    }
}

/// Modulo enough primes of 31 bits, with the Chinese remainder theorem: the thesis's second version.
pub struct Modular {
    primes: Vec<u64>,
}

impl Modular {
    /// The primes for candidates of dimension `n` with coefficients of at most `n + 1`.
    pub fn new(n: u32) -> Self {
        // Hadamard: the resultant is at most |x^n + 1|^(n - 1) |G|^n, and |G| at most n^1.5 + 1.
        let bits = f64::from(n) * (0.5 + (f64::from(n).powf(1.5) + 1.0).log2()) + 1.0;
        let is_prime = |number: &u64| (3..=46_341).step_by(2).all(|d| !number.is_multiple_of(d));
        let odd = (1_u64 << 30..1 << 31)
            .rev()
            .filter(|number| number % 2 == 1);
        // Each prime has at least 30 bits.
        let wanted = (1_u32..).find(|count| f64::from(30 * *count) > bits);
        let wanted = usize::try_from(wanted.unwrap_or(u32::MAX)).unwrap_or(usize::MAX);
        Self {
            primes: odd.filter(is_prime).take(wanted).collect(),
        }
    }

    /// The resultant, which is not negative.
    pub fn resultant(&self, candidate: &[i64]) -> BigInt {
        let (mut result, mut product) = (BigInt::ZERO, BigInt::from(1));
        for prime in &self.primes {
            let residue = resultant_modulo(candidate, *prime);
            let known = residue_of(&result, *prime);
            let inverse = power(residue_of(&product, *prime), prime - 2, *prime);
            let step = (residue + prime - known) % prime * inverse % prime;
            result += &product * step;
            product *= *prime;
        }
        result
    }
}

/// The coefficients of `x^n + 1`.
fn modulus(n: usize) -> impl Iterator<Item = i64> {
    (0..=n).map(move |power| i64::from(power == 0 || power == n))
}

fn trim<T>(coefficients: &mut Vec<T>, is_zero: impl Fn(&T) -> bool) {
    while coefficients.last().is_some_and(&is_zero) {
        coefficients.pop();
    }
}

fn resultant_modulo(candidate: &[i64], prime: u64) -> u64 {
    let reduce = |coefficient: i64| {
        let magnitude = coefficient.unsigned_abs() % prime;
        if coefficient < 0 {
            (prime - magnitude) % prime
        } else {
            magnitude
        }
    };
    let mut above: Vec<u64> = modulus(candidate.len()).map(reduce).collect();
    let mut below: Vec<u64> = candidate.iter().copied().map(reduce).collect();
    let (mut result, is_zero) = (1, |coefficient: &u64| *coefficient == 0);
    trim(&mut below, is_zero);
    while below.len() > 1 {
        let leading = below[below.len() - 1];
        let inverse = power(leading, prime - 2, prime);
        let degrees = (above.len() - 1, below.len() - 1);
        while above.len() >= below.len() {
            let factor = above[above.len() - 1] * inverse % prime;
            let shift = above.len() - below.len();
            for (slot, coefficient) in above[shift..].iter_mut().zip(&below) {
                *slot = (*slot + prime - factor * coefficient % prime) % prime;
            }
            above.pop();
            trim(&mut above, is_zero);
        }
        if above.is_empty() {
            return 0;
        }
        if degrees.0 * degrees.1 % 2 == 1 {
            result = (prime - result) % prime;
        }
        let lost = degrees.0 - (above.len() - 1);
        result = result * power(leading, lost as u64, prime) % prime;
        std::mem::swap(&mut above, &mut below);
    }
    let last = below.pop().unwrap_or(0);
    result * power(last, above.len() as u64 - 1, prime) % prime
}

fn power(base: u64, mut exponent: u64, prime: u64) -> u64 {
    let (mut result, mut square) = (1, base);
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = result * square % prime;
        }
        square = square * square % prime;
        exponent /= 2;
    }
    result
}

/// Of a number that is not negative.
fn residue_of(number: &BigInt, prime: u64) -> u64 {
    let digits = number.iter_u64_digits().rev();
    digits.fold(0, |rest, digit| {
        let all = (u128::from(rest) << 64 | u128::from(digit)) % u128::from(prime);
        u64::try_from(all).unwrap_or_default()
    })
}

/// In lowest terms, with a positive denominator.
#[derive(Clone)]
struct Fraction {
    numerator: BigInt,
    denominator: BigInt,
}

impl From<i64> for Fraction {
    fn from(number: i64) -> Self {
        Self {
            numerator: number.into(),
            denominator: 1.into(),
        }
    }
}

impl Fraction {
    fn new(numerator: BigInt, denominator: BigInt) -> Self {
        let (mut common, mut rest) = (numerator.clone(), denominator.clone());
        while rest != BigInt::ZERO {
            common %= &rest;
            std::mem::swap(&mut common, &mut rest);
        }
        // Of the sign of the denominator.
        if (common < BigInt::ZERO) != (denominator < BigInt::ZERO) {
            common = -common;
        }
        Self {
            numerator: numerator / &common,
            denominator: denominator / common,
        }
    }

    fn is_zero(&self) -> bool {
        self.numerator == BigInt::ZERO
    }

    fn times(&self, other: &Self) -> Self {
        Self::new(
            &self.numerator * &other.numerator,
            &self.denominator * &other.denominator,
        )
    }

    fn over(&self, other: &Self) -> Self {
        Self::new(
            &self.numerator * &other.denominator,
            &self.denominator * &other.numerator,
        )
    }

    fn minus(&self, other: &Self) -> Self {
        Self::new(
            &self.numerator * &other.denominator - &other.numerator * &self.denominator,
            &self.denominator * &other.denominator,
        )
    }
}
