//! Disks that are small, full or slow.

use crate::{run, Error, Result};
use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Puts a file system of so many MiB in place of a folder.
pub(crate) fn make_small(folder: &Path, mebibytes: u32) -> Result {
    let shown = folder.display();
    run::line(&format!(
        "mount -t tmpfs -o size={mebibytes}m tmpfs {shown}"
    ))
    .map(|_| ())
}

/// Writes until there is no room left.
pub(crate) fn fill(folder: &Path) -> Result {
    let what = || format!("filling {}", folder.display());
    let mut file = File::create(ballast(folder)).map_err(Error::io(what()))?;
    // Smaller and smaller pieces, so that not a byte is left.
    for size in [1 << 20, 4_096, 1] {
        loop {
            match file.write_all(&vec![0; size]) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::StorageFull => break,
                Err(error) => return Err(Error::io(what())(error)),
            }
        }
    }
    Ok(())
}

/// Makes room again.
pub(crate) fn free(folder: &Path) -> Result {
    let what = format!("making room in {}", folder.display());
    fs::remove_file(ballast(folder)).map_err(Error::io(what))
}

fn ballast(folder: &Path) -> PathBuf {
    folder.join("ballast")
}

/// What is put before a node whose files take so many milliseconds longer to get to the disk: each of its calls of `fsync` and
/// `fdatasync` is held up. The process that does that is not the node's parent, so that signals reach the node.
pub(crate) fn slowed_by(millis: u32) -> Vec<String> {
    let calls = "fsync,fdatasync,sync_file_range,msync";
    let line = format!(
        "strace -D --seccomp-bpf -f -qqq -e signal=none -o /dev/null -e trace={calls} -e inject={calls}:delay_enter={millis}ms"
    );
    line.split_whitespace().map(str::to_owned).collect()
}
