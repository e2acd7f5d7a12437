//! Files to be packed.

use crate::result::Result;
use std::{
    fs::{self, File, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Creates an empty folder; removes the old content.
pub(crate) fn fresh(folder: &Path) -> Result<PathBuf> {
    let folder = std::path::absolute(folder)?;
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Copies a file, creating folders as needed.
pub(crate) fn copy(from: &Path, to: &Path) -> Result {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(from, to).map_err(|error| format!("copying {}: {error}", from.display()))?;
    Ok(())
}

/// Copies a folder with all of its content.
pub(crate) fn copy_all(from: &Path, to: &Path) -> Result {
    for file in all(from)? {
        copy(&from.join(&file), &to.join(&file))?;
    }
    Ok(())
}

/// Writes a file, creating folders as needed.
pub(crate) fn write(to: &Path, text: impl AsRef<[u8]>) -> Result {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    Ok(fs::write(to, text)?)
}

/// Every file below a folder, as relative paths in order.
pub(crate) fn all(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).map_err(|error| format!("{}: {error}", next.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path.strip_prefix(folder)?.to_owned());
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Sets one date for everything below a folder, and modes that do not depend on the builder.
pub(crate) fn settle(folder: &Path, time: SystemTime) -> Result {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            settle(&path, time)?;
        } else {
            let executable = fs::metadata(&path)?.permissions().mode() & 0o100 != 0;
            let mode = if executable { 0o755 } else { 0o644 };
            fs::set_permissions(&path, Permissions::from_mode(mode))?;
            File::open(&path)?.set_modified(time)?;
        }
    }
    fs::set_permissions(folder, Permissions::from_mode(0o755))?;
    Ok(File::open(folder)?.set_modified(time)?)
}
