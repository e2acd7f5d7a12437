//! The log of the queue: a header, followed by frames. It is append-only.
//!
//! ```text
//! header  "DUETBGRQ" | version (4)
//! frame   length of the body (4) | check of the length (8) | body | check (8)
//! body    changes, concatenated
//! change  0x01 | verifier (32) | deadline (8) | value (8) | length (4) | record
//!         0x02 | id (32) | verdict (1) | hop (1)
//!         0x03 | id (32)
//! ```
//!
//! The changes of one operation are in one frame, so they take effect together or not at all. Each check covers the
//! previous check, so lost, repeated or reordered frames are detected. A frame that was interrupted by a power failure
//! is the last one, and is truncated. Corruption anywhere else is an error, and never leads to a shorter queue. Zero
//! bytes at the end are treated as a file that was extended, but not written.

use super::{
    entry::{Reason, Terms},
    rules::Change,
};
use crate::{
    attestation::{Party, Time},
    hash,
    reader::Reader,
    record::{MalformedRecord, Record, RecordId},
    suite::{tag, HopNumber},
};
use std::sync::Arc;
use thiserror::Error;

const MAGIC: &[u8; 8] = b"DUETBGRQ";
const VERSION: u32 = 1;
/// The length of magic and version.
pub(super) const HEADER_LEN: usize = 12;
const CHECK_LEN: usize = 8;
/// The length of a frame's header.
const FRAME_HEAD: usize = 4 + CHECK_LEN;

const ADDED: u8 = 1;
const SETTLED: u8 = 2;
const REMOVED: u8 = 3;

const VERIFIED: u8 = 0;
const KEY_REVOKED: u8 = 1;
const MIXED_MODULUS_SIZE: u8 = 2;
const NON_CANONICAL: u8 = 3;
const OUT_OF_RANGE: u8 = 4;
const BAD_SIGNATURE: u8 = 5;

/// Why a log could not be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LogError {
    /// The header is not that of a log.
    #[error("not the log of a queue")]
    NotALog,
    /// Unknown version.
    #[error("unknown version {got}")]
    Version {
        /// The version.
        got: u32,
    },
    /// Bytes before the last frame are corrupt.
    #[error("corrupt at byte {offset}")]
    Damaged {
        /// The offset of the corrupt frame.
        offset: usize,
    },
    /// A frame is intact, but a change in it is invalid.
    #[error("an invalid change in the frame at byte {offset}")]
    Change {
        /// The offset of the frame.
        offset: usize,
    },
    /// A record in the log is malformed.
    #[error("a malformed record in the frame at byte {offset}: {error}")]
    Record {
        /// The offset of the frame.
        offset: usize,
        /// The cause.
        error: MalformedRecord,
    },
    /// The changes are too long for one frame.
    #[error("{got} bytes of changes are too long for one frame")]
    TooLong {
        /// The length of the changes.
        got: usize,
    },
}

/// The hash that links a frame to everything before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chain([u8; CHECK_LEN]);

impl Chain {
    pub(crate) fn start() -> Self {
        Self(*MAGIC)
    }

    fn next(self, bytes: &[u8]) -> Self {
        let hash = hash::tagged(tag::LOG, &[&self.0, bytes]);
        let [a, b, c, d, e, f, g, h, ..] = hash;
        Self([a, b, c, d, e, f, g, h])
    }
}

pub(crate) fn header() -> [u8; HEADER_LEN] {
    let mut header = [0; HEADER_LEN];
    header[..MAGIC.len()].copy_from_slice(MAGIC);
    header[MAGIC.len()..].copy_from_slice(&VERSION.to_be_bytes());
    header
}

/// Encodes these changes as one frame, and returns it with the link for the next one.
pub(super) fn frame(chain: Chain, changes: &[Change]) -> Result<(Vec<u8>, Chain), LogError> {
    framed(chain, &encode_changes(changes))
}

/// Encodes the body of a frame.
pub(crate) fn encode_changes(changes: &[Change]) -> Vec<u8> {
    let mut body = Vec::new();
    for change in changes {
        push_change(&mut body, change);
    }
    body
}

pub(crate) fn framed(chain: Chain, body: &[u8]) -> Result<(Vec<u8>, Chain), LogError> {
    let length = body_length(body.len())?;
    let head = chain.next(&length);
    let tail = head.next(body);
    let frame = [&length, head.0.as_slice(), body, &tail.0].concat();
    Ok((frame, tail))
}

pub(super) fn body_length(got: usize) -> Result<[u8; 4], LogError> {
    let length = u32::try_from(got).map_err(|_| LogError::TooLong { got })?;
    Ok(length.to_be_bytes())
}

fn push_change(body: &mut Vec<u8>, change: &Change) {
    match change {
        Change::Added { record, terms } => {
            let record = record.to_bytes();
            body.push(ADDED);
            body.extend_from_slice(&terms.verifier.0);
            body.extend_from_slice(&terms.deadline.0.to_be_bytes());
            body.extend_from_slice(&terms.value.to_be_bytes());
            // A length that does not fit makes the frame too long, and `frame` returns an error.
            let length = u32::try_from(record.len()).unwrap_or(u32::MAX);
            body.extend_from_slice(&length.to_be_bytes());
            body.extend_from_slice(&record);
        }
        Change::Decided { id, invalid } => {
            let (verdict, hop) = match invalid {
                None => (VERIFIED, None),
                Some(Reason::KeyRevoked(hop)) => (KEY_REVOKED, Some(hop)),
                Some(Reason::MixedModulusSize(hop)) => (MIXED_MODULUS_SIZE, Some(hop)),
                Some(Reason::NonCanonical(hop)) => (NON_CANONICAL, Some(hop)),
                Some(Reason::OutOfRange(hop)) => (OUT_OF_RANGE, Some(hop)),
                Some(Reason::BadSignature) => (BAD_SIGNATURE, None),
            };
            body.push(SETTLED);
            body.extend_from_slice(&id.0);
            body.extend_from_slice(&[verdict, hop.map_or(0, |hop| hop.get())]);
        }
        Change::Removed { id } => {
            body.push(REMOVED);
            body.extend_from_slice(&id.0);
        }
    }
}

/// The content of a log, and the length of its complete part.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Contents {
    pub(crate) changes: Vec<Change>,
    pub(super) chain: Chain,
    /// Bytes from this offset on were interrupted while they were written. Equal to the length of the log if there are
    /// none.
    pub(crate) whole: usize,
}

/// Decodes the changes of a log. An incomplete frame at the end is ignored.
///
/// # Errors
/// The first error that an interrupted write cannot explain.
pub fn decode_log(bytes: &[u8]) -> Result<Vec<Change>, LogError> {
    read(bytes).map(|contents| contents.changes)
}

pub(crate) fn read(bytes: &[u8]) -> Result<Contents, LogError> {
    let mut reader = Reader::new(bytes);
    let mut contents = Contents {
        changes: Vec::new(),
        chain: Chain::start(),
        whole: 0,
    };
    // The header is on disk before the first frame is written, so an incomplete header means a new log.
    let is_cut_off = bytes.len() < HEADER_LEN && header().starts_with(bytes);
    if is_cut_off || bytes.len() <= HEADER_LEN && is_zero(bytes) {
        return Ok(contents);
    }
    match (reader.array::<8>(), reader.u32()) {
        (Some(magic), Some(VERSION)) if magic == *MAGIC => {}
        (Some(magic), Some(got)) if magic == *MAGIC => return Err(LogError::Version { got }),
        _ => return Err(LogError::NotALog),
    }
    contents.whole = HEADER_LEN;
    while !reader.rest().is_empty() {
        let offset = contents.whole;
        let left = reader.rest();
        match read_frame(&mut reader, contents.chain) {
            Ok((body, chain)) => {
                contents.changes.append(&mut decode_changes(body, offset)?);
                contents.chain = chain;
                contents.whole = offset + FRAME_HEAD + body.len() + CHECK_LEN;
            }
            Err(Broken::AtTheEnd) => break,
            // The file may have been extended before its bytes, or the first of them, were written.
            Err(Broken::Here) if is_zero_head(left) && !has_a_second_frame(left) => break,
            Err(Broken::Here) => return Err(LogError::Damaged { offset }),
        }
    }
    Ok(contents)
}

enum Broken {
    /// An interrupted write explains the error: nothing follows.
    AtTheEnd,
    /// More bytes follow.
    Here,
}

fn read_frame<'a>(reader: &mut Reader<'a>, chain: Chain) -> Result<(&'a [u8], Chain), Broken> {
    let (Some(length), Some(check)) = (reader.array::<4>(), reader.array()) else {
        return Err(Broken::AtTheEnd);
    };
    let head = chain.next(&length);
    if head.0 != check {
        return Err(Broken::Here);
    }
    let length = usize::try_from(u32::from_be_bytes(length)).map_err(|_| Broken::Here)?;
    let (Some(body), Some(check)) = (reader.take(length), reader.array()) else {
        return Err(Broken::AtTheEnd);
    };
    let tail = head.next(body);
    match (tail.0 == check, reader.rest().is_empty()) {
        (true, _) => Ok((body, tail)),
        (false, true) => Err(Broken::AtTheEnd),
        (false, false) => Err(Broken::Here),
    }
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

fn is_zero_head(frame: &[u8]) -> bool {
    frame.get(..FRAME_HEAD).is_some_and(is_zero)
}

/// Whether another frame follows this one. If so, this frame was complete and was corrupted later.
///
/// The first check of a frame covers the check before it, which directly precedes the frame.
fn has_a_second_frame(bytes: &[u8]) -> bool {
    bytes.windows(CHECK_LEN + FRAME_HEAD).any(|window| {
        let mut reader = Reader::new(window);
        let (tail, length, check) = (reader.array(), reader.array::<4>(), reader.array());
        match (tail, length) {
            (Some(tail), Some(length)) => check == Some(Chain(tail).next(&length).0),
            _ => false,
        }
    })
}

/// Decodes the changes in the body of the frame at `offset`.
pub(crate) fn decode_changes(body: &[u8], offset: usize) -> Result<Vec<Change>, LogError> {
    let mut reader = Reader::new(body);
    let mut changes = Vec::new();
    while !reader.rest().is_empty() {
        let change = read_change(&mut reader).ok_or(LogError::Change { offset })?;
        changes.push(change.map_err(|error| LogError::Record { offset, error })?);
    }
    Ok(changes)
}

fn read_change(reader: &mut Reader<'_>) -> Option<Result<Change, MalformedRecord>> {
    Some(Ok(match reader.u8()? {
        ADDED => {
            let terms = Terms {
                verifier: Party(reader.array()?),
                deadline: Time(reader.u64()?),
                value: reader.u64()?,
            };
            let length = usize::try_from(reader.u32()?).ok()?;
            let record = match Record::from_bytes(reader.take(length)?) {
                Ok(record) => Arc::new(record),
                Err(error) => return Some(Err(error)),
            };
            Change::Added { record, terms }
        }
        SETTLED => {
            let id = RecordId(reader.array()?);
            let (verdict, hop) = (reader.u8()?, usize::from(reader.u8()?));
            let hop = || HopNumber::new(hop).ok();
            let invalid = match verdict {
                VERIFIED if hop().is_none() => None,
                KEY_REVOKED => Some(Reason::KeyRevoked(hop()?)),
                MIXED_MODULUS_SIZE => Some(Reason::MixedModulusSize(hop()?)),
                NON_CANONICAL => Some(Reason::NonCanonical(hop()?)),
                OUT_OF_RANGE => Some(Reason::OutOfRange(hop()?)),
                BAD_SIGNATURE if hop().is_none() => Some(Reason::BadSignature),
                _ => return None,
            };
            Change::Decided { id, invalid }
        }
        REMOVED => Change::Removed {
            id: RecordId(reader.array()?),
        },
        _ => return None,
    }))
}
