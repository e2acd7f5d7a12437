//! The state file. Each write replaces it as a whole, so that a crash leaves a complete file. A lock keeps two
//! clients from writing it in turns.
//!
//! Beside it is the evidence of a contradiction, once there was one: no run goes on before somebody has removed it.

use crate::event::Event;
use duet_light_client::{StateError, Trusted};
use duet_light_rpc::{Failure, Kind};
use serde::Deserialize;
use std::{
    fs::{self, File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
};
use tempfile::NamedTempFile;

/// An open state file.
#[derive(Debug)]
pub(crate) struct StateFile {
    path: PathBuf,
    /// Held as long as this program runs.
    _lock: File,
}

/// A failure as `--json` shows it, of which the file of evidence has nothing else.
#[derive(Default, Deserialize)]
struct Evidence {
    message: String,
    evidence: Option<[String; 2]>,
}

/// The file beside this state file whose name has this end more.
pub(crate) fn beside(state: &Path, end: &str) -> PathBuf {
    let mut path = state.as_os_str().to_owned();
    path.push(end);
    path.into()
}

fn evidence_path(state: &Path) -> PathBuf {
    beside(state, ".evidence")
}

/// Ends a run where an earlier one ended by a contradiction. A damaged file counts, too.
fn check_evidence(state: &Path) -> Result<(), Failure> {
    let path = evidence_path(state);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(&path, error)),
    };
    let kept: Evidence = serde_json::from_slice(&bytes).unwrap_or_default();
    let message = format!(
        "an earlier run ended so, and {} has the evidence: ask people you trust which history counts, and move the file away \
         to go on from the state file, or both files to begin anew: {}",
        path.display(),
        kept.message
    );
    let proof = |text: String| hex::decode(text.trim_start_matches("0x")).unwrap_or_default();
    Err(Failure {
        kind: Kind::Misbehaviour,
        message,
        evidence: kept.evidence.map(|proofs| proofs.map(proof)),
    })
}

fn failed(path: &Path, what: impl std::fmt::Display) -> Failure {
    Failure::new(
        Kind::Local,
        format!("state file {}: {what}", path.display()),
    )
}

/// The directory of the file.
fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) | None => Path::new("."),
    }
}

/// Reads a state file; `None` when the file does not exist.
pub(crate) fn read(path: &Path) -> Result<Option<Trusted>, Failure> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(path, error)),
    };
    Trusted::decode(&bytes)
        .map(Some)
        .map_err(|error| match error {
            // It may be dear to somebody.
            StateError::NotAState => failed(path, "not a file of duet-light; name another one"),
            error => failed(path, format_args!("{error}; remove it to begin again")),
        })
}

impl StateFile {
    /// Locks the file and reads its content.
    pub(crate) fn open(path: &Path) -> Result<(Self, Option<Trusted>), Failure> {
        // What is no state is left as it is, without a lock beside it.
        read(path)?;
        let mut lock_path = path.as_os_str().to_owned();
        lock_path.push(".lock");
        let lock = File::create(&lock_path).map_err(|error| failed(path, error))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(failed(path, "another duet-light is using it"))
            }
            Err(TryLockError::Error(error)) => return Err(failed(path, error)),
        }
        check_evidence(path)?;
        let state = read(path)?;
        Ok((
            Self {
                path: path.to_owned(),
                _lock: lock,
            },
            state,
        ))
    }

    /// Keeps a contradiction beside the state. After the return it is on the disk.
    pub(crate) fn keep_evidence(&self, failure: &Failure) -> Result<(), Failure> {
        let path = evidence_path(&self.path);
        let json = serde_json::to_vec(&Event::failed(failure)).unwrap_or_default();
        replace(&path, &json).map_err(|error| failed(&path, error))
    }

    /// Replaces the file's content. After the return it is on the disk.
    pub(crate) fn save(&self, state: &Trusted) -> Result<(), Failure> {
        replace(&self.path, &state.encode()).map_err(|error| failed(&self.path, error))
    }
}

/// Replaces a file as a whole. After the return it is on the disk.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let directory = directory(path);
    let mut file = NamedTempFile::new_in(directory)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    // The new name is durable when the directory is.
    File::open(directory)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use duet_light_client::{testing::TestChain, Mode};

    fn state() -> Trusted {
        let chain = TestChain::new(1, 4, 0);
        Trusted::from_checkpoint(chain.checkpoint(0), Mode::Stateless).expect("a checkpoint")
    }

    #[test]
    fn what_is_saved_is_read_back_and_nothing_else_is_left() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("state");
        let (file, none) = StateFile::open(&path).expect("a new file");
        assert!(none.is_none());
        file.save(&state()).expect("saved");
        file.save(&state()).expect("saved over the first");
        let read = read(&path).expect("readable").expect("there");
        assert_eq!(read.encode(), state().encode());
        let names = fs::read_dir(directory.path()).expect("a directory").count();
        assert_eq!(names, 2, "the state and its lock");
    }

    #[test]
    fn a_second_client_is_told_that_the_file_is_in_use() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("state");
        let _first = StateFile::open(&path).expect("a new file");
        let second = StateFile::open(&path).expect_err("the file is locked");
        assert_eq!(second.kind, Kind::Local);
        assert!(second.message.contains("another duet-light"), "{second}");
    }

    #[test]
    fn a_damaged_file_is_reported_and_not_overwritten() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("state");
        let mut bytes = state().encode();
        bytes[40] ^= 1;
        fs::write(&path, &bytes).expect("written");
        let error = StateFile::open(&path).expect_err("the checksum does not fit");
        assert!(error.message.contains("checksum"), "{error}");
        assert_eq!(fs::read(&path).expect("readable"), bytes);
    }

    #[test]
    fn another_file_is_not_taken_for_a_state() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("state");
        for bytes in [&[0x93; 200][..], b"short"] {
            fs::write(&path, bytes).expect("written");
            let error = StateFile::open(&path).expect_err("no state");
            assert!(
                error.message.contains("not a file of duet-light"),
                "{error}"
            );
            assert_eq!(fs::read(&path).expect("readable"), bytes);
            let names = fs::read_dir(directory.path()).expect("a directory").count();
            assert_eq!(names, 1, "no lock");
        }
    }
}
