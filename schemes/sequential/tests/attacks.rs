//! The attacks of the specification's reference program, and attacks on missing checks. Each succeeds against a variant
//! with one check removed (`common/model.rs`), and fails here with the expected error.

mod common;

use common::model::{
    self, constant, h, without_h, xor, Checks, Key, RandomnessOf, Verdict, ALL_CHECKS,
};
use duet_sequential::{
    sign, testing::secret_key, Attestation, ChainSignature, Epoch, Hop, HopNumber, Keyring, Link,
    MalformedAggregate, Party, PathError, Record, SecretKey, Statement, Suite, Time,
    VerifiedRecord, VerifyError,
};
use num_bigint::BigUint;
use openssl::sha::sha256;

const SUITE: Suite = Suite::Rsa2048;
const WANTED: &[u8] = b"pay mallory";
const HARMLESS: &[u8] = b"harmless";
const OWN: &[u8] = b"attacker hop";

fn victim() -> &'static SecretKey {
    secret_key(SUITE, 0)
}

fn attacker() -> &'static SecretKey {
    secret_key(SUITE, 1)
}

fn attacker_first(messages: [&'static [u8]; 2]) -> [Statement<'static>; 2] {
    [
        Statement {
            key: attacker().public(),
            message: messages[0],
        },
        Statement {
            key: victim().public(),
            message: messages[1],
        },
    ]
}

/// The request with which the attacker makes the victim invert the `y` of another message.
struct Trap {
    own_hop: Hop,
    asked: Link,
}

/// The attacker's own hop, and the `h` for which `HARMLESS` with `asked_r` is equivalent to `WANTED` with `wanted_r`.
fn trap(asked_r: [u8; 16], wanted_r: [u8; 16]) -> Trap {
    let (own_hop, link) = sign(attacker(), OWN, None).expect("a signature");
    let key = Key::of(victim());
    let x = BigUint::from_bytes_be(link.x());
    let wanted = xor(link.h(), &h(&key, WANTED, &wanted_r, Some(&x)));
    let asked = xor(&wanted, &h(&key, HARMLESS, &asked_r, Some(&x)));
    let asked = Link::new(SUITE, link.x(), asked).expect("a link");
    Trap { own_hop, asked }
}

/// The victim, with a weak variant, signs; the attacker claims another message. Returns the verdict of the real
/// verifier.
fn forgery(trap: &Trap, wanted_r: [u8; 16], weak: RandomnessOf) -> Result<(), VerifyError> {
    let key = Key::of(victim());
    let x = BigUint::from_bytes_be(trap.asked.x());
    let signed = model::sign(&key, HARMLESS, Some((&x, trap.asked.h())), weak);
    let last = Hop {
        randomness: wanted_r,
        overflow: signed.b,
    };
    let link = model::link(victim(), &signed.x, &signed.h);
    let forged = ChainSignature::from_parts(link, vec![trap.own_hop, last]).expect("two hops");
    forged.verify(&attacker_first([OWN, WANTED]))
}

/// The same against the real signer.
fn forgery_at_the_real_signer(trap: &Trap, wanted_r: [u8; 16]) -> Result<(), VerifyError> {
    let (hop, link) = sign(victim(), HARMLESS, Some(&trap.asked)).expect("a signature");
    let last = Hop {
        randomness: wanted_r,
        ..hop
    };
    let forged = ChainSignature::from_parts(link, vec![trap.own_hop, last]).expect("two hops");
    forged.verify(&attacker_first([OWN, WANTED]))
}

/// Attack 1: one query to a signer whose `r` is known in advance.
#[test]
fn one_query_forges_a_message_of_a_signer_without_randomness_but_not_of_the_real_one() {
    let known = constant(&[0; 32], HARMLESS, None, 256);
    let trap = trap(known, known);
    assert_eq!(forgery(&trap, known, constant), Ok(()));
    assert_eq!(
        forgery_at_the_real_signer(&trap, known),
        Err(VerifyError::BadSignature)
    );
}

/// Attack 2: `r` is secret but does not depend on `h`, so a first query reveals it.
#[test]
fn two_queries_forge_a_message_of_a_signer_whose_randomness_ignores_h_but_not_of_the_real_one() {
    let wanted_r = [7; 16];
    let (_, link) = sign(attacker(), OWN, None).expect("a signature");
    let x = BigUint::from_bytes_be(link.x());
    let any_h = [0x5a; 32];

    let key = Key::of(victim());
    let learned = model::sign(&key, HARMLESS, Some((&x, &any_h)), without_h).r;
    assert_eq!(
        forgery(&trap(learned, wanted_r), wanted_r, without_h),
        Ok(())
    );

    let any_link = Link::new(SUITE, link.x(), any_h).expect("a link");
    let (learned, _) = sign(victim(), HARMLESS, Some(&any_link)).expect("a signature");
    assert_eq!(
        forgery_at_the_real_signer(&trap(learned.randomness, wanted_r), wanted_r),
        Err(VerifyError::BadSignature)
    );
}

/// A chain of one hop for which `X + N` still fits the encoding, encoded as `X + N`.
fn second_encoding() -> (ChainSignature, Vec<u8>) {
    let key = Key::of(victim());
    let limit = BigUint::from(1_u8) << 2048;
    let half = BigUint::from(1_u8) << 2047;
    for attempt in 0_u32..10_000 {
        let message = attempt.to_be_bytes().to_vec();
        let first = ChainSignature::first(victim(), &message).expect("a signature");
        let mut number = BigUint::from_bytes_be(first.link().x());
        if first.hops()[0].overflow {
            number += &half;
        }
        let again = number + &key.n;
        if again >= limit {
            continue;
        }
        let hop = Hop {
            overflow: again >= half,
            ..first.hops()[0]
        };
        let link = model::link(victim(), &(again % &half), first.link().h());
        return (
            ChainSignature::from_parts(link, vec![hop]).expect("one hop"),
            message,
        );
    }
    panic!("the modulus leaves no room for a second encoding");
}

#[test]
fn a_second_encoding_of_a_signature_passes_without_the_check_against_the_modulus() {
    let (again, message) = second_encoding();
    let key = Key::of(victim());
    let weak = Checks {
        canonical: false,
        ..ALL_CHECKS
    };
    let judge = |checks| model::verify(std::slice::from_ref(&key), &[&message], &again, checks);
    assert_eq!(judge(weak), Verdict::Good);
    assert_eq!(judge(ALL_CHECKS), Verdict::NonCanonical);
    let statement = Statement {
        key: victim().public(),
        message: &message,
    };
    assert_eq!(
        again.verify(&[statement]),
        Err(VerifyError::NonCanonical {
            hop: HopNumber::FIRST
        })
    );
}

/// No signer produces a number whose `y` has `K` bits. Without the check, verification continues with one bit dropped.
#[test]
fn a_number_without_a_legal_input_is_walked_through_without_the_check_of_its_range() {
    let (first, rest) = (secret_key(SUITE, 0), secret_key(SUITE, 1));
    let key = Key::of(rest);
    let half = BigUint::from(1_u8) << 2047;
    // A `y` above the limit, whose lower bits are those of an honest chain.
    let honest = ChainSignature::first(first, b"m").expect("a signature");
    let x = BigUint::from_bytes_be(honest.link().x());
    let found = (0_u8..64).find_map(|nonce| {
        let r = [nonce; 16];
        let hash = xor(honest.link().h(), &h(&key, b"n", &r, Some(&x)));
        let y: BigUint = (model::g(&key, &hash) ^ &x) + &half;
        (y < key.n).then(|| (r, hash, y.modpow(&key.d, &key.n)))
    });
    let (randomness, hash, number) = found.expect("a legal input above the limit");
    let hop = Hop {
        randomness,
        overflow: number >= half,
    };
    let link = model::link(rest, &(number % &half), &hash);
    let chain = ChainSignature::from_parts(link, vec![honest.hops()[0], hop]).expect("two hops");
    let weak = Checks {
        range: false,
        ..ALL_CHECKS
    };
    let keys = [Key::of(first), key];
    assert_eq!(
        model::verify(&keys, &[b"m", b"n"], &chain, weak),
        Verdict::Good
    );
    assert_eq!(
        model::verify(&keys, &[b"m", b"n"], &chain, ALL_CHECKS),
        Verdict::OutOfRange
    );
    assert_eq!(
        chain.verify(&common::statements(SUITE, &[b"m", b"n"])),
        Err(VerifyError::OutOfRange {
            hop: HopNumber::new(2).expect("a hop")
        })
    );
}

/// An `x` of `K` bits would make `y` leave the domain of the security proof, or exceed the modulus.
#[test]
fn a_signer_does_not_take_an_x_that_is_too_large() {
    let mut x = [0; 256];
    x[0] = 0x80;
    assert_eq!(
        Link::new(SUITE, &x, [0; 32]),
        Err(MalformedAggregate::TopBit)
    );
}

/// Without the presence byte, `BGR-V01-H` would hash the same bytes for a first signer and for a signer with an `x` of
/// zeros.
#[test]
fn a_first_hop_is_not_a_hop_after_zeros() {
    let (hop, link) = sign(victim(), b"m", None).expect("a signature");
    let zeros = Link::new(SUITE, &[0; 256], [0; 32]).expect("a link");
    let (other, next) = sign(victim(), b"m", Some(&zeros)).expect("a signature");
    assert_ne!(hop.randomness, other.randomness);
    assert_ne!(link.h(), next.h());
    // The second signer's statement is not valid as the first of a chain.
    let moved = ChainSignature::from_parts(next, vec![other]).expect("one hop");
    assert_eq!(
        moved.verify(&common::statements(SUITE, &[b"m"])),
        Err(VerifyError::BadSignature)
    );
}

/// Anyone can remove the last hop. This is a property of the scheme, and harmless only because messages name their
/// successor.
#[test]
fn a_shortened_chain_verifies_but_is_not_a_path() {
    let receiver = Party::named("validator");
    let fingerprint = |index| secret_key(SUITE, index).public().fingerprint();
    let said = |index: usize, to: Party| {
        Attestation {
            payload: sha256(b"payload"),
            hop: HopNumber::new(index + 1).expect("a hop"),
            from: match index {
                0 => Party::named("sender"),
                _ => fingerprint(index - 1).into(),
            },
            own: fingerprint(index),
            to,
            epoch: Epoch(1),
            expires: Time(100),
            fee: 3,
        }
        .to_bytes()
    };
    let messages = [
        said(0, fingerprint(1).into()),
        said(1, fingerprint(2).into()),
        said(2, receiver),
    ];
    let mut whole = Record::first(secret_key(SUITE, 0), &messages[0], Epoch(1)).expect("a record");
    for (index, message) in messages.iter().enumerate().skip(1) {
        whole = whole
            .append(secret_key(SUITE, index), message)
            .expect("a record");
    }
    let mut keys = Keyring::default();
    for index in 0..3 {
        keys.insert(secret_key(SUITE, index).public().clone(), Epoch(0));
    }
    let checked = whole.clone().check(&keys).expect("a good record");
    let path = checked.path(receiver, Time(50)).expect("a path");
    assert_eq!(path.fee(), Some(9));

    let shortened = whole.peel(secret_key(SUITE, 2).public()).expect("a chain");
    let shortened = shortened.expect("two hops are left");
    let checked: VerifiedRecord = shortened.check(&keys).expect("it verifies");
    assert_eq!(
        checked.path(receiver, Time(50)),
        Err(PathError::To {
            hop: HopNumber::new(2).expect("a hop")
        })
    );
}
