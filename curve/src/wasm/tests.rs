#[cfg(feature = "host-functions")]
use super::hosted;
use super::{
    encoding, fp,
    fp::{El, Fp},
    fp2::{El2, Fp2},
    hash,
    limbs::LIMBS,
    pairing,
    point::{Affine, Coordinate, Jacobian},
    tower::Fp6,
    Wasm, G1, G2,
};
use crate::{
    encoding::PointError,
    parameters::Z,
    testing::{small_g1, small_g2, G1_ORDERS, G2_ORDERS},
    traits::{
        Base, Curve, Encodings, Groups, Hashing, Multiplications, Pairings, Purpose, Scalars,
    },
    Blst,
};
use alloc::{format, vec::Vec};
use ark_bls12_381::{g1, g2, Fq, Fq2, Fq6};
use ark_ec::{
    short_weierstrass::{Affine as ArkAffine, SWCurveConfig},
    AffineRepr, CurveGroup,
};
use ark_ff::{AdditiveGroup, BigInteger, Field, PrimeField};
use ark_serialize::CanonicalSerialize;
use proptest::prelude::{any, prop, prop_assert_eq, proptest, ProptestConfig};

/// The number that the limbs represent.
fn ark<const L: u32>(element: El<L>) -> Fq {
    let weight = Fq::from(1_u64 << 28);
    let number = |limbs: &[u32]| {
        let limbs = limbs.iter().rev();
        limbs.fold(Fq::ZERO, |sum, limb| sum * weight + Fq::from(*limb))
    };
    number(&element.0) / weight.pow([LIMBS as u64])
}

fn ark2<const L: u32>(element: El2<L>) -> Fq2 {
    Fq2::new(ark(element.c0), ark(element.c1))
}

/// The largest limbs that the type allows, but for the highest, which is what is left of the value.
fn largest<const L: u32>() -> El<L> {
    let mut limbs = [L * ((1 << 28) - 1); LIMBS];
    // 2p is above 213027·2^364, and the other limbs carry less than L + 1 into the highest.
    limbs[LIMBS - 1] = L * 213_027 - L - 1;
    El(limbs)
}

/// Numbers as they stand, around the multiples of `p` that an element may be.
fn edges() -> Vec<Fp> {
    let p = Fq::MODULUS;
    let mut twice = p;
    assert!(!twice.mul2());
    let near = |number: ark_ff::BigInt<6>| {
        let one = ark_ff::BigInt::from(1_u64);
        let (mut below, mut above) = (number, number);
        below.sub_with_borrow(&one);
        above.add_with_carry(&one);
        [below, number, above]
    };
    let zero = ark_ff::BigInt::from(0_u64);
    let one = ark_ff::BigInt::from(1_u64);
    let numbers = [zero, one]
        .into_iter()
        .chain(near(p))
        .chain([near(twice)[0]]);
    let limbs = |number: ark_ff::BigInt<6>| {
        let bits = number.to_bits_le();
        core::array::from_fn(|at| {
            let own = bits.iter().skip(28 * at).take(28).rev();
            own.fold(0, |limb, bit| 2 * limb + u32::from(*bit))
        })
    };
    numbers
        .map(|number| El(limbs(number)))
        .chain([largest()])
        .collect()
}

fn is_tight(element: Fp) -> bool {
    let below = |limb: &u32| *limb < 1 << 28;
    // Below 2p: the highest limb says so, up to one.
    element.0.iter().all(below) && element.0[LIMBS - 1] <= 213_027
}

fn check_product<const A: u32, const B: u32>(a: El<A>, b: El<B>) {
    let product = a.mul(b);
    assert!(is_tight(product));
    assert_eq!(ark(product), ark(a) * ark(b));
}

#[test]
fn products_of_the_largest_elements_that_types_allow_do_not_overflow() {
    check_product(largest::<1>(), largest::<1>());
    check_product(largest::<1>(), largest::<15>());
    check_product(largest::<15>(), largest::<1>());
    check_product(largest::<2>(), largest::<8>());
    check_product(largest::<4>(), largest::<4>());
    check_product(largest::<3>(), largest::<5>());
    let square = largest::<4>().square();
    assert!(is_tight(square));
    assert_eq!(ark(square), ark(largest::<4>()).square());
}

#[test]
fn products_in_the_extension_of_the_largest_elements_do_not_overflow() {
    fn check<const A: u32, const B: u32>() {
        let (zero_a, zero_b) = (El([0; LIMBS]), El([0; LIMBS]));
        let (max_a, max_b) = (largest::<A>(), largest::<B>());
        for mask in 0_u8..16 {
            let pick = |bit: u8| mask >> bit & 1 == 1;
            let a = El2 {
                c0: if pick(0) { max_a } else { zero_a },
                c1: if pick(1) { max_a } else { zero_a },
            };
            let b = El2 {
                c0: if pick(2) { max_b } else { zero_b },
                c1: if pick(3) { max_b } else { zero_b },
            };
            let product = a.mul(&b);
            assert!(is_tight(product.c0) && is_tight(product.c1));
            assert_eq!(ark2(product), ark2(a) * ark2(b));
        }
    }
    check::<1, 1>();
    check::<1, 4>();
    check::<4, 1>();
    check::<2, 2>();
    let largest = El2 {
        c0: largest::<1>(),
        c1: largest::<1>(),
    };
    assert_eq!(ark2(largest.square()), ark2(largest).square());
}

#[test]
fn products_in_the_second_extension_of_the_largest_elements_do_not_overflow() {
    let of = |mask: u8| {
        let part = |at: u8| match mask >> at & 1 {
            0 => El([0; LIMBS]),
            _ => largest::<1>(),
        };
        let [c0, c1, c2] = [0, 2, 4].map(|at| El2 {
            c0: part(at),
            c1: part(at + 1),
        });
        Fp6 { c0, c1, c2 }
    };
    let number = |it: &Fp6| Fq6::new(ark2(it.c0), ark2(it.c1), ark2(it.c2));
    for (a, b) in (0..64).flat_map(|a| (0..64).map(move |b| (a, b))) {
        let (a, b) = (of(a), of(b));
        let product = a.mul(&b);
        for part in [product.c0, product.c1, product.c2] {
            assert!(is_tight(part.c0) && is_tight(part.c1));
        }
        assert_eq!(number(&product), number(&a) * number(&b));
    }
}

#[test]
fn the_largest_elements_are_reduced() {
    fn check<const L: u32>() {
        let reduced = largest::<L>().reduce();
        assert!(is_tight(reduced), "{L}");
        assert_eq!(ark(reduced), ark(largest::<L>()));
    }
    check::<1>();
    check::<2>();
    check::<7>();
    check::<14>();
    check::<15>();
}

#[test]
fn differences_with_the_largest_elements_do_not_borrow() {
    let (zero, one, two, eight) = (Fp::ZERO, largest::<1>(), largest::<2>(), largest::<8>());
    assert_eq!(ark((zero - one).reduce()), -ark(one));
    assert_eq!(ark((zero - two).reduce()), -ark(two));
    assert_eq!(ark((zero - eight).reduce()), -ark(eight));
    assert_eq!(ark((one - two).reduce()), ark(one) - ark(two));
    let twelve = fp::add::<8, 4, 12>(eight, largest::<4>());
    let difference: El<14> = fp::sub(one, twelve);
    assert_eq!(ark(difference.reduce()), ark(one) - ark(twelve));
}

#[test]
fn elements_on_the_edges_behave_as_the_numbers_that_they_stand_for() {
    for a in edges() {
        let number = ark(a);
        assert_eq!(a.is_zero(), number == Fq::ZERO);
        assert_eq!(ark(a.neg()), -number);
        assert_eq!(ark(a.inverse()), number.inverse().unwrap_or(Fq::ZERO));
        assert_eq!(a.to_bytes()[..], number.into_bigint().to_bytes_be()[..]);
        assert_eq!(a.is_odd(), number.into_bigint().is_odd());
        assert_eq!(
            a.is_high(),
            number.into_bigint() > Fq::MODULUS_MINUS_ONE_DIV_TWO
        );
        assert_eq!(ark(Fp::from_bytes(&a.to_bytes())), number);
        for b in edges() {
            check_product(a, b);
            assert_eq!(ark(a + b), number + ark(b));
            assert_eq!(ark(a - b), number - ark(b));
        }
    }
}

fn compressed(point: &impl CanonicalSerialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    point.serialize_compressed(&mut bytes).unwrap();
    bytes
}

/// The point again, read with its tables.
fn with_few_tables<C: Curve>(bytes: &[u8; 48]) -> Result<[u8; 48], PointError> {
    Base::<C>::from_bytes(bytes, Purpose::AFewTimes).map(|base| C::g1_to_bytes(base.point()))
}

/// Decodes with both, which must agree on the verdict and on the point.
fn verdict_of_g1(bytes: &[u8]) -> alloc::string::String {
    let bytes: [u8; 48] = bytes.try_into().unwrap();
    let ours = Wasm::g1_from_bytes(&bytes).map(|point| Wasm::g1_to_bytes(&point));
    let theirs = Blst::g1_from_bytes(&bytes).map(|point| Blst::g1_to_bytes(&point));
    assert_eq!(ours, theirs);
    assert_eq!(with_few_tables::<Wasm>(&bytes), theirs);
    assert_eq!(with_few_tables::<Blst>(&bytes), theirs);
    let ours = Wasm::g1_from_stored_unchecked(&bytes).map(|point| Wasm::g1_to_bytes(&point));
    let theirs = Blst::g1_from_stored_unchecked(&bytes).map(|point| Blst::g1_to_bytes(&point));
    assert_eq!(ours, theirs);
    format!("{:?}", Wasm::g1_from_bytes(&bytes).map(|_| ()))
}

/// The point again, read for a pairing.
fn prepared<C: Curve>(bytes: &[u8; 96]) -> Result<[u8; 96], PointError> {
    C::g2_prepared_from_bytes(bytes).map(|point| C::g2_to_bytes(C::g2_of_prepared(&point)))
}

fn verdict_of_g2(bytes: &[u8]) -> alloc::string::String {
    let bytes: [u8; 96] = bytes.try_into().unwrap();
    let ours = Wasm::g2_from_bytes(&bytes).map(|point| Wasm::g2_to_bytes(&point));
    let theirs = Blst::g2_from_bytes(&bytes).map(|point| Blst::g2_to_bytes(&point));
    assert_eq!(ours, theirs);
    assert_eq!(prepared::<Wasm>(&bytes), theirs);
    assert_eq!(prepared::<Blst>(&bytes), theirs);
    let ours = Wasm::g2_from_stored_unchecked(&bytes).map(|point| Wasm::g2_to_bytes(&point));
    let theirs = Blst::g2_from_stored_unchecked(&bytes).map(|point| Blst::g2_to_bytes(&point));
    assert_eq!(ours, theirs);
    format!("{:?}", Wasm::g2_from_bytes(&bytes).map(|_| ()))
}

#[test]
fn points_of_small_order_and_their_sums_with_good_ones_are_refused() {
    let generator = g1::Config::GENERATOR;
    for (place, order) in G1_ORDERS.into_iter().enumerate() {
        let small = small_g1(place);
        for point in [small, (generator + small).into_affine(), -small] {
            assert_eq!(
                verdict_of_g1(&compressed(&point)),
                "Err(NotInSubgroup)",
                "{order}"
            );
        }
    }
    let generator = g2::Config::GENERATOR;
    for (place, order) in G2_ORDERS.into_iter().enumerate() {
        let small = small_g2(place);
        for point in [small, (generator + small).into_affine(), -small] {
            assert_eq!(
                verdict_of_g2(&compressed(&point)),
                "Err(NotInSubgroup)",
                "{order}"
            );
        }
    }
}

/// The back ends' ψ.
fn psi(point: &ArkAffine<g2::Config>) -> ArkAffine<g2::Config> {
    let [x, y] = [point.x, point.y].map(|part| Fp2 {
        c0: Fp::from_ark(part.c0),
        c1: Fp::from_ark(part.c1),
    });
    let image = encoding::psi(&Affine { x, y });
    ArkAffine::new_unchecked(ark2(image.x), ark2(image.y))
}

#[test]
fn the_tangent_that_the_subgroup_is_read_from_is_not_taken_for_its_other_point() {
    // With ψ(Q) = [|z|/2]Q the image lies on the last line of the Miller loop where that touches. On points of order 13,
    // and of no other, ψ has the eigenvalues 7 and 11, which is |z|/2.
    assert_eq!(Z / 2 % 13, 11);
    let times = |point: &ArkAffine<g2::Config>, by: u64| point.mul_bigint([by]).into_affine();
    assert_eq!(G2_ORDERS[0], 13);
    let small = small_g2(0);
    let touching = (psi(&small) - times(&small, 7)).into_affine();
    assert!(!touching.is_zero());
    assert_eq!(psi(&touching), times(&touching, Z / 2 % 13));
    for by in 1..13 {
        let bytes = compressed(&times(&touching, by));
        assert_eq!(verdict_of_g2(&bytes), "Err(NotInSubgroup)", "{by}");
        let sum = (g2::Config::GENERATOR + times(&touching, by)).into_affine();
        assert_eq!(
            verdict_of_g2(&compressed(&sum)),
            "Err(NotInSubgroup)",
            "{by}"
        );
    }
}

#[test]
fn square_roots_in_the_extension_are_found_where_one_part_is_zero() {
    // x with a y² whose parts vanish in turn: all through the decoder, against the other back end.
    for n in 0..40_u64 {
        for x in [Fq2::new(n.into(), Fq::ZERO), Fq2::new(Fq::ZERO, n.into())] {
            for flags in [0x80, 0xa0] {
                let mut bytes: Vec<u8> = [x.c1, x.c0]
                    .iter()
                    .flat_map(|part| part.into_bigint().to_bytes_be())
                    .collect();
                bytes[0] |= flags;
                verdict_of_g2(&bytes);
            }
        }
    }
    let minus = |n: u64| -Fq::from(n);
    for c0 in (0..20).map(Fq::from).chain((1..20).map(minus)) {
        for number in [Fq2::new(c0, Fq::ZERO), Fq2::new(Fq::ZERO, c0)] {
            let ours = Fp2 {
                c0: Fp::from_ark(number.c0),
                c1: Fp::from_ark(number.c1),
            };
            let root = encoding::sqrt(ours).map(|root| ark2(root.square()));
            assert_eq!(root, number.sqrt().map(|root| root.square()), "{number}");
        }
    }
}

/// `n·g1`, with a `z` other than one.
fn multiple(n: u64) -> Jacobian<Fp> {
    let twice = Jacobian::from(super::G1_GENERATOR).double();
    let point = twice.add_affine(&super::G1_GENERATOR.neg());
    point.times(&n.to_le_bytes())
}

#[test]
fn additions_have_no_exception() {
    let same = |a: Jacobian<Fp>, b: Jacobian<Fp>| a.to_affine() == b.to_affine();
    for n in 0..12 {
        for m in 0..12 {
            let sum = multiple(n).add(&multiple(m));
            assert!(same(sum, multiple(n + m)), "{n} + {m}");
            let affine = multiple(m).to_affine();
            assert!(same(multiple(n).add_affine(&affine), multiple(n + m)));
            let difference = multiple(n + m).add_affine(&affine.neg());
            assert!(same(difference, multiple(n)), "{n} + {m} − {m}");
        }
        assert!(same(multiple(n).double(), multiple(2 * n)));
        let minus = Jacobian::from(multiple(n).to_affine().neg());
        assert!(multiple(n).add(&minus).is_zero());
    }
    assert!(same(
        multiple(3).times_z(),
        multiple(3).times(&Z.to_le_bytes())
    ));
}

#[test]
fn the_isogeny_is_a_homomorphism_so_that_equal_points_may_be_doubled_behind_it() {
    let [a, b] = [3_u64, 5].map(|u| hash::map(Fp::from_ark(u.into())));
    let apart = hash::isogeny(&a).add(&hash::isogeny(&b));
    let together = hash::isogeny(&a.add(&b));
    assert!(apart.to_affine() == together.to_affine());
    assert!(hash::is_same(&a, &hash::map(Fp::from_ark(3_u64.into()))));
    assert!(!hash::is_same(&a, &b));
}

#[test]
fn a_tag_that_is_too_long_is_hashed_as_the_standard_says() {
    for len in [0, 1, 254, 255, 256, 300] {
        let tag = alloc::vec![7; len];
        let ours = Wasm::g1_to_bytes(&Wasm::hash_to_g1(&tag, b"message"));
        assert_eq!(
            ours,
            Blst::g1_to_bytes(&Blst::hash_to_g1(&tag, b"message")),
            "{len}"
        );
    }
}

#[test]
fn points_that_are_equal_have_equal_coordinates_whatever_their_limbs() {
    let point = super::G1_GENERATOR;
    let other = Affine {
        x: (point.x - Fp::ZERO).reduce(),
        y: (point.y - Fp::ZERO).reduce(),
    };
    assert_eq!(G1::from(point), G1::from(other));
    assert_ne!(G1::from(point), G1::from(point.neg()));
    let point = super::G2_GENERATOR;
    assert_ne!(G2(point), G2(point.neg()));
    assert!(Fp2::ZERO.inverted().is_zero());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_field_agrees_with_that_of_arkworks(
        a in prop::array::uniform32(any::<u8>()),
        b in prop::array::uniform32(any::<u8>()),
        c in prop::array::uniform32(any::<u8>()),
    ) {
        // 48 random bytes and more, reduced.
        let [a, b, c] = [a, b, c].map(|bytes| Fq::from_be_bytes_mod_order(&[&bytes[..], &bytes].concat()));
        let [x, y, z] = [a, b, c].map(Fp::from_ark);
        prop_assert_eq!(ark(x.mul(y)), a * b);
        prop_assert_eq!(ark(x.square()), a.square());
        prop_assert_eq!(ark((x - y).mul(z - x)), (a - b) * (c - a));
        prop_assert_eq!(ark((x + y).reduce()), a + b);
        prop_assert_eq!(Some(ark(x.inverse())), a.inverse());
        prop_assert_eq!(ark(x.pow_quarter()), a.pow(Fq::characteristic().iter().zip(Fq::characteristic().iter().skip(1).chain([&0])).map(|(low, high)| (low >> 2) | (high << 62)).collect::<Vec<_>>()));
        let (p, q) = (Fp2 { c0: x, c1: y }, Fp2 { c0: y, c1: z });
        prop_assert_eq!(ark2(p.mul(&q)), Fq2::new(a, b) * Fq2::new(b, c));
        prop_assert_eq!(ark2(p.square()), Fq2::new(a, b).square());
        prop_assert_eq!(Some(ark2(p.inverse())), Fq2::new(a, b).inverse());
        let root = encoding::sqrt(p).map(|root| ark2(root.square()));
        prop_assert_eq!(root, Fq2::new(a, b).sqrt().map(|root| root.square()));
        prop_assert_eq!(encoding::sqrt(p.square()).map(|root| ark2(root.square())), Some(Fq2::new(a, b).square()));
    }
}

#[cfg(feature = "host-functions")]
#[test]
fn pairings_by_the_node_are_those_that_are_worked_out_here() {
    let times = |n: i64| {
        let scalar = Wasm::scalar_from_u128(n.unsigned_abs().into());
        let point = Wasm::g1_mul_secret(&Wasm::g1_generator(), &scalar);
        let point = if n < 0 { Wasm::g1_neg(&point) } else { point };
        (point, Wasm::g2_mul_secret(&Wasm::g2_generator(), &scalar))
    };
    let cases: [(&[(i64, i64)], bool); 9] = [
        (&[], true),
        (&[(1, 1)], false),
        (&[(2, 3), (-6, 1)], true),
        (&[(2, 3), (-5, 1)], false),
        (&[(0, 5)], true),
        (&[(5, 0), (0, 0)], true),
        (&[(3, 0), (2, 2), (-4, 1)], true),
        (&[(0, 3), (2, 2)], false),
        (&[(1, 2), (3, 4), (-7, 1), (-1, 7), (1, 1)], false),
    ];
    for (exponents, is_one) in cases {
        let points: Vec<_> = exponents
            .iter()
            .map(|(p, q)| (times(*p).0, times(*q).1))
            .collect();
        let pairs: Vec<_> = points.iter().map(|(p, q)| (&p.point, &q.0)).collect();
        assert_eq!(pairing::product_is_one(&pairs), is_one, "{exponents:?}");
        assert_eq!(hosted::product_is_one(&pairs), is_one, "{exponents:?}");
    }
}

/// Where no node computes pairings, they are worked out on lines.
#[test]
fn prepared_points_have_their_lines() {
    let (p, q) = (Wasm::g1_generator(), Wasm::g2_generator());
    let received = Wasm::g2_prepared_from_bytes(&Wasm::g2_to_bytes(&q)).unwrap();
    for prepared in [Wasm::g2_prepare(&q), received] {
        // Without lines, the product would be one.
        let pairs = [(&p.point, &prepared.lines.0[..])];
        assert!(!pairing::product_of_lines_is_one(&pairs));
    }
}

#[test]
fn products_of_the_generator_by_its_table_are_those_of_blst() {
    let generator = Base::<Wasm>::generator();
    for number in 1_u8..40 {
        let mut byte = number;
        let wide = core::array::from_fn(|_| {
            byte = byte.wrapping_mul(141).wrapping_add(number);
            byte
        });
        let found = Wasm::g1_mul_public(&Wasm::scalar_from_wide(&wide), &generator);
        let scalar = Blst::scalar_from_wide(&wide);
        let expected = Blst::g1_mul_secret(&Blst::g1_generator(), &scalar);
        assert_eq!(Wasm::g1_to_bytes(&found), Blst::g1_to_bytes(&expected));
    }
}

/// Hashing doubles where both points are the same, and would double opposite ones if only `x` were compared.
#[test]
fn a_point_is_the_same_as_itself_in_other_coordinates_and_not_as_its_negative() {
    let point = Jacobian::from(Wasm::g1_generator().point);
    let twice = point.double();
    let again = point
        .add(&twice)
        .add(&Jacobian::from(point.to_affine().neg()));
    assert!(hash::is_same(&again, &twice));
    assert!(!hash::is_same(&point, &twice));
    assert!(!hash::is_same(&twice.to_affine().neg().into(), &twice));
}

/// The subgroup checks of G1 and G2 compare points so. (ENC-4)
#[test]
fn a_point_equals_one_with_the_same_two_coordinates_and_no_other() {
    let point = Wasm::g1_generator().point;
    let twice = Jacobian::from(point).double();
    let Affine { x, y } = twice.to_affine();
    assert!(twice.equals(&Affine { x, y }));
    assert!(!twice.equals(&Affine { x, y: point.y }));
    assert!(!twice.equals(&Affine { x: point.x, y }));
    let zero = twice.add(&Affine { x, y: y.neg() }.into());
    assert!(!zero.equals(&Affine { x, y }));
    let Affine { x, y } = Wasm::g2_generator().0;
    let point = Jacobian::from(Affine { x, y });
    assert!(point.equals(&Affine { x, y }));
    assert!(!point.equals(&Affine { x, y: x }));
    assert!(!point.equals(&Affine { x: y, y }));
}
