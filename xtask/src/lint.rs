//! Formatting, clippy and rustdoc.
//!
//! `cargo clippy` and `cargo doc` would analyse the whole SDK once more, because they need other artifacts of
//! each dependency than a build does. So the lints ride on a build: cargo is told to call *this program* in
//! place of rustc for our own crates. It runs clippy, which compiles as rustc does, and then rustdoc with the
//! same inputs. Dependencies come from the build that tests and demo use.

use crate::{cargo, tools, Result};
use std::{
    env,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

/// Set for the cargo that calls this program in place of rustc; holds the directory for the documentation.
const WRAPPING: &str = "DUET_LINT_DOCUMENTATION";

/// Crates that are built with other profiles or for other targets than the workspace.
const WORKSPACES_APART: [&str; 2] = ["benches/wasm/Cargo.toml", "fuzz/Cargo.toml"];

/// Formatting of every crate.
pub(crate) fn formatting() -> Result {
    tools::for_linting()?;
    cargo::run(&mut cargo::cargo(["fmt", "--all", "--", "--check"]))?;
    for manifest in WORKSPACES_APART {
        let mut fmt = cargo::cargo(["fmt", "--manifest-path", manifest]);
        cargo::run(fmt.args(["--", "--check"]))?;
    }
    Ok(())
}

/// Clippy and rustdoc over every target of every crate; a warning is an error.
pub(crate) fn run() -> Result {
    tools::for_building()?;
    tools::for_linting()?;
    let target = cargo::target_directory();
    let mut lint = cargo::cargo(["build", "--workspace", "--all-targets", "--locked"]);
    lint.arg("--keep-going")
        .env("RUSTC_WORKSPACE_WRAPPER", env::current_exe()?)
        .env(WRAPPING, target.join("doc"))
        .env("CLIPPY_ARGS", "-Dwarnings__CLIPPY_HACKERY__")
        .env("SKIP_WASM_BUILD", "1")
        // What is linted has no runtime in it: the executables that people run stay where they are.
        .env("CARGO_BUILD_BUILD_DIR", &target)
        .env("CARGO_TARGET_DIR", target.join("linted"));
    cargo::run(&mut lint)
}

/// Acts as rustc when cargo called this program as such.
///
/// `None` when it did not.
pub(crate) fn run_as_wrapper() -> Option<ExitCode> {
    let documentation = PathBuf::from(env::var_os(WRAPPING)?);
    let mut arguments = env::args_os().skip(1);
    let rustc = PathBuf::from(arguments.next()?);
    let call = Call::parse(arguments.collect());
    let mut commands = vec![Command::new(beside(&rustc, "clippy-driver"))];
    commands[0].arg(&rustc).args(&call.arguments);
    if call.is_documented() {
        let mut rustdoc = Command::new(beside(&rustc, "rustdoc"));
        rustdoc
            .args(call.for_rustdoc())
            .arg("--out-dir")
            .arg(documentation);
        rustdoc.args(["-Dwarnings", "--document-private-items"]);
        commands.push(rustdoc);
    }
    let failed = commands.iter_mut().any(|command| match command.status() {
        Ok(status) => !status.success(),
        Err(error) => {
            eprintln!(
                "cannot start {}: {error}",
                command.get_program().to_string_lossy()
            );
            true
        }
    });
    Some(if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// A tool of the same toolchain.
fn beside(rustc: &Path, tool: &str) -> PathBuf {
    rustc.with_file_name(tool)
}

/// One call of rustc by cargo.
struct Call {
    arguments: Vec<OsString>,
}

impl Call {
    fn parse(arguments: Vec<OsString>) -> Self {
        Self { arguments }
    }

    fn has(&self, flag: &str) -> bool {
        self.arguments.iter().any(|argument| argument == flag)
    }

    fn value(&self, flag: &str) -> Option<&OsStr> {
        let at = self
            .arguments
            .iter()
            .position(|argument| argument == flag)?;
        self.arguments.get(at + 1).map(OsString::as_os_str)
    }

    /// Libraries and programs are documented; tests, build scripts and cargo's questions are not.
    fn is_documented(&self) -> bool {
        let name = self.value("--crate-name").unwrap_or_default();
        self.has("--crate-type")
            && !self.has("--test")
            && name != "build_script_build"
            && name != "___"
    }

    /// Those of rustc's arguments that say what the crate is and what it sees.
    fn for_rustdoc(&self) -> Vec<OsString> {
        const WITH_VALUE: [&str; 7] = [
            "--crate-name",
            "--crate-type",
            "--cfg",
            "--check-cfg",
            "--extern",
            "-L",
            "--target",
        ];
        const JOINED: [&str; 4] = ["--edition=", "--error-format=", "--json=", "--warn="];
        let mut kept = Vec::new();
        let mut arguments = self.arguments.iter();
        while let Some(argument) = arguments.next() {
            let text = argument.to_string_lossy();
            if WITH_VALUE.contains(&text.as_ref()) {
                kept.push(argument.clone());
                kept.extend(arguments.next().cloned());
            } else if JOINED.iter().any(|prefix| text.starts_with(prefix)) || text.ends_with(".rs")
            {
                kept.push(argument.clone());
            }
        }
        kept
    }
}
