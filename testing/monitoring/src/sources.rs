//! The metrics that the sources register.
//!
//! Most are declared by the macro `metrics!`, with field, kind, name and help. Those with buckets or labels are made with their
//! full name: `HistogramOpts::new("substrate_duet_…", "…")`. Both are found among the tokens of all sources, so it does not
//! matter in which file or with which line breaks they stand.

use crate::{Error, Result};
use proc_macro2::{TokenStream, TokenTree};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// What all names begin with.
pub const PREFIX: &str = "substrate_duet_";

/// Folders with sources of nodes.
const FOLDERS: [&str; 5] = [
    "finality",
    "gossip",
    "node",
    "schemes/statistics",
    "schemes/telemetry",
];

/// What Prometheus takes a metric for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It goes up and down.
    Gauge,
    /// It only grows.
    Counter,
    /// It counts values by their size.
    Histogram,
    /// A kind that this crate does not know yet.
    Unknown,
}

impl Kind {
    /// By the kinds of the macro, and the types of Prometheus.
    fn named(word: &str) -> Self {
        match word {
            "Gauge" => Self::Gauge,
            "Counter" | "Behaviours" => Self::Counter,
            "HistogramOpts" | "Seconds" => Self::Histogram,
            _ => Self::Unknown,
        }
    }
}

/// Metrics by their full names.
pub type Metrics = BTreeMap<String, Kind>;

/// Those that the sources of nodes below `root` register.
///
/// # Errors
/// The first file that cannot be read, or is not Rust.
pub fn read(root: &Path) -> Result<Metrics> {
    let mut metrics = Metrics::new();
    let mut folders: Vec<_> = FOLDERS.iter().map(|folder| root.join(folder)).collect();
    while let Some(folder) = folders.pop() {
        for path in entries(&folder)? {
            if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let failed = Error::io(format!("reading {}", path.display()));
                let text = fs::read_to_string(&path).map_err(failed)?;
                let found = in_text(&text).map_err(|source| Error::NotRust { path, source })?;
                metrics.extend(found);
            }
        }
    }
    Ok(metrics)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = || Error::io(format!("reading {}", folder.display()));
    let entries = fs::read_dir(folder).map_err(failed())?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    paths.collect::<std::io::Result<_>>().map_err(failed())
}

/// Those that one file registers.
fn in_text(text: &str) -> std::result::Result<Metrics, proc_macro2::LexError> {
    let mut metrics = Metrics::new();
    collect(text.parse()?, &mut metrics);
    Ok(metrics)
}

fn collect(tokens: TokenStream, metrics: &mut Metrics) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    for window in tokens.windows(7) {
        metrics.extend(declared(window));
    }
    for window in tokens.windows(5) {
        metrics.extend(made(window));
    }
    for token in tokens {
        if let TokenTree::Group(group) = token {
            collect(group.stream(), metrics);
        }
    }
}

/// `field: Kind = "name", "help"`, as in the macro.
fn declared(tokens: &[TokenTree]) -> Option<(String, Kind)> {
    let [TokenTree::Ident(_), colon, TokenTree::Ident(kind), equals, name, comma, help] = tokens
    else {
        return None;
    };
    if !(is(colon, ':') && is(equals, '=') && is(comma, ',')) {
        return None;
    }
    literal(help)?;
    let name = literal(name)?;
    Some((format!("{PREFIX}{name}"), Kind::named(&kind.to_string())))
}

/// `Kind::new("substrate_duet_name"`.
fn made(tokens: &[TokenTree]) -> Option<(String, Kind)> {
    let [TokenTree::Ident(kind), first, second, TokenTree::Ident(new), TokenTree::Group(arguments)] =
        tokens
    else {
        return None;
    };
    if !(is(first, ':') && is(second, ':') && new == "new") {
        return None;
    }
    let name = literal(&arguments.stream().into_iter().next()?)?;
    let is_ours = name.starts_with(PREFIX);
    is_ours.then_some((name, Kind::named(&kind.to_string())))
}

fn is(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

/// What stands between the quotes of a literal text.
fn literal(token: &TokenTree) -> Option<String> {
    let TokenTree::Literal(literal) = token else {
        return None;
    };
    let text = literal.to_string();
    let text = text.strip_prefix('"')?.strip_suffix('"')?;
    Some(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_found_in_the_macro_and_where_they_are_made() {
        let text = r#"
            metrics! {
                /// Counts.
                pub(crate) struct Metrics {
                    good: Counter = "good_total", "Good ones";
                    now: Gauge =
                        "now", "What is now: Gauge = 5";
                }
            }
            metrics! { struct More { time: Seconds = "time", "How long"; new: News = "new", "…"; } }
            fn f() {
                let a = HistogramOpts::new("substrate_duet_seconds", "How long");
                Ok(Self { b: Gauge::new(
                    "substrate_duet_longest", "The longest")? })
            }
        "#;
        let expected = [
            ("substrate_duet_good_total", Kind::Counter),
            ("substrate_duet_longest", Kind::Gauge),
            ("substrate_duet_new", Kind::Unknown),
            ("substrate_duet_now", Kind::Gauge),
            ("substrate_duet_seconds", Kind::Histogram),
            ("substrate_duet_time", Kind::Histogram),
        ];
        let found = in_text(text).expect("Rust");
        let expected = expected.map(|(name, kind)| (name.to_owned(), kind));
        assert_eq!(found, expected.into());
    }

    #[test]
    fn names_of_others_and_names_in_comments_are_no_metrics() {
        let text = r#"
            // left: Gauge = "left", "…"
            fn f() { Gauge::new("substrate_block_height", ""); let a: Gauge = "a"; }
            const NAME: &str = "substrate_duet_y";
        "#;
        assert_eq!(in_text(text).expect("Rust"), Metrics::new());
    }
}
