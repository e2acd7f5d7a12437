//! A booted system with systemd, and the node's service in it.

use super::{
    node::{until_proven, wait},
    system::{Running, System},
};
use crate::{cargo, result::Result};
use std::process::{Command, Stdio};

const UNIT: &str = "duet-node.service";

/// A running system, which ends on drop.
pub(crate) struct Started<'a> {
    system: &'a System,
    running: Running,
}

impl<'a> Started<'a> {
    /// Boots a system with systemd, and waits until it responds.
    pub(crate) fn start(system: &'a System) -> Result<Self> {
        let mut boot = Command::new("systemd-nspawn");
        // Neither requires this machine's systemd to register it.
        boot.args([
            "--quiet",
            "--register=no",
            "--keep-unit",
            "--boot",
            "--console=pipe",
        ])
        .arg("--directory")
        .arg(system.root())
        .stdin(Stdio::null())
        .stdout(Stdio::null());
        let mut started = Self {
            system,
            running: Running::start(&mut boot)?,
        };
        let mut ended = None;
        wait(
            "the system has started",
            || Ok(String::new()),
            |_| {
                started.run("systemctl", &["is-system-running"]).ok()?;
                Some(())
            },
        )
        .or_else(|error| {
            ended = started.running.ended()?;
            match ended {
                Some(status) => Err(format!("the system ended with {status}").into()),
                None => Err(error),
            }
        })?;
        Ok(started)
    }

    /// The underlying system.
    pub(crate) fn system(&self) -> &System {
        self.system
    }

    /// Runs a program in the system, and returns its output.
    pub(crate) fn run(&self, program: &str, arguments: &[&str]) -> Result<String> {
        let leader = self.running.inner()?;
        let mut enter = Command::new("nsenter");
        enter
            .args([
                "--target", &leader, "--mount", "--uts", "--ipc", "--pid", "--cgroup", "--root",
                "--wd",
            ])
            .arg(program)
            .args(arguments);
        System::environment(&mut enter);
        cargo::output(&mut enter)
    }

    /// A property of the service, from systemd.
    pub(crate) fn property(&self, name: &str) -> Result<String> {
        self.run("systemctl", &["show", "--property", name, "--value", UNIT])
    }

    /// Waits until the service's node has proven a block that the light client verifies.
    ///
    /// # Errors
    /// On a timeout, with the end of the log of all starts.
    pub(crate) fn until_proven(&self) -> Result {
        let proven = until_proven(self.system, || self.log());
        proven.map_err(|error| {
            let tail = ["--quiet", "--no-pager", "--lines=40", "--unit", UNIT];
            match self.run("journalctl", &tail) {
                Ok(tail) => format!("{error}\nThe journal:\n{tail}").into(),
                Err(_) => error,
            }
        })
    }

    /// The log of the service since its last start.
    fn log(&self) -> Result<String> {
        let start = self.property("InvocationID")?;
        self.run(
            "journalctl",
            &[
                "--quiet",
                "--output=cat",
                &format!("_SYSTEMD_INVOCATION_ID={start}"),
            ],
        )
    }
}
