//! Scalars in base `|z|`, the curve's parameter: `r = z⁴ − z² + 1`, so that four digits of 64 bits write every
//! scalar, and `[z²]` costs one multiplication in `Fp` (it is `−φ`). `z` itself is negative; its even powers,
//! and so everything here that uses φ, are those of `|z|`.

use crate::parameters::Z;

/// Lines of a Miller loop: a doubling for each bit of `|z|` below its highest, an addition for each that is one.
pub(crate) const MILLER_STEPS: usize = (Z.ilog2() + Z.count_ones() - 1) as usize;
/// The bits of `|z|` that are set.
#[cfg(feature = "std")]
pub(crate) const Z_BITS: [usize; 6] = [16, 48, 57, 60, 62, 63];

/// A scalar as `d0 + d1·|z| + d2·z² + d3·|z|³`, each digit below `|z|`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BaseZ(pub(crate) [u64; 4]);

impl BaseZ {
    /// Of a reduced scalar in little-endian bytes.
    pub(crate) fn new(scalar: &[u8; 32]) -> Self {
        let mut limbs = [0; 4];
        for (limb, bytes) in limbs.iter_mut().zip(scalar.as_chunks().0) {
            *limb = u64::from_le_bytes(*bytes);
        }
        Self(core::array::from_fn(|_| divide_by_z(&mut limbs)))
    }

    /// `(a, b)` with the scalar equal to `a + b·z²`, both below `z² < 2^128`.
    pub(crate) fn halves(&self) -> [u128; 2] {
        let [d0, d1, d2, d3] = self.0.map(u128::from);
        [d0 + d1 * u128::from(Z), d2 + d3 * u128::from(Z)]
    }
}

/// Divides in place; the remainder.
fn divide_by_z(limbs: &mut [u64; 4]) -> u64 {
    let mut remainder = 0;
    for limb in limbs.iter_mut().rev() {
        let value = (u128::from(remainder) << 64) | u128::from(*limb);
        // The remainder is below z, so that the quotient fits a limb.
        *limb = low(value / u128::from(Z));
        remainder = low(value % u128::from(Z));
    }
    remainder
}

#[allow(clippy::cast_possible_truncation)] // Callers' values are below 2^64.
fn low(value: u128) -> u64 {
    debug_assert!(value <= u128::from(u64::MAX));
    value as u64
}

/// A number in non-adjacent form, from the lowest digit on: digits are odd and below `2^(WINDOW − 1)` in absolute
/// value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Naf<const WINDOW: u32>(u128);

/// A digit other than zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digit {
    pub(crate) is_negative: bool,
    /// Half of its absolute value, rounded down.
    pub(crate) bucket: usize,
}

/// Steps after which every digit of a 64-bit number has been taken: its bits, and the carry.
#[cfg(feature = "std")]
pub(crate) const NAF_STEPS: usize = 65;
/// The same for 128 bits.
pub(crate) const LONG_NAF_STEPS: usize = 129;

impl<const WINDOW: u32> Naf<WINDOW> {
    pub(crate) fn new(number: impl Into<u128>) -> Self {
        Self(number.into())
    }

    /// The digit at this bit; moves on by one bit.
    #[inline(always)]
    pub(crate) fn step(&mut self) -> Option<Digit> {
        let mask = (1_u128 << WINDOW) - 1;
        if self.0 & 1 == 0 {
            self.0 >>= 1;
            return None;
        }
        let low = self.0 & mask;
        let is_negative = low > mask / 2;
        let absolute = if is_negative { mask + 1 - low } else { low };
        let (rest, carry) = if is_negative {
            self.0.overflowing_add(absolute)
        } else {
            (self.0 - absolute, false)
        };
        self.0 = (rest >> 1) | (u128::from(carry) << 127);
        Some(Digit {
            is_negative,
            // Digits are small.
            bucket: usize::try_from(absolute >> 1).unwrap_or(0),
        })
    }
}

/// The digits of [`Naf`] that are not zero, and at which bits.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
pub(crate) fn sparse<const WINDOW: u32>(number: u64) -> impl Iterator<Item = (usize, Digit)> {
    let (mut rest, mut bit) = (Naf::<WINDOW>::new(number), 0);
    core::iter::from_fn(move || {
        if rest.0 == 0 {
            return None;
        }
        let zeros = rest.0.trailing_zeros();
        rest.0 >>= zeros;
        bit += zeros as usize;
        let digit = rest.step()?;
        bit += 1;
        Some((bit - 1, digit))
    })
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use crate::{Ark, Scalars};

    fn scalars() -> impl Iterator<Item = [u8; 32]> {
        let edges: [[u8; 48]; 3] = [
            [0; 48],
            [0xff; 48],
            core::array::from_fn(|i| u8::from(i == 47)),
        ];
        let mixed = (1_u8..50).map(|i| {
            let mut byte = i;
            core::array::from_fn(|_| {
                byte = byte.wrapping_mul(141).wrapping_add(i);
                byte
            })
        });
        edges
            .into_iter()
            .chain(mixed)
            .map(|wide| Ark::scalar_to_bytes(&Ark::scalar_from_wide(&wide)))
    }

    #[test]
    fn the_digits_in_base_z_make_the_scalar() {
        let z = Ark::scalar_from_bytes(&bytes(Z)).unwrap();
        let zero = Ark::scalar_from_bytes(&[0; 32]).unwrap();
        for scalar in scalars() {
            let BaseZ(digits) = BaseZ::new(&scalar);
            assert!(digits.iter().all(|digit| *digit < Z));
            // Horner's rule with `a − b·c`: the sign alternates, and is even again after the last digit.
            let sum = digits.iter().rev().fold(zero, |sum, digit| {
                let digit = Ark::scalar_from_bytes(&bytes(*digit)).unwrap();
                let minus = Ark::scalar_sub_mul(&zero, &sum, &z);
                Ark::scalar_sub_mul(&digit, &minus, &one())
            });
            assert_eq!(Ark::scalar_to_bytes(&sum), scalar);
        }
    }

    fn bytes(number: u64) -> [u8; 32] {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        bytes
    }

    fn one() -> <Ark as Scalars>::Scalar {
        Ark::scalar_from_bytes(&bytes(1)).unwrap()
    }

    /// Where digits are about to carry, and where they have.
    const WORDS: [u64; 13] = [
        0,
        1,
        7,
        8,
        9,
        15,
        16,
        Z,
        Z - 1,
        u64::MAX,
        u64::MAX - 8,
        1 << 63,
        0x7777_7777,
    ];

    #[test]
    fn the_bits_of_z_are_its_bits() {
        assert_eq!(Z_BITS.iter().map(|bit| 1_u64 << bit).sum::<u64>(), Z);
    }

    #[test]
    fn the_non_adjacent_form_makes_the_number() {
        let short = WORDS.map(|word| (u128::from(word), NAF_STEPS));
        let long = WORDS.map(|word| (!(u128::from(word) << 60), LONG_NAF_STEPS));
        for (number, steps) in short.into_iter().chain(long) {
            let mut naf = Naf::<4>::new(number);
            let mut sum = 0_u128;
            let mut last = None;
            for step in 0..steps {
                let Some(digit) = naf.step() else { continue };
                assert!(last.is_none_or(|last| step - last >= 4));
                last = Some(step);
                assert!(digit.bucket < 4);
                // Modulo 2^128: the carry of a long number stands just above.
                let value = [1_u128, 3, 5, 7][digit.bucket]
                    .checked_shl(u32::try_from(step).unwrap())
                    .unwrap_or(0);
                sum = if digit.is_negative {
                    sum.wrapping_sub(value)
                } else {
                    sum.wrapping_add(value)
                };
            }
            assert_eq!(sum, number);
            assert_eq!(naf.step(), None);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_digits_that_are_not_zero_are_those_of_the_steps() {
        for number in WORDS {
            let mut naf = Naf::<4>::new(number);
            let steps: alloc::vec::Vec<_> = (0..NAF_STEPS)
                .filter_map(|step| Some((step, naf.step()?)))
                .collect();
            let sparse: alloc::vec::Vec<_> = sparse::<4>(number).collect();
            assert_eq!(sparse, steps, "{number}");
        }
    }
}
