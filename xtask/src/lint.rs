//! Formatting, clippy and rustdoc.

use crate::{
    cargo::{self, Workspace, OPTIONAL},
    contracts, hyperbridge, relay,
    result::Result,
    tools,
};
use std::process::Command;

const RIVALS: &str = "benches/rivals/Cargo.toml";
/// Workspaces that are built for other targets, with other compilers or only to be measured.
const WORKSPACES_APART: [&str; 9] = [
    RIVALS,
    "benches/wasm/Cargo.toml",
    "compat/rust/subxt/Cargo.toml",
    "compat/rust/zombienet/Cargo.toml",
    contracts::TESTS,
    hyperbridge::MANIFEST,
    "light-client/wasm/Cargo.toml",
    relay::MANIFEST,
    "schemes/fuzz/Cargo.toml",
];

/// Formatting of every crate.
pub(crate) fn formatting() -> Result {
    tools::for_linting()?;
    let fmt = |manifest, options: &[&str]| {
        let mut fmt = cargo::cargo(["fmt", "--manifest-path", manifest]);
        fmt.args(options).args(["--", "--check"]);
        fmt
    };
    let workspaces = Workspace::ALL.map(|workspace| fmt(workspace.manifest(), &["--all"]));
    let apart = WORKSPACES_APART.map(|manifest| fmt(manifest, &[]));
    cargo::run_all(workspaces.into_iter().chain(apart))
}

/// Clippy and rustdoc over every target of every crate; a warning is an error.
///
/// Both need the metadata of all dependencies, which cargo keeps apart from what it builds for tests, and share it:
/// rustdoc gets an example too, so that features are the same (see [`crate::programs`]).
pub(crate) fn run() -> Result {
    tools::for_building()?;
    tools::for_linting()?;
    let ours = Workspace::ALL
        .into_iter()
        .flat_map(|workspace| [clippy(workspace, &[]), documentation(workspace, &[])]);
    // What is off by default.
    let optional = [
        clippy(Workspace::Duet, &OPTIONAL),
        documentation(Workspace::Duet, &OPTIONAL),
    ];
    // No other step builds it.
    cargo::run_all(ours.chain(optional).chain(std::iter::once(rivals())))
}

fn clippy(workspace: Workspace, more: &[&str]) -> Command {
    let mut clippy = workspace.cargo("clippy", ["--workspace", "--all-targets", "--locked"]);
    clippy
        .args(more)
        .args(["--keep-going", "--", "--deny", "warnings"])
        // Lints need no blob of the runtime. Clippy's build scripts are apart from those of a build.
        .env("SKIP_WASM_BUILD", "1");
    clippy
}

fn rivals() -> Command {
    let mut clippy = cargo::cargo(["clippy", "--manifest-path", RIVALS, "--all-targets"]);
    clippy.args(["--locked", "--", "--deny", "warnings"]);
    clippy
}

fn documentation(workspace: Workspace, more: &[&str]) -> Command {
    let mut doc = workspace.cargo("doc", ["--workspace", "--no-deps", "--locked"]);
    let programs = workspace.programs().iter();
    doc.args(more)
        .args(["--lib", "--examples", "--document-private-items"])
        .args(programs.flat_map(|program| ["--bin", program]))
        .env("RUSTDOCFLAGS", "--deny warnings");
    doc
}
