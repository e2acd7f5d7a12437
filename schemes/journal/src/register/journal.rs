//! The encoding of a register's journal, and the possible remains of an interrupted write.

use crate::{
    error::FileFault,
    header::Header,
    mark::{Mark, HASH_LEN},
};
use std::{
    collections::HashMap,
    io::{self, Read},
};

/// The hash of a label.
pub type Key = [u8; HASH_LEN];

/// The bytes of an entry without its link.
const fn body_len<const N: usize>() -> usize {
    HASH_LEN + N
}

/// A value, and the number of its entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stored<const N: usize> {
    pub(super) index: u64,
    pub(super) value: [u8; N],
}

/// The entries of a journal, up to its last whole one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Contents<const N: usize> {
    pub(super) entries: HashMap<Key, Stored<N>>,
    pub(super) mark: Mark,
}

/// The offset of entry `index`.
pub(super) fn position<const N: usize>(header: &Header, index: u64) -> u64 {
    let entry = body_len::<N>() + HASH_LEN;
    header.length() as u64 + index * entry as u64
}

/// Encodes the entries that follow `mark`, and returns them with the mark after them.
pub(super) fn encode<const N: usize>(
    mut mark: Mark,
    entries: &[(Key, [u8; N])],
) -> (Vec<u8>, Mark) {
    let mut bytes = Vec::with_capacity(entries.len() * (body_len::<N>() + HASH_LEN));
    for (key, value) in entries {
        let body = [key.as_slice(), value].concat();
        mark = mark.after(&body);
        bytes.extend(body);
        bytes.extend(mark.link());
    }
    (bytes, mark)
}

/// Reads a journal that must contain the mark `anchored`, up to its last whole entry.
///
/// # Errors
/// [`FileFault::OtherFile`], [`OtherOwner`](FileFault::OtherOwner), [`Corrupt`](FileFault::Corrupt),
/// [`RolledBack`](FileFault::RolledBack) or [`Io`](FileFault::Io).
pub(super) fn read<const N: usize>(
    mut journal: impl Read,
    header: &Header,
    anchored: Mark,
) -> Result<Contents<N>, FileFault> {
    let mut begin = vec![0; header.length()];
    header.strip(read_up_to(&mut journal, &mut begin)?)?;
    let mut entries = HashMap::new();
    let mut mark = Mark::start(header);
    let mut has_anchored = mark == anchored;
    let mut buffer = vec![0; body_len::<N>() + HASH_LEN];
    loop {
        let index = mark.entries();
        let at = position::<N>(header, index);
        let bytes = read_up_to(&mut journal, &mut buffer)?;
        if let Some((key, value, after)) = whole(mark, bytes) {
            if entries.insert(key, Stored { index, value }).is_some() {
                return Err(FileFault::Corrupt { at });
            }
            mark = after;
            has_anchored |= mark == anchored;
            continue;
        }
        let is_explained = if has_anchored {
            is_unfinished::<N>(mark, bytes) && is_zero(&mut journal)?
        } else {
            // The journal ends before its anchor, which is an error below.
            bytes.len() < body_len::<N>() + HASH_LEN
        };
        if !is_explained {
            return Err(FileFault::Corrupt { at });
        }
        break;
    }
    if !has_anchored {
        return Err(FileFault::RolledBack {
            entries: mark.entries(),
            expected: anchored.entries(),
        });
    }
    Ok(Contents { entries, mark })
}

/// The key and the value of a whole entry that follows `mark`, and the mark after it.
fn whole<const N: usize>(mark: Mark, bytes: &[u8]) -> Option<(Key, [u8; N], Mark)> {
    let (body, link) = bytes.split_at_checked(body_len::<N>())?;
    let (key, value) = body.split_first_chunk()?;
    let after = mark.after(body);
    (link == after.link()).then_some((*key, value.try_into().ok()?, after))
}

/// Whether an interrupted write of the entry after `mark` may have left these bytes: some of its bytes, and then zeros.
fn is_unfinished<const N: usize>(mark: Mark, bytes: &[u8]) -> bool {
    let Some((body, link)) = bytes.split_at_checked(body_len::<N>()) else {
        return true;
    };
    let expected = mark.after(body);
    let written = link.iter().zip(expected.link());
    let written = written.take_while(|(got, expected)| got == expected);
    link.iter().skip(written.count()).all(|byte| *byte == 0)
}

/// Whether only zeros are left.
fn is_zero(journal: &mut impl Read) -> io::Result<bool> {
    let mut buffer = [0; 4096];
    loop {
        let bytes = read_up_to(journal, &mut buffer)?;
        if bytes.iter().any(|byte| *byte != 0) {
            return Ok(false);
        }
        if bytes.is_empty() {
            return Ok(true);
        }
    }
}

/// Reads until `bytes` is full or the input ends, and returns what was read.
fn read_up_to<'a>(reader: &mut impl Read, bytes: &'a mut [u8]) -> io::Result<&'a [u8]> {
    let mut length = 0;
    while let Some(rest) = bytes.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match reader.read(rest) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(bytes.get(..length).unwrap_or_default())
}
