//! A Debian system in a folder, to install packages in.
//!
//! What runs in it has its own processes and mounts, which the kernel ends with it, however it ends. The network is that of the machine.

use super::super::files;
use crate::{cargo, result::Result, tools};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// A system, which is removed with this.
pub(crate) struct System {
    root: PathBuf,
}

impl System {
    /// A new system with what every Debian system of this suite has, in a folder of `place`. Such a system is fetched once and kept there.
    ///
    /// # Errors
    /// For users who are not root: they may not make users of their own.
    pub(crate) fn fresh(suite: &str, place: &Path, name: &str) -> Result<Self> {
        if !tools::is_root() {
            return Err("packages are installed in a system of their own, which needs root".into());
        }
        let kept = place.join(format!("{suite}.tar"));
        if !kept.exists() {
            println!("xtask: fetching Debian {suite}");
            let new = place.join(format!("{suite}.new.tar"));
            let mut fetch = Command::new("mmdebstrap");
            cargo::run(
                fetch
                    .args(["--quiet", "--variant=minbase", suite])
                    .arg(&new),
            )?;
            fs::rename(&new, &kept)?;
        }
        let root = files::fresh(&place.join(name))?;
        let mut unpack = Command::new("tar");
        unpack
            .args(["--extract", "--numeric-owner", "--file"])
            .arg(&kept);
        cargo::run(unpack.arg("--directory").arg(&root))?;
        Ok(Self { root })
    }

    /// A path of the system, as this machine sees it.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    /// What runs a program in the system, as a user of it.
    pub(crate) fn command(&self, user: &str, program: &str) -> Command {
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "--pid", "--fork", "--kill-child"])
            .arg(format!("--mount-proc={}", self.path("proc").display()))
            .arg("chroot")
            .arg(format!("--userspec={user}:{user}"))
            .arg(&self.root)
            .arg(program)
            .env_clear()
            .env(
                "PATH",
                "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            )
            .env("DEBIAN_FRONTEND", "noninteractive")
            .env("LC_ALL", "C");
        command
    }

    /// Runs a program as root, and returns what it prints.
    pub(crate) fn run(&self, program: &str, arguments: &[&str]) -> Result<String> {
        cargo::output(self.command("root", program).args(arguments))
    }
}

impl Drop for System {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.root) {
            eprintln!("xtask: {} is still there: {error}", self.root.display());
        }
    }
}
