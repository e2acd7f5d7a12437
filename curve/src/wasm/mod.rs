//! Own arithmetic for WASM, which multiplies 64 bits by 64 bits to 64 bits and no wider: limbs of 28 bits, sums that are
//! not reduced, and the curve's endomorphisms wherever they save work. (docs/decisions/0009)
//!
//! Variable-time throughout: a runtime checks and does not sign. All constants are arkworks', converted when this
//! is compiled.

// With host functions the node computes pairings, and the code for them here is unused.
#![cfg_attr(
    all(feature = "host-functions", target_arch = "wasm32"),
    allow(dead_code)
)]

mod columns;
mod elements;
mod encoding;
mod fp;
mod fp2;
mod generator;
mod hash;
#[cfg(all(feature = "host-functions", any(test, target_arch = "wasm32")))]
mod hosted;
mod limbs;
mod multiples;
mod pairing;
mod point;
mod tables;
mod tower;
mod words;

#[cfg(all(test, feature = "std"))]
mod small_order_tests;
#[cfg(all(test, feature = "std"))]
mod tests;

use crate::{
    ark::Ark,
    digits::BaseZ,
    encoding::{PointError, G1_LEN, G2_LEN, SCALAR_LEN},
    traits::{
        equation_holds_by_pairs, Base, Bases, Commitments, Dleq, Encodings, Groups, Hashing,
        Multiplications, Pairings, Purpose, Query, Scalars, Sums,
    },
    witness::{self, WITNESS_LEN},
};
use alloc::vec::Vec;
use core::iter::once;
use fp::Fp;
use fp2::Fp2;
use generator::G1_GENERATOR;
#[cfg(all(feature = "host-functions", target_arch = "wasm32"))]
use hosted::product_is_one;
use multiples::Multiples;
#[cfg(not(all(feature = "host-functions", target_arch = "wasm32")))]
use pairing::product_is_one;
use pairing::{Lines, Pair, G2_GENERATOR};
use point::{to_affine, Affine, Jacobian};
use tables::Kind;
use tower::Fp6;

pub(crate) use elements::{G2Prepared, G1, G2};
pub(crate) use tables::Tables;

/// The back end for WASM.
#[derive(Clone, Copy, Debug)]
pub struct Wasm;

/// Whether the node computes pairings.
const BY_NODE: bool = cfg!(all(feature = "host-functions", target_arch = "wasm32"));

type Scalar = <Ark as Scalars>::Scalar;

fn base_z(scalar: &Scalar) -> BaseZ {
    BaseZ::new(&Ark::scalar_to_bytes(scalar))
}

/// The point, or an empty list for zero, whose products are zero.
fn not_zero(point: &G1) -> Vec<Jacobian<Fp>> {
    let point = Some(point.point).filter(|point| !point.is_zero());
    point.into_iter().map(Jacobian::from).collect()
}

/// The sum of `scalar·point`.
fn sum_of_products(terms: &[(&G1, &Scalar)]) -> Jacobian<Fp> {
    let (points, scalars): (Vec<_>, Vec<_>) = terms
        .iter()
        .filter(|(point, _)| !point.point.is_zero())
        .map(|(point, scalar)| (Jacobian::from(point.point), base_z(scalar)))
        .unzip();
    let multiples = Multiples::of(&points);
    let terms = multiples.iter().zip(&scalars);
    multiples::sum(terms.flat_map(|(multiples, scalar)| multiples.times(scalar)))
}

/// `scalar·point`, with tables where there are some.
fn product(scalar: &Scalar, base: &Base<Wasm>) -> Jacobian<Fp> {
    match base.tables().0 {
        Kind::None => sum_of_products(&[(base.point(), scalar)]),
        _ => multiples::sum(base.tables().times(&base_z(scalar))),
    }
}

/// `s·g1 + c·pk1` and `s·H(m) + c·σ`. (DLEQ-2)
fn commitments(query: &Query<'_, Wasm>, sigma: &G1) -> [Affine<Fp>; 2] {
    let (c, s) = (base_z(query.c), base_z(query.s));
    let generator = Wasm::generator_tables();
    let of_pk1 = match query.pk1.tables() {
        Tables(Kind::None) => &Tables::of(query.pk1.point()),
        tables => tables,
    };
    let a = multiples::sum(generator.times(&s).chain(of_pk1.times(&c)));
    let (of_hm, of_sigma) = (
        Multiples::of(&not_zero(query.hm.point())),
        Tables::of(sigma),
    );
    let of_hm = of_hm.iter().flat_map(|multiples| multiples.times(&s));
    let b = multiples::sum(of_hm.chain(of_sigma.times(&c)));
    let mut both = [Affine::ZERO; 2];
    both.copy_from_slice(&to_affine(&[a, b]));
    both
}

impl Scalars for Wasm {
    type Scalar = Scalar;

    fn scalar_from_bytes(bytes: &[u8; SCALAR_LEN]) -> Option<Scalar> {
        Ark::scalar_from_bytes(bytes)
    }

    fn scalar_to_bytes(scalar: &Scalar) -> [u8; SCALAR_LEN] {
        Ark::scalar_to_bytes(scalar)
    }

    fn scalar_from_wide(bytes: &[u8; 48]) -> Scalar {
        Ark::scalar_from_wide(bytes)
    }

    fn scalar_sub_mul(a: &Scalar, b: &Scalar, c: &Scalar) -> Scalar {
        Ark::scalar_sub_mul(a, b, c)
    }
}

impl Groups for Wasm {
    type G1 = G1;
    type G2 = G2;

    fn g1_generator() -> G1 {
        G1_GENERATOR.into()
    }

    fn g1_is_zero(point: &G1) -> bool {
        point.point.is_zero()
    }

    fn g1_neg(point: &G1) -> G1 {
        point.point.neg().into()
    }

    fn g2_generator() -> G2 {
        G2(G2_GENERATOR)
    }

    fn g2_is_zero(point: &G2) -> bool {
        point.0.is_zero()
    }
}

impl Encodings for Wasm {
    fn g1_from_bytes(bytes: &[u8; G1_LEN]) -> Result<G1, PointError> {
        let point = encoding::decode_g1(bytes)?;
        let times_z = encoding::check_g1(&point)?;
        Ok(G1 {
            point,
            times_z: Some(times_z),
        })
    }

    fn g1_from_stored_unchecked(bytes: &[u8; G1_LEN]) -> Result<G1, PointError> {
        encoding::decode_g1(bytes).map(G1::from)
    }

    fn g1_to_bytes(point: &G1) -> [u8; G1_LEN] {
        encoding::encode_g1(&point.point)
    }

    fn g2_from_bytes(bytes: &[u8; G2_LEN]) -> Result<G2, PointError> {
        let point = encoding::decode_g2(bytes)?;
        encoding::check_g2(&point)?;
        Ok(G2(point))
    }

    fn g2_from_stored_unchecked(bytes: &[u8; G2_LEN]) -> Result<G2, PointError> {
        encoding::decode_g2(bytes).map(G2)
    }

    fn g2_to_bytes(point: &G2) -> [u8; G2_LEN] {
        encoding::encode_g2(&point.0)
    }
}

impl Sums for Wasm {
    type SubsetCache = ();

    fn g1_sum(points: &[&G1]) -> G1 {
        let points: Vec<_> = points.iter().map(|point| &point.point).collect();
        point::sum(&points).into()
    }

    fn g1_sub(a: &G1, b: &G1) -> G1 {
        if b.point.is_zero() {
            // With what its subgroup check has left.
            return *a;
        }
        point::sum(&[&a.point, &b.point.neg()]).into()
    }

    fn g2_sum(points: &[&G2]) -> G2 {
        let points: Vec<_> = points.iter().map(|point| &point.0).collect();
        G2(point::sum(&points))
    }
}

impl Bases for Wasm {
    type Tables = Tables;

    /// Only for a few multiplications in a row: a runtime keeps nothing from one call to the next.
    fn tables(point: &G1, purpose: Purpose) -> Tables {
        match purpose {
            Purpose::AFewTimes => Tables::of(point),
            Purpose::Once
            | Purpose::Member { .. }
            | Purpose::SetTotal
            | Purpose::Message { .. } => Tables::default(),
        }
    }

    fn generator_tables() -> Tables {
        Tables(Kind::Generator)
    }
}

impl Multiplications for Wasm {
    fn g1_mul_secret(point: &G1, scalar: &Scalar) -> G1 {
        sum_of_products(&[(point, scalar)]).to_affine().into()
    }

    fn g2_mul_secret(point: &G2, scalar: &Scalar) -> G2 {
        let scalar = Ark::scalar_to_bytes(scalar);
        G2(Jacobian::from(point.0).times(&scalar).to_affine())
    }

    fn g1_mul_add(a: &Scalar, p: &G1, b: &Scalar, q: &G1) -> G1 {
        sum_of_products(&[(p, a), (q, b)]).to_affine().into()
    }

    fn g1_mul_public(scalar: &Scalar, base: &Base<Self>) -> G1 {
        product(scalar, base).to_affine().into()
    }

    fn g1_add_mul(p: &G1, scalar: &Scalar, q: &Base<Self>) -> G1 {
        product(scalar, q).add(&p.point.into()).to_affine().into()
    }

    fn g1_add_mul_short(p: &G1, t: u128, q: &Base<Self>) -> G1 {
        let tables = match (q.tables(), q.point().times_z) {
            // Of no use without `[|z|]` of the point, which takes as many doublings as it saves.
            (Tables(Kind::None), None) => None,
            (Tables(Kind::None), Some(_)) => Some(&Tables::of(q.point())),
            (tables, _) => Some(tables),
        };
        let product = match tables {
            Some(tables) => multiples::sum(tables.times(&base_z(&Ark::scalar_from_u128(t)))),
            None => {
                let multiples = Multiples::of(&not_zero(q.point()));
                multiples::sum(multiples.iter().map(|q| q.times_short(t)))
            }
        };
        product.add(&p.point.into()).to_affine().into()
    }

    fn g1_sum_of_products(terms: &[(G1, Scalar)]) -> G1 {
        // In groups, so that the tables need little memory.
        let sums: Vec<_> = terms
            .chunks(32)
            .map(|terms| {
                terms
                    .iter()
                    .map(|(point, scalar)| (point, scalar))
                    .collect()
            })
            .map(|terms: Vec<_>| sum_of_products(&terms))
            .collect();
        let sum = sums.iter().fold(Jacobian::ZERO, |sum, part| sum.add(part));
        sum.to_affine().into()
    }
}

impl Hashing for Wasm {
    fn hash_to_g1(dst: &[u8], message: &[u8]) -> G1 {
        hash::hash_to_g1(dst, message).into()
    }
}

impl Pairings for Wasm {
    type G2Prepared = G2Prepared;

    fn g2_prepare(point: &G2) -> G2Prepared {
        let lines = if BY_NODE {
            Lines::default()
        } else {
            Lines::of(&point.0)
        };
        G2Prepared {
            point: *point,
            lines,
        }
    }

    fn g2_prepared_from_bytes(bytes: &[u8; G2_LEN]) -> Result<G2Prepared, PointError> {
        let point = encoding::decode_g2(bytes)?;
        let lines = if BY_NODE {
            encoding::check_g2(&point).map(|()| Lines::default())
        } else {
            Lines::of_checked(&point)
        };
        Ok(G2Prepared {
            point: G2(point),
            lines: lines?,
        })
    }

    fn g2_of_prepared(prepared: &G2Prepared) -> &G2 {
        &prepared.point
    }

    fn pairing_product_is_one(pairs: &[(&G1, &G2)]) -> bool {
        let pairs: Vec<_> = pairs.iter().map(|(a, b)| (&a.point, &b.0)).collect();
        product_is_one(&pairs)
    }

    fn equation_holds(left: &G1, right: &[(&G1, &G2Prepared)]) -> bool {
        if BY_NODE {
            return equation_holds_by_pairs::<Self>(left, right);
        }
        let (left, generator) = (left.point.neg(), pairing::generator_lines());
        pairing::product_of_lines_is_one(&pairs_of_equation((&left, &generator), right))
    }

    fn equation_holds_by(
        left: &G1,
        right: &[(&G1, &G2Prepared)],
        witness: &[u8; WITNESS_LEN],
    ) -> bool {
        if BY_NODE {
            return equation_holds_by_pairs::<Self>(left, right);
        }
        let Some(coordinates) = witness::coordinates(witness) else {
            return false;
        };
        let [a, b, c, d, e, f] = coordinates.map(|bytes| Fp::from_bytes(&bytes));
        let [c0, c1, c2] = [(a, b), (c, d), (e, f)].map(|(c0, c1)| Fp2 { c0, c1 });
        let (left, witness) = (left.point.neg(), Fp6 { c0, c1, c2 });
        let generator = pairing::generator_lines();
        let pairs = pairs_of_equation((&left, &generator), right);
        pairing::product_of_lines_is_one_by(&pairs, witness)
    }
}

/// `−left` with the generator, and the pairs on the right, without those that hold a zero.
fn pairs_of_equation<'a>(
    minus_left: Pair<'a>,
    right: &'a [(&'a G1, &'a G2Prepared)],
) -> Vec<Pair<'a>> {
    let right = right.iter().filter(|(_, q)| !q.point.0.is_zero());
    once(minus_left)
        .chain(right.map(|(p, q)| (&p.point, &q.lines.0[..])))
        .filter(|(p, _)| !p.is_zero())
        .collect()
}

impl Dleq for Wasm {
    fn dleq_commitments(query: &Query<'_, Self>) -> Result<Commitments<Self>, PointError> {
        let sigma = Self::g1_from_bytes(query.sigma)?;
        let [a, b] = commitments(query, &sigma).map(G1::from);
        Ok(Commitments { sigma, a, b })
    }
}
