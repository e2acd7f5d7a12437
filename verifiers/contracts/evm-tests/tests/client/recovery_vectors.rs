//! The cases of recovery in the conformance vectors, in the client's own code. Only the hash of the header is not compared: the
//! hashes of blocks in the vectors are those of no header. (RECOVER-4 to RECOVER-8)

use crate::{bytes, common::checkpoint, hash, recovery::State, vectors};
use codec::{Decode, DecodeAll, Encode};
use duet_calldata::{announce_recovery, constructor, cross_recovery};
use duet_evm_tests::{topic, Called, Chain, BEGINNING, FORKS};
use duet_primitives::{testing::TestSet, BlockNumber, KeysetCommitment, RecoveryProof, H256};
use revm::primitives::hardfork::SpecId;
use serde_json::{json, Value};
use std::collections::BTreeMap;

/// Why there is no calldata or no client for a case.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Untold {
    /// The bytes are no proof in SCALE. The contract has a layout of its own.
    NoProof,
    /// The client knows a successor whose id is not the next one. The contract refuses such a checkpoint. (LIGHT-5)
    NotTheNextId,
    /// The time of the client's block is not known. The contract counts from the block that brought it.
    NoTime,
    /// A clock that runs backwards. The time of blocks does not.
    BackInTime,
}

/// The client's errors in these cases.
const ERRORS: [&str; 18] = [
    "Rule_ENC(uint256)",
    "Rule_ENC_2()",
    "Rule_ENC_6()",
    "Rule_JUST_3()",
    "Rule_JUST_4()",
    "Rule_JUST_5()",
    "Rule_STATELESS_2()",
    "Rule_SET_3()",
    "Rule_STATE_2()",
    "Rule_LIGHT_9(uint256,uint256)",
    "Rule_RECOVER_4()",
    "Rule_RECOVER_5()",
    "Rule_RECOVER_6()",
    "Rule_RECOVER_7_OtherBlock()",
    "Rule_RECOVER_7_Sets(uint64)",
    KNOWN,
    "Rule_RECOVER_8_Contradicted()",
    "Rule_RECOVER_8_Early(uint256)",
];
const KNOWN: &str = "Rule_RECOVER_7_Known()";

/// The first refused call, by its error, ends a case.
fn refusal(called: &Called) -> Result<(), &'static str> {
    if called.ok {
        return Ok(());
    }
    let named = |error: &&&str| called.output.get(..4) == Some(&topic(error)[..4]);
    let error = ERRORS.iter().find(named);
    Err(error.unwrap_or_else(|| panic!("another error: {called:?}")))
}

/// A client that is at a block, and the terms in its state.
struct Client {
    chain: Chain,
    state: State,
    recovery_set: KeysetCommitment,
}

/// Where a client is.
struct At {
    genesis: H256,
    number: u64,
    hash: H256,
    signing: u64,
    next: Option<u64>,
    trusting_period: u64,
}

impl Client {
    fn new(fork: SpecId, at: At, terms: Vec<u8>) -> Self {
        let set = |id| TestSet::new(id, 0..1).set.commitment().clone();
        let mut begin = checkpoint(at.genesis, &set(at.signing));
        begin.block_number = BlockNumber::new(at.number.try_into().expect("a number"));
        begin.block_hash = at.hash;
        if let Some(next) = at.next {
            begin.keysets.next = set(next);
        }
        let arguments = constructor(&begin, at.trusting_period);
        Self {
            chain: Chain::with("AnyHeader", fork, arguments).expect("deployed"),
            // What is behind the set is not the proof's.
            recovery_set: KeysetCommitment::decode(&mut &terms[..]).expect("a set"),
            state: State::new(Some(terms)),
        }
    }

    fn announce(&mut self, proof: &RecoveryProof) -> Result<(), &'static str> {
        let State { header, nodes } = &self.state;
        let call = announce_recovery(header, H256::zero(), nodes, proof, &self.recovery_set);
        refusal(&self.chain.call_raw(call))
    }
}

fn decoded(bytes: &[u8]) -> Result<RecoveryProof, Untold> {
    RecoveryProof::decode_all(&mut &*bytes).map_err(|_| Untold::NoProof)
}

/// Seconds for milliseconds: one beside a whole second becomes a second, on the same side of it.
fn seconds(milliseconds: u64) -> u64 {
    match milliseconds % 1_000 {
        0 | 999 => milliseconds / 1_000,
        1 => milliseconds / 1_000 + 1,
        _ => panic!("{milliseconds} ms"),
    }
}

/// Announces the proof of a case to a client at its block, whose signing set it ends.
fn prove(fork: SpecId, file: &Value, input: &Value) -> Result<Result<(), &'static str>, Untold> {
    let proof = decoded(&bytes(file, &input["proof"]))?;
    let said = &proof.statement;
    let at = At {
        genesis: hash(file, &input["genesis_hash"]),
        number: said.block_number.get().into(),
        hash: said.block_hash,
        signing: said.ended.get(),
        next: None,
        trusting_period: 1,
    };
    // Not decoded: its total may be no point.
    let terms = [bytes(file, &input["commitment"]), 1_u64.encode()].concat();
    Ok(Client::new(fork, at, terms).announce(&proof))
}

/// Crosses, and returns where the client is, as the vectors have it.
fn cross(fork: SpecId, file: &Value, input: &Value) -> Result<Result<Value, &'static str>, Untold> {
    let number = |name| {
        let text = input[name].as_str()?;
        Some(text.parse::<u64>().expect("a number"))
    };
    let given = |name| number(name).expect("given");
    let (signing, next) = (given("signing"), number("next"));
    if next.is_some_and(|next| next != signing + 1) {
        return Err(Untold::NotTheNextId);
    }
    let time = number("time").ok_or(Untold::NoTime)?;
    let (announced, now) = (given("announced"), given("now"));
    if announced < time || now < announced {
        return Err(Untold::BackInTime);
    }
    let proof = decoded(&bytes(file, &input["proof"]))?;
    let at = At {
        genesis: hash(file, &input["genesis_hash"]),
        number: input["block_number"].as_u64().expect("a number"),
        hash: hash(file, &input["block_hash"]),
        signing,
        next,
        // The contract always has one.
        trusting_period: number("trusting_period").unwrap_or(u64::MAX),
    };
    let mut client = Client::new(fork, at, bytes(file, &input["terms"]));
    client.chain.time = BEGINNING + seconds(announced - time);
    let mut crossed = || {
        client.announce(&proof)?;
        if !input["other"].is_null() {
            let other = decoded(&bytes(file, &input["other"])).expect("a proof");
            // The same statement changes nothing.
            match client.announce(&other) {
                Err(KNOWN) => {}
                result => result?,
            }
        }
        client.chain.time = BEGINNING + seconds(now - time);
        refusal(&client.chain.call_raw(cross_recovery(&proof.statement)))
    };
    if let Err(error) = crossed() {
        return Ok(Err(error));
    }
    let newest = client.chain.call("newest()", &[]).output;
    let (number, signing, has_next, _) = client.chain.status();
    assert!(!has_next);
    Ok(Ok(json!({
        "valid": true,
        "outcome": "crossed",
        "block_number": number,
        "block_hash": format!("0x{}", hex::encode(newest)),
        "signing": signing.to_string(),
        "next": null,
    })))
}

/// Whether an error names a rule that a case breaks: the rule itself, or one of its causes. The curve's precompiles say only
/// that some rule of ENC is broken.
fn is_named(expected: &Value, error: &str) -> bool {
    let causes = expected["cause"].as_array().into_iter().flatten();
    let mut broken = causes.chain([&expected["rule"]]).filter_map(Value::as_str);
    broken.any(|broken| {
        let name = format!("Rule_{}", broken.replace('-', "_"));
        error.starts_with(&name) || error == "Rule_ENC(uint256)" && broken.starts_with("ENC-")
    })
}

/// The cases that cannot be told.
const UNTOLD: [(&str, Untold); 15] = [
    ("proof: a bitfield of 12 501 bytes", Untold::NoProof),
    ("proof: a byte behind it", Untold::NoProof),
    ("proof: a byte less", Untold::NoProof),
    (
        "crossing: the new set is the successor",
        Untold::NotTheNextId,
    ),
    (
        "crossing: the new set is below the successor",
        Untold::NotTheNextId,
    ),
    (
        "crossing: a clock 1 ms before the announcement",
        Untold::BackInTime,
    ),
    (
        "crossing: a clock 60 s before the block's time",
        Untold::BackInTime,
    ),
    (
        "crossing: announced 60 s before the block's time",
        Untold::BackInTime,
    ),
    ("crossing: a clock at 0", Untold::BackInTime),
    (
        "crossing: a clock a millisecond more than 60 s before the block's time",
        Untold::BackInTime,
    ),
    (
        "crossing: announced a millisecond more than 60 s before the block's time",
        Untold::BackInTime,
    ),
    ("crossing: announced at 0", Untold::BackInTime),
    (
        "crossing: a clock 1 ms before the announcement, and a successor",
        Untold::BackInTime,
    ),
    ("crossing: a block without a time", Untold::NoTime),
    (
        "crossing: a second proof of another reset, and a clock before the announcement",
        Untold::BackInTime,
    ),
];

/// The refused cases for which the client names another rule: it checks in another order, its layout has no lengths of lists, and
/// it takes terms of the wrong form for the first thing that is wrong with them.
const OTHERWISE: [(&str, &str); 15] = [
    (
        "proof: a new set with the id of the ended one",
        "Rule_RECOVER_7_Sets(uint64)",
    ),
    (
        "proof: a new set below the ended one",
        "Rule_RECOVER_7_Sets(uint64)",
    ),
    (
        "proof: a total of the new set that is all zero",
        "Rule_SET_3()",
    ),
    (
        "proof: a total of the new set that is infinity",
        "Rule_SET_3()",
    ),
    ("proof: a bitfield that is too long", "Rule_ENC(uint256)"),
    ("proof: a bitfield without bytes", "Rule_JUST_4()"),
    ("proof: a non-signer's key is missing", "Rule_ENC(uint256)"),
    ("proof: a key too many", "Rule_STATELESS_2()"),
    (
        "crossing: a block that grows too old within the wait, and early",
        "Rule_LIGHT_9(uint256,uint256)",
    ),
    ("crossing: terms of a set of 100 000", "Rule_ENC_6()"),
    (
        "crossing: terms of a set whose total is all zero",
        "Rule_SET_3()",
    ),
    (
        "crossing: terms of a set whose total is infinity",
        "Rule_SET_3()",
    ),
    (
        "crossing: terms of a set whose total is an x without a point",
        "Rule_ENC(uint256)",
    ),
    (
        "crossing: terms of a set whose total is on the curve as it comes",
        "Rule_ENC(uint256)",
    ),
    ("crossing: terms with a byte behind them", "Rule_STATE_2()"),
];

#[test]
fn recovery_vectors_have_their_verdicts() {
    let file = vectors("recovery");
    for fork in FORKS {
        let (mut wrong, mut untold, mut otherwise) = (Vec::new(), Vec::new(), Vec::new());
        let mut told = BTreeMap::new();
        for case in file["cases"].as_array().expect("cases") {
            let (input, expected) = (&case["input"], &case["expected"]);
            let operation = case["operation"].as_str().expect("an operation");
            let got = match operation {
                "recovery_proof" => prove(fork, &file, input).map(|got| got.map(|()| None)),
                "cross" => cross(fork, &file, input).map(|got| got.map(Some)),
                _ => continue,
            };
            let id = case["id"].as_str().expect("an id");
            let id = id.strip_prefix("recovery/").expect("the file's name");
            let got = match got {
                Ok(got) => got,
                Err(reason) => {
                    untold.push((id, reason));
                    continue;
                }
            };
            let is_valid = expected["valid"] == true;
            *told.entry((operation, is_valid)).or_insert(0) += 1;
            let is_equal = match &got {
                Ok(after) => is_valid && after.as_ref().is_none_or(|after| after == expected),
                Err(error) => {
                    if !is_named(expected, error) {
                        otherwise.push((id, *error));
                    }
                    !is_valid
                }
            };
            if !is_equal {
                wrong.push((id, got));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        let counts = [
            (("cross", false), 32),
            (("cross", true), 8),
            (("recovery_proof", false), 54),
            (("recovery_proof", true), 6),
        ];
        assert_eq!(told, counts.into());
        assert_eq!(untold, UNTOLD);
        assert_eq!(otherwise, OTHERWISE);
    }
}
