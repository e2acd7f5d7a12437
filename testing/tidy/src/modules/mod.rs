//! Which files of a crate import which others.
//!
//! An import is a `use` declaration or a path in code that leads to an item of another file of the crate. It counts
//! towards the file that *defines* the item: re-exports are followed. These are no imports: `mod child;`, a re-export
//! by a module of what its own descendants define, everything under `#[cfg(test)]`, and links in documentation.
//!
//! Method calls are not seen, because they name no module. Paths in the arguments of macros are found by their tokens.

mod paths;
mod resolve;
mod tree;

use std::path::{Path, PathBuf};

use crate::{error::Error, sources::Sources};

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

/// All imports between the files of the crate whose root file is `root`, in order and without duplicates.
///
/// # Errors
///
/// A file that is missing or is not Rust.
pub fn imports(sources: &Sources, root: &Path) -> Result<Vec<Import>, Error> {
    let tree = tree::Tree::build(sources, root)?;
    let mut imports = resolve::imports(&tree);
    imports.sort();
    imports.dedup();
    Ok(imports)
}
