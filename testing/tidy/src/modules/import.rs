//! An arrow between two files.

use std::path::PathBuf;

/// One file uses an item of another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// The file that imports.
    pub from: PathBuf,
    /// The file that defines the item, or in which its path ends.
    pub to: PathBuf,
    /// The line of the import in `from`, from 1 on.
    pub line: usize,
    /// The path as it is written.
    pub path: String,
}
