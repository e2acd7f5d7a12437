//! Targets of `curve`: the same bytes give the same verdict, the same error and the same result in all back ends, and
//! what the definition of the curve gives.

use crate::{
    judge,
    odd::{self, compress},
    target::{seed, Input, Seed, Target},
};
use ark_bls12_381::{g1, g2, Fr, G1Affine};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{BigInteger, PrimeField, Zero};
use ark_serialize::CanonicalSerialize;
use duet_curve::{
    Ark, Base, Blst, Curve, Encodings, Hashing, PointError, PointList, Purpose, Query, Wasm,
};

/// The targets of `curve`.
pub const TARGETS: [Target; 7] = [
    Target {
        name: "g1",
        run: g1_decode,
        seeds: g1_seeds,
    },
    Target {
        name: "g2",
        run: g2_decode,
        seeds: g2_seeds,
    },
    Target {
        name: "scalar",
        run: scalar,
        seeds: scalar_seeds,
    },
    Target {
        name: "hash_to_g1",
        run: hash_to_g1,
        seeds: hash_seeds,
    },
    Target {
        name: "arithmetic",
        run: arithmetic,
        seeds: arithmetic_seeds,
    },
    Target {
        name: "pairing",
        run: pairing,
        seeds: pairing_seeds,
    },
    Target {
        name: "dleq",
        run: dleq,
        seeds: dleq_seeds,
    },
];

type Decoded<const N: usize> = Result<[u8; N], PointError>;

/// What a back end says of an encoding: checked, and as one that was checked before it was stored.
fn decoded_g1<C: Curve>(bytes: &[u8; 48]) -> [Decoded<48>; 2] {
    let encode = |point: C::G1| {
        assert!(!C::g1_is_zero(&point), "infinity is never decoded");
        C::g1_to_bytes(&point)
    };
    let checked = C::g1_from_bytes(bytes).map(encode);
    let with_tables = Base::<C>::from_bytes(bytes, Purpose::AFewTimes).map(|base| *base.bytes());
    assert_eq!(
        with_tables, checked,
        "the check that shares work with tables"
    );
    [checked, C::g1_from_stored_unchecked(bytes).map(encode)]
}

fn g1_decode(data: &[u8]) {
    for chunk in data.chunks(48).take(8) {
        let bytes = Input(chunk).array();
        let by_definition = judge::g1(&bytes).map(|point| compress::<g1::Config, 48>(&point));
        let [checked, stored] = decoded_g1::<Blst>(&bytes);
        assert_eq!(checked, by_definition, "blst and the definition");
        assert_eq!(decoded_g1::<Ark>(&bytes), [checked, stored], "arkworks");
        assert_eq!(decoded_g1::<Wasm>(&bytes), [checked, stored], "wasm");
        match checked {
            Ok(encoded) => assert_eq!(encoded, bytes, "one encoding per point"),
            Err(PointError::NotInSubgroup) => assert_eq!(stored, Ok(bytes)),
            Err(error) => assert_eq!(stored, Err(error)),
        }
    }
}

fn g1_seeds() -> Vec<Seed> {
    let one = odd::G1.iter().map(|(name, bytes)| seed(name, *bytes));
    let coordinate = |(name, bytes): &(String, [u8; 32])| {
        let mut x = [0; 48];
        x[16..].copy_from_slice(bytes);
        x[0] |= 0x80;
        seed(format!("x is {name}"), x)
    };
    one.chain(odd::SCALARS.iter().map(coordinate)).collect()
}

fn decoded_g2<C: Curve>(bytes: &[u8; 96]) -> [Decoded<96>; 2] {
    let encode = |point: &C::G2| {
        assert!(!C::g2_is_zero(point), "infinity is never decoded");
        C::g2_to_bytes(point)
    };
    let checked = C::g2_from_bytes(bytes).map(|point| encode(&point));
    let prepared = C::g2_prepared_from_bytes(bytes).map(|point| encode(C::g2_of_prepared(&point)));
    assert_eq!(
        prepared, checked,
        "the check that shares work with a pairing"
    );
    let stored = C::g2_from_stored_unchecked(bytes).map(|point| encode(&point));
    [checked, stored]
}

fn g2_decode(data: &[u8]) {
    for chunk in data.chunks(96).take(4) {
        let bytes = Input(chunk).array();
        let by_definition = judge::g2(&bytes).map(|point| compress::<g2::Config, 96>(&point));
        let [checked, stored] = decoded_g2::<Blst>(&bytes);
        assert_eq!(checked, by_definition, "blst and the definition");
        assert_eq!(decoded_g2::<Ark>(&bytes), [checked, stored], "arkworks");
        assert_eq!(decoded_g2::<Wasm>(&bytes), [checked, stored], "wasm");
        match checked {
            Ok(encoded) => assert_eq!(encoded, bytes, "one encoding per point"),
            Err(PointError::NotInSubgroup) => assert_eq!(stored, Ok(bytes)),
            Err(error) => assert_eq!(stored, Err(error)),
        }
    }
}

fn g2_seeds() -> Vec<Seed> {
    odd::G2
        .iter()
        .map(|(name, bytes)| seed(name, *bytes))
        .collect()
}

fn little_endian(scalar: Fr) -> [u8; 32] {
    scalar
        .into_bigint()
        .to_bytes_le()
        .try_into()
        .expect("32 bytes")
}

/// Decoding and arithmetic of scalars in one back end.
fn scalars<C: Curve>(
    raw: &[[u8; 32]; 3],
    wide: &[u8; 48],
    weight: [u64; 2],
) -> Vec<Option<[u8; 32]>> {
    let encode = |scalar: C::Scalar| C::scalar_to_bytes(&scalar);
    let mut found: Vec<_> = raw
        .iter()
        .map(|bytes| C::scalar_from_bytes(bytes).map(encode))
        .collect();
    // Where one is none, its reduction takes its place, so that the arithmetic is reached.
    let [a, b, c] = raw.map(|bytes| {
        C::scalar_from_bytes(&bytes).unwrap_or_else(|| {
            let mut wide = [0; 48];
            wide[16..].copy_from_slice(&bytes);
            C::scalar_from_wide(&wide)
        })
    });
    let short = u128::from(weight[0]) << 64 | u128::from(weight[1]);
    found.extend(
        [
            C::scalar_from_wide(wide),
            C::scalar_from_u128(short),
            C::scalar_from_weight(weight),
            C::scalar_add_mul(&a, &b, &c),
            C::scalar_sub_mul(&a, &b, &c),
        ]
        .map(|scalar| Some(encode(scalar))),
    );
    found
}

fn scalar(data: &[u8]) {
    let mut input = Input(data);
    let raw: [[u8; 32]; 3] = [input.array(), input.array(), input.array()];
    let wide = input.array();
    let weight = [0; 2].map(|_: u64| u64::from_le_bytes(input.array()));
    let found = scalars::<Blst>(&raw, &wide, weight);
    assert_eq!(scalars::<Ark>(&raw, &wide, weight), found, "arkworks");
    assert_eq!(scalars::<Wasm>(&raw, &wide, weight), found, "wasm");
    for (bytes, found) in raw.iter().zip(&found) {
        let by_definition = judge::scalar(bytes).map(little_endian);
        assert_eq!(*found, by_definition, "the definition");
        assert!(
            found.is_none_or(|found| found == *bytes),
            "one encoding per scalar"
        );
    }
    let reduced = Fr::from_be_bytes_mod_order(&wide);
    assert_eq!(found[3], Some(little_endian(reduced)), "the wide reduction");
}

fn scalar_seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for (a, first) in odd::SCALARS.iter() {
        for (b, second) in odd::SCALARS.iter().step_by(3) {
            let bytes = [&first[..], second, first, &[0xff; 48], &[0xfe; 16]].concat();
            seeds.push(seed(format!("{a} and {b}"), bytes));
        }
    }
    seeds
}

fn hash_to_g1(data: &[u8]) {
    let mut input = Input(data);
    let dst = &input.array::<255>();
    let dst = &dst[..usize::from(dst[0]).max(1)];
    let message = input.rest();
    let found = Blst::g1_to_bytes(&Blst::hash_to_g1(dst, message));
    let of_ark = Ark::g1_to_bytes(&Ark::hash_to_g1(dst, message));
    let of_wasm = Wasm::g1_to_bytes(&Wasm::hash_to_g1(dst, message));
    assert_eq!(of_ark, found, "arkworks");
    assert_eq!(of_wasm, found, "wasm");
    let judged = judge::hash_to_g1(dst, message);
    assert_eq!(compress::<g1::Config, 48>(&judged), found);
    assert!(judged.mul_bigint(Fr::MODULUS).is_zero());
}

fn hash_seeds() -> Vec<Seed> {
    let of_len = |len: usize| {
        let mut bytes = vec![1; 255];
        bytes.extend((0_u8..=255).cycle().take(len));
        seed(format!("message of {len} bytes"), bytes)
    };
    let mut seeds: Vec<_> = [0, 1, 31, 32, 33, 55, 56, 63, 64, 65, 119, 300]
        .map(of_len)
        .into();
    seeds.push(seed("long tag", [255; 300]));
    seeds.push(seed("nothing", []));
    seeds
}

/// A multiple of the generator by what the input says, with a decoded point where it says so.
struct Term {
    times: [u8; 32],
    scalar: [u8; 32],
    weight: [u64; 2],
}

fn reduced<C: Curve>(bytes: &[u8; 32]) -> C::Scalar {
    let mut wide = [0; 48];
    wide[16..].copy_from_slice(bytes);
    C::scalar_from_wide(&wide)
}

/// Every operation on points of one back end, as encodings.
fn results<C: Curve>(terms: &[Term], selected: &[u8]) -> (Vec<[u8; 48]>, Vec<[u8; 96]>) {
    let points: Vec<_> = terms
        .iter()
        .map(|term| C::g1_mul_secret(&C::g1_generator(), &reduced::<C>(&term.times)))
        .collect();
    let scalars: Vec<_> = terms
        .iter()
        .map(|term| reduced::<C>(&term.scalar))
        .collect();
    let (p, q) = (&points[0], points.last().expect("at least one"));
    let (a, b) = (&scalars[0], scalars.last().expect("at least one"));
    let weights: Vec<_> = points
        .iter()
        .zip(terms)
        .map(|(point, term)| (point.clone(), term.weight))
        .collect();
    let borrowed: Vec<_> = weights
        .iter()
        .map(|(point, weight)| (point, *weight))
        .collect();
    let products: Vec<_> = points
        .iter()
        .cloned()
        .zip(scalars.iter().cloned())
        .collect();
    let short = u128::from(terms[0].weight[0]) << 64 | u128::from(terms[0].weight[1]);
    // A subset is summed twice: the second time cached sums may be used.
    let list = PointList::<C, _>::new(points.clone(), |point| point);
    let once = |point: &C::G1| Base::<C>::new(point.clone(), Purpose::Once);
    let mut found = vec![
        C::g1_sum(&points.iter().collect::<Vec<_>>()),
        list.sum_of(selected),
        list.sum_of(selected),
        C::g1_sub(p, q),
        C::g1_neg(p),
        C::g1_mul_add(a, p, b, q),
        C::g1_mul_secret(p, b),
        C::g1_add_mul_short(p, short, &once(q)),
        C::g1_mul_public(a, &once(p)),
        C::g1_add_mul(p, a, &Base::generator()),
        C::g1_sum_of_products(&products),
        C::g1_weighted_sum(&weights),
    ];
    // Tables of infinity are never made: no key and no hash is infinity.
    found.push(if C::g1_is_zero(q) {
        q.clone()
    } else {
        C::g1_mul_public(b, &once(q).for_purpose(Purpose::AFewTimes))
    });
    found.extend(C::g1_times_weights(&borrowed));
    let in_g2: Vec<_> = terms
        .iter()
        .map(|term| C::g2_mul_secret(&C::g2_generator(), &reduced::<C>(&term.times)))
        .collect();
    let found_g2 = [
        C::g2_sum(&in_g2.iter().collect::<Vec<_>>()),
        C::g2_mul_secret(&in_g2[0], b),
    ];
    (
        found.iter().map(C::g1_to_bytes).collect(),
        found_g2.iter().map(C::g2_to_bytes).collect(),
    )
}

fn arithmetic(data: &[u8]) {
    let mut input = Input(data);
    let selected = input.array::<2>();
    let mut terms = Vec::new();
    while terms.is_empty() || (!input.is_empty() && terms.len() < 12) {
        terms.push(Term {
            times: input.array(),
            scalar: input.array(),
            weight: [0; 2].map(|_: u64| u64::from_le_bytes(input.array())),
        });
    }
    let found = results::<Blst>(&terms, &selected);
    assert!(results::<Ark>(&terms, &selected) == found, "arkworks");
    assert!(results::<Wasm>(&terms, &selected) == found, "wasm");
}

fn arithmetic_seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for (name, times) in odd::SCALARS.iter() {
        for (other, scalar) in odd::SCALARS.iter().step_by(4) {
            let term = [&times[..], scalar, &[1; 8], &[0; 8]].concat();
            let negative = [&odd::SCALARS[3].1[..], times, &[0xff; 16]].concat();
            let bytes = [&[0b101, 0][..], &term, &negative, &term, &term].concat();
            seeds.push(seed(format!("{name} and {other}"), bytes));
        }
    }
    seeds
}

/// Exponents in G1 and G2: the product of the pairings is one when the products of the exponents add up to zero.
fn verdicts<C: Curve>(exponents: &[(Fr, Fr)], left: Fr) -> [bool; 2] {
    let scalar = |exponent: &Fr| C::scalar_from_bytes(&little_endian(*exponent)).expect("reduced");
    let points: Vec<_> = exponents
        .iter()
        .map(|(a, b)| {
            let in_g1 = C::g1_mul_secret(&C::g1_generator(), &scalar(a));
            (in_g1, C::g2_mul_secret(&C::g2_generator(), &scalar(b)))
        })
        .collect();
    let pairs: Vec<_> = points.iter().map(|(a, b)| (a, b)).collect();
    let prepared: Vec<_> = points
        .iter()
        .filter(|(_, b)| !C::g2_is_zero(b))
        .map(|(a, b)| (a, C::g2_prepare(b)))
        .collect();
    let right: Vec<_> = prepared.iter().map(|(a, b)| (*a, b)).collect();
    let left = C::g1_mul_secret(&C::g1_generator(), &scalar(&left));
    [
        C::pairing_product_is_one(&pairs),
        C::equation_holds(&left, &right),
    ]
}

fn pairing(data: &[u8]) {
    let mut input = Input(data);
    let balanced = input.byte() % 2 == 0;
    let mut exponents = Vec::new();
    while !input.is_empty() && exponents.len() < 4 {
        let [a, b]: [[u8; 32]; 2] = [input.array(), input.array()];
        exponents.push((
            Fr::from_le_bytes_mod_order(&a),
            Fr::from_le_bytes_mod_order(&b),
        ));
    }
    let sum: Fr = exponents.iter().map(|(a, b)| *a * b).sum();
    let left = if balanced { sum } else { Fr::from(1_u64) };
    if balanced {
        // So that the product of pairings is one too.
        exponents.push((-sum, Fr::from(1_u64)));
    }
    let right: Fr = exponents.iter().map(|(a, b)| *a * b).sum();
    let expected = [right.is_zero(), right == left];
    assert_eq!(verdicts::<Blst>(&exponents, left), expected, "blst");
    assert_eq!(verdicts::<Wasm>(&exponents, left), expected, "wasm");
    assert_eq!(verdicts::<Ark>(&exponents, left), expected, "arkworks");
}

fn pairing_seeds() -> Vec<Seed> {
    let mut seeds = vec![seed("none", [0]), seed("none, unbalanced", [1])];
    for balanced in [0, 1] {
        for (name, scalar) in odd::SCALARS.iter() {
            let bytes = [
                &[balanced][..],
                scalar,
                &odd::SCALARS[2].1,
                &odd::SCALARS[3].1,
                scalar,
            ]
            .concat();
            seeds.push(seed(format!("{name} {balanced}"), bytes));
        }
    }
    seeds
}

fn query<'a, C: Curve>(
    [c, s]: &'a [C::Scalar; 2],
    [pk1, hm]: &'a [Base<C>; 2],
    sigma: &'a [u8; 48],
) -> Query<'a, C> {
    Query {
        c,
        s,
        pk1,
        hm,
        sigma,
    }
}

/// The commitments of a DLEQ proof in one back end, alone and in a batch of this size.
fn commitments<C: Curve>(
    batch: usize,
    exponents: &[[u8; 32]; 2],
    scalars: &[[u8; 32]; 2],
    sigma: &[u8; 48],
) -> Vec<Result<[[u8; 48]; 3], PointError>> {
    let scalars = scalars.map(|bytes| reduced::<C>(&bytes));
    let [pk1, hm] =
        exponents.map(|bytes| C::g1_mul_secret(&C::g1_generator(), &reduced::<C>(&bytes)));
    let base = |point: &C::G1, purpose| Base::<C>::new(point.clone(), purpose);
    let once = [&pk1, &hm].map(|point| base(point, Purpose::Once));
    let often = [
        base(&pk1, Purpose::Member { set_len: 100 }),
        base(&hm, Purpose::Message { votes: 100 }),
    ];
    let good = C::g1_to_bytes(&C::g1_generator());
    let encode = |answer: Result<duet_curve::Commitments<C>, PointError>| {
        answer.map(|found| [&found.sigma, &found.a, &found.b].map(C::g1_to_bytes))
    };
    let alone = query(&scalars, &once, sigma);
    let with_tables = query(&scalars, &often, sigma);
    let mut found: Vec<_> = [&alone, &with_tables]
        .map(|query| encode(C::dleq_commitments(query)))
        .into();
    let mut many = vec![query(&scalars, &often, &good); batch];
    many[batch / 2] = with_tables;
    let of_many = C::dleq_commitments_all(&many).swap_remove(batch / 2);
    found.push(encode(of_many));
    found
}

fn dleq(data: &[u8]) {
    let mut input = Input(data);
    let mut exponents: [[u8; 32]; 2] = [input.array(), input.array()];
    for exponent in &mut exponents {
        // Neither a key nor the hash of a message is infinity.
        if Fr::from_le_bytes_mod_order(exponent).is_zero() {
            *exponent = odd::SCALARS[1].1;
        }
    }
    let scalars = [input.array(), input.array()];
    let sigma = match input.place(4) {
        0 => odd::G1[input.place(odd::G1.len())].1,
        1 => {
            let secret = Fr::from_le_bytes_mod_order(&input.array::<32>());
            let point = (G1Affine::generator() * secret).into_affine();
            let mut bytes = [0; 48];
            point
                .serialize_compressed(&mut bytes[..])
                .expect("48 bytes");
            bytes
        }
        _ => input.array(),
    };
    // With seventeen the batch is a batch; the other back ends check one by one.
    let found = commitments::<Blst>(17, &exponents, &scalars, &sigma);
    assert!(
        found.windows(2).all(|pair| pair[0] == pair[1]),
        "alone, with tables and among many"
    );
    let expected = judge::g1(&sigma).map(|_| ());
    assert_eq!(found[0].map(|_| ()), expected);
    for other in [
        commitments::<Ark>(1, &exponents, &scalars, &sigma),
        commitments::<Wasm>(1, &exponents, &scalars, &sigma),
    ] {
        assert_eq!(other, found);
    }
}

fn dleq_seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    let scalars = |a: usize, b: usize| [&odd::SCALARS[a].1[..], &odd::SCALARS[b].1].concat();
    for (place, (name, _)) in odd::G1.iter().enumerate() {
        let place = u8::try_from(place).expect("few");
        let bytes = [scalars(1, 2), scalars(3, 11), vec![0, place]].concat();
        seeds.push(seed(format!("sigma is {name}"), bytes));
    }
    for (place, (name, scalar)) in odd::SCALARS.iter().enumerate() {
        let bytes = [
            scalars(place, 2),
            scalars(place, 3),
            vec![1],
            scalar.to_vec(),
        ]
        .concat();
        seeds.push(seed(format!("with {name}"), bytes));
    }
    seeds
}
