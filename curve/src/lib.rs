//! Curve arithmetic: the only place that names a curve library.
//!
//! [`Curve`] lists what the protocol needs of BLS12-381. Three back ends implement it: [`Blst`] (blst, with `std`:
//! constant-time on secrets, fast on checks), [`Wasm`] (own arithmetic for a runtime in WASM, where products have 64
//! bits) and [`Ark`] (arkworks, for whatever else has no `std`). [`Native`] is the one that the rest of the crate
//! uses. One test suite runs against all, and they agree on every vector and on every odd input, the error included.
//!
//! Encodings are the usual compressed ones: big-endian, three flag bits on top. (ENC-1)

#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(feature = "std")]
mod arithmetic;
mod ark;
#[cfg(feature = "std")]
#[allow(unsafe_code)]
mod blst;
#[cfg(any(feature = "std", target_arch = "wasm32"))]
mod digits;
#[cfg(feature = "std")]
mod fast;
#[cfg(any(feature = "std", target_arch = "wasm32"))]
mod wasm;

#[cfg(feature = "std")]
pub use self::arithmetic::{Arithmetic, Unsupported};
pub use self::ark::Ark;
#[cfg(feature = "std")]
pub use self::blst::Blst;
#[cfg(any(feature = "std", target_arch = "wasm32"))]
pub use self::wasm::Wasm;

/// The back end in use: blst with `std`; without, own arithmetic in WASM and arkworks elsewhere.
#[cfg(feature = "std")]
pub type Native = Blst;
/// The back end in use: blst with `std`; without, own arithmetic in WASM and arkworks elsewhere.
#[cfg(all(not(feature = "std"), target_arch = "wasm32"))]
pub type Native = Wasm;
/// The back end in use: blst with `std`; without, own arithmetic in WASM and arkworks elsewhere.
#[cfg(all(not(feature = "std"), not(target_arch = "wasm32")))]
pub type Native = Ark;

use alloc::{vec, vec::Vec};
use core::fmt::Debug;
use zeroize::Zeroize;

/// Bytes of a compressed point of G1.
pub const G1_LEN: usize = 48;
/// Bytes of a compressed point of G2.
pub const G2_LEN: usize = 96;
/// Bytes of a scalar.
pub const SCALAR_LEN: usize = 32;

/// `|z|`, the parameter of the curve. `z` itself is negative.
const Z: u64 = 0xd201_0000_0001_0000;

/// A weight `a + b·z²` of 128 bits. A product with it takes half of the doublings of other numbers as long, because
/// `[z²]` costs one multiplication in `Fp`.
pub type Weight = [u64; 2];

/// Why bytes are no point that the protocol accepts. All back ends give the same answer for the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PointError {
    /// ENC-1: a flag bit is wrong, a coordinate is not below the modulus, or infinity has stray bits.
    #[error("ENC-1: the encoding of the point is not canonical")]
    NotCanonical,
    /// ENC-2: the point at infinity is never a key, a signature or an aggregate.
    #[error("ENC-2: the point at infinity is refused")]
    Infinity,
    /// ENC-3: no point of the curve has this x.
    #[error("ENC-3: the point is not on the curve")]
    NotOnCurve,
    /// ENC-4: the point is on the curve, and outside of the subgroup of order `r`.
    #[error("ENC-4: the point is outside of the subgroup of prime order")]
    NotInSubgroup,
}

/// What [`Curve::dleq_commitments`] is asked.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a, C: Curve> {
    /// The challenge.
    pub c: &'a C::Scalar,
    /// The response.
    pub s: &'a C::Scalar,
    /// The signer's key.
    pub pk1: &'a C::G1,
    /// Tables of the key.
    pub pk1_tables: &'a C::Tables,
    /// `H(m)`.
    pub hm: &'a C::G1,
    /// Tables of `H(m)`.
    pub hm_tables: &'a C::Tables,
    /// σ, encoded.
    pub sigma: &'a [u8; G1_LEN],
}

/// What [`Curve::dleq_commitments`] answers.
#[derive(Clone, Debug)]
pub struct Commitments<C: Curve> {
    /// σ, decoded and in the subgroup.
    pub sigma: C::G1,
    /// `A = s·g1 + c·pk1`.
    pub a: C::G1,
    /// `B = s·H(m) + c·σ`.
    pub b: C::G1,
}

/// What the protocol needs of BLS12-381.
///
/// Points are in the subgroup of order `r`; they may be zero as intermediate results and never when decoded.
/// Operations whose names end in `_secret` take no branch and no table index from the scalar in [`Blst`]; the others
/// do not promise that, so secrets belong where `std` is.
pub trait Curve: Copy + Debug + Send + Sync + 'static {
    /// An integer modulo `r`.
    type Scalar: Clone + PartialEq + Zeroize + Send + Sync;
    /// A point of G1.
    type G1: Clone + PartialEq + Debug + Send + Sync;
    /// A point of G2.
    type G2: Clone + PartialEq + Debug + Send + Sync;
    /// Multiples of a point that is multiplied again and again. The default has none.
    type Tables: Clone + Debug + Default + Send + Sync;
    /// What is kept of the sums of some of a list of points, for the next such sum. The default has none yet.
    type Sums: Clone + Debug + Default + Send + Sync;
    /// A point of G2 with what its pairings have in common.
    type G2Prepared: Debug + Send + Sync;

    /// Decodes 32 little-endian bytes; `None` when they are not below `r`. (ENC-5)
    fn scalar_from_bytes(bytes: &[u8; SCALAR_LEN]) -> Option<Self::Scalar>;
    /// Encodes to 32 little-endian bytes.
    fn scalar_to_bytes(scalar: &Self::Scalar) -> [u8; SCALAR_LEN];
    /// Reduces 48 big-endian bytes modulo `r`.
    fn scalar_from_wide(bytes: &[u8; 48]) -> Self::Scalar;
    /// A short scalar.
    fn scalar_from_u128(value: u128) -> Self::Scalar {
        let mut wide = [0; 48];
        wide[32..].copy_from_slice(&value.to_be_bytes());
        Self::scalar_from_wide(&wide)
    }
    /// The scalar that a weight stands for.
    fn scalar_from_weight([a, b]: Weight) -> Self::Scalar {
        let [a, b, z2] =
            [a.into(), b.into(), u128::from(Z) * u128::from(Z)].map(Self::scalar_from_u128);
        Self::scalar_add_mul(&a, &b, &z2)
    }
    /// `a + b·c`, for public scalars.
    fn scalar_add_mul(a: &Self::Scalar, b: &Self::Scalar, c: &Self::Scalar) -> Self::Scalar {
        let [zero, one] = [0, 1].map(Self::scalar_from_u128);
        Self::scalar_sub_mul(a, &Self::scalar_sub_mul(&zero, b, c), &one)
    }
    /// `a − b·c`.
    fn scalar_sub_mul(a: &Self::Scalar, b: &Self::Scalar, c: &Self::Scalar) -> Self::Scalar;

    /// The generator `g1`.
    fn g1_generator() -> Self::G1;
    /// Decodes a point of G1 and checks that it is in the subgroup; infinity is refused.
    fn g1_from_bytes(bytes: &[u8; G1_LEN]) -> Result<Self::G1, PointError>;
    /// Decodes a point of G1 that was checked before it was stored: canonical and on the curve, but without
    /// the subgroup check.
    fn g1_from_stored_unchecked(bytes: &[u8; G1_LEN]) -> Result<Self::G1, PointError>;
    /// Encodes a point of G1, zero included.
    fn g1_to_bytes(point: &Self::G1) -> [u8; G1_LEN];
    /// Whether the point is zero.
    fn g1_is_zero(point: &Self::G1) -> bool;
    /// The sum of points; zero for none.
    fn g1_sum(points: &[&Self::G1]) -> Self::G1;
    /// The sum of the points of those of `list` whose bits are set in `selected`, lowest bit of the first byte first.
    /// Bits beyond the list count for nothing. `kept` belongs to this list and to no other.
    fn g1_sum_of_some<P>(
        list: &[P],
        point: fn(&P) -> &Self::G1,
        selected: &[u8],
        _kept: &Self::Sums,
    ) -> Self::G1 {
        Self::g1_sum(&some(list, selected).map(point).collect::<Vec<_>>())
    }
    /// `a − b`.
    fn g1_sub(a: &Self::G1, b: &Self::G1) -> Self::G1;
    /// `scalar · point`, for secret scalars.
    fn g1_mul_secret(point: &Self::G1, scalar: &Self::Scalar) -> Self::G1;
    /// `a·p + b·q`, for public inputs.
    fn g1_mul_add(a: &Self::Scalar, p: &Self::G1, b: &Self::Scalar, q: &Self::G1) -> Self::G1;
    /// Decodes σ as [`Curve::g1_from_bytes`] does, and works out both commitments of a proof. (DLEQ-2)
    fn dleq_commitments(query: &Query<'_, Self>) -> Result<Commitments<Self>, PointError> {
        let Query { c, s, pk1, hm, .. } = *query;
        let sigma = Self::g1_from_bytes(query.sigma)?;
        Ok(Commitments {
            a: Self::g1_mul_add(s, &Self::g1_generator(), c, pk1),
            b: Self::g1_mul_add(s, hm, c, &sigma),
            sigma,
        })
    }
    /// [`Curve::dleq_commitments`] of many proofs, with the same answers.
    fn dleq_commitments_all(
        queries: &[Query<'_, Self>],
    ) -> Vec<Result<Commitments<Self>, PointError>> {
        queries.iter().map(Self::dleq_commitments).collect()
    }
    /// Room for the tables of a key of a set with `set_len` keys.
    fn key_tables(_set_len: u32) -> Self::Tables {
        Self::Tables::default()
    }
    /// Room for the tables of a message on which `votes` votes are expected.
    fn message_tables(_votes: u32) -> Self::Tables {
        Self::Tables::default()
    }
    /// `p + t·q` with a short public scalar.
    fn g1_add_mul_short(p: &Self::G1, t: u128, q: &Self::G1, q_tables: &Self::Tables) -> Self::G1;
    /// `scalar · point`, for public scalars.
    fn g1_mul_public(scalar: &Self::Scalar, point: &Self::G1, _tables: &Self::Tables) -> Self::G1 {
        Self::g1_mul_secret(point, scalar)
    }
    /// The sum of `scalar · point`, for public scalars; zero for none.
    fn g1_sum_of_products(terms: &[(Self::G1, Self::Scalar)]) -> Self::G1 {
        let products: Vec<_> = terms
            .iter()
            .map(|(point, scalar)| Self::g1_mul_secret(point, scalar))
            .collect();
        Self::g1_sum(&products.iter().collect::<Vec<_>>())
    }
    /// The sum of `weight · point`; zero for none.
    fn g1_weighted_sum(terms: &[(Self::G1, Weight)]) -> Self::G1 {
        let terms: Vec<_> = terms
            .iter()
            .map(|(point, weight)| (point.clone(), Self::scalar_from_weight(*weight)))
            .collect();
        Self::g1_sum_of_products(&terms)
    }
    /// Each `weight · point`.
    fn g1_times_weights(terms: &[(&Self::G1, Weight)]) -> Vec<Self::G1> {
        terms
            .iter()
            .map(|(point, weight)| Self::g1_mul_secret(point, &Self::scalar_from_weight(*weight)))
            .collect()
    }
    /// `−point`.
    fn g1_neg(point: &Self::G1) -> Self::G1;
    /// The tables of the generator.
    fn g1_generator_tables() -> Self::Tables {
        Self::Tables::default()
    }
    /// Tables of a point that is multiplied twice or a few times more.
    fn few_tables(_point: &Self::G1) -> Self::Tables {
        Self::Tables::default()
    }
    /// [`Curve::g1_from_bytes`] with [`Curve::few_tables`]: the subgroup check and the tables both double the point again
    /// and again, and share that where they can.
    fn g1_and_few_tables_from_bytes(
        bytes: &[u8; G1_LEN],
    ) -> Result<(Self::G1, Self::Tables), PointError> {
        let point = Self::g1_from_bytes(bytes)?;
        let tables = Self::few_tables(&point);
        Ok((point, tables))
    }
    /// `p + scalar · q`, for public inputs.
    fn g1_add_mul(
        p: &Self::G1,
        scalar: &Self::Scalar,
        q: &Self::G1,
        q_tables: &Self::Tables,
    ) -> Self::G1 {
        Self::g1_sum(&[p, &Self::g1_mul_public(scalar, q, q_tables)])
    }
    /// Hashes to G1 as RFC 9380 has it, `XMD:SHA-256_SSWU_RO`.
    fn hash_to_g1(dst: &[u8], message: &[u8]) -> Self::G1;

    /// The generator `g2`.
    fn g2_generator() -> Self::G2;
    /// Decodes a point of G2 and checks that it is in the subgroup; infinity is refused.
    fn g2_from_bytes(bytes: &[u8; G2_LEN]) -> Result<Self::G2, PointError>;
    /// Decodes a point of G2 that was checked before it was stored, without the subgroup check.
    fn g2_from_stored_unchecked(bytes: &[u8; G2_LEN]) -> Result<Self::G2, PointError>;
    /// Encodes a point of G2, zero included.
    fn g2_to_bytes(point: &Self::G2) -> [u8; G2_LEN];
    /// Whether the point is zero.
    fn g2_is_zero(point: &Self::G2) -> bool;
    /// The sum of points; zero for none.
    fn g2_sum(points: &[&Self::G2]) -> Self::G2;
    /// `scalar · point`, for secret scalars.
    fn g2_mul_secret(point: &Self::G2, scalar: &Self::Scalar) -> Self::G2;

    /// Prepares a point for pairings.
    fn g2_prepare(point: &Self::G2) -> Self::G2Prepared;
    /// [`Curve::g2_from_bytes`] for a point that goes into a pairing: the subgroup check and the Miller loop both work
    /// `[z]` of it out, and share that where they can.
    fn g2_prepared_from_bytes(bytes: &[u8; G2_LEN]) -> Result<Self::G2Prepared, PointError> {
        Self::g2_from_bytes(bytes).map(|point| Self::g2_prepare(&point))
    }
    /// The point that was prepared.
    fn g2_of_prepared(prepared: &Self::G2Prepared) -> &Self::G2;

    /// Whether the product of the pairings of these pairs is one: Miller loops that share their squarings, one
    /// final exponentiation. A pairing with zero is one.
    fn pairing_product_is_one(pairs: &[(&Self::G1, &Self::G2)]) -> bool;
    /// Whether `e(left, g2)` is the product of the pairings on the right; by [`Curve::pairing_product_is_one`] where
    /// nothing is gained from the points being prepared.
    fn equation_holds(left: &Self::G1, right: &[(&Self::G1, &Self::G2Prepared)]) -> bool {
        equation_holds_by_pairs::<Self>(left, right)
    }
}

/// [`Curve::equation_holds`] by one product of pairings.
fn equation_holds_by_pairs<C: Curve>(left: &C::G1, right: &[(&C::G1, &C::G2Prepared)]) -> bool {
    let (left, g2) = (C::g1_neg(left), C::g2_generator());
    let mut pairs = vec![(&left, &g2)];
    pairs.extend(
        right
            .iter()
            .map(|(point, prepared)| (*point, C::g2_of_prepared(prepared))),
    );
    C::pairing_product_is_one(&pairs)
}

/// Which bits are set, the lowest of the first byte being number zero. Cost: eight bytes without any are passed over
/// at once.
fn places(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    bytes.chunks(8).enumerate().flat_map(|(at, chunk)| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        let mut rest = u64::from_le_bytes(word);
        core::iter::from_fn(move || {
            let lowest = rest.trailing_zeros();
            (rest != 0).then(|| {
                rest &= rest - 1;
                at * 64 + lowest as usize
            })
        })
    })
}

/// Whether a bit is set, numbered as in [`places`]; not beyond the end.
pub fn is_set(bytes: &[u8], place: usize) -> bool {
    bytes
        .get(place / 8)
        .is_some_and(|byte| byte >> (place % 8) & 1 == 1)
}

/// Those of `list` whose bits are set in `selected`.
fn some<'a, P>(list: &'a [P], selected: &'a [u8]) -> impl Iterator<Item = &'a P> + 'a {
    places(selected).map_while(|place| list.get(place))
}

/// The modulus of the base field, big-endian.
const BASE_FIELD_MODULUS: [u8; 48] = [
    0x1a, 0x01, 0x11, 0xea, 0x39, 0x7f, 0xe6, 0x9a, 0x4b, 0x1b, 0xa7, 0xb6, 0x43, 0x4b, 0xac, 0xd7,
    0x64, 0x77, 0x4b, 0x84, 0xf3, 0x85, 0x12, 0xbf, 0x67, 0x30, 0xd2, 0xa0, 0xf6, 0xb0, 0xf6, 0x24,
    0x1e, 0xab, 0xff, 0xfe, 0xb1, 0x53, 0xff, 0xff, 0xb9, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xaa, 0xab,
];

const COMPRESSED: u8 = 0x80;
const INFINITY: u8 = 0x40;
const FLAGS: u8 = 0xe0;

/// ENC-1 and ENC-2, before any arithmetic, so that all back ends agree on what is canonical.
fn check_encoding(bytes: &[u8]) -> Result<(), PointError> {
    let first = bytes.first().copied().unwrap_or_default();
    if first & COMPRESSED == 0 {
        return Err(PointError::NotCanonical);
    }
    if first & INFINITY != 0 {
        let stray = first != COMPRESSED | INFINITY || bytes.iter().skip(1).any(|b| *b != 0);
        return Err(if stray {
            PointError::NotCanonical
        } else {
            PointError::Infinity
        });
    }
    // The flags of the first byte are no part of its coordinate.
    let is_reduced = |(at, x): (usize, &[u8])| {
        let head = if at == 0 { first & !FLAGS } else { x[0] };
        (head, &x[1..]) < (BASE_FIELD_MODULUS[0], &BASE_FIELD_MODULUS[1..])
    };
    let mut coordinates = bytes.chunks(BASE_FIELD_MODULUS.len()).enumerate();
    if coordinates.all(is_reduced) {
        Ok(())
    } else {
        Err(PointError::NotCanonical)
    }
}

#[cfg(test)]
mod tests {
    use super::{is_set, places};
    use alloc::{format, string::String, vec::Vec};

    #[test]
    fn the_places_are_those_whose_bits_are_set() {
        for len in 0..=25_u8 {
            let bytes: Vec<_> = (0..len).map(|at| at.wrapping_mul(101)).collect();
            let beyond = usize::from(len) * 8 + 9;
            let expected: Vec<_> = (0..beyond).filter(|place| is_set(&bytes, *place)).collect();
            assert_eq!(places(&bytes).collect::<Vec<_>>(), expected);
            let text: String = bytes
                .iter()
                .map(|byte| format!("{:08b}", byte.reverse_bits()))
                .collect();
            let ones: Vec<_> = text.match_indices('1').map(|(place, _)| place).collect();
            assert_eq!(ones, expected);
        }
    }
}
