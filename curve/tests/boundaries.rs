//! What the suite of all back ends does not see, because no result depends on it: which arithmetic is used, and that
//! secrets are wiped. Mutation testing found these places open (docs/mutation.md).

use duet_curve::{Arithmetic, Ark, Blst, Curve, Unsupported, Wasm};
use zeroize::Zeroize;

const ALL: [Arithmetic; 3] = [
    Arithmetic::Portable,
    Arithmetic::Avx512,
    Arithmetic::Avx512Ifma,
];

/// What the processor says of itself.
fn has_instructions(arithmetic: Arithmetic) -> bool {
    #[cfg(target_arch = "x86_64")]
    let (avx512, ifma) = (
        std::is_x86_feature_detected!("avx512f") && std::is_x86_feature_detected!("avx512dq"),
        std::is_x86_feature_detected!("avx512ifma"),
    );
    #[cfg(not(target_arch = "x86_64"))]
    let (avx512, ifma) = (false, false);
    match arithmetic {
        Arithmetic::Portable => true,
        Arithmetic::Avx512 => avx512,
        Arithmetic::Avx512Ifma => avx512 && ifma,
    }
}

/// One test, because the choice is that of the whole process.
#[test]
fn every_arithmetic_that_the_processor_has_can_be_chosen_and_the_fastest_is_in_use() {
    let expected: Vec<_> = ALL
        .into_iter()
        .filter(|one| has_instructions(*one))
        .collect();
    assert_eq!(Arithmetic::supported().collect::<Vec<_>>(), expected);
    assert_eq!(expected.first(), Some(&Arithmetic::Portable));
    assert_eq!(expected.last(), Some(&Arithmetic::current()));
    for arithmetic in ALL {
        if has_instructions(arithmetic) {
            assert_eq!(arithmetic.choose(), Ok(()));
            assert_eq!(Arithmetic::current(), arithmetic);
        } else {
            let before = Arithmetic::current();
            assert_eq!(arithmetic.choose(), Err(Unsupported(arithmetic)));
            assert_eq!(Arithmetic::current(), before);
        }
    }
}

#[test]
fn an_arithmetic_that_the_processor_lacks_is_named() {
    let texts = ALL.map(|one| Unsupported(one).to_string());
    assert_eq!(
        texts,
        [
            "this processor does not support portable arithmetic",
            "this processor does not support AVX-512",
            "this processor does not support AVX-512 IFMA",
        ]
    );
}

fn wiped<C: Curve>() -> [u8; 32] {
    let mut scalar = C::scalar_from_u128(u128::MAX);
    assert_ne!(C::scalar_to_bytes(&scalar), [0; 32]);
    scalar.zeroize();
    C::scalar_to_bytes(&scalar)
}

#[test]
fn a_scalar_that_was_wiped_is_zero() {
    assert_eq!(wiped::<Ark>(), [0; 32]);
    assert_eq!(wiped::<Blst>(), [0; 32]);
    assert_eq!(wiped::<Wasm>(), [0; 32]);
}

/// A sum of products that is wrong makes a batch of equations fail, which are then checked one by one: no verdict shows it.
fn sums_of_products_are_right_for_scalars_of_every_length<C: Curve>() {
    let zero = C::scalar_from_u128(0);
    let longest = C::scalar_sub_mul(&zero, &C::scalar_from_u128(1), &C::scalar_from_u128(1));
    let lengths = (0..16).map(|bytes| C::scalar_from_u128(0x81 << (8 * bytes)));
    // No byte of it is zero.
    let dense = C::scalar_from_wide(&[0xff; 48]);
    for scalar in lengths.chain([longest, dense]) {
        let (one, two) = (
            C::g1_generator(),
            C::g1_mul_secret(&C::g1_generator(), &C::scalar_from_u128(2)),
        );
        let expected = [&one, &two].map(|point| C::g1_mul_secret(point, &scalar));
        let sum = C::g1_sum_of_products(&[(one, scalar.clone()), (two, scalar.clone())]);
        assert_eq!(sum, C::g1_sum(&[&expected[0], &expected[1]]));
    }
}

#[test]
fn arkworks_adds_up_products_with_scalars_of_every_length() {
    sums_of_products_are_right_for_scalars_of_every_length::<Ark>();
}

#[test]
fn blst_adds_up_products_with_scalars_of_every_length() {
    sums_of_products_are_right_for_scalars_of_every_length::<Blst>();
}

#[test]
fn the_arithmetic_for_wasm_adds_up_products_with_scalars_of_every_length() {
    sums_of_products_are_right_for_scalars_of_every_length::<Wasm>();
}
