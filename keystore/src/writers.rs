//! Who may write to a directory.

use std::{fs, io, os::unix::fs::MetadataExt, path::Path};

/// Why users other than this one and root may write to a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherWriters {
    /// Its permission bits let its group or everybody write.
    Mode(u32),
    /// The user with this id owns it.
    Owner(u32),
}

/// Whether users other than this one and root may write to a directory.
///
/// # Errors
/// The file system's.
pub fn other_writers(directory: &Path) -> io::Result<Option<OtherWriters>> {
    let found = fs::metadata(directory)?;
    let (owner, mode) = (found.uid(), found.mode() & 0o7777);
    if owner != 0 && owner != rustix::process::geteuid().as_raw() {
        return Ok(Some(OtherWriters::Owner(owner)));
    }
    let others_write = mode & 0o022 != 0;
    Ok(others_write.then_some(OtherWriters::Mode(mode)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{chown, PermissionsExt};

    fn of_mode(mode: u32) -> Option<OtherWriters> {
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(mode)).unwrap();
        other_writers(dir.path()).unwrap()
    }

    #[test]
    fn permission_bits_for_others_are_noticed() {
        assert_eq!(of_mode(0o755), None);
        for mode in [0o770, 0o702, 0o1777] {
            assert_eq!(of_mode(mode), Some(OtherWriters::Mode(mode)));
        }
    }

    #[test]
    fn the_directory_of_another_user_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        // Only root may give a directory away. Other users have none of root's to find.
        let expected = chown(dir.path(), Some(1), None)
            .ok()
            .map(|()| OtherWriters::Owner(1));
        assert_eq!(other_writers(dir.path()).unwrap(), expected);
    }
}
