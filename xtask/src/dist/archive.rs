//! Archives whose bytes depend only on their content.

use super::{files, release::Release};
use crate::{cargo, result::Result};
use std::{path::Path, process::Command};

/// Packs a folder of `stage` as `NAME.tar.xz`.
pub(crate) fn pack(release: &Release, stage: &Path, name: &str, to: &Path) -> Result {
    files::settle(&stage.join(name), release.time())?;
    let mut tar = Command::new("tar");
    tar.current_dir(stage)
        .args(["--create", "--sort=name", "--format=gnu", "--numeric-owner"])
        .args(["--owner=0", "--group=0"])
        // With a single thread, xz would write one block for all, and so other bytes.
        .arg(format!("--use-compress-program=xz -T2 {}", release.level()))
        .arg("--file")
        .arg(to.join(format!("{name}.tar.xz")))
        .arg(name);
    cargo::run(tar.env("LC_ALL", "C"))
}

/// The text, compressed by gzip without a name or a date.
pub(crate) fn gzip(text: &Path) -> Result {
    cargo::run(Command::new("gzip").args(["-9", "--no-name"]).arg(text))
}
