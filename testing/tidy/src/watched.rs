//! The page that says what watches each rule, made of the citations.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    path::Path,
};

use crate::{
    rules::{citations, definition, tests_from, Rule, OTHERS, SPEC, TOOLS},
    sources::Sources,
};

/// The page, from the repository's root.
pub const PAGE: &str = "docs/spec/watched.md";

/// Files that a cell names.
const NAMED: usize = 3;

/// Targets, properties and broken rules have a name, and a comment right above it that cites.
const FUZZ: &str = "testing/fuzz/src";
const MODEL: &str = "testing/model/src";
const BROKEN: &str = "testing/model/src/mutant.rs";
const CONFORMANCE: &str = "verifiers/conformance";
/// One file, and perhaps a folder, for each file of vectors.
const CASES: &str = "verifiers/conformance/generator/src/cases";

/// What watches one rule.
#[derive(Default)]
struct Watched<'a> {
    /// Files, with the number of citations in each.
    code: BTreeMap<&'a Path, usize>,
    tests: BTreeMap<&'a Path, usize>,
    fuzz: BTreeSet<&'a str>,
    model: BTreeSet<&'a str>,
    vectors: BTreeSet<&'a str>,
}

/// The text of the page.
#[must_use]
pub fn page(sources: &Sources) -> String {
    let spec: Vec<_> = sources
        .iter()
        .filter(|(path, _)| path.starts_with(SPEC))
        .collect();
    let rules = |text: &str| text.lines().filter_map(definition).collect::<Vec<_>>();
    let all: Vec<_> = spec.iter().flat_map(|(_, text)| rules(text)).collect();
    let families = all.iter().map(|rule| rule.family.as_str()).collect();
    let mut watched: BTreeMap<Rule, Watched<'_>> = BTreeMap::new();
    for (path, text) in sources.iter() {
        let is_code = path.extension().is_some_and(|extension| extension == "rs");
        if !is_code || OTHERS.iter().any(|other| path.starts_with(other)) {
            continue;
        }
        let tests_from = tests_from(path, text);
        for (offset, rule) in citations(text, &families) {
            let watched = watched.entry(rule).or_default();
            if path.starts_with(FUZZ) {
                watched.fuzz.extend(target(below(text, offset)));
            } else if path.starts_with(BROKEN) {
                watched.model.extend(below(text, offset).strip_suffix(','));
            } else if path.starts_with(MODEL) {
                watched.model.extend(property(below(text, offset)));
            } else if path.starts_with(CONFORMANCE) {
                watched.vectors.extend(vectors(path, sources));
            } else if offset >= tests_from {
                *watched.tests.entry(path).or_default() += 1;
            } else if !TOOLS.iter().any(|tool| path.starts_with(tool)) {
                *watched.code.entry(path).or_default() += 1;
            }
        }
    }
    let mut page = String::from(HEAD);
    for (path, text) in spec {
        let rules = rules(text);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !rules.is_empty() {
            let _ = write!(page, "\n## [{name}]({name})\n\n{COLUMNS}");
        }
        for rule in rules {
            let found = watched.remove(&rule).unwrap_or_default();
            let (code, tests) = (files(&found.code), files(&found.tests));
            let [fuzz, model, vectors] = [&found.fuzz, &found.model, &found.vectors].map(names);
            let _ = writeln!(
                page,
                "| {rule} | {code} | {tests} | {fuzz} | {model} | {vectors} |"
            );
        }
    }
    page
}

const HEAD: &str = "\
# What watches each rule

`DUET_REGENERATE=1 cargo test -p duet-tidy --test watched` wrote this page from the citations of rules in the code, and
a test fails when it is old. To correct a row, correct the citation.

- *Code*: files that implement or check the rule. *Tests*: files that cover it. Three at most, those that cite it most
  often first, and texts of errors last.
- *Fuzzed by*: [targets](../fuzzing.md) whose assertions fail when the rule is broken.
- *Modelled by*: properties (in capitals) and broken rules of the [model checker](../model.md), in `testing/model/src`.
- *Vectors*: files of conformance vectors in `verifiers/conformance/vectors` that have cases of it.
";

const COLUMNS: &str = "\
| rule | code | tests | fuzzed by | modelled by | vectors |
| --- | --- | --- | --- | --- | --- |
";

/// The line right below the comment at `offset`; none where there is no comment.
fn below(text: &str, offset: usize) -> &str {
    let is_comment = |line: &&str| line.trim_start().starts_with("//");
    let before = text.get(..offset).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let mut lines = text.get(start..).unwrap_or_default().lines();
    let comment = lines.next().filter(is_comment);
    let line = comment.and_then(|_| lines.find(|line| !is_comment(line)));
    line.unwrap_or_default().trim()
}

fn target(line: &str) -> Option<&str> {
    line.strip_prefix("name: \"")?.strip_suffix("\",")
}

fn property(line: &str) -> Option<&str> {
    let (name, _) = line.strip_prefix("pub const ")?.split_once(": &str")?;
    Some(name)
}

/// The file of vectors that the cases in a file of source make.
fn vectors<'a>(path: &'a Path, sources: &Sources) -> Option<&'a str> {
    let file = path.strip_prefix(CASES).ok()?;
    let name = file.iter().next()?.to_str()?.trim_end_matches(".rs");
    let cases = sources.get(&Path::new(CASES).join(format!("{name}.rs")))?;
    cases.contains("fn file() -> File").then_some(match name {
        "follow_attacks" => "attacks",
        other => other,
    })
}

fn files(found: &BTreeMap<&Path, usize>) -> String {
    let mut files: Vec<_> = found.iter().collect();
    let is_text = |path: &Path| path.ends_with("error.rs") || path.ends_with("fault.rs");
    files.sort_by_key(|(path, count)| (is_text(path), std::cmp::Reverse(**count)));
    let mut named: Vec<_> = files
        .iter()
        .take(NAMED)
        .map(|(path, _)| format!("`{}`", path.display()))
        .collect();
    if let Some(more) = files.len().checked_sub(NAMED).filter(|more| *more > 0) {
        named.push(format!("{more} more"));
    }
    named.join(", ")
}

fn names(found: &BTreeSet<&str>) -> String {
    let names: Vec<_> = found.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}
