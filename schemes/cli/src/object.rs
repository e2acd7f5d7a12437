//! Armoured objects in files.

use crate::{failure::Failure, files, output::Output};
use duet_armour::{armoured_len, encode, Fingerprint, Kind, Object};
use std::{fmt::Display, path::Path};
use zeroize::Zeroizing;

/// How much longer than its object a secret's file may be: comments, and the ends of lines of Windows.
const SLACK: usize = 4096;

/// A decoder whose errors say that the input is malformed.
pub(crate) fn input<T, E: Display>(
    decode: impl FnOnce(&[u8]) -> Result<T, E>,
) -> impl FnOnce(&[u8]) -> Result<T, Failure> {
    |bytes| decode(bytes).map_err(Failure::input)
}

/// A decoder whose errors say that a check failed.
pub(crate) fn refused<T, E: Display>(
    decode: impl FnOnce(&[u8]) -> Result<T, E>,
) -> impl FnOnce(&[u8]) -> Result<T, Failure> {
    |bytes| decode(bytes).map_err(Failure::refused)
}

/// Reads the objects of a file, which are all of this type. There may be none.
pub(crate) fn read_all(path: &Path, kind: &Kind) -> Result<Vec<Object>, Failure> {
    duet_armour::read_all(kind, &files::read(path)?)
        .map_err(|error| Failure::from(error).in_file(path))
}

/// The contents of the objects of a file, which are all of this type. There may be none.
pub(crate) fn read_contents(path: &Path, kind: &Kind) -> Result<Vec<Zeroizing<Vec<u8>>>, Failure> {
    let contents = read_all(path, kind)?;
    let contents = contents.into_iter().map(Object::into_content);
    let contents = contents.collect::<Result<_, _>>();
    contents.map_err(|error| Failure::from(error).in_file(path))
}

/// Reads a file that contains one object, and decodes its content.
pub(crate) fn read_one<T>(
    path: &Path,
    kind: &Kind,
    decode: impl FnOnce(&[u8]) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let read = || {
        let object = duet_armour::read_one(kind, &files::read(path)?)?;
        decode(object.content()?)
    };
    read().map_err(|failure| failure.in_file(path))
}

/// Reads a file that contains one public key, decodes it, and checks that it has the fingerprint that the file states.
pub(crate) fn read_public<K>(
    path: &Path,
    kind: &Kind,
    decode: impl FnOnce(&[u8]) -> Result<K, Failure>,
    fingerprint: impl FnOnce(&K) -> Fingerprint,
) -> Result<K, Failure> {
    let read = || {
        let object = duet_armour::read_one(kind, &files::read(path)?)?;
        object.key(decode, fingerprint)
    };
    read().map_err(|failure| failure.in_file(path))
}

/// Reads a file that contains one secret of at most `most` bytes. All copies in memory are wiped.
pub(crate) fn read_secret(path: &Path, kind: &Kind, most: usize) -> Result<Object, Failure> {
    let text = files::read_secret(path, armoured_len(kind, most).saturating_add(SLACK))?;
    duet_armour::read_one(kind, &text).map_err(|error| Failure::from(error).in_file(path))
}

/// Writes an object that is not a key.
pub(crate) fn write(
    path: &Path,
    kind: &Kind,
    content: &[u8],
    output: &Output,
) -> Result<(), Failure> {
    let text = encode(kind, &kind.digest(content), content);
    files::write(path, text.as_bytes(), output.existing())
}

/// Writes a secret that is not a key pair's to a new file that only its owner can read.
pub(crate) fn write_secret(path: &Path, kind: &Kind, content: &[u8]) -> Result<(), Failure> {
    let text = encode(kind, &kind.digest(content), content);
    files::write_secret(path, text.as_bytes())
}
