//! Secrets in files.

use duet_light_rpc::{Failure, Kind};
use std::{fs, path::Path};

/// The text of a file that nobody else may read.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    let text = fs::read_to_string(path).map_err(|error| unusable(path, &error.to_string()))?;
    if others_may_read(path) {
        return Err(unusable(
            path,
            "other users can read it: run `chmod 600` on it",
        ));
    }
    Ok(text)
}

/// Why a key cannot be used.
pub(crate) fn unusable(path: &Path, why: &str) -> Failure {
    let path = path.display();
    Failure::new(Kind::Local, format!("the key {path} cannot be used: {why}"))
}

#[cfg(unix)]
fn others_may_read(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn others_may_read(_: &Path) -> bool {
    false
}
