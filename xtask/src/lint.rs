//! Formatting, clippy and rustdoc.
//!
//! Clippy and rustdoc look at a crate while a build compiles it: cargo calls this program in place of rustc for the crates
//! of the workspace. So they need no second copy of the dependencies' metadata, which takes as long as the SDK's check.

use crate::{
    cargo::{self, root, target_directory, OPTIONAL, WRAPPER},
    result::Result,
    tools,
};
use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
    path::{absolute, Path, PathBuf},
    process::{Command, ExitCode},
};

/// Crates that are built for other targets, with other compilers or seldom, in workspaces apart.
const APART: [&str; 5] = [
    "benches/wasm/Cargo.toml",
    "testing/compat/rust/subxt/Cargo.toml",
    "testing/compat/rust/zombienet/Cargo.toml",
    "light-client/wasm/Cargo.toml",
    "schemes/fuzz/Cargo.toml",
];
/// The programs that have a page of their own in the documentation. Others share their name with their library.
const PROGRAMS: [&str; 4] = ["duet_node", "duet_light", "duet_schemes", "xtask"];

/// The name of the copy of this program that cargo calls in place of rustc.
const COPY: &str = "lint";
/// Where clippy's driver finds its flags, as `cargo clippy` passes them on.
const CLIPPY_ARGS: (&str, &str) = (
    "CLIPPY_ARGS",
    "--deny__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__",
);

/// Formatting of every crate.
pub(crate) fn formatting() -> Result {
    tools::for_linting()?;
    let fmt = |manifest, options: &[&str]| {
        let mut fmt = cargo::cargo(["fmt", "--manifest-path", manifest]);
        fmt.args(options).args(["--", "--check"]);
        fmt
    };
    let workspace = fmt(cargo::MANIFEST, &["--all"]);
    cargo::run_all(std::iter::once(workspace).chain(APART.map(|manifest| fmt(manifest, &[]))))
}

/// Clippy and rustdoc over every target of every crate, optional features too; a warning is an error.
pub(crate) fn run() -> Result {
    tools::for_building()?;
    tools::for_linting()?;
    let builds = [&[][..], &OPTIONAL].map(|features| {
        let mut build = cargo::workspace("build");
        build
            .arg("--all-targets")
            .arg("--keep-going")
            .args(features);
        build
    });
    for mut build in builds {
        with_every_build(&mut build)?;
        cargo::run(&mut build)?;
    }
    Ok(())
}

/// Has every build that a command starts lint the crates of the workspace.
///
/// The program that cargo calls is a copy of this one: cargo builds this one too, in its place.
pub(crate) fn with_every_build(command: &mut Command) -> Result {
    let copy = absolute(target_directory())?.join(COPY);
    let ours = fs::read(env::current_exe()?)?;
    if fs::read(&copy).ok().as_ref() != Some(&ours) {
        // Never written in place, where it may be running.
        let new = copy.with_extension("new");
        fs::copy(env::current_exe()?, &new)?;
        fs::rename(&new, &copy)?;
    }
    command.env(WRAPPER, copy).env(CLIPPY_ARGS.0, CLIPPY_ARGS.1);
    Ok(())
}

/// Compiles one crate in place of rustc with clippy's driver, and documents it, when cargo asks for that.
pub(crate) fn run_as_wrapper() -> Option<ExitCode> {
    env::current_exe()
        .ok()
        .filter(|program| program.ends_with(COPY))?;
    let mut arguments = env::args_os().skip(1);
    let rustc = arguments.next()?;
    let arguments: Vec<_> = arguments.collect();
    let mut commands = Vec::new();
    if is_ours() {
        let mut clippy = Command::new("clippy-driver");
        clippy.arg(&rustc).args(&arguments);
        commands.push(clippy);
        commands.extend(documentation(&arguments));
    } else {
        let mut rustc = Command::new(&rustc);
        rustc.args(&arguments);
        commands.push(rustc);
    }
    for mut command in commands {
        match command.status() {
            Ok(status) if status.success() => {}
            Ok(_) => return Some(ExitCode::FAILURE),
            Err(error) => {
                eprintln!("cannot start `{}`: {error}", cargo::show(&command));
                return Some(ExitCode::FAILURE);
            }
        }
    }
    Some(ExitCode::SUCCESS)
}

/// Whether the crate is in the repository: neither a question about the compiler nor what a build script generates.
fn is_ours() -> bool {
    let folder = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    folder.is_some_and(|folder| folder.starts_with(root()) && !folder.starts_with(generated()))
}

fn generated() -> PathBuf {
    absolute(target_directory())
        .map_or_else(|_| root().join("target"), |target| target.join("debug"))
}

/// The call of rustdoc for what rustc is called for: libraries, and the programs with a page of their own.
fn documentation(arguments: &[OsString]) -> Option<Command> {
    let after = |flag: &str| {
        let mut pairs = arguments.windows(2).filter(|pair| pair[0] == flag);
        pairs.next().and_then(|pair| pair[1].to_str())
    };
    let name = after("--crate-name")?;
    let is_documented = match after("--crate-type")? {
        "lib" => true,
        "bin" => PROGRAMS.contains(&name),
        _ => false,
    };
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    if !is_documented || has("--test") || has("--target") {
        return None;
    }
    let source = arguments.iter().find(|argument| is_source(argument))?;
    let mut rustdoc = Command::new("rustdoc");
    rustdoc
        .arg(source)
        .args(["--document-private-items", "--deny=warnings"]);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_str().unwrap_or_default();
        if SHARED.contains(&text) {
            rustdoc.arg(argument).args(rest.next());
        } else if SHARED
            .iter()
            .any(|flag| text.starts_with(&format!("{flag}=")))
        {
            rustdoc.arg(argument);
        }
    }
    // Each in a folder of its own: two at a time would wait for each other.
    rustdoc.arg("--out-dir").arg(
        Path::new(after("--out-dir")?)
            .with_file_name("documented")
            .join(name),
    );
    Some(rustdoc)
}

/// The flags that rustc and rustdoc share.
const SHARED: [&str; 6] = [
    "--crate-name",
    "--edition",
    "--cfg",
    "--check-cfg",
    "-L",
    "--extern",
];

fn is_source(argument: &OsStr) -> bool {
    Path::new(argument)
        .extension()
        .is_some_and(|ending| ending == "rs")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documented(arguments: &[&str]) -> Option<String> {
        let arguments: Vec<_> = arguments.iter().map(OsString::from).collect();
        documentation(&arguments).map(|command| cargo::show(&command))
    }

    #[test]
    fn a_library_is_documented_with_the_dependencies_that_it_is_compiled_with() {
        let library = [
            "--crate-name",
            "duet_curve",
            "--edition=2021",
            "curve/src/lib.rs",
            "--crate-type",
            "lib",
            "--warn=missing_docs",
            "-C",
            "opt-level=3",
            "--cfg",
            "feature=\"std\"",
            "--extern",
            "blst=libblst.rmeta",
            "--out-dir",
            "/target/debug/deps",
            "-L",
            "dependency=/target/debug/deps",
        ];
        assert_eq!(
            documented(&library).as_deref(),
            Some(
                "rustdoc curve/src/lib.rs --document-private-items --deny=warnings --crate-name duet_curve \
                 --edition=2021 --cfg feature=\"std\" --extern blst=libblst.rmeta -L dependency=/target/debug/deps \
                 --out-dir /target/debug/documented/duet_curve"
            )
        );
        let test = [&library[..], &["--test"]].concat();
        assert_eq!(documented(&test), None, "tests have no documentation");
    }

    #[test]
    fn of_programs_only_those_with_a_page_are_documented() {
        let program = |name| {
            documented(&[
                "--crate-name",
                name,
                "src/main.rs",
                "--crate-type",
                "bin",
                "--out-dir",
                "/d/deps",
            ])
        };
        assert!(program("duet_node").is_some());
        assert_eq!(program("build_script_build"), None);
    }
}
