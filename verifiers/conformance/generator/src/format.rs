//! Files of vectors. `verifiers/conformance/schema.json` describes the same for other languages.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The number of this format. Another number may mean anything.
pub const FORMAT: u32 = 1;

/// A file of vectors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// [`FORMAT`].
    pub format: u32,
    /// The name of the file, without its ending.
    pub name: String,
    /// What its cases are about.
    pub description: String,
    /// Byte strings that several cases use: an input `$name` is the bytes with that name.
    pub data: BTreeMap<String, String>,
    /// The cases.
    pub cases: Vec<Case>,
}

/// One question and its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Names the case; unique among all files.
    pub id: String,
    /// What is done with the input; `verifiers/conformance/README.md` lists all operations.
    pub operation: String,
    /// What the operation takes.
    pub input: Value,
    /// `valid`, and either what the operation gives or the rule that breaks.
    pub expected: Value,
}

impl File {
    /// A file without cases.
    pub fn new(name: &str, description: &str) -> Self {
        Self {
            format: FORMAT,
            name: name.into(),
            description: description.into(),
            data: BTreeMap::new(),
            cases: Vec::new(),
        }
    }

    /// The text of the file. It is the same whatever features the JSON library was built with.
    pub fn to_json(&self) -> String {
        let mut sorted = self.clone();
        for case in &mut sorted.cases {
            case.input = in_order(&case.input);
            case.expected = in_order(&case.expected);
        }
        let text = serde_json::to_string_pretty(&sorted).expect("names are strings");
        text + "\n"
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When the text is not one of this format.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

/// The same value, with the names of its objects in order.
fn in_order(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let sorted: BTreeMap<_, _> = fields.iter().collect();
            let sorted = sorted.into_iter();
            let fields: Map<_, _> = sorted
                .map(|(name, value)| (name.clone(), in_order(value)))
                .collect();
            Value::Object(fields)
        }
        Value::Array(items) => Value::Array(items.iter().map(in_order).collect()),
        other => other.clone(),
    }
}

/// Bytes as they stand in a file.
pub fn hexed(bytes: impl AsRef<[u8]>) -> String {
    format!("0x{}", hex::encode(bytes))
}
