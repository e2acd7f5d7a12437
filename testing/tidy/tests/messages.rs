//! The messages that pages for operators quote are those of the programs, and no warning of a node lacks a row.
//!
//! A quotation has `…` where a program puts a value.

mod support;

use cargo_metadata::MetadataCommand;
use duet_tidy::sources::Sources;
use proc_macro2::{TokenStream, TokenTree};
use std::{fs, path::Path};

const PAGE: &str = "docs/operators/troubleshooting.md";
/// Where the programs for operators have their messages.
const SOURCES: [&str; 11] = [
    "chain-spec",
    "finality",
    "gossip",
    "keystore",
    "light-client",
    "node",
    "operations/process",
    "pallet",
    "schemes",
    "verifiers/relay",
    "voter",
];
/// What a node runs. Its warnings and errors have rows.
const OF_NODES: [&str; 7] = [
    "finality",
    "gossip",
    "keystore/src",
    "node",
    "pallet/src",
    "schemes/statistics/node",
    "schemes/telemetry/node",
];
/// Shorter pieces are in some message by chance.
const LEAST: usize = 8;

/// The texts of a file's string literals, each as its fixed pieces; with those that are logged as warnings or errors.
#[derive(Default)]
struct Texts {
    all: Vec<String>,
    warnings: Vec<String>,
}

impl Texts {
    fn read(folders: &[&str]) -> Self {
        let mut texts = Self::default();
        for folder in folders {
            let root = support::repository().join(folder);
            let files = Sources::read(&root, &["rs"]).expect("readable");
            let is_test = |path: &Path| {
                let path = path.to_string_lossy();
                path.contains("tests/") || path.ends_with("tests.rs")
            };
            for (_, text) in files.iter().filter(|(path, _)| !is_test(path)) {
                let code = text.split("#[cfg(test)]\nmod tests").next();
                // A module of tests is all that the cut leaves open.
                let code = code.unwrap_or_default().parse().expect("Rust");
                texts.gather(code, false);
            }
        }
        texts
    }

    fn gather(&mut self, code: TokenStream, mut is_warning: bool) {
        let mut words = [String::new(), String::new()];
        for token in code {
            match &token {
                TokenTree::Group(group) => {
                    let logs = ["warn", "error"].contains(&words[0].as_str()) && words[1] == "!";
                    self.gather(group.stream(), logs);
                }
                // The rest is documentation.
                TokenTree::Punct(_) if words == ["", "doc"] => return,
                TokenTree::Literal(literal) => {
                    if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                        let text = with_gaps(&text.value());
                        // In a macro for the log, a text after it is a value, and one before it the target.
                        if is_warning && words[1] != ":" {
                            self.warnings.push(text.clone());
                            is_warning = false;
                        }
                        self.all.push(text);
                    }
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
            words.swap(0, 1);
            words[1] = token.to_string();
        }
    }

    /// Whether one text has these pieces, or a few that tell each other.
    fn have(&self, pieces: &[&str]) -> bool {
        let within = |pieces: &[&str]| {
            let enough = pieces.concat().len() >= LEAST;
            enough && self.all.iter().any(|text| has(text, pieces))
        };
        let mut splits = (1..=pieces.len()).map(|middle| pieces.split_at(middle));
        pieces.is_empty() || splits.any(|(first, rest)| within(first) && self.have(rest))
    }
}

/// A format string with `…` in place of its values.
fn with_gaps(format: &str) -> String {
    let mut parts = format.split('{');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push('…');
        text.push_str(part.split_once('}').map_or(part, |(_, rest)| rest));
    }
    text
}

/// What a message says besides its values.
fn pieces(message: &str) -> impl Iterator<Item = &str> {
    let pieces = message.split('…').map(str::trim);
    pieces.filter(|piece| !piece.is_empty())
}

/// Whether a text has these pieces, in this order.
fn has(text: &str, pieces: &[&str]) -> bool {
    let mut rest = Some(text);
    for piece in pieces {
        rest = rest
            .and_then(|rest| rest.split_once(piece))
            .map(|(_, rest)| rest);
    }
    rest.is_some()
}

/// The first cell of each row, and the rest.
fn rows(page: &str) -> impl Iterator<Item = (&str, &str)> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| "));
    rows.filter_map(|row| row.split_once(" | "))
}

/// The messages in a cell: what is between backticks and has several words.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    let quoted = cell.split('`').skip(1).step_by(2);
    quoted.filter(|text| text.contains(' '))
}

#[test]
fn every_message_of_the_page_is_in_the_sources() {
    let page = fs::read_to_string(support::repository().join(PAGE)).expect("the page");
    let ours = Texts::read(&SOURCES);
    let mut missing = Vec::new();
    let mut of_sdk = Vec::new();
    for (observation, rest) in rows(&page) {
        for message in quoted(observation) {
            let pieces: Vec<_> = pieces(message).collect();
            assert!(!pieces.is_empty(), "{message}");
            match rest.contains("the SDK's message") {
                true => of_sdk.push(message),
                false if !ours.have(&pieces) => missing.push(message),
                false => {}
            }
        }
    }
    assert_eq!(missing, [""; 0], "no program of ours says this");
    let sdk = sources_of_the_sdk();
    let says = |piece: &str| sdk.iter().any(|text| text.contains(piece));
    of_sdk.retain(|message| !pieces(message).all(says));
    assert_eq!(of_sdk, [""; 0], "the SDK does not say this");
}

/// The files of the SDK's client.
fn sources_of_the_sdk() -> Vec<String> {
    let manifest = support::repository().join("Cargo.toml");
    let mut command = MetadataCommand::new();
    let command = command
        .manifest_path(manifest)
        .other_options(["--offline".to_owned()]);
    let packages = command.exec().expect("the packages").packages;
    let sdk = packages.iter().filter(|one| one.name.starts_with("sc-"));
    sdk.flat_map(|one| {
        let folder = one.manifest_path.parent().expect("a folder").join("src");
        let files = Sources::read(folder.as_std_path(), &["rs"]).expect("readable");
        files
            .iter()
            .map(|(_, text)| text.to_owned())
            .collect::<Vec<_>>()
    })
    .collect()
}

#[test]
fn every_warning_of_a_node_has_a_row() {
    let page = fs::read_to_string(support::repository().join(PAGE)).expect("the page");
    let messages: Vec<_> = rows(&page).flat_map(|(cell, _)| quoted(cell)).collect();
    let is_there = |text: &String| {
        let fixed: usize = pieces(text).map(str::len).sum();
        let has_all_of = |text: &str, other: &str| has(text, &pieces(other).collect::<Vec<_>>());
        // A message may quote what the text tells, too.
        let quotes = |message: &&str| has_all_of(text, message) || has_all_of(message, text);
        fixed < LEAST || messages.iter().any(quotes)
    };
    let mut missing = Texts::read(&OF_NODES).warnings;
    assert!(missing.len() > 40, "{missing:?}");
    missing.retain(|text| !is_there(text));
    assert_eq!(missing, [""; 0]);
}

#[test]
fn a_message_is_found_in_a_text_or_in_one_within_another_and_nowhere_else() {
    let code = r#"
        /// "not a message"
        fn f() { log::warn!(target: "duet", "no vote of key {key}: {error}", "value"); }
        #[error("the disk of {0} \
            is full")]
        struct Full;
    "#;
    let mut texts = Texts::default();
    texts.gather(code.parse().expect("Rust"), false);
    assert_eq!(texts.warnings, ["no vote of key …: …"]);
    for there in [
        "no vote of key …: …",
        "the disk of … is full",
        "no vote of … the disk of …",
    ] {
        assert!(texts.have(&pieces(there).collect::<Vec<_>>()), "{there}");
    }
    for other in ["no vote for key …", "the disk … of the", "not a message"] {
        assert!(!texts.have(&pieces(other).collect::<Vec<_>>()), "{other}");
    }
}
