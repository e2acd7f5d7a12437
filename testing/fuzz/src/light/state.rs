//! Stored states and checkpoints.

use super::chain::{BEGINNINGS, CHAIN};
use crate::{
    odd,
    target::{seed, Input, Seed, Target},
    wire::{decoded_by, PER_BYTE},
};
use codec::{DecodeAll, Encode};
use duet_light_client::{Checkpoint, Dated, Mode, Outcome, Trusted, Update};
use duet_primitives::Pk1Bytes;
use sp_core::{Blake2Hasher, Hasher};

pub(super) const STATE: Target = Target {
    name: "light_state",
    run: state,
    seeds: state_seeds,
};

/// The version before the date, and how the newer one says that there is none.
const UNDATED: u8 = 1;
const NO_DATE: u8 = 0;

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
                    [UNDATED, state @ ..] => [&[2], state, &[NO_DATE]].concat(),
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

/// A state without its checksum: without a date in both versions, and with dates.
fn bodies(name: &str, trusted: &Trusted) -> Vec<Seed> {
    let body = |trusted: &Trusted| {
        let mut bytes = trusted.encode();
        bytes.truncate(bytes.len() - 32);
        bytes
    };
    let undated = body(trusted);
    let [_, state @ .., NO_DATE] = &undated[..] else {
        panic!("a state without a date");
    };
    let older = [&[UNDATED][..], state].concat();
    let dated = |trusting_period| {
        body(&trusted.clone().with_date(Dated {
            time: 7,
            trusting_period,
        }))
    };
    let all = [
        (name.to_owned(), undated.clone()),
        (format!("{name} version 1"), older),
        (format!("{name} dated"), dated(None)),
        (format!("{name} dated with a period"), dated(Some(9))),
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
