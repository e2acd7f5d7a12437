//! Accusations of the signers of a statement. (RECOVER-9)

use super::world::{World, ELSEWHERE, GENESIS};
use crate::{cases::builder::Builder, format::hexed};
use codec::{Decode, Encode};
use duet_primitives::{
    MerkleProof, RecoveryAccusation, RecoveryStatement, Signed, SignerIndex, H256,
};
use serde_json::json;

const OPERATION: &str = "recovery_accusation";

fn of_vote(world: &World) -> RecoveryAccusation {
    let vote = world.vote(5);
    let accusation = RecoveryAccusation::of_vote(&vote, world.set.set.keyset(), GENESIS);
    accusation.expect("a signature that holds")
}

fn of_proof(world: &World) -> RecoveryAccusation {
    let proof = world.proof(&[0, 2, 3, 4, 6]);
    let proof = proof.check(world.set.set.commitment(), GENESIS);
    let proof = proof.expect("a proof that holds");
    let mut parts = RecoveryAccusation::of_proof(&proof, world.set.set.keyset());
    parts.remove(0)
}

/// A multiproof of these hashes, which no set makes.
fn proof_of(hashes: &[H256]) -> MerkleProof {
    MerkleProof::decode(&mut &hashes.encode()[..]).expect("few hashes")
}

fn statement(signed: &mut Signed) -> &mut RecoveryStatement {
    match signed {
        Signed::Vote(vote) => &mut vote.statement,
        Signed::Proof(proof) => &mut proof.statement,
    }
}

pub(super) fn add(builder: &mut Builder, world: &World) {
    let good = of_proof(world);
    some_of_them(builder, world, &good, &[3]);
    some_of_them(builder, world, &good, &[0, 6]);
    let mut behind = good.clone();
    behind.accused[0].0 = SignerIndex::new(8);
    let mut twice = accusing(world, &good, &[3]);
    twice.accused.insert(0, twice.accused[0]);
    let hashes = twice.membership.hashes();
    twice.membership = proof_of(&[&hashes[..1], hashes].concat());
    let mut descending = accusing(world, &good, &[0, 6]);
    descending.accused.reverse();
    let mut hashes = descending.membership.hashes().to_vec();
    hashes.swap(1, 2);
    descending.membership = proof_of(&hashes);
    for (id, bad) in [
        ("a position behind the bitfield", behind),
        ("a signer twice, with a hash for each", twice),
        (
            "positions that descend, with hashes in their order",
            descending,
        ),
        (
            "a signer and a member who is none",
            accusing(world, &good, &[0, 1]),
        ),
    ] {
        let id = format!("accusation of a proof: {id}");
        builder.breaks("RECOVER-9", &id, OPERATION, world.input("accusation", &bad));
    }
    for (of, good) in [("of a vote", of_vote(world)), ("of a proof", good)] {
        let id = format!("accusation {of}");
        builder.holds(&id, OPERATION, world.input("accusation", &good));
        refused(builder, world, of, &good);
    }
    for (rule, count) in [("RECOVER-9", 256), ("ENC-6", 257)] {
        let mut many = of_vote(world);
        many.accused = vec![many.accused[0]; count];
        let id = format!("accusation of a vote: {count} members");
        builder.breaks(rule, &id, OPERATION, world.input("accusation", &many));
    }
}

/// Accuses some of the signers.
fn some_of_them(builder: &mut Builder, world: &World, good: &RecoveryAccusation, who: &[u32]) {
    let accusation = accusing(world, good, who);
    let id = format!("accusation of a proof: {} of its signers", who.len());
    builder.holds(&id, OPERATION, world.input("accusation", &accusation));
}

/// The same with these members as the accused, and a proof that they are members.
fn accusing(world: &World, good: &RecoveryAccusation, who: &[u32]) -> RecoveryAccusation {
    let set = world.set.set.keyset();
    let who: Vec<_> = who.iter().copied().map(SignerIndex::new).collect();
    let key = |signer: &SignerIndex| set.key(*signer).expect("a member").to_bytes();
    RecoveryAccusation {
        signed: good.signed.clone(),
        accused: who.iter().map(|signer| (*signer, key(signer))).collect(),
        membership: MerkleProof::prove(&set.key_bytes(), &who).expect("members"),
    }
}

fn refused(builder: &mut Builder, world: &World, of: &str, good: &RecoveryAccusation) {
    let keys = world.set.set.keyset().key_bytes();
    let with = |change: &dyn Fn(&mut RecoveryAccusation)| {
        let mut accusation = good.clone();
        change(&mut accusation);
        accusation
    };
    for (rule, id, said) in world.refused() {
        let bad = with(&|it| *statement(&mut it.signed) = said.clone());
        let id = format!("accusation {of}: {id}");
        builder.breaks(rule, &id, OPERATION, world.input("accusation", &bad));
    }
    let of_nobody = RecoveryAccusation {
        membership: MerkleProof::default(),
        ..with(&|it| it.accused.clear())
    };
    for (rule, id, bad) in [
        ("RECOVER-9", "nobody", of_nobody),
        ("RECOVER-9", "not a signer", accusing(world, good, &[1])),
        (
            "RECOVER-9",
            "a position outside of the set",
            with(&|it| it.accused[0].0 = SignerIndex::new(7)),
        ),
        (
            "RECOVER-9",
            "the key of another member",
            with(&|it| it.accused[0].1 = keys[1]),
        ),
        (
            "RECOVER-9",
            "a signer twice",
            with(&|it| it.accused.insert(0, it.accused[0])),
        ),
        (
            "RECOVER-9",
            "keys that are not proven",
            with(&|it| it.membership = MerkleProof::default()),
        ),
        (
            "JUST-5",
            "other words",
            with(&|it| statement(&mut it.signed).reset_hash = H256::zero()),
        ),
    ] {
        let id = format!("accusation {of}: {id}");
        builder.breaks(rule, &id, OPERATION, world.input("accusation", &bad));
    }
    let mut elsewhere = world.input("accusation", good);
    elsewhere["genesis_hash"] = json!(hexed(ELSEWHERE));
    let id = format!("accusation {of}: on another chain");
    builder.breaks("JUST-5", &id, OPERATION, elsewhere);
    let mut kind = good.encode();
    kind[0] = 2;
    let mut longer = good.encode();
    longer.push(0);
    for (id, bytes) in [("an unknown kind", kind), ("a byte behind it", longer)] {
        let mut input = world.input("accusation", good);
        input["accusation"] = json!(hexed(bytes));
        let id = format!("accusation {of}: {id}");
        builder.breaks("ENC-6", &id, OPERATION, input);
    }
}
