//! Scalars: hashing and sampling, encoding, and digits in base `|u|`.
//!
//! `u` is the parameter of the curve. The group order is `r = u⁴ − u² + 1`, and in the target group the Frobenius map
//! is the power `u`. So a power with a 255-bit scalar consists of four powers with 64-bit digits, of the element and
//! three Frobenius images, which cost almost nothing.

use crate::suite::SCALAR_LEN;
use ark_bls12_381::Fr;
use ark_ff::{BigInt, BigInteger, PrimeField, Zero};
use rand_core::{CryptoRng, RngCore};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// `|u|`; `u` itself is negative.
pub(crate) const U: u64 = 0xd201_0000_0001_0000;

/// Reduces 64 big-endian bytes to a scalar. The distribution is statistically close to uniform.
///
/// By limbs, because the curve library's reduction leaves a copy of the bytes on the heap.
pub(crate) fn from_wide(bytes: &[u8; 64]) -> Fr {
    let shift = Fr::from(1u128 << 64);
    let (limbs, _) = bytes.as_chunks::<8>();
    limbs.iter().fold(Fr::zero(), |sum, limb| {
        sum * shift + Fr::from(u64::from_be_bytes(*limb))
    })
}

/// A uniform non-zero scalar.
pub(crate) fn random_nonzero(rng: &mut (impl RngCore + CryptoRng)) -> Zeroizing<Fr> {
    let mut bytes = Zeroizing::new([0; 64]);
    loop {
        rng.fill_bytes(&mut *bytes);
        let scalar = Zeroizing::new(from_wide(&bytes));
        if !scalar.is_zero() {
            return scalar;
        }
    }
}

pub(crate) fn to_bytes(scalar: &Fr) -> [u8; SCALAR_LEN] {
    let mut limbs = scalar.into_bigint();
    let mut bytes = [0; SCALAR_LEN];
    for (chunk, limb) in bytes.rchunks_exact_mut(8).zip(limbs.0) {
        chunk.copy_from_slice(&limb.to_be_bytes());
    }
    limbs.zeroize();
    bytes
}

/// `None` if the number is not below the group order.
pub(crate) fn from_bytes(bytes: &[u8; SCALAR_LEN]) -> Option<Fr> {
    let mut limbs = BigInt::new([0; 4]);
    for (limb, chunk) in limbs.0.iter_mut().zip(bytes.rchunks_exact(8)) {
        *limb = chunk
            .iter()
            .fold(0, |limb, byte| limb << 8 | u64::from(*byte));
    }
    let scalar = Fr::from_bigint(limbs);
    limbs.zeroize();
    scalar
}

/// A scalar `d₀ + d₁|u| + d₂|u|² + d₃|u|³` with digits below `|u|`.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(crate) struct Digits(pub(crate) [u64; 4]);

impl Digits {
    /// The digits, computed with the same sequence of instructions for every scalar.
    pub(crate) fn of(scalar: &Fr) -> Self {
        let mut rest = scalar.into_bigint();
        let digits = [0; 4].map(|_| divide_by_u(&mut rest.0));
        rest.zeroize();
        Self(digits)
    }
}

/// Divides by `|u|` and returns the remainder. Uses bitwise long division, because the running time of the processor's
/// division may depend on the numbers.
fn divide_by_u(number: &mut [u64; 4]) -> u64 {
    let u = u128::from(U);
    let mut remainder: u128 = 0;
    for limb in number.iter_mut().rev() {
        let mut quotient = 0;
        for bit in (0..64).rev() {
            remainder = (remainder << 1) | u128::from((*limb >> bit) & 1);
            let (less, borrow) = remainder.overflowing_sub(u);
            let keep = 0u128.wrapping_sub(u128::from(borrow));
            remainder = (remainder & keep) | (less & !keep);
            quotient = (quotient << 1) | u64::from(!borrow);
        }
        *limb = quotient;
    }
    u64::try_from(remainder).expect("a remainder is below |u|, which has 64 bits; qed")
}

/// One more than the bits of a digit, because a signed form may carry out of the top.
pub(crate) const NAF_LEN: usize = 65;
const NAF_WINDOW: u32 = 5;

/// The width-5 non-adjacent form of a digit: odd numbers from −15 to 15, each followed by at least four zeros.
/// Exponentiation with it is not constant-time, so use it only for exponents of servers.
pub(crate) fn naf(digit: u64) -> [i8; NAF_LEN] {
    let mut form = [0; NAF_LEN];
    let mut rest = u128::from(digit);
    let modulus = 1i8 << NAF_WINDOW;
    for place in &mut form {
        if rest & 1 == 1 {
            let low = i8::try_from(rest & 31).unwrap_or_default();
            let signed = if low < modulus / 2 {
                low
            } else {
                low - modulus
            };
            *place = signed;
            // Subtracts the signed digit.
            rest = if signed < 0 {
                rest + u128::from(signed.unsigned_abs())
            } else {
                rest - u128::from(signed.unsigned_abs())
            };
        }
        rest >>= 1;
    }
    form
}

/// Bits per window of a fixed-base table.
pub(crate) const WINDOW: u32 = 5;
/// The maximum magnitude of a signed window.
pub(crate) const WINDOW_MAX: usize = 16;

/// A window of a scalar: its magnitude, at most 16, and its sign: 1 if negative, 0 if not.
#[derive(Clone, Copy, Default, Zeroize)]
pub(crate) struct SignedWindow {
    pub(crate) magnitude: u64,
    pub(crate) negative: u64,
}

/// The signed windows of a number, which is given as unsigned windows, least significant first. The sequence of
/// instructions is the same for every number. The last window absorbs the carry. Wiped on drop.
pub(crate) fn signed_windows<const N: usize>(
    window: impl Fn(usize) -> u64,
) -> Zeroizing<[SignedWindow; N]> {
    let mut carry = 0;
    let mut windows = Zeroizing::new([SignedWindow::default(); N]);
    for (index, place) in windows.iter_mut().enumerate() {
        let bits = window(index) + carry;
        let last = u64::from(index + 1 == N);
        carry = ((bits + 16) >> WINDOW) & (1 - last);
        // bits − 32·carry, as a magnitude and a sign.
        let value = bits.wrapping_sub(carry << WINDOW);
        let negative = value >> 63;
        let mask = 0u64.wrapping_sub(negative);
        *place = SignedWindow {
            magnitude: (value ^ mask).wrapping_add(negative),
            negative,
        };
    }
    windows
}

/// The five bits of a scalar that start at bit `5·index`.
pub(crate) fn window_of(scalar: &BigInt<4>, index: usize) -> u64 {
    (0..5).fold(0, |bits, bit| {
        bits | u64::from(scalar.get_bit(5 * index + bit)) << bit
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ff::{Field, One};

    fn samples() -> Vec<Fr> {
        let mut samples = vec![Fr::zero(), Fr::one(), -Fr::one(), Fr::from(U), -Fr::from(U)];
        samples.extend((1..50u64).map(|n| Fr::from(n).pow([1_000_003])));
        samples
    }

    #[test]
    fn the_digits_in_base_u_make_the_scalar_again() {
        for scalar in samples() {
            let digits = Digits::of(&scalar);
            assert!(digits.0.iter().all(|digit| *digit < U));
            let sum = digits.0.iter().rev().fold(Fr::zero(), |sum, digit| {
                sum * Fr::from(U) + Fr::from(*digit)
            });
            assert_eq!(sum, scalar);
        }
    }

    #[test]
    fn the_non_adjacent_form_makes_the_digit_again() {
        for digit in [
            0,
            1,
            2,
            15,
            16,
            17,
            31,
            32,
            U,
            U - 1,
            u64::MAX,
            u64::MAX - 14,
        ] {
            let sum = naf(digit)
                .iter()
                .rev()
                .fold(0i128, |sum, place| 2 * sum + i128::from(*place));
            assert_eq!(sum, i128::from(digit));
        }
    }

    #[test]
    fn signed_windows_make_the_scalar_again() {
        for scalar in samples() {
            let bits = scalar.into_bigint();
            let windows = signed_windows::<52>(|index| window_of(&bits, index));
            let sum = windows.iter().rev().fold(Fr::zero(), |sum, window| {
                assert!(window.magnitude <= 16);
                let value = Fr::from(window.magnitude);
                sum * Fr::from(32u64) + if window.negative == 1 { -value } else { value }
            });
            assert_eq!(sum, scalar);
        }
    }

    #[test]
    fn wide_bytes_are_reduced_as_the_curve_library_reduces_them() {
        let mut counting = [0; 64];
        for (number, byte) in (0..).zip(&mut counting) {
            *byte = number;
        }
        let mut order = [0; 64];
        for (chunk, limb) in order.rchunks_exact_mut(8).zip(Fr::MODULUS.0) {
            chunk.copy_from_slice(&limb.to_be_bytes());
        }
        assert!(from_wide(&order).is_zero());
        for bytes in [[0; 64], [0xff; 64], counting, counting.map(|byte| !byte)] {
            assert_eq!(from_wide(&bytes), Fr::from_be_bytes_mod_order(&bytes));
        }
    }

    #[test]
    fn a_scalar_that_is_not_reduced_is_refused() {
        let mut order = [0; 32];
        for (chunk, limb) in order.rchunks_exact_mut(8).zip(Fr::MODULUS.0) {
            chunk.copy_from_slice(&limb.to_be_bytes());
        }
        assert_eq!(from_bytes(&order), None);
        assert_eq!(from_bytes(&[0xff; 32]), None);
        for scalar in samples() {
            assert_eq!(from_bytes(&to_bytes(&scalar)), Some(scalar));
        }
    }
}
