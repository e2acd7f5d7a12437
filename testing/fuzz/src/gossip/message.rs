//! What is gossiped, decoded.

use super::definition;
use crate::{
    odd,
    sample::SAMPLE,
    target::{seed, Seed, Target},
    wire::{bounded, PER_BYTE},
};
use codec::Encode;
use duet_gossip::{
    message::GossipMessage,
    notification::{messages_of, next_notification},
    reputation::PeerBehaviour,
    GOSSIP,
};
use duet_primitives::{suite::MAX_VALIDATORS, Bitfield, UncheckedJustification, UncheckedVote};

pub(super) const MESSAGE: Target = Target {
    // GOSSIP-1, GOSSIP-11.
    name: "gossip_message",
    run: message,
    seeds: message_seeds,
};

fn message(data: &[u8]) {
    let found = bounded(data, PER_BYTE, messages_of);
    assert_eq!(found, definition::messages(data));
    match found {
        // A bundle of one is not how nodes send a vote.
        Ok(messages) if messages.len() > 1 || data[0] < 2 => {
            let again = next_notification(&messages, GOSSIP.newest);
            assert_eq!(again, Some((data.to_vec(), messages.len())));
        }
        Ok(_) => {}
        Err(error) => {
            let cost = PeerBehaviour::of_message_error(&error).reputation().value;
            assert!(cost < 0, "no honest node sends this");
        }
    }
}

/// A good vote of the sample's set.
pub(super) fn vote() -> UncheckedVote {
    let vote = SAMPLE.set.vote(2, &SAMPLE.message);
    vote.expect("a member's vote").into_unchecked()
}

/// A good justification of the sample's set.
pub(super) fn justification() -> UncheckedJustification {
    SAMPLE.set.justify(&SAMPLE.message, 1..7).into_unchecked()
}

/// The same vote so many times, in one notification.
fn bundle(len: usize) -> Vec<u8> {
    let vote = vote();
    let votes = vec![(vote.signer, vote.signature); len];
    (2_u8, vote.commitment, votes).encode()
}

fn message_seeds() -> Vec<Seed> {
    let vote = GossipMessage::Vote(vote()).encode();
    let justification = justification();
    let with_bits = |len| {
        let signers = Bitfield::empty(len);
        let long = UncheckedJustification {
            signers,
            ..justification.clone()
        };
        GossipMessage::Justification(long).encode()
    };
    let largest = with_bits(MAX_VALIDATORS);
    let justification = GossipMessage::Justification(justification.clone()).encode();
    let changed = |bytes: &[u8], kind: u8| [&[kind][..], &bytes[1..]].concat();
    let mut seeds = vec![
        seed("nothing", []),
        seed("kind zero alone", [0]),
        seed("kind one alone", [1]),
        seed("vote", vote.clone()),
        seed("justification", justification.clone()),
        seed("a vote as a justification", changed(&vote, 1)),
        seed("a justification as a vote", changed(&justification, 0)),
        seed("an unknown kind", changed(&vote, 3)),
        seed("a vote as a bundle", changed(&vote, 2)),
        seed("a bundle of none", bundle(0)),
        seed("a bundle of one", bundle(1)),
        seed("a bundle of three", bundle(3)),
        seed("a byte after a bundle", [&bundle(2)[..], &[0]].concat()),
        seed("the largest bundle", bundle(256)),
        seed("a vote more than the largest bundle", bundle(257)),
        seed("a byte after a vote", [&vote[..], &[0]].concat()),
        seed("a byte less", &vote[..vote.len() - 1]),
        seed("the largest justification", largest.clone()),
        seed("longer than the largest", [&largest[..], &[0; 8]].concat()),
        seed("a bit more than the largest", with_bits(MAX_VALIDATORS + 8)),
    ];
    // The list of bits begins after the commitment, which has a fixed length.
    let bits = 1 + SAMPLE.message.commitment().encoded_size();
    for (name, len) in [
        ("a gigabyte of bits", [0x02, 0, 0, 0xff]),
        ("a billion bits", [0x03, 0xff, 0xff, 0xff]),
    ] {
        let mut claims = justification.clone();
        claims[bits..bits + 4].copy_from_slice(&len);
        seeds.push(seed(name, claims));
    }
    // Points stay bytes here: nothing odd about them is an error yet.
    for (name, bytes) in odd::G1.iter().take(8) {
        let mut vote = vote.clone();
        let at = vote.len() - 112;
        vote[at..at + 48].copy_from_slice(bytes);
        seeds.push(seed(format!("sigma {name}"), vote));
    }
    seeds
}
