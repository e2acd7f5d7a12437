//! Build tools besides cargo: installs the ones that take no decision, and lists the others if missing.

mod list;

use crate::{
    cargo::{cargo, output_directory, run, target_directory, WRAPPER},
    result::Result,
};
pub(crate) use list::{answers, VERSION};
use list::{
    Tool, CHROMIUM, CXX, DPKG, GO, LIBCLANG, MAKE, MMDEBSTRAP, NODE, NPM, NSPAWN, OPENSSL, PERL,
    PYTHON, PYTHON_VENV, SHLIBDEPS, SYSTEMD, TOOLS, VALGRIND, XZ,
};
use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

/// The target of the runtime and of the bare-metal build.
pub(crate) const BARE_METAL: &str = "wasm32v1-none";

/// The packages of runtimes built for WASM.
const RUNTIMES: [&str; 3] = [
    "duet-runtime",
    "solochain-runtime",
    "solochain-duet-runtime",
];

/// The tools that every build needs.
///
/// # Errors
/// Names every missing program that this program cannot install, with a command that does.
pub(crate) fn for_building() -> Result {
    rustup_target(BARE_METAL)?;
    programs(&TOOLS)?;
    one_folder_for_all_blobs()
}

/// Makes all WASM runtime builds share one target directory: most of their nearly 200 crates are the same. By default
/// the SDK's builder gives each its own, but it accepts a link instead.
fn one_folder_for_all_blobs() -> Result {
    let builds = std::path::absolute(output_directory())?.join("wbuild");
    let shared = builds.join("shared");
    fs::create_dir_all(&shared)?;
    for runtime in RUNTIMES {
        let own = builds.join(runtime).join("target");
        if !own.exists() {
            fs::create_dir_all(builds.join(runtime))?;
            symlink(&shared, &own)?;
        }
    }
    Ok(())
}

/// The tools for libFuzzer.
pub(crate) fn for_fuzzing() -> Result {
    programs(&[CXX])
}

/// The further tools for the tests.
pub(crate) fn for_testing() -> Result {
    for_building()?;
    programs(&[VALGRIND, OPENSSL])
}

/// The tools for the proof of limb bounds.
pub(crate) fn for_proving() -> Result {
    programs(&[PYTHON])
}

/// The tools for building frame-omni-bencher.
pub(crate) fn for_benchmarking() -> Result {
    for_building()?;
    programs(&[LIBCLANG])
}

/// The tools for the JavaScript packages.
pub(crate) fn for_javascript() -> Result {
    programs(&[NODE, NPM])
}

/// The tools for the test of the page.
pub(crate) fn for_browsing() -> Result {
    programs(&[CHROMIUM])
}

/// The tools that pack releases.
pub(crate) fn for_packaging() -> Result {
    programs(&[MAKE, PERL, DPKG, SHLIBDEPS, XZ, NODE, NPM])
}

/// The tools that create a system for installing packages, and check units.
pub(crate) fn for_installing() -> Result {
    programs(&[MMDEBSTRAP, SYSTEMD, NSPAWN])
}

/// The tools for the verifiers in other languages.
pub(crate) fn for_conformance() -> Result {
    programs(&[NODE, NPM, GO])
}

/// The tools for the benches: some benches run inside of WASM.
pub(crate) fn for_measuring() -> Result {
    rustup_target(BARE_METAL)
}

/// The further tools for the checks.
pub(crate) fn for_linting() -> Result {
    for (program, component) in [("cargo-fmt", "rustfmt"), ("clippy-driver", "clippy")] {
        if !answers(program, VERSION) {
            rustup(&["component", "add", component])?;
        }
    }
    Ok(())
}

/// A program from the registry, in our pinned version.
pub(crate) struct CargoTool {
    /// The name of the package and of its program.
    name: &'static str,
    version: &'static str,
    /// The arguments that make it report its version.
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
/// Dependencies that no source uses.
pub(crate) const CARGO_MACHETE: CargoTool = CargoTool {
    name: "cargo-machete",
    version: "0.9.2",
    probe: VERSION,
    profile: RELEASE,
};
/// Mutations of the source that a test has to notice.
pub(crate) const CARGO_MUTANTS: CargoTool = CargoTool {
    name: "cargo-mutants",
    version: "27.1.0",
    // Without its verb it prints nothing.
    probe: &["mutants", "--version"],
    profile: RELEASE,
};
/// Semver breaks of the crates' APIs.
pub(crate) const CARGO_SEMVER_CHECKS: CargoTool = CargoTool {
    name: "cargo-semver-checks",
    version: "0.51.0",
    probe: &["semver-checks", "--version"],
    profile: RELEASE,
};
/// Markdown books.
pub(crate) const MDBOOK: CargoTool = CargoTool {
    name: "mdbook",
    version: "0.4.52",
    probe: VERSION,
    profile: RELEASE,
};
/// The benchmarks of a runtime. It has more than a thousand dependencies, and a run takes a minute.
pub(crate) const FRAME_OMNI_BENCHER: CargoTool = CargoTool {
    name: "frame-omni-bencher",
    version: "0.28.0",
    probe: VERSION,
    profile: "dev",
};

impl CargoTool {
    /// The path of the program, installed in the target directory if it is missing.
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
            .env_remove(WRAPPER)
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "256")
            .env("CARGO_PROFILE_RELEASE_LTO", "false")
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
        run(&mut install)?;
        Ok(program)
    }
}

/// The path of slither, installed in the target directory with the versions of this file if they are not there.
pub(crate) fn slither(requirements: &Path) -> Result<PathBuf> {
    let folder = std::path::absolute(target_directory().join("tools/slither"))?;
    let program = folder.join("bin/slither");
    let installed = folder.join("requirements.txt");
    let wanted = fs::read_to_string(requirements)?;
    let is_there = fs::read_to_string(&installed).is_ok_and(|versions| versions == wanted);
    if !(is_there && answers(&program, VERSION)) {
        programs(&[PYTHON_VENV])?;
        println!("xtask: installing slither");
        let mut environment = Command::new("python3");
        run(environment.args(["-m", "venv", "--clear"]).arg(&folder))?;
        // Without builds, which would run what is downloaded.
        let mut install = Command::new(folder.join("bin/pip"));
        install.args(["install", "--quiet", "--only-binary", ":all:", "--no-deps"]);
        run(install.arg("--requirement").arg(requirements))?;
        fs::write(&installed, wanted)?;
    }
    Ok(program)
}

/// geth, by its version in the Go module proxy.
const GETH: (&str, &str) = ("github.com/ethereum/go-ethereum/cmd/geth", "1.17.10");

/// The path of geth, installed in the target directory if it is missing.
pub(crate) fn geth() -> Result<PathBuf> {
    let (package, version) = GETH;
    let folder = std::path::absolute(target_directory().join("tools/bin"))?;
    let program = folder.join("geth");
    if !reports_version(&program, VERSION, &format!("{version}-stable")) {
        programs(&[GO])?;
        println!("xtask: installing geth {version}");
        let mut install = Command::new("go");
        install.arg("install").arg(format!("{package}@v{version}"));
        run(install.env("GOBIN", &folder))?;
    }
    Ok(program)
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
        // A toolchain without rustup may already have the target; if not, the runtime's build reports it.
        _ => Ok(()),
    }
}

fn rustup(arguments: &[&str]) -> Result {
    println!("xtask: rustup {}", arguments.join(" "));
    run(Command::new("rustup").args(arguments))
}

const RELEASE: &str = "release";

/// Installs missing tools where that is up to us, and lists the others.
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
            format!("\n  {program}: {purpose}; Debian package {package}{or_set}")
        },
    );
    let named: String = named.collect();
    if named.is_empty() {
        Ok(())
    } else {
        Err(format!("these programs are missing:{named}").into())
    }
}

/// Whether this program runs as root.
pub(crate) fn is_root() -> bool {
    let answer = Command::new("id").arg("-u").output();
    answer.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
