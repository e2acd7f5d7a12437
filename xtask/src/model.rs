//! Visits every state of a small network by the real code: `docs/model.md`.

use crate::{cargo, result::Result};

/// The arguments for `duet-model`.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Passed on: `--bounds NAME`, `--large`, `--docs`; `-- --help` shows all.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Builds the model checker, and runs it.
pub(crate) fn run(options: &Options) -> Result {
    let mut model = cargo::cargo(["run", "--package", "duet-model", "--locked", "--"]);
    cargo::run(model.args(&options.arguments))
}
