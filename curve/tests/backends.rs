//! One suite of laws, run for every back end, and agreement of all on random inputs.

use ark_bls12_381::Fq;
use ark_ff::{BigInteger, PrimeField};
use duet_curve::{Ark, Base, Blst, Curve, PointList, Purpose, Sums, Wasm, Weight, WITNESS_LEN};
use proptest::prelude::{
    any, prop, prop_assert, prop_assert_eq, proptest, ProptestConfig, Strategy,
};

/// Runs each named law for every back end.
macro_rules! for_all {
    ($($law:ident),* $(,)?) => {
        mod arkworks { $(#[test] fn $law() { super::$law::<super::Ark>() })* }
        mod blst { $(#[test] fn $law() { super::$law::<super::Blst>() })* }
        mod wasm { $(#[test] fn $law() { super::$law::<super::Wasm>() })* }
    };
}

for_all!(
    a_scalar_survives_its_encoding,
    a_wide_number_is_reduced_modulo_r,
    sub_mul_is_what_it_says,
    the_generators_are_those_of_the_standard,
    zero_is_encoded_as_infinity_and_is_the_sum_of_nothing,
    adding_and_taking_away_cancel,
    a_sum_may_pass_through_zero_and_may_double,
    a_product_is_a_repeated_sum,
    zero_times_a_point_and_a_scalar_times_zero_are_zero,
    the_joint_product_is_the_sum_of_two,
    the_short_product_is_a_product,
    hashing_gives_the_answers_of_rfc_9380,
    hashing_depends_on_the_tag_and_on_the_message,
    a_product_does_not_depend_on_the_purpose_of_its_base,
    a_sum_of_many_is_their_sum,
    a_subset_sum_is_the_same_the_hundredth_time,
    a_sum_of_products_is_their_sum,
    a_weight_is_the_scalar_that_it_stands_for,
    pairings_are_bilinear,
    an_equation_may_have_many_pairings,
    a_product_of_pairings_is_one_when_the_exponents_add_up_to_zero,
    a_pairing_with_zero_is_one,
    a_witness_shows_one_equation_and_no_other,
    a_stored_point_reads_as_when_it_was_checked,
);

fn scalar<C: Curve>(n: u64) -> C::Scalar {
    let mut wide = [0; 48];
    wide[40..].copy_from_slice(&n.to_be_bytes());
    C::scalar_from_wide(&wide)
}

fn g1<C: Curve>(n: u64) -> C::G1 {
    C::g1_mul_secret(&C::g1_generator(), &scalar::<C>(n))
}

fn g2<C: Curve>(n: u64) -> C::G2 {
    C::g2_mul_secret(&C::g2_generator(), &scalar::<C>(n))
}

/// A point that is multiplied once.
fn once<C: Curve>(point: C::G1) -> Base<C> {
    Base::new(point, Purpose::Once)
}

/// `r − 1`, big-endian.
const MINUS_ONE: [u8; 32] = [
    0x73, 0xed, 0xa7, 0x53, 0x29, 0x9d, 0x7d, 0x48, 0x33, 0x39, 0xd8, 0x08, 0x09, 0xa1, 0xd8, 0x05,
    0x53, 0xbd, 0xa4, 0x02, 0xff, 0xfe, 0x5b, 0xfe, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00,
];

fn minus_one<C: Curve>() -> C::Scalar {
    let mut wide = [0; 48];
    wide[16..].copy_from_slice(&MINUS_ONE);
    C::scalar_from_wide(&wide)
}

fn a_scalar_survives_its_encoding<C: Curve>() {
    for n in [0, 1, 2, u64::MAX] {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&n.to_le_bytes());
        assert_eq!(C::scalar_to_bytes(&scalar::<C>(n)), bytes);
        assert!(C::scalar_from_bytes(&bytes).is_some_and(|read| read == scalar::<C>(n)));
    }
}

fn a_wide_number_is_reduced_modulo_r<C: Curve>() {
    // r is zero, r + 1 is one, and 256 · (r − 1) is −256.
    let mut r = [0; 48];
    r[16..].copy_from_slice(&MINUS_ONE);
    r[47] += 1;
    assert!(C::scalar_from_wide(&r) == scalar::<C>(0));
    r[47] += 1;
    assert!(C::scalar_from_wide(&r) == scalar::<C>(1));
    let mut shifted = [0; 48];
    shifted[15..47].copy_from_slice(&MINUS_ONE);
    let expected = C::scalar_sub_mul(&scalar::<C>(0), &scalar::<C>(256), &scalar::<C>(1));
    assert!(C::scalar_from_wide(&shifted) == expected);
    // 2³⁸⁴ − 1 modulo r, computed independently.
    let all_ones = "2c711ff81bb22acf0d600aacb8ef77920a51697368e5bb7acb3a84d41fafbe2d";
    let bytes = C::scalar_to_bytes(&C::scalar_from_wide(&[0xff; 48]));
    assert_eq!(hex::encode(bytes), all_ones);
}

fn sub_mul_is_what_it_says<C: Curve>() {
    let of = |a, b, c| C::scalar_sub_mul(&scalar::<C>(a), &scalar::<C>(b), &scalar::<C>(c));
    assert!(of(100, 6, 7) == scalar::<C>(58));
    assert!(of(0, 1, 1) == minus_one::<C>());
    assert!(of(42, 6, 7) == scalar::<C>(0));
    let square = C::scalar_sub_mul(&scalar::<C>(0), &minus_one::<C>(), &minus_one::<C>());
    assert!(square == minus_one::<C>());
}

fn the_generators_are_those_of_the_standard<C: Curve>() {
    let g1 = "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb";
    let g2 = "93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e\
              024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8";
    assert_eq!(hex::encode(C::g1_to_bytes(&C::g1_generator())), g1);
    assert_eq!(hex::encode(C::g2_to_bytes(&C::g2_generator())), g2);
}

fn zero_is_encoded_as_infinity_and_is_the_sum_of_nothing<C: Curve>() {
    let (mut of_g1, mut of_g2) = ([0; 48], [0; 96]);
    (of_g1[0], of_g2[0]) = (0xc0, 0xc0);
    let (zero1, zero2) = (C::g1_sum(&[]), C::g2_sum(&[]));
    assert!(C::g1_is_zero(&zero1) && C::g2_is_zero(&zero2));
    assert_eq!(
        (C::g1_to_bytes(&zero1), C::g2_to_bytes(&zero2)),
        (of_g1, of_g2)
    );
    assert!(!C::g1_is_zero(&C::g1_generator()) && !C::g2_is_zero(&C::g2_generator()));
}

fn adding_and_taking_away_cancel<C: Curve>() {
    let sum = C::g1_sum(&[&g1::<C>(3), &g1::<C>(4)]);
    assert_eq!(sum, g1::<C>(7));
    assert_eq!(C::g1_sub(&sum, &g1::<C>(4)), g1::<C>(3));
    assert!(C::g1_is_zero(&C::g1_sub(&sum, &sum)));
    let zero = C::g1_sum(&[]);
    assert_eq!(C::g1_sub(&sum, &zero), sum);
    assert_eq!(C::g1_sum(&[&C::g1_sub(&zero, &sum), &sum]), zero);
}

fn a_sum_may_pass_through_zero_and_may_double<C: Curve>() {
    let (p, q) = (g1::<C>(5), g2::<C>(5));
    let minus_p = C::g1_mul_secret(&p, &minus_one::<C>());
    let minus_q = C::g2_mul_secret(&q, &minus_one::<C>());
    assert_eq!(C::g1_sum(&[&p, &minus_p, &p]), p);
    assert_eq!(C::g2_sum(&[&q, &minus_q, &q]), q);
    assert!(C::g1_is_zero(&C::g1_sum(&[&p, &minus_p])));
    assert!(C::g2_is_zero(&C::g2_sum(&[&q, &minus_q])));
    assert_eq!(C::g1_sum(&[&p, &p]), g1::<C>(10));
    assert_eq!(C::g2_sum(&[&q, &q]), g2::<C>(10));
    assert_eq!(C::g1_sum(&[&C::g1_sum(&[]), &p]), p);
    assert_eq!(C::g2_sum(&[&C::g2_sum(&[]), &q]), q);
}

fn a_product_is_a_repeated_sum<C: Curve>() {
    let (p, q) = (g1::<C>(11), g2::<C>(11));
    for n in 1_u64..9 {
        let (of_p, of_q) = (
            (0..n).map(|_| &p).collect::<Vec<_>>(),
            (0..n).map(|_| &q).collect::<Vec<_>>(),
        );
        assert_eq!(C::g1_mul_secret(&p, &scalar::<C>(n)), C::g1_sum(&of_p));
        assert_eq!(C::g2_mul_secret(&q, &scalar::<C>(n)), C::g2_sum(&of_q));
    }
}

fn zero_times_a_point_and_a_scalar_times_zero_are_zero<C: Curve>() {
    let (zero, seven) = (scalar::<C>(0), scalar::<C>(7));
    assert!(C::g1_is_zero(&C::g1_mul_secret(&C::g1_generator(), &zero)));
    assert!(C::g2_is_zero(&C::g2_mul_secret(&C::g2_generator(), &zero)));
    assert!(C::g1_is_zero(&C::g1_mul_secret(&C::g1_sum(&[]), &seven)));
    assert!(C::g2_is_zero(&C::g2_mul_secret(&C::g2_sum(&[]), &seven)));
    assert!(C::g1_is_zero(&C::g1_mul_add(
        &zero,
        &g1::<C>(2),
        &zero,
        &g1::<C>(3)
    )));
    assert!(C::g1_is_zero(&C::g1_add_mul_short(
        &C::g1_sum(&[]),
        0,
        &once::<C>(g1::<C>(3)),
    )));
}

fn the_joint_product_is_the_sum_of_two<C: Curve>() {
    let (p, q) = (g1::<C>(1), g1::<C>(100));
    let joint = |a, b| C::g1_mul_add(&scalar::<C>(a), &p, &scalar::<C>(b), &q);
    assert_eq!(joint(2, 3), g1::<C>(302));
    assert_eq!(joint(0, 3), g1::<C>(300));
    assert_eq!(joint(2, 0), g1::<C>(2));
    // Twice the same point, and a sum that vanishes.
    assert_eq!(
        C::g1_mul_add(&scalar::<C>(1), &q, &scalar::<C>(1), &q),
        g1::<C>(200)
    );
    assert!(C::g1_is_zero(&C::g1_mul_add(
        &minus_one::<C>(),
        &q,
        &scalar::<C>(1),
        &q
    )));
}

fn the_short_product_is_a_product<C: Curve>() {
    let (p, q) = (g1::<C>(1), g1::<C>(100));
    assert_eq!(C::g1_add_mul_short(&p, 0, &once::<C>(q.clone())), p);
    assert_eq!(
        C::g1_add_mul_short(&p, 3, &once::<C>(q.clone())),
        g1::<C>(301)
    );
    let mut wide = [0; 48];
    wide[32..].copy_from_slice(&u128::MAX.to_be_bytes());
    let whole = C::g1_mul_secret(&q, &C::scalar_from_wide(&wide));
    assert_eq!(
        C::g1_add_mul_short(&p, u128::MAX, &once::<C>(q.clone())),
        C::g1_sum(&[&p, &whole])
    );
    assert_eq!(
        C::g1_add_mul_short(&q, 1, &once::<C>(q.clone())),
        g1::<C>(200)
    );
}

/// The vectors of RFC 9380, J.9.1: tag, message, and the affine point that both halves spell.
fn hashing_gives_the_answers_of_rfc_9380<C: Curve>() {
    let tag = b"QUUX-V01-CS02-with-BLS12381G1_XMD:SHA-256_SSWU_RO_";
    let vectors = [
        (
            &b""[..],
            "052926add2207b76ca4fa57a8734416c8dc95e24501772c814278700eed6d1e4e8cf62d9c09db0fac349612b759e79a1",
            "08ba738453bfed09cb546dbb0783dbb3a5f1f566ed67bb6be0e8c67e2e81a4cc68ee29813bb7994998f3eae0c9c6a265",
        ),
        (
            &b"abc"[..],
            "03567bc5ef9c690c2ab2ecdf6a96ef1c139cc0b2f284dca0a9a7943388a49a3aee664ba5379a7655d3c68900be2f6903",
            "0b9c15f3fe6e5cf4211f346271d7b01c8f3b28be689c8429c85b67af215533311f0b8dfaaa154fa6b88176c229f2885d",
        ),
    ];
    // Half of the modulus, rounded down: a y above it is the greater of the two and sets the sign flag.
    let half = "0d0088f51cbff34d258dd3db21a5d66bb23ba5c279c2895fb39869507b587b120f55ffff58a9ffffdcff7fffffffd555";
    for (message, x, y) in vectors {
        let mut expected = hex::decode(x).expect("hex");
        expected[0] |= if y > half { 0xa0 } else { 0x80 };
        let found = C::g1_to_bytes(&C::hash_to_g1(tag, message));
        assert_eq!(hex::encode(found), hex::encode(expected), "{message:?}");
    }
}

fn hashing_depends_on_the_tag_and_on_the_message<C: Curve>() {
    let hash = |tag, message| C::g1_to_bytes(&C::hash_to_g1(tag, message));
    assert_ne!(hash(b"a", b"m"), hash(b"b", b"m"));
    assert_ne!(hash(b"a", b"m"), hash(b"a", b"n"));
    assert!(
        C::g1_from_bytes(&hash(b"a", b"")).is_ok(),
        "a hash is in the subgroup and not zero"
    );
}

/// Multiples of bases for every purpose, before and after tables are made, and without.
fn a_product_does_not_depend_on_the_purpose_of_its_base<C: Curve>() {
    let q = g1::<C>(100);
    let zero = C::g1_sum(&[]);
    let purposes = [
        Purpose::Once,
        Purpose::AFewTimes,
        Purpose::SetTotal,
        Purpose::Member { set_len: 1_000 },
        Purpose::Member { set_len: 100_000 },
        Purpose::Message { votes: 1 },
        Purpose::Message { votes: 10_000 },
    ];
    let bytes = C::g1_to_bytes(&q);
    let bases = purposes.into_iter().flat_map(|purpose| {
        [
            Base::<C>::new(q.clone(), purpose),
            Base::from_bytes(&bytes, purpose).unwrap(),
            Base::from_stored_unchecked(&bytes, purpose).unwrap(),
            once::<C>(q.clone()).for_purpose(purpose),
        ]
    });
    for base in bases {
        assert_eq!((base.point(), base.bytes()), (&q, &bytes));
        for n in [0, 1, 2, 3, 1 << 40] {
            let expected = C::g1_mul_secret(&q, &scalar::<C>(n));
            assert_eq!(C::g1_mul_public(&scalar::<C>(n), &base), expected);
            assert_eq!(C::g1_add_mul_short(&zero, n.into(), &base), expected);
        }
        let minus = C::g1_neg(&q);
        assert_eq!(C::g1_mul_public(&minus_one::<C>(), &base), minus);
        assert!(C::g1_is_zero(&C::g1_add_mul_short(&minus, 1, &base)));
    }
    let generator = Base::<C>::generator();
    assert_eq!(generator.bytes(), &C::g1_to_bytes(&C::g1_generator()));
    let seven = C::g1_mul_public(&scalar::<C>(7), &generator);
    assert_eq!(seven, g1::<C>(7));
    assert!(C::scalar_from_u128(7) == scalar::<C>(7));
}

/// Sums of as many points as go through every way of adding, with doublings, cancellations and zeros in them.
fn a_sum_of_many_is_their_sum<C: Curve>() {
    let (minus, zero) = (C::g1_neg(&g1::<C>(5)), C::g1_sum(&[]));
    let some: Vec<_> = (0..5).map(g1::<C>).chain([minus, zero]).collect();
    for count in [1, 2, 16, 17, 255, 256, 257, 600] {
        let points: Vec<_> = some.iter().cycle().take(count).collect();
        let of_each = points.iter().enumerate().map(|(at, _)| at % 7);
        let sum: i64 = of_each.map(|at| [0, 1, 2, 3, 4, -5, 0][at]).sum();
        assert_eq!(C::g1_sum(&points), small::<C>(sum), "{count}");
    }
    let (q, minus) = (g2::<C>(5), C::g2_mul_secret(&g2::<C>(5), &minus_one::<C>()));
    for count in [16, 17, 300] {
        let points: Vec<_> = [&q, &minus, &q].into_iter().cycle().take(count).collect();
        // Each third leaves one `q`, and so does the first of the next.
        let left = [0, 1, 0][count % 3] + count / 3;
        let expected = g2::<C>(5 * u64::try_from(left).expect("small"));
        assert_eq!(C::g2_sum(&points), expected, "{count}");
    }
}

fn small<C: Curve>(n: i64) -> C::G1 {
    let point = g1::<C>(n.unsigned_abs());
    if n < 0 {
        C::g1_neg(&point)
    } else {
        point
    }
}

/// The same list is asked so often that its cached sums are used, with lists that end within a group.
fn a_subset_sum_is_the_same_the_hundredth_time<C: Curve>() {
    let values = [
        3, -5, 0, 7, 3, 11, -3, 2, 5, 1, -7, 4, 9, 9, -9, 6, 8, 8, 1, 2,
    ];
    for len in [1, 7, 8, 9, 16, 20] {
        let points = values[..len].iter().map(|n| small::<C>(*n)).collect();
        let points = PointList::<C, C::G1>::new(points, |point| point);
        for time in 0_usize..100 {
            let selected: Vec<u8> = (0..len.div_ceil(8))
                .map(|at| [0xff, 0x5a, 0x00, 0xf1, 0x83][(time + at) % 5])
                .collect();
            let is_selected = |at: &usize| selected[at / 8] >> (at % 8) & 1 == 1;
            let expected: i64 = (0..len).filter(is_selected).map(|at| values[at]).sum();
            let sum = points.sum_of(&selected);
            assert_eq!(sum, small::<C>(expected), "{len}, {time}");
        }
    }
}

fn a_sum_of_products_is_their_sum<C: Curve>() {
    assert!(C::g1_is_zero(&C::g1_sum_of_products(&[])));
    let terms = [(2, 3), (5, 7), (2, 0), (1, 1)].map(|(p, n)| (g1::<C>(p), scalar::<C>(n)));
    assert_eq!(C::g1_sum_of_products(&terms[..1]), g1::<C>(6));
    assert_eq!(C::g1_sum_of_products(&terms), g1::<C>(42));
    // Points that are zero, and products that cancel.
    let zero = (C::g1_sum(&[]), scalar::<C>(9));
    assert!(C::g1_is_zero(&C::g1_sum_of_products(
        core::slice::from_ref(&zero)
    )));
    let minus = (g1::<C>(42), minus_one::<C>());
    let all: Vec<_> = terms.into_iter().chain([zero, minus]).collect();
    assert!(C::g1_is_zero(&C::g1_sum_of_products(&all)));
    // More than fit one window of any method.
    let many: Vec<_> = (1..=100)
        .map(|n| (g1::<C>(n), scalar::<C>(1_000 + n)))
        .collect();
    let expected = (1..=100).map(|n| n * (1_000 + n)).sum();
    assert_eq!(C::g1_sum_of_products(&many), g1::<C>(expected));
}

fn a_weight_is_the_scalar_that_it_stands_for<C: Curve>() {
    const Z: u128 = 0xd201_0000_0001_0000;
    let one = scalar::<C>(1);
    let minus_z2 = C::scalar_sub_mul(&scalar::<C>(0), &C::scalar_from_u128(Z * Z), &one);
    let stands_for =
        |[a, b]: Weight| C::scalar_sub_mul(&scalar::<C>(a), &scalar::<C>(b), &minus_z2);
    let edges = [0, 1, 7, 8, u64::MAX, u64::MAX - 8, 1 << 63];
    let weights: Vec<Weight> = edges
        .into_iter()
        .flat_map(|a| edges.map(|b| [a, b]))
        .chain((1..251).map(|n: u64| [n, 5 * n].map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15))))
        .collect();
    let points: Vec<_> = (0..weights.len()).map(|n| g1::<C>(n as u64 % 70)).collect();
    let products: Vec<_> = weights
        .iter()
        .zip(&points)
        .map(|(weight, point)| {
            let scalar = C::scalar_from_weight(*weight);
            assert!(scalar == stands_for(*weight), "{weight:?}");
            C::g1_mul_secret(point, &scalar)
        })
        .collect();
    // Few and many go different ways.
    for len in [0, 1, 15, 16, weights.len()] {
        let terms = points.iter().zip(weights.iter().copied()).take(len);
        assert_eq!(
            C::g1_times_weights(&terms.clone().collect::<Vec<_>>()),
            products[..len]
        );
        let terms: Vec<_> = terms
            .map(|(point, weight)| (point.clone(), weight))
            .collect();
        let sum = C::g1_sum(&products[..len].iter().collect::<Vec<_>>());
        assert_eq!(C::g1_weighted_sum(&terms), sum, "{len}");
    }
}

fn a_product_of_pairings_is_one_when_the_exponents_add_up_to_zero<C: Curve>() {
    let (p, q) = ([1, 2, 3].map(g1::<C>), [4, 5].map(g2::<C>));
    let minus = C::g1_neg(&g1::<C>(26));
    assert!(C::pairing_product_is_one(&[]));
    assert!(!C::pairing_product_is_one(&[(&p[0], &q[0])]));
    // 1·4 + 2·5 + 3·4 − 26·1.
    let one = g2::<C>(1);
    let pairs = [
        (&p[0], &q[0]),
        (&p[1], &q[1]),
        (&p[2], &q[0]),
        (&minus, &one),
    ];
    assert!(C::pairing_product_is_one(&pairs));
    assert!(!C::pairing_product_is_one(&pairs[1..]));
}

/// Whether `e(a, b) = e(c, d)`.
fn pairings_equal<C: Curve>(a: &C::G1, b: &C::G2, c: &C::G1, d: &C::G2) -> bool {
    C::pairing_product_is_one(&[(a, b), (&C::g1_neg(c), d)])
}

/// Whether `e(left, g2) = e(right, point)`.
fn equation_holds<C: Curve>(left: &C::G1, right: &C::G1, point: &C::G2) -> bool {
    C::equation_holds(left, &[(right, &C::g2_prepare(point))])
}

fn pairings_are_bilinear<C: Curve>() {
    let equal =
        |a, b, c, d| pairings_equal::<C>(&g1::<C>(a), &g2::<C>(b), &g1::<C>(c), &g2::<C>(d));
    assert!(equal(6, 35, 14, 15));
    assert!(equal(1, 210, 210, 1));
    assert!(!equal(6, 35, 14, 16));
    assert!(!equal(6, 35, 13, 15));
    let holds = |a, c, d| equation_holds::<C>(&g1::<C>(a), &g1::<C>(c), &g2::<C>(d));
    assert!(holds(210, 14, 15));
    assert!(holds(1, 1, 1));
    assert!(!holds(211, 14, 15));
    assert!(!holds(210, 14, 16));
    let minus = C::g1_neg(&g1::<C>(210));
    assert!(!equation_holds::<C>(&minus, &g1::<C>(14), &g2::<C>(15)));
}

fn an_equation_may_have_many_pairings<C: Curve>() {
    assert!(C::equation_holds(&C::g1_sum(&[]), &[]));
    assert!(!C::equation_holds(&g1::<C>(1), &[]));
    // More than one batch, and some with zero.
    for len in [1, 2, 31, 32, 33, 70] {
        let pairs: Vec<_> = (0..len)
            .map(|n| (g1::<C>(n % 5), C::g2_prepare(&g2::<C>(n % 7))))
            .collect();
        let pairs: Vec<_> = pairs.iter().map(|(p, q)| (p, q)).collect();
        let exponent: u64 = (0..len).map(|n| (n % 5) * (n % 7)).sum();
        assert!(C::equation_holds(&g1::<C>(exponent), &pairs), "{len}");
        assert!(!C::equation_holds(&g1::<C>(exponent + 1), &pairs), "{len}");
    }
}

fn a_pairing_with_zero_is_one<C: Curve>() {
    let (zero1, zero2) = (C::g1_sum(&[]), C::g2_sum(&[]));
    let (p, q) = (g1::<C>(2), g2::<C>(3));
    assert!(pairings_equal::<C>(&zero1, &q, &zero1, &q));
    assert!(pairings_equal::<C>(&zero1, &q, &p, &zero2));
    assert!(pairings_equal::<C>(&p, &zero2, &zero1, &zero2));
    assert!(!pairings_equal::<C>(&zero1, &q, &p, &q));
    assert!(!pairings_equal::<C>(&p, &zero2, &p, &q));
    assert!(!pairings_equal::<C>(&p, &q, &zero1, &q));
    assert!(!pairings_equal::<C>(&p, &q, &p, &zero2));
    assert!(equation_holds::<C>(&zero1, &zero1, &q));
    assert!(equation_holds::<C>(&zero1, &p, &zero2));
    assert!(!equation_holds::<C>(&zero1, &p, &q));
    assert!(!equation_holds::<C>(&p, &zero1, &q));
    assert!(!equation_holds::<C>(&p, &p, &zero2));
}

fn a_witness_shows_one_equation_and_no_other<C: Curve>() {
    let (right, point) = (g1::<C>(14), C::g2_prepare(&g2::<C>(15)));
    let pairs = [(&right, &point)];
    let of = |left| C::equation_witness(&g1::<C>(left), &pairs);
    let holds = |left, witness| C::equation_holds_by(&g1::<C>(left), &pairs, &witness);
    let witness = of(210);
    assert!(holds(210, witness));
    assert!(!holds(211, witness));
    assert!(!holds(211, of(211)), "no equation that holds");
    let other = (&g1::<C>(28), &C::g2_prepare(&g2::<C>(15)));
    assert!(!holds(210, C::equation_witness(&g1::<C>(420), &[other])));
    assert!(!holds(210, [0; WITNESS_LEN]));
    for at in 0..WITNESS_LEN {
        let mut changed = witness;
        changed[at] ^= 1 << (at % 8);
        assert!(!holds(210, changed), "byte {at}");
    }
    // The same coordinate, written above the modulus.
    let modulus = Fq::MODULUS.to_bytes_be();
    for at in 0..6 {
        let (mut changed, mut carry) = (witness, 0);
        let coordinate = &mut changed[48 * at..48 * (at + 1)];
        for (byte, of_modulus) in coordinate.iter_mut().zip(&modulus).rev() {
            carry += u16::from(*byte) + u16::from(*of_modulus);
            *byte = u8::try_from(carry % 256).expect("a byte");
            carry /= 256;
        }
        assert!(!holds(210, changed), "coordinate {at}");
    }
    // Two pairings on the right, and one side with zero.
    let (zero, p, q) = (g1::<C>(0), g1::<C>(5), C::g2_prepare(&g2::<C>(7)));
    let pairs = [(&right, &point), (&p, &q), (&zero, &q)];
    for (left, is_true) in [(245, true), (244, false)] {
        let left = g1::<C>(left);
        let witness = C::equation_witness(&left, &pairs);
        assert_eq!(C::equation_holds_by(&left, &pairs, &witness), is_true);
    }
}

fn a_stored_point_reads_as_when_it_was_checked<C: Curve>() {
    for n in 1..5 {
        let (p, q) = (C::g1_to_bytes(&g1::<C>(n)), C::g2_to_bytes(&g2::<C>(n)));
        assert_eq!(C::g1_from_bytes(&p), Ok(g1::<C>(n)));
        assert_eq!(C::g1_from_stored_unchecked(&p), Ok(g1::<C>(n)));
        assert_eq!(C::g2_from_bytes(&q), Ok(g2::<C>(n)));
        let prepared = C::g2_prepared_from_bytes(&q).expect("a point of the subgroup");
        assert_eq!(C::g2_of_prepared(&prepared), &g2::<C>(n));
        assert_eq!(C::g2_from_stored_unchecked(&q), Ok(g2::<C>(n)));
    }
}

/// The results of every operation on the same inputs, as bytes.
fn results<C: Curve>(wide: &[[u8; 48]; 3], short: u128, message: &[u8]) -> Vec<Vec<u8>> {
    let [a, b, c] = wide.each_ref().map(|wide| C::scalar_from_wide(wide));
    let p = C::hash_to_g1(&[1], message);
    let q = C::g1_mul_secret(&C::g1_generator(), &a);
    let of_g2 = C::g2_mul_secret(&C::g2_generator(), &b);
    let other = C::g2_mul_secret(&of_g2, &c);
    let scalars = [
        C::scalar_to_bytes(&a),
        C::scalar_to_bytes(&C::scalar_sub_mul(&a, &b, &c)),
    ];
    let of_g1 = [
        C::g1_sum(&[&p, &q, &p]),
        C::g1_sub(&p, &q),
        C::g1_mul_add(&a, &p, &b, &q),
        C::g1_add_mul_short(&p, short, &once::<C>(q.clone())),
        p,
    ];
    let of_g2 = [C::g2_sum(&[&of_g2, &other]), of_g2, other];
    let g1_bytes = of_g1.iter().map(|point| C::g1_to_bytes(point).to_vec());
    let g2_bytes = of_g2.iter().map(|point| C::g2_to_bytes(point).to_vec());
    scalars
        .iter()
        .map(|bytes| bytes.to_vec())
        .chain(g1_bytes)
        .chain(g2_bytes)
        .collect()
}

/// A verdict on bytes: the point again, or why not.
fn verdicts<C: Curve>(of_g1: &[u8; 48], of_g2: &[u8; 96], of_scalar: &[u8; 32]) -> Vec<String> {
    vec![
        format!(
            "{:?}",
            C::g1_from_bytes(of_g1).map(|point| C::g1_to_bytes(&point))
        ),
        format!(
            "{:?}",
            Base::<C>::from_bytes(of_g1, Purpose::AFewTimes).map(|base| *base.bytes())
        ),
        format!(
            "{:?}",
            C::g1_from_stored_unchecked(of_g1).map(|point| C::g1_to_bytes(&point))
        ),
        format!(
            "{:?}",
            C::g2_from_bytes(of_g2).map(|point| C::g2_to_bytes(&point))
        ),
        format!(
            "{:?}",
            C::g2_prepared_from_bytes(of_g2)
                .map(|prepared| C::g2_to_bytes(C::g2_of_prepared(&prepared)))
        ),
        format!(
            "{:?}",
            C::g2_from_stored_unchecked(of_g2).map(|point| C::g2_to_bytes(&point))
        ),
        format!(
            "{:?}",
            C::scalar_from_bytes(of_scalar).map(|scalar| C::scalar_to_bytes(&scalar))
        ),
    ]
}

/// Bytes with the flags set in a way that lets half of them through to the curve.
fn flagged<const N: usize>() -> impl Strategy<Value = [u8; N]> {
    (prop::collection::vec(any::<u8>(), N), any::<bool>()).prop_map(|(bytes, plausible)| {
        let mut bytes: [u8; N] = bytes.try_into().expect("N bytes");
        if plausible {
            bytes[0] = 0x80 | (bytes[0] & 0x2f);
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn all_back_ends_give_the_same_bytes_for_every_operation(
        wide in prop::array::uniform3(prop::array::uniform32(any::<u8>())),
        high in any::<[u8; 16]>(),
        short in any::<u128>(),
        message in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let wide = wide.map(|low| {
            let mut wide = [0; 48];
            wide[..16].copy_from_slice(&high);
            wide[16..].copy_from_slice(&low);
            wide
        });
        let by_blst = results::<Blst>(&wide, short, &message);
        prop_assert_eq!(&results::<Ark>(&wide, short, &message), &by_blst);
        prop_assert_eq!(&results::<Wasm>(&wide, short, &message), &by_blst);
    }

    #[test]
    fn all_back_ends_give_the_same_verdict_on_any_bytes(
        of_g1 in flagged::<48>(),
        of_g2 in flagged::<96>(),
        of_scalar in any::<[u8; 32]>(),
    ) {
        let by_blst = verdicts::<Blst>(&of_g1, &of_g2, &of_scalar);
        prop_assert_eq!(&verdicts::<Ark>(&of_g1, &of_g2, &of_scalar), &by_blst);
        prop_assert_eq!(&verdicts::<Wasm>(&of_g1, &of_g2, &of_scalar), &by_blst);
    }

    #[test]
    fn all_back_ends_agree_on_pairings(
        a in 1_u64..5, b in 1_u64..5, c in 1_u64..5, d in 1_u64..5,
    ) {
        let by_ark = pairings_equal::<Ark>(&g1::<Ark>(a), &g2::<Ark>(b), &g1::<Ark>(c), &g2::<Ark>(d));
        let by_blst = pairings_equal::<Blst>(&g1::<Blst>(a), &g2::<Blst>(b), &g1::<Blst>(c), &g2::<Blst>(d));
        let by_wasm = pairings_equal::<Wasm>(&g1::<Wasm>(a), &g2::<Wasm>(b), &g1::<Wasm>(c), &g2::<Wasm>(d));
        prop_assert_eq!(by_ark, a * b == c * d);
        prop_assert_eq!((by_blst, by_wasm), (by_ark, by_ark));
        let holds = equation_holds::<Blst>(&g1::<Blst>(a), &g1::<Blst>(c), &g2::<Blst>(d));
        prop_assert_eq!(holds, a == c * d);
    }

    #[test]
    fn an_aggregate_is_the_sum_in_any_order(
        mut members in prop::collection::vec(0_u64..1000, 1..12),
    ) {
        let sum: u64 = members.iter().sum();
        let points: Vec<_> = members.iter().map(|n| g1::<Blst>(*n)).collect();
        let total = Blst::g1_sum(&points.iter().collect::<Vec<_>>());
        prop_assert_eq!(&total, &g1::<Blst>(sum));
        members.reverse();
        let points: Vec<_> = members.iter().map(|n| g1::<Blst>(*n)).collect();
        prop_assert!(total == Blst::g1_sum(&points.iter().collect::<Vec<_>>()));
    }
}
