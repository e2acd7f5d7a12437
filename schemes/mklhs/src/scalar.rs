//! Public integers modulo `q`, in signed representation: values above `q/2` are negative numbers.

use crate::{modular, suite::SCALAR_LEN};
use std::{
    fmt,
    ops::{Add, Mul, Neg},
    str::FromStr,
};

/// The group order `q`, least significant limb first.
const ORDER: [u64; 4] = [
    0xffff_ffff_0000_0001,
    0x53bd_a402_fffe_5bfe,
    0x3339_d808_09a1_d805,
    0x73ed_a753_299d_7d48,
];
/// `(q − 1) / 2`: the largest positive number.
const LARGEST: [u64; 4] = [
    0x7fff_ffff_8000_0000,
    0xa9de_d201_7fff_2dff,
    0x199c_ec04_04d0_ec02,
    0x39f6_d3a9_94ce_bea4,
];

/// A public integer modulo `q`: a coefficient, a message or a sum.
///
/// Converts from every built-in integer type; negative numbers are `q` minus their absolute value. Displays and parses
/// as a signed decimal.
///
/// # Security
/// Not constant-time. Use it for public values only.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Scalar([u64; 4]);

/// The text is not an integer from `−(q − 1)/2` to `(q − 1)/2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a decimal integer from -(q-1)/2 to (q-1)/2")]
pub struct ParseScalarError;

impl Scalar {
    /// Zero.
    pub const ZERO: Self = Self([0; 4]);
    /// One.
    pub const ONE: Self = Self([1, 0, 0, 0]);

    /// Decodes 32 big-endian bytes; `None` if the value is not below `q`.
    pub fn from_bytes(bytes: &[u8; SCALAR_LEN]) -> Option<Self> {
        let mut limbs = [0; 4];
        for (limb, chunk) in limbs.iter_mut().zip(bytes.rchunks_exact(8)) {
            *limb = chunk
                .iter()
                .fold(0, |limb, byte| limb << 8 | u64::from(*byte));
        }
        is_less(&limbs, &ORDER).then_some(Self(limbs))
    }

    /// The encoding, 32 big-endian bytes.
    pub fn to_bytes(&self) -> [u8; SCALAR_LEN] {
        let mut bytes = [0; SCALAR_LEN];
        for (chunk, limb) in bytes.rchunks_exact_mut(8).zip(self.0) {
            chunk.copy_from_slice(&limb.to_be_bytes());
        }
        bytes
    }

    /// Whether the scalar is zero.
    pub fn is_zero(&self) -> bool {
        self.0 == [0; 4]
    }

    /// The signed integer, if it fits.
    pub fn to_i128(&self) -> Option<i128> {
        let (is_negative, [low, high, 0, 0]) = self.sign_and_magnitude() else {
            return None;
        };
        let magnitude = u128::from(high) << 64 | u128::from(low);
        if is_negative {
            0_i128.checked_sub_unsigned(magnitude)
        } else {
            i128::try_from(magnitude).ok()
        }
    }

    /// Whether the number is negative, and its absolute value, least significant limb first.
    pub(crate) fn sign_and_magnitude(&self) -> (bool, [u64; 4]) {
        if is_less(&LARGEST, &self.0) {
            (true, difference(&ORDER, &self.0).0)
        } else {
            (false, self.0)
        }
    }

    /// The absolute value, if it has at most 64 bits.
    pub(crate) fn short_magnitude(&self) -> Option<u64> {
        match self.sign_and_magnitude() {
            (_, [short, 0, 0, 0]) => Some(short),
            _ => None,
        }
    }

    /// Whether the absolute value is at most `limit · 2^64`.
    pub(crate) fn is_within(&self, limit: u128) -> bool {
        let (_, [low, middle, high, highest]) = self.sign_and_magnitude();
        let shifted = u128::from(high) << 64 | u128::from(middle);
        highest == 0 && (shifted < limit || shifted == limit && low == 0)
    }

    fn from_magnitude(is_negative: bool, magnitude: [u64; 4]) -> Option<Self> {
        let number = (!is_less(&LARGEST, &magnitude)).then_some(Self(magnitude))?;
        Some(if is_negative { -number } else { number })
    }
}

fn is_less(a: &[u64; 4], b: &[u64; 4]) -> bool {
    a.iter().rev().lt(b.iter().rev())
}

/// `a + b`, for numbers below `q`.
fn limb_sum(a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
    let mut sum = [0; 4];
    let mut carry = false;
    for (sum, (a, b)) in sum.iter_mut().zip(a.iter().zip(b)) {
        let (first, one) = a.overflowing_add(*b);
        let (second, two) = first.overflowing_add(u64::from(carry));
        *sum = second;
        carry = one | two;
    }
    sum
}

/// `a − b`, and whether it borrowed.
fn difference(a: &[u64; 4], b: &[u64; 4]) -> ([u64; 4], bool) {
    let mut out = [0; 4];
    let mut borrow = false;
    for (out, (a, b)) in out.iter_mut().zip(a.iter().zip(b)) {
        let (first, one) = a.overflowing_sub(*b);
        let (second, two) = first.overflowing_sub(u64::from(borrow));
        *out = second;
        borrow = one | two;
    }
    (out, borrow)
}

impl Add for Scalar {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let sum = limb_sum(&self.0, &other.0);
        // `2q` has 256 bits, so the last limb does not carry out.
        let (reduced, borrowed) = difference(&sum, &ORDER);
        Self(if borrowed { sum } else { reduced })
    }
}

impl Neg for Scalar {
    type Output = Self;

    fn neg(self) -> Self {
        if self.is_zero() {
            return self;
        }
        Self(difference(&ORDER, &self.0).0)
    }
}

impl Mul for Scalar {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self(modular::product(&self.0, &other.0))
    }
}

impl std::iter::Sum for Scalar {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::ZERO, Add::add)
    }
}

impl From<u128> for Scalar {
    fn from(number: u128) -> Self {
        let [b0, b1, b2, b3, b4, b5, b6, b7, c0, c1, c2, c3, c4, c5, c6, c7] = number.to_le_bytes();
        let low = u64::from_le_bytes([b0, b1, b2, b3, b4, b5, b6, b7]);
        let high = u64::from_le_bytes([c0, c1, c2, c3, c4, c5, c6, c7]);
        Self([low, high, 0, 0])
    }
}

impl From<i128> for Scalar {
    fn from(number: i128) -> Self {
        let magnitude = Self::from(number.unsigned_abs());
        if number < 0 {
            -magnitude
        } else {
            magnitude
        }
    }
}

impl From<u64> for Scalar {
    fn from(number: u64) -> Self {
        Self([number, 0, 0, 0])
    }
}

impl From<i64> for Scalar {
    fn from(number: i64) -> Self {
        Self::from(i128::from(number))
    }
}

impl From<u32> for Scalar {
    fn from(number: u32) -> Self {
        Self::from(u64::from(number))
    }
}

impl From<i32> for Scalar {
    fn from(number: i32) -> Self {
        Self::from(i64::from(number))
    }
}

/// Decimal digits processed at a time: the maximum for a limb.
const CHUNK: u32 = 19;

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (is_negative, mut rest) = self.sign_and_magnitude();
        let mut text = String::new();
        while rest != [0; 4] {
            let chunk = divide(&mut rest, 10_u64.pow(CHUNK));
            let digits = if rest == [0; 4] {
                chunk.to_string()
            } else {
                format!("{chunk:0width$}", width = CHUNK as usize)
            };
            text.insert_str(0, &digits);
        }
        if text.is_empty() {
            text.push('0');
        }
        f.pad_integral(!is_negative, "", &text)
    }
}

impl fmt::Debug for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Scalar {
    type Err = ParseScalarError;

    fn from_str(text: &str) -> Result<Self, ParseScalarError> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() {
            return Err(ParseScalarError);
        }
        let mut magnitude = [0; 4];
        for digit in digits.chars() {
            let digit = digit.to_digit(10).ok_or(ParseScalarError)?;
            magnitude = times_ten_plus(&magnitude, digit).ok_or(ParseScalarError)?;
        }
        Self::from_magnitude(digits.len() < text.len(), magnitude).ok_or(ParseScalarError)
    }
}

/// Divides in place and returns the remainder.
fn divide(number: &mut [u64; 4], by: u64) -> u64 {
    let mut rest = 0;
    for limb in number.iter_mut().rev() {
        let value = u128::from(rest) << 64 | u128::from(*limb);
        // Both fit 64 bits: the quotient because `rest < by`, the remainder because it is below `by`.
        *limb = u64::try_from(value / u128::from(by)).unwrap_or(u64::MAX);
        rest = u64::try_from(value % u128::from(by)).unwrap_or(u64::MAX);
    }
    rest
}

/// `10 · number + digit`; `None` beyond 256 bits.
fn times_ten_plus(number: &[u64; 4], digit: u32) -> Option<[u64; 4]> {
    let mut out = [0; 4];
    let mut carry = u128::from(digit);
    for (out, limb) in out.iter_mut().zip(number) {
        let value = u128::from(*limb) * 10 + carry;
        let Scalar([low, high, ..]) = Scalar::from(value);
        *out = low;
        carry = u128::from(high);
    }
    (carry == 0).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_limbs(limbs: [u64; 4]) -> Scalar {
        let mut bytes = [0; SCALAR_LEN];
        for (chunk, limb) in bytes.rchunks_exact_mut(8).zip(limbs) {
            chunk.copy_from_slice(&limb.to_be_bytes());
        }
        Scalar::from_bytes(&bytes).unwrap()
    }

    #[test]
    fn the_largest_number_is_half_of_the_order() {
        let largest = of_limbs(LARGEST);
        assert_eq!(largest + largest + Scalar::ONE, Scalar::ZERO);
        assert!(!largest.to_string().starts_with('-'));
        assert_eq!((largest + Scalar::ONE).to_string(), format!("-{largest}"));
    }

    #[test]
    fn only_what_is_below_the_order_is_read() {
        let mut bytes = (-Scalar::ONE).to_bytes();
        assert_eq!(Scalar::from_bytes(&bytes), Some(-Scalar::ONE));
        bytes[31] += 1;
        assert_eq!(Scalar::from_bytes(&bytes), None);
        assert_eq!(Scalar::from_bytes(&[0xff; 32]), None);
    }

    #[test]
    fn numbers_print_and_read_as_signed_decimals() {
        for text in [
            "0",
            "1",
            "-1",
            "18446744073709551616",
            "-10000000000000000000",
        ] {
            assert_eq!(text.parse::<Scalar>().unwrap().to_string(), text);
        }
        let half = of_limbs(LARGEST);
        assert_eq!(half.to_string().parse(), Ok(half));
        assert_eq!((-half).to_string().parse(), Ok(-half));
        assert_eq!("007".parse(), Ok(Scalar::from(7)));
        let too_large = "9".repeat(77);
        for text in ["", "-", "+1", "--1", "1.0", "1e3", " 1", "0x1", &too_large] {
            assert_eq!(text.parse::<Scalar>(), Err(ParseScalarError), "{text}");
        }
        assert!("9".repeat(90).parse::<Scalar>().is_err());
    }

    #[test]
    fn numbers_convert_from_and_to_integers() {
        for number in [0, 1, -1, i128::MAX, i128::MIN, 1 << 64, -(1 << 64)] {
            assert_eq!(Scalar::from(number).to_i128(), Some(number));
        }
        assert_eq!(Scalar::from(u128::MAX).to_i128(), None);
        assert_eq!((-Scalar::from(u128::MAX)).to_i128(), None);
        assert_eq!(Scalar::from(-5), -Scalar::from(5_u64));
    }

    #[test]
    fn arithmetic_is_that_of_integers_modulo_the_order() {
        for a in [-7_i128, 0, 5, 1 << 60] {
            for b in [-3_i128, 0, 11, 1 << 62] {
                let (x, y) = (Scalar::from(a), Scalar::from(b));
                assert_eq!((x + y).to_i128(), Some(a + b));
                assert_eq!((x * y).to_i128(), Some(a * b));
            }
        }
        assert_eq!((-Scalar::ONE) * (-Scalar::ONE), Scalar::ONE);
    }

    #[test]
    fn limits_count_in_units_of_two_to_the_64th() {
        let unit = Scalar::from(1_u128 << 64);
        for limit in [1_u128, 5, 1 << 80] {
            let edge = unit * Scalar::from(limit);
            for number in [edge, -edge, edge + -Scalar::ONE, Scalar::ZERO] {
                assert!(number.is_within(limit), "{number}");
            }
            for number in [edge + Scalar::ONE, -edge + -Scalar::ONE] {
                assert!(!number.is_within(limit), "{number}");
            }
        }
    }
}
