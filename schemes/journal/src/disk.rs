//! Writes that last: what these functions have done is on disk when they come back, the names of files too.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::Path,
};

/// Writes a new file; nothing is left behind when that fails.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] when there is one of this name, and whatever else the file system says.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).open(path)?;
    write_all(file, bytes)
        .and_then(|_| sync_folder_of(path))
        .inspect_err(|_| {
            // What failed first is worth more than what this may meet.
            let _ = fs::remove_file(path);
        })
}

/// Replaces a file whole: after a crash it is the old one or the new one.
///
/// The new one is first written beside it, with `.new` behind the name. Only one process may do this at a time.
///
/// # Errors
/// Whatever the file system says; then it is the old one or the new one too.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut beside = path.to_owned().into_os_string();
    beside.push(".new");
    overwrite(Path::new(&beside), bytes)?;
    fs::rename(&beside, path)?;
    sync_folder_of(path)
}

/// Writes a file over what it held, if it was there, and hands it out open for writing at its end. Its name may not be
/// on disk yet: [`sync_folder`].
///
/// # Errors
/// Whatever the file system says; the file may hold anything then.
pub fn overwrite(path: &Path, bytes: &[u8]) -> io::Result<File> {
    write_all(File::create(path)?, bytes)
}

fn write_all(mut file: File, bytes: &[u8]) -> io::Result<File> {
    file.write_all(bytes)?;
    file.sync_all()?;
    Ok(file)
}

/// Brings the names in the folder of this file to disk.
///
/// # Errors
/// As [`sync_folder`].
pub fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    sync_folder(folder)
}

/// Brings the names in a folder to disk, where the system has a way to: on Unix. An empty path is the folder that the
/// process works in.
///
/// # Errors
/// The folder cannot be opened or flushed.
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
        // Stands where the new one is written, and is no file.
        let beside = folder.path().join("file.new");
        fs::create_dir(&beside).unwrap();
        replace(&path, b"new").unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        fs::remove_dir(&beside).unwrap();
        // What an attempt left behind that a crash cut short is no hindrance.
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
