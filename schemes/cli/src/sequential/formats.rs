//! Reading and writing the objects of `duet-schemes sequential`.

use crate::{
    failure::Failure,
    keys::{public_file, KeyArg},
    object,
    output::Output,
};
use duet_armour::{
    kinds::{SEQUENTIAL_PUBLIC_KEY, SEQUENTIAL_RECORD, SEQUENTIAL_SECRET_KEY},
    Fingerprint,
};
use duet_sequential::{PublicKey, Record, SecretKey, Time};
use serde_json::json;
use std::{
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

/// An upper bound on the length of a secret key.
const MOST_SECRET_LEN: usize = 8191;

/// The given time, or the current time.
pub(super) fn time(now: Option<u64>) -> Result<Time, Failure> {
    if let Some(now) = now {
        return Ok(Time(now));
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let since = since.map_err(|_| Failure::input("the clock is before 1970; use --now"))?;
    Ok(Time(since.as_secs()))
}

pub(super) fn fingerprint(key: &PublicKey) -> Fingerprint {
    key.fingerprint().0
}

pub(super) fn read_secret(key: &KeyArg) -> Result<SecretKey, Failure> {
    let path = key.secret();
    let object = object::read_secret(&path, &SEQUENTIAL_SECRET_KEY, MOST_SECRET_LEN)?;
    let of_public = |key: &SecretKey| fingerprint(key.public());
    object
        .key(object::input(SecretKey::from_bytes), of_public)
        .map_err(|failure| failure.in_file(&path))
}

pub(super) fn read_public(path: &Path) -> Result<PublicKey, Failure> {
    let kind = &SEQUENTIAL_PUBLIC_KEY;
    let decode = object::input(PublicKey::from_bytes);
    object::read_public(&public_file(path), kind, decode, fingerprint)
}

pub(super) fn read_record(path: &Path) -> Result<Record, Failure> {
    object::read_one(path, &SEQUENTIAL_RECORD, object::input(Record::from_bytes))
}

/// Writes a record, and reports it unless the record itself went to standard output.
pub(super) fn write_record(path: &Path, record: &Record, output: &Output) -> Result<(), Failure> {
    deliver_record(path, record, output)?;
    report_record(path, record, output)
}

/// Writes a record. When this returns, the record has been delivered.
pub(super) fn deliver_record(path: &Path, record: &Record, output: &Output) -> Result<(), Failure> {
    object::write(path, &SEQUENTIAL_RECORD, &record.to_bytes(), output)
}

/// Reports a record that was written, unless the record itself went to standard output.
pub(super) fn report_record(path: &Path, record: &Record, output: &Output) -> Result<(), Failure> {
    let (id, hops, bytes) = (record.id(), record.claims().len(), record.to_bytes().len());
    output.made(
        &[path],
        &json!({ "id": id.to_string(), "hops": hops, "bytes": bytes }),
        format!("record {id}: {hops} hops, {bytes} bytes"),
    )
}
