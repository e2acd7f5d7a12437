//! The keys that a user trusts, with their owners.
//!
//! ```text
//! # fingerprint, then a name; a name may have several keys, and counts once
//! 03e749f57199ce78eea0eb5021cbd300b65048c580dcf58b83d3129e87b1811c  Alice
//! 4f0c9f6f1f6b0a9e7f7a3c1f0f0e2d4c5b6a79880716253443526170f9e8d7c6  Bob, Example Ltd.
//! ```
//!
//! Fingerprints are enough, because each statement has its whole key.

use duet_sequential::{Fingerprint, HASH_LEN};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};
use thiserror::Error;

/// The most characters that a name has.
pub const MAX_NAME: usize = 64;

/// Who holds a key: a text without control characters, so that it is fit for a terminal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name(String);

/// The keys that a user trusts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List(BTreeMap<Fingerprint, Name>);

/// Why a text is not a list.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct BadList {
    /// The line, counted from 1.
    pub line: usize,
    /// The error.
    pub problem: BadLine,
}

/// An error in a line of a list.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadLine {
    /// It does not begin with a fingerprint.
    #[error("does not begin with a key's fingerprint (64 hexadecimal digits)")]
    Fingerprint,
    /// It has no name.
    #[error("there is no name after the fingerprint")]
    NoName,
    /// The name is too long.
    #[error("the name has {got} characters, more than {MAX_NAME}")]
    LongName {
        /// How many it has.
        got: usize,
    },
    /// The name has a character that steers a terminal.
    #[error("the name has a control character")]
    Control,
    /// The key is listed already.
    #[error("the key {fingerprint} is listed already, as {name}")]
    Twice {
        /// The key.
        fingerprint: Fingerprint,
        /// Its name before.
        name: Name,
    },
}

impl List {
    /// Reads a list: a line for each key, with its fingerprint and a name. Lines that are empty or begin with `#` say
    /// nothing.
    ///
    /// # Errors
    /// The first line that is wrong.
    pub fn from_text(text: &str) -> Result<Self, BadList> {
        let mut list = Self::default();
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            list.read_line(text)
                .map_err(|problem| BadList { line, problem })?;
        }
        Ok(list)
    }

    fn read_line(&mut self, text: &str) -> Result<(), BadLine> {
        let (fingerprint, name) = text
            .split_once(char::is_whitespace)
            .map_or((text, ""), |(first, rest)| (first, rest.trim()));
        let fingerprint = parse_fingerprint(fingerprint).ok_or(BadLine::Fingerprint)?;
        let name = Name::new(name)?;
        if let Some(before) = self.0.get(&fingerprint) {
            let name = before.clone();
            return Err(BadLine::Twice { fingerprint, name });
        }
        self.0.insert(fingerprint, name);
        Ok(())
    }

    /// Whose key this is.
    pub fn name(&self, fingerprint: &Fingerprint) -> Option<&Name> {
        self.0.get(fingerprint)
    }

    /// The number of different names.
    pub fn names(&self) -> usize {
        self.0.values().collect::<BTreeSet<_>>().len()
    }
}

impl Name {
    fn new(text: &str) -> Result<Self, BadLine> {
        let got = text.chars().count();
        if text.is_empty() {
            return Err(BadLine::NoName);
        }
        if got > MAX_NAME {
            return Err(BadLine::LongName { got });
        }
        if text.chars().any(char::is_control) {
            return Err(BadLine::Control);
        }
        Ok(Self(text.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn parse_fingerprint(text: &str) -> Option<Fingerprint> {
    let mut bytes = [0; HASH_LEN];
    let digits: Vec<u8> = text
        .chars()
        .map(|digit| {
            digit
                .to_digit(16)
                .and_then(|digit| u8::try_from(digit).ok())
        })
        .collect::<Option<_>>()?;
    let (pairs, []) = digits.as_chunks::<2>() else {
        return None;
    };
    if pairs.len() != bytes.len() {
        return None;
    }
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = high << 4 | low;
    }
    Some(Fingerprint(bytes))
}
