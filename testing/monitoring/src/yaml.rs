//! The part of YAML that our files of rules use; the rest is refused.
//!
//! Mappings, lists, comments on lines of their own, plain and quoted texts, `>-` and `[]`. Every scalar is a text. What is read of
//! the rules is compared with what Prometheus loads of them ([`crate::live`]), which judges this reader.

use crate::{Error, Result};
use serde_json::{Map, Value};

/// Reads a file.
///
/// # Errors
/// [`Error::Yaml`] with the first line that has something else.
pub(crate) fn read(text: &str) -> Result<Value> {
    let lines = text.lines().enumerate().map(Line::new);
    let mut rest: Vec<_> = lines.collect();
    rest.reverse();
    let mut lines = Lines { rest };
    let value = match lines.peek() {
        Some(first) => lines.node(first.indent)?,
        None => Value::Null,
    };
    match lines.peek() {
        Some(line) => Err(line.error("a line that is indented otherwise than those before")),
        None => Ok(value),
    }
}

#[derive(Clone, Copy)]
struct Line<'a> {
    number: usize,
    indent: usize,
    text: &'a str,
}

impl<'a> Line<'a> {
    fn new((index, line): (usize, &'a str)) -> Self {
        let text = line.trim_start_matches(' ');
        Self {
            number: index.saturating_add(1),
            indent: line.len().saturating_sub(text.len()),
            text: text.trim_end(),
        }
    }

    fn error(&self, what: &'static str) -> Error {
        Error::Yaml {
            line: self.number,
            what,
        }
    }

    /// `key: value`, or `key:` and an empty value.
    fn entry(&self) -> Option<(&'a str, &'a str)> {
        let (key, value) = self.text.split_once(':')?;
        let is_key = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
        let is_entry = key.chars().all(is_key) && (value.is_empty() || value.starts_with(' '));
        is_entry.then(|| (key, value.trim_start()))
    }
}

/// The lines that are not read yet, the next one last.
struct Lines<'a> {
    rest: Vec<Line<'a>>,
}

impl<'a> Lines<'a> {
    /// The next line that says something.
    fn peek(&mut self) -> Option<Line<'a>> {
        let says_nothing = |line: &&Line| line.text.is_empty() || line.text.starts_with('#');
        while self.rest.last().filter(says_nothing).is_some() {
            self.rest.pop();
        }
        self.rest.last().copied()
    }

    fn peek_at(&mut self, indent: usize) -> Option<Line<'a>> {
        self.peek().filter(|line| line.indent == indent)
    }

    fn node(&mut self, indent: usize) -> Result<Value> {
        match self.peek() {
            Some(line) if line.text.starts_with("- ") => self.list(indent),
            _ => self.mapping(indent),
        }
    }

    fn list(&mut self, indent: usize) -> Result<Value> {
        let mut items = Vec::new();
        while let Some(line) = self.peek_at(indent) {
            let Some(text) = line.text.strip_prefix("- ") else {
                break;
            };
            self.rest.pop();
            let item = Line {
                indent: indent.saturating_add(2),
                text,
                ..line
            };
            items.push(if item.entry().is_some() {
                self.rest.push(item);
                self.mapping(item.indent)?
            } else {
                scalar(&item, text)?
            });
        }
        Ok(Value::Array(items))
    }

    fn mapping(&mut self, indent: usize) -> Result<Value> {
        let mut entries = Map::new();
        while let Some(line) = self.peek_at(indent) {
            let (key, value) = line.entry().ok_or_else(|| line.error("no key"))?;
            self.rest.pop();
            let value = match value {
                ">-" => Value::String(self.folded(indent)),
                "" => {
                    let below = self.peek().filter(|below| below.indent > indent);
                    let below = below.ok_or_else(|| line.error("a key without a value"))?;
                    self.node(below.indent)?
                }
                text => scalar(&line, text)?,
            };
            if entries.insert(key.to_owned(), value).is_some() {
                return Err(line.error("a key for the second time"));
            }
        }
        Ok(Value::Object(entries))
    }

    /// The lines of a text that go on below a key.
    fn folded(&mut self, indent: usize) -> String {
        let mut words = Vec::new();
        while let Some(line) = self.rest.last().filter(|line| line.indent > indent) {
            words.push(line.text);
            self.rest.pop();
        }
        words.join(" ")
    }
}

fn scalar(line: &Line, text: &str) -> Result<Value> {
    let inside = |sign| text.strip_prefix(sign)?.strip_suffix(sign);
    if text == "[]" {
        return Ok(Value::Array(Vec::new()));
    }
    if let Some(text) = inside('"') {
        let is_plain = !text.contains(['"', '\\']);
        let text = is_plain.then(|| text.to_owned());
        let text = text.ok_or_else(|| line.error("an escape in double quotes"))?;
        return Ok(Value::String(text));
    }
    if let Some(text) = inside('\'') {
        return Ok(Value::String(text.replace("''", "'")));
    }
    let begins_else = text.starts_with([
        '"', '\'', '[', '{', '&', '*', '!', '|', '>', '%', '@', '`', '?',
    ]);
    if begins_else || text.starts_with("- ") || text.contains(": ") || text.contains(" #") {
        return Err(line.error("a value in a form that this reader does not know"));
    }
    Ok(Value::String(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn mappings_lists_and_texts_are_read() {
        let text = r#"
# A comment.
groups:
  - name: one
    rules:
      - alert: A
        # Another one.
        expr: >-
          up == 0
          and b{c="d"} # no comment

        text: "it's: # here"
      - alert: B
        other: 'say ''x'' and "y"'
  - name: two
    none: []
files:
  - rules.yml
"#;
        let expected = json!({
            "groups": [
                {"name": "one", "rules": [
                    {"alert": "A", "expr": "up == 0 and b{c=\"d\"} # no comment", "text": "it's: # here"},
                    {"alert": "B", "other": "say 'x' and \"y\""},
                ]},
                {"name": "two", "none": []},
            ],
            "files": ["rules.yml"],
        });
        assert_eq!(read(text).expect("what we use"), expected);
    }

    #[test]
    fn what_is_not_known_is_refused_with_its_line() {
        for (text, number, expected) in [
            (
                "a: b\nc: |\n  d",
                2,
                "a value in a form that this reader does not know",
            ),
            (
                "a: {b: c}",
                1,
                "a value in a form that this reader does not know",
            ),
            (
                "a: b # c",
                1,
                "a value in a form that this reader does not know",
            ),
            ("a: \"b\\n\"", 1, "an escape in double quotes"),
            (
                "a: b\n  c: d",
                2,
                "a line that is indented otherwise than those before",
            ),
            ("a:\nb: c", 1, "a key without a value"),
            ("a: b\na: c", 2, "a key for the second time"),
            ("a: b\nc d", 2, "no key"),
        ] {
            match read(text) {
                Err(Error::Yaml { line, what }) => assert_eq!((line, what), (number, expected)),
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}
