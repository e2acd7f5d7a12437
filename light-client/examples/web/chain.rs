//! A chain in memory whose state has a runtime, as honest nodes answer about it.

use crate::web::{escaped, json, quoted};
use codec::{Compact, Encode};
use duet_light_client::{
    start::start_keys,
    testing::{read_proof, trie, TestRange},
    StartProof,
};
use duet_primitives::{testing::TestSet, BlockNumber, Keysets, RoundMessage, StatelessProof, H256};
use sp_core::{Blake2Hasher, Hasher};
use std::collections::BTreeMap;

/// The digest item of a header that tells of another runtime.
const RUNTIME_UPDATED: [u8; 1] = [8];

/// What is in a block, and in the state after it.
pub(crate) struct Block {
    pub(crate) entries: Vec<(Vec<u8>, Vec<u8>)>,
    /// Each with its length in front; `None` on a chain whose blocks nobody asks for.
    pub(crate) extrinsics: Option<Vec<Vec<u8>>>,
    pub(crate) is_upgrade: bool,
}

/// What nodes answer.
pub(crate) struct Recording {
    genesis: H256,
    states: Vec<State>,
    answers: BTreeMap<String, String>,
}

/// The state of a block with a proof.
struct State {
    number: u32,
    hash: H256,
    nodes: Vec<Vec<u8>>,
    /// The keys of the values that are nodes of their own, with the hashes of these.
    values: BTreeMap<Vec<u8>, H256>,
}

/// The runtime with this version and metadata.
pub(crate) fn runtime(version: u32, metadata: &[u8]) -> Vec<u8> {
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
    let metadata = metadata.encode();
    let text = include_str!("../web_calls.wat")
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

impl Recording {
    /// Of a chain with these blocks. `heads` have proofs, and each older block has one under them where bodies are
    /// asked for.
    pub(crate) fn new(newest: u32, heads: &[u32], block: impl Fn(u32, &Keysets) -> Block) -> Self {
        let set = TestSet::new(0, 0..4);
        let keysets = Keysets::without_successor(set.set.commitment().clone());
        let mut hashes: Vec<H256> = vec![];
        let mut answers = BTreeMap::new();
        let mut states = vec![];
        for number in 0..=newest {
            let Block {
                entries,
                extrinsics,
                is_upgrade,
            } = block(number, &keysets);
            let keys: Vec<_> = entries.iter().map(|(key, _)| key.clone()).collect();
            // A value of 33 bytes and more is a node of its own.
            let long = entries.iter().filter(|(_, value)| value.len() > 32);
            let values = long.map(|(key, value)| (key.clone(), Blake2Hasher::hash(value)));
            let values = values.collect();
            let (state, state_root) = trie(entries);
            let parent = hashes.last().copied().unwrap_or_default();
            let extrinsics_root = extrinsics.as_deref().map_or(H256::repeat_byte(3), root_of);
            let logs: &[u8] = if is_upgrade { &RUNTIME_UPDATED } else { &[] };
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
            if let Some(extrinsics) = &extrinsics {
                let list: Vec<_> = extrinsics.iter().map(|bytes| quoted(bytes)).collect();
                let list = list.join(",");
                let body = format!("{{\"block\":{{\"extrinsics\":[{list}]}}}}");
                answers.insert(format!("chain_getBlock [{}]", json(hash)), body);
            }
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
            if heads.contains(&number) {
                let range = TestRange::new(0, hashes.iter().copied());
                let mut commitment = set.commitment(number, &set.set);
                commitment.block_hash = hash;
                commitment.mmr_root = range.root();
                for older in 0..number {
                    if extrinsics.is_some() {
                        let asked = format!(
                            "mmr_generateProof [[{}],{number},{}]",
                            older + 1,
                            json(hash)
                        );
                        answers.insert(asked, path(&range, older));
                    }
                }
                let message = RoundMessage::new(genesis, commitment);
                let justification = set.justify(&message, [0, 1, 3]);
                let proof =
                    StatelessProof::new(&justification, set.set.keyset()).expect("its own set");
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
        Self {
            genesis,
            states,
            answers,
        }
    }

    /// Prints it as JSON, with these transactions by name.
    pub(crate) fn print(&self, transactions: &[(&str, Vec<u8>)]) {
        let Self {
            genesis,
            states,
            answers,
        } = self;
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
        let transactions = transactions
            .iter()
            .map(|(name, bytes)| format!("  \"{name}\": {},\n", quoted(bytes)))
            .collect::<String>();
        let transactions = match transactions.trim_end_matches(",\n") {
            "" => String::new(),
            some => format!(" \"transactions\": {{\n{some}\n }},\n"),
        };
        println!(
        "{{\n \"genesis\": {},\n{transactions} \"heads\": [\n{}\n ],\n \"nodes\": {{\n{}\n }},\n \"answers\": {{\n{}\n }}\n}}",
        json(*genesis),
        heads.collect::<Vec<_>>().join(",\n"),
        nodes.collect::<Vec<_>>().join(",\n"),
        answers.collect::<Vec<_>>().join(",\n")
    );
    }
}

/// The root of the trie of a block's extrinsics. (STATE-4)
fn root_of(extrinsics: &[Vec<u8>]) -> H256 {
    let keyed = (0_u32..).zip(extrinsics);
    trie(keyed.map(|(index, bytes)| (Compact(index).encode(), bytes))).1
}

/// What `mmr_generateProof` answers.
fn path(range: &TestRange, block: u32) -> String {
    let proof = range.proof(block);
    let leaves = vec![proof.leaf.encode()].encode();
    let path = (vec![proof.leaf_index], proof.leaf_count, proof.hashes).encode();
    format!(
        "{{\"leaves\":{},\"proof\":{}}}",
        quoted(&leaves),
        quoted(&path)
    )
}
