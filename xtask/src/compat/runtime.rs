//! The runtime as WASM with a feature that nodes are built without.

use crate::{cargo, result::Result, tools};
use std::path::PathBuf;

/// Where the builder of the runtime copies what it built.
const COPY_TO: &str = "WASM_TARGET_DIRECTORY";

/// Builds the runtime with a feature of its own, and says where it is.
pub(super) fn build(feature: &str) -> Result<PathBuf> {
    tools::for_building()?;
    let target = cargo::target_directory().join("compat");
    // A folder for each feature: both are built from one package, which has one place for its WASM.
    let folder = std::path::absolute(target.join("runtime").join(feature))?;
    // The build script builds the WASM, and a check runs it without building the runtime for this machine too.
    let mut check = cargo::cargo(["check", "--locked", "--package", "duet-runtime"]);
    check
        .args(["--features", feature])
        .env("CARGO_TARGET_DIR", target)
        .env(COPY_TO, &folder)
        .env_remove("SKIP_WASM_BUILD");
    cargo::run(&mut check)?;
    Ok(folder.join("duet_runtime.wasm"))
}
