//! Known answers that no verdict depends on: hashes to the curve and to scalars, weights, signatures. (MSG-1, MSG-2, DLEQ-1,
//! DLEQ-3, JUST-6)

use super::builder::{scale, Builder};
use crate::format::{hexed, File};
use duet_primitives::{testing::TestSet, H256};
use serde_json::json;

pub(super) fn file() -> File {
    let mut builder = Builder::new(
        "hashes",
        "Known answers: hashes to the curve and to scalars, what is signed and how, the weights of many proofs.",
    );
    let messages: [(&str, &[u8]); 3] = [
        ("nothing", b""),
        ("three bytes", b"abc"),
        ("200 bytes", &[7; 200]),
    ];
    for suite in ["ordinary", "possession"] {
        for (name, message) in messages {
            let input = json!({ "suite": suite, "message": hexed(message) });
            builder.holds(&format!("{name}, {suite} suite"), "message_point", input);
        }
    }
    scalars(&mut builder);
    for count in [1_u8, 2, 3, 10] {
        let digests: Vec<_> = (1..=count).map(|byte| hexed([byte; 32])).collect();
        let id = format!("weights of {count}");
        builder.holds(&id, "weights", json!({ "digests": digests }));
    }
    signing(&mut builder);
    builder.file()
}

fn scalars(builder: &mut Builder) {
    let patterned = [vec![1; 48], vec![2; 96], vec![3; 48], vec![4; 48]];
    let parts: [(&str, Vec<Vec<u8>>); 4] = [
        ("patterned fields", patterned.to_vec()),
        ("the same in one part", vec![patterned.concat()]),
        ("nothing", vec![]),
        ("a seed", vec![vec![1; 32]]),
    ];
    for (name, parts) in parts {
        let parts: Vec<_> = parts.iter().map(hexed).collect();
        builder.holds(
            &format!("scalar of {name}"),
            "scalar_hash",
            json!({ "parts": parts }),
        );
    }
}

fn signing(builder: &mut Builder) {
    let set = TestSet::new(0, 0..4);
    for (name, block, genesis) in [
        ("a block", 10, 1),
        ("another chain", 10, 2),
        ("another block", 11, 1),
    ] {
        let commitment = set.commitment(block, &set.set);
        let genesis_hash = hexed(H256::repeat_byte(genesis));
        let input = json!({ "genesis_hash": genesis_hash, "commitment": scale(&commitment) });
        builder.holds(
            &format!("what is signed of {name}"),
            "signed_message",
            input,
        );
        for seed in [1_u8, 2] {
            let input = json!({
                "seed": hexed([seed; 32]),
                "genesis_hash": genesis_hash,
                "commitment": scale(&commitment),
            });
            builder.holds(
                &format!("signature with seed {seed} of {name}"),
                "signing",
                input,
            );
        }
    }
}
