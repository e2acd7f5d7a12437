//! Reading objects.

use crate::{
    error::{ArmourError, Problem},
    kind::Kind,
    kinds,
    object::Object,
    write::OURS,
};
use zeroize::Zeroizing;

const BEGIN: &[u8] = b"-----BEGIN ";
const DASHES: &[u8] = b"-----";

/// Reads the objects of a text, of any types.
///
/// After an error it goes on with the next line that begins an object. So a damaged object does not hide later objects
/// from a caller that continues; [`read_all`] and [`read_one`] refuse the whole text.
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

    /// The next line without its end.
    fn next_line(&mut self) -> Option<&'a [u8]> {
        let line = self.rest.split_inclusive(|byte| *byte == b'\n').next()?;
        self.rest = self.rest.get(line.len()..)?;
        self.line += 1;
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// The text of the object that begins in the next line. It looks no further than to the next line of dashes, so reading takes
    /// linear time whatever the text is.
    fn block(&mut self) -> &'a [u8] {
        let text = self.rest;
        self.next_line();
        while self
            .next_line()
            .is_some_and(|line| !line.starts_with(DASHES))
        {}
        text.get(..text.len() - self.rest.len()).unwrap_or(text)
    }
}

fn decode(block: &[u8], line: usize) -> Result<Object, Problem> {
    let mut buffer = Zeroizing::new(vec![0; block.len()]);
    let (label, bytes) = pem_rfc7468::decode(block, &mut buffer)?;
    let is_named = |kind: &Kind| label.strip_prefix(OURS) == Some(kind.name);
    let kind = kinds::ALL.into_iter().find(is_named);
    let kind = kind.ok_or(Problem::UnknownKind)?;
    let short = Problem::Short { got: bytes.len() };
    let (version, rest) = bytes.split_first_chunk().ok_or(short.clone())?;
    let (fingerprint, content) = rest.split_first_chunk().ok_or(short)?;
    let got = u16::from_be_bytes(*version);
    if got != kind.version {
        let expected = kind.version;
        return Err(Problem::Version { expected, got });
    }
    Ok(Object {
        kind,
        fingerprint: *fingerprint,
        content: Zeroizing::new(content.to_vec()),
        line,
    })
}

impl Iterator for Reader<'_> {
    type Item = Result<Object, ArmourError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (mut ahead, number) = (self.clone(), self.line);
            let line = self.next_line()?;
            let is_begin = line.starts_with(BEGIN);
            if !is_begin && (self.is_lost || line.is_empty() || line.starts_with(b"#")) {
                continue;
            }
            let read = if is_begin {
                decode(ahead.block(), number)
            } else {
                Err(Problem::Outside)
            };
            if read.is_ok() {
                *self = ahead;
            }
            self.is_lost = read.is_err();
            return Some(read.map_err(|problem| problem.at(number)));
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
