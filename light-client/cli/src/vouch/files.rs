//! Files of keys, lists and records: each kind is read, and written, in one function.

use duet_light_rpc::{Failure, Kind};
use duet_vouch::{
    public_key_from_pem, secret_key_from_pem, List, PublicKey, SecretKey, Vouched, MAX_PEM,
};
use std::{
    fmt::Display,
    fs::{File, Permissions},
    io::{Read, Write},
    os::unix::fs::PermissionsExt,
    path::Path,
};
use zeroize::Zeroizing;

/// More than a record of 255 statements has.
const MAX_RECORD: usize = 256 * 1024;
/// More than anybody writes.
const MAX_LIST: usize = 1024 * 1024;
/// What others than the owner may do with a file.
const OTHERS: u32 = 0o077;
/// A record is for everybody, as far as the user's mask allows.
const PUBLIC: u32 = 0o666;
/// How PEM begins a key.
const PEM: &[u8] = b"-----BEGIN ";
/// What PEM calls a public key.
const PUBLIC_KEY: &[u8] = b"PUBLIC KEY-----";

/// Reads a record of vouchers, unverified.
pub(super) fn record(path: &Path) -> Result<Vouched, Failure> {
    let bytes = bounded(path, MAX_RECORD)?;
    Vouched::from_bytes(&bytes).map_err(|error| failed(path, error))
}

/// Writes a record, as a whole or not at all. A file that is there is not replaced.
pub(super) fn write_record(path: &Path, record: &Vouched) -> Result<(), Failure> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new("."));
    let write = || {
        let mut file = tempfile::Builder::new()
            .permissions(Permissions::from_mode(PUBLIC))
            .tempfile_in(folder)?;
        file.write_all(&record.to_bytes())?;
        file.as_file().sync_all()?;
        file.persist_noclobber(path)?;
        // The new name is durable when the folder is.
        File::open(folder)?.sync_all()
    };
    write().map_err(|error: std::io::Error| failed(path, error))
}

/// Reads the list of the keys that a user trusts.
pub(super) fn list(path: &Path) -> Result<List, Failure> {
    let bytes = bounded(path, MAX_LIST)?;
    let text = std::str::from_utf8(&bytes).map_err(|error| failed(path, error))?;
    List::from_text(text).map_err(|error| failed(path, error))
}

/// Reads a secret key, in PEM or as `duet-schemes` writes it. Nobody but its owner may be able to.
pub(super) fn secret_key(path: &Path) -> Result<SecretKey, Failure> {
    let bytes = bounded(path, MAX_PEM)?;
    let mode = path
        .metadata()
        .map_err(|error| failed(path, error))?
        .permissions()
        .mode();
    if mode & OTHERS != 0 {
        return Err(failed(
            path,
            "others may read this secret key: `chmod 600` takes that from them",
        ));
    }
    if contains(&bytes, PEM) {
        secret_key_from_pem(&bytes).map_err(|error| failed(path, error))
    } else {
        SecretKey::from_bytes(&bytes).map_err(|error| failed(path, error))
    }
}

/// Reads a public key, in PEM or as `duet-schemes` writes it.
pub(super) fn public_key(path: &Path) -> Result<PublicKey, Failure> {
    let bytes = bounded(path, MAX_PEM)?;
    if contains(&bytes, PEM) {
        public_key_from_pem(&bytes).map_err(|error| failed(path, error))
    } else {
        PublicKey::from_bytes(&bytes).map_err(|error| failed(path, error))
    }
}

/// Reads the public key of a key of any kind.
pub(super) fn any_key(path: &Path) -> Result<PublicKey, Failure> {
    let bytes = bounded(path, MAX_PEM)?;
    let is_public = if contains(&bytes, PEM) {
        contains(&bytes, PUBLIC_KEY)
    } else {
        PublicKey::from_bytes(&bytes).is_ok()
    };
    if is_public {
        public_key(path)
    } else {
        Ok(secret_key(path)?.public().clone())
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// What is in a file of at most so many bytes. It may be a secret: it is wiped, and never copied by a vector that grows.
fn bounded(path: &Path, most: usize) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let limit = most.saturating_add(1);
    let mut bytes = Zeroizing::new(Vec::with_capacity(limit));
    let file = File::open(path).map_err(|error| failed(path, error))?;
    let mut file = file.take(u64::try_from(limit).unwrap_or(u64::MAX));
    file.read_to_end(&mut bytes)
        .map_err(|error| failed(path, error))?;
    if bytes.len() > most {
        return Err(failed(path, format_args!("it has more than {most} bytes")));
    }
    Ok(bytes)
}

fn failed(path: &Path, what: impl Display) -> Failure {
    Failure::new(Kind::Local, format!("{}: {what}", path.display()))
}
