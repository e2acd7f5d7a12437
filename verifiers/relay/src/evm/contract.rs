//! Requests to the contract, and its answers and refusals.

use crate::target::{SetRef, Status, TargetError, Trust};
use duet_calldata::abi;
use duet_primitives::{BlockNumber, SetId, H256};

/// Its views.
pub(crate) const STATUS: &str = "status()";
pub(crate) const SETS: &str = "sets()";
pub(crate) const GENESIS_HASH: &str = "genesisHash()";
pub(crate) const TRUSTING_PERIOD: &str = "trustingPeriod()";

/// Every error that it may revert with.
const ERRORS: [&str; 23] = [
    "BadCheckpoint()",
    "BadTrustingPeriod()",
    "IsFrozen()",
    "NoContradiction()",
    "NoOwner()",
    "NoPrecompiles()",
    "NotTheOwner(address)",
    "Rule_ENC(uint256)",
    "Rule_ENC_2()",
    "Rule_ENC_6()",
    "Rule_JUST_3()",
    "Rule_JUST_4()",
    "Rule_JUST_5()",
    "Rule_LIGHT_3()",
    "Rule_LIGHT_4(uint32,uint32)",
    "Rule_LIGHT_5_OldSet(uint64,uint64)",
    "Rule_LIGHT_5_Successor()",
    "Rule_LIGHT_6(uint64,uint64)",
    "Rule_LIGHT_9(uint256,uint256)",
    "Rule_SET_3()",
    "Rule_STATELESS_2()",
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
    let number = u32::try_from(last_eight(&number)).map_err(|_| {
        TargetError::Misconfigured("the contract's block number has more than 32 bits".to_owned())
    })?;
    let signing = last_eight(&signing);
    let set = |id, hash| SetRef {
        id: SetId::new(id),
        fingerprint: H256(hash),
    };
    Ok(Status {
        best: BlockNumber::new(number),
        signing: set(signing, signing_hash),
        next: (last_eight(&has_next) != 0).then(|| set(signing.saturating_add(1), next_hash)),
        is_stopped: last_eight(&is_frozen) != 0,
        trust: Some(Trust {
            until: last_eight(&until),
            period: last_eight(&period),
        }),
    })
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
        for file in ["DuetLightClient", "FinalityProof", "OwnedDuetLightClient"] {
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
