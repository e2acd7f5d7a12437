//! Where the time goes: the cost of a check, and the part of it that no implementation can avoid.

use super::costs::UNIT;
use crate::{
    results::Results,
    text::{grouped, short, table, time},
};

/// An operation: its label, and the names of its count and its measurement, each with the number of operations.
struct Whole {
    label: &'static str,
    counted: (&'static str, u64),
    measured: (&'static str, f64),
    parts: &'static [Part],
}

/// A part that no implementation with the same field arithmetic can avoid.
struct Part {
    label: &'static str,
    /// Under `curve::`.
    name: &'static str,
}

const fn part(label: &'static str, name: &'static str) -> Part {
    Part { label, name }
}

const SIGMA: Part = part("σ: decompression, subgroup", "decode_g1");
const APK2: Part = part("apk2: decompression", "decompress_g2");
const HASH: Part = part("the message, hashed to G1", "hash_to_g1");
const PAIRINGS: Part = part("two Miller loops, one final exponentiation", "two_pairings");

const WHOLES: [Whole; 4] = [
    Whole {
        label: "one vote, alone",
        counted: ("vote::check", 1),
        measured: ("vote::check/n=1000,scheme=duet,hash=once", 1.0),
        parts: &[SIGMA],
    },
    Whole {
        label: "one vote of a round",
        counted: ("vote::check_all/n=64", 64),
        // What is counted is the portable path.
        measured: (
            "vote::check_all/n=1000,threads=1,scheme=duet,arithmetic=portable",
            1000.0,
        ),
        parts: &[SIGMA],
    },
    Whole {
        label: "one justification, all signed",
        counted: ("justification::check/n=64,signed=100%", 1),
        measured: ("justification::check/n=100,signed=100%,scheme=duet", 1.0),
        parts: &[SIGMA, APK2, HASH, PAIRINGS],
    },
    Whole {
        label: "one justification of many",
        counted: ("justification::sync/sessions=16,n=64,signed=67%", 16),
        measured: (
            "justification::sync/sessions=100,n=100,signed=67%,scheme=duet,way=together",
            100.0,
        ),
        parts: &[SIGMA, APK2, HASH],
    },
];

/// The table.
pub(super) fn all(results: &Results) -> String {
    let rows: Vec<_> = WHOLES
        .iter()
        .filter_map(|whole| whole_and_parts(results, whole))
        .flatten()
        .collect();
    let heads = [
        "",
        "field multiplications",
        "instructions",
        "time",
        "in verifications by blst",
        "share of the multiplications",
    ];
    table("Where the time goes", &heads, &rows)
}

/// The cost of an operation.
#[derive(Clone, Copy)]
struct Taken {
    multiplications: u64,
    instructions: u64,
    nanoseconds: f64,
}

/// The whole, its parts, and the rest; `None` when something was not measured.
fn whole_and_parts(results: &Results, whole: &Whole) -> Option<Vec<Vec<String>>> {
    let unit = results.median(UNIT)?;
    let taken = |counted: (&str, u64), measured: (&str, f64)| {
        let count = results.counts.get(counted.0)?;
        Some(Taken {
            multiplications: count.multiplications / counted.1,
            instructions: count.instructions / counted.1,
            nanoseconds: results.median(measured.0)? / measured.1,
        })
    };
    let all = taken(whole.counted, whole.measured)?;
    let line = |label: String, taken: Taken| {
        vec![
            label,
            grouped(taken.multiplications),
            grouped(taken.instructions),
            time(taken.nanoseconds),
            short(taken.nanoseconds / unit),
            format!(
                "{:.0} %",
                percent(taken.multiplications, all.multiplications)
            ),
        ]
    };
    let mut rows = vec![line(format!("**{}**", whole.label), all)];
    let mut rest = all;
    for Part { label, name } in whole.parts {
        let name = format!("curve::{name}");
        let part = taken((&name, 1), (&format!("{name}/scheme=blst"), 1.0))?;
        rows.push(line(format!("… {label}"), part));
        rest.multiplications = rest.multiplications.saturating_sub(part.multiplications);
        rest.instructions = rest.instructions.saturating_sub(part.instructions);
        rest.nanoseconds -= part.nanoseconds;
    }
    rows.push(line("… the rest".to_owned(), rest));
    Some(rows)
}

fn percent(part: u64, whole: u64) -> f64 {
    let float = |count: u64| u32::try_from(count).map_or(f64::NAN, f64::from);
    100.0 * float(part) / float(whole)
}
