//! Why a check could not be run.

use std::{io, path::PathBuf};

/// Why a check could not be run. A check that runs and fails returns its findings instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or a folder cannot be read.
    #[error("{} cannot be read", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file is not Rust.
    #[error("{}:{}: {source}", path.display(), source.span().start().line)]
    Parse {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: syn::Error,
    },
    /// A module is declared, and its file is not there.
    #[error("{}: no file for `mod {module}`", path.display())]
    NoModule {
        /// The file that declares the module.
        path: PathBuf,
        /// The module.
        module: String,
    },
    /// Cargo does not describe a workspace.
    #[error("cargo metadata of {} fails", manifest.display())]
    Metadata {
        /// The workspace's manifest.
        manifest: PathBuf,
        /// What cargo said.
        source: cargo_metadata::Error,
    },
    /// The page has no table of crates.
    #[error("the page has no table under the heading `{heading}`")]
    NoTable {
        /// The heading that was looked for.
        heading: &'static str,
    },
}
