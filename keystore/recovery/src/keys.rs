//! The secrets in the key files.

use crate::{
    args::{Key, Keys},
    failure::Failure,
};
use duet_keystore::KeyRing;
use duet_primitives::SecretKey;
use sp_core::crypto::SecretString;
use std::fs;

/// Opens the directory, and makes it if it is missing.
pub(crate) fn open(keys: &Keys) -> Result<KeyRing, Failure> {
    Ok(KeyRing::open(&keys.keys, password(keys)?)?)
}

/// Refuses a directory that is not there: only new keys make one.
pub(crate) fn refuse_missing(keys: &Keys) -> Result<(), Failure> {
    if keys.keys.is_dir() {
        return Ok(());
    }
    Err(Failure::NoDirectory(keys.keys.clone()))
}

/// The secret of a key, wiped on drop.
///
/// Cost: for each key of the directory, one derivation from the password.
pub(crate) fn secret(key: &Key) -> Result<SecretKey, Failure> {
    refuse_missing(&key.keys)?;
    let ring = open(&key.keys)?;
    let secret = ring.with_secret(&key.key, SecretKey::clone);
    secret.map_err(|_| Failure::NoKey(key.key))
}

fn password(keys: &Keys) -> Result<Option<SecretString>, Failure> {
    let Some(path) = &keys.password_file else {
        return Ok(None);
    };
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(SecretString::new(text))),
        Err(error) => Err(Failure::File {
            path: path.clone(),
            error,
        }),
    }
}
