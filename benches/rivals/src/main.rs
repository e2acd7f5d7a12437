//! One vote of a round of 1 000 and one certificate of 1 000 signers, from received bytes to a verdict, beside the crates
//! that others publish for the same job. One thread, one process, every row measured in turns with all others.
//!
//! Rows of blst and w3f-bls are those of `duet-benches`, whose sources this program includes. It adds rivals that must
//! stay out of the lock file of the project.

mod alpenglow;
mod ecdsa;
#[path = "../../src/fixtures.rs"]
#[allow(dead_code)]
mod fixtures;
#[path = "../../src/rivals/blst.rs"]
#[allow(dead_code)]
mod of_blst;
mod table;
#[path = "../../src/rivals/w3f.rs"]
#[allow(dead_code)]
mod w3f;

use alpenglow::AlpenglowVotes;
use duet_curve::Arithmetic;
use duet_primitives::{SignerIndex, UncheckedVote};
use ecdsa::EcdsaVotes;
use fixtures::{
    decode_justification, decode_vote, share, spread, two_proofs, Newcomer, NonSigners, Round,
    GENESIS,
};
use of_blst::{BlstBatch, BlstMinPkAggregate, BlstMinSig, BlstMinSigAggregate, Threads};
use std::{num::NonZeroUsize, rc::Rc};
use table::{measure, Row};
use w3f::{W3fAggregate, W3fVote};
use w3f_bls::TinyBLS381;

/// Validators.
const N: u32 = 1_000;

fn main() {
    let passes = std::env::args()
        .nth(1)
        .and_then(|passes| passes.parse().ok());
    let passes = passes.unwrap_or(15);
    let round = Round::of(N);
    let others = Rc::new(AlpenglowVotes::new(N, &round.message_bytes()));
    println!("Duet with {}. {passes} passes.", Arithmetic::current());
    measure(
        "One vote of a round of 1 000",
        passes,
        votes(round, &others),
    );
    for percent in [67, 100] {
        let signers = share(N, percent);
        let title = format!("A certificate of 1 000 validators, {signers} signers");
        measure(&title, passes, certificates(round, percent, &others));
    }
}

fn votes(round: &'static Round, others: &Rc<AlpenglowVotes>) -> Vec<Row> {
    let ecdsa = Rc::new(EcdsaVotes::new(N, &round.message_bytes()));
    let (for_recovery, for_keys) = (ecdsa.clone(), ecdsa);
    let (together, alone) = (others.clone(), others.clone());
    let signed = round.signed_bytes();
    let sigma = decode_vote(&round.votes()[0]).signature.sigma();
    let blst = BlstMinSig::new(&round.set.secrets[0].public(), &signed);
    let (batch, of_batch) = (BlstBatch::new(round), signed.clone());
    let w3f = W3fVote::<TinyBLS381>::new(&round.message_bytes());
    let (message, mut next, mut at) = (round.message(), 0, 0);
    vec![
        Row::new("Duet, batched, each with its verdict", N, || {
            all_hold(round)
        }),
        Row::new("Duet, alone", 1, move || {
            next = (next + 1) % round.votes().len();
            let vote = decode_vote(&round.votes()[next]);
            vote.check(round.keyset(), &message).is_ok()
        }),
        Row::new("libsecp256k1, recovered as by BEEFY", N, move || {
            for_recovery.recover()
        }),
        Row::new(
            "libsecp256k1, verified with keys that are read",
            N,
            move || for_keys.verify(),
        ),
        Row::new("Alpenglow, one aggregate, no verdicts", N, move || {
            together.check_together()
        }),
        Row::new("Alpenglow, alone, message prepared", 1, move || {
            at += 1;
            alone.check_one(at)
        }),
        Row::new(
            "blst `min_sig`, batched with 64-bit weights",
            N,
            move || batch.check(&of_batch, Threads::One),
        ),
        Row::new("blst `min_sig`, alone", 1, move || {
            blst.check(&signed, sigma.as_ref())
        }),
        Row::new("w3f-bls, alone, with its table", 1, move || {
            w3f.check_with_table()
        }),
    ]
}

/// Whether all votes of a round hold; the message and its tables are made anew.
fn all_hold(round: &Round) -> bool {
    let votes = round
        .votes()
        .iter()
        .map(|bytes| decode_vote(bytes))
        .collect();
    let message = round.message();
    let verdicts = UncheckedVote::check_all(votes, round.keyset(), &message, NonZeroUsize::MIN);
    verdicts.iter().all(Result::is_ok)
}

fn certificates(round: &'static Round, percent: u32, others: &Rc<AlpenglowVotes>) -> Vec<Row> {
    let signers: Vec<SignerIndex> = spread(N, share(N, percent));
    let message = round.signed_bytes();
    let mut in_turn = two_proofs(round, percent, NonSigners::Others)
        .into_iter()
        .cycle();
    let mut newcomer = Newcomer::new(round, percent);
    let min_pk = BlstMinPkAggregate::new(round, &signers, &message);
    let min_sig = BlstMinSigAggregate::new(round, &signers);
    let (of_pk, of_sig) = (message.clone(), message);
    let w3f = W3fAggregate::<TinyBLS381>::new(share(N, percent), &round.message_bytes());
    let (others, count) = (others.clone(), signers.len());
    let certificate = others.certificate(count);
    vec![
        Row::new("Duet", 1, move || {
            let bytes = in_turn.next().expect("there are two; qed");
            let proof = decode_justification(&bytes);
            proof.check(newcomer.keyset(), GENESIS).is_ok()
        }),
        Row::new("Alpenglow", 1, move || {
            others.check_certificate(count, &certificate)
        }),
        Row::new("blst `min_pk`, fast_aggregate_verify", 1, move || {
            min_pk.check(&of_pk)
        }),
        Row::new("blst `min_sig`, fast_aggregate_verify", 1, move || {
            min_sig.check(&of_sig)
        }),
        Row::new("w3f-bls with apk1 and apk2", 1, move || {
            w3f.check_with_apk2()
        }),
    ]
}
