//! Sums, products and multiples of points.

use super::scalars::reduced;
use crate::{
    odd,
    target::{seed, Input, Seed, Target},
};
use duet_curve::{Ark, Base, Blst, Curve, PointList, Purpose, Wasm};

pub(super) const ARITHMETIC: Target = Target {
    name: "arithmetic",
    run: arithmetic,
    seeds: arithmetic_seeds,
};

/// A multiple of the generator by what the input says, with a decoded point where it says so.
struct Term {
    times: [u8; 32],
    scalar: [u8; 32],
    weight: [u64; 2],
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
