//! Proofs of the first set.

use super::{
    chain::CHAIN,
    received::{received_within, PER_BYTE_OF_GENESIS},
};
use crate::target::{seed, Input, Seed, Target};
use codec::Encode;
use duet_light_client::StartProof;
use sp_core::{Blake2Hasher, Hasher};

pub(super) const GENESIS: Target = Target {
    name: "light_genesis",
    run: genesis,
    seeds: genesis_seeds,
};

/// Whom a proof is said to be of: the chain; a header that is pinned whatever it says; a state root that is that of
/// the first node.
fn genesis(data: &[u8]) {
    let mut input = Input(data);
    let mode = input.byte() % 3;
    let Some(mut proof) = received_within::<StartProof>(input.rest(), PER_BYTE_OF_GENESIS) else {
        return;
    };
    if let (2, Some(node), Some(root)) = (mode, proof.nodes.first(), proof.header.get_mut(33..65)) {
        root.copy_from_slice(Blake2Hasher::hash(node).as_bytes());
    }
    let hash = match mode {
        0 => CHAIN.genesis_hash,
        _ => Blake2Hasher::hash(&proof.header),
    };
    let Ok(found) = proof.check(hash) else { return };
    assert_eq!(found.hash, hash);
    assert_eq!(found.keys.commitment(), &found.keysets.current);
    assert_eq!(found.keys.key_bytes(), proof.keys);
    if hash == CHAIN.genesis_hash {
        assert_eq!(Some(proof.keys), CHAIN.keys(0));
    }
}

fn genesis_seeds() -> Vec<Seed> {
    let good = CHAIN.genesis_proof();
    let mut seeds = Vec::new();
    let mut with = |name: &str, change: &dyn Fn(&mut StartProof)| {
        for mode in 0..3 {
            let mut changed = good.clone();
            change(&mut changed);
            seeds.push(seed(
                format!("{name} {mode}"),
                [&[mode][..], &changed.encode()].concat(),
            ));
        }
    };
    with("good", &|_| {});
    with("a node twice", &|proof| {
        proof.nodes.push(proof.nodes[0].clone())
    });
    with("a node less", &|proof| drop(proof.nodes.pop()));
    with("an empty node", &|proof| proof.nodes.push(Vec::new()));
    with("no nodes", &|proof| proof.nodes.clear());
    with("no header", &|proof| proof.header.clear());
    with("block one", &|proof| proof.header[32] = 4);
    with("a digest of a gigabyte", &|proof| {
        *proof.header.last_mut().expect("a digest") = 2
    });
    with("other keys", &|proof| proof.keys.reverse());
    with("one key", &|proof| proof.keys.truncate(1));
    with("only the last node", &|proof| {
        drop(proof.nodes.drain(..proof.nodes.len() - 1))
    });
    seeds
}
