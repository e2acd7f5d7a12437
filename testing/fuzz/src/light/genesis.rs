//! Proofs of the set with which a client begins: at the genesis, or at another block.

use super::{
    chain::CHAIN,
    received::{received_within, PER_BYTE_OF_GENESIS},
};
use crate::target::{seed, Input, Seed, Target};
use codec::Encode;
use duet_light_client::{Mode, StartProof, Trusted};
use duet_primitives::H256;
use sp_core::{Blake2Hasher, Hasher};
use std::sync::LazyLock;

pub(super) const GENESIS: Target = Target {
    // LIGHT-1 to LIGHT-3.
    name: "light_genesis",
    run: genesis,
    seeds: genesis_seeds,
};

/// The set in which the chain's later start is.
const SET: u64 = 1;

/// The first block of that set.
static START: LazyLock<H256> = LazyLock::new(|| CHAIN.start_proof(SET).block_hash());

/// How many ways there are to say of what a proof is.
const MODES: u8 = 4;

/// Whom a proof is said to be of: the chain's genesis; a header that is pinned whatever it says; a state root that is that of
/// the first node; a later block of the chain.
fn genesis(data: &[u8]) {
    let mut input = Input(data);
    let mode = input.byte() % MODES;
    let Some(mut proof) = received_within::<StartProof>(input.rest(), PER_BYTE_OF_GENESIS) else {
        return;
    };
    if let (2, Some(node), Some(root)) = (mode, proof.nodes.first(), proof.header.get_mut(33..65)) {
        root.copy_from_slice(Blake2Hasher::hash(node).as_bytes());
    }
    let hash = match mode {
        0 => CHAIN.genesis_hash,
        3 => *START,
        _ => proof.block_hash(),
    };
    let begun = Trusted::from_start(CHAIN.genesis_hash, hash, &proof, Mode::Full);
    let Ok(found) = proof.check(hash) else {
        assert!(begun.is_err(), "what does not hold is no start");
        return;
    };
    assert_eq!(found.hash, hash);
    assert_eq!(Some(found.number), proof.block_number());
    assert_eq!(found.keys.commitment(), &found.keysets.current);
    assert_eq!(found.keys.key_bytes(), proof.keys);
    if hash == CHAIN.genesis_hash {
        assert_eq!(Some(&proof.keys), CHAIN.keys(0).as_ref());
    }
    if hash == *START {
        assert_eq!(Some(&proof.keys), CHAIN.keys(SET).as_ref());
    }
    match begun {
        Ok(trusted) => {
            assert_eq!(
                (trusted.best_hash(), trusted.best_number()),
                (hash, found.number)
            );
            assert_eq!(trusted.signing(), &found.keysets.current);
            // Another block 0 is another chain's.
            assert_eq!(found.number.get() == 0, hash == CHAIN.genesis_hash);
        }
        Err(error) => assert!(["LIGHT-1", "LIGHT-2"].contains(&error.rule()), "{error}"),
    }
}

fn genesis_seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    let mut with = |name: &str, change: &dyn Fn(&mut StartProof)| {
        for mode in 0..MODES {
            let mut changed = match mode {
                3 => CHAIN.start_proof(SET),
                _ => CHAIN.genesis_proof(),
            };
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
