//! Requests to the contract, and its answers and refusals.

use crate::target::{SetRef, Status, TargetError, Trust};
use alloy::primitives::keccak256;
use codec::Decode;
use duet_calldata::abi;
use duet_primitives::{BlockNumber, RecoveryStatement, SetId, H256};

/// Its views.
pub(crate) const STATUS: &str = "status()";
pub(crate) const SETS: &str = "sets()";
pub(crate) const GENESIS_HASH: &str = "genesisHash()";
pub(crate) const TRUSTING_PERIOD: &str = "trustingPeriod()";

/// The view of the contract with recovery, its event, and where the proof begins in the event's data.
pub(crate) const RECOVERY: &str = "recovery()";
pub(crate) const ANNOUNCED: &str = "RecoveryAnnounced(uint32,uint32,bytes32,uint64,uint256,bytes)";
const PROOF: usize = 5 * 32;

/// Every error that they may revert with.
const ERRORS: [&str; 37] = [
    "BadCheckpoint()",
    "BadTrustingPeriod()",
    "IsFrozen()",
    "NoBlake2()",
    "NoContradiction()",
    "NoLibrary(address)",
    "NoOwner()",
    "NoPrecompiles()",
    "NotTheOwner(address)",
    "Rule_ENC(uint256)",
    "Rule_ENC_2()",
    "Rule_ENC_6()",
    "Rule_JUST_3()",
    "Rule_JUST_4()",
    "Rule_JUST_5()",
    "Rule_JUST_5_At(uint256)",
    "Rule_LIGHT_3()",
    "Rule_LIGHT_4(uint32,uint32)",
    "Rule_LIGHT_5_OldSet(uint64,uint64)",
    "Rule_LIGHT_5_Successor()",
    "Rule_LIGHT_6(uint64,uint64)",
    "Rule_LIGHT_9(uint256,uint256)",
    "Rule_RECOVER_4()",
    "Rule_RECOVER_5()",
    "Rule_RECOVER_6()",
    "Rule_RECOVER_7_Known()",
    "Rule_RECOVER_7_OtherBlock()",
    "Rule_RECOVER_7_Sets(uint64)",
    "Rule_RECOVER_8_Contradicted()",
    "Rule_RECOVER_8_Early(uint256)",
    "Rule_RECOVER_8_Nothing()",
    "Rule_SET_3()",
    "Rule_STATELESS_2()",
    "Rule_STATE_1()",
    "Rule_STATE_2()",
    "Error(string)",
    "Panic(uint256)",
];

/// A call of a view without arguments.
pub(crate) fn view(signature: &str) -> Vec<u8> {
    abi::selector(signature).to_vec()
}

/// The words of an answer of exactly this many.
pub(crate) fn words<const N: usize>(
    view: &str,
    answer: &[u8],
) -> Result<[[u8; 32]; N], TargetError> {
    let words: Vec<[u8; 32]> = answer
        .chunks(32)
        .map_while(|word| word.try_into().ok())
        .collect();
    <[[u8; 32]; N]>::try_from(words)
        .ok()
        .filter(|_| answer.len() == N.saturating_mul(32))
        .ok_or_else(|| {
            let len = answer.len();
            TargetError::Misconfigured(format!(
                "no Duet light client at that address: {view} returned {len} bytes"
            ))
        })
}

/// The status from the answers of `status`, `sets` and `trustingPeriod`.
pub(crate) fn status(status: &[u8], sets: &[u8], period: &[u8]) -> Result<Status, TargetError> {
    let [number, signing, has_next, is_frozen, until] = words(STATUS, status)?;
    let [signing_hash, next_hash] = words(SETS, sets)?;
    let [period] = words(TRUSTING_PERIOD, period)?;
    let signing = last_eight(&signing);
    let set = |id, hash| SetRef {
        id: SetId::new(id),
        fingerprint: H256(hash),
    };
    Ok(Status {
        best: block_number(&number)?,
        signing: set(signing, signing_hash),
        next: (last_eight(&has_next) != 0).then(|| set(signing.saturating_add(1), next_hash)),
        is_stopped: last_eight(&is_frozen) != 0,
        trust: Some(Trust {
            until: last_eight(&until),
            period: last_eight(&period),
        }),
    })
}

/// What the contract waits for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Awaited {
    /// Keccak-256 of the statement and y of its set's total.
    pub(crate) fingerprint: H256,
    /// When the wait is over, in seconds of the contract's chain.
    pub(crate) until: u64,
    pub(crate) is_contradicted: bool,
}

/// The newest block, and what is waited for, from the answers of `status` and `recovery`. A frozen contract waits for
/// nothing.
pub(crate) fn awaited(
    status: &[u8],
    recovery: &[u8],
) -> Result<(BlockNumber, Option<Awaited>), TargetError> {
    let [number, _, _, is_frozen, _] = words(STATUS, status)?;
    let [fingerprint, until, is_contradicted] = words(RECOVERY, recovery)?;
    let is_waiting = fingerprint != [0; 32] && last_eight(&is_frozen) == 0;
    let awaited = is_waiting.then(|| Awaited {
        fingerprint: H256(fingerprint),
        until: last_eight(&until),
        is_contradicted: last_eight(&is_contradicted) != 0,
    });
    Ok((block_number(&number)?, awaited))
}

/// How the contract keeps a statement.
pub(crate) fn fingerprint(statement: &RecoveryStatement) -> H256 {
    H256(keccak256(duet_calldata::statement_bytes(statement)).0)
}

/// The statement with this fingerprint, from the data of its event.
pub(crate) fn announced(data: &[u8], wanted: H256) -> Option<RecoveryStatement> {
    let mut proof = data.get(PROOF..)?;
    let statement = RecoveryStatement::decode(&mut proof).ok()?;
    (fingerprint(&statement) == wanted).then_some(statement)
}

fn block_number(word: &[u8; 32]) -> Result<BlockNumber, TargetError> {
    let number = u32::try_from(last_eight(word)).map_err(|_| {
        TargetError::Misconfigured("the contract's block number has more than 32 bits".to_owned())
    })?;
    Ok(BlockNumber::new(number))
}

/// The meaning of a revert.
pub(crate) fn refusal(data: &[u8]) -> String {
    let Some((selector, arguments)) = data.split_at_checked(4) else {
        return "reverted without a reason: out of gas, or a precompile is missing".to_owned();
    };
    let known = ERRORS
        .iter()
        .find(|signature| abi::selector(signature) == selector);
    match known {
        Some(signature) if arguments.is_empty() => (*signature).to_owned(),
        Some(signature) => format!("{signature} with {}", numbers(arguments)),
        None => format!("unknown error 0x{}", hex::encode(selector)),
    }
}

fn numbers(arguments: &[u8]) -> String {
    let number = |word: &[u8]| match <[u8; 32]>::try_from(word) {
        Ok(word) if word.iter().take(24).all(|byte| *byte == 0) => last_eight(&word).to_string(),
        _ => format!("0x{}", hex::encode(word)),
    };
    let numbers: Vec<_> = arguments.chunks(32).take(4).map(number).collect();
    numbers.join(", ")
}

fn last_eight(word: &[u8; 32]) -> u64 {
    let [.., a, b, c, d, e, f, g, h] = *word;
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_and_others_are_no_light_clients() {
        let words = [7, 3, 1, 0, 900].map(abi::word).concat();
        let sets = [[1; 32], [2; 32]].concat();
        let period = abi::word(300);
        let read = status(&words, &sets, &period).expect("it is an answer");
        let trust = read.trust.expect("it has a trusting period");
        assert_eq!((trust.until, trust.period), (900, 300));
        assert_eq!(read.best, BlockNumber::new(7));
        assert_eq!(read.signing.id, SetId::new(3));
        assert_eq!(read.latest(), SetId::new(4));
        assert_eq!(read.next.map(|next| next.fingerprint), Some(H256([2; 32])));
        assert!(!read.is_stopped);
        for (status_len, sets_len, period_len) in [
            (0, 64, 32),
            (159, 64, 32),
            (192, 64, 32),
            (160, 0, 32),
            (160, 96, 32),
            (160, 64, 0),
        ] {
            let [words, sets, period] = [status_len, sets_len, period_len].map(|len| vec![0; len]);
            let answer = status(&words, &sets, &period);
            assert!(matches!(answer, Err(TargetError::Misconfigured(_))));
        }
        let large = [1 << 32, 3, 1, 0, 900].map(abi::word).concat();
        assert!(status(&large, &sets, &period).is_err());
    }

    /// RECOVER-7.
    #[test]
    fn what_is_awaited_is_read_from_the_view_and_from_the_event() {
        let set = duet_primitives::testing::TestSet::new(9, 1..5);
        let statement = RecoveryStatement {
            recovery_set: SetId::new(3),
            block_number: BlockNumber::new(7),
            block_hash: H256([1; 32]),
            ended: SetId::new(3),
            reset_number: BlockNumber::new(8),
            reset_hash: H256([2; 32]),
            set: set.set.commitment().clone(),
        };
        let wanted = fingerprint(&statement);
        let status = |is_frozen| [7, 3, 1, is_frozen, 900].map(abi::word).concat();
        let view =
            |is_contradicted| [wanted.0, abi::word(500), abi::word(is_contradicted)].concat();
        for is_contradicted in [0, 1] {
            let read = awaited(&status(0), &view(is_contradicted)).expect("it is an answer");
            let expected = Awaited {
                fingerprint: wanted,
                until: 500,
                is_contradicted: is_contradicted == 1,
            };
            assert_eq!(read, (BlockNumber::new(7), Some(expected)));
        }
        for (status, view) in [(status(1), view(0)), (status(0), vec![0; 96])] {
            let read = awaited(&status, &view).expect("it is an answer");
            assert_eq!(read, (BlockNumber::new(7), None));
        }
        assert!(awaited(&status(0), &[0; 64]).is_err() && awaited(&[], &view(0)).is_err());

        let event = [vec![0; PROOF], codec::Encode::encode(&statement)].concat();
        assert_eq!(announced(&event, wanted), Some(statement));
        assert_eq!(announced(&event, H256::zero()), None);
        for length in [0, PROOF - 1, PROOF, event.len() - 1] {
            assert_eq!(announced(&event[..length], wanted), None);
        }
    }

    #[test]
    fn a_refusal_names_the_rule_and_its_numbers() {
        let old = abi::selector("Rule_LIGHT_4(uint32,uint32)");
        let data = [&old[..], &abi::word(9), &abi::word(5)].concat();
        assert_eq!(refusal(&data), "Rule_LIGHT_4(uint32,uint32) with 9, 5");
        assert_eq!(refusal(&abi::selector("IsFrozen()")), "IsFrozen()");
        assert_eq!(refusal(&[1, 2, 3, 4, 5]), "unknown error 0x01020304");
        assert!(refusal(&[]).starts_with("reverted without a reason"));
    }

    /// Every error of the contracts' sources is known, and no other but Solidity's own.
    #[test]
    fn the_errors_are_those_of_the_contracts() {
        let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/../contracts/src");
        let mut found = vec!["Error(string)".to_owned(), "Panic(uint256)".to_owned()];
        for file in [
            "DuetLightClient",
            "FinalityProof",
            "OwnedDuetLightClient",
            "RecoverableDuetLightClient",
            "StateProof",
        ] {
            let text = std::fs::read_to_string(format!("{sources}/{file}.sol")).expect("a source");
            let errors = text
                .lines()
                .filter_map(|line| line.trim().strip_prefix("error "));
            found.extend(errors.map(|error| {
                let (name, arguments) = error.split_once('(').expect("arguments");
                let arguments = arguments.split_once(')').expect("their end").0;
                let types = arguments.split(',').map(|argument| {
                    let first = argument.split_whitespace().next();
                    first.unwrap_or_default()
                });
                format!("{name}({})", types.collect::<Vec<_>>().join(","))
            }));
        }
        found.sort();
        let mut known = ERRORS.map(str::to_owned).to_vec();
        known.sort();
        assert_eq!(known, found);
    }
}
