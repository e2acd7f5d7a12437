//! How this program calls cargo and finds what cargo made.

use crate::Result;
use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
};

/// What cargo sets for the program that it runs. Some build scripts watch these variables and would run again
/// whenever a build is started from here instead of from a shell.
const SET_BY_CARGO_RUN: [&str; 4] = [
    "CARGO_PKG_",
    "CARGO_MANIFEST_",
    "CARGO_BIN_",
    "CARGO_CRATE_NAME",
];

/// The workspace's root.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("this crate is a folder of the workspace")
}

/// A call of cargo in the workspace, free of what the cargo that started this program has set.
pub(crate) fn cargo<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()).args(arguments);
    for (name, _) in env::vars_os() {
        let known = name.to_string_lossy();
        if SET_BY_CARGO_RUN
            .iter()
            .any(|prefix| known.starts_with(prefix))
        {
            command.env_remove(name);
        }
    }
    command
}

/// Runs a command, whose output goes where ours goes.
///
/// # Errors
/// When it cannot be started or does not succeed; both name the command.
pub(crate) fn run(command: &mut Command) -> Result {
    let shown = show(command);
    let status = command
        .status()
        .map_err(|error| format!("cannot start `{shown}`: {error}"))?;
    if !status.success() {
        return Err(format!("`{shown}` ended with {status}").into());
    }
    Ok(())
}

fn show(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}

/// What people run, with the features that tests and examples need: the same for every build, so that no crate is
/// built twice.
pub(crate) const PROGRAMS: &[&str] = &["--lib", "--bins", "--examples"];
/// [`PROGRAMS`] and all tests. Bench programs are built where they are measured.
pub(crate) const PROGRAMS_AND_TESTS: &[&str] = &["--lib", "--bins", "--examples", "--tests"];

/// Builds such targets of every crate of the workspace.
pub(crate) fn build(targets: &[&str]) -> Result {
    run(cargo(["build", "--workspace", "--locked"]).args(targets))
}

/// Where cargo puts what it builds with the one profile.
pub(crate) fn output_directory() -> PathBuf {
    target_directory().join("debug")
}

/// Cargo's target directory.
pub(crate) fn target_directory() -> PathBuf {
    let configured = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    root().join(configured.unwrap_or_else(|| "target".into()))
}
