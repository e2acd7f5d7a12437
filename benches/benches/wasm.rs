//! The cost of a registration to a chain: inside of WASM, as a node runs its runtime.

use codec::Encode;
use duet_benches::{
    fixtures::{registration, Registration, Round, GENESIS},
    harness::{Harness, Pace},
    wasm::{Guest, Operation, Pairings},
};
use duet_primitives::{EquivocationProof, H256};
use std::sync::LazyLock;

fn guest(pairings: Pairings) -> Guest {
    Guest::new(pairings).expect("the module is built for wasm32v1-none")
}

static GUEST: LazyLock<Guest> = LazyLock::new(|| guest(Pairings::Inside));
static HOSTED: LazyLock<Guest> = LazyLock::new(|| guest(Pairings::ByHost));

fn operation(name: &str, input: &[u8]) -> Operation {
    operation_of(&GUEST, name, input)
}

fn operation_of(guest: &Guest, name: &str, input: &[u8]) -> Operation {
    guest
        .operation(name, input)
        .expect("the module has every operation")
}

/// One registration, from the bytes of key and proof.
fn possession(harness: &mut Harness) {
    let schemes = [
        ("duet", "possession_duet", &GUEST),
        ("duet,pairings=host", "possession_duet", &HOSTED),
        ("sp_core_bls381", "possession_sp_core", &GUEST),
        ("w3f_bls_381", "possession_w3f", &GUEST),
    ];
    for (scheme, export, guest) in schemes {
        let name = format!("possession::verify/where=wasm,scheme={scheme}");
        harness.measure(&name, Pace::Slow, || {
            let Registration { key, owner, proof } = registration();
            let input = [key.as_ref(), proof.as_ref(), &owner].concat();
            let mut work = operation_of(guest, export, &input);
            move || work.run()
        });
    }
}

/// Two votes of one member of a set of 100 on one block.
fn equivocation(harness: &mut Harness) {
    let name = "equivocation::check/where=wasm,n=100,scheme=duet";
    harness.measure(name, Pace::Slow, || {
        let round = Round::of(100);
        let other = duet_primitives::Commitment {
            block_hash: H256::repeat_byte(9),
            ..round.commitment.clone()
        };
        let [first, second] = [round.commitment.clone(), other].map(|commitment| {
            let message = duet_primitives::RoundMessage::new(GENESIS, commitment);
            round.set.vote(3, &message).expect("a member's vote holds")
        });
        let evidence =
            EquivocationProof::new(round.keyset(), &first, &second).expect("they conflict");
        let input = (evidence, round.set.set.commitment(), GENESIS).encode();
        let mut work = operation("equivocation_duet", &input);
        move || work.run()
    });
}

/// The pallet's work on the keys of a planned set.
fn keyset(harness: &mut Harness) {
    let name = "keyset::commit/where=wasm,n=100,scheme=duet";
    harness.measure(name, Pace::Slow, || {
        let keys = Round::of(100).keyset().key_bytes();
        let mut work = operation("keyset_duet", &keys.encode());
        move || work.run()
    });
}

fn main() {
    let mut harness = Harness::from_environment();
    possession(&mut harness);
    equivocation(&mut harness);
    keyset(&mut harness);
}
