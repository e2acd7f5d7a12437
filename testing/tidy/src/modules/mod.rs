//! Which files of a crate import which others.
//!
//! An import is a `use` declaration or a path in code that leads to an item of another file of the crate. It counts
//! towards two files: the one in which the path ends as it is written (the parent, for `super::Item`), and the one that
//! *defines* the item, through all re-exports. These are no imports: `mod child;`, a re-export by a module of what its
//! own descendants define, everything under `#[cfg(test)]`, and links in documentation.
//!
//! What FRAME's macros declare is no import either: the `Config` and `Pallet` of `#[frame_support::pallet]` and the
//! `Runtime` of `#[frame_support::runtime]` are in the crate's root, are used by all modules, and their calls lead back into
//! them. FRAME leaves no other choice. Everything else in those files counts.
//!
//! Method calls are not seen, because they name no module. Paths in the arguments of macros are found by their tokens.

mod attributes;
mod import;
mod mention;
mod paths;
mod resolve;
mod tree;

use std::path::Path;

pub use import::Import;

use crate::{error::Error, sources::Sources};

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
