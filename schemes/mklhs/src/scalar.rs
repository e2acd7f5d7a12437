//! Public integers modulo `q`, in signed representation: values above `q/2` are negative numbers.

use crate::suite::SCALAR_LEN;
use crypto_bigint::{NonZero, U128, U256};
use std::{
    fmt,
    ops::{Add, Mul, Neg},
    str::FromStr,
};

/// The group order `q`.
const ORDER: NonZero<U256> = NonZero::<U256>::from_be_hex(
    "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001",
);
/// `(q − 1) / 2`: the largest positive number.
const LARGEST: U256 =
    U256::from_be_hex("39f6d3a994cebea4199cec0404d0ec02a9ded2017fff2dff7fffffff80000000");

/// A public integer modulo `q`: a coefficient, a message or a sum.
///
/// Converts from every built-in integer type; negative numbers are `q` minus their absolute value. Displays and parses
/// as a signed decimal.
///
/// # Security
/// Not constant-time. Use it for public values only.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Scalar(U256);

/// The text is not an integer from `−(q − 1)/2` to `(q − 1)/2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a decimal integer from -(q-1)/2 to (q-1)/2")]
pub struct ParseScalarError;

impl Scalar {
    /// Zero.
    pub const ZERO: Self = Self(U256::ZERO);
    /// One.
    pub const ONE: Self = Self(U256::ONE);

    /// Decodes 32 big-endian bytes; `None` if the value is not below `q`.
    pub fn from_bytes(bytes: &[u8; SCALAR_LEN]) -> Option<Self> {
        let number = U256::from_be_slice(bytes);
        (number < *ORDER.as_ref()).then_some(Self(number))
    }

    /// The encoding, 32 big-endian bytes.
    pub fn to_bytes(&self) -> [u8; SCALAR_LEN] {
        self.0.to_be_bytes().into()
    }

    /// Whether the scalar is zero.
    pub fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }

    /// The signed integer, if it fits.
    pub fn to_i128(&self) -> Option<i128> {
        let (is_negative, magnitude) = self.sign_and_magnitude();
        let (low, high) = halves(&magnitude);
        if high != 0 {
            None
        } else if is_negative {
            0_i128.checked_sub_unsigned(low)
        } else {
            i128::try_from(low).ok()
        }
    }

    /// Whether the number is negative, and its absolute value.
    pub(crate) fn sign_and_magnitude(&self) -> (bool, U256) {
        if self.0 > LARGEST {
            (true, (-*self).0)
        } else {
            (false, self.0)
        }
    }

    /// The absolute value, if it has at most 64 bits.
    pub(crate) fn short_magnitude(&self) -> Option<u64> {
        let (_, magnitude) = self.sign_and_magnitude();
        match halves(&magnitude) {
            (low, 0) => u64::try_from(low).ok(),
            _ => None,
        }
    }

    /// Whether the absolute value is at most `limit · 2^64`.
    pub(crate) fn is_within(&self, limit: u128) -> bool {
        let (_, magnitude) = self.sign_and_magnitude();
        magnitude <= U256::from_u128(limit).shl_vartime(64)
    }
}

/// The lower and the upper half of a number.
fn halves(number: &U256) -> (u128, u128) {
    let (low, high): (U128, U128) = number.split();
    (low.into(), high.into())
}

impl Add for Scalar {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.add_mod(&other.0, &ORDER))
    }
}

impl Neg for Scalar {
    type Output = Self;

    fn neg(self) -> Self {
        Self(self.0.neg_mod(&ORDER))
    }
}

impl Mul for Scalar {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self(self.0.mul_mod_vartime(&other.0, &ORDER))
    }
}

impl std::iter::Sum for Scalar {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::ZERO, Add::add)
    }
}

macro_rules! from_integers {
    ($($unsigned:ty, $signed:ty;)*) => {
        $(impl From<$unsigned> for Scalar {
            fn from(number: $unsigned) -> Self {
                Self(U256::from(number))
            }
        }

        impl From<$signed> for Scalar {
            fn from(number: $signed) -> Self {
                let magnitude = Self::from(number.unsigned_abs());
                if number < 0 {
                    -magnitude
                } else {
                    magnitude
                }
            }
        })*
    };
}

from_integers! {
    u128, i128;
    u64, i64;
    u32, i32;
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (is_negative, magnitude) = self.sign_and_magnitude();
        f.pad_integral(!is_negative, "", &magnitude.to_string_radix_vartime(10))
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
        // The parser below also reads `+1` and `1_000`.
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(ParseScalarError);
        }
        let magnitude = U256::from_str_radix_vartime(digits, 10);
        let magnitude = magnitude.ok().filter(|number| *number <= LARGEST);
        let number = Self(magnitude.ok_or(ParseScalarError)?);
        Ok(if digits.len() < text.len() {
            -number
        } else {
            number
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_number_is_half_of_the_order() {
        let largest = Scalar(LARGEST);
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
        let half = Scalar(LARGEST);
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
