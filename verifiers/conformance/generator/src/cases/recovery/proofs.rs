//! Recovery proofs. (RECOVER-5, RECOVER-6)

use super::world::{no_points, World, ELSEWHERE, GENESIS};
use crate::cases::builder::Builder;
use crate::{cases::builder::scale, format::hexed};
use codec::Encode;
use duet_curve::testing::{G1, G2};
use duet_primitives::{
    suite::{RECOVERY_SUITE, SIGNATURE_SUITE},
    testing::{secret, sign_point, TestSet},
    Bitfield, MerkleProof, Pk1Bytes, Pk2Bytes, RecoveryProof, SignatureBytes, SignerIndex,
};
use serde_json::json;

const OPERATION: &str = "recovery_proof";

pub(super) fn add(builder: &mut Builder, world: &World) {
    for (id, signers) in [
        ("by all", &[0, 1, 2, 3, 4, 5, 6][..]),
        ("by all but one", &[0, 1, 2, 3, 4, 5]),
        ("by the threshold", &[0, 2, 3, 4, 6]),
        ("by the last five", &[2, 3, 4, 5, 6]),
    ] {
        let input = world.input("proof", &world.proof(signers));
        builder.holds(&format!("proof: {id}"), OPERATION, input);
    }
    let mut largest = World::new();
    largest.statement.set.len = 100_000;
    largest.statement.reset_number = duet_primitives::BlockNumber::new(51);
    largest.statement.ended = duet_primitives::SetId::new(10);
    let proof = largest.proof(&[0, 1, 2, 3, 4]);
    let id = "proof: a reset one block later, a set of 100 000 with the next id";
    builder.holds(id, OPERATION, world.input("proof", &proof));
    statements(builder, world);
    signers(builder, world);
    equation(builder, world);
    bytes(builder, world);
}

fn good(world: &World) -> RecoveryProof {
    world.proof(&[0, 2, 3, 4, 6])
}

fn with(world: &World, change: impl Fn(&mut RecoveryProof)) -> RecoveryProof {
    let mut proof = good(world);
    change(&mut proof);
    proof
}

fn refuse(builder: &mut Builder, world: &World, rule: &str, id: &str, bad: &RecoveryProof) {
    let input = world.input("proof", bad);
    builder.breaks(rule, &format!("proof: {id}"), OPERATION, input);
}

/// What the statement says comes before who signed it.
fn statements(builder: &mut Builder, world: &World) {
    for (rule, id, statement) in world.refused() {
        // The same verdict where nobody signed.
        let bad = with(world, |it| it.statement = statement.clone());
        refuse(builder, world, rule, id, &bad);
    }
    let unsigned = with(world, |it| {
        it.statement.reset_number = it.statement.block_number;
        it.signers = Bitfield::empty(7);
    });
    let id = "a reset in the same block, and no signers";
    refuse(builder, world, "RECOVER-5", id, &unsigned);
    let other_set = with(world, |it| {
        it.statement.reset_number = it.statement.block_number;
        it.statement.recovery_set = duet_primitives::SetId::new(4);
    });
    let id = "a reset in the same block, and another recovery set";
    refuse(builder, world, "RECOVER-6", id, &other_set);
    for (_, case) in no_points(&G1) {
        let bad = with(world, |it| it.statement.set.apk1 = Pk1Bytes(case.bytes));
        let id = format!("a total of the new set that is {}", case.name);
        refuse(builder, world, "RECOVER-5", &id, &bad);
    }
    for (id, statement) in world.changed() {
        let bad = with(world, |it| it.statement = statement.clone());
        refuse(builder, world, "JUST-5", id, &bad);
    }
}

/// JUST-2 to JUST-4, STATELESS-1, STATELESS-2.
fn signers(builder: &mut Builder, world: &World) {
    let keys = world.set.set.keyset().key_bytes();
    let stranger = secret(99).public().pk1();
    let of_four = Bitfield::from_indices(7, [0, 2, 3, 4].map(SignerIndex::new));
    let of_others = MerkleProof::prove(&keys, &[2, 5].map(SignerIndex::new)).expect("members");
    for (rule, id, bad) in [
        (
            "JUST-2",
            "a bitfield that is too long",
            with(world, |it| it.signers = Bitfield::from_bytes(vec![0x5d, 0])),
        ),
        (
            "ENC-6",
            "a bitfield of 12 501 bytes",
            with(world, |it| {
                it.signers = Bitfield::from_bytes(vec![0; 12_501])
            }),
        ),
        (
            "JUST-2",
            "a bitfield without bytes",
            with(world, |it| it.signers = Bitfield::from_bytes(vec![])),
        ),
        (
            "JUST-3",
            "a padding bit",
            with(world, |it| it.signers = Bitfield::from_bytes(vec![0xdd])),
        ),
        (
            "JUST-4",
            "four signers of seven",
            with(world, |it| it.signers = of_four.clone()),
        ),
        (
            "JUST-4",
            "no signers",
            with(world, |it| it.signers = Bitfield::empty(7)),
        ),
        (
            "STATELESS-1",
            "a non-signer's key is missing",
            with(world, |it| it.non_signers.truncate(1)),
        ),
        (
            "STATELESS-1",
            "a key too many",
            with(world, |it| it.non_signers.push(keys[6])),
        ),
        (
            "STATELESS-2",
            "keys in each other's place",
            with(world, |it| it.non_signers.reverse()),
        ),
        (
            "STATELESS-2",
            "the key of a stranger",
            with(world, |it| it.non_signers[0] = stranger),
        ),
        (
            "STATELESS-2",
            "no hashes",
            with(world, |it| it.proof = MerkleProof::default()),
        ),
        (
            "STATELESS-2",
            "the hashes of other positions",
            with(world, |it| it.proof = of_others.clone()),
        ),
    ] {
        refuse(builder, world, rule, id, &bad);
    }
}

/// ENC-1 to ENC-4 for both points, then JUST-5.
fn equation(builder: &mut Builder, world: &World) {
    for (rule, case) in no_points(&G1) {
        let bad = with(world, |it| it.signature = SignatureBytes(case.bytes));
        let id = format!("a signature that is {}", case.name);
        refuse(builder, world, &rule, &id, &bad);
    }
    for (rule, case) in no_points(&G2) {
        let bad = with(world, |it| it.apk2 = Pk2Bytes(case.bytes));
        let id = format!("an apk2 that is {}", case.name);
        refuse(builder, world, &rule, &id, &bad);
    }
    let others = world.proof(&[1, 2, 3, 4, 5]);
    let mut negated = good(world);
    negated.signature.0[0] ^= 0x20;
    negated.apk2.0[0] ^= 0x20;
    for (id, bad) in [
        (
            "another signature",
            with(world, |it| it.signature = others.signature),
        ),
        ("another apk2", with(world, |it| it.apk2 = others.apk2)),
        (
            "the sums of others under these bits",
            with(world, |it| {
                (it.signature, it.apk2) = (others.signature, others.apk2)
            }),
        ),
        ("signature and apk2 both negated", negated),
    ] {
        refuse(builder, world, "JUST-5", id, &bad);
    }
    let mut elsewhere = world.input("proof", &good(world));
    elsewhere["genesis_hash"] = json!(hexed(ELSEWHERE));
    builder.breaks("JUST-5", "proof: on another chain", OPERATION, elsewhere);
    of_one(builder, world);
}

/// A set of one, where one signature is all of the sum, so that a suite and a message are one's own choice.
fn of_one(builder: &mut Builder, world: &World) {
    let one = World {
        set: TestSet::new(3, [20]),
        statement: world.statement.clone(),
    };
    let good = one.proof(&[0]);
    builder.holds(
        "proof: by a set of one",
        OPERATION,
        one.input("proof", &good),
    );
    let signed = one.statement.signed_bytes(GENESIS);
    for (id, suite, message) in [
        ("in the suite of votes", SIGNATURE_SUITE, &signed[..]),
        ("without a prefix", RECOVERY_SUITE, &signed[26..]),
        ("of the statement alone", RECOVERY_SUITE, &signed[58..]),
    ] {
        let mut bad = good.clone();
        bad.signature = sign_point(&one.set.secrets[0], suite, message).sigma();
        refuse(builder, &one, "JUST-5", id, &bad);
    }
}

/// ENC-6, and SET-3 for the terms.
fn bytes(builder: &mut Builder, world: &World) {
    let good = good(world);
    let mut longer = good.encode();
    longer.push(0);
    for (id, bytes) in [
        ("a byte behind it", &longer[..]),
        ("a byte less", &longer[..longer.len() - 2]),
    ] {
        let mut input = world.input("proof", &good);
        input["proof"] = json!(hexed(bytes));
        builder.breaks("ENC-6", &format!("proof: {id}"), OPERATION, input);
    }
    for (_, case) in no_points(&G1) {
        let mut set = world.set.set.commitment().clone();
        set.apk1 = Pk1Bytes(case.bytes);
        let mut input = world.input("proof", &good);
        input["commitment"] = json!(scale(&set));
        let id = format!("proof: a total of the recovery set that is {}", case.name);
        builder.breaks("SET-3", &id, OPERATION, input);
    }
}
