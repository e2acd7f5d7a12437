//! Reading and writing the files of `duet-schemes sequential`.

use crate::{failure::Failure, files, output::Output};
use duet_sequential::{PublicKey, Record, SecretKey, Time};
use serde_json::json;
use std::{
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

/// An upper bound on the length of a secret key.
const MOST_SECRET_LEN: usize = 8191;

/// Adds the name of the file to an error.
pub(super) fn in_file<E: std::fmt::Display>(path: &Path) -> impl FnOnce(E) -> Failure + '_ {
    move |error| Failure::input(format!("{}: {error}", path.display()))
}

/// The given time, or the current time.
pub(super) fn time(now: Option<u64>) -> Result<Time, Failure> {
    if let Some(now) = now {
        return Ok(Time(now));
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let since = since.map_err(|_| Failure::input("the clock is before 1970; use --now"))?;
    Ok(Time(since.as_secs()))
}

pub(super) fn read_secret(path: &Path) -> Result<SecretKey, Failure> {
    let bytes = files::read_secret(path, MOST_SECRET_LEN)?;
    SecretKey::from_bytes(&bytes).map_err(in_file(path))
}

pub(super) fn read_public(path: &Path) -> Result<PublicKey, Failure> {
    PublicKey::from_bytes(&files::read(path)?).map_err(in_file(path))
}

pub(super) fn read_record(path: &Path) -> Result<Record, Failure> {
    Record::from_bytes(&files::read(path)?).map_err(in_file(path))
}

/// Writes a record, and reports it unless the record itself went to standard output.
pub(super) fn write_record(path: &Path, record: &Record, output: &Output) -> Result<(), Failure> {
    deliver_record(path, record, output)?;
    report_record(path, record, output)
}

/// Writes a record. When this returns, the record has been delivered.
pub(super) fn deliver_record(path: &Path, record: &Record, output: &Output) -> Result<(), Failure> {
    files::write(path, &record.to_bytes(), output.existing())
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
