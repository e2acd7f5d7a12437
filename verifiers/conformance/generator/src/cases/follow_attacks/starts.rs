//! A genesis or a checkpoint that cannot be begun with. (LIGHT-1 to LIGHT-3, SET-1, LIGHT-5)

use super::collected::Attacks;
use crate::{
    cases::world::{from_checkpoint, scenario, with_genesis_proof, MODES},
    format::hexed,
};
use codec::Encode;
use duet_light_client::{testing, testing::TestChain, Checkpoint, StartProof};
use duet_primitives::{suite::MAX_VALIDATORS, testing::TestSet, Keysets, Pk1Bytes, SetId, H256};
use serde_json::{json, Value};
use sp_core::{Blake2Hasher, Hasher};

pub(super) fn add(attacks: &mut Attacks) {
    other_genesis(attacks);
    storage_proofs(attacks);
    first_sets(attacks);
    accepted(attacks);
    checkpoints(attacks);
}

fn other_genesis(attacks: &mut Attacks) {
    let other = TestChain::new(3, 5, 2);
    let start = with_genesis_proof(&attacks.chain, &other.genesis_proof());
    attacks.no_start("LIGHT-1", "the genesis of another chain", &start);
    let honest = attacks.chain.genesis_proof();
    let other_keys = StartProof {
        keys: attacks.chain.keys(1).expect("a set"),
        ..honest.clone()
    };
    let start = with_genesis_proof(&attacks.chain, &other_keys);
    attacks.no_start("LIGHT-3", "a genesis with the keys of another set", &start);
    let cut = &honest.encode()[..honest.encode().len() - 1];
    let start =
        json!({ "genesis_hash": hexed(attacks.chain.genesis_hash), "genesis_proof": hexed(cut) });
    attacks.no_start("ENC-6", "a genesis proof without its last byte", &start);
}

fn storage_proofs(attacks: &mut Attacks) {
    let honest = attacks.chain.genesis_proof();
    let mut refused = |id: String, nodes: Vec<Vec<u8>>| {
        let bad = StartProof {
            nodes,
            ..honest.clone()
        };
        let start = with_genesis_proof(&attacks.chain, &bad);
        attacks.no_start("LIGHT-2", &id, &start);
    };
    for missing in 0..honest.nodes.len() {
        let mut nodes = honest.nodes.clone();
        nodes.remove(missing);
        refused(format!("a genesis without trie node {missing}"), nodes);
    }
    refused("a genesis without trie nodes".into(), vec![]);
    for (id, extra) in [
        ("a trie node twice", honest.nodes[0].clone()),
        ("a node of no trie", b"not of this trie".to_vec()),
    ] {
        let nodes = honest.nodes.iter().cloned().chain([extra]).collect();
        refused(format!("a genesis with {id}"), nodes);
    }
    let mut changed = honest.nodes.clone();
    changed[0][2] ^= 1;
    refused("a genesis with a changed trie node".into(), changed);
}

/// A genesis whose state has this value, with everything else in order.
fn genesis_of(value: Option<&[u8]>, number: u32, keys: Vec<Pk1Bytes>) -> Value {
    let state = testing::StartState {
        keysets: value,
        ..Default::default()
    };
    let proof = state.start_proof(H256::zero(), number, keys);
    let hash = Blake2Hasher::hash(&proof.header);
    json!({ "genesis_hash": hexed(hash), "genesis_proof": hexed(proof.encode()) })
}

fn first_sets(attacks: &mut Attacks) {
    let set = |id: usize| attacks.chain.sets[id].set.commitment().clone();
    let keysets = |next| Keysets {
        current: set(0),
        next,
    };
    let keys = attacks.chain.keys(0).expect("a set");
    let same = keysets(set(0)).encode();
    let mut of_no_len = keysets(set(1));
    of_no_len.next.len = 0;
    let mut too_long = keysets(set(1));
    too_long.next.len = MAX_VALIDATORS + 1;
    let longer = [&same[..], &[0]].concat();
    let starts = [
        (
            "LIGHT-2",
            "a genesis without keysets",
            genesis_of(None, 0, keys.clone()),
        ),
        (
            "LIGHT-2",
            "a genesis with 50 bytes for keysets",
            genesis_of(Some(&[1; 50]), 0, keys.clone()),
        ),
        (
            "LIGHT-2",
            "a genesis with a byte behind its keysets",
            genesis_of(Some(&longer), 0, keys.clone()),
        ),
        (
            "LIGHT-2",
            "a genesis whose successor skips an id",
            genesis_of(Some(&keysets(set(2)).encode()), 0, keys.clone()),
        ),
        (
            "LIGHT-2",
            "a genesis whose successor has no keys",
            genesis_of(Some(&of_no_len.encode()), 0, keys.clone()),
        ),
        (
            "LIGHT-2",
            "a genesis whose successor has too many keys",
            genesis_of(Some(&too_long.encode()), 0, keys.clone()),
        ),
        (
            "LIGHT-1",
            "the header of block 1 as genesis",
            genesis_of(Some(&same), 1, keys),
        ),
    ];
    for (rule, id, start) in starts {
        attacks.no_start(rule, id, &start);
    }
}

/// What looks odd and is not refused. (LIGHT-2)
fn accepted(attacks: &mut Attacks) {
    let (first, second, fifth) = (
        TestSet::new(0, 0..4),
        TestSet::new(1, 1..5),
        TestSet::new(5, 0..4),
    );
    for (id, current, next) in [
        ("a genesis whose first set has the id 5", &fifth, &fifth),
        ("a genesis that names a successor", &first, &second),
    ] {
        let keysets = Keysets {
            current: current.set.commitment().clone(),
            next: next.set.commitment().clone(),
        };
        let start = genesis_of(Some(&keysets.encode()), 0, current.set.keyset().key_bytes());
        for mode in MODES {
            attacks.builder.holds(
                &format!("{id}, {mode}"),
                "follow",
                scenario(&start, mode, vec![]),
            );
        }
    }
}

fn checkpoints(attacks: &mut Attacks) {
    let good = attacks.chain.checkpoint(0);
    let next = attacks.chain.sets[1].set.commitment().clone();
    let with = |change: &dyn Fn(&mut Checkpoint)| {
        let mut checkpoint = good.clone();
        change(&mut checkpoint);
        checkpoint
    };
    let both = |len: u32| {
        with(&|it| {
            it.keysets.current.len = len;
            it.keysets.next.len = len;
        })
    };
    for (rule, id, checkpoint) in [
        ("SET-1", "a checkpoint of a set without keys", both(0)),
        (
            "SET-1",
            "a checkpoint of a set with too many keys",
            both(MAX_VALIDATORS + 1),
        ),
        (
            "KEY-1",
            "a checkpoint whose total is no point",
            with(&|it| it.keysets.current.apk1.0 = [0; 48]),
        ),
        (
            "KEY-1",
            "a checkpoint whose successor's total is no point",
            with(&|it| {
                it.keysets.next = next.clone();
                it.keysets.next.apk1.0 = [0xff; 48];
            }),
        ),
        (
            "LIGHT-5",
            "a checkpoint whose successor skips an id",
            with(&|it| {
                it.keysets.next = next.clone();
                it.keysets.next.id = SetId::new(2);
            }),
        ),
        (
            "LIGHT-5",
            "a checkpoint whose successor has its id and another root",
            with(&|it| it.keysets.next.root = H256::zero()),
        ),
    ] {
        attacks.no_start(rule, id, &from_checkpoint(&checkpoint));
    }
    let mut longer = good.encode();
    longer.push(0);
    attacks.no_start(
        "ENC-6",
        "a checkpoint with a byte behind it",
        &json!({ "checkpoint": hexed(longer) }),
    );
}
