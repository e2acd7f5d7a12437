//! What a build needs besides cargo: installed where that takes no decision, named where it does.

use crate::{cargo::run, Result};
use std::process::{Command, Stdio};

/// The target of the runtime and of the bare-metal build.
pub(crate) const BARE_METAL: &str = "wasm32v1-none";

/// What must be there before anything is built.
///
/// # Errors
/// Names every program that is missing and that this program cannot install, with a command that does.
pub(crate) fn for_building() -> Result {
    rustup_target(BARE_METAL)?;
    programs()
}

/// What the checks need besides.
pub(crate) fn for_linting() -> Result {
    for (program, component) in [("cargo-fmt", "rustfmt"), ("clippy-driver", "clippy")] {
        if !answers(program) {
            rustup(&["component", "add", component])?;
        }
    }
    Ok(())
}

fn rustup_target(target: &str) -> Result {
    let listed = Command::new("rustup")
        .args(["target", "list", "--installed"])
        .output();
    match listed {
        Ok(output) if output.status.success() => {
            let listed = String::from_utf8_lossy(&output.stdout);
            if listed.lines().any(|line| line.trim() == target) {
                return Ok(());
            }
            rustup(&["target", "add", target])
        }
        // A toolchain without rustup may well bring the target; if not, the runtime's build says so.
        _ => Ok(()),
    }
}

fn rustup(arguments: &[&str]) -> Result {
    println!("xtask: rustup {}", arguments.join(" "));
    run(Command::new("rustup").args(arguments))
}

/// A program that the build calls.
struct Tool {
    program: &'static str,
    purpose: &'static str,
    /// The environment variable that can name it.
    variable: &'static str,
    /// Debian's package of it.
    package: &'static str,
}

const TOOLS: [Tool; 2] = [
    Tool {
        program: "protoc",
        purpose: "the protocol buffers compiler, for the network's messages",
        variable: "PROTOC",
        package: "protobuf-compiler",
    },
    Tool {
        program: "c++",
        purpose: "a C++ compiler, for the optimiser of the runtime",
        variable: "CXX",
        package: "g++",
    },
];

impl Tool {
    fn is_missing(&self) -> bool {
        std::env::var_os(self.variable).is_none() && !answers(self.program)
    }
}

/// Installs what is missing where that is ours to do, and names it where it is not.
fn programs() -> Result {
    let missing: Vec<_> = TOOLS.iter().filter(|tool| tool.is_missing()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages: Vec<_> = missing.iter().map(|tool| tool.package).collect();
    if is_root() && answers("apt-get") {
        println!("xtask: apt-get install {}", packages.join(" "));
        run(Command::new("apt-get").args(["update", "--quiet"]))?;
        let mut install = Command::new("apt-get");
        install
            .args(["install", "--yes", "--quiet", "--no-install-recommends"])
            .args(&packages);
        run(install.env("DEBIAN_FRONTEND", "noninteractive"))?;
    }
    let missing: Vec<_> = missing
        .into_iter()
        .filter(|tool| tool.is_missing())
        .collect();
    let named = missing.iter().map(
        |Tool {
             program,
             purpose,
             variable,
             package,
         }| { format!("\n  {program}: {purpose}; Debian's {package}, or set {variable}") },
    );
    let named: String = named.collect();
    if named.is_empty() {
        Ok(())
    } else {
        Err(format!("these programs are missing:{named}").into())
    }
}

fn answers(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn is_root() -> bool {
    let answer = Command::new("id").arg("-u").output();
    answer.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
