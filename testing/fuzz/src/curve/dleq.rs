//! What a proof of equal logarithms commits to.

use super::scalars::reduced;
use crate::{
    judge,
    odd::{self, compress},
    target::{seed, Input, Seed, Target},
};
use ark_bls12_381::{g1, Fr, G1Affine};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{PrimeField, Zero};
use duet_curve::{Ark, Base, Blst, Curve, PointError, Purpose, Query, Wasm};

pub(super) const DLEQ: Target = Target {
    // DLEQ-2, ENC-1 to ENC-4.
    name: "dleq",
    run: dleq,
    seeds: dleq_seeds,
};

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
            compress::<g1::Config, 48>(&(G1Affine::generator() * secret).into_affine())
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
