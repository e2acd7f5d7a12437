//! The client beside the verifier in Rust.

#[path = "../common/mod.rs"]
mod common;
mod many;
mod recovery;
mod recovery_vectors;

use codec::{DecodeAll, Encode};
use common::{checkpoint, prove, prove_with, GENESIS};
use duet_calldata::{constructor, constructor_with_owner, proof_bytes};
use duet_evm_tests::{
    coefficient_of, rust_verdict, topic, Called, Chain, Verdict, BEGINNING, FORKS, TRUSTING_PERIOD,
};
use duet_light_client::{decode, Mode, StartProof, Trusted};
use duet_primitives::{
    testing::{self, TestSet},
    Commitment, KeysetCommitment, RoundMessage, StatelessProof, H256,
};
use revm::primitives::{hardfork::SpecId, Address};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::HashMap;

fn vectors(name: &str) -> Value {
    let path = format!(
        "{}/../../conformance/vectors/{name}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    serde_json::from_str(&std::fs::read_to_string(path).expect("vectors")).expect("JSON")
}

fn bytes(file: &Value, value: &Value) -> Vec<u8> {
    let text = value.as_str().expect("text");
    let text = match text.strip_prefix('$') {
        Some(name) => file["data"][name].as_str().expect("data"),
        None => text,
    };
    hex::decode(&text[2..]).expect("hex")
}

fn hash(file: &Value, value: &Value) -> H256 {
    H256(bytes(file, value).try_into().expect("32 bytes"))
}

#[test]
fn stateless_vectors_have_their_verdicts() {
    let file = vectors("justifications");
    let (mut valid, mut invalid) = (0, 0);
    for fork in FORKS {
        for case in file["cases"].as_array().expect("cases") {
            if case["operation"] != "stateless_proof" {
                continue;
            }
            let set =
                KeysetCommitment::decode_all(&mut &bytes(&file, &case["input"]["commitment"])[..])
                    .expect("set");
            let genesis = hash(&file, &case["input"]["genesis_hash"]);
            let proof = StatelessProof::decode_all(&mut &bytes(&file, &case["input"]["proof"])[..])
                .expect("proof");
            let expected = case["expected"]["valid"] == true;
            let got = Chain::new(fork, &checkpoint(genesis, &set)).is_some_and(|mut chain| {
                chain.submit(&proof_bytes(&proof, &set)).0 == Verdict::New
            });
            assert_eq!(got, expected, "{}", case["id"]);
            if expected {
                valid += 1
            } else {
                invalid += 1
            }
        }
    }
    println!("{valid} valid, {invalid} invalid");
    assert!(valid >= 30 && invalid >= 100);
}

/// The commitments that the contract remembers, the newest last.
#[derive(Default)]
struct Kept(Vec<Commitment>);

impl Kept {
    fn add(&mut self, commitment: Commitment) {
        self.0.push(commitment);
    }

    /// Of the newest block it compares the sets, too.
    fn knows(&self, commitment: &Commitment) -> bool {
        let content = |it: &Commitment| (it.block_number, it.block_hash, it.mmr_root);
        let mut newest_first = self.0.iter().rev().take(8);
        newest_first.next() == Some(commitment)
            || newest_first.any(|kept| content(kept) == content(commitment))
    }
}

#[test]
fn scenarios_of_stateless_steps_have_their_outcomes() {
    let (mut run, mut steps, mut left_out) = (0, 0, 0);
    for name in ["follow", "attacks"] {
        let file = vectors(name);
        for case in file["cases"].as_array().expect("cases") {
            let input = &case["input"];
            let all = input["steps"].as_array().expect("steps");
            let start = &input["start"];
            if all.iter().any(|step| step["form"] != "stateless") || start["genesis_hash"].is_null()
            {
                left_out += 1;
                continue;
            }
            let genesis = decode::<StartProof>(&bytes(&file, &start["genesis_proof"]));
            let begun = genesis.and_then(|proof| {
                Trusted::from_genesis(hash(&file, &start["genesis_hash"]), &proof, Mode::Stateless)
            });
            let Ok(begun) = begun else {
                left_out += 1;
                continue;
            };
            run += 1;
            for fork in FORKS {
                let mut trusted = begun.clone();
                let mut chain = Chain::new(fork, &trusted.checkpoint()).expect("a checkpoint");
                let mut kept = Kept::default();
                for step in all {
                    let Ok(proof) = decode::<StatelessProof>(&bytes(&file, &step["bytes"])) else {
                        break;
                    };
                    let id = proof.justification.commitment.validator_set_id;
                    let next = trusted.next().filter(|set| set.id == id);
                    let sent = proof_bytes(&proof, next.unwrap_or(trusted.signing()));
                    let commitment = proof.justification.commitment.clone();
                    let is_known = kept.knows(&commitment);
                    let expected = match rust_verdict(&mut trusted, proof) {
                        // The contract does not verify what it knows.
                        Verdict::Refused if is_known => Verdict::Known,
                        expected => expected,
                    };
                    if expected == Verdict::New {
                        kept.add(commitment);
                    }
                    assert_eq!(chain.submit(&sent).0, expected, "{}", case["id"]);
                    steps += 1;
                    if matches!(expected, Verdict::Frozen | Verdict::Refused) {
                        break;
                    }
                }
            }
        }
    }
    println!("{run} scenarios, {steps} steps; {left_out} left out: other forms, or no start");
    assert!(run >= 60);
}

/// Gas of whole transactions, held to within one percent: members, absent, the first proof of a pair of keys, and a later
/// one by the same signers.
const GAS: [(u32, u32, u64, u64); 10] = [
    (20, 0, 199_569, 169_787),
    (20, 1, 206_320, 176_538),
    (100, 0, 199_829, 170_023),
    (100, 1, 207_950, 178_168),
    (100, 10, 253_131, 223_349),
    (100, 33, 335_041, 305_259),
    (1000, 0, 201_971, 172_165),
    (1000, 1, 212_063, 182_293),
    (1000, 10, 277_923, 248_129),
    (1000, 33, 413_716, 383_922),
];

/// The same for a handoff that all of 1 000 signed, by the signers of the block before.
const HANDOFF: u64 = 182_411;

#[test]
fn gas_is_within_one_percent_of_what_is_written_down() {
    let mut over = Vec::new();
    for fork in FORKS {
        for (n, absent, most, most_later) in GAS {
            let set = TestSet::new(3, 0..u64::from(n));
            let next = TestSet::new(4, 1..u64::from(n) + 1);
            let mut chain =
                Chain::new(fork, &checkpoint(GENESIS, set.set.commitment())).expect("deployed");
            let mut gas = |signing: &TestSet, block, named: &TestSet| {
                let proof = prove(signing, block, named, absent);
                let called = chain.submit(&proof_bytes(&proof, signing.set.commitment()));
                assert_eq!(called.0, Verdict::New);
                called.1.gas
            };
            let [once, later] = [5, 6].map(|block| gas(&set, block, &set));
            let handoff = gas(&set, 7, &next);
            let changed = gas(&next, 8, &next);
            println!("{fork:?} n {n} absent {absent}: {once}, later {later}, handoff {handoff}, first of the next {changed}, deployment {}", chain.deployment);
            let (target, target_later) = match absent {
                0 => (206_000, 175_000),
                1 => (225_000, 195_000),
                _ => (u64::MAX, u64::MAX),
            };
            assert!(
                once <= target && later <= target_later,
                "{fork:?} {n} {absent}"
            );
            assert!(absent > 0 || handoff <= 235_000.min(HANDOFF * 101 / 100));
            if once * 100 > most * 101 || later * 100 > most_later * 101 {
                over.push((fork, n, absent, once, later));
            }
            assert!(chain.deployment <= 2_050_000, "{}", chain.deployment);
        }
    }
    assert!(over.is_empty(), "{over:?}");
}

/// At the price of state in the coming fork: each contract, and what contracts share, once on a chain.
#[test]
fn deployments_stay_cheap_where_state_is_dear() {
    let fork = SpecId::AMSTERDAM;
    let set = TestSet::new(3, 0..20);
    let begin = checkpoint(GENESIS, set.set.commitment());
    let plain = constructor(&begin, TRUSTING_PERIOD);
    let owned = constructor_with_owner(&begin, TRUSTING_PERIOD, [1; 20]);
    for (contract, arguments, most) in [
        ("DuetLightClient", &plain, 12_000_000),
        ("RecoverableDuetLightClient", &plain, 13_000_000),
        ("OwnedDuetLightClient", &owned, 13_300_000),
    ] {
        let chain = Chain::with(contract, fork, arguments.clone()).expect("deployed");
        assert!(chain.deployment <= most, "{contract}: {}", chain.deployment);
        for (name, library) in chain.libraries() {
            let most = if name == "RareCalls" {
                16_500_000
            } else {
                13_700_000
            };
            assert!(library.deployment <= most, "{name}: {}", library.deployment);
        }
    }
}

/// JUST-9. What the short equation alone would accept.
#[test]
fn a_pair_is_remembered_only_with_both_keys_and_once_it_has_held() {
    let (set, others) = (TestSet::new(3, 0..20), TestSet::new(3, 30..50));
    let signing = set.set.commitment();
    let mut chain = Chain::new(FORKS[1], &checkpoint(GENESIS, signing)).expect("deployed");
    let refused = |chain: &Chain, proof: &StatelessProof, error: &str| {
        let mut chain = chain.clone();
        let called = chain.submit(&proof_bytes(proof, signing)).1;
        assert!(!called.ok, "{error}");
        assert_eq!(called.output[..4], topic(error)[..4], "{error}");
    };
    let block = |number, absent| prove(&set, number, &set, absent);
    for absent in [0, 1] {
        let known = chain.submit(&proof_bytes(&block(5 + absent, absent), signing));
        assert_eq!(known.0, Verdict::New);
        let mut proof = block(7, absent);
        // Strangers sign with their key, and show it as this set's.
        let mut strangers = block(7, absent);
        let message = RoundMessage::new(GENESIS, proof.justification.commitment.clone());
        let foreign = others.justify(&message, 0..20).into_unchecked();
        strangers.justification.apk2 = foreign.apk2;
        strangers.justification.signature = foreign.signature;
        refused(&chain, &strangers, "Rule_JUST_5()");
        // The known apk2 with another apk1: those who signed claim that others did.
        let mut claimed = block(7, 1 - absent);
        claimed.justification.apk2 = proof.justification.apk2;
        claimed.justification.signature = proof.justification.signature;
        refused(&chain, &claimed, "Rule_JUST_5()");
        // The known pair with a signature of another block, and with the same points in another order or form.
        proof.justification.signature = block(8, absent).justification.signature;
        refused(&chain, &proof, "Rule_JUST_5()");
        let sent = proof_bytes(&block(7, absent), signing);
        let [c0, c1] = [404..452, 452..500];
        let mut swapped = sent.clone();
        swapped[c0.clone()].copy_from_slice(&sent[c1.clone()]);
        swapped[c1].copy_from_slice(&sent[c0]);
        let mut flagged = sent.clone();
        flagged[404] |= 0x80;
        for other in [swapped, flagged] {
            assert_eq!(chain.clone().submit(&other).0, Verdict::Refused);
        }
    }
    // The same members in another set are the same pair.
    let next = TestSet::new(4, 0..20);
    let first = proof_bytes(&prove(&next, 10, &next, 1), next.set.commitment());
    let [known, unknown] = [1, 0].map(|absent| {
        let mut chain = chain.clone();
        let handoff = proof_bytes(&prove(&set, 9, &next, absent), signing);
        assert_eq!(chain.submit(&handoff).0, Verdict::New);
        let (verdict, called) = chain.submit(&first);
        assert_eq!(verdict, Verdict::New);
        called.gas
    });
    assert!(known + 25_000 < unknown, "{known}, {unknown}");
}

/// The most gas of a proof that another transaction has brought, and that all of 1 000 have signed: the bytes alone cost
/// most of it.
const KNOWN: u64 = 60_000;

#[test]
fn what_says_what_is_known_of_the_newest_block_is_cheap_and_all_else_is_verified() {
    let [signing, next] = [3, 4].map(|id| TestSet::new(id, 0..1000));
    let begin = checkpoint(GENESIS, signing.set.commitment());
    for named in [&signing, &next] {
        let mut chain = Chain::new(FORKS[1], &begin).expect("deployed");
        let brought = proof_bytes(&prove(&signing, 5, named, 0), signing.set.commitment());
        assert_eq!(chain.submit(&brought).0, Verdict::New);
        let state = chain.status();
        let (verdict, called) = chain.submit(&brought);
        assert_eq!(verdict, Verdict::Known);
        println!("known: {}", called.gas);
        assert!(called.gas <= KNOWN, "{}", called.gas);
        // The commitment, the set, and y of the successor's total where one is named: all that is compared.
        let handoff = if named.set.commitment() == signing.set.commitment() {
            0..0
        } else {
            596..644
        };
        for place in (0..308).chain(handoff).filter(|place| place % 3 == 0) {
            let mut other = brought.clone();
            other[place] ^= 1;
            assert_eq!(chain.submit(&other).0, Verdict::Refused, "{place}");
        }
        // Nothing else is, because nothing changes.
        let mut unsigned = brought.clone();
        unsigned[308] ^= 1;
        assert_eq!(chain.submit(&unsigned).0, Verdict::Known);
        assert_eq!(chain.status(), state);
    }
}

#[test]
fn what_names_one_of_the_last_blocks_is_cheap_and_what_names_an_older_one_is_refused() {
    let set = TestSet::new(3, 0..1000);
    let signing = set.set.commitment();
    let mut chain = Chain::new(FORKS[1], &checkpoint(GENESIS, signing)).expect("deployed");
    let sent = |number, salt| proof_bytes(&prove_with(&set, number, &set, 0, salt), signing);
    for number in 4..=12 {
        assert_eq!(chain.submit(&sent(number, 0)).0, Verdict::New);
    }
    let state = chain.status();
    for number in 5..=11 {
        let (verdict, called) = chain.submit(&sent(number, 0));
        assert_eq!(verdict, Verdict::Known);
        println!("{} before the newest: {}", 12 - number, called.gas);
        assert!(called.gas <= KNOWN, "{}", called.gas);
    }
    for other in [sent(4, 0), sent(11, 1), sent(11, 0)[..595].to_vec()] {
        let called = chain.submit(&other).1;
        assert!(!called.ok);
        let stale = topic("Rule_LIGHT_4(uint32,uint32)");
        assert_eq!(called.output[..4], stale[..4]);
    }
    assert_eq!(chain.status(), state);
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// How many times something random is done: `DUET_EVM_ROUNDS`, or this.
fn rounds(short: u64) -> u64 {
    std::env::var("DUET_EVM_ROUNDS").map_or(short, |text| text.parse().expect("a number"))
}

#[test]
fn sequences_of_proofs_lead_rust_and_the_contract_to_the_same_state() {
    let sets: Vec<_> = (0..5).map(|id| TestSet::new(id, id..id + 4)).collect();
    let mut dice = Dice(17);
    // Rounds have most of their proofs in common, and a proof takes longer to make than to check.
    let mut proofs = HashMap::new();
    let mut seen = [0; 4];
    for round in 0..rounds(20) {
        let fork = FORKS[(round % 2) as usize];
        let begin = checkpoint(GENESIS, sets[0].set.commitment());
        let mut trusted =
            Trusted::from_checkpoint(begin.clone(), Mode::Stateless).expect("a checkpoint");
        let mut chain = Chain::new(fork, &begin).expect("deployed");
        let (mut block, mut newest) = (0, 0);
        let mut frozen = false;
        let mut after = chain.status();
        let mut kept = Kept::default();
        for _ in 0..12 {
            let id = (trusted.signing().id.encode()[0] as u64 + dice.roll(3)).min(4) as usize;
            let next = if dice.roll(3) == 0 {
                (id + 1).min(4)
            } else {
                id
            };
            let number = (newest as u64 + dice.roll(4)).saturating_sub(1) as u32;
            let salt = u8::from(dice.roll(8) == 0);
            let absent = dice.roll(2) as u32;
            let proof = proofs
                .entry((id, number, next, absent, salt))
                .or_insert_with(|| prove_with(&sets[id], number, &sets[next], absent, salt))
                .clone();
            let sent = proof_bytes(&proof, sets[id].set.commitment());
            let before = after;
            let (got, _) = chain.submit(&sent);
            after = chain.status();
            assert!(after.0 >= before.0 && after.1 >= before.1 && after.1 <= before.1 + 1);
            if frozen {
                assert_eq!(
                    (got, after),
                    (Verdict::Refused, before),
                    "a frozen client stays frozen"
                );
                continue;
            }
            let commitment = proof.justification.commitment.clone();
            let expected = match rust_verdict(&mut trusted, proof) {
                Verdict::Refused if kept.knows(&commitment) => Verdict::Known,
                expected => expected,
            };
            assert_eq!(got, expected);
            frozen = got == Verdict::Frozen;
            assert_eq!(frozen, after.3);
            if got == Verdict::New {
                block += 1;
                newest = number;
                kept.add(commitment);
            }
            seen[got as usize] += 1;
            assert_eq!(after.0, u64::from(newest));
            assert_eq!(
                after.1.to_le_bytes().to_vec(),
                trusted.signing().id.encode()
            );
            assert_eq!(after.2, trusted.next().is_some());
        }
        assert!(block <= 12);
    }
    println!("new, known, frozen, refused: {seen:?}");
    assert!(seen.iter().all(|times| *times > 0));
}

#[test]
fn mutated_proofs_are_refused_by_both() {
    let set = TestSet::new(3, 0..20);
    let begin = checkpoint(GENESIS, set.set.commitment());
    let mut trusted =
        Trusted::from_checkpoint(begin.clone(), Mode::Stateless).expect("a checkpoint");
    let mut fresh = Chain::new(FORKS[1], &begin).expect("deployed");
    let proof = prove(&set, 5, &set, 3);
    let (mut dice, mut decoded) = (Dice(23), 0);
    let encoded = proof.encode();
    let rounds = rounds(200);
    for round in 0..rounds {
        // From the middle on the pair of keys is known. (JUST-9)
        if round == rounds / 2 {
            let before = prove(&set, 4, &set, 3);
            let sent = proof_bytes(&before, set.set.commitment());
            assert_eq!(fresh.submit(&sent).0, Verdict::New);
            assert_eq!(rust_verdict(&mut trusted, before), Verdict::New);
        }
        // In the bytes as they travel: Rust says what they are worth.
        let mut bytes = encoded.clone();
        let place = dice.roll(bytes.len() as u64) as usize;
        bytes[place] ^= 1 << dice.roll(8);
        if let Ok(other) = decode::<StatelessProof>(&bytes) {
            decoded += 1;
            let sent = proof_bytes(&other, set.set.commitment());
            let expected = rust_verdict(&mut trusted.clone(), other);
            assert_eq!(fresh.clone().submit(&sent).0, expected, "{place}");
        }
        // In the bytes that the contract takes: none is free to change.
        let mut sent = proof_bytes(&proof, set.set.commitment());
        let place = dice.roll(sent.len() as u64) as usize;
        sent[place] ^= 1 << dice.roll(8);
        assert_eq!(fresh.clone().submit(&sent).0, Verdict::Refused, "{place}");
    }
    assert!(2 * decoded > rounds);
}

#[test]
fn calls_of_the_library_are_those_that_the_contract_has() {
    let (set, next) = (TestSet::new(3, 0..4), TestSet::new(4, 0..4));
    let signing = set.set.commitment();
    let mut chain = Chain::new(FORKS[0], &checkpoint(GENESIS, signing)).expect("deployed");
    let brought = prove(&set, 5, &next, 1);
    let called = chain.call_raw(duet_calldata::submit(&brought, signing));
    let verified = topic("BlockVerified(uint32,bytes32,bytes32,uint64)");
    assert!(called.ok && called.events.contains(&verified));
    let other = prove_with(&set, 5, &next, 1, 9);
    let proofs = [(&brought, signing), (&other, signing)];
    let called = chain.call_raw(duet_calldata::report_misbehaviour(proofs));
    assert!(called.ok && called.events == [topic("Frozen(bytes32,bytes32)")]);
}

#[test]
fn cut_long_and_random_calldata_is_refused() {
    let set = TestSet::new(3, 0..20);
    let fresh = Chain::new(FORKS[0], &checkpoint(GENESIS, set.set.commitment())).expect("deployed");
    let sent = proof_bytes(&prove(&set, 5, &set, 3), set.set.commitment());
    assert_eq!(fresh.clone().submit(&sent).0, Verdict::New);
    for cut in 1..80 {
        assert_eq!(
            fresh.clone().submit(&sent[..sent.len() - cut]).0,
            Verdict::Refused
        );
        let longer = [&sent[..], &vec![0; cut]].concat();
        assert_eq!(fresh.clone().submit(&longer).0, Verdict::Refused);
    }
    let mut dice = Dice(29);
    for _ in 0..rounds(200) {
        let random: Vec<_> = (0..dice.roll(2000)).map(|_| dice.roll(256) as u8).collect();
        let (verdict, called) = fresh.clone().submit(&random);
        assert_eq!(verdict, Verdict::Refused);
        // What random bytes cost is their calldata and two look-ups.
        assert!(
            called.gas < 21_000 + 40 * (random.len() as u64 + 200) + 20_000,
            "{}",
            called.gas
        );
    }
}

#[test]
fn two_proofs_that_contradict_freeze_the_client_and_others_do_not() {
    let (one, two) = (TestSet::new(0, 0..4), TestSet::new(1, 1..5));
    let mut chain =
        Chain::new(FORKS[1], &checkpoint(GENESIS, one.set.commitment())).expect("deployed");
    let send = |proof: &StatelessProof, set: &TestSet| proof_bytes(proof, set.set.commitment());
    let a = send(&prove(&one, 5, &one, 0), &one);
    let b = send(&prove_with(&one, 5, &one, 1, 9), &one);
    let c = send(&prove(&one, 7, &two, 0), &one);
    let d = send(&prove(&one, 8, &one, 0), &one);
    let report = "reportMisbehaviour(bytes,bytes)";
    for (first, second) in [(&a, &a), (&a, &c), (&c, &a), (&a, &d)] {
        assert!(!chain.clone().call(report, &[first, second]).ok);
    }
    for (first, second) in [(&a, &b), (&b, &a), (&c, &d), (&d, &c)] {
        let mut chain = chain.clone();
        assert!(chain.call(report, &[first, second]).ok);
        assert!(chain.status().3);
        assert_eq!(chain.submit(&c).0, Verdict::Refused);
    }
    // Of a set that is not trusted nothing is evidence. Once it is, a block of it below one of the set before is.
    let e = send(&prove(&two, 6, &two, 0), &two);
    assert!(!chain.clone().call(report, &[&c, &e]).ok);
    assert_eq!(chain.submit(&c).0, Verdict::New);
    assert!(chain.call(report, &[&e, &c]).ok);
    assert!(chain.status().3);
}

/// LIGHT-9.
#[test]
fn a_client_that_got_no_block_for_the_trusting_period_takes_nothing_any_more() {
    let (one, two) = (TestSet::new(0, 0..4), TestSet::new(1, 1..5));
    let begun = Chain::new(FORKS[1], &checkpoint(GENESIS, one.set.commitment())).expect("deployed");
    let send = |proof: &StatelessProof, set: &TestSet| proof_bytes(proof, set.set.commitment());
    let block = |number| send(&prove(&one, number, &one, 0), &one);
    let after = |chain: &Chain, seconds: u64| {
        let mut chain = chain.clone();
        chain.time += seconds;
        chain
    };
    let is_late = |called: Called| {
        !called.ok && called.output[..4] == topic("Rule_LIGHT_9(uint256,uint256)")[..4]
    };
    let mut fed = after(&begun, TRUSTING_PERIOD);
    assert_eq!(fed.submit(&block(5)).0, Verdict::New);
    // A block that is known already makes it no younger.
    let mut same = after(&fed, TRUSTING_PERIOD);
    assert_eq!(same.submit(&block(5)).0, Verdict::Known);
    assert!(is_late(after(&same, 1).submit(&block(6)).1));
    // A thief of old keys would forge the handoff of the trusted set.
    let handoff = send(&prove(&one, 9, &two, 0), &one);
    for late in [block(6), handoff] {
        assert!(is_late(after(&begun, TRUSTING_PERIOD + 1).submit(&late).1));
        assert!(is_late(after(&fed, TRUSTING_PERIOD + 1).submit(&late).1));
    }
    let other = send(&prove_with(&one, 5, &one, 1, 9), &one);
    let report = "reportMisbehaviour(bytes,bytes)";
    let evidence: [&[u8]; 2] = [&block(5), &other];
    assert!(is_late(
        after(&fed, TRUSTING_PERIOD + 1).call(report, &evidence)
    ));
    assert!(after(&fed, TRUSTING_PERIOD).call(report, &evidence).ok);
    // Time that runs backwards, as a chain's never does, is no way in.
    let mut back = fed.clone();
    back.time -= 1;
    assert!(!back.submit(&block(6)).1.ok);
    let status = fed.call("status()", &[]).output;
    let until = BEGINNING + 2 * TRUSTING_PERIOD;
    assert_eq!(status[4 * 32 + 24..], until.to_be_bytes());
}

#[test]
fn a_trusting_period_of_nothing_or_of_more_than_64_bits_is_refused() {
    let set = TestSet::new(0, 0..4);
    let begin = checkpoint(GENESIS, set.set.commitment());
    let arguments = constructor(&begin, 0);
    assert!(Chain::with("DuetLightClient", FORKS[1], arguments).is_none());
    // The period is the second word of the arguments.
    let mut longest = constructor(&begin, u64::MAX);
    let mut chain = Chain::with("DuetLightClient", FORKS[1], longest.clone()).expect("deployed");
    assert!(chain.call("status()", &[]).ok);
    longest[32 + 23] = 1;
    assert!(Chain::with("DuetLightClient", FORKS[1], longest).is_none());
}

/// A call of what is not there succeeds and does nothing.
#[test]
fn a_client_that_is_linked_with_no_code_is_refused() {
    let begin = checkpoint(GENESIS, TestSet::new(0, 0..4).set.commitment());
    let plain = constructor(&begin, TRUSTING_PERIOD);
    let owned = constructor_with_owner(&begin, TRUSTING_PERIOD, [1; 20]);
    let nowhere = Address::repeat_byte(7);
    for (contract, arguments, library) in [
        ("DuetLightClient", &plain, "RareCalls"),
        ("OwnedDuetLightClient", &owned, "RareCalls"),
        ("RecoverableDuetLightClient", &plain, "RareCalls"),
        ("RecoverableDuetLightClient", &plain, "RecoveryCalls"),
    ] {
        let mut chain = Chain::new(FORKS[1], &begin).expect("deployed");
        chain.add(contract, arguments).expect("deployed");
        chain.link(library, nowhere);
        let error = [&topic("NoLibrary(address)")[..4], &[0; 12], &nowhere[..]].concat();
        assert_eq!(
            chain.add(contract, arguments),
            Err(error),
            "{contract} without {library}"
        );
    }
}

/// A forged handoff of set 0, which replaces it, does not make the true handoff too old to be evidence.
#[test]
fn two_handoffs_of_a_replaced_set_freeze_the_client_within_the_trusting_period() {
    let set = |id: u64| TestSet::new(id, id..id + 4);
    let send = |proof: &StatelessProof, set: &TestSet| proof_bytes(proof, set.set.commitment());
    let mut chain =
        Chain::new(FORKS[1], &checkpoint(GENESIS, set(0).set.commitment())).expect("deployed");
    let forged = send(&prove(&set(0), 5, &set(1), 0), &set(0));
    let honest = send(&prove(&set(0), 5, &TestSet::new(1, 7..11), 0), &set(0));
    let report = "reportMisbehaviour(bytes,bytes)";
    let is_frozen_by = |chain: &Chain, first: &[u8], second: &[u8]| {
        let mut chain = chain.clone();
        let called = chain.call(report, &[first, second]);
        let too_old = topic("Rule_LIGHT_5_OldSet(uint64,uint64)");
        assert!(called.ok || called.output[..4] == too_old[..4]);
        called.ok && chain.status().3
    };
    let replace = |chain: &mut Chain, id: u64| {
        let block = 5 + u32::try_from(id).expect("a small number");
        let handoff = send(&prove(&set(id), block, &set(id + 1), 0), &set(id));
        assert_eq!(chain.submit(&handoff).0, Verdict::New);
    };
    replace(&mut chain, 0);
    // Set 0 signs no more as soon as set 1 signs.
    for id in 1..=4 {
        replace(&mut chain, id);
        assert!(is_frozen_by(&chain, &forged, &honest), "sets up to {id}");
        assert!(is_frozen_by(&chain, &honest, &forged), "sets up to {id}");
    }
    let mut late = chain.clone();
    late.time += TRUSTING_PERIOD;
    assert!(is_frozen_by(&late, &forged, &honest));
    assert_eq!(
        late.submit(&send(&prove(&set(4), 10, &set(5), 0), &set(4)))
            .0,
        Verdict::New
    );
    late.time += 1;
    assert!(
        !is_frozen_by(&late, &forged, &honest),
        "its members have their stake back"
    );
    replace(&mut chain, 5);
    assert!(
        !is_frozen_by(&chain, &forged, &honest),
        "only four sets are kept"
    );
}

#[test]
fn errors_name_the_rule() {
    let (set, next) = (TestSet::new(3, 0..20), TestSet::new(4, 1..21));
    let mut fresh =
        Chain::new(FORKS[1], &checkpoint(GENESIS, set.set.commitment())).expect("deployed");
    let sent = proof_bytes(&prove(&set, 5, &set, 0), set.set.commitment());
    let handoff = proof_bytes(&prove(&set, 5, &next, 0), set.set.commitment());
    let refused = |proof: &[u8], error: &str| {
        let called = fresh.clone().submit(proof).1;
        assert!(!called.ok, "{error}");
        assert_eq!(called.output[..4], topic(error)[..4], "{error}");
    };
    let with = |proof: &[u8], place: usize, byte: u8| {
        let mut other = proof.to_vec();
        other[place] = byte;
        other
    };
    // The bitfield is at 596: 20 bits in three bytes.
    refused(&with(&sent, 598, 0x1f), "Rule_JUST_3()");
    refused(&with(&sent, 596, 0), "Rule_JUST_4()");
    refused(&with(&sent, 4, 9), "Rule_JUST_5()");
    refused(&with(&sent, 68, 2), "Rule_LIGHT_5_OldSet(uint64,uint64)");
    refused(&with(&sent, 68, 4), "Rule_LIGHT_6(uint64,uint64)");
    refused(&with(&sent, 180, sent[180] ^ 1), "Rule_LIGHT_3()");
    refused(&[&sent[..], &[0; 32]].concat(), "Rule_ENC_6()");
    refused(&with(&sent, 403, sent[403] ^ 1), "Rule_ENC(uint256)");
    let mut infinite = sent.clone();
    infinite[308..404].fill(0);
    refused(&infinite, "Rule_ENC_2()");
    // y of the next total, which only the sender says: not the root that the sign bit names, then no point.
    refused(&with(&handoff, 643, handoff[643] ^ 1), "Rule_ENC(uint256)");
    refused(&with(&handoff, 596, handoff[596] ^ 0x1f), "Rule_SET_3()");
    assert_eq!(fresh.submit(&sent).0, Verdict::New);
}

/// JUST-5. Whoever knows `t` beforehand needs no key: with `apk2 = g2`, `σ = H(m) + t·g1 − t·apk1` holds.
#[test]
fn a_forgery_for_a_constant_coefficient_is_refused() {
    let set = TestSet::new(3, 0..20);
    let begin = checkpoint(GENESIS, set.set.commitment());
    let mut proof = prove(&set, 5, &set, 0);
    proof.justification.commitment.block_hash.0[1] = 66;
    let commitment = proof.justification.commitment.clone();
    let suite = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";
    let point = testing::message_point(suite, &commitment.signed_bytes(GENESIS));
    proof.justification.signature.0 = forged(&point, &set.set.commitment().apk1.0);
    let mut key = [0; 96];
    // SAFETY: the generator is a point, and the buffer has its length.
    unsafe { blst::blst_p2_compress(key.as_mut_ptr(), blst::blst_p2_generator()) };
    proof.justification.apk2.0 = key;
    let sent = proof_bytes(&proof, set.set.commitment());
    let mut chain = Chain::new(FORKS[1], &begin).expect("deployed");
    let called = chain.submit(&sent).1;
    assert!(!called.ok);
    assert_eq!(called.output[..4], topic("Rule_JUST_5()")[..4]);
}

/// `H(m) + g1 − apk1`, compressed.
fn forged(point: &[u8; 48], apk1: &[u8; 48]) -> [u8; 48] {
    let mut out = [0; 48];
    let (mut affine, mut sum, mut other) = Default::default();
    // SAFETY: the buffers have the lengths that blst wants.
    unsafe {
        assert_eq!(
            blst::blst_p1_uncompress(&mut affine, point.as_ptr()),
            blst::BLST_ERROR::BLST_SUCCESS
        );
        blst::blst_p1_from_affine(&mut sum, &affine);
        blst::blst_p1_add_or_double(&mut sum, &sum, blst::blst_p1_generator());
        assert_eq!(
            blst::blst_p1_uncompress(&mut affine, apk1.as_ptr()),
            blst::BLST_ERROR::BLST_SUCCESS
        );
        blst::blst_p1_from_affine(&mut other, &affine);
        blst::blst_p1_cneg(&mut other, true);
        blst::blst_p1_add_or_double(&mut sum, &sum, &other);
        blst::blst_p1_compress(out.as_mut_ptr(), &sum);
    }
    out
}

/// LIGHT-5.
#[test]
fn a_successor_that_changes_freezes_and_one_that_skips_an_id_is_refused() {
    let (one, two) = (TestSet::new(0, 0..4), TestSet::new(1, 1..5));
    let (other, far) = (TestSet::new(1, 2..6), TestSet::new(2, 2..6));
    let begin = checkpoint(GENESIS, one.set.commitment());
    let cases = [
        (&one, Verdict::Frozen),
        (&other, Verdict::Frozen),
        (&two, Verdict::New),
    ];
    let send =
        |number, next: &TestSet| proof_bytes(&prove(&one, number, next, 0), one.set.commitment());
    for (next, expected) in cases {
        let mut chain = Chain::new(FORKS[1], &begin).expect("deployed");
        assert_eq!(chain.submit(&send(5, &two)).0, Verdict::New);
        assert_eq!(chain.submit(&send(6, next)).0, expected);
    }
    let mut chain = Chain::new(FORKS[1], &begin).expect("deployed");
    assert_eq!(chain.submit(&send(5, &far)).0, Verdict::Refused);
}

/// JUST-5. An honest proof holds with any `t`, so no verdict tells whether it is the right one.
#[test]
fn the_coefficient_is_the_hash_that_the_rule_says() {
    let set = TestSet::new(3, 0..20);
    let suite = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";
    for absent in 0..=6 {
        let proof = prove(&set, 5, &set, absent);
        let justification = &proof.justification;
        let signed = justification.commitment.signed_bytes(GENESIS);
        let signers = (0..20).map(|i| (i, set.set.keyset().key_bytes()[i as usize]));
        let away = &proof.non_signers;
        let keys: Vec<_> = signers
            .filter(|(_, key)| !away.contains(key))
            .map(|(_, key)| key)
            .collect();
        let apk1 = KeysetCommitment::of_stored_unchecked(set.set.commitment().id, &keys)
            .expect("keys")
            .apk1;
        let fields: [&[u8]; 5] = [
            b"duet-v1/justification/t",
            &testing::message_point(suite, &signed),
            &apk1.0,
            &justification.apk2.0,
            &justification.signature.0,
        ];
        let mut hash = Sha256::new();
        for field in fields {
            hash.update((field.len() as u64).to_le_bytes());
            hash.update(field);
        }
        let t = u128::from_le_bytes(hash.finalize()[..16].try_into().expect("16 bytes")).max(1);
        let mut probe = Chain::with("Coefficient", FORKS[1], Vec::new()).expect("deployed");
        let sent = proof_bytes(&proof, set.set.commitment());
        let answer = probe.call_raw(coefficient_of(&sent, &GENESIS.0));
        assert!(answer.ok);
        assert_eq!(answer.output, [[0; 16], t.to_be_bytes()].concat());
    }
}
