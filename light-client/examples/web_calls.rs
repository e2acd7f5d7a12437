//! What honest nodes answer about a chain with a runtime in its state, for the tests of calls in JavaScript: JSON on
//! standard output.
//!
//!     cargo run -p duet-light-client --features testing --example web_calls > verifiers/web/light-client/test/calls.json
//!
//! Blocks 2, 3 and 4 have proofs. Block 3 has another fee than block 2, and block 4 another runtime. The recording
//! has all trie nodes of their states by their hashes: the server in the tests makes the proofs. To measure, name the
//! file of another runtime.

#![allow(
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    reason = "a program that makes test data ends when something fails"
)]

#[path = "web/chain.rs"]
mod chain;
mod web;

use chain::{runtime, Block, Recording};
use codec::{Compact, Encode};
use duet_primitives::{suite::KEYSETS_STORAGE_KEY, Keysets};

const NEWEST: u32 = 4;
const HEADS: [u32; 3] = [2, 3, 4];
/// The first block with the second runtime.
const UPGRADE: u32 = 4;
/// How many entries the path has that `Test_walk` follows.
const STEPS: u32 = 50;

/// The entries of the state of a block.
fn entries(number: u32, keysets: &Keysets) -> Vec<(Vec<u8>, Vec<u8>)> {
    let code = match std::env::args_os().nth(1) {
        Some(file) => std::fs::read(file).expect("a readable file"),
        None => {
            let version = if number < UPGRADE { 1_u32 } else { 2 };
            let metadata = [&b"meta\x0f"[..], &version.to_le_bytes()].concat();
            runtime(version, &metadata)
        }
    };
    let fee = |amount: u128| (Compact(7_u64), Compact(9_u64), 0_u8, amount).encode();
    let mut entries = vec![
        (KEYSETS_STORAGE_KEY.to_vec(), keysets.encode()),
        (b":code".to_vec(), code),
        (b"fee".to_vec(), fee(1_000 + u128::from(number))),
        (
            b"fee details".to_vec(),
            (Some((1_u64, 2_u64, 3_u64)), 0_u64).encode(),
        ),
        (b"short".to_vec(), b"a value in its node".to_vec()),
        (b"long".to_vec(), vec![7; 1_000]),
    ];
    // So long that each has a node of its own.
    let step = |step: u32| format!("step {step:<40}").into_bytes();
    entries.extend((0..STEPS).map(|number| (step(number), step(number + 1))));
    entries
}

fn main() {
    let blocks = |number, keysets: &Keysets| Block {
        entries: entries(number, keysets),
        extrinsics: None,
        is_upgrade: number == UPGRADE,
    };
    Recording::new(NEWEST, &HEADS, blocks).print(&[]);
}
