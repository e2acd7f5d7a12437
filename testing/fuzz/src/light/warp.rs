//! What GRANDPA proves, from a genesis on.

use crate::{
    target::{seed, Input, Seed, Target},
    wire::{bounded, PER_BYTE},
};
use codec::{Compact, Encode};
use duet_light_client::decode;
use duet_light_warp::{
    testing::{
        fragment, justification, votes, warp_proof, Block, Digest, TestGrandpa, Vote, ROUND,
    },
    Follower, GenesisProof, WarpProof,
};
use duet_primitives::H256;
use sp_core::{Blake2Hasher, Hasher};
use std::sync::LazyLock;

pub(super) const WARP: Target = Target {
    // WARP-1 to WARP-4.
    name: "light_warp",
    run: warp,
    seeds: warp_seeds,
};

static CHAIN: LazyLock<TestGrandpa> = LazyLock::new(TestGrandpa::default);

/// A block beside the chain's, which its voters signed, too: it changes them by force.
static FORCED: LazyLock<Block> = LazyLock::new(|| CHAIN.block(5, 0, Digest::Forced));

static BEGIN: LazyLock<Follower> = LazyLock::new(|| {
    let begun = Follower::begin(CHAIN.genesis.hash, &CHAIN.genesis_proof());
    begun.expect("its own voters")
});

/// What the input is: the voters of the chain's genesis, those of any genesis, or a proof from the chain's genesis on.
const MODES: u8 = 3;

fn warp(data: &[u8]) {
    let mut input = Input(data);
    match input.byte() % MODES {
        0 => genesis(input.rest(), Some(CHAIN.genesis.hash)),
        1 => genesis(input.rest(), None),
        _ => proof(input.rest()),
    }
}

/// Only the chain's own voters are its voters.
fn genesis(bytes: &[u8], pinned: Option<H256>) {
    let Ok(proof) = bounded(bytes, PER_BYTE, decode::<GenesisProof>) else {
        return;
    };
    assert_eq!(proof.encode(), bytes);
    let hash = pinned.unwrap_or_else(|| Blake2Hasher::hash(&proof.header));
    let Ok(begun) = Follower::begin(hash, &proof) else {
        return;
    };
    let at = (begun.number().get(), begun.hash(), begun.set_id());
    assert_eq!(at, (0, hash, 0));
    if hash == CHAIN.genesis.hash {
        assert_eq!(proof, CHAIN.genesis_proof());
    }
}

/// Nobody else has the voters' keys, so that what holds leads to what they signed.
fn proof(bytes: &[u8]) {
    let Ok(proof) = bounded(bytes, PER_BYTE, decode::<WarpProof>) else {
        return;
    };
    let Ok(end) = BEGIN.follow(&proof) else {
        return;
    };
    if end.hash() == FORCED.hash {
        assert_eq!((end.number().get(), end.set_id()), (5, 0));
        return;
    }
    let mut chain = std::iter::once(&CHAIN.genesis).chain(&CHAIN.blocks);
    let sets_ended = chain.position(|block| block.hash == end.hash());
    let sets_ended = sets_ended.expect("a block of the chain");
    let id = u64::try_from(sets_ended.min(2)).expect("few sets");
    assert_eq!(end.set_id(), id);
}

fn warp_seeds() -> Vec<Seed> {
    let (chain, all) = (&*CHAIN, CHAIN.fragments());
    let first = &chain.blocks[0];
    let (child, beside) = (first.child(1), first.child(2));
    let later = |voter| Vote::new(voter, &child, 0, ROUND);
    let mixed = [votes(0, first)[..2].to_vec(), vec![later(2)]].concat();
    let one = |block: &Block, votes: &[Vote], ancestry: &[&Block]| {
        warp_proof(
            &[fragment(block, &justification(block, votes, ancestry))],
            true,
        )
    };
    let changed = |digest| {
        let block = chain.block(5, 0, digest);
        one(&block, &votes(0, &block), &[])
    };
    let proofs = [
        ("all", warp_proof(&all, true)),
        ("a part", warp_proof(&all[..1], false)),
        ("none", warp_proof(&[], true)),
        ("twice", warp_proof(&[all[0].clone(), all[0].clone()], true)),
        ("one left out", warp_proof(&all[1..], true)),
        ("ancestry", one(first, &mixed, &[&child])),
        ("surplus", one(first, &mixed, &[&child, &beside])),
        ("no votes", one(first, &[], &[])),
        ("two votes", one(first, &votes(0, first)[..2], &[])),
        ("later", changed(Digest::Later)),
        ("nobody", changed(Digest::NoVoters)),
        ("forced", one(&FORCED, &votes(0, &FORCED), &[])),
        ("a gigabyte", Compact(1_u32 << 29).encode()),
    ];
    let state = |value| TestGrandpa::with_state(value).genesis_proof();
    let mut twice = chain.genesis_proof();
    twice.nodes.push(twice.nodes[0].clone());
    let geneses = [
        ("voters", chain.genesis_proof()),
        ("a node twice", twice),
        ("no voters", state(None)),
        ("an empty list", state(Some(vec![0]))),
    ];
    let mut seeds = Vec::new();
    for (name, proof) in geneses {
        for mode in [0, 1] {
            let bytes = [&[mode][..], &proof.encode()].concat();
            seeds.push(seed(format!("genesis {name} {mode}"), bytes));
        }
    }
    for (name, proof) in proofs {
        seeds.push(seed(format!("proof {name}"), [&[2][..], &proof].concat()));
    }
    seeds
}
