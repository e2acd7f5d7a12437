//! The encoding of the journal: a header of 40 bytes, `"BFREG" || 0 || 0 || 0x01 || fingerprint(32)`, followed by
//! records of 72 bytes: `SHA-256 of the label || SHA-256 of the message || check(8)`, where the check is the first 8
//! bytes of the SHA-256 of the rest of the record.

use super::{Known, LabelUse, RegisterError};
use crate::research::identifier::Fingerprint;
use duet_journal::{Header, HeaderError, Mark};
use sha2::{Digest, Sha256};

const MAGIC: &[u8] = b"BFREG\0\0\x01";
pub(super) const HEADER: usize = MAGIC.len() + 32;
pub(super) const RECORD: usize = 32 + 32 + 8;

pub(super) fn header(key: Fingerprint) -> Header {
    Header::new(MAGIC, key.0)
}

impl LabelUse {
    pub(super) fn to_record(self) -> [u8; RECORD] {
        let mut record = [0; RECORD];
        let (fields, check) = record.split_at_mut(64);
        fields[..32].copy_from_slice(&self.label);
        fields[32..].copy_from_slice(&self.message);
        check.copy_from_slice(&Sha256::digest(&*fields)[..8]);
        record
    }

    fn from_record(record: &[u8; RECORD]) -> Option<Self> {
        let mut read = Self {
            label: [0; 32],
            message: [0; 32],
        };
        read.label.copy_from_slice(&record[..32]);
        read.message.copy_from_slice(&record[32..64]);
        (read.to_record() == *record).then_some(read)
    }
}

/// The content of a journal.
pub(super) struct Parsed {
    pub(super) known: Known,
    pub(super) mark: Mark,
    /// The length of the header and all complete records.
    pub(super) length: usize,
}

/// Decodes a journal that must contain at least the mark `anchor`.
///
/// # Errors
/// [`RegisterError::OtherKey`], [`Damaged`](RegisterError::Damaged), or [`RolledBack`](RegisterError::RolledBack).
pub(super) fn parse(bytes: &[u8], key: Fingerprint, anchor: Mark) -> Result<Parsed, RegisterError> {
    let records = records_after_header(bytes, key)?;
    let mut known = Known::default();
    let (mut mark, mut length) = (Mark::start(&header(key)), HEADER);
    let mut met = mark == anchor;
    let (records, _unfinished) = records.as_chunks::<RECORD>();
    for (i, record) in records.iter().enumerate() {
        let damaged = RegisterError::Damaged {
            offset: length as u64,
        };
        let Some(label_use) = LabelUse::from_record(record) else {
            let rest = records.get(i..).unwrap_or_default();
            // All records up to the anchor are complete.
            if met && is_unfinished(rest) {
                break;
            }
            return Err(damaged);
        };
        if known.admit(&[label_use]).is_err() {
            return Err(damaged);
        }
        known.add(&[label_use]);
        mark = mark.after(record);
        length += RECORD;
        met |= mark == anchor;
    }
    if !met {
        return Err(RegisterError::RolledBack {
            records: mark.entries(),
            expected: anchor.entries(),
        });
    }
    Ok(Parsed {
        known,
        mark,
        length,
    })
}

fn records_after_header(bytes: &[u8], key: Fingerprint) -> Result<&[u8], RegisterError> {
    header(key).strip(bytes).map_err(|error| match error {
        HeaderError::OtherFile => RegisterError::Damaged { offset: 0 },
        HeaderError::OtherOwner => RegisterError::OtherKey,
    })
}

/// Whether the records from the first invalid one on look like an append that a crash interrupted: the file has its new
/// length, and is zero from some byte on. Later corruption does not have this form.
fn is_unfinished(records: &[[u8; RECORD]]) -> bool {
    let check_is_zero = |record: &[u8; RECORD]| record[64..].iter().all(|byte| *byte == 0);
    let mut records = records.iter();
    records.next().is_some_and(check_is_zero)
        && records.all(|record| record.iter().all(|byte| *byte == 0))
}

/// The number of labels in an encoded journal, without checking its anchor.
///
/// # Errors
/// [`RegisterError::OtherKey`] or [`Damaged`](RegisterError::Damaged).
pub fn labels_in(bytes: &[u8], key: Fingerprint) -> Result<usize, RegisterError> {
    parse(bytes, key, Mark::start(&header(key))).map(|parsed| parsed.known.0.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::research::identifier::Tag;

    #[test]
    fn a_journal_with_any_bit_flipped_is_refused() {
        let key = Fingerprint([5; 32]);
        let (mut bytes, mut mark) = (header(key).to_bytes(), Mark::start(&header(key)));
        for index in 0..2 {
            let record = LabelUse::new(&Tag::new("t").unwrap(), index, &1.into()).to_record();
            bytes.extend(record);
            mark = mark.after(&record);
        }
        let parsed = parse(&bytes, key, mark).unwrap();
        assert_eq!((parsed.mark, parsed.length), (mark, bytes.len()));
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(parse(&flipped, key, mark).is_err(), "bit {bit}");
            // The flipped journal is not mistaken for an interrupted append either.
            assert!(labels_in(&flipped, key).is_err(), "bit {bit}");
        }
    }
}
