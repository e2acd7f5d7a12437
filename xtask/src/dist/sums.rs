//! The checksums of a release.

use super::{files, release::Release};
use crate::{cargo, result::Result};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

const NAME: &str = "SHA256SUMS";

/// Writes the checksums of all files of a folder next to them.
pub(crate) fn write(release: &Release, folder: &Path) -> Result {
    let mut sums = Command::new("sha256sum");
    sums.current_dir(folder).arg("--").args(files::all(folder)?);
    let sums = cargo::output(&mut sums)?;
    files::write(&folder.join(NAME), format!("{sums}\n"))?;
    files::settle(folder, release.time())
}

/// Whether every file of a folder has a checksum and matches it.
pub(crate) fn check(folder: &Path) -> Result {
    let mut check = Command::new("sha256sum");
    check.current_dir(folder);
    cargo::run(check.args(["--check", "--strict", "--quiet", NAME]))?;
    let listed = std::fs::read_to_string(folder.join(NAME))?;
    let listed: Vec<PathBuf> = listed
        .lines()
        .filter_map(|line| line.split_once("  "))
        .map(|(_, name)| name.into())
        .collect();
    let mut found = files::all(folder)?;
    found.retain(|name| name != Path::new(NAME));
    if listed == found {
        Ok(())
    } else {
        Err(format!("{NAME} lists {listed:?}, but the folder has {found:?}").into())
    }
}
