//! Properties: what is signed verifies, and nothing else does; both implementations agree; every encoding is unique.

mod common;

use common::model::{self, Key, Verdict, ALL_CHECKS};
use duet_sequential::{
    sign,
    testing::{chain, secret_key, KEYS},
    Attestation, ChainSignature, Epoch, HopNumber, Keyring, Link, Party, PublicKey, Record,
    SecretKey, Statement, Suite, Time,
};
use num_bigint::BigUint;
use openssl::{
    bn::BigNum,
    pkey::PKey,
    rsa::{Padding, Rsa},
};
use proptest::{collection::vec, prelude::*, sample::Index};

/// Keys by index, and messages from empty to several blocks.
fn arb_path() -> impl Strategy<Value = Vec<(usize, Vec<u8>)>> {
    vec((0..KEYS, vec(any::<u8>(), 0..200)), 1..=16)
}

fn sign_all(suite: Suite, path: &[(usize, Vec<u8>)]) -> ChainSignature {
    let (first, rest) = path.split_first().expect("a hop");
    let begun = ChainSignature::first(secret_key(suite, first.0), &first.1).expect("signed");
    rest.iter().fold(begun, |chain, (index, message)| {
        let key = secret_key(suite, *index);
        chain.append(key, message).expect("signed")
    })
}

fn claimed(suite: Suite, path: &[(usize, Vec<u8>)]) -> Vec<Statement<'_>> {
    let statements = path.iter().map(|(index, message)| Statement {
        key: secret_key(suite, *index).public(),
        message,
    });
    statements.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_signed_verifies_and_has_the_length_of_the_formula(path in arb_path()) {
        let suite = Suite::Rsa2048;
        let signature = sign_all(suite, &path);
        prop_assert_eq!(signature.verify(&claimed(suite, &path)), Ok(()));
        let (core, n) = (signature.to_core(), path.len());
        prop_assert_eq!(core.len(), 288 + 16 * n + n.div_ceil(8));
        prop_assert_eq!(ChainSignature::from_core(suite, n, &core), Ok(signature.clone()));
        prop_assert_eq!(ChainSignature::from_bytes(&signature.to_bytes()), Ok(signature));
    }

    #[test]
    fn the_second_implementation_gives_the_same_bytes_and_the_same_verdict(path in arb_path()) {
        let suite = Suite::Rsa2048;
        let mut signed: Vec<model::Signed> = Vec::new();
        for (index, message) in &path {
            let key = Key::of(secret_key(suite, *index));
            let previous = signed.last().map(|signed| (&signed.x, &signed.h));
            signed.push(model::sign(&key, message, previous, model::input_dependent));
        }
        let signature = sign_all(suite, &path);
        prop_assert_eq!(&model::chain(secret_key(suite, 0), &signed), &signature);
        let keys: Vec<_> = path.iter().map(|(index, _)| Key::of(secret_key(suite, *index))).collect();
        let messages: Vec<_> = path.iter().map(|(_, message)| message.as_slice()).collect();
        prop_assert_eq!(model::verify(&keys, &messages, &signature, ALL_CHECKS), Verdict::Good);
    }

    #[test]
    fn both_verifiers_refuse_a_changed_chain(path in arb_path(), at: Index, bit in 0_u8..8) {
        let suite = Suite::Rsa2048;
        let mut core = sign_all(suite, &path).to_core();
        let index = at.index(core.len());
        core[index] ^= 1 << bit;
        if let Ok(changed) = ChainSignature::from_core(suite, path.len(), &core) {
            prop_assert!(changed.verify(&claimed(suite, &path)).is_err());
            let keys: Vec<_> = path.iter().map(|(index, _)| Key::of(secret_key(suite, *index))).collect();
            let messages: Vec<_> = path.iter().map(|(_, message)| message.as_slice()).collect();
            prop_assert_ne!(model::verify(&keys, &messages, &changed, ALL_CHECKS), Verdict::Good);
        }
    }

    #[test]
    fn a_chain_peels_down_to_its_first_hop_and_every_part_verifies(path in arb_path()) {
        let suite = Suite::Rsa2048;
        let claimed = claimed(suite, &path);
        let mut signature = sign_all(suite, &path);
        for n in (1..path.len()).rev() {
            signature = signature.peel(&claimed[n]).expect("a chain").expect("a hop is left");
            prop_assert_eq!(signature.verify(&claimed[..n]), Ok(()));
            prop_assert_eq!(&signature, &sign_all(suite, &path[..n]));
        }
        prop_assert_eq!(signature.peel(&claimed[0]), Ok(None));
    }

    #[test]
    fn the_order_of_signing_matters(path in arb_path(), at: Index) {
        let suite = Suite::Rsa2048;
        prop_assume!(path.len() > 1);
        let mut swapped = path.clone();
        let index = at.index(path.len() - 1);
        swapped.swap(index, index + 1);
        prop_assume!(path != swapped);
        prop_assert!(sign_all(suite, &path).verify(&claimed(suite, &swapped)).is_err());
    }

    #[test]
    fn a_link_of_any_origin_is_signed_on(x in vec(any::<u8>(), 256), h: [u8; 32], index in 0..KEYS) {
        let key = secret_key(Suite::Rsa2048, index);
        let mut x = x;
        x[0] &= 0x7f;
        let link = Link::new(Suite::Rsa2048, &x, h).expect("a link");
        let (hop, next) = sign(key, b"m", Some(&link)).expect("signed");
        let previous = BigUint::from_bytes_be(&x);
        let again = model::sign(&Key::of(key), b"m", Some((&previous, &h)), model::input_dependent);
        prop_assert_eq!(hop.overflow, again.b);
        prop_assert_eq!(&next, &model::link(key, &again.x, &again.h));
    }

    #[test]
    fn records_and_attestations_are_what_their_bytes_say(path in arb_path(), numbers: [u64; 3], hop in 1_usize..=255) {
        let suite = Suite::Rsa2048;
        let mut record = None::<Record>;
        let mut keys = Keyring::default();
        for (index, message) in &path {
            let key = secret_key(suite, *index);
            keys.insert(key.public().clone(), Epoch(0));
            record = Some(match record {
                None => Record::first(key, message, Epoch(numbers[0])).expect("a record"),
                Some(record) => record.append(key, message).expect("a record"),
            });
        }
        let record = record.expect("a record");
        let again = Record::from_bytes(&record.to_bytes()).expect("a record");
        prop_assert_eq!(&again, &record);
        prop_assert_eq!(again.verify(&keys), Ok(()));

        let attestation = Attestation {
            payload: record.id().0,
            hop: HopNumber::new(hop).expect("a hop"),
            from: Party::named("anybody"),
            own: record.claims()[0].fingerprint,
            to: Party(record.id().0),
            epoch: Epoch(numbers[0]),
            expires: Time(numbers[1]),
            fee: numbers[2],
        };
        prop_assert_eq!(Attestation::from_bytes(&attestation.to_bytes()), Ok(attestation));
    }

    #[test]
    fn raw_rsa_agrees_with_big_integers(input in vec(any::<u8>(), 384), index in 0..KEYS) {
        let key = Key::of(secret_key(Suite::Rsa3072, index));
        let public = secret_key(Suite::Rsa3072, index).public();
        let openssl = Rsa::from_public_components(
            BigNum::from_slice(public.as_bytes()).expect("a number"),
            BigNum::from_u32(65537).expect("a number"),
        )
        .expect("a key");
        let number = BigUint::from_bytes_be(&input) % &key.n;
        let mut output = [0; 384];
        openssl
            .public_encrypt(&model::padded(&number, 384), &mut output, Padding::NONE)
            .expect("below the modulus");
        prop_assert_eq!(BigUint::from_bytes_be(&output), number.modpow(&65537_u32.into(), &key.n));

        let bytes = secret_key(Suite::Rsa3072, index).to_bytes().expect("bytes");
        let private = PKey::private_key_from_pkcs8(&bytes[34..]).expect("DER").rsa().expect("RSA");
        private
            .private_encrypt(&model::padded(&number, 384), &mut output, Padding::NONE)
            .expect("below the modulus");
        prop_assert_eq!(BigUint::from_bytes_be(&output), number.modpow(&key.d, &key.n));
    }
}

#[test]
fn every_single_bit_of_a_signature_and_its_messages_counts() {
    let messages: [&[u8]; 3] = [b"first", b"", b"third"];
    for suite in Suite::ALL {
        let (signature, statements) = chain(suite, &messages);
        let core = signature.to_core();
        // Every bit would take twice as long with the other suite. Every seventh bit suffices, and covers each position
        // in a byte.
        let step = if suite == Suite::Rsa2048 { 1 } else { 7 };
        for bit in (0..8 * core.len()).step_by(step) {
            let mut changed = core.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            let verdict = ChainSignature::from_core(suite, 3, &changed)
                .map(|changed| changed.verify(&statements).is_ok());
            assert_ne!(verdict, Ok(true), "bit {bit}");
        }
        for hop in 0..3 {
            for bit in 0..8 * messages[hop].len() {
                let mut changed = messages[hop].to_vec();
                changed[bit / 8] ^= 1 << (bit % 8);
                let mut statements = statements.clone();
                statements[hop].message = &changed;
                assert!(
                    signature.verify(&statements).is_err(),
                    "hop {hop}, bit {bit}"
                );
            }
        }
    }
}

#[test]
fn every_single_bit_of_an_envelope_counts() {
    let (signature, statements) = chain(Suite::Rsa2048, &[b"only"]);
    let bytes = signature.to_bytes();
    for bit in 0..8 * bytes.len() {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        if let Ok(changed) = ChainSignature::from_bytes(&changed) {
            assert!(changed.verify(&statements).is_err(), "bit {bit}");
        }
    }
}

/// The bytes with one bit flipped, for every `step`th bit. A step that is coprime to 8 covers each position in a byte.
fn flips(bytes: &[u8], step: usize) -> impl Iterator<Item = (usize, Vec<u8>)> + '_ {
    (0..8 * bytes.len()).step_by(step).map(|bit| {
        let mut changed = bytes.to_vec();
        changed[bit / 8] ^= 1 << (bit % 8);
        (bit, changed)
    })
}

#[test]
fn every_single_bit_of_a_record_counts() {
    let keys: Vec<_> = (0..2)
        .map(|index| secret_key(Suite::Rsa2048, index))
        .collect();
    let mut directory = Keyring::default();
    for key in &keys {
        directory.insert(key.public().clone(), Epoch(0));
    }
    let receiver = Party::named("receiver");
    let first = Attestation {
        payload: [1; 32],
        hop: HopNumber::FIRST,
        from: Party::named("sender"),
        own: keys[0].public().fingerprint(),
        to: keys[1].public().fingerprint().into(),
        epoch: Epoch(3),
        expires: Time(20),
        fee: 4,
    };
    let second = Attestation {
        hop: HopNumber::new(2).expect("a hop"),
        from: first.own.into(),
        own: keys[1].public().fingerprint(),
        to: receiver,
        ..first
    };
    let record = Record::first(keys[0], &first.to_bytes(), Epoch(3)).expect("a record");
    let record = record
        .append(keys[1], &second.to_bytes())
        .expect("a record");
    let is_good = |bytes: &[u8]| {
        let record = Record::from_bytes(bytes).ok();
        let verified = record.and_then(|record| record.check(&directory).ok());
        verified.is_some_and(|verified| verified.path(receiver, Time(9)).is_ok())
    };
    let bytes = record.to_bytes();
    assert!(is_good(&bytes));
    for (bit, changed) in flips(&bytes, 1) {
        assert!(!is_good(&changed), "bit {bit}");
    }
    for (bit, changed) in flips(&first.to_bytes(), 1) {
        assert_ne!(Attestation::from_bytes(&changed), Ok(first), "bit {bit}");
    }
}

#[test]
fn every_single_bit_of_a_key_counts() {
    let key = secret_key(Suite::Rsa2048, 0);
    for (bit, changed) in flips(key.public().as_bytes(), 3) {
        if let Ok(other) = PublicKey::from_bytes(&changed) {
            assert_ne!(other.fingerprint(), key.public().fingerprint(), "bit {bit}");
        }
    }
    // Another seed gives another key; any other flipped bit makes the key invalid.
    let bytes = key.to_bytes().expect("bytes");
    let seed = 8 * 2..8 * (2 + 32);
    for (bit, changed) in flips(&bytes, 251) {
        let is_key = SecretKey::from_bytes(&changed).is_ok();
        assert_eq!(is_key, seed.contains(&bit), "bit {bit}");
    }
}

#[test]
fn both_values_of_the_overflow_bit_happen_at_both_sizes() {
    for suite in Suite::ALL {
        let bits: Vec<_> = (0_u8..24)
            .map(|index| {
                let key: &SecretKey = secret_key(suite, usize::from(index) % 4);
                let (hop, link) = sign(key, &[index], None).expect("signed");
                let signature = ChainSignature::from_parts(link, vec![hop]).expect("one hop");
                let statement = Statement {
                    key: key.public(),
                    message: &[index],
                };
                assert_eq!(signature.verify(&[statement]), Ok(()));
                hop.overflow
            })
            .collect();
        assert!(bits.contains(&true) && bits.contains(&false));
    }
}

#[test]
fn a_message_of_many_megabytes_is_signed_like_any_other() {
    for len in [0, 1, 55, 64, 1 << 16, (1 << 16) + 1, 5 << 20] {
        let message = vec![0x61; len];
        let (signature, statements) = chain(Suite::Rsa3072, &[&message, b"next"]);
        assert_eq!(signature.verify(&statements), Ok(()));
    }
}

#[test]
fn the_same_input_gives_the_same_signature() {
    let key = secret_key(Suite::Rsa2048, 2);
    let (first, again) = (sign(key, b"m", None), sign(key, b"m", None));
    assert_eq!(first.expect("signed"), again.expect("signed"));
}
