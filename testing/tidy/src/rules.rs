//! The numbered rules of `docs/spec`, and who cites them.
//!
//! A rule is defined by a list item of a page of the specification that starts with its number: `- **ENC-1** …`. It is cited
//! by its number anywhere in code, comments, texts of errors, and pages; `ENC-1 to ENC-4` cites all four.

use std::{
    collections::BTreeSet,
    fmt,
    path::{Path, PathBuf},
};

use crate::sources::Sources;

/// A rule: its family and its number in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rule {
    /// The letters.
    pub family: String,
    /// The number, from 1 on.
    pub number: u32,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.family, self.number)
    }
}

/// How specification, code and tests differ.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Finding {
    /// A rule that is defined twice.
    DefinedTwice {
        /// The rule.
        rule: Rule,
    },
    /// A family that the contents of the specification do not list.
    NotListed {
        /// The family.
        family: String,
    },
    /// A rule that no code cites.
    NotInCode {
        /// The rule.
        rule: Rule,
    },
    /// A rule that no test cites.
    NotInTests {
        /// The rule.
        rule: Rule,
    },
    /// A citation of a rule that is not defined.
    NotDefined {
        /// The rule.
        rule: Rule,
        /// The file that cites it.
        path: PathBuf,
        /// The line, from 1 on.
        line: usize,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DefinedTwice { rule } => write!(f, "{rule} is defined twice"),
            Self::NotListed { family } => write!(f, "docs/spec/README.md does not list {family}"),
            Self::NotInCode { rule } => write!(f, "no code cites {rule}"),
            Self::NotInTests { rule } => write!(f, "no test cites {rule}"),
            Self::NotDefined { rule, path, line } => {
                write!(
                    f,
                    "{}:{line} cites {rule}, which is not defined",
                    path.display()
                )
            }
        }
    }
}

pub(crate) const SPEC: &str = "docs/spec";

/// Not read: the schemes have rules of their own, and the tests of this crate cite rules that do not exist.
pub(crate) const OTHERS: [&str; 2] = ["schemes", "testing/tidy"];

/// Programs for tests and chores: what they cite shows nothing about the protocol's code.
pub(crate) const TOOLS: [&str; 3] = ["benches", "testing", "xtask"];

/// Compares the rules that are defined with those that are cited, in the `.rs` and `.md` files of `sources`.
#[must_use]
pub fn check(sources: &Sources) -> BTreeSet<Finding> {
    let mut findings = BTreeSet::new();
    let mut defined = BTreeSet::new();
    for (_, text) in sources.iter().filter(|(path, _)| path.starts_with(SPEC)) {
        for rule in text.lines().filter_map(definition) {
            if !defined.insert(rule.clone()) {
                findings.insert(Finding::DefinedTwice { rule });
            }
        }
    }
    let families: BTreeSet<&str> = defined.iter().map(|rule| rule.family.as_str()).collect();
    let contents = sources
        .get(&Path::new(SPEC).join("README.md"))
        .unwrap_or_default();
    for family in families
        .iter()
        .filter(|family| !words(contents).any(|word| word == **family))
    {
        findings.insert(Finding::NotListed {
            family: (*family).into(),
        });
    }

    let mut in_code = BTreeSet::new();
    let mut in_tests = BTreeSet::new();
    for (path, text) in sources.iter() {
        if OTHERS.iter().any(|other| path.starts_with(other)) {
            continue;
        }
        let is_code = path.extension().is_some_and(|extension| extension == "rs");
        let tests_from = tests_from(path, text);
        for (offset, rule) in citations(text, &families) {
            if !defined.contains(&rule) {
                let line = text.get(..offset).unwrap_or_default().matches('\n').count() + 1;
                findings.insert(Finding::NotDefined {
                    rule,
                    path: path.into(),
                    line,
                });
            } else if is_code && offset >= tests_from {
                in_tests.insert(rule);
            } else if is_code && !TOOLS.iter().any(|tool| path.starts_with(tool)) {
                in_code.insert(rule);
            }
        }
    }
    let missing = |cited: &BTreeSet<Rule>| defined.difference(cited).cloned().collect::<Vec<_>>();
    findings.extend(
        missing(&in_code)
            .into_iter()
            .map(|rule| Finding::NotInCode { rule }),
    );
    findings.extend(
        missing(&in_tests)
            .into_iter()
            .map(|rule| Finding::NotInTests { rule }),
    );
    findings
}

/// The rule that a line of the specification defines.
pub(crate) fn definition(line: &str) -> Option<Rule> {
    let (number, _) = line.strip_prefix("- **")?.split_once("**")?;
    let (family, number) = number.split_once('-')?;
    let upper = !family.is_empty() && family.bytes().all(|byte| byte.is_ascii_uppercase());
    let number = number.parse().ok()?;
    upper.then(|| Rule {
        family: family.into(),
        number,
    })
}

/// Where the tests of a file begin: at 0 for a file of tests, and nowhere for one without.
pub(crate) fn tests_from(path: &Path, text: &str) -> usize {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let below = path
        .components()
        .any(|folder| folder.as_os_str() == "tests");
    if below || name == "tests" || name.ends_with("_tests") {
        return 0;
    }
    let mut from = 0;
    while let Some(found) = text.get(from..).and_then(|rest| rest.find("#[cfg(test)]")) {
        from += found;
        let rest = text.get(from..).unwrap_or_default();
        // Tests stand last in a file, in a module with a body.
        let module = rest.lines().skip(1).find(|line| !line.starts_with("#["));
        if module.is_some_and(|line| line.starts_with("mod ") && line.ends_with('{')) {
            return from;
        }
        from += 1;
    }
    usize::MAX
}

/// The rules of `families` that a text cites, and where.
pub(crate) fn citations(text: &str, families: &BTreeSet<&str>) -> Vec<(usize, Rule)> {
    let mut found: Vec<(usize, Rule)> = Vec::new();
    let mut end_of_last = 0;
    for (offset, word) in words_at(text) {
        let Some(rule) = citation(word, families) else {
            continue;
        };
        if let Some((_, last)) = found.last().cloned() {
            let between = text.get(end_of_last..offset).unwrap_or_default();
            let between = between.trim_matches(|c: char| c.is_whitespace() || "/!*>".contains(c));
            if between == "to" && last.family == rule.family {
                for number in (last.number..rule.number).skip(1) {
                    found.push((
                        offset,
                        Rule {
                            number,
                            ..rule.clone()
                        },
                    ));
                }
            }
        }
        found.push((offset, rule));
        end_of_last = offset + word.len();
    }
    found
}

fn citation(word: &str, families: &BTreeSet<&str>) -> Option<Rule> {
    let (family, number) = word.split_once('-')?;
    let number = number.parse().ok()?;
    families.contains(family).then(|| Rule {
        family: family.into(),
        number,
    })
}

/// Runs of letters, digits and hyphens, without hyphens at their ends.
fn words_at(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let mut from = 0;
    std::iter::from_fn(move || loop {
        let rest = text.get(from..)?;
        let start = from + rest.find(is_word)?;
        let rest = text.get(start..)?;
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        from = start + length;
        let word = text.get(start..from)?;
        let trimmed = word.trim_matches('-');
        if !trimmed.is_empty() {
            return Some((
                start + (word.len() - word.trim_start_matches('-').len()),
                trimmed,
            ));
        }
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    words_at(text).map(|(_, word)| word)
}
