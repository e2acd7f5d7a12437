//! No program drops the result of a write: an output that is not written is no success.
//!
//! `duet-process` writes to standard output and standard error. The macros of the standard library panic instead.

mod support;

use duet_tidy::{crates, sources::Sources};
use proc_macro2::{TokenStream, TokenTree};
use std::path::Path;

/// Folders of programs for contributors, whose output nobody builds on.
const LEFT_OUT: [&str; 15] = [
    "benches",
    "light-client/wasm",
    "schemes/benches",
    "schemes/fuzz",
    "testing/beefy-node",
    "testing/compat",
    "testing/fuzz",
    "testing/load",
    "testing/local-network",
    "testing/model",
    "testing/monitoring",
    "testing/simulation",
    "testing/templates",
    "verifiers/conformance",
    "xtask",
];
/// The file that may drop a result, where nobody is left to be told.
const LAST_WORDS: &str = "operations/process/src/output.rs";

const PRINTS: [&str; 4] = ["print", "println", "eprint", "eprintln"];
const WRITES: [&str; 6] = [
    "write",
    "writeln",
    "write_all",
    "write_fmt",
    "flush",
    "sync_all",
];

/// The lines of a file, before its tests, that print by a macro or drop the result of a write.
fn dropped(text: &str) -> Vec<usize> {
    let code = text
        .split("#[cfg(test)]\nmod tests")
        .next()
        .unwrap_or_default();
    // A module of tests is all that the cut leaves open.
    let tokens = code.parse().expect("Rust");
    let mut lines = Vec::new();
    look(tokens, &mut lines);
    lines
}

/// Looks at every statement, also within macros.
fn look(tokens: TokenStream, lines: &mut Vec<usize>) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    for statement in
        tokens.split(|token| matches!(token, TokenTree::Punct(end) if end.as_char() == ';'))
    {
        let words: Vec<_> = statement.iter().map(ToString::to_string).collect();
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let prints = words
            .windows(2)
            .any(|pair| PRINTS.contains(&pair[0]) && pair[1] == "!");
        let is_write = |word: &str| WRITES.contains(&word);
        let writes = all_words(statement).iter().any(|word| is_write(word));
        let ignores = words.starts_with(&["let", "_", "="])
            || words.windows(2).any(|pair| pair == [".", "ok"]);
        if prints || (writes && ignores) {
            lines.push(statement[0].span().start().line);
        }
        for token in statement {
            if let TokenTree::Group(group) = token {
                look(group.stream(), lines);
            }
        }
    }
}

/// The words of a statement, also those within brackets.
fn all_words(tokens: &[TokenTree]) -> Vec<String> {
    let words = |token: &TokenTree| match token {
        TokenTree::Group(group) => all_words(&group.stream().into_iter().collect::<Vec<_>>()),
        other => vec![other.to_string()],
    };
    tokens.iter().flat_map(words).collect()
}

#[test]
fn no_program_drops_the_result_of_a_write() {
    let root = support::repository();
    let crates = crates::read(&root).expect("the manifests");
    let mut found = Vec::new();
    for (folder, one) in crates {
        let is_program = one.roots.iter().any(|root| root.ends_with("main.rs"));
        let is_left_out = LEFT_OUT
            .iter()
            .any(|other| Path::new(&folder).starts_with(other));
        if !is_program || is_left_out {
            continue;
        }
        let files = Sources::read(&root.join(&folder).join("src"), &["rs"]).expect("readable");
        for (path, text) in files.iter() {
            let path = format!("{folder}/src/{}", path.display());
            if path != LAST_WORDS {
                found.extend(dropped(text).iter().map(|line| format!("{path}:{line}")));
            }
        }
    }
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_dropped_result_is_found_and_a_handled_one_is_not() {
    for bad in [
        "fn f() { println!(\"a\"); }",
        "fn f() { select! { _ = g() => { eprint!(\"a\") } } }",
        "fn f() { let _ = writeln!(to, \"a\").and_then(|()| to.flush()); }",
        "fn f() { g(|| to.write_all(b\"a\")).ok(); }",
    ] {
        assert_eq!(dropped(bad), [1], "{bad}");
    }
    for good in [
        "fn f() { /* println!() */ to.write_all(b\"a\")?; let _ = task.stop(); }",
        "#[cfg(test)]\nmod tests {\n fn f() { println!(\"a\"); }\n}",
    ] {
        assert_eq!(dropped(good), [0; 0], "{good}");
    }
}
