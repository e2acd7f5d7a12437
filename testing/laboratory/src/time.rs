//! Clocks that can be set: `libfaketime` answers nodes that ask for the time, as a file says. Timers are not touched: the clock jumps,
//! and time does not.

use crate::{Error, Result};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Where the library may be.
const LIBRARIES: [&str; 3] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/faketime/libfaketimeMT.so.1",
];

/// Where the library is, if it is installed.
pub(crate) fn library() -> Option<&'static str> {
    LIBRARIES.into_iter().find(|path| Path::new(path).is_file())
}

/// The clocks of all nodes.
pub(crate) struct Clocks {
    library: &'static str,
    folder: PathBuf,
    /// Where all begin, in seconds from the true time.
    begin: i64,
}

impl Clocks {
    /// Clocks whose files are in this folder.
    pub(crate) fn new(folder: &Path, begin: i64) -> Result<Self> {
        let missing = || Error::Expectation("libfaketime is not installed".to_owned());
        Ok(Self {
            library: library().ok_or_else(missing)?,
            folder: folder.to_owned(),
            begin,
        })
    }

    fn file(&self, node: u16) -> PathBuf {
        self.folder.join(format!("clock{node}"))
    }

    /// What is put before this node.
    pub(crate) fn of(&self, node: u16) -> Result<Vec<String>> {
        self.set(node, self.begin)?;
        Ok(vec![
            "env".to_owned(),
            format!("LD_PRELOAD={}", self.library),
            format!("FAKETIME_TIMESTAMP_FILE={}", self.file(node).display()),
            "FAKETIME_CACHE_DURATION=1".to_owned(),
            "FAKETIME_DONT_FAKE_MONOTONIC=1".to_owned(),
        ])
    }

    /// Sets a clock to so many seconds from the true time.
    pub(crate) fn set(&self, node: u16, seconds: i64) -> Result {
        let what = format!("setting the clock of node {node}");
        fs::write(self.file(node), format!("{seconds:+}")).map_err(Error::io(what))
    }
}
