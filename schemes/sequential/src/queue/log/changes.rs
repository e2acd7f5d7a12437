//! The encoding of changes.

use super::error::LogError;
use crate::{
    attestation::{Party, Time},
    queue::{
        entry::{Reason, Terms},
        rules::Change,
    },
    reader::Reader,
    record::{MalformedRecord, Record, RecordId},
    suite::HopNumber,
};
use std::sync::Arc;

const ADDED: u8 = 1;
const SETTLED: u8 = 2;
const REMOVED: u8 = 3;

const VERIFIED: u8 = 0;
const KEY_REVOKED: u8 = 1;
const MIXED_MODULUS_SIZE: u8 = 2;
const NON_CANONICAL: u8 = 3;
const OUT_OF_RANGE: u8 = 4;
const BAD_SIGNATURE: u8 = 5;

/// Encodes the body of a frame.
pub(crate) fn encode_changes(changes: &[Change]) -> Vec<u8> {
    let mut body = Vec::new();
    for change in changes {
        push_change(&mut body, change);
    }
    body
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
