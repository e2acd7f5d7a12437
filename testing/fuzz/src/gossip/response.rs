//! What peers answer, decoded.

use super::definition::{MOST_HANDOFFS, MOST_NODES};
use crate::{
    light::CHAIN,
    target::{seed, Input, Seed, Target},
    wire::{decoded_by, PER_BYTE},
};
use codec::{Decode, DecodeAll, Encode};
use duet_gossip::{
    reputation::PeerBehaviour,
    requests::{
        history::{decode_first_set, decode_handoffs},
        justifications::decode_response,
        response::ResponseError,
    },
    source::{HandoffProof, StartProof},
};
use duet_primitives::UncheckedJustification;
use std::fmt::Debug;

pub(super) const RESPONSE: Target = Target {
    // REQ-2, REQ-3.
    name: "gossip_response",
    run: response,
    seeds: response_seeds,
};

/// One byte for the question; for handoff justifications, one more for how many were asked for.
fn response(data: &[u8]) {
    let mut input = Input(data);
    match input.byte() % 3 {
        0 => {
            let count = input.byte();
            let decode = |bytes: &[u8]| decode_response(bytes, count);
            list::<UncheckedJustification>(input.rest(), count, decode);
        }
        1 => genesis(input.rest()),
        _ => list::<HandoffProof>(input.rest(), MOST_HANDOFFS, decode_handoffs),
    }
}

/// A list is what the codec reads, and no longer than what was asked for. (REQ-2, REQ-3)
fn list<T: Decode + Encode + PartialEq + Debug>(
    bytes: &[u8],
    most: u8,
    decode: impl Fn(&[u8]) -> Result<Vec<T>, ResponseError>,
) {
    let decode_bounded = |bytes: &[u8]| decode(bytes).ok();
    let _ = decoded_by(bytes, PER_BYTE, decode_bounded);
    let (limit, by_codec) = (u32::from(most), Vec::<T>::decode_all(&mut &*bytes));
    let expected = match by_codec {
        Ok(list) if list.len() > usize::from(most) => Err(ResponseError::TooMany {
            limit,
            got: u32::try_from(list.len()).expect("as many as fit the input"),
        }),
        Ok(list) => Ok(list),
        Err(error) => Err(ResponseError::Malformed(error)),
    };
    let found = decode(bytes);
    assert_eq!(found, expected);
    blames_its_sender(found);
}

/// A genesis proof is what the codec reads, with as many nodes as a trie can have on a path. (REQ-3)
fn genesis(bytes: &[u8]) {
    let decode_bounded = |bytes: &[u8]| decode_first_set(bytes).ok();
    let found = decoded_by(bytes, PER_BYTE, decode_bounded);
    let by_codec = Option::<StartProof>::decode_all(&mut &*bytes).ok();
    let nodes = |proof: &Option<StartProof>| proof.as_ref().map_or(0, |proof| proof.nodes.len());
    let allowed = by_codec.filter(|proof| nodes(proof) <= MOST_NODES);
    assert_eq!(found, allowed);
    blames_its_sender(decode_first_set(bytes));
}

fn blames_its_sender<T>(found: Result<T, ResponseError>) {
    if let Err(error) = found {
        let cost = PeerBehaviour::of_response_error(&error).reputation().value;
        assert!(cost < 0, "no honest node answers with this");
    }
}

fn response_seeds() -> Vec<Seed> {
    let handoffs = CHAIN.handoff_proofs(0, 3);
    let justifications: Vec<_> = handoffs
        .iter()
        .map(|one| one.justification.clone())
        .collect();
    let genesis = CHAIN.genesis_proof();
    let with_nodes = |nodes: usize| StartProof {
        nodes: vec![Vec::new(); nodes],
        ..genesis.clone()
    };
    let none: Option<StartProof> = None;
    let first_only = &justifications[..1];
    let answers: [(&str, &[u8], Vec<u8>); 18] = [
        ("no justifications", &[0, 3], Vec::<u8>::new().encode()),
        ("justifications", &[0, 3], justifications.encode()),
        (
            "one justification more than asked for",
            &[0, 2],
            justifications.encode(),
        ),
        (
            "justifications, none asked for",
            &[0, 0],
            first_only.encode(),
        ),
        (
            "a billion justifications",
            &[0, 255],
            vec![3, 0xff, 0xff, 0xff, 0x3f],
        ),
        ("no genesis proof", &[1], none.encode()),
        ("a genesis proof", &[1], Some(&genesis).encode()),
        ("a genesis proof without its tag", &[1], genesis.encode()),
        ("another tag", &[1], (2_u8, &genesis).encode()),
        (
            "as many nodes as are allowed",
            &[1],
            Some(with_nodes(MOST_NODES)).encode(),
        ),
        (
            "a node too many",
            &[1],
            Some(with_nodes(MOST_NODES + 1)).encode(),
        ),
        ("empty nodes", &[1], Some(with_nodes(3000)).encode()),
        (
            "a billion nodes",
            &[1],
            [
                &Some(&genesis.header).encode()[..],
                &[3, 0xff, 0xff, 0xff, 0x3f],
            ]
            .concat(),
        ),
        ("no handoff proofs", &[2], Vec::<u8>::new().encode()),
        ("handoff proofs", &[2], handoffs.encode()),
        (
            "a billion handoff proofs",
            &[2],
            vec![3, 0xff, 0xff, 0xff, 0x3f],
        ),
        (
            "a billion keys",
            &[2],
            [
                &[4][..],
                &justifications[0].encode(),
                &[3, 0xff, 0xff, 0xff, 0x3f],
            ]
            .concat(),
        ),
        ("nothing", &[2], Vec::new()),
    ];
    let mut seeds: Vec<_> = answers
        .iter()
        .map(|(name, question, bytes)| seed(name, [question, &bytes[..]].concat()))
        .collect();
    let without_keys = HandoffProof {
        next_keys: Vec::new(),
        ..handoffs[0].clone()
    };
    for many in [MOST_HANDOFFS, MOST_HANDOFFS + 1] {
        let proofs = vec![without_keys.clone(); usize::from(many)];
        let bytes = [&[2][..], &proofs.encode()].concat();
        seeds.push(seed(format!("{many} handoff proofs"), bytes));
    }
    seeds
}
