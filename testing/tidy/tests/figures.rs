//! Prose quotes figures as the tables have them that were measured.
//!
//! To quote a figure somewhere, add a line to [`QUOTES`]. When this test fails, correct the page: the table is what was
//! measured.

mod support;

use std::fs;

/// A page, words of it with `{}` in the place of the figure, and the cell that the figure is from: its table, how its row
/// begins, and its column.
type Quote = (
    &'static str,
    &'static str,
    Table,
    &'static str,
    &'static str,
);

/// A page, and the heading of its section with the table.
type Table = (&'static str, &'static str);

const README: &str = "README.md";
const BENCHMARKS: &str = "docs/benchmarks.md";
const LIMITS: &str = "docs/limits.md";
const LOAD: &str = "docs/load.md";
const VECTORS: &str = "docs/decisions/0012-vectors.md";

const TARGETS: Table = ("docs/benchmarks/tables.md", "### Targets");
const BYTES: Table = (
    "docs/benchmarks/tables.md",
    "### Bytes of what travels, at threshold, worked out from the encodings",
);
const SIZES: Table = (
    "docs/benchmarks/tables.md",
    "### Cost against the size of the set",
);
const VOTES: Table = (BENCHMARKS, "#### One vote of a round of 1 000");
const NODES: Table = (LOAD, "## Figures, beside BEEFY");
const SIMULATED: Table = (
    "docs/simulation/tables.md",
    "### What went in: measured costs, in verifications of one signature by blst",
);

/// The summary of the benchmarks. The README shows some of its rows.
const SUMMARY: &str = "## Summary";
const COST: &str = "## What it costs";

#[rustfmt::skip]
const QUOTES: &[Quote] = &[
    (BENCHMARKS, "| one vote, alone | blst `min_sig` verify | {} |", TARGETS, "one vote, alone | blst `min_sig` verify", "measured"),
    (BENCHMARKS, "| one vote, alone | w3f-bls 0.3.3 with its table | {} |", TARGETS, "one vote, alone | w3f-bls 0.3.3 with its table", "measured"),
    (BENCHMARKS, "| a vote in a round of 1 000, portable | blst `min_sig` verify | {} |", TARGETS, "1 000 votes of one round, per vote, portable path", "measured"),
    (BENCHMARKS, "| a vote in a round of 1 000, AVX-512 IFMA | blst `min_sig` verify | {} |", VOTES, "blst `min_sig`, alone", "ratio"),
    (BENCHMARKS, "AVX-512 IFMA | blst's batch verification | {} |", VOTES, "blst `min_sig`, batched with 64-bit weights", "ratio"),
    (BENCHMARKS, "| ECDSA recovered as by BEEFY, libsecp256k1 | {} |", VOTES, "libsecp256k1, recovered as by BEEFY", "ratio"),
    (BENCHMARKS, "| ECDSA with a parsed key, libsecp256k1 | {} |", VOTES, "libsecp256k1, verified with keys that are read", "ratio"),
    (BENCHMARKS, "| justification, 1 000 validators, all signed | blst `min_pk` fast_aggregate_verify | {} |", TARGETS, "justification, 1 000 validators, all signed | blst `min_pk` fast_aggregate_verify", "measured"),
    (BENCHMARKS, "| justification, 10 000 validators, 95 % signed | blst `min_pk` fast_aggregate_verify | {} |", TARGETS, "justification, 10 000 validators, 95 % signed | blst `min_pk` fast_aggregate_verify", "measured"),
    (BENCHMARKS, "| justification, 10 000 validators, 67 % signed | blst `min_pk` fast_aggregate_verify | {} |", TARGETS, "justification, 10 000 validators, 67 % signed | blst `min_pk` fast_aggregate_verify", "measured"),
    (BENCHMARKS, "| proof of possession, native | `sp_core::bls381` | {} |", TARGETS, "proof of possession, native", "measured"),
    (BENCHMARKS, "| proof of possession, in WASM | `sp_core::bls381` there | {} |", TARGETS, "proof of possession, pure WASM | `sp_core::bls381` there", "measured"),
    (BENCHMARKS, "| … with pairings by the host's functions | `sp_core::bls381` there | {} |", TARGETS, "proof of possession, WASM with host functions", "measured"),
    (BENCHMARKS, "| 1 000 sessions' proofs together | one by one | {} |", TARGETS, "syncing 1 000 sessions' proofs together", "measured"),
    (BENCHMARKS, "as by BEEFY takes {} times as long", VOTES, "libsecp256k1, recovered as by BEEFY", "ratio"),
    (BENCHMARKS, "key that is read takes {} times as long", VOTES, "libsecp256k1, verified with keys that are read", "ratio"),
    (BENCHMARKS, "- *Host functions.* {} of 15.", TARGETS, "proof of possession, WASM with host functions", "measured"),
    (BENCHMARKS, "libsecp256k1 takes {} of our time", VOTES, "libsecp256k1, verified with keys that are read", "ratio"),
    (VECTORS, "is checked {} times as fast without vectors", TARGETS, "1 000 votes of one round, per vote, portable path", "measured"),
    (VECTORS, "without vectors, {} times with doubles", TARGETS, "1 000 votes of one round, per vote, AVX-512 without IFMA", "measured"),
    (VECTORS, "times with doubles and {} times with IFMA", TARGETS, "the same with AVX-512 IFMA", "measured"),
    (README, "bytes for 4 validators, {} for 1 000", BYTES, "1 000", "justification"),
    (README, "where a BEEFY proof has {} *Ratio*", BYTES, "1 000", "BEEFY, ECDSA"),
    (README, "in verifications of one signature by blst | {} |", SIZES, "… ECDSA, as BEEFY", "n = 1 000"),
    (README, "by blst | 26.8 | {} |", SIZES, "justification, 67 %", "n = 1 000"),
    (README, "node's work per vote, µs | {} |", NODES, "beefy | 1 000 | rounds", "work per vote, µs"),
    (README, "node's work per vote, µs | 74.7 | {} |", NODES, "duet | 1 000 | rounds", "work per vote, µs"),
    ("docs/light-clients/command.md", "when all signed, {} when a third did not", BYTES, "1 000", "stateless proof"),
    (LIMITS, "the thread worked for at most {} ms at once at 1 000", NODES, "duet | 1 000 | stall", "most work at once, ms"),
    (LIMITS, "at once at 1 000 validators and {} ms at 10 000", NODES, "duet | 10 000 | rounds", "most work at once, ms"),
    (LIMITS, "waited longer for a processor: {} ms at 1 000", NODES, "duet | 1 000 | strange commitments", "longest pause, ms"),
    (LIMITS, "ms at 1 000 validators, {} ms at 10 000", NODES, "duet | 10 000 | rounds", "longest pause, ms"),
    (LIMITS, "it is {} times the check alone", NODES, "duet | 1 000 | rounds", "÷ bare"),
    (LOAD, "at most twice the bare check | yes: {} times", NODES, "duet | 1 000 | rounds", "÷ bare"),
    (LOAD, "Of the {} ms of work in Duet's", NODES, "duet | 1 000 | rounds", "work per vote, µs"),
    ("docs/simulation.md", "A single vote costs {} µs", SIMULATED, "1 000 | DLEQ (Duet)", "vote, absolute"),
    ("docs/simulation.md", "of 256 it costs {} µs", SIMULATED, "1 000 | DLEQ (Duet)", "of 256, absolute"),
];

#[test]
fn every_figure_is_that_of_its_table() {
    let wrong: Vec<String> = QUOTES
        .iter()
        .filter_map(|quote| {
            let (name, _, (source, _), ..) = quote;
            check(quote, &page(name), &page(source)).err()
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.concat());
}

#[test]
fn every_row_of_the_summary_is_quoted_and_the_readme_shows_rows_of_it() {
    let summary = rows(&page(BENCHMARKS), SUMMARY);
    assert!(summary.len() > 1);
    for row in &summary[1..] {
        let quoted = QUOTES
            .iter()
            .any(|(page, words, ..)| *page == BENCHMARKS && figure(row, words).is_some());
        assert!(quoted, "no table is named for: {row}");
    }
    let cost = rows(&page(README), COST);
    assert!((2..=11).contains(&cost.len()));
    for row in cost {
        assert!(summary.contains(&row), "not in the summary: {row}");
    }
}

#[test]
fn a_figure_that_differs_from_its_cell_is_found_on_either_side() {
    let quote = (
        "a.md",
        "takes {} times",
        ("b.md", "## Times"),
        "a vote",
        "ratio",
    );
    let table = |ratio: &str| {
        format!("## Times\n\n| work | ratio |\n| --- | --- |\n| a vote | {ratio} |\n\n## Next\n| a vote | 9 |\n")
    };
    let measured = table("1 831.54× (1.50–1.60)");
    assert_eq!(check(&quote, "takes\n1 831.5 times", &measured), Ok(()));
    assert_eq!(check(&quote, "takes 1 832 times", &measured), Ok(()));
    for page in [
        "takes 1 831.6 times",
        "takes 1 831 times",
        "takes long",
        "takes 2 times, takes 3 times",
    ] {
        assert!(check(&quote, page, &measured).is_err(), "{page}");
    }
    for source in [
        table("1 831.44×"),
        table("–"),
        measured.replace("a vote", "a proof"),
        measured.replace("ratio", "time"),
    ] {
        assert!(
            check(&quote, "takes 1 831.5 times", &source).is_err(),
            "{source}"
        );
    }
}

fn page(path: &str) -> String {
    fs::read_to_string(support::repository().join(path))
        .unwrap_or_else(|_| panic!("{path} is gone"))
}

/// Whether the page has the figure of the cell, rounded as the page rounds it.
fn check(quote: &Quote, page: &str, source: &str) -> Result<(), String> {
    let (name, words, (file, heading), row, column) = quote;
    let said = figure(page, words)
        .ok_or_else(|| format!("{name} does not say, or says twice: {words}\n"))?;
    let decimals = said
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len());
    let place = format!("{file}, {heading}, row “{row}”, column “{column}”");
    let cell =
        cell(source, heading, row, column).ok_or_else(|| format!("no cell, or two: {place}\n"))?;
    let value = number(&cell).and_then(|digits| digits.parse::<f64>().ok());
    let rounded = value.map(|value| format!("{value:.decimals$}"));
    if rounded.as_ref() == Some(&said) {
        return Ok(());
    }
    Err(format!(
        "{name} has {said} in “{words}”, and {place} has {cell}\n"
    ))
}

/// The one figure in a page that stands in its words for `{}`.
fn figure(page: &str, words: &str) -> Option<String> {
    let (before, after) = words.split_once("{}").expect("a place for the figure");
    let page = spaced(page);
    let mut found = page.split(before).skip(1).filter_map(|rest| {
        let digits = number(rest)?;
        let tail =
            rest.trim_start_matches(|sign: char| sign.is_ascii_digit() || " .".contains(sign));
        tail.starts_with(after.trim_start()).then_some(digits)
    });
    found.next().filter(|_| found.next().is_none())
}

/// The number that a text begins with, without the spaces between its thousands.
fn number(text: &str) -> Option<String> {
    let end = text.find(|sign: char| !sign.is_ascii_digit() && !" .".contains(sign));
    let digits = text.get(..end.unwrap_or(text.len()))?.replace(' ', "");
    let digits = digits.trim_end_matches('.');
    (!digits.is_empty()).then(|| digits.to_owned())
}

/// The one cell of a section, by how its row begins and by its column.
fn cell(source: &str, heading: &str, row: &str, column: &str) -> Option<String> {
    let rows = rows(source, heading);
    let start = format!("| {row} |");
    let mut found = rows.iter().filter(|line| line.starts_with(&start));
    let line = found.next().filter(|_| found.next().is_none())?;
    let at = rows
        .first()?
        .split('|')
        .position(|name| name.trim() == column)?;
    Some(line.split('|').nth(at)?.trim().to_owned())
}

/// The rows of the first table of a section, its head first.
fn rows(source: &str, heading: &str) -> Vec<String> {
    let lines = source
        .lines()
        .map(spaced)
        .skip_while(|line| line != heading)
        .skip(1);
    let section = lines.take_while(|line| !line.starts_with('#'));
    let table = section
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'));
    table.filter(|line| !line.starts_with("| ---")).collect()
}

/// A text with one space wherever it has blanks, ends of lines and unbreakable ones too.
fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
