//! Scalars: which bytes are one, and arithmetic with them.

use crate::{
    judge, odd,
    target::{seed, Input, Seed, Target},
};
use ark_bls12_381::Fr;
use ark_ff::{BigInteger, PrimeField};
use duet_curve::{Ark, Blst, Curve, Wasm};

pub(super) const SCALAR: Target = Target {
    // ENC-5.
    name: "scalar",
    run: scalar,
    seeds: scalar_seeds,
};

pub(super) fn little_endian(scalar: Fr) -> [u8; 32] {
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

pub(super) fn reduced<C: Curve>(bytes: &[u8; 32]) -> C::Scalar {
    let mut wide = [0; 48];
    wide[16..].copy_from_slice(bytes);
    C::scalar_from_wide(&wide)
}
