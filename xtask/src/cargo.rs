//! Calls cargo and finds its output.

use crate::result::{self, Result};
use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The variables that cargo sets for the program that it runs. Some build scripts watch them and would run again
/// whenever a build is started from here instead of from a shell.
const SET_BY_CARGO_RUN: [&str; 4] = [
    "CARGO_PKG_",
    "CARGO_MANIFEST_",
    "CARGO_BIN_",
    "CARGO_CRATE_NAME",
];

/// Cargo's variable for the program to call in place of rustc for the workspace's crates.
pub(crate) const WRAPPER: &str = "RUSTC_WORKSPACE_WRAPPER";

/// Optional features of the node and the light client. With `--workspace`, they change no dependency's features.
pub(crate) const OPTIONAL: [&str; 2] = [
    "--features",
    "duet-light/statistics,duet-light/vouchers,duet-node/encrypted-telemetry,duet-node/statistics",
];

/// The manifest of the main workspace.
pub(crate) const MANIFEST: &str = "Cargo.toml";

/// A call of cargo with the lock file as it is, for all crates of the workspace: all builds have the same features,
/// and share their output with each other.
pub(crate) fn workspace(verb: &str) -> Command {
    let mut command = cargo([verb, "--workspace", "--locked"]);
    // Builds of runtimes for WASM, which these builds start, use the profile `release`. LTO would take most of their time
    // for the runtime itself.
    command.env("CARGO_PROFILE_RELEASE_LTO", "off");
    command
}

/// The repository's root.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("this crate is a folder of the workspace")
}

/// A call of cargo in the repository's root, without the variables of the cargo that started this program.
pub(crate) fn cargo<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = without_variables_of_cargo(cargo);
    command.current_dir(root()).args(arguments);
    command
}

/// A call of a program without the variables of the cargo that started this one.
pub(crate) fn without_variables_of_cargo(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
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

/// A call of cargo in a separate workspace, with this folder of the target directory.
pub(crate) fn apart(verb: &str, manifest: &str, folder: &str) -> Command {
    let mut command = cargo([verb, "--locked", "--manifest-path", manifest]);
    command.env("CARGO_TARGET_DIR", target_directory().join(folder));
    // Separate builds are what users get, by the plain compiler.
    command.env_remove(WRAPPER);
    command
}

/// Runs a command, with its output passed through.
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

/// The output of a command, without the last line break.
///
/// # Errors
/// When it cannot be started, does not succeed, or prints something other than text.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let shown = show(command);
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot start `{shown}`: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{shown}` ended with {}", output.status).into());
    }
    let text = String::from_utf8(output.stdout)?;
    Ok(text.trim_end().to_owned())
}

/// Runs all commands; a failed one does not stop the next.
///
/// # Errors
/// Names every command that failed.
pub(crate) fn run_all(commands: impl IntoIterator<Item = Command>) -> Result {
    let ends = commands.into_iter().map(|mut command| run(&mut command));
    result::all(ends.filter_map(Result::err).map(|error| error.to_string()))
}

/// The command line as text.
pub(crate) fn show(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}

/// The output folder of cargo's profile `dev`.
pub(crate) fn output_directory() -> PathBuf {
    target_directory().join("debug")
}

/// Says that a build begins; without a node from an earlier one also how long it takes.
pub(crate) fn announce_build() {
    let is_first = !target_directory().join("debug/duet-node").exists();
    let takes = if is_first {
        "; from nothing this takes 15 to 30 minutes on two cores"
    } else {
        ""
    };
    println!("xtask: building{takes}");
}

/// Cargo's target directory.
pub(crate) fn target_directory() -> PathBuf {
    let configured = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    root().join(configured.unwrap_or_else(|| "target".into()))
}
