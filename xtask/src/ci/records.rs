//! The last success of each step, in the target directory.

use crate::{cargo::target_directory, result::Result};
use std::{fs, path::PathBuf};

/// The folder of successes.
pub(super) struct Greens(PathBuf);

/// A success.
pub(super) struct Green {
    /// The hash over the step's inputs.
    pub(super) state: String,
    /// The commit that had them.
    pub(super) commit: String,
}

impl Greens {
    pub(super) fn open() -> Result<Self> {
        let folder = target_directory().join("ci");
        fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }

    /// The last success of a step; `None` when the record cannot be read.
    pub(super) fn last(&self, step: &str) -> Option<Green> {
        let text = fs::read_to_string(self.file(step)).ok()?;
        let (state, commit) = text.trim_end().split_once(' ')?;
        Some(Green {
            state: state.to_owned(),
            commit: commit.to_owned(),
        })
    }

    pub(super) fn keep(&self, step: &str, green: &Green) -> Result {
        Ok(fs::write(
            self.file(step),
            format!("{} {}\n", green.state, green.commit),
        )?)
    }

    /// A step that fails, or reads undeclared files, has no success.
    pub(super) fn forget(&self, step: &str) -> Result {
        let file = self.file(step);
        if file.exists() {
            fs::remove_file(file)?;
        }
        Ok(())
    }

    fn file(&self, step: &str) -> PathBuf {
        self.0.join(step.replace(' ', "-"))
    }
}
