//! A Debian system in a folder, to install packages in.
//!
//! What runs in it has its own processes and mounts, which the kernel ends with it, however it ends. The network is that of the machine.

use super::super::files;
use crate::{cargo, result::Result, tools};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus},
};

const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

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
            .arg(program);
        Self::environment(&mut command);
        command
    }

    /// The root folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// What a program of the system finds in its environment: nothing of this machine's.
    pub(crate) fn environment(command: &mut Command) {
        command
            .env_clear()
            .env("PATH", PATH)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .env("LC_ALL", "C");
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

/// A process in namespaces of its own, and the one that made these. Both end with this.
pub(crate) struct Running(Child);

impl Running {
    /// Starts it.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let child = command.spawn();
        let child = child.map_err(|error| format!("`{}`: {error}", cargo::show(command)))?;
        Ok(Self(child))
    }

    /// How it ended, if it has.
    pub(crate) fn ended(&mut self) -> Result<Option<ExitStatus>> {
        Ok(self.0.try_wait()?)
    }

    /// The process in the namespaces, by the number that it has outside: the child of the one that made them.
    pub(crate) fn inner(&self) -> Result<String> {
        let id = self.0.id();
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children"))?;
        let first = children.split_whitespace().next();
        Ok(first.ok_or("the process has ended")?.to_owned())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It is the first process of its namespace, with which all others end. There is none when it has ended.
        if let Ok(inner) = self.inner() {
            let _ = Command::new("kill").args(["-KILL", &inner]).status();
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
