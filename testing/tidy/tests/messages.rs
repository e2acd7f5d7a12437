//! The messages that pages for operators quote are those of the programs, and no message of a program lacks a row: of a
//! node its warnings, of the other programs each text that is not excepted here.
//!
//! A quotation has `…` where a program puts a value.

mod support;

use cargo_metadata::MetadataCommand;
use duet_tidy::sources::Sources;
use proc_macro2::{TokenStream, TokenTree};
use std::{fs, path::Path};

/// Pages with tables of messages.
const PAGES: [&str; 6] = [
    "docs/light-clients/vouchers.md",
    "docs/operators/keys.md",
    "docs/operators/recovery-keys.md",
    "docs/operators/remote-signer.md",
    "docs/operators/statistics.md",
    "docs/operators/troubleshooting.md",
];
/// What the first column of such a table is called.
const HEADS: [&str; 2] = ["message", "observation"];
/// Where the programs for operators have their messages.
const SOURCES: [&str; 12] = [
    "chain-spec",
    "finality",
    "gossip",
    "keystore",
    "light-client",
    "node",
    "operations/process",
    "pallet",
    "primitives",
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
/// The other programs, and what they share with it. All their texts have rows.
const OF_PROGRAMS: [&str; 12] = [
    "keystore/recovery/src",
    "keystore/remote/src",
    "keystore/signer/src",
    "keystore/src",
    "light-client/cli/src",
    "light-client/rpc/src",
    "keystore/commands/src",
    "operations/process/src",
    "schemes/telemetry/collector/src",
    "schemes/telemetry/src",
    "schemes/vouch/src",
    "verifiers/relay/src",
];
/// Texts without a row, by a part of their file's path or by their first words. What begins with "warning" has one.
const EXCEPTIONS: [&str; 42] = [
    // Help.
    "/args.rs",
    "relay/src/metrics.rs",
    "serve/metrics.rs",
    "\n  74 ",
    // The value of an option, which is named with it.
    "cli/src/question.rs",
    "relay/src/messages/lane.rs",
    "remote/src/address.rs",
    "process/src/address.rs",
    // Results and progress.
    "/shown.rs",
    "cli/src/became.rs",
    "cli/src/output.rs",
    "cli/src/text.rs",
    "cli/src/verdict.rs",
    "recovery/src/words.rs",
    "relay/src/event/brought.rs",
    "deployed: ",
    "done: ",
    "statements-…",
    "target at block ",
    "would relay ",
    "… readings of ",
    // Labels of what `duet-key` prints.
    "Genesis hash",
    "Key (pk1)",
    "Key file",
    "Lowest block that may be signed",
    "Proof of possession",
    "Public key (hex)",
    "Registered in block",
    "SIGNED TWICE at blocks",
    "Secret phrase",
    "Signs now",
    "The new key signs from",
    "The proof",
    "To remove ",
    "Votes remembered",
    "the set that is planned when the next session starts",
    "…: …: work ",
    // The status after it says the same.
    "loss of standard output",
    "standard output is lost",
    // Answers to clients, with codes: docs/light-clients/command.md.
    "cli/src/serve/",
    // What RPC-1 asked for and got.
    "rpc/src/list.rs",
    "rpc/src/state.rs",
];
/// Names of such parts of a message, and of pieces that a library's message is searched for.
const PARTS: [&str; 4] = ["asked", "got", "(asked,got)", "faults"];
/// Shorter pieces are in some message by chance.
const LEAST: usize = 8;

/// The use of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// A warning or an error in the log.
    Logged,
    /// In most cases a message, or what an error says.
    Plain,
    /// No message, or a part of one.
    Aside,
}

impl Use {
    /// That of the texts in a group that comes after these words.
    fn of_group(self, [first, second]: &[String; 2]) -> Self {
        match (first.as_str(), second.as_str()) {
            ("error" | "warn", "!") => Self::Logged,
            ("debug" | "debug_assert" | "info" | "trace", "!") => Self::Aside,
            // In `#[error("…")]`, in contrast to other attributes.
            (_, "error") if self == Self::Aside => Self::Plain,
            (
                _,
                "#" | "contains" | "expect" | "print" | "starts_with" | "strip_prefix" | "tell",
            ) => Self::Aside,
            _ if self == Self::Logged => Self::Plain,
            _ => self,
        }
    }
}

/// A string literal, as its fixed pieces.
#[derive(Clone, Debug)]
struct Text {
    file: String,
    text: String,
    used: Use,
}

/// The texts of files.
#[derive(Default)]
struct Texts(Vec<Text>);

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
            for (path, text) in files.iter().filter(|(path, _)| !is_test(path)) {
                let code = text.split("\nmod tests {").next();
                // A module of tests is all that the cut leaves open.
                let code = code.unwrap_or_default().parse().expect("Rust");
                let file = format!("{folder}/{}", path.display());
                texts.gather(&file, code, Use::Plain);
            }
        }
        texts
    }

    fn gather(&mut self, file: &str, code: TokenStream, mut within: Use) {
        let mut words = [String::new(), String::new()];
        let mut is_part = false;
        for token in code {
            let word = token.to_string().replace(' ', "");
            let is_named = |name: &String| PARTS.contains(&name.as_str());
            is_part |= words[1] == "let" && is_named(&word) || word == ":" && is_named(&words[1]);
            match &token {
                TokenTree::Group(group) => {
                    let used = within.of_group(&words);
                    let used = if is_part { Use::Aside } else { used };
                    self.gather(file, group.stream(), used);
                }
                // The rest is documentation.
                TokenTree::Punct(_) if words == ["", "doc"] => return,
                TokenTree::Punct(_) if [",", ";"].contains(&word.as_str()) => is_part = false,
                TokenTree::Literal(literal) => {
                    if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                        // In a macro for the log, a text after it is a value, and one before it the target.
                        let is_target = within == Use::Logged && words[1] == ":";
                        let used = if is_part || is_target {
                            Use::Aside
                        } else {
                            within
                        };
                        if used == Use::Logged {
                            within = Use::Aside;
                        }
                        self.0.push(Text {
                            file: file.to_owned(),
                            text: with_gaps(&text.value()),
                            used,
                        });
                    }
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
            words.swap(0, 1);
            words[1] = word;
        }
    }

    /// Whether one text has these pieces, or a few that tell each other.
    fn have(&self, pieces: &[&str]) -> bool {
        let within = |pieces: &[&str]| {
            let enough = pieces.concat().len() >= LEAST;
            enough && self.0.iter().any(|one| has(&one.text, pieces))
        };
        let mut splits = (1..=pieces.len()).map(|middle| pieces.split_at(middle));
        pieces.is_empty() || splits.any(|(first, rest)| within(first) && self.have(rest))
    }
}

impl Text {
    /// Whether an operator may look for it: several words that are not excepted.
    fn is_message(&self) -> bool {
        let has_words = pieces(&self.text).any(|piece| piece.contains(' '));
        let is_excepted = EXCEPTIONS.iter().any(|one| self.is_of(one));
        let is_warning = self.text.contains("warning: ");
        self.used != Use::Aside && has_words && (is_warning || !is_excepted)
    }

    /// Whether an exception is for it.
    fn is_of(&self, exception: &str) -> bool {
        self.file.contains(exception) || self.text.starts_with(exception)
    }

    /// Whether one of these quotes it, or what a longer quotation tells.
    fn is_in(&self, messages: &[&str]) -> bool {
        let fixed: usize = pieces(&self.text).map(str::len).sum();
        let has_all_of = |text: &str, other: &str| has(text, &pieces(other).collect::<Vec<_>>());
        let quotes = |one: &&str| has_all_of(&self.text, one) || has_all_of(one, &self.text);
        fixed < LEAST || messages.iter().any(quotes)
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

/// All pages.
fn pages() -> String {
    let read = |page| fs::read_to_string(support::repository().join(page)).expect("a page");
    PAGES.map(read).join("\n")
}

/// The first cell of each row in a table of messages, and the rest.
fn rows(pages: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut is_ours = false;
    let rows = pages.lines().filter_map(move |line| {
        let row = line.strip_prefix("| ");
        let is_head = |row: &str| HEADS.iter().any(|head| row.starts_with(head));
        is_ours = row.is_some_and(|row| is_ours || is_head(row));
        row.filter(|_| is_ours)
    });
    rows.filter_map(|row| row.split_once(" | "))
}

/// The messages in a cell: what is between backticks and has several words.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    let quoted = cell.split('`').skip(1).step_by(2);
    quoted.filter(|text| text.contains(' '))
}

#[test]
fn every_message_of_the_pages_is_in_the_sources() {
    let pages = pages();
    let ours = Texts::read(&SOURCES);
    let mut missing = Vec::new();
    let mut of_sdk = Vec::new();
    for (observation, rest) in rows(&pages) {
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
fn every_warning_of_a_node_and_every_message_of_a_program_has_a_row() {
    let Texts(mut warnings) = Texts::read(&OF_NODES);
    warnings.retain(|one| one.used == Use::Logged);
    assert!(warnings.len() > 40, "{warnings:?}");
    let Texts(mut messages) = Texts::read(&OF_PROGRAMS);
    let mut needless = EXCEPTIONS.to_vec();
    needless.retain(|exception| !messages.iter().any(|one| one.is_of(exception)));
    assert_eq!(needless, [""; 0], "nothing is excepted by this");
    messages.retain(Text::is_message);
    assert!(messages.len() > 300, "{messages:?}");
    messages.append(&mut warnings);

    let pages = pages();
    let quoted: Vec<_> = rows(&pages).flat_map(|(cell, _)| quoted(cell)).collect();
    messages.retain(|one| !one.is_in(&quoted));
    let missing = messages.iter().map(|one| (&*one.file, &*one.text));
    assert_eq!(missing.collect::<Vec<_>>(), [("", ""); 0]);
}

#[test]
fn a_message_is_found_in_a_text_or_in_one_within_another_and_nowhere_else() {
    let code = r#"
        /// "not a message"
        fn f() { log::warn!(target: "duet", "no vote of key {key}: {error}", "a value"); }
        #[error("the disk of {0} \
            is full")]
        struct Full;
    "#;
    let mut texts = Texts::default();
    texts.gather("", code.parse().expect("Rust"), Use::Plain);
    let logged = texts.0.iter().filter(|one| one.used == Use::Logged);
    let logged: Vec<_> = logged.map(|one| &*one.text).collect();
    assert_eq!(logged, ["no vote of key …: …"]);
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

#[test]
fn what_an_operator_may_look_for_is_a_message_and_a_part_of_one_is_not() {
    let code = r#"
        #[derive(thiserror::Error)]
        #[error("the disk is full")]
        struct Full;
        #[arg(value_name = "A VALUE")]
        fn f() -> Result<(), Failure> {
            log::info!("it goes on: {}", format!("as ever {since}"));
            let (asked, got) = (format!("a block {block}"), "no block".to_owned());
            let lie = Lie { asked: shown("of one"), got: "of another", why: "they differ" };
            expect("a folder");
            Err(Failure::new(Kind::Local, format!("cannot start: {error}"), "oneword"))
        }
    "#;
    let mut texts = Texts::default();
    texts.gather("relay/src/f.rs", code.parse().expect("Rust"), Use::Plain);
    let messages = |texts: &Texts| -> Vec<_> {
        let messages = texts.0.iter().filter(|one| one.is_message());
        messages.map(|one| one.text.clone()).collect()
    };
    let expected = ["the disk is full", "they differ", "cannot start: …"];
    assert_eq!(messages(&texts), expected);

    let code = r#"print("progress {n}"); f("a result", "warning: a guess");"#;
    let mut texts = Texts::default();
    texts.gather("cli/src/text.rs", code.parse().expect("Rust"), Use::Plain);
    assert_eq!(messages(&texts), ["warning: a guess"]);
}
