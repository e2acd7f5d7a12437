//! Proves the limb bounds of the field arithmetic by computation: `curve/proofs/README.md`.

use crate::{cargo, result::Result, tools};
use std::process::Command;

/// Runs the proof, which needs only Python.
pub(crate) fn run() -> Result {
    tools::for_proving()?;
    let script = cargo::root().join("curve/proofs/limbs.py");
    cargo::run(Command::new("python3").arg("-B").arg(script))
}
