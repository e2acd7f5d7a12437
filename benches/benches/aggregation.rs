//! From votes to a finality proof, and from its bytes to a verdict with the set's keys at hand.

use duet_benches::{
    fixtures::{
        decode_justification, decode_vote, regular, share, spread, two_proofs, Newcomer,
        NonSigners, Round, GENESIS,
    },
    harness::{Harness, Pace, Scale},
    rivals::{BlstMinPkAggregate, BlstMinSigAggregate, BlstSignatures, Ecdsa, W3fAggregate},
};
use duet_primitives::Keyset;
use std::{hint::black_box, num::NonZeroUsize};
use w3f_bls::{TinyBLS377, TinyBLS381};

const PERCENTAGES: [u32; 3] = [67, 95, 100];

fn pace(n: u32) -> Pace {
    if n < 1000 {
        Pace::Fast
    } else {
        Pace::Slow
    }
}

/// Votes become one proof.
fn aggregation(harness: &mut Harness) {
    for n in harness.set_sizes() {
        let signers = || spread(*n, share(*n, 67));
        let name = |scheme: &str| format!("keyset::aggregate/n={n},signed=67%,scheme={scheme}");
        harness.measure(&name("duet"), pace(*n), || {
            let round = Round::of(*n);
            let (message, votes) = (round.message(), round.checked_votes(&signers()));
            move || round.set.set.aggregate(&message, black_box(&votes)).is_ok()
        });
        // From received bytes to a checked proof, without a verdict on each vote.
        harness.measure(
            &format!("keyset::aggregate_unchecked/n={n},signed=67%,scheme=duet"),
            pace(*n),
            || {
                let round = Round::of(*n);
                let all = round.votes();
                let votes: Vec<_> = signers().iter().map(|at| &all[at.get() as usize]).collect();
                move || {
                    let votes = votes.iter().map(|bytes| decode_vote(bytes)).collect();
                    let message = round.message();
                    let set = &round.set.set;
                    let found = set.aggregate_unchecked(&message, votes, NonZeroUsize::MIN);
                    found.refused.is_empty() && found.justification.is_ok()
                }
            },
        );
        harness.measure(&name("blst_min_sig"), pace(*n), || {
            let signatures = BlstSignatures::new(Round::of(*n), &signers());
            move || black_box(&signatures).aggregate()
        });
    }
}

/// Finality proofs by a share of the set.
fn justifications(harness: &mut Harness) {
    for n in harness.set_sizes() {
        for percent in PERCENTAGES {
            let signers = || spread(*n, share(*n, percent));
            let name = |scheme: &str| {
                format!("justification::check/n={n},signed={percent}%,scheme={scheme}")
            };
            harness.measure(&name("duet"), Pace::Fast, || {
                let round = Round::of(*n);
                let mut in_turn = two_proofs(round, percent, NonSigners::Others)
                    .into_iter()
                    .cycle();
                let mut newcomer = Newcomer::new(round, percent);
                move || {
                    let proof =
                        decode_justification(black_box(&in_turn.next().expect("there are two")));
                    proof.check(newcomer.keyset(), GENESIS).is_ok()
                }
            });
            if percent < 100 {
                harness.measure(&name("duet,sums=cached"), Pace::Fast, || {
                    let round = Round::of(*n);
                    let proofs = two_proofs(round, percent, NonSigners::Others);
                    let keyset = regular(round, &proofs);
                    let mut in_turn = proofs.into_iter().cycle();
                    move || {
                        let proof = decode_justification(black_box(
                            &in_turn.next().expect("there are two"),
                        ));
                        proof.check(&keyset, GENESIS).is_ok()
                    }
                });
                harness.measure(&name("duet,non_signers=steady"), Pace::Fast, || {
                    let round = Round::of(*n);
                    let mut in_turn = two_proofs(round, percent, NonSigners::Steady)
                        .into_iter()
                        .cycle();
                    let mut newcomer = Newcomer::new(round, percent);
                    move || {
                        let proof = decode_justification(black_box(
                            &in_turn.next().expect("there are two"),
                        ));
                        proof.check(newcomer.keyset(), GENESIS).is_ok()
                    }
                });
            }
            harness.measure(&name("blst_min_pk"), pace(*n), || {
                let round = Round::of(*n);
                let message = round.signed_bytes();
                let blst = BlstMinPkAggregate::new(round, &signers(), &message);
                move || blst.check(black_box(&message))
            });
            harness.measure(&name("blst_min_sig"), pace(*n), || {
                let round = Round::of(*n);
                let message = round.signed_bytes();
                let blst = BlstMinSigAggregate::new(round, &signers());
                move || blst.check(black_box(&message))
            });
        }
        harness.measure(
            &format!("justification::check/n={n},signed=67%,scheme=sp_core_ecdsa"),
            pace(*n),
            || {
                let message = Round::of(10).message_bytes();
                let ecdsa = Ecdsa::new(share(*n, 67), &message);
                move || ecdsa.check(black_box(&message))
            },
        );
    }
}

/// The paper authors' code: the paper's scheme, and the classic one for comparison.
fn w3f(harness: &mut Harness) {
    let shares: &[(u32, u32)] = match harness.scale() {
        Scale::Quick => &[(1000, 100)],
        Scale::Full | Scale::Large => &[
            (1000, 67),
            (1000, 95),
            (1000, 100),
            (10_000, 67),
            (10_000, 95),
            (10_000, 100),
        ],
    };
    macro_rules! measure {
        ($curve:literal, $engine:ty, $n:expr, $percent:expr) => {
            let (n, percent) = ($n, $percent);
            let made =
                || W3fAggregate::<$engine>::new(share(n, percent), &Round::of(10).message_bytes());
            let name = |way: &str| {
                let scheme = format!("w3f_bls_{}_{way}", $curve);
                format!("justification::check/n={n},signed={percent}%,scheme={scheme}")
            };
            harness.measure(&name("apk2"), pace(n), || {
                let aggregate = made();
                move || aggregate.check_with_apk2()
            });
            harness.measure(&name("classic"), pace(n), || {
                let aggregate = made();
                move || aggregate.check_classic()
            });
        };
    }
    for (n, percent) in shares {
        measure!("381", TinyBLS381, *n, *percent);
        if *percent == 100 {
            measure!("377", TinyBLS377, *n, *percent);
        }
    }
}

/// The keys of a new set against its commitment, once per change of the set.
fn keysets(harness: &mut Harness) {
    for n in harness.set_sizes() {
        harness.measure(
            &format!("keyset::check/n={n},scheme=duet"),
            pace(*n),
            || {
                let keyset = Round::of(*n).keyset();
                let (commitment, keys) = (keyset.commitment(), keyset.key_bytes());
                move || Keyset::check(commitment, black_box(&keys)).is_ok()
            },
        );
    }
}

fn main() {
    let mut harness = Harness::from_environment();
    aggregation(&mut harness);
    justifications(&mut harness);
    w3f(&mut harness);
    keysets(&mut harness);
}
