//! Puts the measurements into the documentation.

use crate::Result;
use std::{
    fs,
    path::{Path, PathBuf},
};

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
    put(document, "tables", tables)
}

/// Replaces the text between the marks of this name in a document.
pub(crate) fn put(document: &Path, name: &str, content: &str) -> Result {
    let text = fs::read_to_string(document)?;
    let text = replaced(&text, name, content)
        .ok_or_else(|| format!("{} has no marks for {name}", document.display()))?;
    Ok(fs::write(document, text)?)
}

fn replaced(text: &str, name: &str, content: &str) -> Option<String> {
    let (begin, end) = (
        format!("<!-- {name}: begin -->\n"),
        format!("<!-- {name}: end -->"),
    );
    let (before, rest) = text.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some([before, &begin, content, &end, after].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_marks_of_the_name_is_replaced() {
        let text =
            "a\n<!-- x: begin -->\nold\n<!-- x: end -->\n<!-- y: begin -->\ny\n<!-- y: end -->\n";
        let expected = text.replace("old\n", "new\n");
        assert_eq!(
            replaced(text, "x", "new\n").as_deref(),
            Some(expected.as_str())
        );
        assert_eq!(replaced(text, "z", "new\n"), None);
    }
}
