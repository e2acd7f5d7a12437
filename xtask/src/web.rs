//! The light client for JavaScript: builds the module and the page, and tests both.

use crate::{
    cargo::{self, root},
    page, programs,
    result::Result,
    tools,
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Further actions and restrictions.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only builds module, package and page into `verifiers/web/dist`; needs no Node.
    #[arg(long, conflicts_with_all = ["bench", "no_browser"])]
    page: bool,
    /// Measures instead: the memory over 1 000 blocks, and the module against @noble/curves and the verifier built for this
    /// machine.
    #[arg(long, conflicts_with = "no_browser")]
    bench: bool,
    /// Installs the packages into empty projects of Node, Deno, TypeScript, bundlers and an extension instead, and runs each.
    /// Downloads the bundlers.
    #[arg(long, conflicts_with_all = ["bench", "no_browser", "page"])]
    projects: bool,
    /// Skips the test of the page in a real browser, which needs a build of the nodes.
    #[arg(long)]
    no_browser: bool,
}

/// Builds, then tests or measures.
pub(crate) fn run(options: &Options) -> Result {
    page::build()?;
    if options.page {
        return Ok(());
    }
    tools::for_javascript()?;
    let mut install = npm();
    cargo::run(install.args(["ci", "--no-audit", "--no-fund"]))?;
    if options.bench {
        return bench();
    }
    if options.projects {
        tools::for_browsing()?;
        return cargo::run(node().arg("projects/run.mjs"));
    }
    cargo::run(node().arg("tools/minify.mjs"))?;
    cargo::run(node().arg("tools/size.mjs"))?;
    for folder in ["light-client/test", "provider/test", "types/test"] {
        cargo::run(node().arg("--test").args(tests(folder)?))?;
    }
    if options.no_browser {
        return Ok(());
    }
    tools::for_building()?;
    tools::for_browsing()?;
    programs::build()?;
    let demo = cargo::output_directory().join("duet-demo");
    let mut browse = node();
    // Each file starts a network of its own.
    browse
        .args(["--test", "--test-concurrency=1"])
        .args(tests("test")?);
    cargo::run(browse.env("DUET_DEMO", demo))
}

/// Measures against the verifier of `verifiers/conformance/javascript`, which is built on @noble/curves.
fn bench() -> Result {
    let mut install = npm();
    install.current_dir(root().join("verifiers/conformance/javascript"));
    cargo::run(install.args(["ci", "--no-audit", "--no-fund"]))?;
    let mut native = cargo::cargo(["build", "--release", "--locked"]);
    cargo::run(native.args([
        "--package",
        "duet-light-client",
        "--features",
        "testing",
        "--example",
        "web_proofs",
    ]))?;
    let program = cargo::target_directory().join("release/examples/web_proofs");
    cargo::run(
        node()
            .args(["--expose-gc", "tools/memory.mjs"])
            .arg(&program),
    )?;
    cargo::run(node().arg("tools/bench.mjs").arg(program))
}

/// The test files in a folder of `verifiers/web`. Node versions differ in how they handle a folder.
fn tests(folder: &str) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(root().join("verifiers/web").join(folder))? {
        let name = entry?.file_name();
        if name.to_string_lossy().ends_with(".test.mjs") {
            files.push(Path::new(folder).join(name));
        }
    }
    files.sort();
    Ok(files)
}

fn node() -> Command {
    in_web("node")
}

fn npm() -> Command {
    in_web("npm")
}

fn in_web(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root().join("verifiers/web"));
    command
}
