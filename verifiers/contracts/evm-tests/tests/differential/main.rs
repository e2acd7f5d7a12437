//! The contract against the verifier in Rust: calls with changed proofs have the same verdict by both, and leave the
//! same state.

mod change;
// Each of the tests has a part of it.
#[allow(dead_code)]
#[path = "../common/mod.rs"]
mod common;
// The changes that the fuzz targets of Rust begin with.
#[allow(unreachable_pub)]
#[path = "../../../../../testing/fuzz/src/mutate.rs"]
mod mutate;
mod reading;
mod state;
mod world;

use change::Maker;
use duet_evm_tests::{topic, Attempt, Verdict};
use mutate::Random;
use reading::{MANY, REPORT, SUBMIT};
use revm::primitives::U256;
use std::{collections::BTreeMap, env, fs, path::Path, time::Instant};
use world::World;

/// The errors of a proof, by the stage that refuses it.
static STAGES: [(&str, &[&str]); 6] = [
    ("decoding", &["Rule_ENC_6()"]),
    (
        "block and set",
        &[
            "IsFrozen()",
            "Rule_LIGHT_4(uint32,uint32)",
            "Rule_LIGHT_5_OldSet(uint64,uint64)",
            "Rule_LIGHT_6(uint64,uint64)",
            "Rule_LIGHT_3()",
        ],
    ),
    ("signers", &["Rule_JUST_3()", "Rule_JUST_4()"]),
    ("members' hashes", &["Rule_STATELESS_2()"]),
    (
        "points",
        &["Rule_ENC(uint256)", "Rule_ENC_2()", "Rule_SET_3()"],
    ),
    (
        "equation",
        &[
            "Rule_JUST_5()",
            "Rule_JUST_5_At(uint256)",
            "NoContradiction()",
            "Rule_LIGHT_5_Successor()",
        ],
    ),
];

/// An error of the contract and the rule of Rust, where several rules are broken and the order is another one: lengths
/// come first in the contract, and keys are added up before their hashes are compared. Rust looks for a changed id.
const OTHER_ORDER: [(&str, &str); 4] = [
    ("ENC-6", "JUST-2"),
    ("ENC-6", "STATELESS-2"),
    ("ENC", "STATELESS-2"),
    ("LIGHT-6", "LIGHT-7"),
];

/// Whether the contract's error names the rule that Rust names. LIGHT-3 is of the set that a proof brings, which Rust
/// takes from its state.
fn agrees(error: &str, rule: &str) -> bool {
    let name = error
        .trim_start_matches("Rule_")
        .split('(')
        .next()
        .unwrap_or_default();
    let parts: Vec<_> = name.split('_').take(2).collect();
    let named = parts.join("-");
    rule.starts_with(&named) || named == "LIGHT-3" || OTHER_ORDER.contains(&(&named, rule))
}

fn variable(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

/// The name of an error, and the stage that it is of. No name is the decoder's of the compiler.
fn reason(attempt: &Attempt) -> Option<(&'static str, &'static str)> {
    let output = &attempt.called.output;
    if output.is_empty() {
        return Some(("decoding", "no name"));
    }
    let all = |(stage, errors): &'static (_, &'static [_])| {
        errors.iter().map(move |error| (*stage, *error))
    };
    let mut named = STAGES.iter().flat_map(all);
    named.find(|(_, error)| output.starts_with(&topic(error)[..4]))
}

/// What is wrong with an attempt, beside what Rust says.
fn complaint(attempt: &Attempt) -> Option<&'static str> {
    if attempt.halted {
        return Some("no error, as when gas runs out");
    }
    if !attempt.called.ok && reason(attempt).is_none() {
        return Some("an error that is not named");
    }
    // The decoder's errors are cheap; a call of a library that runs out of gas has no name either.
    let is_dear = attempt.called.output.is_empty() && attempt.called.gas > 1_000_000;
    (!attempt.called.ok && is_dear).then_some("out of gas")
}

/// `DUET_EVM_INPUTS` is how many, and `DUET_EVM_SEED` chooses them. A failing one is alone with `DUET_EVM_FIRST`.
#[test]
fn changed_proofs_have_the_verdict_of_rust() {
    let (inputs, seed) = (
        variable("DUET_EVM_INPUTS", 400),
        variable("DUET_EVM_SEED", 1),
    );
    let first = variable("DUET_EVM_FIRST", 0);
    let mut world = World::new();
    let began = Instant::now();
    let mut ends = BTreeMap::<_, [u64; 4]>::new();
    let mut apart = BTreeMap::<_, u64>::new();
    for number in first..first + inputs {
        let mut random = Random::new(seed.wrapping_mul(1 << 32).wrapping_add(number));
        let situation = &world.situations[random.below(world.situations.len())];
        let mut maker = Maker {
            world: &world,
            situation,
            random,
        };
        let calldata = maker.calldata();
        let expected = situation.state.judge(&calldata);
        let (name, before) = (situation.name, *situation.state.slots());
        world.chain.contract = situation.client;
        let attempt = world.chain.attempt(calldata.clone());
        let got = Verdict::of(&attempt.called);
        let mut slots = before;
        for (at, slot) in slots.iter_mut().enumerate() {
            let written = attempt.written.get(&U256::from(at));
            written.into_iter().for_each(|value| *slot = *value);
        }
        let said = reason(&attempt).filter(|_| !attempt.called.ok);
        let complaint = complaint(&attempt);
        if complaint.is_some() || got != expected.verdict || slots != expected.slots {
            let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("evm-{seed}-{number}"));
            fs::write(&file, hex::encode(&calldata)).expect("a file");
            panic!(
                "input {number} of seed {seed}, for the client {name}: {got:?} ({said:?}, {complaint:?}), by Rust {:?} \
                 ({:?}); the calldata is in {}",
                expected.verdict,
                expected.rule,
                file.display()
            );
        }
        if let (Some((_, error)), Some(rule)) = (said, expected.rule) {
            if !agrees(error, rule) {
                *apart.entry((error, rule)).or_default() += 1;
            }
        }
        let (stage, error) = said.unwrap_or(("verdict", ""));
        let end = (stage, format!("{got:?} {error}"));
        let methods = [SUBMIT, MANY, REPORT];
        let is_of = |method: &&str| calldata.starts_with(&topic(method)[..4]);
        let method = methods.iter().position(is_of).unwrap_or(3);
        ends.entry(end).or_default()[method] += 1;
        let done = number - first + 1;
        if done.is_multiple_of(10_000) {
            println!("{done} inputs, {} s", began.elapsed().as_secs());
        }
    }
    println!("{inputs} inputs of seed {seed}, {:.1?}", began.elapsed());
    println!("submit, submitMany, reportMisbehaviour, others:");
    for ((stage, end), counts) in ends {
        println!("{stage}: {end}: {counts:?}");
    }
    assert!(apart.is_empty(), "other rules than in Rust: {apart:?}");
}
