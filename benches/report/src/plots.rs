//! The plots of the documentation.

use crate::{
    documents::Plots,
    results::{Results, Sizes},
    svg::{Chart, Line, Marks},
    tables::costs::{in_units, SYNC},
};

/// Every plot that the results have something for: its name and the SVG.
pub(crate) fn all(results: &Results) -> Plots {
    let charts = [
        ("votes", votes(results)),
        ("justifications", justifications(results)),
        ("sync", sync(results)),
        ("bytes", bytes(results)),
    ];
    charts
        .into_iter()
        .filter_map(|(name, chart)| Some((name, chart.draw()?)))
        .collect()
}

const UNITS: &str = "verifications of one signature by blst";

/// A line of measurements at several sizes; `each` divides by the size.
fn line(results: &Results, label: &'static str, name: &str, sizes: &[u32], each: bool) -> Line {
    let point = |size: &u32| Some((f64::from(*size), in_units(results, name, *size, each)?));
    Line {
        label,
        ours: name.contains("scheme=duet"),
        points: sizes.iter().filter_map(point).collect(),
        bars: Vec::new(),
    }
}

/// A rival whose cost per vote does not depend on the set.
fn votes(results: &Results) -> Chart {
    let sizes: Vec<_> = results.values("vote::check", "n").into_iter().collect();
    let rival = |label, name| line(results, label, name, &sizes, false);
    Chart {
        title: "Checking one vote, by the size of the set",
        x: "validators",
        y: UNITS,
        marks: Marks::Decades,
        lines: vec![
            line(
                results,
                "Duet, alone",
                "vote::check/n={},scheme=duet,hash=once",
                &sizes,
                false,
            ),
            line(
                results,
                "Duet, round, one thread",
                "vote::check_all/n={},threads=1,scheme=duet",
                &sizes,
                true,
            ),
            line(
                results,
                "Duet, round, two threads",
                "vote::check_all/n={},threads=2,scheme=duet",
                &sizes,
                true,
            ),
            rival("blst min_sig", "vote::check/scheme=blst_min_sig,hash=each"),
            rival(
                "w3f-bls 0.3.3, table",
                "vote::check/scheme=w3f_bls_381_table,hash=each",
            ),
            rival(
                "sp_core bls381",
                "vote::check/scheme=sp_core_bls381,hash=each",
            ),
            rival(
                "sp_core ecdsa",
                "vote::check/scheme=sp_core_ecdsa,hash=each",
            ),
        ],
    }
}

fn justifications(results: &Results) -> Chart {
    let sizes: Vec<_> = results
        .values("justification::check", "n")
        .into_iter()
        .collect();
    let of = |label, name| line(results, label, name, &sizes, false);
    Chart {
        title: "Checking a finality proof, two thirds signed",
        x: "validators",
        y: UNITS,
        marks: Marks::Decades,
        lines: vec![
            of("Duet", "justification::check/n={},signed=67%,scheme=duet"),
            of(
                "Duet, stateless",
                "stateless::check/n={},signed=67%,scheme=duet",
            ),
            of(
                "blst min_pk",
                "justification::check/n={},signed=67%,scheme=blst_min_pk",
            ),
            of(
                "blst min_sig",
                "justification::check/n={},signed=67%,scheme=blst_min_sig",
            ),
            of(
                "w3f-bls 0.3.3, apk1 and apk2",
                "justification::check/n={},signed=67%,scheme=w3f_bls_381_apk2",
            ),
            of(
                "ECDSA, as BEEFY",
                "justification::check/n={},signed=67%,scheme=sp_core_ecdsa",
            ),
        ],
    }
}

fn sync(results: &Results) -> Chart {
    let sessions: Vec<_> = results
        .values("justification::sync", "sessions")
        .into_iter()
        .collect();
    let of = |label, way: &str| line(results, label, &[SYNC, way].concat(), &sessions, true);
    Chart {
        title: "Syncing: the cost of each session's proof",
        x: "sessions",
        y: UNITS,
        marks: Marks::Decades,
        lines: vec![of("one by one", "one_by_one"), of("together", "together")],
    }
}

fn bytes(results: &Results) -> Chart {
    let line = |label, ours, of: fn(&Sizes) -> u32| Line {
        label,
        ours,
        points: results
            .sizes
            .iter()
            .map(|sizes| (f64::from(sizes.n), f64::from(of(sizes))))
            .collect(),
        bars: Vec::new(),
    };
    Chart {
        title: "Bytes of a finality proof, at threshold",
        x: "validators",
        y: "bytes",
        marks: Marks::Decades,
        lines: vec![
            line("Duet", true, |sizes| sizes.justification),
            line("Duet, stateless", true, |sizes| sizes.stateless),
            line("BEEFY, ECDSA", false, |sizes| sizes.beefy_ecdsa),
            line("BEEFY, ECDSA and BLS", false, |sizes| sizes.beefy_ecdsa_bls),
        ],
    }
}
