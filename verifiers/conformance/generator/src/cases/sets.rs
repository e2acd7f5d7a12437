//! Sets of keys, their commitments and multiproofs. (SET-1 to SET-4)

use super::builder::{scale, Builder};
use crate::format::{hexed, File};
use codec::Encode;
use duet_primitives::{testing::TestSet, Keyset, KeysetCommitment, Pk1Bytes, SetId, SignerIndex};
use serde_json::json;

const SIZES: [u64; 5] = [1, 4, 7, 100, 1000];

pub(super) fn file() -> File {
    let mut builder = Builder::new(
        "sets",
        "Sets of keys, their commitments, thresholds and multiproofs.",
    );
    for members in [1, 2, 3, 4, 5, 6, 7, 10, 100, 1000, 100_000] {
        let id = format!("threshold of {members}");
        builder.holds(&id, "threshold", json!({ "members": members }));
    }
    for size in SIZES {
        let set = TestSet::new(size, 0..size);
        let keys = set.set.keyset().key_bytes();
        builder.share(&format!("keys of {size}"), keys.encode());
        let input = json!({ "id": size.to_string(), "keys": scale(&keys) });
        builder.holds(&format!("commitment to {size}"), "commit_to_keys", input);
        let input = json!({ "commitment": scale(set.set.commitment()), "keys": scale(&keys) });
        builder.holds(
            &format!("keys of {size} under their commitment"),
            "keyset",
            input,
        );
        multiproofs(&mut builder, set.set.keyset());
    }
    refused_keys(&mut builder);
    refused_multiproofs(&mut builder);
    builder.file()
}

/// Members to prove in a set of this size: none, an end, every third, and all.
fn choices(len: u32) -> Vec<(&'static str, Vec<u32>)> {
    let mut choices = vec![
        ("nobody", vec![]),
        ("the first", vec![0]),
        ("the last", vec![len - 1]),
    ];
    choices.push(("every third", (0..len).step_by(3).collect()));
    if len <= 7 {
        choices.push(("everybody", (0..len).collect()));
    }
    choices
}

fn multiproofs(builder: &mut Builder, set: &Keyset) {
    let (len, all) = (set.len(), set.key_bytes());
    for (name, positions) in choices(len) {
        let input = json!({ "keys": scale(&all), "positions": positions });
        builder.holds(&format!("proof of {name} of {len}"), "prove_members", input);
        let keys: Vec<_> = positions.iter().map(|at| all[*at as usize]).collect();
        let wanted: Vec<_> = positions.iter().copied().map(SignerIndex::new).collect();
        let proof = set.prove(&wanted).expect("members");
        let input = json!({
            "root": hexed(set.commitment().root),
            "len": len,
            "positions": positions,
            "keys": scale(&keys),
            "proof": scale(&proof),
        });
        builder.holds(&format!("{name} of {len}"), "multiproof", input);
    }
}

fn refused_keys(builder: &mut Builder) {
    let set = TestSet::new(7, 0..7);
    let (good, keys) = (set.set.commitment().clone(), set.set.keyset().key_bytes());
    let changed_keys = |change: fn(&mut Vec<Pk1Bytes>)| {
        let mut keys = keys.clone();
        change(&mut keys);
        keys
    };
    let changed_set = |change: fn(&mut KeysetCommitment)| {
        let mut set = good.clone();
        change(&mut set);
        set
    };
    let stranger = TestSet::new(7, 7..14).set.keyset().key_bytes();
    // (0, 2) is a point of order 3.
    let mut outside = Pk1Bytes([0; 48]);
    outside.0[0] = 0x80;
    let with_outside = vec![outside, keys[0]];
    let total_outside = KeysetCommitment::of_stored_unchecked(good.id, &with_outside);
    for (rule, id, commitment, keys) in [
        (
            "SET-3",
            "one key less",
            good.clone(),
            changed_keys(|keys| keys.truncate(6)),
        ),
        ("SET-3", "other keys", good.clone(), stranger),
        ("SET-3", "no keys", good.clone(), vec![]),
        (
            "SET-3",
            "keys in another order",
            good.clone(),
            changed_keys(|keys| keys.swap(2, 3)),
        ),
        (
            "SET-3",
            "a key that is no point",
            good.clone(),
            changed_keys(|keys| keys[3].0[0] = 0),
        ),
        (
            "SET-3",
            "a root with another bit",
            changed_set(|set| set.root.0[0] ^= 1),
            keys.clone(),
        ),
        (
            "SET-3",
            "another total",
            changed_set(|set| set.apk1 = TestSet::new(0, 0..4).set.commitment().apk1),
            keys.clone(),
        ),
        (
            "SET-3",
            "a total outside the subgroup",
            total_outside.expect("points of the curve"),
            with_outside,
        ),
        (
            "SET-3",
            "another length",
            changed_set(|set| set.len = 8),
            keys.clone(),
        ),
    ] {
        let input = json!({ "commitment": scale(&commitment), "keys": scale(&keys) });
        builder.breaks(rule, id, "keyset", input);
    }
    for (rule, id, keys) in [
        ("SET-1", "a commitment to no keys", vec![]),
        (
            "SET-1",
            "a commitment to keys out of order",
            changed_keys(|keys| keys.swap(2, 3)),
        ),
        (
            "SET-1",
            "a commitment to a key twice",
            changed_keys(|keys| keys[3] = keys[2]),
        ),
        (
            "SET-1",
            "a commitment to a key that is no point",
            changed_keys(|keys| keys[0].0 = [0x80; 48]),
        ),
        (
            "SET-3",
            "a commitment to a key and its negative",
            with_negative(&keys[0]),
        ),
    ] {
        let input = json!({ "id": SetId::new(7).get().to_string(), "keys": scale(&keys) });
        builder.breaks(rule, id, "commit_to_keys", input);
    }
    let mut cut = keys.encode();
    cut.pop();
    let input = json!({ "commitment": scale(&good), "keys": hexed(cut) });
    builder.breaks("ENC-6", "keys that are cut off", "keyset", input);
}

/// ENC-1: the sign bit tells a key from its negative.
fn with_negative(key: &Pk1Bytes) -> Vec<Pk1Bytes> {
    let mut negative = *key;
    negative.0[0] ^= 0x20;
    let mut keys = vec![*key, negative];
    keys.sort();
    keys
}

fn refused_multiproofs(builder: &mut Builder) {
    let set = TestSet::new(7, 0..7);
    let (set, all) = (set.set.keyset(), set.set.keyset().key_bytes());
    let root = set.commitment().root;
    let hashes = |positions: &[u32]| -> Vec<[u8; 32]> {
        let wanted: Vec<_> = positions.iter().copied().map(SignerIndex::new).collect();
        let bytes = set.prove(&wanted).expect("members").encode();
        bytes[1..]
            .chunks(32)
            .map(|hash| hash.try_into().expect("32 bytes"))
            .collect()
    };
    let keys = vec![all[1], all[5]];
    let good = hashes(&[1, 5]);
    let mut changed = good.clone();
    changed[2][31] ^= 1;
    let mut swapped = good.clone();
    swapped.swap(0, 1);
    let more = [good.clone(), vec![[0; 32]]].concat();
    let mut other_root = root;
    other_root.0[0] ^= 1;
    for (id, root, positions, keys, hashes) in [
        (
            "a hash with another bit",
            root,
            vec![1, 5],
            keys.clone(),
            changed,
        ),
        (
            "hashes in another order",
            root,
            vec![1, 5],
            keys.clone(),
            swapped,
        ),
        ("one hash too many", root, vec![1, 5], keys.clone(), more),
        (
            "one hash too few",
            root,
            vec![1, 5],
            keys.clone(),
            good[1..].to_vec(),
        ),
        (
            "keys in each other's place",
            root,
            vec![1, 5],
            vec![all[5], all[1]],
            good.clone(),
        ),
        (
            "other positions",
            root,
            vec![1, 4],
            keys.clone(),
            hashes(&[1, 4]),
        ),
        (
            "positions that descend",
            root,
            vec![5, 1],
            keys.clone(),
            good.clone(),
        ),
        (
            "a position twice",
            root,
            vec![1, 1],
            keys.clone(),
            good.clone(),
        ),
        (
            "a position outside of the set",
            root,
            vec![1, 7],
            keys.clone(),
            good.clone(),
        ),
        ("another root", other_root, vec![1, 5], keys, good),
        (
            "a hash where nobody is proven",
            root,
            vec![],
            vec![],
            vec![[0; 32]],
        ),
    ] {
        let input = json!({
            "root": hexed(root),
            "len": 7,
            "positions": positions,
            "keys": scale(&keys),
            "proof": scale(&hashes),
        });
        builder.breaks("SET-2", id, "multiproof", input);
    }
}
