//! What a build needs besides cargo: installed where that takes no decision, named where it does.

use crate::{
    cargo::{cargo, run, target_directory},
    result::Result,
};
use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The target of the runtime and of the bare-metal build.
pub(crate) const BARE_METAL: &str = "wasm32v1-none";

/// What must be there before anything is built.
///
/// # Errors
/// Names every program that is missing and that this program cannot install, with a command that does.
pub(crate) fn for_building() -> Result {
    rustup_target(BARE_METAL)?;
    programs(&TOOLS)
}

/// What libFuzzer needs.
pub(crate) fn for_fuzzing() -> Result {
    programs(&[CXX])
}

/// What the tests need besides.
pub(crate) fn for_testing() -> Result {
    for_building()?;
    programs(&[VALGRIND, OPENSSL])
}

/// What the proof of the bounds of limbs needs.
pub(crate) fn for_proving() -> Result {
    programs(&[PYTHON])
}

/// What frame-omni-bencher needs to be built.
pub(crate) fn for_benchmarking() -> Result {
    for_building()?;
    programs(&[LIBCLANG])
}

/// What the packages for JavaScript need.
pub(crate) fn for_javascript() -> Result {
    programs(&[NODE, NPM])
}

/// What the test of the page needs.
pub(crate) fn for_browsing() -> Result {
    programs(&[CHROMIUM])
}

/// What packs releases.
pub(crate) fn for_packaging() -> Result {
    programs(&[DPKG, SHLIBDEPS, XZ, NODE, NPM])
}

/// What makes a system to install packages in, and checks units.
pub(crate) fn for_installing() -> Result {
    programs(&[MMDEBSTRAP, SYSTEMD])
}

/// What the verifiers in other languages need.
pub(crate) fn for_conformance() -> Result {
    programs(&[NODE, NPM, GO])
}

/// What the benches need: some of them run inside of WASM.
pub(crate) fn for_measuring() -> Result {
    rustup_target(BARE_METAL)
}

/// What the checks need besides.
pub(crate) fn for_linting() -> Result {
    for (program, component) in [("cargo-fmt", "rustfmt"), ("clippy-driver", "clippy")] {
        if !answers(program, VERSION) {
            rustup(&["component", "add", component])?;
        }
    }
    Ok(())
}

/// A program from the registry, in the version that we use.
pub(crate) struct CargoTool {
    /// The name of the package and of its program.
    name: &'static str,
    version: &'static str,
    /// What it is called with to report its version.
    probe: &'static [&'static str],
    profile: &'static str,
}

/// Licences, bans and sources of the dependencies.
pub(crate) const CARGO_DENY: CargoTool = CargoTool {
    name: "cargo-deny",
    version: "0.20.2",
    probe: VERSION,
    profile: RELEASE,
};
/// Dependencies that no source names.
pub(crate) const CARGO_MACHETE: CargoTool = CargoTool {
    name: "cargo-machete",
    version: "0.9.2",
    probe: VERSION,
    profile: RELEASE,
};
/// Changes of the source that a test has to notice.
pub(crate) const CARGO_MUTANTS: CargoTool = CargoTool {
    name: "cargo-mutants",
    version: "27.1.0",
    // Without the name of its verb it says nothing.
    probe: &["mutants", "--version"],
    profile: RELEASE,
};
/// Books of Markdown.
pub(crate) const MDBOOK: CargoTool = CargoTool {
    name: "mdbook",
    version: "0.4.52",
    probe: VERSION,
    profile: RELEASE,
};
/// The benchmarks of a runtime. It has more than a thousand dependencies, and runs for a minute.
pub(crate) const FRAME_OMNI_BENCHER: CargoTool = CargoTool {
    name: "frame-omni-bencher",
    version: "0.28.0",
    probe: VERSION,
    profile: "dev",
};

impl CargoTool {
    /// Where the program is, installed beside what cargo builds if it is not there yet.
    pub(crate) fn installed(&self) -> Result<PathBuf> {
        let Self {
            name,
            version,
            probe,
            profile,
        } = self;
        let root = target_directory().join("tools");
        let program = root.join("bin").join(name);
        if reports_version(&program, probe, version) {
            return Ok(program);
        }
        println!("xtask: installing {name} {version}");
        let mut install = cargo(["install", "--locked", "--force", name, "--version"]);
        install
            .arg(format!("={version}"))
            .arg("--root")
            .arg(&root)
            .args(["--profile", profile]);
        // In a folder that cargo removes afterwards, and soon: these programs run for seconds.
        install
            .env_remove("CARGO_TARGET_DIR")
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "256")
            .env("CARGO_PROFILE_RELEASE_LTO", "false")
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
        run(&mut install)?;
        Ok(program)
    }
}

fn reports_version(program: &Path, probe: &[&str], version: &str) -> bool {
    let Ok(output) = Command::new(program).args(probe).output() else {
        return false;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let mut words = text.split_whitespace();
    words.any(|word| word.trim_start_matches('v') == version)
}

/// A target of the compiler.
pub(crate) fn rustup_target(target: &str) -> Result {
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
    /// What it is called with to see whether it is there, and whole.
    probe: &'static [&'static str],
    purpose: &'static str,
    /// The environment variable that can name it.
    variable: Option<&'static str>,
    /// Debian's package of it.
    package: &'static str,
}

/// What most programs are called with to see whether they are there.
pub(crate) const VERSION: &[&str] = &["--version"];
const RELEASE: &str = "release";

const CXX: Tool = Tool {
    program: "c++",
    probe: VERSION,
    purpose: "a C++ compiler, for the optimiser of the runtime and for libFuzzer",
    variable: Some("CXX"),
    package: "g++",
};

const LIBCLANG: Tool = Tool {
    // A library, which the shell looks for.
    program: "sh",
    probe: &["-c", "ls /usr/lib/llvm-*/lib/libclang.so"],
    purpose: "to find libclang, which the bindings to RocksDB are made with",
    variable: Some("LIBCLANG_PATH"),
    package: "libclang-dev",
};

const TOOLS: [Tool; 4] = [
    Tool {
        program: "protoc",
        probe: VERSION,
        purpose: "the protocol buffers compiler, for the network's messages",
        variable: Some("PROTOC"),
        package: "protobuf-compiler",
    },
    CXX,
    Tool {
        program: "make",
        probe: VERSION,
        purpose: "for OpenSSL, which the network and `schemes/sequential` use",
        variable: None,
        package: "make",
    },
    Tool {
        program: "perl",
        // A minimal system has the interpreter without these.
        probe: &["-MFindBin", "-MIPC::Cmd", "-MTime::Piece", "-e1"],
        purpose: "with its modules, for OpenSSL",
        variable: Some("OPENSSL_SRC_PERL"),
        package: "perl",
    },
];

const VALGRIND: Tool = Tool {
    program: "valgrind",
    probe: VERSION,
    purpose: "counts the instructions of hot operations",
    variable: None,
    package: "valgrind",
};

const OPENSSL: Tool = Tool {
    program: "openssl",
    // The command knows no flag for it.
    probe: &["version"],
    purpose: "makes ordinary RSA keys, and signs with them in place of a token",
    variable: None,
    package: "openssl",
};

const PYTHON: Tool = Tool {
    program: "python3",
    probe: VERSION,
    purpose: "runs the proof of the bounds of limbs",
    variable: None,
    package: "python3",
};

const NODE: Tool = Tool {
    program: "node",
    probe: VERSION,
    purpose: "version 20 or newer, runs what is written in JavaScript",
    variable: None,
    package: "nodejs",
};

const NPM: Tool = Tool {
    program: "npm",
    probe: VERSION,
    purpose: "fetches what the tests in JavaScript use",
    variable: None,
    package: "npm",
};

const CHROMIUM: Tool = Tool {
    program: "chromium",
    probe: VERSION,
    purpose: "a browser, for the test of the page",
    variable: Some("CHROMIUM"),
    package: "chromium",
};

const DPKG: Tool = Tool {
    program: "dpkg-deb",
    probe: VERSION,
    purpose: "makes Debian packages",
    variable: None,
    package: "dpkg",
};

const SHLIBDEPS: Tool = Tool {
    program: "dpkg-shlibdeps",
    probe: VERSION,
    purpose: "says which packages have the libraries that an executable needs",
    variable: None,
    package: "dpkg-dev",
};

const XZ: Tool = Tool {
    program: "xz",
    probe: VERSION,
    purpose: "compresses archives",
    variable: None,
    package: "xz-utils",
};

const MMDEBSTRAP: Tool = Tool {
    program: "mmdebstrap",
    probe: VERSION,
    purpose: "makes a Debian system in a folder",
    variable: None,
    package: "mmdebstrap",
};

const SYSTEMD: Tool = Tool {
    program: "systemd-analyze",
    probe: VERSION,
    purpose: "checks the unit of the node",
    variable: None,
    package: "systemd",
};

const GO: Tool = Tool {
    program: "go",
    // Go asks for its version with a verb.
    probe: &["version"],
    purpose: "Go 1.19 or newer, runs the verifier in Go",
    variable: None,
    package: "golang-go",
};

impl Tool {
    fn is_missing(&self) -> bool {
        let named = self.variable.and_then(std::env::var_os);
        named.is_none() && !answers(self.program, self.probe)
    }
}

/// Installs what is missing where that is ours to do, and names it where it is not.
fn programs(tools: &[Tool]) -> Result {
    let missing: Vec<_> = tools.iter().filter(|tool| tool.is_missing()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages: Vec<_> = missing.iter().map(|tool| tool.package).collect();
    if is_root() && answers("apt-get", VERSION) {
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
             ..
         }| {
            let or_set = variable.map_or_else(String::new, |name| format!(", or set {name}"));
            format!("\n  {program}: {purpose}; Debian's {package}{or_set}")
        },
    );
    let named: String = named.collect();
    if named.is_empty() {
        Ok(())
    } else {
        Err(format!("these programs are missing:{named}").into())
    }
}

/// Whether a program is there, and whole.
pub(crate) fn answers(program: impl AsRef<OsStr>, probe: &[&str]) -> bool {
    Command::new(program)
        .args(probe)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Whether this program may do everything on this machine.
pub(crate) fn is_root() -> bool {
    let answer = Command::new("id").arg("-u").output();
    answer.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
