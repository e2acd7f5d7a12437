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
//! previous check, so lost, repeated or reordered frames are detected.
//!
//! The log has a [`Mark`] after each frame: the number of frames, and a hash of all of them. The anchor stores the last
//! one, and a log that does not have it was restored from a copy. A log that is written anew has fewer frames, and the
//! same marks from there on: its last frame of that kind says which mark it replaces.
//!
//! ```text
//! body    0x04 | frames (8) | link (32)
//! ```
//!
//! A frame that was interrupted by a power failure is the last one, is beyond the anchor, and is truncated. Zero bytes
//! at the end are treated as a file that was extended, but not written. Corruption anywhere else is an error, and never
//! leads to a shorter queue.
//!
//! Version 1 had no anchor and no frames with a mark; otherwise it is the same.

mod changes;
mod error;

pub(crate) use changes::{decode_changes, encode_changes};
pub use error::LogError;

use super::rules::Change;
use crate::{hash, reader::Reader, suite::tag};
use duet_journal::{Header, Mark};
use error::VERSION;

const MAGIC: &[u8; 8] = b"DUETBGRQ";
/// The version of queues that have no anchor.
pub(super) const UNANCHORED: u32 = 1;
/// The length of magic and version.
pub(super) const HEADER_LEN: usize = 12;
const CHECK_LEN: usize = 8;
/// The length of a frame's header.
const FRAME_HEAD: usize = 4 + CHECK_LEN;

const MARK: u8 = 4;

/// A check: the beginning of a hash of the check before it and some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Check([u8; CHECK_LEN]);

impl Check {
    fn next(self, bytes: &[u8]) -> Self {
        let hash = hash::tagged(tag::LOG, &[&self.0, bytes]);
        let [a, b, c, d, e, f, g, h, ..] = hash;
        Self([a, b, c, d, e, f, g, h])
    }
}

/// The place after a frame: its last check, and the mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chain {
    check: Check,
    mark: Mark,
}

impl Chain {
    pub(crate) fn start() -> Self {
        Self {
            check: Check(*MAGIC),
            // Queues have no owners: their marks differ from the first frame on.
            mark: Mark::start(&Header::new(MAGIC, [0; 32])),
        }
    }

    pub(crate) fn mark(self) -> Mark {
        self.mark
    }

    fn after(self, frame: &[u8], check: Check) -> Self {
        let mark = self.mark.after(frame);
        Self { check, mark }
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

pub(crate) fn framed(chain: Chain, body: &[u8]) -> Result<(Vec<u8>, Chain), LogError> {
    let length = body_length(body.len())?;
    let head = chain.check.next(&length);
    let tail = head.next(body);
    let frame = [&length, head.0.as_slice(), body, &tail.0].concat();
    let after = chain.after(&frame, tail);
    Ok((frame, after))
}

/// Encodes the content of a queue as a log that takes the place of the one with this mark.
pub(super) fn written_anew(content: Vec<Change>, mark: Mark) -> Result<(Vec<u8>, Chain), LogError> {
    let mut bytes = header().to_vec();
    let mut chain = Chain::start();
    for change in content {
        let (frame, after) = frame(chain, &[change])?;
        bytes.extend(frame);
        chain = after;
    }
    let (frame, Chain { check, .. }) = framed(chain, &[&[MARK], &mark.to_bytes()[..]].concat())?;
    bytes.extend(frame);
    Ok((bytes, Chain { check, mark }))
}

pub(super) fn body_length(got: usize) -> Result<[u8; 4], LogError> {
    let length = u32::try_from(got).map_err(|_| LogError::TooLong { got })?;
    Ok(length.to_be_bytes())
}

/// The content of a log, and the length of its complete part.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Contents {
    pub(super) version: u32,
    pub(crate) changes: Vec<Change>,
    pub(super) chain: Chain,
    /// Bytes from this offset on were interrupted while they were written. Equal to the length of the log if there are
    /// none; 0 if the header is not complete.
    pub(crate) whole: usize,
    /// Whether the log has the mark of its anchor.
    pub(super) has_anchored: bool,
}

impl Contents {
    /// The mark after the last whole frame.
    pub(crate) fn mark(&self) -> Mark {
        self.chain.mark
    }
}

/// Decodes the changes of a log. An incomplete frame at the end is ignored. Whether the log is the latest, only the
/// anchor shows.
///
/// # Errors
/// The first error that an interrupted write cannot explain.
pub fn decode_log(bytes: &[u8]) -> Result<Vec<Change>, LogError> {
    read(bytes, Chain::start().mark).map(|contents| contents.changes)
}

/// Decodes a log of any version. Where a frame is not whole and the log does not have the mark `anchored` before it, only
/// a log that ends within the frame is not an error here.
pub(crate) fn read(bytes: &[u8], anchored: Mark) -> Result<Contents, LogError> {
    let mut contents = Contents {
        version: VERSION,
        changes: Vec::new(),
        chain: Chain::start(),
        whole: 0,
        has_anchored: Chain::start().mark == anchored,
    };
    // The header is on disk before the first frame is written, so an incomplete header means a new log.
    let is_cut_off = bytes.len() < HEADER_LEN && header().starts_with(bytes);
    if is_cut_off || bytes.len() <= HEADER_LEN && is_zero(bytes) {
        return Ok(contents);
    }
    let mut reader = Reader::new(bytes);
    contents.version = match (reader.array::<8>(), reader.u32()) {
        (Some(magic), Some(got @ (VERSION | UNANCHORED))) if magic == *MAGIC => got,
        (Some(magic), Some(got)) if magic == *MAGIC => return Err(LogError::Version { got }),
        _ => return Err(LogError::NotALog),
    };
    contents.whole = HEADER_LEN;
    let mut is_anew = false;
    while !reader.rest().is_empty() {
        let offset = contents.whole;
        let left = reader.rest();
        let (frame, body, chain) = match read_frame(&mut reader, contents.chain) {
            Ok(read) => read,
            Err(broken) if is_unfinished(&broken, left, contents.has_anchored) => break,
            Err(_) => return Err(LogError::Damaged { offset }),
        };
        contents.chain = chain;
        match decode_body(body, offset)? {
            Body::Changes(mut changes) => contents.changes.append(&mut changes),
            Body::Mark(_) if is_anew => return Err(LogError::Change { offset }),
            Body::Mark(mark) => {
                is_anew = true;
                contents.chain.mark = mark;
            }
        }
        contents.has_anchored |= contents.chain.mark == anchored;
        contents.whole = offset + frame.len();
    }
    Ok(contents)
}

/// Why a frame cannot be read.
enum Broken {
    /// The log ends before the frame does.
    CutOff,
    /// The frame is the last one, and its body or the check of it is wrong.
    WrongEnd,
    /// The beginning is wrong, or more bytes follow.
    Here,
}

/// Whether an interrupted write explains the rest of the log.
fn is_unfinished(broken: &Broken, left: &[u8], has_anchored: bool) -> bool {
    match broken {
        // Before the anchor the log was truncated; whoever has the anchor refuses it.
        Broken::CutOff => true,
        Broken::WrongEnd => has_anchored,
        // The file may have been extended before its bytes, or the first of them, were written.
        Broken::Here => has_anchored && is_zero_head(left) && !has_a_second_frame(left),
    }
}

/// Reads a frame, and returns it, its body, and the place after it.
fn read_frame<'a>(
    reader: &mut Reader<'a>,
    chain: Chain,
) -> Result<(&'a [u8], &'a [u8], Chain), Broken> {
    let start = reader.rest();
    let (Some(length), Some(check)) = (reader.array::<4>(), reader.array()) else {
        return Err(Broken::CutOff);
    };
    let head = chain.check.next(&length);
    if head.0 != check {
        return Err(Broken::Here);
    }
    let length = usize::try_from(u32::from_be_bytes(length)).map_err(|_| Broken::Here)?;
    let (Some(body), Some(check)) = (reader.take(length), reader.array()) else {
        return Err(Broken::CutOff);
    };
    let tail = head.next(body);
    let frame = start.get(..FRAME_HEAD + length + CHECK_LEN);
    match frame.filter(|_| tail.0 == check) {
        Some(frame) => Ok((frame, body, chain.after(frame, tail))),
        None if reader.rest().is_empty() => Err(Broken::WrongEnd),
        None => Err(Broken::Here),
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
            (Some(tail), Some(length)) => check == Some(Check(tail).next(&length).0),
            _ => false,
        }
    })
}

/// The body of a frame.
pub(crate) enum Body {
    Changes(Vec<Change>),
    Mark(Mark),
}

/// Decodes the body of the frame at `offset`.
pub(crate) fn decode_body(body: &[u8], offset: usize) -> Result<Body, LogError> {
    if let Some((&MARK, mark)) = body.split_first() {
        let mark = mark.try_into().map_err(|_| LogError::Change { offset })?;
        return Ok(Body::Mark(Mark::from_bytes(mark)));
    }
    decode_changes(body, offset).map(Body::Changes)
}
