//! The documentation as a book.

use crate::{cargo, result::Result, tools::MDBOOK};
use std::process::Command;

/// Builds `docs` with mdbook, beside what cargo builds.
pub(crate) fn run() -> Result {
    let docs = cargo::root().join("docs");
    if !docs.join("book.toml").exists() {
        println!("xtask: docs/book.toml is missing: no book is built");
        return Ok(());
    }
    let output = std::path::absolute(cargo::target_directory().join("book"))?;
    let mut build = Command::new(MDBOOK.installed()?);
    build.arg("build").arg(docs).arg("--dest-dir").arg(&output);
    cargo::run(&mut build)?;
    println!("The book: {}", output.join("index.html").display());
    Ok(())
}
