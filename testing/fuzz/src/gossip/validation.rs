//! What a validator does with sequences of messages.

use super::{
    message,
    model::{Model, Range},
    node::{Node, AWAITED, NEXT, ROUNDS_PER_SIGNER, SIGNING},
    peer::PEERS,
    script::{next_message, BLOCKS},
};
use crate::{
    odd,
    sample::SAMPLE,
    target::{seed, Input, Seed, Target},
};
use codec::Encode;
use duet_gossip::message::GossipMessage;
use duet_primitives::testing::TestSet;

pub(super) const VALIDATION: Target = Target {
    // GOSSIP-1 to GOSSIP-7, GOSSIP-11.
    name: "gossip_validation",
    run: validation,
    seeds: validation_seeds,
};

/// Up to a dozen messages: for each its sender, its kind, and what it says. (GOSSIP-1 to GOSSIP-7)
fn validation(data: &[u8]) {
    let mut input = Input(data);
    let mut node = Node::new();
    let range = |set: &'static TestSet, [lowest, highest]: [u32; 2]| Range {
        set: &set.set,
        lowest,
        highest,
    };
    let windows = vec![range(&SAMPLE.set, SIGNING), range(&SAMPLE.next, NEXT)];
    let mut model = Model::new(windows, range(&SAMPLE.set, AWAITED), ROUNDS_PER_SIGNER);
    for _ in 0..12 {
        if input.is_empty() {
            break;
        }
        let sender = PEERS[input.place(PEERS.len())];
        let bytes = next_message(&mut input);
        node.receives(&sender, &bytes, &model.receive(&bytes));
    }
}

fn validation_seeds() -> Vec<Seed> {
    let raw = |bytes: &[u8]| {
        let len = u16::try_from(bytes.len()).expect("a short message");
        [&[0, 3][..], &len.to_le_bytes(), bytes].concat()
    };
    let good_vote = raw(&GossipMessage::Vote(message::vote()).encode());
    let good_proof = raw(&GossipMessage::Justification(message::justification()).encode());
    // Sender, kind, block, version, signer, deviation.
    let vote = |block: u8, version: u8, signer: u8| [1, 0, block, version, signer, 0];
    let proof = |block: u8, version: u8| [2, 2, block, version, 0, 0];
    // Sender, kind, number of further votes, and of each vote block, version, signer, deviation.
    let bundle = |deviations: [u8; 3]| {
        let votes = (1..4)
            .zip(deviations)
            .flat_map(|(signer, it)| [0, 0, signer, it]);
        [0, 5, 2].into_iter().chain(votes).collect::<Vec<u8>>()
    };
    let mut seeds = vec![
        seed("a bundle", bundle([0; 3])),
        seed("a bundle twice", bundle([0; 3]).repeat(2)),
        seed("a bundle with a forged vote", bundle([0, 1, 0])),
        // Deviation 6 takes one more byte, for the signer.
        seed(
            "a bundle with a vote of nobody",
            [&[0, 5, 2, 0, 0, 1, 0, 0, 0, 2, 6, 99][..], &[0, 0, 3, 0]].concat(),
        ),
        seed(
            "a bundle with a vote twice",
            [&[0, 5, 2][..], &[0, 0, 1, 1], &[0, 0, 1, 0], &[0, 0, 1, 0]].concat(),
        ),
        seed(
            "a bundle after a vote of another version",
            [&vote(0, 1, 2)[..], &bundle([0; 3])].concat(),
        ),
        seed("a vote", good_vote.clone()),
        seed("a justification", good_proof.clone()),
        seed("the same vote twice", good_vote.repeat(2)),
        seed("the same justification twice", good_proof.repeat(2)),
        seed(
            "a vote and its justification",
            [good_vote, good_proof].concat(),
        ),
        seed("garbage", raw(&[7; 20])),
        seed("nothing", raw(&[])),
        seed("a long one", raw(&[0; 400])),
        seed(
            "three votes of one signer on a block",
            [vote(0, 0, 2), vote(0, 1, 2), vote(0, 2, 2)].concat(),
        ),
        seed("a vote of nobody", vote(0, 0, 7)),
        seed(
            "votes of one signer, upwards",
            [0, 1, 2, 3, 4, 0].map(|block| vote(block, 0, 3)).concat(),
        ),
        seed(
            "votes of one signer, downwards",
            [4, 3, 2, 1, 0].map(|block| vote(block, 0, 3)).concat(),
        ),
        seed(
            "two versions of a displaced vote",
            [
                vote(0, 0, 3),
                vote(1, 0, 3),
                vote(2, 0, 3),
                vote(3, 0, 3),
                vote(0, 1, 3),
            ]
            .concat(),
        ),
    ];
    for (place, block) in (0_u8..).zip(BLOCKS) {
        for version in [0, 3] {
            let votes = [vote(place, version, 1), vote(place, version, 1)].concat();
            seeds.push(seed(format!("votes on {block} version {version}"), votes));
            let proofs = [proof(place, version), proof(place, 1)].concat();
            seeds.push(seed(format!("proofs of {block} version {version}"), proofs));
        }
    }
    let deviating = |kind: u8, deviation: u8, place: u8| {
        let good = [0, kind, 0, 0, 4, 0];
        [&[0, kind, 0, 0, 4, deviation, place][..], &good].concat()
    };
    for (place, (name, _)) in (0_u8..).zip(odd::G1.iter()) {
        seeds.push(seed(format!("vote sigma {name}"), deviating(0, 2, place)));
        seeds.push(seed(
            format!("proof signature {name}"),
            deviating(2, 2, place),
        ));
    }
    for (place, (name, _)) in (0_u8..).zip(odd::G2.iter()) {
        seeds.push(seed(format!("proof apk2 {name}"), deviating(2, 3, place)));
    }
    for (place, (name, _)) in (0_u8..).zip(odd::SCALARS.iter()) {
        seeds.push(seed(format!("vote c {name}"), deviating(0, 3, place)));
        seeds.push(seed(format!("vote s {name}"), deviating(0, 4, place)));
    }
    for (place, order) in (0_u8..).zip(odd::G1_ORDERS) {
        seeds.push(seed(
            format!("vote sigma plus {order}"),
            deviating(0, 5, place),
        ));
        seeds.push(seed(
            format!("proof signature plus {order}"),
            deviating(2, 4, place),
        ));
    }
    for (place, order) in (0_u8..).zip(odd::G2_ORDERS) {
        seeds.push(seed(
            format!("proof apk2 plus {order}"),
            deviating(2, 5, place),
        ));
    }
    let bits: [(&str, &[u8]); 5] = [
        ("no byte", &[0]),
        ("padding", &[1, 0xff]),
        ("a byte more", &[2, 0x7f, 0]),
        ("below the threshold", &[1, 0x0f]),
        ("other signers", &[1, 0x3f]),
    ];
    for (name, bits) in bits {
        let bytes = [&[0, 2, 0, 0, 7, 6][..], bits].concat();
        seeds.push(seed(format!("bits: {name}"), bytes));
    }
    seeds
}
