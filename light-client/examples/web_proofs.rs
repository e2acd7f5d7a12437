//! Proofs by a large set for `cargo xtask web --bench`, and how long they take here: JSON on standard output.
//!
//! Each proof is measured in both forms, alone and in batches of all; times are milliseconds for each proof. With the
//! argument `many`, there are many proofs by a small set instead, in the stateless form, and nothing is measured.

#![allow(
    clippy::expect_used,
    reason = "a program that measures ends when something fails"
)]

use codec::Encode;
use duet_light_client::{Checkpoint, Mode, Outcome, Trusted, Update};
use duet_primitives::{
    testing::TestSet, BlockNumber, Keysets, RoundMessage, SetId, StatelessProof, H256,
};
use std::{fmt::Write as _, time::Instant};

const MEMBERS: u32 = 1_000;
const PROOFS: u32 = 100;
const SAMPLES: usize = 21;
/// The members and proofs for `many`.
const FEW: u32 = 4;
const MANY: u32 = 1_000;

fn main() {
    let many = std::env::args().any(|argument| argument == "many");
    let (members, proofs) = if many { (FEW, MANY) } else { (MEMBERS, PROOFS) };
    let set = TestSet::new(0, 0..u64::from(members));
    let commitment = set.set.commitment().clone();
    let genesis_hash = H256::repeat_byte(1);
    let checkpoint = Checkpoint {
        genesis_hash,
        block_number: BlockNumber::ZERO,
        block_hash: genesis_hash,
        keysets: Keysets::without_successor(commitment),
    };
    let keys = set.set.keyset().key_bytes();
    let justified = (1..=proofs).map(|number| {
        let message = RoundMessage::new(genesis_hash, set.commitment(number, &set.set));
        set.justify(&message, 0..members)
    });
    let justified: Vec<_> = justified.collect();
    let stateless = justified
        .iter()
        .map(|proof| StatelessProof::new(proof, set.set.keyset()).expect("its set"));
    let stateless: Vec<Update> = stateless.map(Update::from).collect();
    let full: Vec<Update> = justified
        .into_iter()
        .map(|proof| proof.into_unchecked().into())
        .collect();
    if many {
        println!(
            "{{\"checkpoint\":\"{}\",\"genesisHash\":\"{}\",\"justifications\":[{}],\"proofs\":[{}]}}",
            hex(&checkpoint.encode()),
            hex(genesis_hash.as_bytes()),
            quoted(full.iter().map(bytes)),
            quoted(stateless.iter().map(bytes)),
        );
        return;
    }

    let with_keys = Trusted::from_checkpoint(checkpoint.clone(), Mode::Full).expect("a checkpoint");
    let with_keys = with_keys.with_keys(SetId::new(0), &keys).expect("its keys");
    let without =
        Trusted::from_checkpoint(checkpoint.clone(), Mode::Stateless).expect("a checkpoint");
    println!(
        "{{\"members\":{members},\"checkpoint\":\"{}\",\"keys\":\"{}\",\"commitment\":\"{}\",\"genesisHash\":\"{}\",\
         \"justification\":{},\"stateless\":{}}}",
        hex(&checkpoint.encode()),
        hex(&keys.encode()),
        hex(&checkpoint.keysets.current.encode()),
        hex(genesis_hash.as_bytes()),
        form(&with_keys, &full),
        form(&without, &stateless),
    );
}

/// The proofs of one form, and how long they take.
fn form(trusted: &Trusted, proofs: &[Update]) -> String {
    let one = samples(1, || {
        let proof = proofs.first().expect("there are some").clone();
        assert!(matches!(trusted.verify(proof), Ok(Outcome::New(_))));
    });
    let batch = samples(proofs.len(), || {
        assert_eq!(trusted.verify_prefix(proofs).len(), proofs.len());
    });
    format!(
        "{{\"proofs\":[{}],\"one\":{one:?},\"batch\":{batch:?}}}",
        quoted(proofs.iter().map(bytes))
    )
}

fn bytes(proof: &Update) -> Vec<u8> {
    match proof {
        Update::Justification(proof) => proof.encode(),
        Update::Handoff(proof) => proof.encode(),
        Update::Stateless(proof) => proof.encode(),
    }
}

/// The entries of a list in JSON.
fn quoted(all: impl Iterator<Item = Vec<u8>>) -> String {
    let quoted: Vec<_> = all.map(|bytes| format!("\"{}\"", hex(&bytes))).collect();
    quoted.join(",")
}

/// Milliseconds for each of `count`, once unmeasured and then measured.
fn samples(count: usize, mut run: impl FnMut()) -> Vec<f64> {
    run();
    let count = f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    let mut sample = || {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64() * 1e3 / count
    };
    (0..SAMPLES).map(|_| sample()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold("0x".to_owned(), |mut text, byte| {
        // Writing into a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
