//! Durable writes: when these functions return, the data and the file names are on disk.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::Path,
};

/// Opens files for writing; new files are owner-only, where the system supports that.
///
/// A user who could change a register could have a key sign twice.
pub fn for_owner() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options
}

/// Writes a new file. If writing fails, no file is left behind.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] if a file of this name exists; otherwise any I/O error.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = for_owner().create_new(true).open(path)?;
    write_all(file, bytes)
        .and_then(|_| sync_folder_of(path))
        .inspect_err(|_| {
            // The first error is reported, not one from the clean-up.
            let _ = fs::remove_file(path);
        })
}

/// Replaces a file atomically: after a crash it has either the old or the new content.
///
/// Writes a temporary file with the suffix `.new` first. Only one process may do this at a time. A link is followed: the file that it
/// leads to is replaced, and not the link.
///
/// # Errors
/// Any I/O error. The file then has either the old or the new content.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = if path.is_symlink() {
        path.canonicalize()?
    } else {
        path.to_owned()
    };
    let mut beside = path.clone().into_os_string();
    beside.push(".new");
    overwrite(Path::new(&beside), bytes)?;
    fs::rename(&beside, &path)?;
    sync_folder_of(&path)
}

/// Overwrites or creates a file, and returns it open for writing at its end. The name may not be on disk until
/// [`sync_folder`] is called.
///
/// # Errors
/// Any I/O error. The content of the file is then undefined.
pub fn overwrite(path: &Path, bytes: &[u8]) -> io::Result<File> {
    write_all(for_owner().create(true).truncate(true).open(path)?, bytes)
}

fn write_all(mut file: File, bytes: &[u8]) -> io::Result<File> {
    file.write_all(bytes)?;
    file.sync_all()?;
    Ok(file)
}

/// Flushes the directory that contains this file.
///
/// # Errors
/// As [`sync_folder`].
pub fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    sync_folder(folder)
}

/// Flushes a directory, so that the names in it survive a crash. Only Unix supports this; elsewhere it does nothing. An
/// empty path means the working directory.
///
/// # Errors
/// The directory cannot be opened or flushed.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        let is_here = folder.as_os_str().is_empty();
        let folder = if is_here { Path::new(".") } else { folder };
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_is_not_written_over_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_new(&path, b"first").unwrap();
        let refused = write_new(&path, b"second").unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"first");
    }

    #[test]
    fn a_file_that_cannot_be_replaced_is_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_new(&path, b"old").unwrap();
        // A directory that blocks the path of the temporary file.
        let beside = folder.path().join("file.new");
        fs::create_dir(&beside).unwrap();
        replace(&path, b"new").unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        fs::remove_dir(&beside).unwrap();
        // A temporary file left by a crash does not prevent the next attempt.
        fs::write(&beside, b"longer than the new one").unwrap();
        replace(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(!beside.exists());
    }

    #[test]
    fn a_file_without_a_folder_in_its_path_is_in_the_one_that_the_process_works_in() {
        sync_folder_of(Path::new("file")).unwrap();
        sync_folder_of(Path::new("no such folder/file")).unwrap_err();
    }
}
