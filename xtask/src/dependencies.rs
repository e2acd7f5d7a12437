//! Checks of the dependencies by cargo-deny and cargo-machete.

use crate::{
    cargo,
    result::Result,
    tools::{CARGO_DENY, CARGO_MACHETE},
};
use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

/// What is released: nearly every crate, and the light client for browsers with its modules for calls and outcomes.
const WORKSPACES: [&str; 4] = [
    cargo::MANIFEST,
    "light-client/wasm/Cargo.toml",
    "light-client/wasm/calls/Cargo.toml",
    "light-client/wasm/outcomes/Cargo.toml",
];

/// The crates that chains, wallets and light clients embed. They link nothing under the GPL, unlike the SDK's client
/// crates.
const EMBEDDED: [&str; 11] = [
    "curve",
    "primitives",
    "pallet",
    "runtime",
    "voter",
    "light-client",
    "light-client/warp",
    "light-client/wasm",
    "light-client/wasm/outcomes",
    "verifiers/contracts/calldata",
    "verifiers/bridge/hyperbridge",
];

/// Checks licences, sources and versions of all locked dependencies, and that our crates use what they declare.
///
/// Advisories are checked only with an already fetched database: this program fetches none.
pub(crate) fn run() -> Result {
    let deny = CARGO_DENY.installed()?;
    let machete = CARGO_MACHETE.installed()?;
    for manifest in WORKSPACES {
        let fetch = ["fetch", "--locked", "--quiet", "--manifest-path", manifest];
        cargo::run(&mut cargo::cargo(fetch))?;
    }
    let mut checks = vec!["bans", "licenses", "sources"];
    if has_advisories() {
        checks.push("advisories");
    } else {
        println!("xtask: no advisory database: advisories are not checked");
    }
    let workspaces = WORKSPACES.map(|manifest| denying(&deny, manifest, "deny.toml", &checks));
    let embedded = EMBEDDED.map(|folder| {
        let manifest = format!("{folder}/Cargo.toml");
        denying(&deny, &manifest, "deny-embedded.toml", &["licenses"])
    });
    let mut unused = Command::new(machete);
    unused.arg("--skip-target-dir").arg(cargo::root());
    let checks = workspaces.into_iter().chain(embedded);
    cargo::run_all(checks.chain(std::iter::once(unused)))
}

fn denying(program: &Path, manifest: &str, config: &str, checks: &[&str]) -> Command {
    let mut deny = Command::new(program);
    deny.current_dir(cargo::root())
        .args(["--locked", "--offline", "--manifest-path", manifest])
        .arg("--config")
        .arg(cargo::root().join(config))
        .args(["check", "--hide-inclusion-graph"])
        .args(checks);
    deny
}

/// Whether cargo-deny has already fetched an advisory database.
fn has_advisories() -> bool {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")));
    let databases = home.and_then(|home| home.join("advisory-dbs").read_dir().ok());
    databases.is_some_and(|mut databases| databases.next().is_some())
}
