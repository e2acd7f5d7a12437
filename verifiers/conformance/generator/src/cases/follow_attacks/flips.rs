//! A flipped bit in the first and in the last byte of every part of every proof.

use super::collected::Attacks;
use crate::{
    cases::world::{from_checkpoint, from_genesis, justification, scenario, stateless},
    format::hexed,
};
use codec::{Decode, Encode};
use duet_light_client::{decode, HandoffProof, Mode, Received, StartProof, Trusted, Update};
use duet_primitives::{Pk1Bytes, SetId, StatelessProof, UncheckedJustification};
use serde_json::{json, Value};

/// Where the parts of a justification of a set of five are.
const JUSTIFICATION: [(&str, usize); 12] = [
    ("the block number", 4),
    ("the block hash", 32),
    ("the MMR root", 32),
    ("the set id", 8),
    ("the successor's id", 8),
    ("the successor's length", 4),
    ("the successor's root", 32),
    ("the successor's total", 48),
    ("the bitfield's length", 1),
    ("the bitfield", 1),
    ("the signature", 48),
    ("apk2", 96),
];

pub(super) fn add(attacks: &mut Attacks) {
    let chain = attacks.chain.clone();
    let genesis = from_genesis(&chain);
    let proof: StartProof = chain.genesis_proof();
    let full = Trusted::from_genesis(chain.genesis_hash, &proof, Mode::Full).expect("honest");
    let without_keys = full.clone().in_mode(Mode::Stateless);

    let bytes = justification(&chain, 5).encode();
    let flips = Flips {
        start: &genesis,
        mode: "full",
        form: "justification",
    };
    flips.add::<UncheckedJustification>(attacks, &bytes, &JUSTIFICATION, |bad| refuse(&full, bad));

    let keys = ("the keys", 5 * 48);
    let parts = [&JUSTIFICATION[..], &[("the number of keys", 1), keys]].concat();
    let bytes = chain.handoff_proofs(0, 1)[0].encode();
    let flips = Flips {
        form: "handoff",
        ..flips
    };
    flips.add::<HandoffProof>(attacks, &bytes, &parts, |bad| refuse(&full, bad));

    let whole = stateless(&chain, 5);
    let rest = [
        ("the number of non-signers", 1),
        ("a non-signer's key", 48),
        ("the number of hashes", 1),
        ("the hashes", whole.proof.encoded_size() - 1),
    ];
    let parts = [&JUSTIFICATION[..], &rest].concat();
    let flips = Flips {
        mode: "stateless",
        form: "stateless",
        ..flips
    };
    flips.add::<StatelessProof>(attacks, &whole.encode(), &parts, |bad| {
        refuse(&without_keys, bad)
    });

    let start = from_checkpoint(&chain.checkpoint(0));
    let trusted = Trusted::from_checkpoint(chain.checkpoint(0), Mode::Full).expect("honest");
    let bytes = chain.keys(0).expect("a set").encode();
    let flips = Flips {
        start: &start,
        mode: "full",
        form: "keys",
    };
    flips.add::<Vec<Pk1Bytes>>(
        attacks,
        &bytes,
        &[("the number of keys", 1), keys],
        |bad: Vec<Pk1Bytes>| {
            trusted
                .with_keys(SetId::new(0), &bad)
                .expect_err("a flipped bit")
                .rule()
        },
    );
    genesis_proof(attacks);
}

fn refuse(trusted: &Trusted, bad: impl Into<Update>) -> &'static str {
    trusted.verify(bad).expect_err("a flipped bit").rule()
}

/// One kind of object, and who gets it.
#[derive(Clone, Copy)]
struct Flips<'a> {
    start: &'a Value,
    mode: &'a str,
    form: &'a str,
}

impl Flips<'_> {
    fn add<T: Received + Decode>(
        &self,
        attacks: &mut Attacks,
        bytes: &[u8],
        parts: &[(&str, usize)],
        rule: impl Fn(T) -> &'static str,
    ) {
        for (id, flipped) in flipped(bytes, parts) {
            let rule = decode::<T>(&flipped).map_or_else(|error| error.rule(), &rule);
            let step = json!({ "form": self.form, "set": "0", "bytes": hexed(flipped) });
            let input = scenario(self.start, self.mode, vec![step]);
            let id = format!("{} with {id}", self.form);
            attacks.builder.breaks(rule, &id, "follow", input);
        }
    }
}

/// The lowest bit of the first and of the last byte of each part, and the highest of both.
fn flipped(bytes: &[u8], parts: &[(&str, usize)]) -> Vec<(String, Vec<u8>)> {
    let mut flipped = vec![];
    let mut start = 0;
    for (part, len) in parts {
        let places = if *len > 1 {
            vec![start, start + len - 1]
        } else {
            vec![start]
        };
        for at in places {
            for bit in [0x01, 0x80] {
                let mut bad = bytes.to_vec();
                bad[at] ^= bit;
                flipped.push((
                    format!("bit {bit:#04x} of byte {at} flipped, in {part}"),
                    bad,
                ));
            }
        }
        start += len;
    }
    assert_eq!(start, bytes.len(), "every part is there");
    flipped
}

fn genesis_proof(attacks: &mut Attacks) {
    let (hash, proof) = (attacks.chain.genesis_hash, attacks.chain.genesis_proof());
    let parts = [
        ("the header", proof.header.encoded_size()),
        ("the nodes", proof.nodes.encoded_size()),
        ("the number of keys", 1),
        ("the keys", proof.keys.len() * 48),
    ];
    for (id, flipped) in flipped(&proof.encode(), &parts) {
        let rule = decode::<StartProof>(&flipped)
            .and_then(|bad| Trusted::from_genesis(hash, &bad, Mode::Full))
            .expect_err("a flipped bit")
            .rule();
        let start = json!({ "genesis_hash": hexed(hash), "genesis_proof": hexed(flipped) });
        let input = scenario(&start, "full", vec![]);
        attacks
            .builder
            .breaks(rule, &format!("genesis proof with {id}"), "follow", input);
    }
}
