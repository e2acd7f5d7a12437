//! What a validator checks: votes and registrations, from bytes to verdict.

use codec::DecodeAll;
use criterion::Criterion;
use duet_benches::{
    fixtures::{registration, Registration, Round, GENESIS},
    rivals::{BlstMinSig, W3fBls},
};
use duet_primitives::{RoundMessage, UncheckedVote};
use sp_core::{bls381, proof_of_possession::ProofOfPossessionVerifier, Pair};
use std::hint::black_box;

/// One vote of a member whose key is known. `hash=once` has `H(m)` from the round, as a node does from the second
/// vote on; the rivals' interfaces hash the message each time, and `hash=each` does so too.
fn vote(criterion: &mut Criterion) {
    let round = Round::new(4);
    let (bytes, keyset) = (round.vote(), round.set.set.keyset());
    let key = round.first_secret().public();
    let check = |message: &RoundMessage| {
        let vote = UncheckedVote::decode_all(&mut &black_box(&bytes)[..]).expect("a vote");
        vote.check(keyset, message).is_ok()
    };
    assert!(check(&round.message));
    criterion.bench_function("vote::check/scheme=duet,hash=once", |bencher| {
        bencher.iter(|| check(&round.message))
    });
    criterion.bench_function("vote::check/scheme=duet,hash=each", |bencher| {
        bencher.iter(|| {
            check(&RoundMessage::new(
                GENESIS,
                round.message.commitment().clone(),
            ))
        })
    });

    let with_suite = round.signed_bytes();
    let message = round.message.commitment().signed_bytes(GENESIS);
    let signature = UncheckedVote::decode_all(&mut &bytes[..])
        .expect("a vote")
        .signature;
    let sigma = signature.sigma();

    let blst = BlstMinSig::new(&key);
    assert!(blst.check(&with_suite, sigma.as_ref()));
    criterion.bench_function("vote::check/scheme=blst_min_sig,hash=each", |bencher| {
        bencher.iter(|| blst.check(black_box(&with_suite), sigma.as_ref()))
    });

    let w3f = W3fBls::new(&key);
    assert!(w3f.check(&message, signature.as_ref()));
    criterion.bench_function("vote::check/scheme=w3f_bls_0.3,hash=each", |bencher| {
        bencher.iter(|| w3f.check(black_box(&message), signature.as_ref()))
    });
    assert!(w3f.check_with_table(&message, signature.as_ref()));
    criterion.bench_function(
        "vote::check/scheme=w3f_bls_0.3_table,hash=each",
        |bencher| bencher.iter(|| w3f.check_with_table(black_box(&message), signature.as_ref())),
    );

    let theirs = bls381::Signature::from_raw(signature.0);
    let public = bls381::Public::from_raw(key.0);
    let check = || bls381::Pair::verify(black_box(&theirs), &message, &public);
    assert!(check());
    criterion.bench_function("vote::check/scheme=sp_core_bls381,hash=each", |bencher| {
        bencher.iter(check)
    });
}

/// One registration, from the bytes of key and proof.
fn possession(criterion: &mut Criterion) {
    let Registration { key, owner, proof } = registration();
    let check = || black_box(key).check_possession(&owner, &proof).is_ok();
    assert!(check());
    criterion.bench_function("possession::check/scheme=duet", |bencher| {
        bencher.iter(check)
    });

    let (public, theirs) = (
        bls381::Public::from_raw(key.0),
        bls381::ProofOfPossession::from_raw(proof.0),
    );
    let check = || bls381::Pair::verify_proof_of_possession(&owner, black_box(&theirs), &public);
    assert!(check());
    criterion.bench_function("possession::check/scheme=sp_core_bls381", |bencher| {
        bencher.iter(check)
    });
}

/// What a validator makes once per round.
fn sign(criterion: &mut Criterion) {
    let round = Round::new(4);
    let (secret, message) = (
        round.first_secret(),
        round.message.commitment().signed_bytes(GENESIS),
    );
    criterion.bench_function("vote::sign/scheme=duet,hash=each", |bencher| {
        bencher.iter(|| secret.sign(black_box(&message)))
    });
    let seed = [7; 32];
    let pair = bls381::Pair::from_seed(&seed);
    criterion.bench_function("vote::sign/scheme=sp_core_bls381,hash=each", |bencher| {
        bencher.iter(|| pair.sign(black_box(&message)))
    });
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    vote(&mut criterion);
    possession(&mut criterion);
    sign(&mut criterion);
    criterion.final_summary();
}
