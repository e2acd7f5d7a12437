//! Builds the code that runs without an operating system: the `no_std` crates, the runtime with features of special
//! builds, and the benches' WASM module.

use crate::{cargo, result::Result, tools};
use std::process::Command;

/// The crates that runtimes, wallets and other chains embed. (The runtime's own build covers the pallet.)
const CRATES: [&str; 4] = [
    "duet-curve",
    "duet-primitives",
    "duet-light-client",
    "duet-ismp",
];

/// Runtime features that nodes do not use, so that no other build would show that they are broken.
const RUNTIME_FEATURES: &str = "host-functions,runtime-benchmarks,try-runtime";
/// The bridge pallet in a runtime, with the features that nothing else enables.
const BRIDGE: &[&str] = &[
    "--package",
    "pallet-bridge-duet",
    "--package",
    "duet-bridge-weights",
    "--features",
    "pallet-bridge-duet/relayers,pallet-bridge-duet/try-runtime,duet-bridge-weights/runtime-benchmarks",
];
/// The flags of the SDK's runtime builder, under the name by which cargo reads them for [`tools::BARE_METAL`].
const RUNTIME_FLAGS: (&str, &str) = (
    "CARGO_TARGET_WASM32V1_NONE_RUSTFLAGS",
    "--cfg substrate_runtime",
);

/// The benches' WASM module: a separate workspace that nothing else builds.
const WASM_GUEST: &str = "benches/wasm/Cargo.toml";

/// Builds each crate without its default features, and checks the runtime with [`RUNTIME_FEATURES`], the bridge pallet, and both
/// flavours of the benches' module.
pub(crate) fn run() -> Result {
    tools::for_building()?;
    let mut command = without_std("build");
    for name in CRATES {
        command.args(["--package", name]);
    }
    cargo::run(&mut command)?;
    let mut runtime = without_std("check");
    runtime
        .args(["--package", "duet-runtime", "--features", RUNTIME_FEATURES])
        .env(RUNTIME_FLAGS.0, RUNTIME_FLAGS.1);
    cargo::run(&mut runtime)?;
    let mut bridge = without_std("check");
    cargo::run(bridge.args(BRIDGE).env(RUNTIME_FLAGS.0, RUNTIME_FLAGS.1))?;
    let mut with_rivals = bare("check");
    cargo::run(with_rivals.args(["--manifest-path", WASM_GUEST]))?;
    let mut by_host = without_std("check");
    by_host
        .args([
            "--manifest-path",
            WASM_GUEST,
            "--features",
            "host-functions",
        ])
        .env(RUNTIME_FLAGS.0, RUNTIME_FLAGS.1);
    cargo::run(&mut by_host)
}

fn without_std(verb: &str) -> Command {
    let mut command = bare(verb);
    command.arg("--no-default-features");
    command
}

fn bare(verb: &str) -> Command {
    cargo::cargo([verb, "--locked", "--target", tools::BARE_METAL])
}
