//! A Debian system in a folder, to install packages in.
//!
//! Its programs have their own processes and mounts, which the kernel ends with it. The network is the machine's.

use super::super::files;
use crate::{cargo, result::Result, tools};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus},
};

const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// A Debian system, removed on drop.
pub(crate) struct System {
    root: PathBuf,
}

impl System {
    /// A new system with the standard packages of this suite, in a folder of `place`, which keeps the download.
    ///
    /// # Errors
    /// For users other than root: they may not create users.
    pub(crate) fn fresh(suite: &str, place: &Path, name: &str) -> Result<Self> {
        if !tools::is_root() {
            return Err("only root can create the Debian system for the packages".into());
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

    /// A path of the system, as seen from this machine.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    /// The command that runs a program in the system, as one of its users.
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

    /// The environment of the system's programs: nothing from this machine.
    pub(crate) fn environment(command: &mut Command) {
        command
            .env_clear()
            .env("PATH", PATH)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .env("LC_ALL", "C");
    }

    /// Runs a program as root, and returns its output.
    pub(crate) fn run(&self, program: &str, arguments: &[&str]) -> Result<String> {
        cargo::output(self.command("root", program).args(arguments))
    }
}

impl Drop for System {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.root) {
            eprintln!("xtask: cannot remove {}: {error}", self.root.display());
        }
    }
}

/// A process in its own namespaces, and the process that made these. Both end on drop.
pub(crate) struct Running(Child);

impl Running {
    /// Starts the process.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let child = command.spawn();
        let child = child.map_err(|error| format!("`{}`: {error}", cargo::show(command)))?;
        Ok(Self(child))
    }

    /// Its exit status, once it has ended.
    pub(crate) fn ended(&mut self) -> Result<Option<ExitStatus>> {
        Ok(self.0.try_wait()?)
    }

    /// The process id outside of the namespaces: the child of the process that made them.
    pub(crate) fn inner(&self) -> Result<String> {
        let id = self.0.id();
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children"))?;
        let first = children.split_whitespace().next();
        Ok(first.ok_or("the process has ended")?.to_owned())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It is the first process of its namespace, and all others end with it. There is none when it has ended.
        if let Ok(inner) = self.inner() {
            let _ = Command::new("kill").args(["-KILL", &inner]).status();
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
