//! Tables in Markdown. No time stands alone: each has a ratio next to it, or is in units of a rival's.

pub(crate) mod costs;
mod parts;

use crate::{
    results::Results,
    targets::{Target, TARGETS},
    text::{grouped, short, table, time},
};

/// Every table that the results have something for.
pub(crate) fn all(results: &Results) -> String {
    let intro = format!(
        "Scale `{}`, {} samples in {} passes, on {}. Medians of one run.\n",
        results.scale,
        results
            .rows
            .iter()
            .map(|row| row.samples)
            .max()
            .unwrap_or_default(),
        results.passes,
        results.machine.describe(),
    );
    let tables = [
        intro,
        targets(results),
        aggregates(results),
        signatures(results),
        registrations(results),
        costs::by_set_size(results),
        costs::by_sessions(results),
        costs::sizes(results),
        parts::all(results),
    ];
    let there: Vec<_> = tables
        .into_iter()
        .filter(|table| !table.is_empty())
        .collect();
    there.join("\n")
}

fn targets(results: &Results) -> String {
    let rows: Vec<_> = TARGETS
        .iter()
        .map(|target| target_row(target, results))
        .collect();
    table(
        "Targets",
        &[
            "work",
            "against",
            "target",
            "measured",
            "quartiles",
            "fastest samples",
            "met",
        ],
        &rows,
    )
}

fn target_row(target: &Target, results: &Results) -> Vec<String> {
    let mut row = vec![
        target.work.to_owned(),
        target.rival.to_owned(),
        format!("{}×", target.least),
    ];
    match target.ratio(results) {
        Ok(ratio) => row.extend([
            format!("{}×", short(ratio.median)),
            format!("{} to {}×", short(ratio.low), short(ratio.high)),
            format!("{}×", short(ratio.fastest)),
            if ratio.median >= target.least {
                "yes"
            } else {
                "no"
            }
            .to_owned(),
        ]),
        Err(why) => row.extend([why, String::new(), String::new(), "–".to_owned()]),
    }
    row
}

/// A scheme in a table: its name, its measurement, and how many times that is one line's work.
type Line = (&'static str, String, f64);

/// Rows of the measured lines, with their ratio to the last, which is ours.
fn compared(results: &Results, first: &[String], lines: &[Line]) -> Vec<Vec<String>> {
    let ours = lines
        .last()
        .and_then(|(_, name, times)| Some(results.median(name)? * times));
    let Some(ours) = ours else { return Vec::new() };
    let measured = lines
        .iter()
        .filter_map(|(scheme, name, times)| Some((scheme, results.median(name)? * times)));
    measured
        .map(|(scheme, nanoseconds)| {
            let mut row = first.to_vec();
            row.extend([
                (*scheme).to_owned(),
                time(nanoseconds),
                format!("{}×", short(nanoseconds / ours)),
            ]);
            row
        })
        .collect()
}

/// The paper's Table 1.
fn aggregates(results: &Results) -> String {
    const SCHEMES: [(&str, &str); 8] = [
        (
            "w3f-bls, BLS12-377, keys summed in G2 (the paper's classic BLS)",
            "w3f_bls_377_classic",
        ),
        (
            "w3f-bls, BLS12-377, apk1 and apk2 (the paper's scheme)",
            "w3f_bls_377_apk2",
        ),
        (
            "w3f-bls, BLS12-381, keys summed in G2",
            "w3f_bls_381_classic",
        ),
        ("w3f-bls, BLS12-381, apk1 and apk2", "w3f_bls_381_apk2"),
        ("blst `min_sig` fast_aggregate_verify", "blst_min_sig"),
        ("blst `min_pk` fast_aggregate_verify", "blst_min_pk"),
        ("**Duet**, with cached subset sums", "duet,sums=cached"),
        ("**Duet**", "duet"),
    ];
    let mut rows = Vec::new();
    for n in [1000, 10_000] {
        for percent in [100, 67] {
            let line = |(label, scheme): (&'static str, &str)| {
                let keys = format!("n={n},signed={percent}%,scheme={scheme}");
                (label, format!("justification::check/{keys}"), 1.0)
            };
            let lines: Vec<_> = SCHEMES.into_iter().map(line).collect();
            rows.extend(compared(
                results,
                &[grouped(n), format!("{percent} %")],
                &lines,
            ));
        }
    }
    table(
        "One aggregate (the paper's Table 1)",
        &["validators", "signed", "scheme", "time", "against Duet"],
        &rows,
    )
}

/// The paper's Table 2.
fn signatures(results: &Results) -> String {
    let alone = |label, keys: &str| (label, format!("vote::check/{keys}"), 1000.0);
    let batch = |label, keys: &str| (label, format!("vote::check_all/n=1000,{keys}"), 1.0);
    let lines = [
        alone(
            "w3f-bls, BLS12-377, pairing (the paper's classic BLS)",
            "scheme=w3f_bls_377_pairing,hash=each",
        ),
        alone(
            "w3f-bls, BLS12-377, Chaum-Pedersen (the paper's scheme)",
            "scheme=w3f_bls_377,hash=each",
        ),
        alone(
            "w3f-bls, BLS12-377, with its table",
            "scheme=w3f_bls_377_table,hash=each",
        ),
        alone(
            "w3f-bls, BLS12-381, pairing",
            "scheme=w3f_bls_381_pairing,hash=each",
        ),
        alone(
            "w3f-bls, BLS12-381, Chaum-Pedersen",
            "scheme=w3f_bls_381,hash=each",
        ),
        alone(
            "w3f-bls, BLS12-381, with its table",
            "scheme=w3f_bls_381_table,hash=each",
        ),
        alone("plain arkworks, pairing", "scheme=arkworks_381,hash=each"),
        alone("`sp_core::bls381`", "scheme=sp_core_bls381,hash=each"),
        alone("blst `min_pk`", "scheme=blst_min_pk,hash=each"),
        alone("blst `min_sig`", "scheme=blst_min_sig,hash=each"),
        alone(
            "blst `min_sig`, message hashed in advance",
            "scheme=blst_min_sig,hash=once",
        ),
        batch(
            "blst `min_sig`, its batch verification, one thread",
            "threads=1,scheme=blst_min_sig_batch",
        ),
        batch(
            "blst `min_sig`, its batch verification, all cores",
            "threads=all,scheme=blst_min_sig_batch",
        ),
        alone(
            "`sp_core::ecdsa` (no aggregation)",
            "scheme=sp_core_ecdsa,hash=each",
        ),
        batch(
            "**Duet**, a round at once, two threads",
            "threads=2,scheme=duet",
        ),
        batch(
            "**Duet**, a round at once, one thread",
            "threads=1,scheme=duet",
        ),
        alone("**Duet**, one by one", "n=1000,scheme=duet,hash=once"),
    ];
    table(
        "1 000 signatures, each with its own verdict or in a batch (the paper's Table 2)",
        &["scheme", "time for 1 000", "against Duet, one by one"],
        &compared(results, &[], &lines),
    )
}

/// A registration, where a chain pays for it.
fn registrations(results: &Results) -> String {
    let inside = |label, scheme: &str| {
        let name = format!("possession::verify/where=wasm,scheme={scheme}");
        (label, name, 1.0)
    };
    let lines = [
        inside("`sp_core::bls381`", "sp_core_bls381"),
        inside("w3f-bls 0.3.3, BLS12-381", "w3f_bls_381"),
        inside("**Duet**, pairings by the host", "duet,pairings=host"),
        inside("**Duet**", "duet"),
    ];
    table(
        "One proof of possession, inside of WASM",
        &["scheme", "time", "against Duet"],
        &compared(results, &[], &lines),
    )
}
