//! Collects the cases of a file, and holds each against what the project's crates say.

use crate::{
    format::{hexed, Case, File},
    run::run,
};
use codec::Encode;
use serde_json::{json, Value};
use std::collections::HashMap;

/// A file in the making.
pub(super) struct Builder {
    file: File,
    /// The names of the data, by their text.
    names: HashMap<String, String>,
}

impl Builder {
    pub(super) fn new(name: &str, description: &str) -> Self {
        Self {
            file: File::new(name, description),
            names: HashMap::new(),
        }
    }

    /// Bytes that several cases use: inputs that have them refer to them by this name.
    pub(super) fn share(&mut self, name: &str, bytes: impl AsRef<[u8]>) {
        let text = hexed(bytes);
        self.names.insert(text.clone(), format!("${name}"));
        self.file.data.insert(name.into(), text);
    }

    /// A case that holds.
    pub(super) fn holds(&mut self, id: &str, operation: &str, input: Value) {
        self.add(id, operation, input, None);
    }

    /// A case that is refused by this rule.
    pub(super) fn breaks(&mut self, rule: &str, id: &str, operation: &str, input: Value) {
        self.add(id, operation, input, Some(rule));
    }

    fn add(&mut self, id: &str, operation: &str, input: Value, rule: Option<&str>) {
        let mut case = Case {
            id: format!("{}/{id}", self.file.name),
            operation: operation.into(),
            input: self.with_names(input),
            expected: Value::Null,
        };
        case.expected = run(&self.file, &case);
        assert_eq!(
            case.expected["valid"],
            json!(rule.is_none()),
            "{}: {}",
            case.id,
            case.expected
        );
        assert_eq!(
            case.expected.get("rule").and_then(Value::as_str),
            rule,
            "{}",
            case.id
        );
        let known = self.file.cases.iter().any(|other| other.id == case.id);
        assert!(!known, "two cases {}", case.id);
        self.file.cases.push(case);
    }

    fn with_names(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.names.get(&text).cloned().unwrap_or(text)),
            Value::Array(items) => Value::Array(
                items
                    .into_iter()
                    .map(|item| self.with_names(item))
                    .collect(),
            ),
            Value::Object(fields) => {
                let fields = fields.into_iter();
                Value::Object(
                    fields
                        .map(|(name, value)| (name, self.with_names(value)))
                        .collect(),
                )
            }
            other => other,
        }
    }

    pub(super) fn file(self) -> File {
        self.file
    }
}

/// The encoding of an object, as it stands in a file.
pub(super) fn scale(object: &impl Encode) -> String {
    hexed(object.encode())
}
