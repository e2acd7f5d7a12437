//! A command's output: aligned lines for people, JSON for programs.

use crate::error::DuetKeyError;
use duet_primitives::DualKeyBytes;
use sc_cli::{OutputType, OutputTypeFlag};
use serde_json::{Map, Value};
use std::fmt;
use zeroize::Zeroizing;

/// Named values, in print order. May hold a secret phrase, so it is wiped.
#[derive(Default)]
pub(crate) struct Report {
    lines: Vec<Line>,
}

struct Line {
    label: &'static str,
    name: &'static str,
    value: Zeroizing<String>,
}

impl Report {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a value under its label in text and its name in JSON.
    pub(crate) fn line(
        mut self,
        label: &'static str,
        name: &'static str,
        value: impl fmt::Display,
    ) -> Self {
        self.lines.push(Line {
            label,
            name,
            value: Zeroizing::new(value.to_string()),
        });
        self
    }

    /// Adds a key.
    pub(crate) fn key(self, key: &DualKeyBytes) -> Self {
        self.line("Public key (hex)", "publicKey", key)
    }

    pub(crate) fn print(self, output: &OutputTypeFlag) -> Result<(), DuetKeyError> {
        print(match output.output_type {
            OutputType::Text => self.text(),
            OutputType::Json => format!("{:#}", self.json()),
        })
    }

    fn text(&self) -> String {
        let width = self
            .lines
            .iter()
            .map(|line| line.label.len())
            .max()
            .unwrap_or_default();
        self.lines
            .iter()
            .map(|Line { label, value, .. }| format!("{label:width$}  {}\n", value.as_str()))
            .collect()
    }

    fn json(&self) -> Value {
        let fields = self.lines.iter().map(|line| {
            (
                line.name.to_owned(),
                Value::String(line.value.as_str().to_owned()),
            )
        });
        Value::Object(fields.collect::<Map<_, _>>())
    }
}

/// Prints several reports: paragraphs for people, one list for programs.
pub(crate) fn print_all(reports: Vec<Report>, output: &OutputTypeFlag) -> Result<(), DuetKeyError> {
    match output.output_type {
        OutputType::Text if reports.is_empty() => Ok(()),
        OutputType::Text => {
            let texts: Vec<_> = reports.iter().map(Report::text).collect();
            print(texts.join("\n"))
        }
        OutputType::Json => {
            let all = Value::Array(reports.iter().map(Report::json).collect());
            print(format!("{all:#}"))
        }
    }
}

/// Prints text that may hold a secret phrase.
pub(crate) fn print(text: String) -> Result<(), DuetKeyError> {
    let text = Zeroizing::new(text);
    duet_process::print(&*Zeroizing::new(format!("{}\n", text.trim_end())))?;
    Ok(())
}
