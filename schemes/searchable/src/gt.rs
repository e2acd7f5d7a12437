//! The target group: the elements of order `r` in the field with `p¹²` elements.

use crate::{
    scalar::{naf, Digits, NAF_LEN, U},
    suite::GT_LEN,
};
use ark_bls12_381::{Bls12_381, Fq12, Fr, G1Affine, G2Affine};
use ark_ec::pairing::Pairing;
use ark_ff::{CyclotomicMultSubgroup, Field, One, Zero};
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize, Compress, Validate};
use zeroize::Zeroize;

/// An element of the target group: a pairing value, a product of elements, or a decoded element whose order was
/// checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gt(Fq12);

impl Gt {
    pub(crate) const ONE: Self = Self(Fq12::ONE);

    pub(crate) fn pairing(p: &G1Affine, q: &G2Affine) -> Self {
        Self(Bls12_381::pairing(*p, *q).0)
    }

    /// The caller guarantees that the element is in the group: the result of a final exponentiation, or of an operation
    /// that stays in the group.
    pub(crate) fn from_field_unchecked(element: Fq12) -> Self {
        Self(element)
    }

    /// `None` if the element does not have order `r` (or one).
    pub(crate) fn from_field(element: Fq12) -> Option<Self> {
        has_order_r(&element).then_some(Self(element))
    }

    /// `None` if the bytes do not encode a field element, or if it is not in the group.
    pub(crate) fn from_bytes(bytes: &[u8; GT_LEN]) -> Option<Self> {
        let element = Fq12::deserialize_with_mode(&bytes[..], Compress::No, Validate::Yes).ok()?;
        let element = Self::from_field(element)?;
        // The encoding must be unique, because the received bytes are hashed.
        (element.to_bytes() == *bytes).then_some(element)
    }

    pub(crate) fn to_bytes(self) -> [u8; GT_LEN] {
        let mut bytes = [0; GT_LEN];
        self.0
            .serialize_uncompressed(&mut bytes[..])
            .expect("twelve coordinates have 576 bytes; qed");
        bytes
    }

    pub(crate) fn as_field(&self) -> &Fq12 {
        &self.0
    }

    pub(crate) fn is_one(&self) -> bool {
        self.0.is_one()
    }

    pub(crate) fn mul(&self, other: &Self) -> Self {
        Self(self.0 * other.0)
    }

    pub(crate) fn inverse(&self) -> Self {
        Self(conjugate(self.0))
    }
}

/// Only tests and benches need a separate exponentiation; elsewhere it is merged with a pairing.
#[cfg(any(test, feature = "testing"))]
impl Gt {
    pub(crate) fn pow(&self, exponent: &Fr) -> Self {
        let powers = Powers::new(self, exponent);
        let product = (0..NAF_LEN).rev().fold(Fq12::ONE, |mut product, place| {
            product.cyclotomic_square_in_place();
            powers.multiply(&mut product, place);
            product
        });
        Self(product)
    }
}

impl Zeroize for Gt {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// In the target group, the conjugate over the field with `p⁶` elements is the inverse.
pub(crate) fn conjugate(mut element: Fq12) -> Fq12 {
    element.c1 = -element.c1;
    element
}

/// The power `|u|` of an element of the target group. The Frobenius map is the power `u`, and `u` is negative.
pub(crate) fn power_u(element: &Fq12) -> Fq12 {
    conjugate(element.frobenius_map(1))
}

/// Whether `f ≠ 0` and `f^r = 1`.
///
/// Two conditions replace the exponentiation by `r`. The first is that `f` is in the cyclotomic subgroup, `f^(p⁴−p²+1)
/// = 1`, computed without inversion as `f^(p⁴)·f = f^(p²)` with `f ≠ 0`. The second is `f^p = f^u`.
///
/// They are sufficient. Let `o` be the order of `f`. By the second condition, `o` divides `p − u`, that is, `p ≡ u (mod
/// o)`. By the first, `o` divides `p⁴ − p² + 1`, which is `u⁴ − u² + 1` modulo `o`. For this family of curves `r = u⁴ −
/// u² + 1` exactly, so `o` divides `r`.
/// They are necessary. `r` divides `p⁴ − p² + 1` because the embedding degree is 12, and `p = (u−1)²·r/3 + u`, hence `p
/// ≡ u (mod r)`.
///
/// The order of the conditions matters: the second uses cyclotomic squaring, which is cheaper but correct only in the
/// cyclotomic subgroup. Cost: 63 such squarings and six multiplications; `f^r` costs four times as much.
pub(crate) fn has_order_r(f: &Fq12) -> bool {
    is_cyclotomic(f) && frobenius_is_power_u(f)
}

/// `f ≠ 0` and `f^(p⁴−p²+1) = 1`.
fn is_cyclotomic(f: &Fq12) -> bool {
    !f.is_zero() && f.frobenius_map(4) * f == f.frobenius_map(2)
}

/// `f^p = f^u = (f^|u|)⁻¹`, for elements of the cyclotomic subgroup only.
fn frobenius_is_power_u(f: &Fq12) -> bool {
    f.frobenius_map(1) == conjugate(f.cyclotomic_exp([U]))
}

/// The number of odd powers for a width-5 non-adjacent form.
const ODD_POWERS: usize = 8;

/// Precomputation for one exponentiation: the odd powers of an element up to 15, their images under the powers `|u|`,
/// `|u|²` and `|u|³`, and the digits of the exponent. The caller does the squarings, which can be shared with a
/// pairing. The digits are wiped on drop, because the exponent may be derived from a key.
pub(crate) struct Powers {
    tables: [[Fq12; ODD_POWERS]; 4],
    digits: [[i8; NAF_LEN]; 4],
}

impl Powers {
    pub(crate) fn new(base: &Gt, exponent: &Fr) -> Self {
        let square = base.0.cyclotomic_square();
        let mut odd = [base.0; ODD_POWERS];
        for index in 1..ODD_POWERS {
            odd[index] = odd[index - 1] * square;
        }
        let first = odd.map(|power| power_u(&power));
        let second = first.map(|power| power_u(&power));
        let third = second.map(|power| power_u(&power));
        Self {
            tables: [odd, first, second, third],
            digits: Digits::of(exponent).0.map(naf),
        }
    }

    /// Multiplies by the entries for the bit at `place` of all four digits.
    pub(crate) fn multiply(&self, product: &mut Fq12, place: usize) {
        for (table, digits) in self.tables.iter().zip(&self.digits) {
            let digit = digits.get(place).copied().unwrap_or_default();
            if digit == 0 {
                continue;
            }
            let Some(power) = table.get(usize::from(digit.unsigned_abs() / 2)) else {
                continue;
            };
            *product *= if digit > 0 { *power } else { conjugate(*power) };
        }
    }
}

impl Drop for Powers {
    fn drop(&mut self) {
        self.digits.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ec::AffineRepr;
    use ark_ff::{AdditiveGroup, PrimeField};
    use num_bigint::BigUint;

    /// The order check by definition.
    fn slow_check(f: &Fq12) -> bool {
        !f.is_zero() && f.pow(Fr::MODULUS).is_one()
    }

    fn generator() -> Gt {
        Gt::pairing(&G1Affine::generator(), &G2Affine::generator())
    }

    /// A seeded element of the whole field.
    fn arbitrary(seed: u64) -> Fq12 {
        let mut state = seed;
        let coordinates: Vec<_> = (0..12)
            .map(|_| {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                ark_bls12_381::Fq::from(state).pow([1_000_003])
            })
            .collect();
        Fq12::from_base_prime_field_elems(coordinates).expect("twelve coordinates")
    }

    /// `f^((p⁶−1)(p²+1))`: in the cyclotomic subgroup, rarely in the target group.
    fn cyclotomic(f: &Fq12) -> Fq12 {
        let easy = conjugate(*f) * f.inverse().expect("not zero");
        easy.frobenius_map(2) * easy
    }

    #[test]
    fn the_fast_order_check_agrees_with_the_power_r() {
        let z = generator();
        let mut inside = vec![Fq12::ONE, z.0, z.inverse().0];
        inside.extend((2..10u64).map(|n| z.pow(&Fr::from(n).pow([77])).0));
        for element in &inside {
            assert!(slow_check(element) && has_order_r(element));
        }
        let mut outside = vec![Fq12::ZERO, -Fq12::ONE, -z.0];
        for seed in 1..10 {
            let any = arbitrary(seed);
            outside.extend([any, cyclotomic(&any), cyclotomic(&any) * z.0]);
            // In a proper subfield, and in the norm-one group over it.
            let mut subfield = any;
            subfield.c1 = ark_bls12_381::Fq6::ZERO;
            outside.push(subfield);
            outside.push(conjugate(any) * any.inverse().expect("not zero"));
        }
        for element in &outside {
            assert!(!slow_check(element) && !has_order_r(element));
        }
    }

    #[test]
    fn elements_of_small_order_are_outside_alone_and_times_an_element_of_the_group() {
        for prime in [
            2, 3, 5, 7, 11, 13, 23, 37, 47, 73, 10_177, 859_267, 52_437_899,
        ] {
            let element = of_order(prime);
            assert!(element.pow([prime]).is_one() && !element.is_one());
            let shifted = element * generator().0;
            for outside in [element, shifted] {
                assert!(!slow_check(&outside) && !has_order_r(&outside));
            }
        }
    }

    #[test]
    fn neither_condition_is_enough_alone() {
        let first_only = cyclotomic(&arbitrary(1));
        assert!(is_cyclotomic(&first_only) && !frobenius_is_power_u(&first_only));
        // 11 divides p − u, but not p⁴ − p² + 1.
        let second_only = of_order(11);
        let power = second_only.pow([U]).inverse().expect("not zero");
        assert_eq!(second_only.frobenius_map(1), power);
        assert!(!is_cyclotomic(&second_only));
        for element in [first_only, second_only] {
            assert!(!slow_check(&element) && !has_order_r(&element));
        }
    }

    #[test]
    fn powers_agree_with_square_and_multiply() {
        let z = generator();
        for exponent in [
            Fr::zero(),
            Fr::one(),
            -Fr::one(),
            Fr::from(U),
            Fr::from(5u64).pow([991]),
        ] {
            assert_eq!(z.pow(&exponent).0, z.0.pow(exponent.into_bigint()));
        }
    }

    #[test]
    fn the_bytes_of_an_element_are_the_only_ones() {
        let z = generator();
        assert_eq!(Gt::from_bytes(&z.to_bytes()), Some(z));
        assert_eq!(Gt::from_bytes(&[0; GT_LEN]), None);
        // The first coordinate plus the prime would be a second encoding of the same element.
        let one = Gt::ONE.to_bytes();
        let mut encoded_again = one;
        for (byte, limb) in encoded_again
            .chunks_exact_mut(8)
            .zip(ark_bls12_381::Fq::MODULUS.0)
        {
            byte.copy_from_slice(&limb.to_le_bytes());
        }
        encoded_again[0] += 1;
        assert_eq!(Gt::from_bytes(&encoded_again), None);
        assert_eq!(Gt::from_bytes(&one), Some(Gt::ONE));
    }

    /// An element of this prime order.
    fn of_order(prime: u64) -> Fq12 {
        let p = BigUint::from(ark_bls12_381::Fq::MODULUS);
        let cofactor = (p.pow(12) - 1u32) / prime;
        (1..)
            .map(|seed| arbitrary(seed).pow(cofactor.to_u64_digits()))
            .find(|element| !element.is_one())
            .expect("one in every few is not one")
    }
}
