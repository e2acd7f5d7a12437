//! The extrinsics of a final block. (STATE-4)

use super::{builder::Builder, state::chain};
use crate::format::{hexed, File};
use codec::{Compact, Encode};
use duet_primitives::H256;
use serde_json::{json, Value};
use sp_core::{Blake2Hasher, Hasher};
use sp_trie::{LayoutV0, LayoutV1, TrieConfiguration};

const NUMBER: u32 = 41;

pub(super) fn file() -> File {
    let mut builder = Builder::new(
        "extrinsics",
        "The extrinsics of a block under a proof, and transactions among them.",
    );
    for version in [0, 1] {
        holds(&mut builder, version);
        breaks(&mut builder, version);
    }
    builder.file()
}

fn root(version: u8, extrinsics: &[Vec<u8>]) -> H256 {
    match version {
        0 => LayoutV0::<Blake2Hasher>::ordered_trie_root(extrinsics),
        _ => LayoutV1::<Blake2Hasher>::ordered_trie_root(extrinsics),
    }
}

/// A question about a block with this root, and what a server says its extrinsics are.
fn input(root: H256, extrinsics: &[Vec<u8>]) -> Value {
    let (parent, state) = (H256::repeat_byte(1), H256::repeat_byte(2));
    let header = (parent, Compact(NUMBER), state, root, Compact(0_u8)).encode();
    let mut input = chain::newest(NUMBER, Blake2Hasher::hash(&header), H256::repeat_byte(3));
    input["header"] = json!(hexed(header));
    input["extrinsics"] = json!(extrinsics.iter().map(hexed).collect::<Vec<_>>());
    input
}

/// Transactions of these lengths, each with its own length in front.
fn of_lengths(lengths: impl IntoIterator<Item = usize>) -> Vec<Vec<u8>> {
    let all = (0_u8..=255).cycle().zip(lengths);
    all.map(|(fill, length)| vec![fill; length].encode())
        .collect()
}

/// Some that a trie keeps in its nodes in either version, and some that version 1 keeps beside them.
fn some() -> Vec<Vec<u8>> {
    of_lengths([10, 0, 100, 40, 31, 32, 200])
}

fn holds(builder: &mut Builder, version: u8) {
    let mut case = |id: &str, extrinsics: &[Vec<u8>]| {
        let id = format!("{id}, version {version}");
        builder.holds(&id, "read", input(root(version, extrinsics), extrinsics));
    };
    case("no extrinsics", &[]);
    case("one extrinsic", &of_lengths([10]));
    case("one long extrinsic", &of_lengths([20_000]));
    // Version 1 hashes values of more than 32 bytes; the length in front counts.
    case(
        "extrinsics of 31 to 34 bytes",
        &of_lengths([30, 31, 32, 33]),
    );
    case("extrinsics of all lengths up to 80", &of_lengths(0..80));
    // From the 64th on, a position has two bytes.
    case("63 extrinsics", &of_lengths([3; 63]));
    case("64 extrinsics", &of_lengths([3; 64]));
    case("65 extrinsics", &of_lengths([3; 65]));
    case("300 extrinsics", &of_lengths([1; 300]));
    case("the same extrinsic twice", &[vec![4, 7], vec![4, 7]]);

    let all = some();
    let mut find = |id: String, hash: H256| {
        let mut input = input(root(version, &all), &all);
        input["transaction"] = json!(hexed(hash));
        builder.holds(&format!("{id}, version {version}"), "read", input);
    };
    for (at, extrinsic) in all.iter().enumerate() {
        find(
            format!("the transaction at {at}"),
            Blake2Hasher::hash(extrinsic),
        );
    }
    find("a transaction that is not there".into(), H256::zero());
    let mut twice = some();
    twice.push(twice[2].clone());
    let mut input = input(root(version, &twice), &twice);
    input["transaction"] = json!(hexed(Blake2Hasher::hash(&twice[2])));
    builder.holds(
        &format!("of two that are the same the first, version {version}"),
        "read",
        input,
    );
}

fn breaks(builder: &mut Builder, version: u8) {
    let good = some();
    let root = root(version, &good);
    let mut refused = |id: &str, change: &dyn Fn(&mut Vec<Vec<u8>>)| {
        let mut bad = good.clone();
        change(&mut bad);
        let id = format!("{id}, version {version}");
        builder.breaks("STATE-4", &id, "read", input(root, &bad));
    };
    for at in 0..good.len() {
        refused(&format!("without extrinsic {at}"), &|all| {
            all.remove(at);
        });
        refused(&format!("extrinsic {at} with another last byte"), &|all| {
            *all[at].last_mut().expect("a length in front") ^= 1;
        });
        refused(&format!("extrinsic {at} by its hash"), &|all| {
            all[at] = Blake2Hasher::hash(&all[at]).0.to_vec();
        });
    }
    refused("the first two in the other order", &|all| all.swap(0, 1));
    refused("another one behind", &|all| all.push(vec![0]));
    refused("another one in front", &|all| all.insert(0, vec![0]));
    refused("the last one twice", &|all| all.extend(all.last().cloned()));
    refused("none", &|all| all.clear());
    refused("two in one", &|all| {
        let second = all.remove(1);
        all[0].extend(second);
    });
}
