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

mod web;

use codec::{Compact, Encode};
use duet_light_client::{
    start::start_keys,
    testing::{read_proof, trie, TestRange},
    StartProof,
};
use duet_primitives::{
    suite::KEYSETS_STORAGE_KEY, testing::TestSet, BlockNumber, Keysets, RoundMessage,
    StatelessProof, H256,
};
use sp_core::{Blake2Hasher, Hasher};
use std::collections::BTreeMap;
use web::{escaped, json, quoted};

const NEWEST: u32 = 4;
const HEADS: [u32; 3] = [2, 3, 4];
/// The first block with the second runtime.
const UPGRADE: u32 = 4;
/// The digest item of a header that tells of another runtime.
const RUNTIME_UPDATED: [u8; 1] = [8];
/// How many entries the path has that `Test_walk` follows.
const STEPS: u32 = 50;

/// The state of a block with a proof.
struct State {
    number: u32,
    hash: H256,
    nodes: Vec<Vec<u8>>,
    /// The keys of the values that are nodes of their own, with the hashes of these.
    values: BTreeMap<Vec<u8>, H256>,
}

/// The runtime with this version.
fn runtime(version: u32) -> Vec<u8> {
    let apis = vec![(*b"\xdf\x6a\xcb\x68\x99\x07\x60\x9b", 5_u32)];
    let encoded = (
        "test",
        "test-impl",
        1_u32,
        version,
        1_u32,
        apis,
        1_u32,
        1_u8,
    )
        .encode();
    let metadata = [&b"meta\x0f"[..], &version.to_le_bytes()].concat().encode();
    let text = include_str!("web_calls.wat")
        .replace("{version}", &data(&encoded))
        .replace("{version_length}", &encoded.len().to_string())
        .replace("{metadata}", &data(&metadata))
        .replace("{metadata_length}", &metadata.len().to_string());
    wat::parse_str(text).expect("a module")
}

/// Bytes in the text of a module.
fn data(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\{byte:02x}")).collect()
}

/// The entries of the state of a block.
fn entries(number: u32, keysets: &Keysets) -> Vec<(Vec<u8>, Vec<u8>)> {
    let code = match std::env::args_os().nth(1) {
        Some(file) => std::fs::read(file).expect("a readable file"),
        None => runtime(if number < UPGRADE { 1 } else { 2 }),
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
    let set = TestSet::new(0, 0..4);
    let keysets = Keysets::without_successor(set.set.commitment().clone());
    let mut hashes: Vec<H256> = vec![];
    let mut answers = BTreeMap::new();
    let mut states = vec![];
    for number in 0..=NEWEST {
        let entries = entries(number, &keysets);
        let keys: Vec<_> = entries.iter().map(|(key, _)| key.clone()).collect();
        // A value of 33 bytes and more is a node of its own.
        let long = entries.iter().filter(|(_, value)| value.len() > 32);
        let values = long.map(|(key, value)| (key.clone(), Blake2Hasher::hash(value)));
        let values = values.collect();
        let (state, state_root) = trie(entries);
        let parent = hashes.last().copied().unwrap_or_default();
        let extrinsics_root = H256::repeat_byte(3);
        let logs: &[u8] = if number == UPGRADE {
            &RUNTIME_UPDATED
        } else {
            &[]
        };
        let digest = logs.to_vec();
        let header = (parent, Compact(number), state_root, extrinsics_root, digest).encode();
        let hash = Blake2Hasher::hash(&header);
        let genesis = hashes.first().copied().unwrap_or(hash);
        let header_json = format!(
            "{{\"parentHash\":{},\"number\":\"{number:#x}\",\"stateRoot\":{},\"extrinsicsRoot\":{},\"digest\":{{\"logs\":[{}]}}}}",
            json(parent),
            json(state_root),
            json(extrinsics_root),
            if logs.is_empty() { String::new() } else { quoted(logs) }
        );
        answers.insert(format!("chain_getHeader [{}]", json(hash)), header_json);
        if number == 0 {
            let keys = start_keys(BlockNumber::ZERO);
            let keys: Vec<&[u8]> = keys.iter().map(<[u8; 32]>::as_slice).collect();
            let proof = StartProof {
                header,
                nodes: read_proof(&state, state_root, &keys),
                keys: set.set.keyset().key_bytes(),
            };
            answers.insert("chain_getBlockHash [0]".to_owned(), json(hash));
            answers.insert(
                "duet_getGenesisProof []".to_owned(),
                quoted(&proof.encode()),
            );
            answers.insert("duet_getStatelessSetProofs [0,64]".to_owned(), quoted(&[0]));
        }
        if HEADS.contains(&number) {
            let range = TestRange::new(0, hashes.iter().copied());
            let mut commitment = set.commitment(number, &set.set);
            commitment.block_hash = hash;
            commitment.mmr_root = range.root();
            let message = RoundMessage::new(genesis, commitment);
            let justification = set.justify(&message, [0, 1, 3]);
            let proof = StatelessProof::new(&justification, set.set.keyset()).expect("its own set");
            answers.insert(
                format!("duet_getStatelessProof [{number}]"),
                quoted(&proof.encode()),
            );
            answers.insert(
                format!("duet_getJustification [{number}]"),
                quoted(&justification.into_unchecked().encode()),
            );
            let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
            states.push(State {
                number,
                hash,
                nodes: read_proof(&state, state_root, &keys),
                values,
            });
        }
        hashes.push(hash);
    }
    let genesis = hashes.first().copied().expect("a block");
    print(genesis, &states, &answers);
}

fn print(genesis: H256, states: &[State], answers: &BTreeMap<String, String>) {
    let heads = states.iter().map(|state| {
        let values = state.values.iter();
        let values = values.map(|(key, hash)| format!("{}:{}", quoted(key), json(*hash)));
        format!(
            "  {{\"number\":{},\"hash\":{},\"values\":{{{}}}}}",
            state.number,
            json(state.hash),
            values.collect::<Vec<_>>().join(",")
        )
    });
    let nodes: BTreeMap<_, _> = states
        .iter()
        .flat_map(|state| &state.nodes)
        .map(|node| (Blake2Hasher::hash(node), node))
        .collect();
    let nodes = nodes
        .iter()
        .map(|(hash, node)| format!("  {}: {}", json(*hash), quoted(node)));
    let answers = answers
        .iter()
        .map(|(request, answer)| format!("  {}: {answer}", escaped(request)));
    println!(
        "{{\n \"genesis\": {},\n \"heads\": [\n{}\n ],\n \"nodes\": {{\n{}\n }},\n \"answers\": {{\n{}\n }}\n}}",
        json(genesis),
        heads.collect::<Vec<_>>().join(",\n"),
        nodes.collect::<Vec<_>>().join(",\n"),
        answers.collect::<Vec<_>>().join(",\n")
    );
}
