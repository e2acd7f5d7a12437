//! How this program calls cargo and finds what cargo made.

use crate::result::Result;
use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// What cargo sets for the program that it runs. Some build scripts watch these variables and would run again
/// whenever a build is started from here instead of from a shell.
const SET_BY_CARGO_RUN: [&str; 4] = [
    "CARGO_PKG_",
    "CARGO_MANIFEST_",
    "CARGO_BIN_",
    "CARGO_CRATE_NAME",
];

/// Cargo's variable for a program to call in place of rustc for the crates of the workspace.
pub(crate) const WRAPPER: &str = "RUSTC_WORKSPACE_WRAPPER";

/// What is off by default in the node and in the light client. With `--workspace` beside it no dependency changes its features.
pub(crate) const OPTIONAL: [&str; 2] = [
    "--features",
    "duet-light/statistics,duet-light/vouchers,duet-node/encrypted-telemetry,duet-node/statistics",
];

/// The manifest of the workspace that has nearly every crate.
pub(crate) const MANIFEST: &str = "Cargo.toml";

/// A call of cargo with the lock file as it is, for all crates of the workspace: each build has the same features, and shares
/// what it compiles with every other one.
pub(crate) fn workspace(verb: &str) -> Command {
    cargo([verb, "--workspace", "--locked"])
}

/// The repository's root.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("this crate is a folder of the workspace")
}

/// A call of cargo in the repository's root, free of what the cargo that started this program has set.
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

/// A call of cargo in a workspace that is built apart, in this folder of the target directory.
pub(crate) fn apart(verb: &str, manifest: &str, folder: &str) -> Command {
    let mut command = cargo([verb, "--locked", "--manifest-path", manifest]);
    command.env("CARGO_TARGET_DIR", target_directory().join(folder));
    // What is built apart is what users get, by the compiler alone.
    command.env_remove(WRAPPER);
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

/// What a command prints, without the end of the last line.
///
/// # Errors
/// When it cannot be started, does not succeed, or prints what is no text.
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

/// Runs all commands, also after one that fails.
///
/// # Errors
/// Names every command that failed.
pub(crate) fn run_all(commands: impl IntoIterator<Item = Command>) -> Result {
    let failures: Vec<_> = commands
        .into_iter()
        .filter_map(|mut command| run(&mut command).err())
        .map(|error| error.to_string())
        .collect();
    if failures.is_empty() {
        Ok(())
    } else {
        Err(failures.join("\nxtask: ").into())
    }
}

/// The command as one would type it.
pub(crate) fn show(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Where cargo puts what it builds with the profile `dev`.
pub(crate) fn output_directory() -> PathBuf {
    target_directory().join("debug")
}

/// Cargo's target directory.
pub(crate) fn target_directory() -> PathBuf {
    let configured = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    root().join(configured.unwrap_or_else(|| "target".into()))
}
