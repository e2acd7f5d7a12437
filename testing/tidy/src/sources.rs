//! Files as the checks see them: paths and texts, from a disk or from a test.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::error::Error;

/// Paths, relative to some root, and the text of each.
#[derive(Clone, Debug, Default)]
pub struct Sources(BTreeMap<PathBuf, String>);

impl Sources {
    /// The files below `root` whose extension is one of `extensions`.
    ///
    /// Build outputs (`target`) and hidden folders are left out.
    ///
    /// # Errors
    ///
    /// The first file or folder that cannot be read as UTF-8.
    pub fn read(root: &Path, extensions: &[&str]) -> Result<Self, Error> {
        let mut files = BTreeMap::new();
        let mut folders = vec![root.to_path_buf()];
        while let Some(folder) = folders.pop() {
            let read = |source| Error::Read {
                path: folder.clone(),
                source,
            };
            for entry in fs::read_dir(&folder).map_err(read)? {
                let entry = entry.map_err(read)?;
                let path = entry.path();
                let name = entry.file_name();
                let name = name.to_string_lossy();
                if entry.file_type().map_err(read)?.is_dir() {
                    if name != "target" && !name.starts_with('.') {
                        folders.push(path);
                    }
                } else if extensions
                    .iter()
                    .any(|wanted| path.extension().is_some_and(|e| e == *wanted))
                {
                    let text = fs::read_to_string(&path).map_err(|source| Error::Read {
                        path: path.clone(),
                        source,
                    })?;
                    let relative = path.strip_prefix(root).unwrap_or(&path).to_path_buf();
                    files.insert(relative, text);
                }
            }
        }
        Ok(Self(files))
    }

    /// The text of `path`.
    #[must_use]
    pub fn get(&self, path: &Path) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }

    /// All files, in order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.0
            .iter()
            .map(|(path, text)| (path.as_path(), text.as_str()))
    }
}

impl<'a> FromIterator<(&'a str, &'a str)> for Sources {
    fn from_iter<I: IntoIterator<Item = (&'a str, &'a str)>>(files: I) -> Self {
        Self(
            files
                .into_iter()
                .map(|(path, text)| (path.into(), text.into()))
                .collect(),
        )
    }
}
