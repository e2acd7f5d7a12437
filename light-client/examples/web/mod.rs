//! JSON for the tests in JavaScript.

use duet_primitives::H256;
use std::fmt::Write as _;

/// A hash, as a string of hexadecimal digits.
pub(crate) fn json(hash: H256) -> String {
    quoted(hash.as_bytes())
}

/// A text, as a string.
pub(crate) fn escaped(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\\\""))
}

/// Bytes, as a string of hexadecimal digits.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    let hex = bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing into a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    });
    format!("\"0x{hex}\"")
}
