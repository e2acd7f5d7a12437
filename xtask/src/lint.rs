//! Formatting, clippy and rustdoc.
//!
//! `cargo clippy` and `cargo doc` would analyse the whole SDK once more, because they need other artifacts of
//! each dependency than a build does. So the lints ride on a build: cargo is told to call *this program* in
//! place of rustc for our own crates. It runs clippy, and then rustdoc with the same inputs. Dependencies come from
//! the build that tests and demo use.
//!
//! Nothing of ours is translated or linked on the way, which would take most of the time: clippy and rustdoc read
//! metadata only. Cargo, which wants to see the files that it asked for, gets empty ones.

use crate::{cargo, tools, Result};
use std::{
    env,
    ffi::{OsStr, OsString},
    fs::File,
    io,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::SystemTime,
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
    let call = Call::parse(arguments);
    Some(match call.lint(&rustc, &documentation) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("cannot lint {}: {error}", call.crate_name());
            ExitCode::FAILURE
        }
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
    /// Build scripts stay as they are: cargo runs them. What else there is makes metadata only, and reads it.
    fn parse(arguments: impl Iterator<Item = OsString>) -> Self {
        let mut call = Self {
            arguments: arguments.collect(),
        };
        if !call.is_executed() {
            for argument in &mut call.arguments {
                if argument.to_string_lossy().starts_with("--emit=") {
                    *argument = "--emit=dep-info,metadata".into();
                } else if let Some(metadata) = metadata_of(argument) {
                    *argument = metadata;
                }
            }
        }
        call
    }

    /// Whether clippy and rustdoc found nothing.
    fn lint(&self, rustc: &Path, documentation: &Path) -> io::Result<bool> {
        let mut clippy = Command::new(beside(rustc, "clippy-driver"));
        clippy.arg(rustc).args(&self.arguments);
        if !clippy.status()?.success() {
            return Ok(false);
        }
        if self.is_documented() {
            let mut rustdoc = Command::new(beside(rustc, "rustdoc"));
            rustdoc
                .args(self.for_rustdoc())
                .arg("--out-dir")
                .arg(documentation)
                .args(["-Dwarnings", "--document-private-items"]);
            if !rustdoc.status()?.success() {
                return Ok(false);
            }
        }
        if let Some(path) = self.expected() {
            File::create(path)?.set_modified(SystemTime::now())?;
        }
        Ok(true)
    }

    fn crate_name(&self) -> String {
        let name = self.value("--crate-name").unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Cargo runs build scripts, and asks what the compiler is like.
    fn is_executed(&self) -> bool {
        let name = self.crate_name();
        name == "build_script_build" || name == "___"
    }

    /// The library or program that cargo expects and that was not made.
    fn expected(&self) -> Option<PathBuf> {
        if self.is_executed() {
            return None;
        }
        let suffix = self.arguments.iter().find_map(|argument| {
            let text = argument.to_string_lossy();
            text.strip_prefix("extra-filename=").map(str::to_owned)
        })?;
        let is_library = !self.has("--test") && self.value("--crate-type")? == "lib";
        let name = self.crate_name() + &suffix;
        let file = if is_library {
            format!("lib{name}.rlib")
        } else {
            name
        };
        Some(Path::new(self.value("--out-dir")?).join(file))
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

    /// Libraries and programs are documented; tests and build scripts are not.
    fn is_documented(&self) -> bool {
        self.has("--crate-type") && !self.has("--test") && !self.is_executed()
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

/// For an argument that names a library (`name=path.rlib`), the same of its metadata, if there is such a file.
fn metadata_of(argument: &OsStr) -> Option<OsString> {
    let metadata = format!("{}.rmeta", argument.to_str()?.strip_suffix(".rlib")?);
    let path = metadata.split_once('=').map_or("", |(_, path)| path);
    Path::new(path).exists().then(|| metadata.into())
}
