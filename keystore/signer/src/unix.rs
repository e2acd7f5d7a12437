//! The Unix socket: only for its owner, complete from the first moment, and removed at the end.

use duet_keystore::{other_writers, OtherWriters};
use std::{
    fs, io,
    os::unix::{
        fs::{FileTypeExt, MetadataExt, PermissionsExt},
        net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
};

/// Why the socket could not be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SocketError {
    /// The file system failed.
    #[error("{}: {error}", path.display())]
    Io {
        /// The socket or its directory.
        path: PathBuf,
        /// The file system's error.
        error: io::Error,
    },
    /// Other users may replace the socket with their own.
    #[error(
        "{}: other users may write to this directory (mode {mode:04o}), and put a socket of theirs there: chmod go-w it",
        path.display()
    )]
    Exposed {
        /// The directory.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The directory belongs to another user.
    #[error("{}: this directory belongs to user {owner}, who may put another socket there", path.display())]
    Foreign {
        /// The directory.
        path: PathBuf,
        /// The user id of its owner.
        owner: u32,
    },
    /// Another process listens there.
    #[error("{}: a process listens there already", path.display())]
    InUse {
        /// The socket.
        path: PathBuf,
    },
    /// The path is another file, which was left alone.
    #[error("{}: this is no socket, and is not overwritten", path.display())]
    NotASocket {
        /// The file.
        path: PathBuf,
    },
}

/// A socket that is removed on drop.
pub(crate) struct Socket {
    path: PathBuf,
    /// Device and inode of the file, so that no other file is removed.
    file: (u64, u64),
}

/// Listens at a path. The socket has mode 0600 from the start: it is created in a separate directory, and linked.
///
/// # Errors
/// [`SocketError`]. A socket without a listener is replaced.
pub(crate) fn bind(path: &Path) -> Result<(UnixListener, Socket), SocketError> {
    let io_error = |error| SocketError::Io {
        path: path.to_owned(),
        error,
    };
    let directory = path.parent().unwrap_or(Path::new("/"));
    check_directory(directory)?;
    remove_stale(path)?;
    let made = tempfile::Builder::new()
        .prefix(".duet-")
        .tempdir_in(directory)
        .map_err(io_error)?;
    let aside = made.path().join("s");
    let listener = UnixListener::bind(&aside).map_err(io_error)?;
    fs::set_permissions(&aside, fs::Permissions::from_mode(0o600)).map_err(io_error)?;
    let file = identity(&aside).map_err(io_error)?;
    match fs::hard_link(&aside, path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let path = path.to_owned();
            return Err(SocketError::InUse { path });
        }
        Err(error) => return Err(io_error(error)),
    }
    let path = path.to_owned();
    Ok((listener, Socket { path, file }))
}

/// Only this user and root may remove files from the directory: the sticky bit keeps others from it, too.
fn check_directory(directory: &Path) -> Result<(), SocketError> {
    let path = directory.to_owned();
    match other_writers(directory) {
        Ok(Some(OtherWriters::Mode(mode))) if mode & 0o1000 == 0 => {
            Err(SocketError::Exposed { path, mode })
        }
        Ok(Some(OtherWriters::Owner(owner))) => Err(SocketError::Foreign { path, owner }),
        Ok(_) => Ok(()),
        Err(error) => Err(SocketError::Io { path, error }),
    }
}

/// Removes a socket without a listener.
fn remove_stale(path: &Path) -> Result<(), SocketError> {
    let io_error = |error| SocketError::Io {
        path: path.to_owned(),
        error,
    };
    match fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_socket() => {}
        Ok(_) => {
            let path = path.to_owned();
            return Err(SocketError::NotASocket { path });
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(io_error(error)),
    }
    match UnixStream::connect(path) {
        Ok(_) => {
            let path = path.to_owned();
            Err(SocketError::InUse { path })
        }
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            fs::remove_file(path).map_err(io_error)
        }
        Err(error) => Err(io_error(error)),
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let found = fs::symlink_metadata(path)?;
    Ok((found.dev(), found.ino()))
}

impl Drop for Socket {
    fn drop(&mut self) {
        if identity(&self.path).is_ok_and(|file| file == self.file) {
            if let Err(error) = fs::remove_file(&self.path) {
                log::warn!("{}: {error}", self.path.display());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn place() -> (TempDir, PathBuf) {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("signer.sock");
        (dir, path)
    }

    #[test]
    fn a_socket_is_for_its_owner_alone_and_is_removed_at_the_end() {
        let (dir, path) = place();
        let (listener, socket) = bind(&path).unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        UnixStream::connect(&path).unwrap();
        listener.accept().unwrap();
        drop(socket);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_socket_that_nobody_listens_on_is_replaced_and_one_in_use_is_not() {
        let (_dir, path) = place();
        drop(UnixListener::bind(&path).unwrap());
        let (_listener, _socket) = bind(&path).unwrap();
        let error = bind(&path).err().unwrap();
        assert!(matches!(error, SocketError::InUse { path: at } if at == path));
        UnixStream::connect(&path).unwrap();
    }

    #[test]
    fn what_is_no_socket_is_left_alone() {
        let (_dir, path) = place();
        fs::write(&path, "mine").unwrap();
        let error = bind(&path).err().unwrap();
        assert!(matches!(error, SocketError::NotASocket { .. }), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"mine");
    }

    #[test]
    fn a_socket_of_somebody_else_is_not_removed_at_the_end() {
        let (_dir, path) = place();
        let (_listener, socket) = bind(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let _other = UnixListener::bind(&path).unwrap();
        drop(socket);
        UnixStream::connect(&path).unwrap();
    }

    #[test]
    fn a_directory_that_others_may_write_to_is_refused_unless_it_is_sticky() {
        let (dir, path) = place();
        let set = |mode| fs::set_permissions(dir.path(), fs::Permissions::from_mode(mode));
        for mode in [0o777, 0o770, 0o702] {
            set(mode).unwrap();
            let error = bind(&path).err().unwrap();
            assert!(
                matches!(error, SocketError::Exposed { mode: of, .. } if of == mode),
                "{error}"
            );
        }
        set(0o1777).unwrap();
        bind(&path).unwrap();
    }

    #[test]
    fn a_directory_that_is_not_there_is_an_error_that_names_it() {
        let (_dir, path) = place();
        let error = bind(&path.join("a/b")).err().unwrap();
        assert!(matches!(error, SocketError::Io { path: at, .. } if at == path.join("a")));
    }
}
