//! Proofs of possession of recovery keys, and drills. (RECOVER-1, RECOVER-2)

use super::world::{no_points, ELSEWHERE, GENESIS};
use crate::{cases::builder::Builder, format::hexed};
use codec::Encode;
use duet_curve::testing::{G1, SCALARS};
use duet_primitives::{
    ownership_statement, recovery_ownership_statement,
    suite::{
        POSSESSION_SUITE, RECOVERY_DRILL_PREFIX, RECOVERY_POSSESSION_SUITE, RECOVERY_SUITE,
        SIGNATURE_SUITE,
    },
    testing::{secret, sign_point},
    BlockNumber, Drill, DualKeyBytes, Pk2Bytes, PossessionProof, SecretKey, H256,
};
use serde_json::{json, Value};

const ACCOUNT: [u8; 32] = [3; 32];
const OTHER: [u8; 32] = [4; 32];

pub(super) fn add(builder: &mut Builder) {
    for suite in ["recovery", "recovery possession"] {
        let input = json!({ "suite": suite, "message": hexed(b"abc") });
        let id = format!("a message in the suite of {suite}");
        builder.holds(&id, "message_point", input);
    }
    possession(builder);
    drills(builder);
}

fn possessed(
    key: DualKeyBytes,
    genesis_hash: H256,
    account: [u8; 32],
    proof: &PossessionProof,
) -> Value {
    json!({
        "genesis_hash": hexed(genesis_hash),
        "account": hexed(account),
        "key": hexed(key.0),
        "proof": hexed(proof.0),
    })
}

/// A proof whose parts are in these suites.
fn in_suites(secret: &SecretKey, owner: &[u8], suites: [&[u8]; 2]) -> PossessionProof {
    let [ownership, possession] = suites;
    PossessionProof::new(
        sign_point(secret, ownership, &[b"POP_", owner].concat()),
        sign_point(secret, possession, &secret.public().pk2().0),
    )
}

fn possession(builder: &mut Builder) {
    const RECOVERY: [&[u8]; 2] = [RECOVERY_SUITE, RECOVERY_POSSESSION_SUITE];
    let (alice, bob) = (secret(20), secret(21));
    let key = alice.public();
    let owner = recovery_ownership_statement(GENESIS, &ACCOUNT);
    let good = alice.prove_recovery_possession(&owner);
    let operation = "recovery_possession";
    for (id, holder) in [("the holder of a key", &alice), ("of another key", &bob)] {
        let proof = holder.prove_recovery_possession(&owner);
        let input = possessed(holder.public(), GENESIS, ACCOUNT, &proof);
        builder.holds(&format!("possession: {id}"), operation, input);
    }
    for (id, genesis_hash, account) in [
        ("another account", GENESIS, OTHER),
        ("another chain", ELSEWHERE, ACCOUNT),
    ] {
        let input = possessed(key, genesis_hash, account, &good);
        builder.breaks("POP-1", &format!("possession: {id}"), operation, input);
    }
    let in_use = ownership_statement(GENESIS, &ACCOUNT);
    let without_context = [GENESIS.as_bytes(), &ACCOUNT].concat();
    let vouches = sign_point(&alice, RECOVERY_POSSESSION_SUITE, &bob.public().pk2().0);
    let mixed = DualKeyBytes::new(key.pk1(), bob.public().pk2());
    let of_bob = bob.prove_recovery_possession(&owner);
    for (rule, id, key, proof) in [
        (
            "POP-1",
            "in the suites of keys in use",
            key,
            alice.prove_possession(&owner),
        ),
        (
            "POP-1",
            "the ownership part in the suite of keys in use",
            key,
            in_suites(&alice, &owner, [SIGNATURE_SUITE, RECOVERY[1]]),
        ),
        (
            "POP-2",
            "the possession part in the suite of keys in use",
            key,
            in_suites(&alice, &owner, [RECOVERY[0], POSSESSION_SUITE]),
        ),
        (
            "POP-2",
            "both parts in the suite of signatures",
            key,
            in_suites(&alice, &owner, [RECOVERY[0], RECOVERY[0]]),
        ),
        (
            "POP-1",
            "the owner of keys in use",
            key,
            in_suites(&alice, &in_use, RECOVERY),
        ),
        (
            "POP-1",
            "an owner without its context",
            key,
            in_suites(&alice, &without_context, RECOVERY),
        ),
        (
            "POP-1",
            "parts in each other's place",
            key,
            PossessionProof::new(good.possession(), good.ownership()),
        ),
        ("POP-1", "of another person", key, of_bob),
        (
            "POP-2",
            "the possession part of another person",
            key,
            PossessionProof::new(good.ownership(), of_bob.possession()),
        ),
        (
            "POP-2",
            "one person's half with another's half",
            mixed,
            good,
        ),
        (
            "POP-3",
            "a first half that vouches for a foreign second half",
            mixed,
            PossessionProof::new(good.ownership(), vouches),
        ),
        (
            "KEY-1",
            "a key that is no point",
            DualKeyBytes::new(key.pk1(), Pk2Bytes([0; 96])),
            good,
        ),
    ] {
        let input = possessed(key, GENESIS, ACCOUNT, &proof);
        builder.breaks(rule, &format!("possession: {id}"), operation, input);
    }
    for (id, owner) in [("its own owner", &owner), ("the owner in use", &in_use)] {
        let proof = in_suites(&alice, owner, RECOVERY);
        let input = json!({ "key": hexed(key.0), "owner": hexed(owner), "proof": hexed(proof.0) });
        let id = format!("a recovery key's proof as that of a key in use, {id}");
        builder.breaks("POP-1", &id, "possession", input);
    }
}

/// The block of a drill.
fn block() -> (BlockNumber, H256) {
    (BlockNumber::new(12), H256::repeat_byte(9))
}

fn drilled(drill: &Drill) -> Value {
    json!({
        "genesis_hash": hexed(GENESIS),
        "key": hexed(secret(20).public().pk1().0),
        "account": hexed(ACCOUNT),
        "drill": hexed(drill.encode()),
    })
}

fn drills(builder: &mut Builder) {
    let alice = secret(20);
    let (number, hash) = block();
    let good = Drill::sign(&alice, GENESIS, &ACCOUNT, number, hash);
    builder.holds("drill: of a block", "drill", drilled(&good));
    let first = Drill::sign(&alice, GENESIS, &ACCOUNT, BlockNumber::new(0), GENESIS);
    builder.holds("drill: of block 0", "drill", drilled(&first));
    for (id, name, value) in [
        ("of another key", "key", hexed(secret(21).public().pk1().0)),
        ("of another owner", "account", hexed(OTHER)),
        ("of another chain", "genesis_hash", hexed(ELSEWHERE)),
    ] {
        let mut input = drilled(&good);
        input[name] = json!(value);
        builder.breaks("DLEQ-2", &format!("drill: {id}"), "drill", input);
    }
    let signed = (GENESIS, ACCOUNT, number, hash).encode();
    let message = [RECOVERY_DRILL_PREFIX, &signed].concat();
    let of_statements = [&b"duet-recovery-v1/statement"[..], &signed].concat();
    let other_order = (GENESIS, number, hash, ACCOUNT).encode();
    let other_order = [RECOVERY_DRILL_PREFIX, &other_order].concat();
    let with = |change: &dyn Fn(&mut Drill)| {
        let mut drill = good;
        change(&mut drill);
        drill
    };
    let signed_as =
        |suite, message: &[u8]| with(&|it| it.signature = sign_point(&alice, suite, message));
    for (id, drill) in [
        (
            "of another block number",
            with(&|it| it.block_number = BlockNumber::new(13)),
        ),
        (
            "of another block hash",
            with(&|it| it.block_hash = H256::zero()),
        ),
        (
            "in the suite of votes",
            signed_as(SIGNATURE_SUITE, &message),
        ),
        (
            "in the suite of possession",
            signed_as(RECOVERY_POSSESSION_SUITE, &message),
        ),
        (
            "with the prefix of statements",
            signed_as(RECOVERY_SUITE, &of_statements),
        ),
        ("without a prefix", signed_as(RECOVERY_SUITE, &signed)),
        (
            "with the owner last",
            signed_as(RECOVERY_SUITE, &other_order),
        ),
    ] {
        builder.breaks("DLEQ-2", &format!("drill: {id}"), "drill", drilled(&drill));
    }
    odd_drills(builder, &good);
}

fn odd_drills(builder: &mut Builder, good: &Drill) {
    let with = |at: usize, bytes: &[u8]| {
        let mut drill = *good;
        drill.signature.0[at..at + bytes.len()].copy_from_slice(bytes);
        drilled(&drill)
    };
    for (rule, case) in no_points(&G1) {
        let id = format!("drill: a signature that is {}", case.name);
        builder.breaks(&rule, &id, "drill", with(0, &case.bytes));
    }
    let order = SCALARS.iter().find(|case| case.name == "r");
    let order = &order.expect("a case of the order").bytes;
    for (part, at) in [("challenge", 48), ("response", 80)] {
        let id = format!("drill: a {part} that is the order");
        builder.breaks("ENC-5", &id, "drill", with(at, order));
    }
    let mut longer = good.encode();
    longer.push(0);
    for (id, bytes) in [
        ("a byte behind it", &longer[..]),
        ("a byte less", &longer[..147]),
    ] {
        let mut input = drilled(good);
        input["drill"] = json!(hexed(bytes));
        builder.breaks("ENC-6", &format!("drill: {id}"), "drill", input);
    }
}
