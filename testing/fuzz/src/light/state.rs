//! Stored states and checkpoints.

use super::chain::{BEGINNINGS, CHAIN};
use crate::{
    odd,
    target::{seed, Input, Seed, Target},
    wire::{decoded_by, PER_BYTE},
};
use codec::{DecodeAll, Encode};
use duet_light_client::{Checkpoint, Crossing, Dated, Mode, Outcome, Trusted, Update};
use duet_primitives::{
    testing::TestSet, BlockNumber, Pk1Bytes, Recovery, RecoveryMessage, RecoveryStatement,
    RecoveryTerms, RecoveryVote, SetId, SignerIndex, H256,
};
use sp_core::{Blake2Hasher, Hasher};

pub(super) const STATE: Target = Target {
    // ENC-6.
    name: "light_state",
    run: state,
    seeds: state_seeds,
};

/// The versions: without a date, without a recovery, without the state before a crossing, and the newest; and how the newer
/// ones say that there is none.
const UNDATED: u8 = 1;
const DATED: u8 = 2;
const RECOVERED: u8 = 3;
const NEWEST: u8 = 4;
const NO_DATE: u8 = 0;
const NO_RECOVERY: u8 = 0;
const NO_CROSSING: u8 = 0;

/// Bytes with their checksum, which a damaged file does not have.
fn with_checksum(body: &[u8]) -> Vec<u8> {
    [body, Blake2Hasher::hash(body).as_bytes()].concat()
}

fn state(data: &[u8]) {
    let mut input = Input(data);
    let which = input.byte() % 3;
    let bytes = input.rest();
    match which {
        0 => assert!(Trusted::decode(bytes).is_err() || bytes.len() > 32),
        1 => {
            if let Ok(trusted) = Trusted::decode(&with_checksum(bytes)) {
                let newest = match bytes {
                    [UNDATED, state @ ..] => {
                        [&[NEWEST], state, &[NO_DATE, NO_RECOVERY, NO_CROSSING]].concat()
                    }
                    [DATED, state @ ..] => [&[NEWEST], state, &[NO_RECOVERY, NO_CROSSING]].concat(),
                    [RECOVERED, state @ ..] => [&[NEWEST], state, &[NO_CROSSING]].concat(),
                    _ => bytes.to_vec(),
                };
                let encoded = trusted.encode();
                assert_eq!(encoded, with_checksum(&newest), "one encoding per state");
                let _ = (trusted.missing_keys(), trusted.checkpoint());
            }
        }
        _ => {
            let Some(checkpoint) = decoded_by(bytes, PER_BYTE, |bytes| {
                Checkpoint::decode_all(&mut &*bytes).ok()
            }) else {
                return;
            };
            for mode in [Mode::Full, Mode::Stateless] {
                if let Ok(trusted) = Trusted::from_checkpoint(checkpoint.clone(), mode) {
                    assert_eq!(trusted.checkpoint(), checkpoint);
                    assert!(trusted.in_mode(Mode::Stateless).missing_keys().is_none());
                }
            }
        }
    }
}

/// A state that waits to cross a reset after its newest block.
fn announced(trusted: &Trusted) -> Trusted {
    let keys = TestSet::new(3, 20..24);
    let statement = RecoveryStatement {
        recovery_set: SetId::new(3),
        block_number: trusted.best_number(),
        block_hash: trusted.best_hash(),
        ended: trusted.signing().id,
        reset_number: BlockNumber::new(1_000),
        reset_hash: H256::repeat_byte(6),
        set: TestSet::new(99, 0..4).set.commitment().clone(),
    };
    let message = RecoveryMessage::new(trusted.genesis_hash(), statement);
    let votes: Vec<_> = keys
        .secrets
        .iter()
        .zip(0..)
        .map(|(secret, signer)| RecoveryVote::sign(secret, SignerIndex::new(signer), &message))
        .collect();
    let set = keys.set.keyset();
    let proof = Recovery::combine(set, trusted.genesis_hash(), &votes).expect("all sign");
    let terms = RecoveryTerms {
        set: set.commitment().clone(),
        delay: 60,
    };
    let announced = trusted.announce(&terms, proof.into_unchecked(), 8, None);
    announced.expect("the set of the terms says it")
}

/// The state behind that reset.
fn crossed(announced: &Trusted) -> Trusted {
    match announced.cross(60_008, None) {
        Ok(Crossing::Crossed(trusted)) => *trusted,
        other => panic!("the wait is over: {other:?}"),
    }
}

/// A state without its checksum: without a date in all versions, with dates, and with a recovery.
fn bodies(name: &str, trusted: &Trusted) -> Vec<Seed> {
    let body = |trusted: &Trusted| {
        let mut bytes = trusted.encode();
        bytes.truncate(bytes.len() - 32);
        bytes
    };
    let undated = body(trusted);
    let [_, state @ .., NO_DATE, NO_RECOVERY, NO_CROSSING] = &undated[..] else {
        panic!("a state without a date, a recovery and a crossing");
    };
    let oldest = [&[UNDATED][..], state].concat();
    let older = [&[DATED][..], state, &[NO_DATE]].concat();
    let old = [&[RECOVERED][..], state, &[NO_DATE, NO_RECOVERY]].concat();
    let dated = |trusting_period| {
        trusted.clone().with_date(Dated {
            time: 7,
            trusting_period,
        })
    };
    let all = [
        (name.to_owned(), undated.clone()),
        (format!("{name} version 1"), oldest),
        (format!("{name} version 2"), older),
        (format!("{name} version 3"), old),
        (format!("{name} dated"), body(&dated(None))),
        (format!("{name} dated with a period"), body(&dated(Some(9)))),
        (
            format!("{name} with a recovery"),
            body(&announced(&dated(None))),
        ),
        (
            format!("{name} behind a reset"),
            body(&crossed(&announced(&dated(None)))),
        ),
    ];
    let all = all.into_iter();
    all.map(|(name, body)| seed(name, [&[1][..], &body].concat()))
        .collect()
}

fn state_seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for (mode, beginning) in ["full", "stateless"].into_iter().zip(BEGINNINGS.iter()) {
        let mut trusted = beginning.clone();
        for number in [0, 2, 5] {
            if number > 0 {
                let update: Update = match mode {
                    "full" => CHAIN.justification(number).expect("a proof").into(),
                    _ => CHAIN.stateless_proof(number).expect("a proof").into(),
                };
                if let Ok(Outcome::New(verified)) = trusted.verify(update) {
                    trusted = verified.trusted;
                }
            }
            let bytes = trusted.encode();
            seeds.push(seed(
                format!("{mode} at {number} whole"),
                [&[0][..], &bytes].concat(),
            ));
            seeds.extend(bodies(&format!("{mode} at {number}"), &trusted));
        }
    }
    let checkpoint = CHAIN.checkpoint(0);
    seeds.push(seed(
        "checkpoint",
        [&[2][..], &checkpoint.encode()].concat(),
    ));
    for (name, bytes) in odd::G1.iter() {
        let mut changed = checkpoint.clone();
        changed.keysets.current.apk1 = Pk1Bytes(*bytes);
        changed.keysets.next = changed.keysets.current.clone();
        seeds.push(seed(
            format!("checkpoint with {name}"),
            [&[2][..], &changed.encode()].concat(),
        ));
    }
    seeds
}
