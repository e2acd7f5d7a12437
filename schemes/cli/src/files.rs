//! Reading and writing files and pipes: `-` means standard input or output.

use crate::output::Failure;
use std::{
    fs::{File, OpenOptions},
    io::{ErrorKind, Read, Write},
    path::Path,
};
use zeroize::Zeroizing;

/// The maximum input size of a command. No key, signature or list of this program is longer.
const LIMIT: u64 = 256 * 1024 * 1024;

fn failed(path: &Path) -> impl FnOnce(std::io::Error) -> Failure + '_ {
    move |error| Failure::input(format!("{}: {error}", path.display()))
}

/// Whether this path means standard input or output.
pub(crate) fn is_pipe(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a whole file or standard input.
///
/// # Errors
/// The file cannot be read or has more than 256 MiB.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = if is_pipe(path) {
        std::io::stdin().take(LIMIT + 1).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(LIMIT + 1).read_to_end(&mut bytes))
    };
    let length = read.map_err(failed(path))?;
    if length as u64 > LIMIT {
        return Err(Failure::input(format!(
            "{}: longer than {LIMIT} bytes",
            path.display()
        )));
    }
    Ok(bytes)
}

/// Reads a secret of at most `most` bytes, from a file or standard input.
///
/// The only copy in memory is the returned buffer, which is wiped on drop. It is never reallocated, and the input is
/// not buffered elsewhere.
///
/// # Errors
/// The input cannot be read or is too long.
pub(crate) fn read_secret(path: &Path, most: usize) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let file = if is_pipe(path) {
        unbuffered_input()
    } else {
        File::open(path)
    };
    // One byte more than expected, to detect trailing bytes.
    let mut bytes = Zeroizing::new(vec![0; most.saturating_add(1)]);
    let length = file
        .and_then(|file| fill(file, &mut bytes))
        .map_err(failed(path))?;
    if length > most {
        return Err(Failure::input(format!(
            "{}: longer than {most} bytes",
            path.display()
        )));
    }
    bytes.truncate(length);
    Ok(bytes)
}

/// Reads until `bytes` is full or the input ends. Returns the number of bytes read.
fn fill(mut from: impl Read, bytes: &mut [u8]) -> std::io::Result<usize> {
    let mut length = 0;
    while let Some(rest) = bytes.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match from.read(rest) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// Standard input without the standard library's buffer, which is not wiped.
#[cfg(unix)]
fn unbuffered_input() -> std::io::Result<File> {
    use std::os::fd::AsFd;
    Ok(File::from(std::io::stdin().as_fd().try_clone_to_owned()?))
}

#[cfg(windows)]
fn unbuffered_input() -> std::io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(
        std::io::stdin().as_handle().try_clone_to_owned()?,
    ))
}

/// An exclusive lock for updating a file.
#[must_use = "the lock is released when this is dropped"]
pub(crate) struct Lock {
    /// The operating system releases the lock when the file is closed.
    _file: Option<File>,
}

/// Waits for the exclusive lock of a file. Standard input and output need no lock.
///
/// The lock is a separate file beside it, which is not removed: a file that is replaced atomically cannot be locked
/// itself.
///
/// # Errors
/// The lock file cannot be created or locked.
pub(crate) fn lock(path: &Path) -> Result<Lock, Failure> {
    if is_pipe(path) {
        return Ok(Lock { _file: None });
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(".lock");
    let beside = Path::new(&beside);
    let mut options = OpenOptions::new();
    let file = options
        .create(true)
        .truncate(false)
        .write(true)
        .open(beside);
    file.and_then(|file| {
        file.lock()?;
        Ok(Lock { _file: Some(file) })
    })
    .map_err(failed(beside))
}

/// Replaces a file atomically, or writes to standard output.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if is_pipe(path) {
        return std::io::stdout().write_all(bytes).map_err(failed(path));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    tempfile::NamedTempFile::new_in(folder)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.as_file().sync_all()?;
            file.persist(path)?;
            Ok(())
        })
        .map_err(failed(path))
}

/// Writes a secret to a new file that only its owner can read. Never overwrites a file.
///
/// # Errors
/// The file exists already or cannot be written.
pub(crate) fn write_secret(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options
        .open(path)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        })
        .map_err(failed(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_read_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        for length in [0, 1, 31, 32] {
            std::fs::write(&path, vec![7; length]).unwrap();
            let secret = read_secret(&path, 32).unwrap();
            assert_eq!(*secret, vec![7; length]);
            // The buffer was not reallocated.
            assert_eq!(secret.capacity(), 33);
        }
        for length in [33, 34, 1000] {
            std::fs::write(&path, vec![7; length]).unwrap();
            assert!(matches!(read_secret(&path, 32), Err(Failure::Input(_))));
        }
    }
}
