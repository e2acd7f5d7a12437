//! A light client's checks: finality proofs without the set's keys, and many proofs at once.

use codec::{DecodeAll, Encode};
use duet_benches::{
    fixtures::{decode_justification, hold_together, share, spread, Round, GENESIS},
    harness::{Harness, Pace, Scale},
};
use duet_primitives::{check_stateless, StatelessProof};
use std::hint::black_box;

/// Finality proofs that carry the keys of the non-signers.
fn stateless(harness: &mut Harness) {
    for n in harness.set_sizes() {
        for percent in [67, 95, 100] {
            harness.measure(
                &format!("stateless::check/n={n},signed={percent}%,scheme=duet"),
                Pace::Fast,
                || {
                    let round = Round::of(*n);
                    let bytes = round.stateless(&spread(*n, share(*n, percent))).encode();
                    let set = round.set.set.commitment();
                    move || {
                        let proof = StatelessProof::decode_all(&mut &black_box(&bytes)[..]);
                        proof.is_ok_and(|proof| check_stateless(proof, set, GENESIS).is_ok())
                    }
                },
            );
        }
    }
}

/// Members of the sets whose proofs are checked in bulk.
const MEMBERS: u32 = 100;

/// The proofs of one session after another.
fn sync(harness: &mut Harness) {
    let sessions: &[u32] = match harness.scale() {
        Scale::Quick => &[1, 10, 100],
        Scale::Full | Scale::Large => &[1, 10, 100, 1000],
    };
    for sessions in sessions {
        let name = |way: &str| {
            format!("justification::sync/sessions={sessions},n={MEMBERS},signed=67%,scheme=duet,way={way}")
        };
        let inputs = || {
            let round = Round::of(MEMBERS);
            let proofs: Vec<_> = round
                .history(*sessions, 67)
                .iter()
                .map(Encode::encode)
                .collect();
            (round.keyset(), proofs)
        };
        harness.measure(&name("one_by_one"), Pace::Slow, || {
            let (keyset, proofs) = inputs();
            move || {
                proofs.iter().all(|bytes| {
                    let proof = decode_justification(black_box(bytes));
                    proof.check(keyset, GENESIS).is_ok()
                })
            }
        });
        harness.measure(&name("together"), Pace::Slow, || {
            let (keyset, proofs) = inputs();
            move || hold_together(black_box(&proofs), keyset)
        });
    }
}

fn main() {
    let mut harness = Harness::from_environment();
    stateless(&mut harness);
    sync(&mut harness);
}
