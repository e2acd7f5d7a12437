//! Stored states and checkpoints.

use super::chain::{BEGINNINGS, CHAIN};
use crate::{
    odd,
    target::{seed, Input, Seed, Target},
    wire::{decoded_by, PER_BYTE},
};
use codec::{DecodeAll, Encode};
use duet_light_client::{Checkpoint, Mode, Outcome, Trusted, Update};
use duet_primitives::Pk1Bytes;
use sp_core::{Blake2Hasher, Hasher};

pub(super) const STATE: Target = Target {
    name: "light_state",
    run: state,
    seeds: state_seeds,
};

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
            let bytes = with_checksum(bytes);
            if let Ok(trusted) = Trusted::decode(&bytes) {
                assert_eq!(trusted.encode(), bytes, "one encoding per state");
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
            seeds.push(seed(
                format!("{mode} at {number}"),
                [&[1][..], &bytes[..bytes.len() - 32]].concat(),
            ));
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
