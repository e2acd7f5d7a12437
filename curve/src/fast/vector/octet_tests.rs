//! Octets against blst, one lane after the other, at every edge of what each operation accepts.

use super::{
    kernel::Lockstep,
    octet::{Octet, Single, Stored, LANES, ONE},
    tests::{element, LARGEST},
};
use crate::{
    fast::field::Fp,
    parameters::{MODULUS, SQUARED_RADIX},
    Arithmetic,
};
use alloc::vec::Vec;

type Eight = [Fp; LANES];

/// Runs what needs AVX-512 IFMA, where there is any.
fn with_ifma(test: unsafe fn()) {
    if Lockstep::of(Arithmetic::Avx512Ifma).is_some() {
        // SAFETY: the processor has AVX-512 IFMA.
        unsafe { test() }
    }
}

/// Elements with all kinds of limbs: zeros, ones, full ones, the largest.
fn elements(seed: usize) -> Eight {
    let of = |l: [u64; 6]| Fp(blst::blst_fp { l });
    let full = {
        let mut words = [u64::MAX; 6];
        words[5] = MODULUS[5] - 1;
        words
    };
    let edges = [
        Fp::ZERO,
        of([1, 0, 0, 0, 0, 0]),
        Fp::ONE,
        LARGEST,
        of(full),
        of([u64::MAX, 0, u64::MAX, 0, u64::MAX, 0]),
        of([0, u64::MAX, 0, u64::MAX, 0, MODULUS[5] - 1]),
    ];
    core::array::from_fn(|lane| {
        let at = (lane * 3 + seed * (lane + 1)) % (2 * edges.len());
        edges
            .get(at)
            .copied()
            .unwrap_or_else(|| element((seed * 100 + lane) as u64))
    })
}

fn each(a: &Eight, b: &Eight, operation: impl Fn(&Fp, &Fp) -> Fp) -> Eight {
    core::array::from_fn(|lane| operation(&a[lane], &b[lane]))
}

fn add(a: &Fp, b: &Fp) -> Fp {
    a.sub(&b.neg())
}

#[test]
fn octets_are_multiplied_added_and_subtracted_as_by_blst() {
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    fn test() {
        for seed in 0..500 {
            let (a, b) = (elements(seed), elements(seed * 7 + 3));
            let (va, vb) = (Octet::of(a.each_ref()), Octet::of(b.each_ref()));
            assert_eq!(va.blst_form(), a);
            assert_eq!(va.mul(&vb).blst_form(), each(&a, &b, Fp::mul));
            assert_eq!(va.square().blst_form(), each(&a, &b, |a, _| a.square()));
            assert_eq!(va.plus(&vb).reduced().blst_form(), each(&a, &b, add));
            assert_eq!(va.minus(&vb).reduced().blst_form(), each(&a, &b, Fp::sub));
            assert_eq!(va.difference(&vb).blst_form(), each(&a, &b, Fp::sub));
            let tripled = each(&a, &b, |a, _| a.triple());
            assert_eq!(va.tripled().reduced().blst_form(), tripled);
            let sum = va.plus_limbs(&va).plus_limbs(&va.minus(&vb));
            let expected = each(&a, &b, |a, b| b.sub(&add(&a.triple(), &b.neg())));
            assert_eq!(vb.minus_sum(&sum).blst_form(), expected);
            let negative = 0b0101_1010;
            let negated: Eight = core::array::from_fn(|lane| {
                if negative >> lane & 1 == 1 {
                    a[lane].neg()
                } else {
                    a[lane]
                }
            });
            assert_eq!(va.negated_where(negative).reduced().blst_form(), negated);
            let wide = Octet::widened(a.each_ref());
            let rise = wide.signed_minus(negative, &vb);
            let expected = each(&negated, &b, Fp::sub);
            assert_eq!(vb.mul(&rise).blst_form(), each(&expected, &b, Fp::mul));
            let replaced: Eight = core::array::from_fn(|lane| {
                if negative >> lane & 1 == 1 {
                    b[lane]
                } else {
                    a[lane]
                }
            });
            assert_eq!(va.replaced(negative, &vb).blst_form(), replaced);
            let equal = (0..LANES).filter(|lane| a[*lane] == b[*lane]);
            let equal = equal.fold(0, |mask, lane| mask | 1 << lane);
            assert_eq!(va.canonical().equals(&vb.canonical()), equal);
            assert_eq!(va.difference(&vb).is_zero(), equal);
        }
    }
    with_ifma(test);
}

#[test]
fn the_largest_factors_have_a_short_product() {
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    fn test() {
        // Widened, below `2^32·p`; with the most taken off, below `(2^32 + 4)·p`.
        let largest = [LARGEST; LANES];
        let zero = Octet::of([&Fp::ZERO; LANES]);
        let short = Octet::of(largest.each_ref());
        let widest = [
            Octet::widened(largest.each_ref()),
            Octet::widened(largest.each_ref()).signed_minus(0, &zero),
            Octet::widened([&Fp::ZERO; LANES]).signed_minus(0xff, &zero),
        ];
        for (wide, value) in widest.iter().zip([LARGEST, LARGEST, Fp::ZERO]) {
            let product = short.mul(wide);
            assert_eq!(product.blst_form(), [LARGEST.mul(&value); LANES]);
            // Short: what is below `2p` at least is canonical after one subtraction.
            assert_eq!(product.canonical().is_zero(), product.is_zero());
            assert_eq!(wide.reduced().blst_form(), [value; LANES]);
        }
    }
    with_ifma(test);
}

#[test]
fn octets_come_from_memory_and_from_integers_and_go_back() {
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    fn test() {
        for seed in 0..200 {
            let elements = elements(seed);
            let octet = Octet::of(elements.each_ref());
            let mut stored = Stored::ZERO;
            octet.store(&mut stored);
            assert_eq!(Octet::load(&stored).blst_form(), elements);
            let singles = octet.singles();
            assert_eq!(Octet::gather(singles.each_ref()).blst_form(), elements);
            let negated: Vec<Single> = singles.iter().map(Single::negated).collect();
            let negated = Octet::gather(core::array::from_fn(|lane| &negated[lane]));
            let expected = each(&elements, &elements, |a, _| a.neg());
            assert_eq!(negated.blst_form(), expected);
            // An integer in blst's form is its product with `2^384`; with one, blst's products take that away.
            let squared_radix = Fp(blst::blst_fp { l: SQUARED_RADIX });
            let into = each(&elements, &elements, |a, _| a.mul(&squared_radix));
            assert_eq!(Octet::of_integers(elements.each_ref()).blst_form(), into);
            assert_eq!(Octet::of(into.each_ref()).integers(), elements);
        }
        assert_eq!(Octet::load(&ONE).blst_form(), [Fp::ONE; LANES]);
    }
    with_ifma(test);
}
