//! Reading and writing files and pipes: `-` means standard input or output.
//!
//! No output replaces a file without `--force`, and none ever replaces an owner-only file such as a secret or a
//! register.

use crate::failure::{Failure, Kind};
use duet_journal::disk::sync_folder;
use std::{
    fs::{self, File, Metadata, OpenOptions},
    io::{self, ErrorKind, Read, Write},
    path::{Path, PathBuf},
};
use tempfile::NamedTempFile;
use zeroize::Zeroizing;

/// The maximum input size of a command. No key, signature or list of this program is longer.
const LIMIT: u64 = 256 * 1024 * 1024;

fn failed(path: &Path) -> impl FnOnce(io::Error) -> Failure + '_ {
    move |error| Failure::new(Kind::File, error).in_file(path)
}

fn refuse(path: &Path, why: &str) -> Failure {
    Failure::new(Kind::File, why).in_file(path)
}

/// Whether this path means standard input or output.
pub(crate) fn is_pipe(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether an output with this path goes to standard output.
pub(crate) fn is_standard_output(path: &Path) -> bool {
    let names = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    names.iter().any(|name| path.as_os_str() == *name)
}

/// Reads a whole file or standard input.
///
/// # Errors
/// The file cannot be read or has more than 256 MiB.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = if is_pipe(path) {
        io::stdin().take(LIMIT + 1).read_to_end(&mut bytes)
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

/// Reads a text.
///
/// # Errors
/// As [`read`], or it is not UTF-8.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    String::from_utf8(read(path)?).map_err(|_| Failure::input("not UTF-8 text").in_file(path))
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
fn fill(mut from: impl Read, bytes: &mut [u8]) -> io::Result<usize> {
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
fn unbuffered_input() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

#[cfg(windows)]
fn unbuffered_input() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdin().as_handle().try_clone_to_owned()?))
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

/// The handling of an existing output file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Existing {
    /// It is kept, and the command fails.
    Keep,
    /// It is replaced, unless it is private (see [`is_private`]).
    Replace,
}

/// Where an output goes.
enum Place {
    StandardOutput,
    /// Not a regular file: a pipe, a device, a socket, another process's open file. Bytes are written into it.
    Stream(PathBuf),
    /// A regular file, where links lead to; with its metadata if it exists.
    File(PathBuf, Option<Metadata>),
}

/// The most links that are followed, one after the other.
const MOST_LINKS: usize = 40;

fn place(path: &Path) -> Result<Place, Failure> {
    if is_standard_output(path) {
        return Ok(Place::StandardOutput);
    }
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(refuse(path, "is a folder")),
        Ok(found) if found.is_file() && !is_handed_over(path) => {
            let real = path.canonicalize().map_err(failed(path))?;
            Ok(Place::File(real, Some(found)))
        }
        Ok(_) => Ok(Place::Stream(path.to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Ok(Place::File(end_of_links(path)?, None))
        }
        Err(error) => Err(failed(path)(error)),
    }
}

/// Whether the path names an open file of a process, like `/dev/stdout`: that process decides on its content.
fn is_handed_over(path: &Path) -> bool {
    path.starts_with("/dev") || path.starts_with("/proc")
}

/// Where a link leads that leads to nothing yet.
fn end_of_links(path: &Path) -> Result<PathBuf, Failure> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = folder_of(&path).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(refuse(&path, "too many links"))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Whether a file is for its owner alone, as this program makes secrets and registers. Such a file is never replaced.
#[cfg(unix)]
fn is_private(found: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    found.permissions().mode() & 0o077 == 0
}

/// There are no permissions to tell it by, so no file is replaced.
#[cfg(not(unix))]
fn is_private(_: &Metadata) -> bool {
    true
}

/// Whether an output may go there.
fn check_place(path: &Path, place: &Place, existing: Existing) -> Result<(), Failure> {
    let Place::File(_, Some(found)) = place else {
        return Ok(());
    };
    let why = match existing {
        Existing::Keep => "exists already; replaced only with --force",
        Existing::Replace if is_private(found) => {
            "exists already as an owner-only file, such as a secret or a register: not replaced even with --force"
        }
        Existing::Replace => return Ok(()),
    };
    Err(refuse(path, why))
}

/// Checks before the work that all outputs of a command can be written: no two to the same place, none over a file that
/// is to be kept. Writing checks again.
///
/// # Errors
/// Two outputs have the same path, or a file is in the way.
pub(crate) fn check_outputs(paths: &[&Path], existing: Existing) -> Result<(), Failure> {
    let mut taken: Vec<PathBuf> = Vec::new();
    for path in paths {
        let place = place(path)?;
        check_place(path, &place, existing)?;
        let real = match place {
            Place::StandardOutput => PathBuf::from("-"),
            Place::Stream(path) => path,
            Place::File(path, _) => {
                let folder = folder_of(&path).canonicalize().map_err(failed(&path))?;
                folder.join(path.file_name().unwrap_or_default())
            }
        };
        // What is thrown away may go to one place.
        if taken.contains(&real) && real != Path::new("/dev/null") {
            return Err(refuse(path, "two outputs have the same destination"));
        }
        taken.push(real);
    }
    Ok(())
}

/// Writes an output: to a new file, over an existing one if allowed, or into a non-regular file.
///
/// A file is written whole or not at all: a failure leaves the old content, or no file. Links are followed, and a
/// replaced file keeps its permissions.
///
/// # Errors
/// It cannot be written, or an existing file must be kept.
pub(crate) fn write(path: &Path, bytes: &[u8], existing: Existing) -> Result<(), Failure> {
    let place = place(path)?;
    check_place(path, &place, existing)?;
    put(&place, bytes, PUBLIC, existing == Existing::Keep).map_err(failed(path))
}

/// Writes a secret to a new owner-only file, or into a non-regular file. Never replaces a file.
///
/// # Errors
/// The file exists already or cannot be written.
pub(crate) fn write_secret(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let place = place(path)?;
    if let Place::File(_, Some(_)) = place {
        return Err(refuse(
            path,
            "exists already, and a secret never replaces a file",
        ));
    }
    put(&place, bytes, SECRET, true).map_err(failed(path))
}

/// Writes a list that this program keeps, over its old version.
///
/// # Errors
/// It cannot be written.
pub(crate) fn update(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    put(&place(path)?, bytes, PUBLIC, false).map_err(failed(path))
}

/// Permissions of new files, before the process's mask.
const PUBLIC: u32 = 0o666;
const SECRET: u32 = 0o600;

fn put(place: &Place, bytes: &[u8], mode: u32, is_new: bool) -> io::Result<()> {
    let (path, old) = match place {
        Place::StandardOutput => {
            return duet_process::print(bytes).map_err(io::Error::other);
        }
        // At the end, if it is a file that was opened to be appended to.
        Place::Stream(path) => return OpenOptions::new().append(true).open(path)?.write_all(bytes),
        Place::File(path, old) => (path, old),
    };
    let folder = folder_of(path);
    let mut file = temporary(folder, mode)?;
    file.write_all(bytes)?;
    if let Some(old) = old {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.as_file().sync_all()?;
    if is_new {
        file.persist_noclobber(path)?;
    } else {
        file.persist(path)?;
    }
    sync_folder(folder)
}

#[cfg(unix)]
fn temporary(folder: &Path, mode: u32) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    let permissions = fs::Permissions::from_mode(mode);
    tempfile::Builder::new()
        .permissions(permissions)
        .tempfile_in(folder)
}

#[cfg(not(unix))]
fn temporary(folder: &Path, _mode: u32) -> io::Result<NamedTempFile> {
    NamedTempFile::new_in(folder)
}

/// Files that a command makes together. Those that were made are removed again, unless all were.
#[must_use = "dropping it removes the files"]
#[derive(Default)]
pub(crate) struct Together(Vec<PathBuf>);

impl Together {
    /// This file was made.
    pub(crate) fn made(&mut self, path: &Path) {
        self.0.push(path.to_owned());
    }

    /// All were made.
    pub(crate) fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for Together {
    fn drop(&mut self) {
        for path in &self.0 {
            // The first error is reported, not one from the clean-up. A device or a pipe is no file that was made.
            if fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) {
                let _ = fs::remove_file(path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_read_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        for length in [0, 1, 31, 32] {
            fs::write(&path, vec![7; length]).unwrap();
            let secret = read_secret(&path, 32).unwrap();
            assert_eq!(*secret, vec![7; length]);
            // The buffer was not reallocated.
            assert_eq!(secret.capacity(), 33);
        }
        for length in [33, 34, 1000] {
            fs::write(&path, vec![7; length]).unwrap();
            assert!(read_secret(&path, 32).is_err());
        }
    }
}
