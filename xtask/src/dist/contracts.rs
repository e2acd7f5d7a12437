//! The deployed form of the contracts: bytecode, interface and sources, with the compiler settings to reproduce them.

use super::{archive, files, release::Release};
use crate::{cargo::root, result::Result};
use std::{fs, path::Path};

/// Packs the contracts with pinned bytecode, after a compilation.
pub(crate) fn pack(release: &Release, stage: &Path, to: &Path) -> Result {
    let name = format!("duet-contracts-{}", release.version);
    let (from, folder) = (root().join("verifiers/contracts"), stage.join(&name));
    let pinned = fs::read_to_string(from.join("bytecode.sha256"))?;
    for contract in pinned
        .lines()
        .filter_map(|line| line.split_whitespace().nth(1))
    {
        for ending in ["bin", "json"] {
            let file = format!("{contract}.{ending}");
            files::copy(&from.join("out").join(&file), &folder.join(&file))?;
        }
    }
    files::copy_all(&from.join("src"), &folder.join("src"))?;
    for file in [
        "README.md",
        "build.js",
        "bytecode.sha256",
        "package-lock.json",
        "package.json",
    ] {
        files::copy(&from.join(file), &folder.join(file))?;
    }
    files::copy(
        &root().join("LICENSE-APACHE"),
        &folder.join("LICENSE-APACHE"),
    )?;
    archive::pack(release, stage, &name, to)
}
