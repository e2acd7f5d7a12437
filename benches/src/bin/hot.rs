//! Runs one operation for callgrind: `hot <operation>`. The names are those of `tests/instructions.rs`.

use codec::{DecodeAll, Encode};
use duet_benches::fixtures::{
    decode_justification, decode_vote, hold_together, registration, share, spread, two_proofs,
    NonSigners, Round, GENESIS,
};
use duet_curve::{Blst, Encodings, Groups, Hashing, Pairings};
use duet_primitives::{
    check_stateless, suite, RoundMessage, SignerIndex, StatelessProof, UncheckedVote,
};
use std::{hint::black_box, num::NonZeroUsize};

/// Counting starts here, and the process ends here, so that nothing else is counted.
#[inline(never)]
fn counted(work: &mut dyn FnMut() -> bool) -> ! {
    let status = i32::from(!black_box(work()));
    std::process::exit(status)
}

/// Members of the set: few, because valgrind is slow; the tables are those of a set of 1 000 all the same.
const MEMBERS: u32 = 64;
const AS_OF: u32 = 1000;
/// Justifications that are checked together.
const PROOFS: u32 = 16;

/// A message with the tables that it has in a round of [`AS_OF`] votes.
fn message(round: &Round) -> RoundMessage {
    // The digits of its hash are those of the counts that are kept.
    let mut commitment = round.commitment.clone();
    commitment.next.len = AS_OF;
    RoundMessage::new(GENESIS, commitment).expecting(AS_OF)
}

/// Twice as a warm-up, since tables are made on the second use, and then counted.
fn run(mut work: impl FnMut() -> bool) -> ! {
    if work() && work() {
        counted(&mut work);
    }
    eprintln!("the operation failed");
    std::process::exit(1)
}

fn vote() -> ! {
    let round = Round::new(MEMBERS);
    let message = message(&round);
    let bytes = UncheckedVote::sign(&round.set.secrets[0], SignerIndex::new(0), &message).encode();
    run(|| {
        decode_vote(black_box(&bytes))
            .check(round.keyset(), &message)
            .is_ok()
    })
}

fn votes() -> ! {
    let round = Round::new(MEMBERS);
    let message = message(&round);
    let sign = |(signer, secret)| UncheckedVote::sign(secret, signer, &message).encode();
    let votes: Vec<_> = (0..)
        .map(SignerIndex::new)
        .zip(&round.set.secrets)
        .map(sign)
        .collect();
    run(|| {
        let votes = votes.iter().map(|bytes| decode_vote(bytes)).collect();
        UncheckedVote::check_all(votes, round.keyset(), &message, NonZeroUsize::MIN)
            .iter()
            .all(Result::is_ok)
    })
}

fn justification(percent: u32) -> ! {
    let round = Round::new(MEMBERS);
    let proofs = two_proofs(&round, percent, NonSigners::Others);
    let mut in_turn = proofs.iter().cycle();
    run(|| {
        let bytes = in_turn.next().expect("there are two; qed");
        decode_justification(black_box(bytes))
            .check(round.keyset(), GENESIS)
            .is_ok()
    })
}

fn justifications() -> ! {
    let round = Round::new(MEMBERS);
    let proofs: Vec<_> = round
        .history(PROOFS, 67)
        .iter()
        .map(Encode::encode)
        .collect();
    run(|| hold_together(black_box(&proofs), round.keyset()))
}

fn stateless() -> ! {
    let round = Round::new(MEMBERS);
    let bytes = round
        .stateless(&spread(MEMBERS, share(MEMBERS, 67)))
        .encode();
    run(|| {
        StatelessProof::decode_all(&mut &bytes[..])
            .is_ok_and(|proof| check_stateless(proof, round.set.set.commitment(), GENESIS).is_ok())
    })
}

fn possession() -> ! {
    let made = registration();
    run(|| made.key.check_possession(&made.owner, &made.proof).is_ok())
}

fn sign() -> ! {
    let secret = duet_primitives::testing::secret(0);
    run(|| secret.sign(black_box(b"message")).0 != [0; 112])
}

/// A part of the others, done with blst alone.
fn part(operation: &str) -> ! {
    let key = duet_primitives::testing::secret(0).public();
    let (g1, g2) = (Blst::g1_generator(), Blst::g2_generator());
    let point = Blst::g1_from_bytes(&key.pk1().0).expect("a key");
    match operation {
        "decompress_g1" => run(|| Blst::g1_from_stored_unchecked(&black_box(key).pk1().0).is_ok()),
        "decompress_g2" => run(|| Blst::g2_from_stored_unchecked(&black_box(key).pk2().0).is_ok()),
        "decode_g1" => run(|| Blst::g1_from_bytes(&black_box(key).pk1().0).is_ok()),
        "hash_to_g1" => {
            run(|| Blst::hash_to_g1(suite::HASH_TO_CURVE_DST, black_box(b"message")) != g1)
        }
        "two_pairings" => {
            run(|| Blst::equation_holds(black_box(&point), &[(&point, &Blst::g2_prepare(&g2))]))
        }
        other => {
            eprintln!("unknown operation: {other:?}");
            std::process::exit(1)
        }
    }
}

fn main() {
    let operation = std::env::args().nth(1).unwrap_or_default();
    match operation.as_str() {
        "vote::check" => vote(),
        "vote::check_all/n=64" => votes(),
        "vote::sign" => sign(),
        "justification::check/n=64,signed=100%" => justification(100),
        "justification::check/n=64,signed=67%" => justification(67),
        "justification::sync/sessions=16,n=64,signed=67%" => justifications(),
        "stateless::check/n=64,signed=67%" => stateless(),
        "possession::check" => possession(),
        other => part(other.strip_prefix("curve::").unwrap_or(other)),
    }
}
