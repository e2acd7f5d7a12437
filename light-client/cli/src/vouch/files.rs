//! Files of keys, lists and records: each kind is read, and written, in one function.

use duet_armour::{
    encode,
    kinds::{SEQUENTIAL_PUBLIC_KEY, SEQUENTIAL_SECRET_KEY, VOUCHED_CHECKPOINT},
    read_one, ArmourError, Object,
};
use duet_light_rpc::{Failure, Kind};
use duet_vouch::{
    public_key_from_pem, secret_key_from_pem, BadPublicKey, BadSecretKey, List, PublicKey,
    SecretKey, Vouched, MAX_PEM,
};
use std::{
    fmt::Display,
    fs::{File, Permissions},
    io::{Read, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

/// More than the text of a record of 255 statements has.
const MAX_RECORD: usize = 512 * 1024;
/// More than the text of a key has, in PEM or armoured.
const MAX_KEY: usize = MAX_PEM;
/// More than anybody writes.
const MAX_LIST: usize = 1024 * 1024;
/// The permission bits of everybody but the owner.
const OTHERS: u32 = 0o077;
/// A record is for everybody, as far as the user's mask allows.
const PUBLIC: u32 = 0o666;
/// The first bytes of a key of `duet-schemes`, in contrast to PEM keys.
const ARMOUR: &[u8] = b"-----BEGIN DUET ";
/// The label of a public key in both formats.
const PUBLIC_KEY: &[u8] = b"PUBLIC KEY-----";

/// Reads a record of vouchers, unverified.
pub(super) fn record(path: &Path) -> Result<Vouched, Failure> {
    let text = bounded(path, MAX_RECORD)?;
    let object = read_one(&VOUCHED_CHECKPOINT, &text).map_err(|error| failed(path, error))?;
    let content = object.content().map_err(|error| failed(path, error))?;
    Vouched::from_bytes(content).map_err(|error| failed(path, error))
}

/// Writes a record, as a whole or not at all. An existing file is not replaced.
pub(super) fn write_record(path: &Path, record: &Vouched) -> Result<(), Failure> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new("."));
    let content = record.to_bytes();
    let text = encode(
        &VOUCHED_CHECKPOINT,
        &VOUCHED_CHECKPOINT.digest(&content),
        &content,
    );
    let write = || {
        let mut file = tempfile::Builder::new()
            .permissions(Permissions::from_mode(PUBLIC))
            .tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
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
    let path = &in_folder(path, "secret");
    let bytes = bounded(path, MAX_KEY)?;
    let mode = path
        .metadata()
        .map_err(|error| failed(path, error))?
        .permissions()
        .mode();
    if mode & OTHERS != 0 {
        return Err(failed(
            path,
            "other users can read this secret key: run `chmod 600` on it",
        ));
    }
    if !contains(&bytes, ARMOUR) {
        return secret_key_from_pem(&bytes).map_err(|error| failed(path, error));
    }
    let key = |object: Object| {
        let decode = |content: &[u8]| SecretKey::from_bytes(content).map_err(BadKey::from);
        object.key(decode, |key| key.public().fingerprint().0)
    };
    let object = read_one(&SEQUENTIAL_SECRET_KEY, &bytes).map_err(BadKey::from);
    object.and_then(key).map_err(|error| failed(path, error))
}

/// Reads a public key, in PEM or as `duet-schemes` writes it.
pub(super) fn public_key(path: &Path) -> Result<PublicKey, Failure> {
    let path = &in_folder(path, "public");
    let bytes = bounded(path, MAX_KEY)?;
    if !contains(&bytes, ARMOUR) {
        return public_key_from_pem(&bytes).map_err(|error| failed(path, error));
    }
    let key = |object: Object| {
        let decode = |content: &[u8]| PublicKey::from_bytes(content).map_err(BadKey::from);
        object.key(decode, |key| key.fingerprint().0)
    };
    let object = read_one(&SEQUENTIAL_PUBLIC_KEY, &bytes).map_err(BadKey::from);
    object.and_then(key).map_err(|error| failed(path, error))
}

/// Reads the public key of a key of any kind.
pub(super) fn any_key(path: &Path) -> Result<PublicKey, Failure> {
    let path = &in_folder(path, "public");
    if contains(&bounded(path, MAX_KEY)?, PUBLIC_KEY) {
        public_key(path)
    } else {
        Ok(secret_key(path)?.public().clone())
    }
}

/// Why a key of `duet-schemes` is refused.
#[derive(Debug, thiserror::Error)]
enum BadKey {
    #[error(transparent)]
    Armour(#[from] ArmourError),
    #[error(transparent)]
    Secret(#[from] BadSecretKey),
    #[error(transparent)]
    Public(#[from] BadPublicKey),
}

/// A key of `duet-schemes` may be given as its folder.
fn in_folder(path: &Path, name: &str) -> PathBuf {
    if path.is_dir() {
        path.join(name)
    } else {
        path.to_owned()
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// The content of a file of at most `most` bytes. As it may be secret, it is wiped and never copied by a vector.
fn bounded(path: &Path, most: usize) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let limit = most.saturating_add(1);
    let mut bytes = Zeroizing::new(Vec::with_capacity(limit));
    let file = File::open(path).map_err(|error| failed(path, error))?;
    let mut file = file.take(u64::try_from(limit).unwrap_or(u64::MAX));
    file.read_to_end(&mut bytes)
        .map_err(|error| failed(path, error))?;
    if bytes.len() > most {
        return Err(failed(path, format_args!("more than {most} bytes")));
    }
    Ok(bytes)
}

fn failed(path: &Path, what: impl Display) -> Failure {
    Failure::new(Kind::Local, format!("{}: {what}", path.display()))
}
