//! Announcements and crossings, with the numbers that they depend on. (RECOVER-4, RECOVER-7, RECOVER-8)

use super::world::{no_points, World, ELSEWHERE, GENESIS};
use crate::cases::builder::Builder;
use crate::{cases::builder::scale, format::hexed};
use codec::Encode;
use duet_curve::testing::G1;
use duet_primitives::{
    KeysetCommitment, Pk1Bytes, RecoveryProof, RecoveryTerms, SetId, SignatureBytes, H256,
};
use serde_json::{json, Value};

const OPERATION: &str = "cross";
/// The block's time in milliseconds.
const TIME: u64 = 1_700_000_000_000;
const ANNOUNCED: u64 = TIME + 3_600_000;
/// A day, in seconds.
const DELAY: u64 = 86_400;
/// Three weeks, in seconds.
const PERIOD: u64 = 1_814_400;
const OVER: u64 = ANNOUNCED + DELAY * 1000;

fn terms(world: &World, delay: u64) -> Vec<u8> {
    let set = world.set.set.commitment().clone();
    RecoveryTerms { set, delay }.encode()
}

fn good(world: &World) -> RecoveryProof {
    world.proof(&[0, 1, 2, 3, 4])
}

fn input(world: &World) -> Value {
    json!({
        "genesis_hash": hexed(GENESIS),
        "block_number": world.statement.block_number.get(),
        "block_hash": hexed(world.statement.block_hash),
        "signing": "9",
        "time": TIME.to_string(),
        "trusting_period": PERIOD.to_string(),
        "terms": hexed(terms(world, DELAY)),
        "proof": scale(&good(world)),
        "announced": ANNOUNCED.to_string(),
        "now": OVER.to_string(),
    })
}

/// The input with other fields.
fn with(world: &World, fields: &[(&str, Value)]) -> Value {
    let mut input = input(world);
    for (name, value) in fields {
        input[*name] = value.clone();
    }
    input
}

pub(super) fn add(builder: &mut Builder, world: &World) {
    builder.share("terms", terms(world, DELAY));
    builder.share("proof", good(world).encode());
    sets(builder, world);
    blocks(builder, world);
    waits(builder, world);
    ages(builder, world);
    sets_of_terms(builder, world);
    terms_and_proofs(builder, world);
    contradictions(builder, world);
}

/// The ended set is the signing one or its successor, and the new one is above both.
fn sets(builder: &mut Builder, world: &World) {
    let ids = |signing: &str, next: Option<&str>| {
        let mut input = with(world, &[("signing", json!(signing))]);
        if let Some(next) = next {
            input["next"] = json!(next);
        }
        input
    };
    for (id, signing, next) in [
        ("the signing set ended", "9", None),
        (
            "the signing set ended, and has a successor",
            "9",
            Some("10"),
        ),
        ("the successor ended", "8", Some("9")),
    ] {
        builder.holds(&format!("crossing: {id}"), OPERATION, ids(signing, next));
    }
    for (id, signing, next) in [
        ("a set before the signing one ended", "10", None),
        ("a set after the signing one ended", "8", None),
        ("a set before both ended", "10", Some("11")),
        ("the new set is the successor", "9", Some("11")),
        ("the new set is below the successor", "9", Some("12")),
    ] {
        let id = format!("crossing: {id}");
        builder.breaks("RECOVER-7", &id, OPERATION, ids(signing, next));
    }
}

fn blocks(builder: &mut Builder, world: &World) {
    for (id, name, value) in [
        ("an older block", "block_number", json!(49)),
        ("a newer block", "block_number", json!(51)),
        ("another hash", "block_hash", json!(hexed(H256::zero()))),
    ] {
        let input = with(world, &[(name, value)]);
        let id = format!("crossing: {id}");
        builder.breaks("RECOVER-7", &id, OPERATION, input);
    }
}

/// The input with these two times.
fn at(world: &World, announced: u64, now: u64) -> Value {
    let [announced, now] = [announced, now].map(|number| json!(number.to_string()));
    with(world, &[("announced", announced), ("now", now)])
}

/// The wait is over to the millisecond, and begins anew when the clock stands before it.
fn waits(builder: &mut Builder, world: &World) {
    let at = |announced: u64, now: u64| at(world, announced, now);
    for (id, announced, now) in [
        ("a millisecond after the wait", ANNOUNCED, OVER + 1),
        (
            "a clock 1 ms before the announcement",
            ANNOUNCED,
            ANNOUNCED - 1,
        ),
        (
            "a clock 60 s before the block's time",
            ANNOUNCED,
            TIME - 60_000,
        ),
        (
            "announced 60 s before the block's time",
            TIME - 60_000,
            OVER,
        ),
    ] {
        builder.holds(&format!("crossing: {id}"), OPERATION, at(announced, now));
    }
    for (id, announced, now) in [
        ("a clock at 0", ANNOUNCED, 0),
        (
            "a clock a millisecond more than 60 s before the block's time",
            ANNOUNCED,
            TIME - 60_001,
        ),
        (
            "announced a millisecond more than 60 s before the block's time",
            TIME - 60_001,
            OVER,
        ),
        ("announced at 0", 0, OVER),
    ] {
        let id = format!("crossing: {id}");
        builder.breaks("RECOVER-7", &id, OPERATION, at(announced, now));
    }
    for (id, now) in [
        ("at the announcement", ANNOUNCED),
        ("a millisecond before the end of the wait", OVER - 1),
    ] {
        let id = format!("crossing: {id}");
        builder.breaks("RECOVER-8", &id, OPERATION, at(ANNOUNCED, now));
    }
    let mut followed = at(ANNOUNCED, ANNOUNCED - 1);
    followed["next"] = json!("10");
    let id = "crossing: a clock 1 ms before the announcement, and a successor";
    builder.holds(id, OPERATION, followed);
}

/// LIGHT-9 holds at the announcement, and again when the wait is over.
fn ages(builder: &mut Builder, world: &World) {
    let at = |announced: u64, now: u64| at(world, announced, now);
    let last = TIME + PERIOD * 1000;
    let in_time = last - DELAY * 1000;
    for (id, announced, now) in [
        ("a block exactly as old as allowed, and early", last, last),
        (
            "a block that grows too old within the wait, and early",
            last,
            last + 1,
        ),
    ] {
        let id = format!("crossing: {id}");
        builder.breaks("RECOVER-8", &id, OPERATION, at(announced, now));
    }
    for (id, announced, now) in [
        (
            "announced a millisecond later than allowed",
            last + 1,
            last + 1,
        ),
        (
            "a block a millisecond too old when the wait is over",
            in_time,
            last + 1,
        ),
        (
            "a block that grows too old within the wait",
            last,
            last + DELAY * 1000,
        ),
    ] {
        let id = format!("crossing: {id}");
        builder.breaks("LIGHT-9", &id, OPERATION, at(announced, now));
    }
    let id = "crossing: a block exactly as old as allowed when the wait is over";
    builder.holds(id, OPERATION, at(in_time, last));
    let without = |name: &str, mut input: Value| {
        let fields = input.as_object_mut().expect("an object");
        fields.remove(name);
        input
    };
    let id = "crossing: an old block of a chain without a trusting period";
    let endless = without("trusting_period", at(last + 1, last + 1 + DELAY * 1000));
    builder.holds(id, OPERATION, endless);
    let id = "crossing: a block without a time";
    builder.breaks("LIGHT-9", id, OPERATION, without("time", input(world)));
}

/// Terms whose set has not the form of a set count as none.
fn sets_of_terms(builder: &mut Builder, world: &World) {
    let mut add = |rule: &str, id: &str, change: &dyn Fn(&mut KeysetCommitment)| {
        let mut set = world.set.set.commitment().clone();
        change(&mut set);
        let terms = RecoveryTerms { set, delay: DELAY }.encode();
        let input = with(world, &[("terms", json!(hexed(terms)))]);
        let id = format!("crossing: terms {id}");
        builder.breaks(rule, &id, OPERATION, input);
    };
    add("RECOVER-4", "of a set of nobody", &|it| it.len = 0);
    add("RECOVER-6", "of a set of one", &|it| it.len = 1);
    add("RECOVER-6", "of a set of 100 000", &|it| it.len = 100_000);
    add("RECOVER-4", "of a set of 100 001", &|it| it.len = 100_001);
    for (_, case) in no_points(&G1) {
        let id = format!("of a set whose total is {}", case.name);
        add("RECOVER-4", &id, &|it| it.apk1 = Pk1Bytes(case.bytes));
    }
}

fn terms_and_proofs(builder: &mut Builder, world: &World) {
    let of = |terms: &[u8]| with(world, &[("terms", json!(hexed(terms)))]);
    let second = with(
        world,
        &[
            ("terms", json!(hexed(terms(world, 1)))),
            ("now", json!((ANNOUNCED + 1000).to_string())),
        ],
    );
    builder.holds("crossing: a wait of one second", OPERATION, second);
    for (id, delay) in [
        ("the longest wait", u64::MAX),
        ("a wait of 2^61 s, which is 0 ms modulo 2^64", 1 << 61),
    ] {
        let long = of(&terms(world, delay));
        let id = format!("crossing: {id}");
        builder.breaks("RECOVER-8", &id, OPERATION, long);
    }
    let longer = [&terms(world, DELAY)[..], &[0]].concat();
    for (id, terms) in [
        ("terms without a wait", &terms(world, 0)[..]),
        ("terms with a byte behind them", &longer),
    ] {
        builder.breaks(
            "RECOVER-4",
            &format!("crossing: {id}"),
            OPERATION,
            of(terms),
        );
    }
    let mut other_set = world.set.set.commitment().clone();
    other_set.id = SetId::new(4);
    let other_terms = (other_set, DELAY).encode();
    let id = "crossing: terms of another recovery set";
    builder.breaks("RECOVER-6", id, OPERATION, of(&other_terms));
    let mut forged = good(world);
    forged.signature = SignatureBytes(world.vote(6).signature.0);
    let forged = with(world, &[("proof", json!(scale(&forged)))]);
    let id = "crossing: a proof that does not hold";
    builder.breaks("RECOVER-6", id, OPERATION, forged);
    let elsewhere = with(world, &[("genesis_hash", json!(hexed(ELSEWHERE)))]);
    let id = "crossing: on another chain";
    builder.breaks("RECOVER-6", id, OPERATION, elsewhere);
}

/// A second proof that comes right after the first.
fn contradictions(builder: &mut Builder, world: &World) {
    let beside = |other: &RecoveryProof| with(world, &[("other", json!(scale(other)))]);
    builder.holds(
        "crossing: the same statement by other signers",
        OPERATION,
        beside(&world.proof(&[2, 3, 4, 5, 6])),
    );
    let saying = |change: &dyn Fn(&mut World)| {
        let mut other = World::new();
        change(&mut other);
        other.proof(&[2, 3, 4, 5, 6])
    };
    for (id, other) in [
        (
            "another reset",
            saying(&|it| it.statement.reset_hash = H256::zero()),
        ),
        (
            "another ended set",
            saying(&|it| it.statement.ended = SetId::new(8)),
        ),
    ] {
        let id = format!("crossing: a second proof of {id}");
        builder.breaks("RECOVER-8", &id, OPERATION, beside(&other));
    }
    let mut ahead = beside(&saying(&|it| it.statement.reset_hash = H256::zero()));
    ahead["now"] = json!((ANNOUNCED - 1).to_string());
    let id = "crossing: a second proof of another reset, and a clock before the announcement";
    builder.breaks("RECOVER-8", id, OPERATION, ahead);
    let elsewhere = saying(&|it| it.statement.block_hash = H256::zero());
    let id = "crossing: a second proof of another block";
    builder.breaks("RECOVER-7", id, OPERATION, beside(&elsewhere));
    let mut forged = saying(&|it| it.statement.reset_hash = H256::zero());
    forged.signature = good(world).signature;
    let id = "crossing: a second proof that does not hold";
    builder.breaks("RECOVER-6", id, OPERATION, beside(&forged));
}
