//! What servers send.

use super::{
    chain::CHAIN,
    received::{received, received_within, PER_BYTE_OF_GENESIS},
};
use crate::target::{seed, Input, Seed, Target};
use codec::Encode;
use duet_light_client::{HandoffProof, StartProof};
use duet_primitives::{Pk1Bytes, StatelessProof, UncheckedJustification};

pub(super) const DECODE: Target = Target {
    // ENC-6.
    name: "light_decode",
    run: light_decode,
    seeds: decode_seeds,
};

fn light_decode(data: &[u8]) {
    let mut input = Input(data);
    let which = input.byte();
    let bytes = input.rest();
    match which % 7 {
        0 => drop(received::<UncheckedJustification>(bytes)),
        1 => drop(received::<StatelessProof>(bytes)),
        2 => drop(received::<HandoffProof>(bytes)),
        3 => drop(received::<Vec<HandoffProof>>(bytes)),
        4 => drop(received::<Vec<StatelessProof>>(bytes)),
        5 => drop(received::<Vec<Pk1Bytes>>(bytes)),
        _ => drop(received_within::<StartProof>(bytes, PER_BYTE_OF_GENESIS)),
    }
}

fn decode_seeds() -> Vec<Seed> {
    let chain = &*CHAIN;
    let justification = chain.justification(2).expect("a proof");
    let stateless = chain.stateless_proof(2).expect("a proof");
    let sets = chain.handoff_proofs(0, 2);
    let encoded = [
        ("justification", justification.encode()),
        ("stateless proof", stateless.encode()),
        ("handoff proof", sets[0].encode()),
        ("handoff proofs", sets.encode()),
        (
            "stateless proofs",
            chain.stateless_handoff_proofs(0, 2).encode(),
        ),
        ("keys", chain.keys(0).expect("keys").encode()),
        ("genesis proof", chain.genesis_proof().encode()),
    ];
    let mut seeds = Vec::new();
    for (which, (name, bytes)) in (0_u8..).zip(encoded) {
        seeds.push(seed(name, [&[which][..], &bytes].concat()));
        // A list that claims to hold a billion, at the front.
        seeds.push(seed(
            format!("{name} claims a billion"),
            [which, 3, 0xff, 0xff, 0xff, 0x3f, 0],
        ));
    }
    // Many empty lists: the most memory for a byte.
    let nodes = vec![Vec::<u8>::new(); 1500];
    let empty = (Vec::<u8>::new(), nodes, Vec::<Pk1Bytes>::new()).encode();
    seeds.push(seed(
        "genesis proof of empty nodes",
        [&[6][..], &empty].concat(),
    ));
    seeds
}
