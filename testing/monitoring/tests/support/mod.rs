//! What the tests share.

use std::path::{Path, PathBuf};

/// The repository's root.
pub(crate) fn repository() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("two folders up").to_owned()
}
