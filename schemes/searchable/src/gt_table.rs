//! Fixed-base exponentiation in the target group: for `Z`, and for `Z₁` to `Z₄` of a public key.
//!
//! The table contains the multiples of each five-bit window of a 64-bit digit. With the Frobenius map, the same table
//! serves all four digits of a scalar. Windows are signed, and inversion is a conjugation, so 17 entries suffice for 32
//! values.

use crate::{
    gt::{conjugate, power_u, Gt},
    scalar::{signed_windows, Digits, SignedWindow, WINDOW, WINDOW_MAX},
};
use ark_bls12_381::{Fq, Fq12, Fq2, Fq6};
use ark_ff::{BigInt, CyclotomicMultSubgroup, Field};
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, Zeroizing};

/// Windows per digit.
const WINDOWS: usize = 13;
/// Limbs per element.
const LIMBS: usize = 72;

type Limbs = [u64; LIMBS];

/// The window multiples of one element: 127 296 bytes.
pub(crate) struct GtTable(Box<[[Limbs; WINDOW_MAX + 1]; WINDOWS]>);

impl GtTable {
    /// Cost: 221 multiplications.
    pub(crate) fn new(base: &Gt) -> Self {
        let mut table = Box::new([[[0; LIMBS]; WINDOW_MAX + 1]; WINDOWS]);
        let mut base = *base.as_field();
        for entries in table.iter_mut() {
            let mut power = Fq12::ONE;
            for entry in entries.iter_mut() {
                *entry = to_limbs(&power);
                power *= base;
            }
            for _ in 0..WINDOW {
                base.cyclotomic_square_in_place();
            }
        }
        Self(table)
    }

    /// The power. The addresses that are read do not depend on the exponent.
    pub(crate) fn pow(&self, digits: &Digits) -> Gt {
        let mut power = Product::new();
        power.multiply(self, digits);
        power.finish()
    }

    /// The power with a small signed number: as [`pow`](Self::pow), at a quarter of the cost.
    pub(crate) fn pow_signed(&self, exponent: i64) -> Gt {
        // The sign bit as a mask: −1 or 0.
        let negative = u64::from(exponent.is_negative());
        let mut power = Zeroizing::new(Fq12::ONE);
        self.multiply(&mut power, exponent.unsigned_abs());
        let inverse = Zeroizing::new(to_limbs(&conjugate(*power)));
        let mut limbs = Zeroizing::new(to_limbs(&power));
        select(&mut limbs, &inverse, negative);
        Gt::from_field_unchecked(from_limbs(&limbs))
    }

    fn multiply(&self, product: &mut Fq12, digit: u64) {
        let windows = signed_windows::<WINDOWS>(|index| (digit >> (5 * index)) & 31);
        for (entries, window) in self.0.iter().zip(windows.iter()) {
            let mut entry = lookup(entries, *window);
            *product *= entry;
            entry.zeroize();
        }
    }
}

/// Exponentiation of an element by a few secret exponents: the multiples of one window and their images. Higher windows
/// are replaced by squarings.
pub(crate) struct SecretPowers([[Limbs; WINDOW_MAX + 1]; 4]);

impl SecretPowers {
    pub(crate) fn new(base: &Gt) -> Self {
        let base = *base.as_field();
        let mut power = Fq12::ONE;
        let mut tables = [[[0; LIMBS]; WINDOW_MAX + 1]; 4];
        for index in 0..=WINDOW_MAX {
            let mut image = power;
            for table in &mut tables {
                table[index] = to_limbs(&image);
                image = power_u(&image);
            }
            power *= base;
        }
        Self(tables)
    }

    /// The power, constant-time like [`GtTable::pow`].
    pub(crate) fn pow(&self, digits: &Digits) -> Gt {
        let windows = digits
            .0
            .map(|digit| signed_windows::<WINDOWS>(|index| (digit >> (5 * index)) & 31));
        let mut power = Zeroizing::new(Fq12::ONE);
        for place in (0..WINDOWS).rev() {
            for _ in 0..WINDOW {
                power.cyclotomic_square_in_place();
            }
            for (table, windows) in self.0.iter().zip(windows.iter()) {
                let mut entry = lookup(table, windows[place]);
                *power *= entry;
                entry.zeroize();
            }
        }
        Gt::from_field_unchecked(*power)
    }
}

/// A product of powers of several elements, by digit. The Frobenius images are computed once for all of them.
pub(crate) struct Product([Fq12; 4]);

impl Product {
    pub(crate) fn new() -> Self {
        Self([Fq12::ONE; 4])
    }

    pub(crate) fn multiply(&mut self, table: &GtTable, digits: &Digits) {
        for (product, digit) in self.0.iter_mut().zip(digits.0) {
            table.multiply(product, digit);
        }
    }

    pub(crate) fn finish(self) -> Gt {
        let [first, second, third, fourth] = &self.0;
        let product = power_u(&(power_u(&(power_u(fourth) * third)) * second)) * first;
        Gt::from_field_unchecked(product)
    }
}

impl Drop for Product {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// The entry for a window. Reads all entries, so that the addresses do not depend on the window.
fn lookup(entries: &[Limbs; WINDOW_MAX + 1], window: SignedWindow) -> Fq12 {
    let mut limbs = Zeroizing::new([0; LIMBS]);
    for (magnitude, entry) in (0u64..).zip(entries) {
        let wanted = u64::from(magnitude.ct_eq(&window.magnitude).unwrap_u8());
        select(&mut limbs, entry, wanted);
    }
    let inverse = Zeroizing::new(to_limbs(&conjugate(from_limbs(&limbs))));
    select(&mut limbs, &inverse, window.negative);
    from_limbs(&limbs)
}

/// Replaces `limbs` by `other` if `choice` is 1 and not if it is 0, without a branch.
fn select(limbs: &mut Limbs, other: &Limbs, choice: u64) {
    let mask = 0u64.wrapping_sub(choice);
    for (limb, other) in limbs.iter_mut().zip(other) {
        *limb ^= (*limb ^ other) & mask;
    }
}

fn to_limbs(element: &Fq12) -> Limbs {
    let mut limbs = [0; LIMBS];
    let coordinates = [element.c0, element.c1]
        .into_iter()
        .flat_map(|half| [half.c0, half.c1, half.c2])
        .flat_map(|pair| [pair.c0, pair.c1]);
    for (limbs, coordinate) in limbs.chunks_exact_mut(6).zip(coordinates) {
        // The Montgomery form, which is only used internally.
        limbs.copy_from_slice(&coordinate.0 .0);
    }
    limbs
}

fn from_limbs(limbs: &Limbs) -> Fq12 {
    let mut coordinates = limbs.chunks_exact(6).map(|limbs| {
        let mut inner = BigInt::new([0; 6]);
        inner.0.copy_from_slice(limbs);
        Fq::new_unchecked(inner)
    });
    let mut pair = || {
        let mut next = || {
            coordinates
                .next()
                .expect("72 limbs are twelve coordinates; qed")
        };
        let first = next();
        Fq2::new(first, next())
    };
    let mut half = || {
        let (first, second) = (pair(), pair());
        Fq6::new(first, second, pair())
    };
    let first = half();
    Fq12::new(first, half())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::U;
    use ark_bls12_381::{Fr, G1Affine, G2Affine};
    use ark_ec::AffineRepr;
    use ark_ff::{One, Zero};

    fn generator() -> Gt {
        Gt::pairing(&G1Affine::generator(), &G2Affine::generator())
    }

    #[test]
    fn powers_from_the_table_agree_with_powers_without_it() {
        let z = generator();
        let table = GtTable::new(&z);
        for exponent in [
            Fr::zero(),
            Fr::one(),
            -Fr::one(),
            Fr::from(U),
            Fr::from(u64::MAX),
            Fr::from(3u64).pow([123_457]),
        ] {
            let digits = Digits::of(&exponent);
            assert_eq!(table.pow(&digits), z.pow(&exponent));
            assert_eq!(SecretPowers::new(&z).pow(&digits), z.pow(&exponent));
        }
        for exponent in [0, 1, -1, 15, 16, -16, 31, 32, i64::MAX, i64::MIN] {
            let expected = z.pow(&Fr::from(exponent));
            assert_eq!(table.pow_signed(exponent), expected, "{exponent}");
        }
    }

    #[test]
    fn a_product_of_powers_is_the_product_of_the_powers() {
        let (z, other) = (generator(), generator().pow(&Fr::from(99u64)));
        let (a, b) = (Fr::from(7u64).pow([1001]), Fr::from(11u64).pow([1002]));
        let mut product = Product::new();
        product.multiply(&GtTable::new(&z), &Digits::of(&a));
        product.multiply(&GtTable::new(&other), &Digits::of(&b));
        assert_eq!(product.finish(), z.pow(&a).mul(&other.pow(&b)));
    }

    #[test]
    fn limbs_make_the_element_again() {
        let z = *generator().as_field();
        assert_eq!(from_limbs(&to_limbs(&z)), z);
    }
}
