//! Products of pairings.

use super::scalars::little_endian;
use crate::{
    odd,
    target::{seed, Input, Seed, Target},
};
use ark_bls12_381::Fr;
use ark_ff::{PrimeField, Zero};
use duet_curve::{Ark, Blst, Curve, Wasm};

pub(super) const PAIRING: Target = Target {
    name: "pairing",
    run: pairing,
    seeds: pairing_seeds,
};

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
