//! Puts what was measured into the documentation.

use crate::Result;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// What stands around the tables in a document.
const MARKS: (&str, &str) = ("<!-- tables: begin -->\n", "<!-- tables: end -->");

/// The repository's root.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Where the documentation is.
pub(crate) fn folder_of_docs() -> PathBuf {
    root().join("docs")
}

/// Where the counts of instructions are kept.
pub(crate) fn folder_of_counts() -> PathBuf {
    root().join("benches/counts")
}

/// Where the figures of the companion schemes' papers are.
pub(crate) fn folder_of_papers() -> PathBuf {
    root().join("schemes/benches/papers")
}

/// Plots by the name of their file, without its ending.
pub(crate) type Plots = Vec<(&'static str, String)>;

/// Writes each plot into a folder, which is made if it is missing.
pub(crate) fn write_plots(plots: &Plots, folder: &Path) -> Result {
    fs::create_dir_all(folder)?;
    for (name, svg) in plots {
        fs::write(folder.join(format!("{name}.svg")), svg)?;
    }
    Ok(())
}

/// Replaces the tables between the marks of a document.
pub(crate) fn put_tables(document: &Path, tables: &str) -> Result {
    let text = fs::read_to_string(document)?;
    let missing = || format!("{} has no marks for the tables", document.display());
    let (before, rest) = text.split_once(MARKS.0).ok_or_else(missing)?;
    let (_, after) = rest.split_once(MARKS.1).ok_or_else(missing)?;
    fs::write(document, [before, MARKS.0, tables, MARKS.1, after].concat())?;
    Ok(())
}
