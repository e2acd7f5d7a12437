//! The files of the checkout that a step has read, by their access times.
//!
//! Before a step, every tracked file gets an access time in 1970. Linux updates it when a file is read and its access
//! time is older than its modification time (`relatime`, the default). Cargo compares modification times only, so
//! builds are not affected. A file system without access times is detected, and then nothing is compared.

use super::steps::Step;
use crate::{
    cargo::{output, root},
    result::Result,
};
use std::{
    fs,
    io::Write,
    os::unix::fs::MetadataExt,
    process::{Command, Stdio},
};

/// The file that shows whether access times are kept: it is read on purpose.
const PROBE: &str = "Cargo.toml";
/// The most files that an error names.
const NAMED: usize = 10;

/// Tracked files that are still unread.
pub(super) struct Watch {
    files: Vec<String>,
}

impl Watch {
    /// Starts recording.
    pub(super) fn begin() -> Result<Self> {
        let mut git = Command::new("git");
        let list = output(git.current_dir(root()).args(["ls-files", "-z"]))?;
        let files: Vec<_> = list
            .split('\0')
            .filter(|path| !path.is_empty())
            .map(str::to_owned)
            .collect();
        let mut touch = Command::new("xargs");
        touch.current_dir(root()).args([
            "--null",
            "touch",
            "-a",
            "--no-create",
            "--no-dereference",
            "--date=@0",
        ]);
        let mut touch = touch.stdin(Stdio::piped()).spawn()?;
        if let Some(mut input) = touch.stdin.take() {
            input.write_all(list.as_bytes())?;
        }
        if !touch.wait()?.success() {
            return Err("`touch` failed on the checkout".into());
        }
        Ok(Self { files })
    }

    /// Ends recording: `None`, or the files that the step has read outside its declared inputs.
    pub(super) fn end(self, step: &Step) -> Result<Option<String>> {
        fs::read(root().join(PROBE))?;
        if !was_read(PROBE) {
            println!("xtask: this file system has no access times: reads are not checked");
            return Ok(None);
        }
        let unnamed: Vec<_> = self
            .files
            .iter()
            .filter(|path| was_read(path) && !step.names(path))
            .collect();
        if unnamed.is_empty() {
            return Ok(None);
        }
        let named: String = unnamed
            .iter()
            .take(NAMED)
            .map(|path| format!("\n  {path}"))
            .collect();
        let (name, count) = (step.name, unnamed.len());
        Ok(Some(format!(
            "{name} read {count} files outside its inputs in xtask/src/ci/steps.rs:{named}"
        )))
    }
}

fn was_read(path: &str) -> bool {
    let metadata = fs::symlink_metadata(root().join(path));
    metadata.is_ok_and(|metadata| metadata.is_file() && metadata.atime() > 0)
}
