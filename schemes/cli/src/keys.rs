//! Keys on disk. Every key of every scheme is a folder: `secret`, `public`, and for the schemes in which a key must not sign twice
//! under one label `register.journal` and `register.anchor`.

use crate::{
    failure::{Failure, Kind as Why},
    files::{self, Existing, Together},
};
use clap::Args;
use duet_armour::{encode, Fingerprint, Kind};
use duet_journal::{register::RegisterFiles, FileError, FileFault};
use std::{
    fs,
    path::{Path, PathBuf},
};

const SECRET: &str = "secret";
const PUBLIC: &str = "public";
const JOURNAL: &str = "register.journal";
const ANCHOR: &str = "register.anchor";

/// The key of a command.
#[derive(Args)]
pub(crate) struct KeyArg {
    /// The key: its folder, or a file with the secret alone; `-` is standard input.
    #[arg(long, value_name = "KEY")]
    pub(crate) key: PathBuf,
}

impl KeyArg {
    /// The file of the secret.
    pub(crate) fn secret(&self) -> PathBuf {
        in_folder(&self.key, SECRET)
    }
}

/// The file of a public key, which may be given as its folder.
pub(crate) fn public_file(path: &Path) -> PathBuf {
    in_folder(path, PUBLIC)
}

fn in_folder(path: &Path, name: &str) -> PathBuf {
    if path.is_dir() {
        path.join(name)
    } else {
        path.to_owned()
    }
}

/// The location of a key's register.
#[derive(Args)]
pub(crate) struct RegisterArgs {
    /// The register's journal, if it is not in the key's folder. The key never signs without it.
    #[arg(long, value_name = "FILE")]
    register: Option<PathBuf>,
    /// The register's anchor, which stores the position of the journal, if it is not in the key's folder. Best on another disk than
    /// the journal; exclude it from backups.
    #[arg(long, value_name = "FILE")]
    anchor: Option<PathBuf>,
}

/// The failure for an unusable file of a register.
pub(crate) fn file_failure(error: &FileError) -> Failure {
    let kind = match error.fault {
        FileFault::InUse => Why::Busy,
        FileFault::Io(_) | FileFault::Exists => Why::File,
        _ => Why::Register,
    };
    Failure::new(kind, error)
}

impl RegisterArgs {
    /// The files of the register of this key.
    pub(crate) fn paths(&self, key: &Path) -> RegisterFiles {
        let path = |given: &Option<PathBuf>, name| given.clone().unwrap_or_else(|| key.join(name));
        RegisterFiles {
            journal: path(&self.register, JOURNAL),
            anchor: path(&self.anchor, ANCHOR),
        }
    }

    /// The files outside the key's folder.
    fn elsewhere(&self) -> Vec<&Path> {
        let given = self.register.iter().chain(&self.anchor);
        given.map(PathBuf::as_path).collect()
    }
}

/// A key that is written to a new folder.
pub(crate) struct NewKey<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) fingerprint: Fingerprint,
    /// The type and the content of the secret.
    pub(crate) secret: (&'a Kind, &'a [u8]),
    /// The type and the content of the public key.
    pub(crate) public: (&'a Kind, &'a [u8]),
}

/// Checks before the work that a key can be written: nothing may be there already.
pub(crate) fn check_new(folder: &Path, register: Option<&RegisterArgs>) -> Result<(), Failure> {
    let elsewhere = register.map(RegisterArgs::elsewhere).unwrap_or_default();
    // Not left to the outputs' own check, which names `--force`: a new key has no such flag.
    for path in std::iter::once(folder).chain(elsewhere.iter().copied()) {
        if fs::symlink_metadata(path).is_ok() {
            return Err(Failure::new(Why::File, "exists already").in_file(path));
        }
    }
    files::check_outputs(&elsewhere, Existing::Keep)
}

impl NewKey<'_> {
    /// Writes the folder with all its files, or nothing. `make_register` makes the register and returns its files.
    pub(crate) fn write(
        &self,
        make_register: impl FnOnce(&mut Together) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let failed = |error| Failure::new(Why::File, error).in_file(self.folder);
        fs::create_dir(self.folder).map_err(failed)?;
        self.fill(make_register).inspect_err(|_| {
            // Empty again, unless somebody has put something into it. The first error is reported.
            let _ = fs::remove_dir(self.folder);
        })
    }

    fn fill(
        &self,
        make_register: impl FnOnce(&mut Together) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut together = Together::default();
        // First: a key without a register could sign twice.
        make_register(&mut together)?;
        let (secret, public) = (self.folder.join(SECRET), self.folder.join(PUBLIC));
        let text = |(kind, content)| encode(kind, &self.fingerprint, content);
        files::write_secret(&secret, text(self.secret).as_bytes())?;
        together.made(&secret);
        files::write(&public, text(self.public).as_bytes(), Existing::Keep)?;
        together.keep();
        Ok(())
    }
}
