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

/// What is off by default in the node and in the light client. With `--workspace` beside it no dependency changes its features.
pub(crate) const OPTIONAL: [&str; 2] = [
    "--features",
    "duet-light/statistics,duet-light/vouchers,duet-node/encrypted-telemetry,duet-node/statistics",
];

/// A workspace whose tests, lints and dependencies are checked.
#[derive(Clone, Copy)]
pub(crate) enum Workspace {
    /// The gadget, its node and what measures and tests them.
    Duet,
    /// The companion schemes, which link no part of the SDK.
    Schemes,
}

impl Workspace {
    pub(crate) const ALL: [Self; 2] = [Self::Duet, Self::Schemes];

    /// The path of its manifest, from the repository's root.
    pub(crate) fn manifest(self) -> &'static str {
        match self {
            Self::Duet => "Cargo.toml",
            Self::Schemes => "schemes/Cargo.toml",
        }
    }

    /// The programs that have a page of their own in the documentation. Others share their name with their library.
    pub(crate) fn programs(self) -> &'static [&'static str] {
        match self {
            Self::Duet => &["duet-node", "duet-light", "xtask"],
            Self::Schemes => &["duet-schemes"],
        }
    }

    /// Where cargo puts what it builds of it. The two resolve their dependencies apart, and so build them apart.
    pub(crate) fn target_directory(self) -> PathBuf {
        match self {
            Self::Duet => target_directory(),
            Self::Schemes => target_directory().join("schemes"),
        }
    }

    /// A call of cargo in this workspace.
    pub(crate) fn cargo<S: AsRef<OsStr>>(
        self,
        verb: &str,
        arguments: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = cargo([verb, "--manifest-path", self.manifest()]);
        command
            .args(arguments)
            .env("CARGO_TARGET_DIR", self.target_directory());
        command
    }
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
