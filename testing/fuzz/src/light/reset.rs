//! What a server says about a reset.

use super::chain::BEGINNINGS;
use crate::{
    target::{seed, Input, Seed, Target},
    wire::{bounded, PER_BYTE},
};
use codec::{Compact, Encode};
use duet_light_client::Trusted;
use duet_primitives::{
    suite::ENGINE_ID, testing::TestSet, ConsensusLog, KeysetCommitment, SetId, H256,
};
use sp_core::{Blake2Hasher, Hasher};

pub(super) const RESET: Target = Target {
    // LIGHT-8.
    name: "light_reset",
    run: reset,
    seeds: reset_seeds,
};

/// What is taken for a reset leads on from what is trusted, and a client can begin there.
fn reset(data: &[u8]) {
    let mut input = Input(data);
    let which = usize::from(input.byte()) % BEGINNINGS.len();
    let (trusted, header) = (&BEGINNINGS[which], input.rest());
    let claim = bounded(header, PER_BYTE, |header| trusted.reset_claim(header));
    let Ok(claim) = claim else { return };
    assert!(claim.block_number() > trusted.best_number());
    assert!(claim.set().id > trusted.latest_set().id);
    assert_eq!(claim.block_hash(), Blake2Hasher::hash(header));
    let begun = Trusted::from_checkpoint(claim.checkpoint(), trusted.mode());
    let begun = begun.expect("a checkpoint that was shown can be begun from");
    assert_eq!(begun.signing(), claim.set());
    // The log stands in the header as it would be written.
    let log = ConsensusLog::Reset {
        ended: claim.ended(),
        set: claim.set().clone(),
    };
    let log = log.encode();
    assert!(header.windows(log.len()).any(|part| part == log));
}

fn header(number: u32, items: &[Vec<u8>]) -> Vec<u8> {
    let root = H256::repeat_byte(5);
    let count = Compact(u32::try_from(items.len()).expect("few"));
    let start = (root, Compact(number), root, root, count).encode();
    [start, items.concat()].concat()
}

fn item(kind: u8, log: &ConsensusLog) -> Vec<u8> {
    (kind, ENGINE_ID, log.encode()).encode()
}

fn reset_seeds() -> Vec<Seed> {
    let to = |id: u64| TestSet::new(id, 20..24).set.commitment().clone();
    let log = |set: KeysetCommitment| ConsensusLog::Reset {
        ended: SetId::new(0),
        set,
    };
    let good = item(4, &log(to(7)));
    let mut empty = to(7);
    empty.len = 0;
    let others = [
        vec![8],
        (0_u8, vec![1_u8, 2]).encode(),
        item(4, &ConsensusLog::Activated(SetId::new(3))),
        (5_u8, *b"aura", vec![2_u8; 64]).encode(),
        (6_u8, *b"aura", vec![1_u8]).encode(),
    ];
    let cases = [
        ("good", header(500, std::slice::from_ref(&good))),
        ("others", header(500, &others)),
        (
            "among others",
            header(500, &[&others[..], std::slice::from_ref(&good)].concat()),
        ),
        ("two", header(500, &[good.clone(), item(4, &log(to(8)))])),
        ("old block", header(0, std::slice::from_ref(&good))),
        ("old set", header(500, &[item(4, &log(to(0)))])),
        ("no keys", header(500, &[item(4, &log(empty))])),
        ("a seal", header(500, &[item(5, &log(to(7)))])),
        ("an unknown item", header(500, &[item(7, &log(to(7)))])),
    ];
    let mut seeds = Vec::new();
    for (name, bytes) in cases {
        for which in [0, 1] {
            seeds.push(seed(
                format!("{name} {which}"),
                [&[which][..], &bytes].concat(),
            ));
        }
    }
    seeds
}
