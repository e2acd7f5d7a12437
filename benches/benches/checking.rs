//! A validator's checks: votes and registrations, from bytes to verdict.

use duet_benches::{
    fixtures::{decode_vote, registration, registration_of, Registration, Round},
    harness::{Harness, Pace, Scale},
    rivals::{Arkworks, BlstBatch, BlstMinPk, BlstMinSig, Ecdsa, Threads, W3fVote},
};
use duet_curve::Arithmetic;
use duet_primitives::{DualKeyBytes, RoundMessage, UncheckedVote};
use sp_core::{bls381, proof_of_possession::ProofOfPossessionVerifier, Pair};
use std::{hint::black_box, num::NonZeroUsize};
use w3f_bls::{TinyBLS377, TinyBLS381};

/// One vote at a time, of one member after another, so that each comes with tables that are not in the cache.
/// `hash=once` has `H(m)` and its tables from the round, as a node does from the second vote on.
fn votes(harness: &mut Harness) {
    for n in harness.set_sizes() {
        harness.measure(
            &format!("vote::check/n={n},scheme=duet,hash=once"),
            Pace::Fast,
            || {
                let round = Round::of(*n);
                let message = round.message();
                let check = move |bytes: &Vec<u8>| {
                    decode_vote(black_box(bytes))
                        .check(round.keyset(), &message)
                        .is_ok()
                };
                // Twice, so that every key and the message have their tables.
                assert!(round.votes().iter().chain(round.votes()).all(&check));
                let mut votes = round.votes().iter().cycle();
                move || votes.next().is_some_and(&check)
            },
        );
    }
    harness.measure(
        "vote::check/n=1000,scheme=duet,hash=each",
        Pace::Fast,
        || {
            let round = Round::of(1000);
            let check = |bytes: &Vec<u8>| {
                decode_vote(black_box(bytes))
                    .check(round.keyset(), &round.message())
                    .is_ok()
            };
            assert!(round.votes().iter().chain(round.votes()).all(check));
            let mut votes = round.votes().iter().cycle();
            move || votes.next().is_some_and(check)
        },
    );
}

/// The same bytes by blst, arkworks and the SDK.
fn vote_rivals(harness: &mut Harness) {
    struct Input {
        round: &'static Round,
        sigma: [u8; 48],
        signed: Vec<u8>,
    }
    let input = || {
        let round = Round::of(10);
        Input {
            sigma: decode_vote(&round.votes()[0]).signature.sigma().0,
            signed: round.signed_bytes(),
            round,
        }
    };
    let key = |input: &Input| input.round.set.secrets[0].public();
    harness.measure(
        "vote::check/scheme=blst_min_sig,hash=each",
        Pace::Fast,
        || {
            let input = input();
            let blst = BlstMinSig::new(&key(&input), &input.signed);
            move || blst.check(black_box(&input.signed), &input.sigma)
        },
    );
    harness.measure(
        "vote::check/scheme=blst_min_sig,hash=once",
        Pace::Fast,
        || {
            let input = input();
            let blst = BlstMinSig::new(&key(&input), &input.signed);
            move || blst.check_hashed(black_box(&input.sigma))
        },
    );
    harness.measure(
        "vote::check/scheme=blst_min_pk,hash=each",
        Pace::Fast,
        || {
            let input = input();
            let blst = BlstMinPk::new(&input.round.set.secrets[0], &input.signed);
            move || blst.check(black_box(&input.signed))
        },
    );
    harness.measure(
        "vote::check/scheme=arkworks_381,hash=each",
        Pace::Fast,
        || {
            let input = input();
            let arkworks = Arkworks::new(&key(&input));
            move || arkworks.check(black_box(&input.signed), &input.sigma)
        },
    );
    harness.measure(
        "vote::check/scheme=sp_core_bls381,hash=each",
        Pace::Fast,
        || {
            let input = input();
            let message = input.round.message_bytes();
            let signature = decode_vote(&input.round.votes()[0]).signature;
            let theirs = bls381::Signature::from_raw(signature.0);
            let public = bls381::Public::from_raw(key(&input).0);
            move || bls381::Pair::verify(black_box(&theirs), &message, &public)
        },
    );
    harness.measure(
        "vote::check/scheme=sp_core_ecdsa,hash=each",
        Pace::Fast,
        || {
            let message = Round::of(10).message_bytes();
            let ecdsa = Ecdsa::new(1, &message);
            move || ecdsa.check(black_box(&message))
        },
    );
}

/// The paper authors' code, on the curve of the paper's tables and on ours.
fn vote_w3f(harness: &mut Harness) {
    macro_rules! measure {
        ($curve:literal, $engine:ty) => {
            let vote = || W3fVote::<$engine>::new(&Round::of(10).message_bytes());
            let name = |way: &str| format!("vote::check/scheme=w3f_bls_{}{way},hash=each", $curve);
            harness.measure(&name(""), Pace::Fast, || {
                let vote = vote();
                move || vote.check()
            });
            harness.measure(&name("_table"), Pace::Fast, || {
                let vote = vote();
                move || vote.check_with_table()
            });
            harness.measure(&name("_pairing"), Pace::Fast, || {
                let vote = vote();
                move || vote.check_with_pairing()
            });
        };
    }
    measure!("381", TinyBLS381);
    measure!("377", TinyBLS377);
}

/// All votes of a round at once: the round's message is hashed and gets its tables inside of the measurement, the
/// tables of the keys are there.
fn rounds(harness: &mut Harness) {
    for n in harness.set_sizes() {
        for threads in [1, 2] {
            let threads = NonZeroUsize::new(threads).expect("not zero");
            let name = format!("vote::check_all/n={n},threads={threads},scheme=duet");
            harness.measure(&name, Pace::Slow, || a_round(*n, threads));
        }
    }
    // On a message that strangers chose, for which nobody has tables.
    let name = "vote::check_all/n=1000,threads=1,scheme=duet,message=unexpected";
    harness.measure(name, Pace::Slow, || {
        a_round_on(1000, NonZeroUsize::MIN, Round::unexpected_message)
    });
    let fastest = Arithmetic::current();
    for arithmetic in Arithmetic::supported() {
        let key = match arithmetic {
            Arithmetic::Portable => "portable",
            Arithmetic::Avx512 => "avx512",
            Arithmetic::Avx512Ifma => "avx512ifma",
        };
        arithmetic.choose().expect("the processor can; qed");
        let name = format!("vote::check_all/n=1000,threads=1,scheme=duet,arithmetic={key}");
        harness.measure(&name, Pace::Slow, || a_round(1000, NonZeroUsize::MIN));
    }
    fastest.choose().expect("it was in use; qed");
    let batches: &[u32] = match harness.scale() {
        Scale::Quick => &[100],
        Scale::Full | Scale::Large => &[100, 1000],
    };
    for n in batches {
        for (threads, division) in [("1", Threads::One), ("all", Threads::All)] {
            harness.measure(
                &format!("vote::check_all/n={n},threads={threads},scheme=blst_min_sig_batch"),
                Pace::Slow,
                || {
                    let round = Round::of(*n);
                    let (batch, message) = (BlstBatch::new(round), round.signed_bytes());
                    move || batch.check(black_box(&message), division)
                },
            );
        }
    }
}

fn a_round(n: u32, threads: NonZeroUsize) -> impl FnMut() -> bool {
    a_round_on(n, threads, Round::message)
}

fn a_round_on(
    n: u32,
    threads: NonZeroUsize,
    message: fn(&Round) -> RoundMessage,
) -> impl FnMut() -> bool {
    let round = Round::of(n);
    let check = move || {
        let votes = round
            .votes()
            .iter()
            .map(|bytes| decode_vote(bytes))
            .collect();
        let message = message(round);
        UncheckedVote::check_all(votes, round.keyset(), &message, threads)
            .iter()
            .all(Result::is_ok)
    };
    assert!(check());
    check
}

/// One registration, from the bytes of key and proof.
fn possession(harness: &mut Harness) {
    harness.measure("possession::check/scheme=duet", Pace::Fast, || {
        let Registration { key, owner, proof } = registration();
        move || black_box(key).check_possession(&owner, &proof).is_ok()
    });
    harness.measure(
        "possession::check/scheme=sp_core_bls381",
        Pace::Fast,
        || {
            let Registration { key, owner, proof } = registration();
            let public = bls381::Public::from_raw(key.0);
            let theirs = bls381::ProofOfPossession::from_raw(proof.0);
            move || bls381::Pair::verify_proof_of_possession(&owner, black_box(&theirs), &public)
        },
    );
}

/// Many registrations at once, as a genesis has them.
fn possessions(harness: &mut Harness) {
    harness.measure(
        "possession::check_all/n=100,scheme=duet",
        Pace::Slow,
        || {
            let made: Vec<_> = (0..100).map(registration_of).collect();
            move || {
                let registrations: Vec<_> = made
                    .iter()
                    .map(|Registration { key, owner, proof }| (*key, owner.as_slice(), *proof))
                    .collect();
                DualKeyBytes::check_possession_all(black_box(&registrations))
                    .iter()
                    .all(Result::is_ok)
            }
        },
    );
}

/// A validator's signature, made once per round.
fn sign(harness: &mut Harness) {
    harness.measure("vote::sign/scheme=duet,hash=each", Pace::Fast, || {
        let round = Round::of(10);
        let message = round.message_bytes();
        move || round.set.secrets[0].sign(black_box(&message)).0 != [0; 112]
    });
    harness.measure(
        "vote::sign/scheme=sp_core_bls381,hash=each",
        Pace::Fast,
        || {
            let message = Round::of(10).message_bytes();
            let pair = bls381::Pair::from_seed(&[7; 32]);
            move || !pair.sign(black_box(&message)).0.is_empty()
        },
    );
}

fn main() {
    let mut harness = Harness::from_environment();
    votes(&mut harness);
    vote_rivals(&mut harness);
    vote_w3f(&mut harness);
    rounds(&mut harness);
    possession(&mut harness);
    possessions(&mut harness);
    sign(&mut harness);
}
