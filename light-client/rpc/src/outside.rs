//! Text that a server chose, made fit to be shown.

use serde_json::Value;

/// The most characters that are shown.
const SHOWN: usize = 200;

/// The text on one line, without anything that a terminal would obey, and cut after 200 characters.
pub fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).flat_map(escaped).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push_str(&format!("… ({} bytes)", text.len()));
    }
    shown
}

/// The character, or an escape for invisible ones: control characters, and those that change the direction of text or
/// have no width.
fn escaped(character: char) -> Box<dyn Iterator<Item = char>> {
    // As Rust's own `Debug` decides, but quotes are harmless here.
    if matches!(character, '\'' | '"' | '\\') {
        return Box::new(std::iter::once(character));
    }
    Box::new(character.escape_debug())
}

/// JSON from outside, with all text in it that is not 0x-hex made fit to be shown.
pub fn fit(value: Value) -> Value {
    match value {
        Value::String(text) if is_hex(&text) => Value::String(text),
        Value::String(text) => Value::String(shown(&text)),
        Value::Array(values) => values.into_iter().map(fit).collect(),
        Value::Object(values) => {
            let fields = values.into_iter();
            Value::Object(
                fields
                    .map(|(key, value)| (shown(&key), fit(value)))
                    .collect(),
            )
        }
        other => other,
    }
}

fn is_hex(text: &str) -> bool {
    let digits = text.strip_prefix("0x");
    digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_that_a_terminal_obeys_is_shown() {
        let forged = "\r\u{1b}[2K\u{1b}[1Asynced to block 7\nnext";
        assert_eq!(
            shown(forged),
            r"\r\u{1b}[2K\u{1b}[1Asynced to block 7\nnext"
        );
        for hidden in ['\u{202e}', '\u{200b}', '\u{7f}', '\u{9b}', '\u{0}'] {
            let shown = shown(&hidden.to_string());
            assert!(shown.is_ascii() && shown.starts_with('\\'), "{shown}");
        }
        assert_eq!(shown("it's \"größer\""), "it's \"größer\"");
    }

    #[test]
    fn a_long_text_is_cut() {
        let long = "ü".repeat(10_000_000);
        let shown = shown(&long);
        assert_eq!(shown, format!("{}… (20000000 bytes)", "ü".repeat(200)));
    }

    #[test]
    fn an_endpoints_text_is_escaped_and_cut_and_its_bytes_are_not() {
        let long = format!("0x{}", "ab".repeat(1_000));
        let value =
            json!({ "a\u{1b}": ["b\r\n", long, 7, null, "0x\u{1b}"], "c": "d".repeat(300) });
        let fitted = fit(value);
        assert_eq!(
            fitted["a\\u{1b}"],
            json!([r"b\r\n", long, 7, null, r"0x\u{1b}"])
        );
        assert_eq!(fitted["c"], format!("{}… (300 bytes)", "d".repeat(200)));
    }
}
