//! Prometheus and promtool: from the system, or from Debian's package.

use crate::{
    cargo::{run, target_directory},
    result::Result,
    tools::{answers, is_root, VERSION},
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Debian's package of both.
const PACKAGE: &str = "prometheus";

/// The two programs.
pub(crate) struct Prometheus {
    /// The server.
    pub(crate) server: PathBuf,
    /// The tool that checks and tests rules.
    pub(crate) promtool: PathBuf,
}

impl Prometheus {
    /// The programs in this folder, or the system's if it is empty.
    fn in_folder(folder: &Path) -> Self {
        Self {
            server: folder.join("prometheus"),
            promtool: folder.join("promtool"),
        }
    }

    fn is_there(&self) -> bool {
        [&self.server, &self.promtool]
            .into_iter()
            .all(|program| answers(program, VERSION))
    }

    /// Finds both. If the system has none, the package is fetched and unpacked in the target directory.
    ///
    /// It is not installed: that would start a service that listens on all addresses of the machine.
    pub(crate) fn installed() -> Result<Self> {
        let of_system = Self::in_folder(Path::new(""));
        if of_system.is_there() {
            return Ok(of_system);
        }
        let folder = std::path::absolute(target_directory().join("tools/prometheus"))?;
        let unpacked = Self::in_folder(&folder.join("usr/bin"));
        if !unpacked.is_there() {
            unpack(&folder)?;
        }
        if unpacked.is_there() {
            Ok(unpacked)
        } else {
            Err("prometheus and promtool are missing: Debian's package prometheus has both".into())
        }
    }
}

fn unpack(folder: &Path) -> Result {
    println!("xtask: fetching Debian's package {PACKAGE}");
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    if is_root() {
        run(Command::new("apt-get").args(["update", "--quiet"]))?;
    }
    let mut fetch = Command::new("apt-get");
    fetch.args(["download", "--quiet", PACKAGE]);
    run(fetch.current_dir(folder))?;
    let entries: std::io::Result<Vec<_>> = fs::read_dir(folder)?.collect();
    for entry in entries? {
        let mut unpack = Command::new("dpkg-deb");
        run(unpack.arg("--extract").arg(entry.path()).arg(folder))?;
        fs::remove_file(entry.path())?;
    }
    Ok(())
}
