//! The conformance vectors: cases with their verdicts, for verifiers in any language.
//!
//! - [`format`](mod@format): what a file of vectors is, as JSON;
//! - [`run()`]: works out the verdict of a case with the project's own crates;
//! - [`files`]: the cases, made from fixed seeds. Each says which rule it breaks, and [`run()`] has to agree.
//!
//! What the files mean to a reader without this code: `verifiers/conformance/README.md`.

mod cases;
pub mod format;
mod input;
mod objects;
mod run;
mod verdict;

pub use cases::files;
pub use run::run;

use std::path::PathBuf;

/// Where the published files are.
pub fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "vectors"]
        .iter()
        .collect()
}
