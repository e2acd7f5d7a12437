//! Proofs of possession. (KEY-1, POP-1 to POP-4)

use super::builder::Builder;
use crate::format::{hexed, File};
use duet_primitives::{
    ownership_statement,
    suite::POSSESSION_SUITE,
    testing::{secret, sign_point},
    DualKeyBytes, PossessionProof, H256,
};
use serde_json::{json, Value};

const GENESIS: H256 = H256::repeat_byte(1);

fn input(key: DualKeyBytes, owner: &[u8], proof: &PossessionProof) -> Value {
    json!({ "key": hexed(key.0), "owner": hexed(owner), "proof": hexed(proof.0) })
}

pub(super) fn file() -> File {
    let mut builder = Builder::new(
        "possession",
        "Proofs of possession, with t, H_pop(pk2) and the digest of POP-4.",
    );
    let (alice, bob) = (secret(0), secret(1));
    let key = alice.public();
    let owner = ownership_statement(GENESIS, &[1_u8; 32]);
    let good = alice.prove_possession(&owner);
    for index in [0_u8, 1, 2] {
        let owner = ownership_statement(GENESIS, &[index; 32]);
        let secret = secret(index.into());
        let proof = secret.prove_possession(&owner);
        let id = format!("the holder of key {index} and an account");
        builder.holds(&id, "possession", input(secret.public(), &owner, &proof));
    }
    for (id, owner) in [
        ("another account", ownership_statement(GENESIS, &[2_u8; 32])),
        (
            "another chain",
            ownership_statement(H256::repeat_byte(2), &[1_u8; 32]),
        ),
        (
            "a key of a genesis",
            ownership_statement(H256::zero(), &[1_u8; 32]),
        ),
        ("an owner without its context", vec![1; 32]),
    ] {
        builder.breaks("POP-1", id, "possession", input(key, &owner, &good));
    }
    let swapped = PossessionProof::new(good.possession(), good.ownership());
    builder.breaks(
        "POP-1",
        "parts in each other's place",
        "possession",
        input(key, &owner, &swapped),
    );
    let twice = PossessionProof::new(good.ownership(), good.ownership());
    builder.breaks(
        "POP-2",
        "the ownership part twice",
        "possession",
        input(key, &owner, &twice),
    );
    let mixed = DualKeyBytes::new(key.pk1(), bob.public().pk2());
    builder.breaks(
        "POP-2",
        "one person's half with another's half",
        "possession",
        input(mixed, &owner, &good),
    );
    let of_bob = PossessionProof::new(good.ownership(), bob.prove_possession(&owner).possession());
    builder.breaks(
        "POP-2",
        "the possession part of another person",
        "possession",
        input(mixed, &owner, &of_bob),
    );
    let vouches = sign_point(&alice, POSSESSION_SUITE, &bob.public().pk2().0);
    let proof = PossessionProof::new(good.ownership(), vouches);
    builder.breaks(
        "POP-3",
        "a first half that vouches for a foreign second half",
        "possession",
        input(mixed, &owner, &proof),
    );
    changed(&mut builder, key, &owner, &good);
    builder.file()
}

fn changed(builder: &mut Builder, key: DualKeyBytes, owner: &[u8], good: &PossessionProof) {
    for (id, rule, at) in [
        ("a bit of the ownership part's c", "POP-1", 48),
        ("a bit of the ownership part's s", "POP-1", 80),
        ("a bit of the possession part's c", "POP-2", 112 + 48),
        ("a bit of the possession part's s", "POP-2", 112 + 80),
    ] {
        let mut proof = *good;
        proof.0[at] ^= 1;
        builder.breaks(rule, id, "possession", input(key, owner, &proof));
    }
    let mut no_point = key;
    no_point.0[0] = 0;
    builder.breaks(
        "KEY-1",
        "a key that is no point",
        "possession",
        input(no_point, owner, good),
    );
    let mut not_reduced = *good;
    not_reduced.0[48..80].fill(0xff);
    builder.breaks(
        "POP-1",
        "a challenge that is no scalar",
        "possession",
        input(key, owner, &not_reduced),
    );
}
