//! Growing costs, against the size of the set and the number of sessions, and bytes.

use crate::results::Results;
use crate::text::{grouped, short, table};

/// In what costs are given that have no rival of their own: one verification of one signature by blst.
pub(super) const UNIT: &str = "vote::check/scheme=blst_min_sig,hash=each";

/// One line of a table of costs: its label, the operation with `{}` for the size, and whether the cost is that of
/// one of `n`.
struct Cost {
    label: &'static str,
    name: &'static str,
    each: bool,
}

const COSTS: [Cost; 25] = [
    cost(
        "one vote, alone",
        "vote::check/n={},scheme=duet,hash=once",
        false,
    ),
    cost(
        "a round's votes, per vote",
        "vote::check_all/n={},threads=1,scheme=duet",
        true,
    ),
    cost(
        "… on two threads",
        "vote::check_all/n={},threads=2,scheme=duet",
        true,
    ),
    cost(
        "aggregation of checked votes",
        "keyset::aggregate/n={},signed=67%,scheme=duet",
        false,
    ),
    cost(
        "a proof from unchecked votes",
        "keyset::aggregate_unchecked/n={},signed=67%,scheme=duet",
        false,
    ),
    cost(
        "aggregation by blst, signatures alone",
        "keyset::aggregate/n={},signed=67%,scheme=blst_min_sig",
        false,
    ),
    cost(
        "justification, 67 %",
        "justification::check/n={},signed=67%,scheme=duet",
        false,
    ),
    cost(
        "justification, 67 %, with cached subset sums",
        "justification::check/n={},signed=67%,scheme=duet,sums=cached",
        false,
    ),
    cost(
        "justification, 67 %, nine in ten non-signers as before",
        "justification::check/n={},signed=67%,scheme=duet,non_signers=steady",
        false,
    ),
    cost(
        "… blst `min_pk`",
        "justification::check/n={},signed=67%,scheme=blst_min_pk",
        false,
    ),
    cost(
        "… blst `min_sig`",
        "justification::check/n={},signed=67%,scheme=blst_min_sig",
        false,
    ),
    cost(
        "… w3f-bls 0.3.3, apk1 and apk2",
        "justification::check/n={},signed=67%,scheme=w3f_bls_381_apk2",
        false,
    ),
    cost(
        "… ECDSA, as BEEFY",
        "justification::check/n={},signed=67%,scheme=sp_core_ecdsa",
        false,
    ),
    cost(
        "justification, 95 %",
        "justification::check/n={},signed=95%,scheme=duet",
        false,
    ),
    cost(
        "justification, 95 %, with cached subset sums",
        "justification::check/n={},signed=95%,scheme=duet,sums=cached",
        false,
    ),
    cost(
        "justification, 95 %, nine in ten non-signers as before",
        "justification::check/n={},signed=95%,scheme=duet,non_signers=steady",
        false,
    ),
    cost(
        "… blst `min_pk`",
        "justification::check/n={},signed=95%,scheme=blst_min_pk",
        false,
    ),
    cost(
        "… w3f-bls 0.3.3, apk1 and apk2",
        "justification::check/n={},signed=95%,scheme=w3f_bls_381_apk2",
        false,
    ),
    cost(
        "justification, 100 %",
        "justification::check/n={},signed=100%,scheme=duet",
        false,
    ),
    cost(
        "… blst `min_pk`",
        "justification::check/n={},signed=100%,scheme=blst_min_pk",
        false,
    ),
    cost(
        "… w3f-bls 0.3.3, apk1 and apk2",
        "justification::check/n={},signed=100%,scheme=w3f_bls_381_apk2",
        false,
    ),
    cost(
        "stateless proof, 67 %",
        "stateless::check/n={},signed=67%,scheme=duet",
        false,
    ),
    cost(
        "stateless proof, 95 %",
        "stateless::check/n={},signed=95%,scheme=duet",
        false,
    ),
    cost(
        "stateless proof, 100 %",
        "stateless::check/n={},signed=100%,scheme=duet",
        false,
    ),
    cost("keys of a new set", "keyset::check/n={},scheme=duet", false),
];

const fn cost(label: &'static str, name: &'static str, each: bool) -> Cost {
    Cost { label, name, each }
}

/// The median of a cost at a size, in [`UNIT`]s.
pub(crate) fn in_units(results: &Results, name: &str, size: u32, each: bool) -> Option<f64> {
    let median = results.median(&name.replace("{}", &size.to_string()))?;
    let of = if each { f64::from(size) } else { 1.0 };
    Some(median / of / results.median(UNIT)?)
}

pub(super) fn by_set_size(results: &Results) -> String {
    let sizes = results.values("justification::check", "n");
    let sizes = &sizes | &results.values("vote::check", "n");
    let sizes: Vec<_> = sizes.into_iter().collect();
    let mut heads = vec!["in verifications of one signature by blst".to_owned()];
    heads.extend(sizes.iter().map(|n| format!("n = {}", grouped(n))));
    let heads: Vec<_> = heads.iter().map(String::as_str).collect();
    let rows: Vec<_> = COSTS
        .iter()
        .filter_map(|Cost { label, name, each }| {
            let cells: Vec<_> = sizes
                .iter()
                .map(|n| in_units(results, name, *n, *each))
                .collect();
            cells.iter().any(Option::is_some).then(|| {
                let cells = cells
                    .into_iter()
                    .map(|cell| cell.map_or_else(|| "–".to_owned(), short));
                std::iter::once((*label).to_owned()).chain(cells).collect()
            })
        })
        .collect();
    table("Cost against the size of the set", &heads, &rows)
}

pub(crate) const SYNC: &str = "justification::sync/sessions={},n=100,signed=67%,scheme=duet,way=";

pub(super) fn by_sessions(results: &Results) -> String {
    let sessions = results.values("justification::sync", "sessions");
    let rows: Vec<_> = sessions
        .into_iter()
        .filter_map(|sessions| {
            let cost = |way: &str| in_units(results, &[SYNC, way].concat(), sessions, false);
            let alone = cost("one_by_one")?;
            let together = cost("together");
            Some(vec![
                grouped(sessions),
                short(alone),
                together.map_or_else(|| "–".to_owned(), short),
                together.map_or_else(
                    || "–".to_owned(),
                    |cost| format!("{}×", short(alone / cost)),
                ),
            ])
        })
        .collect();
    table(
        "Syncing: one proof per session, sets of 100, in verifications of one signature by blst",
        &["sessions", "one by one", "together", "ratio"],
        &rows,
    )
}

pub(super) fn sizes(results: &Results) -> String {
    let rows: Vec<_> = results
        .sizes
        .iter()
        .map(|sizes| {
            let ratio = f64::from(sizes.beefy_ecdsa) / f64::from(sizes.justification);
            vec![
                grouped(sizes.n),
                grouped(sizes.vote),
                grouped(sizes.justification),
                grouped(sizes.stateless),
                grouped(sizes.beefy_ecdsa),
                grouped(sizes.beefy_ecdsa_bls),
                format!("{}×", short(ratio)),
            ]
        })
        .collect();
    table(
        "Bytes of what travels, at threshold, worked out from the encodings",
        &[
            "validators",
            "vote",
            "justification",
            "stateless proof",
            "BEEFY, ECDSA",
            "BEEFY, ECDSA and BLS",
            "BEEFY, ECDSA / justification",
        ],
        &rows,
    )
}
