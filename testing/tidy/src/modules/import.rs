//! An arrow between two files.

use std::path::PathBuf;

/// One file uses what another defines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// The file that imports.
    pub from: PathBuf,
    /// The file that defines the item.
    pub to: PathBuf,
    /// The line of the import in `from`, from 1 on.
    pub line: usize,
    /// The path as it is written.
    pub path: String,
}
