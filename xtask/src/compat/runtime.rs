//! The runtime as WASM, with a feature that nodes do not use.

use crate::{
    cargo,
    result::Result,
    tools::{self, BARE_METAL},
};
use std::{fs, path::PathBuf};

/// The flags that `substrate-wasm-builder` passes to compiler and linker. Its own build would also build the runtime
/// for this machine, and a WASM optimiser: a test of a runtime needs neither.
const FLAGS: &str = "-C link-arg=--export-table --cfg substrate_runtime -C link-arg=--export=__heap_base -C link-arg=--import-memory";

/// Builds the runtime with an extra feature, and returns its path.
pub(super) fn build(feature: &str) -> Result<PathBuf> {
    tools::for_building()?;
    let target = std::path::absolute(cargo::target_directory().join("compat"))?;
    let mut build = cargo::cargo(["rustc", "--locked", "--package", "duet-runtime", "--lib"]);
    build
        .args(["--crate-type", "cdylib", "--target", BARE_METAL])
        .args(["--no-default-features", "--features"])
        .arg(format!("panic-messages,{feature}"))
        .env("CARGO_TARGET_DIR", &target)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env("RUSTFLAGS", FLAGS);
    cargo::run(&mut build)?;
    let built = target.join(BARE_METAL).join("debug/duet_runtime.wasm");
    let kept = target.join(format!("runtime-{feature}.wasm"));
    fs::copy(built, &kept)?;
    Ok(kept)
}
