//! Reading objects.

use crate::{
    error::{ArmourError, Problem},
    kind::{Fingerprint, Kind, FINGERPRINT_LEN},
    kinds,
    object::Object,
    write::{last_line, BEGIN, DASHES, FINGERPRINT, LINE_BYTES, LINE_CHARACTERS, VERSION, WARNING},
};
use base64ct::{Base64, Encoding};
use zeroize::Zeroizing;

/// Reads the objects of a text, of any types.
///
/// After an error it goes on with the next line that begins an object. So a damaged object does not hide those after it from
/// a reader who goes on; [`read_all`] and [`read_one`] refuse the whole text.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
    /// The number of the next line, from 1.
    line: usize,
    /// Whether lines are skipped up to the beginning of an object.
    is_lost: bool,
}

impl<'a> Reader<'a> {
    /// A reader of this text.
    pub fn new(text: &'a [u8]) -> Self {
        Self {
            rest: text,
            line: 1,
            is_lost: false,
        }
    }

    /// The next line without its end, and its number.
    fn next_line(&mut self) -> Option<(usize, &'a [u8])> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.iter().position(|byte| *byte == b'\n');
        let (line, rest) = match end {
            Some(end) => (self.rest.get(..end)?, self.rest.get(end + 1..)?),
            None => (self.rest, &[][..]),
        };
        let number = self.line;
        self.rest = rest;
        self.line += 1;
        Some((number, line.strip_suffix(b"\r").unwrap_or(line)))
    }

    /// A header of the object that begins in line `begin`: what follows `name` in its line.
    fn header(&mut self, begin: usize, kind: &Kind, name: &str) -> Result<&'a str, ArmourError> {
        let (number, line) = self.line_of(begin, kind)?;
        let value = line.strip_prefix(name.as_bytes());
        let value = value.and_then(|value| std::str::from_utf8(value).ok());
        value.ok_or_else(|| expected(name).at(number))
    }

    /// The next line, which has to be there because the object has not ended.
    fn line_of(&mut self, begin: usize, kind: &Kind) -> Result<(usize, &'a [u8]), ArmourError> {
        let expected = || last_line(kind);
        self.next_line().ok_or_else(|| {
            Problem::Cut {
                expected: expected(),
            }
            .at(begin)
        })
    }

    fn object(&mut self, begin: usize, kind: Kind) -> Result<Object, ArmourError> {
        self.version(begin, &kind)?;
        let fingerprint = self.fingerprint(begin, &kind)?;
        if let Some(warning) = kind.warning {
            let (number, line) = self.line_of(begin, &kind)?;
            let written = format!("{WARNING}{warning}");
            if line != written.as_bytes() {
                return Err(expected(&written).at(number));
            }
        }
        let (number, line) = self.line_of(begin, &kind)?;
        if !line.is_empty() {
            return Err(expected("").at(number));
        }
        Ok(Object {
            content: self.content(begin, &kind)?,
            kind,
            fingerprint,
            line: begin,
        })
    }

    fn version(&mut self, begin: usize, kind: &Kind) -> Result<(), ArmourError> {
        let text = self.header(begin, kind, VERSION)?;
        let number = self.line - 1;
        let got: u16 = text.parse().map_err(|_| expected(VERSION).at(number))?;
        if got.to_string() != text {
            return Err(expected(VERSION).at(number));
        }
        if got != kind.version {
            let expected = kind.version;
            return Err(Problem::Version { expected, got }.at(number));
        }
        Ok(())
    }

    fn fingerprint(&mut self, begin: usize, kind: &Kind) -> Result<Fingerprint, ArmourError> {
        let text = self.header(begin, kind, FINGERPRINT)?;
        let mut fingerprint = [0; FINGERPRINT_LEN];
        let decoded = hex::decode_to_slice(text, &mut fingerprint);
        if decoded.is_err() || hex::encode(fingerprint) != text {
            return Err(expected(FINGERPRINT).at(self.line - 1));
        }
        Ok(fingerprint)
    }

    /// The number of lines up to the last one. Looks no further than to the next line that begins or ends an object, so that
    /// reading takes linear time whatever the text is.
    fn lines_of_content(mut self, begin: usize, kind: &Kind) -> Result<usize, ArmourError> {
        let last = last_line(kind);
        let mut lines = 0;
        loop {
            let (_, line) = self.line_of(begin, kind)?;
            if line == last.as_bytes() {
                return Ok(lines);
            }
            if line.starts_with(DASHES.as_bytes()) {
                return Err(Problem::Cut { expected: last }.at(begin));
            }
            lines += 1;
        }
    }

    /// The lines up to the last one, decoded into one buffer that has their size from the beginning.
    fn content(&mut self, begin: usize, kind: &Kind) -> Result<Zeroizing<Vec<u8>>, ArmourError> {
        let lines = self.clone().lines_of_content(begin, kind)?;
        let mut content = Zeroizing::new(Vec::with_capacity(lines * LINE_BYTES));
        let mut bytes = Zeroizing::new([0; LINE_BYTES]);
        for left in (0..lines).rev() {
            let (number, line) = self.line_of(begin, kind)?;
            let is_whole = line.len() == LINE_CHARACTERS;
            if !is_whole && (left > 0 || line.is_empty() || line.len() > LINE_CHARACTERS) {
                return Err(Problem::Base64.at(number));
            }
            let decoded = Base64::decode(line, bytes.as_mut());
            let decoded = decoded.map_err(|_| Problem::Base64.at(number))?;
            if left > 0 && decoded.len() < LINE_BYTES {
                return Err(Problem::Base64.at(number));
            }
            content.extend_from_slice(decoded);
        }
        self.line_of(begin, kind)?;
        Ok(content)
    }
}

fn expected(header: &str) -> Problem {
    Problem::Header {
        expected: header.to_owned(),
    }
}

fn kind_of(line: &[u8]) -> Option<Kind> {
    let name = line
        .strip_prefix(BEGIN.as_bytes())?
        .strip_suffix(DASHES.as_bytes())?;
    kinds::ALL
        .into_iter()
        .find(|kind| kind.name.as_bytes() == name)
}

impl Iterator for Reader<'_> {
    type Item = Result<Object, ArmourError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (number, line) = self.next_line()?;
            let is_begin = line.starts_with(BEGIN.as_bytes());
            if !is_begin && (self.is_lost || line.is_empty() || line.starts_with(b"#")) {
                continue;
            }
            let read = match kind_of(line) {
                Some(kind) => {
                    let mut ahead = self.clone();
                    let read = ahead.object(number, kind);
                    if read.is_ok() {
                        *self = ahead;
                    }
                    read
                }
                None if is_begin => Err(Problem::UnknownKind.at(number)),
                None => Err(Problem::Outside.at(number)),
            };
            self.is_lost = read.is_err();
            return Some(read);
        }
    }
}

/// Reads a text whose objects are all of one type. There may be none.
///
/// # Errors
/// The first line that is wrong, or the first object of another type.
pub fn read_all(kind: &Kind, text: &[u8]) -> Result<Vec<Object>, ArmourError> {
    Reader::new(text)
        .map(|object| {
            let object = object?;
            if object.kind == *kind {
                return Ok(object);
            }
            let (expected, got) = (kind.name, object.kind.name);
            Err(Problem::OtherKind { expected, got }.at(object.line))
        })
        .collect()
}

/// Reads a text that contains one object, of this type.
///
/// # Errors
/// As [`read_all`]; [`Problem::None`] or [`Problem::Second`] for another number of objects.
pub fn read_one(kind: &Kind, text: &[u8]) -> Result<Object, ArmourError> {
    let mut objects = read_all(kind, text)?.into_iter();
    let expected = kind.name;
    let object = objects.next().ok_or(Problem::None { expected }.at(1))?;
    match objects.next() {
        Some(second) => Err(Problem::Second.at(second.line)),
        None => Ok(object),
    }
}
