//! Points: which bytes are one, and hashing to the curve.

use crate::{
    judge,
    odd::{self, compress},
    target::{seed, Input, Seed, Target},
};
use ark_bls12_381::{g1, g2, Fr};
use ark_ec::AffineRepr;
use ark_ff::{PrimeField, Zero};
use duet_curve::{Ark, Base, Blst, Curve, Encodings, Hashing, PointError, Purpose, Wasm};

pub(super) const G1: Target = Target {
    // ENC-1 to ENC-4, SET-5.
    name: "g1",
    run: g1_decode,
    seeds: g1_seeds,
};

pub(super) const G2: Target = Target {
    // ENC-1 to ENC-4.
    name: "g2",
    run: g2_decode,
    seeds: g2_seeds,
};

pub(super) const HASH_TO_G1: Target = Target {
    name: "hash_to_g1",
    run: hash_to_g1,
    seeds: hash_seeds,
};

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
