//! The supported methods, and how far each answer is verified. `docs/light-clients/command.md` shows the same table.

/// How far an answer is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Checked under a proof that was verified.
    Verified,
    /// The answer of an endpoint, unchecked.
    PassedThrough,
    /// Not answered.
    Refused,
}

impl Class {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::PassedThrough => "passed through",
            Self::Refused => "refused",
        }
    }
}

/// A method; a final `*` stands for all methods with this prefix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) method: &'static str,
    pub(crate) class: Class,
    /// What is checked, or why nothing is.
    pub(crate) why: &'static str,
}

/// The row of methods that are not in the table.
const UNKNOWN: Row = Row {
    method: "*",
    class: Class::Refused,
    why: "not supported",
};

const STRICT: &str = "nothing proves the answer, and --strict was given";

/// Transactions are passed on with `--strict` too: nothing is learnt from it.
const SUBMISSIONS: [&str; 7] = [
    "author_submitAndWatchExtrinsic",
    "author_submitExtrinsic",
    "author_unwatchExtrinsic",
    "transactionWatch_v1_submitAndWatch",
    "transactionWatch_v1_unwatch",
    "transaction_v1_broadcast",
    "transaction_v1_stop",
];

const fn verified(method: &'static str, why: &'static str) -> Row {
    let class = Class::Verified;
    Row { method, class, why }
}

const fn passed(method: &'static str, why: &'static str) -> Row {
    let class = Class::PassedThrough;
    Row { method, class, why }
}

const fn refused(method: &'static str, why: &'static str) -> Row {
    let class = Class::Refused;
    Row { method, class, why }
}

const ENDS: &str = "ends the subscription";
const RUNTIME: &str =
    "STATE-5 to STATE-8; executed here, at the newest proven block unless the call names another";
const OWN: &str = "this server's own";
const STORAGE: &str = "STATE-2; lists of descendants are proven complete; child tries are refused";
const WORDS: &str = "the endpoint's own claim";
const OLD_SET: &str =
    "this server may no longer have the signing set's keys; the caller verifies the answer";
const WARP: &str = "the caller verifies the answer (WARP-1 to WARP-4)";
const RESET: &str = "the endpoint's claim: no proof leads across a reset (LIGHT-8)";

/// The table.
pub(crate) const TABLE: &[Row] = &[
    verified("archive_v1_body", "STATE-4"),
    verified("archive_v1_call", "STATE-5 to STATE-8"),
    verified("archive_v1_finalizedHeight", "the newest proven block"),
    verified("archive_v1_genesisHash", "the hash that the user gave"),
    verified("archive_v1_hashByHeight", "STATE-3; none above the newest proven block"),
    verified("archive_v1_header", "STATE-1, STATE-3"),
    verified("archive_v1_stopStorage", ENDS),
    verified("archive_v1_storage", STORAGE),
    verified("account_nextIndex", "STATE-2; the nonce after the newest proven block, without the pool"),
    verified("chainHead_v1_body", "STATE-4"),
    verified("chainHead_v1_call", "STATE-5 to STATE-8"),
    verified("chainHead_v1_continue", OWN),
    verified("chainHead_v1_follow", "each proven block is new, best and finalized at once, and there are no others"),
    verified("chainHead_v1_header", "STATE-1"),
    verified("chainHead_v1_stopOperation", OWN),
    verified("chainHead_v1_storage", STORAGE),
    verified("chainHead_v1_unfollow", ENDS),
    verified("chainHead_v1_unpin", OWN),
    verified("chainSpec_v1_genesisHash", "the hash that the user gave"),
    verified("chain_getBlock", "STATE-4; without justifications"),
    verified("chain_getBlockHash", "STATE-3; null when no block with this number is proven"),
    verified("chain_getFinalizedHead", "the newest proven block"),
    verified("chain_getHeader", "STATE-1, STATE-3"),
    verified("chain_getRuntimeVersion", RUNTIME),
    verified("chain_subscribeAllHeads", "the proven blocks; some may be skipped"),
    verified("chain_subscribeFinalizedHeads", "the proven blocks; some may be skipped"),
    verified("chain_subscribeNewHeads", "the proven blocks; some may be skipped"),
    verified("chain_unsubscribeAllHeads", ENDS),
    verified("chain_unsubscribeFinalizedHeads", ENDS),
    verified("chain_unsubscribeNewHeads", ENDS),
    verified("duet_getFinalizedHead", "the newest proven block"),
    verified("duet_getGenesisProof", "LIGHT-1 to LIGHT-3"),
    verified("duet_getProofs", "JUST-1 to JUST-5, STATE-1 to STATE-3; under the newest proven block only"),
    verified("duet_getStartProof", "LIGHT-1 to LIGHT-3 for the requested block; null, and the answer to a call without a block, are the endpoint's claim"),
    verified("duet_subscribeJustifications", "JUST-1 to JUST-5"),
    verified("duet_unsubscribeJustifications", ENDS),
    verified("payment_queryFeeDetails", RUNTIME),
    verified("payment_queryInfo", RUNTIME),
    verified("rpc_methods", "the methods of this table that are not refused"),
    verified("state_call", RUNTIME),
    verified("state_getMetadata", RUNTIME),
    verified("state_getKeysPaged", "STATE-2; each page is proven complete"),
    verified("state_getReadProof", "STATE-2"),
    verified("state_getRuntimeVersion", RUNTIME),
    verified("state_getStorage", "STATE-2; absence (null) is proven too"),
    verified("state_getStorageHash", "STATE-2"),
    verified("state_getStorageSize", "STATE-2"),
    verified("state_queryStorageAt", "STATE-2"),
    verified("state_subscribeRuntimeVersion", RUNTIME),
    verified("state_subscribeStorage", "STATE-2; changes from one proven block to the next"),
    verified("state_unsubscribeRuntimeVersion", ENDS),
    verified("state_unsubscribeStorage", ENDS),
    verified("system_accountNextIndex", "STATE-2; the nonce after the newest proven block, without the pool"),
    verified("system_health", "STATE-2; `headAge` and `isSyncing` are by this machine's clock, `peers` counts the endpoints in use"),
    passed("author_submitAndWatchExtrinsic", "a submission; the status `finalized` is sent only when a proof shows the transaction in a proven block"),
    passed("author_submitExtrinsic", "a submission; the hash is checked"),
    passed("author_unwatchExtrinsic", ENDS),
    passed("chainSpec_v1_chainName", WORDS),
    passed("chainSpec_v1_properties", WORDS),
    passed("duet_getJustification", OLD_SET),
    passed("duet_getKeys", OLD_SET),
    passed("duet_getLastJustification", OLD_SET),
    passed("duet_getLastStatelessProof", OLD_SET),
    passed("duet_getReset", RESET),
    passed("duet_getSetProofs", OLD_SET),
    passed("duet_getStatelessProof", OLD_SET),
    passed("duet_getStatelessSetProofs", OLD_SET),
    passed("duet_getWarpGenesis", WARP),
    passed("duet_getWarpProof", WARP),
    passed("duet_reportProof", "submits a possibly false proof; the answer is the endpoint's claim"),
    passed("system_chain", WORDS),
    passed("system_chainType", WORDS),
    passed("system_name", WORDS),
    passed("system_properties", WORDS),
    passed("system_version", WORDS),
    passed("transactionWatch_v1_submitAndWatch", "a submission; the status `finalized` is sent only when a proof shows the transaction in a proven block"),
    passed("transactionWatch_v1_unwatch", ENDS),
    passed("transaction_v1_broadcast", "a submission; the hash is checked"),
    passed("transaction_v1_stop", OWN),
    refused("archive_*", "not supported"),
    refused("author_*", "for the operator of a node, or about a pool, which no proof covers"),
    refused("chainHead_*", "not supported"),
    refused("childstate_*", "proofs of child tries are not checked here"),
    refused("duet_*", "for the operator of a node, or not supported"),
    refused("grandpa_*", "proofs of GRANDPA are not checked here"),
    refused("mmr_*", "proofs of older blocks are checked here: ask for the blocks"),
    refused("state_getKeys", "a list without bound; use state_getKeysPaged"),
    refused("state_getPairs", "a list without bound; use state_getKeysPaged"),
    refused("state_queryStorage", "no proof shows which blocks changed an entry; ask block by block with state_queryStorageAt"),
    refused("system_*", "for the operator of a node"),
    refused("transactionWatch_*", "not supported"),
    refused("transaction_*", "not supported"),
];

/// The row of a method. Methods that cannot be verified are refused when `strict`.
pub(crate) fn row(method: &str, strict: bool) -> Row {
    let matches = |row: &&Row| match row.method.strip_suffix('*') {
        Some(prefix) => method.starts_with(prefix),
        None => method == row.method,
    };
    // The rows with names come before those that stand for many.
    let row = *TABLE.iter().find(matches).unwrap_or(&UNKNOWN);
    if strict && row.class == Class::PassedThrough && !SUBMISSIONS.contains(&row.method) {
        return refused(row.method, STRICT);
    }
    row
}

/// The methods that are answered.
pub(crate) fn answered(strict: bool) -> Vec<&'static str> {
    let all = TABLE.iter().map(|row| row.method);
    all.filter(|method| row(method, strict).class != Class::Refused)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_shows_this_table() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../docs/light-clients/command.md"
        );
        let text = std::fs::read_to_string(path).expect("the page is there");
        let shown: Vec<_> = text
            .lines()
            .skip_while(|line| *line != "| method | class | what is checked, or why not |")
            .skip(2)
            .take_while(|line| line.starts_with('|'))
            .collect();
        let expected: Vec<_> = TABLE
            .iter()
            .map(|row| format!("| `{}` | {} | {} |", row.method, row.class.name(), row.why))
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_method_is_found_by_its_name_or_else_by_its_beginning() {
        let class = |method| row(method, false).class;
        assert_eq!(class("state_getStorage"), Class::Verified);
        assert_eq!(class("author_submitExtrinsic"), Class::PassedThrough);
        for refused in [
            "author_rotateKeys",
            "state_getKeys",
            "chainHead_v2_follow",
            "none",
        ] {
            assert_eq!(class(refused), Class::Refused, "{refused}");
        }
        assert_eq!(row("none", false).why, UNKNOWN.why);
    }

    #[test]
    fn what_cannot_be_verified_is_refused_when_strict_but_transactions_are_passed_on() {
        for row in TABLE.iter().filter(|row| row.class == Class::PassedThrough) {
            let strict = super::row(row.method, true);
            let expected = if SUBMISSIONS.contains(&row.method) {
                Class::PassedThrough
            } else {
                Class::Refused
            };
            assert_eq!(strict.class, expected, "{}", row.method);
        }
        assert!(!answered(true).contains(&"system_chain"));
        assert!(answered(false).contains(&"system_chain"));
        assert!(answered(true).contains(&"state_call"));
    }
}
