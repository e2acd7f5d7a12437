//! Headers, state and older blocks under a proof. (STATE-1 to STATE-3, MMR-1)

pub(super) mod chain;

use super::builder::{scale, Builder};
use crate::format::{hexed, File};
use chain::{at_newest, ABSENT, BLOCKS, KEY, LONG};
use codec::{Compact, Encode};
use duet_light_client::{testing::TestBlocks, BlockProof};
use duet_primitives::H256;
use serde_json::{json, Value};
use sp_core::{Blake2Hasher, Hasher};

pub(super) fn file() -> File {
    let mut builder = Builder::new(
        "state",
        "Headers, values in state and older blocks under a proof.",
    );
    let world = chain::blocks(0, BLOCKS);
    builder.share("header", &world.headers[BLOCKS as usize]);
    headers(&mut builder, &world);
    storage(&mut builder, &world);
    refused_nodes(&mut builder, &world);
    older(&mut builder);
    refused_older(&mut builder, &world);
    builder.file()
}

pub(super) fn hexes(list: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Vec<String> {
    list.into_iter().map(hexed).collect()
}

fn with(mut input: Value, name: &str, value: Value) -> Value {
    input[name] = value;
    input
}

fn headers(builder: &mut Builder, world: &TestBlocks) {
    let header = &world.headers[BLOCKS as usize];
    let input = |bytes: &[u8]| with(at_newest(world), "header", json!(hexed(bytes)));
    builder.holds("the header of the newest block", "read", input(header));
    for at in [0, 32, 33, 64, 65, 97] {
        let mut other = header.clone();
        other[at] ^= 1;
        builder.breaks(
            "STATE-1",
            &format!("a header with another byte {at}"),
            "read",
            input(&other),
        );
    }
    builder.breaks(
        "STATE-1",
        "the header of the block before",
        "read",
        input(&world.headers[BLOCKS as usize - 1]),
    );
    let zero = H256::zero();
    // Validators may sign the hash of what is no header; nothing can be read under it.
    for (id, bytes) in [
        (
            "a signed header with another number",
            (zero, Compact(BLOCKS + 1), zero, zero, Compact(0_u8)).encode(),
        ),
        (
            "a signed header without a digest",
            (zero, Compact(BLOCKS), zero, zero).encode(),
        ),
        ("signed bytes that are no header", b"no header".to_vec()),
    ] {
        let input = chain::newest(BLOCKS, Blake2Hasher::hash(&bytes), zero);
        builder.breaks(
            "STATE-1",
            id,
            "read",
            with(input, "header", json!(hexed(bytes))),
        );
    }
}

fn reading(world: &TestBlocks, keys: &[&[u8]], nodes: &[Vec<u8>]) -> Value {
    let input = with(
        at_newest(world),
        "header",
        json!(hexed(&world.headers[BLOCKS as usize])),
    );
    with(
        with(input, "keys", json!(hexes(keys))),
        "nodes",
        json!(hexes(nodes)),
    )
}

fn storage(builder: &mut Builder, world: &TestBlocks) {
    let many: Vec<_> = (0..100_u32).map(u32::to_be_bytes).collect();
    let many: Vec<_> = many.iter().map(|key| &key[..]).collect();
    let cases: [(&str, Vec<&[u8]>); 8] = [
        ("a short value", vec![KEY]),
        ("a long value", vec![LONG]),
        ("a value that is not there", vec![ABSENT]),
        ("a key that another key begins with", vec![b"sho"]),
        (
            "a key that goes on after another one",
            vec![b"short and more"],
        ),
        ("the empty key", vec![b""]),
        ("short, long and absent", vec![KEY, LONG, ABSENT]),
        ("a hundred neighbours", many),
    ];
    for (id, keys) in cases {
        builder.holds(id, "read", reading(world, &keys, &world.nodes(&keys)));
    }
    let mut nodes = world.nodes(&[KEY, LONG]);
    nodes.reverse();
    builder.holds(
        "nodes in another order",
        "read",
        reading(world, &[KEY, LONG], &nodes),
    );
    builder.holds("no keys and no nodes", "read", reading(world, &[], &[]));
}

fn refused_nodes(builder: &mut Builder, world: &TestBlocks) {
    let keys = [KEY, LONG];
    let nodes = world.nodes(&keys);
    let mut refused = |id: String, nodes: Vec<Vec<u8>>| {
        builder.breaks("STATE-2", &id, "read", reading(world, &keys, &nodes))
    };
    for at in 0..nodes.len() {
        let mut fewer = nodes.clone();
        fewer.remove(at);
        refused(format!("without node {at}"), fewer);
        for byte in [0, nodes[at].len() - 1] {
            let mut changed = nodes.clone();
            changed[at][byte] ^= 1;
            refused(format!("node {at} with another byte {byte}"), changed);
        }
    }
    for (id, extra) in [
        ("a node of no use", b"of no use".to_vec()),
        ("a node twice", nodes[0].clone()),
    ] {
        refused(id.into(), nodes.iter().cloned().chain([extra]).collect());
    }
    let of_absent = world.nodes(&[ABSENT]);
    refused("the nodes of another key".into(), of_absent);
}

fn of_proof(proof: &BlockProof) -> Value {
    json!({
        "leaf": scale(&proof.leaf),
        "leaf_index": proof.leaf_index.to_string(),
        "leaf_count": proof.leaf_count.to_string(),
        "hashes": hexes(&proof.hashes),
    })
}

/// Ranges of all shapes, each block of small ones.
fn older(builder: &mut Builder) {
    for blocks in [1, 2, 3, 7, 8, 11, BLOCKS] {
        let world = chain::blocks(0, blocks);
        let step = if blocks > 11 { 5 } else { 1 };
        for number in (0..blocks).step_by(step) {
            let input = with(at_newest(&world), "older", of_proof(&world.proof(number)));
            builder.holds(
                &format!("block {number} under block {blocks}"),
                "read",
                input,
            );
        }
    }
    let late = chain::blocks(10, BLOCKS);
    for number in [10, 23, 40] {
        let input = with(at_newest(&late), "older", of_proof(&late.proof(number)));
        builder.holds(
            &format!("block {number} of a range that begins at block 10"),
            "read",
            input,
        );
    }
    let world = chain::blocks(0, BLOCKS);
    let input = with(at_newest(&world), "older", of_proof(&world.proof(23)));
    let input = with(input, "header", json!(hexed(&world.headers[23])));
    let input = with(
        with(input, "keys", json!(hexes([KEY]))),
        "nodes",
        json!(hexes(world.nodes(&[KEY]))),
    );
    builder.holds(
        "a value in the state of an older block",
        "read",
        input.clone(),
    );
    let other = with(input, "header", json!(hexed(&world.headers[22])));
    builder.breaks(
        "STATE-1",
        "the header of another older block",
        "read",
        other,
    );
}

/// What is done to a good proof.
type Change = fn(&mut BlockProof);

fn refused_older(builder: &mut Builder, world: &TestBlocks) {
    let honest = world.proof(23);
    let changes: [(&str, Change); 14] = [
        ("more leaves than blocks", |it| it.leaf_count = u64::MAX),
        ("no leaves", |it| it.leaf_count = 0),
        ("one leaf less", |it| it.leaf_count -= 1),
        ("the last index", |it| it.leaf_index = u64::MAX),
        ("another index", |it| it.leaf_index += 1),
        ("another index and number", |it| {
            (it.leaf_index, it.leaf.parent_number) = (24, duet_primitives::BlockNumber::new(24))
        }),
        ("a leaf about another number", |it| {
            it.leaf.parent_number = duet_primitives::BlockNumber::new(24)
        }),
        ("a leaf with another extra", |it| {
            it.leaf.extra = H256::zero()
        }),
        ("a leaf with another hash", |it| {
            it.leaf.parent_hash = H256::zero()
        }),
        ("a hash too many", |it| it.hashes.push(H256::zero())),
        ("one hash", |it| it.hashes.truncate(1)),
        ("no hashes", |it| it.hashes.clear()),
        ("two hashes swapped", |it| it.hashes.swap(0, 1)),
        ("65 hashes", |it| it.hashes.resize(65, H256::zero())),
    ];
    for (id, change) in changes {
        let mut bad = honest.clone();
        change(&mut bad);
        let input = with(at_newest(world), "older", of_proof(&bad));
        builder.breaks(
            "STATE-3",
            &format!("an older block with {id}"),
            "read",
            input,
        );
    }
    for at in 0..honest.hashes.len() {
        let mut bad = honest.clone();
        bad.hashes[at].0[31] ^= 1;
        let input = with(at_newest(world), "older", of_proof(&bad));
        builder.breaks(
            "STATE-3",
            &format!("an older block with another hash {at}"),
            "read",
            input,
        );
    }
    let mut unproven = at_newest(world);
    unproven["steps"] = json!([]);
    let input = with(unproven, "older", of_proof(&world.proof(0)));
    builder.breaks(
        "STATE-3",
        "an older block under a checkpoint",
        "read",
        input,
    );
}
