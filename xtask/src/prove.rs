//! The bounds of limbs in the field arithmetic, proven by computation: `curve/proofs/README.md`.

use crate::{cargo, result::Result, tools};
use std::process::Command;

/// Runs the proof, which needs Python and nothing else.
pub(crate) fn run() -> Result {
    tools::for_proving()?;
    let script = cargo::root().join("curve/proofs/limbs.py");
    cargo::run(Command::new("python3").arg("-B").arg(script))
}
