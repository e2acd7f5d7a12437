//! The runtime's code, kept beside the state file, so that it is not fetched again until the chain has other code.
//!
//! What is in the file is used only if it has the proven hash, so that nothing has to be believed of it.

use crate::state_file::{beside, replace};
use duet_primitives::H256;
use sp_crypto_hashing::blake2_256;
use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

/// More than any code.
const MAX_LEN: u64 = 16 * 1024 * 1024;

/// Where the code is kept.
#[derive(Debug)]
pub(crate) struct CodeFile(PathBuf);

impl CodeFile {
    /// Beside this state file.
    pub(crate) fn beside(state: &Path) -> Self {
        Self(beside(state, ".code"))
    }

    /// The code with this hash, if it is the one that is kept.
    pub(crate) fn read(&self, hash: H256) -> Option<Vec<u8>> {
        let mut code = Vec::new();
        let file = File::open(&self.0).ok()?;
        file.take(MAX_LEN).read_to_end(&mut code).ok()?;
        (blake2_256(&code) == hash.0).then_some(code)
    }

    /// Keeps this code instead. If it cannot be written it is fetched again next time.
    pub(crate) fn write(&self, code: &[u8]) {
        if replace(&self.0, code).is_err() {
            let _ = fs::remove_file(&self.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_is_kept_and_found_by_its_hash_alone() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = CodeFile::beside(&directory.path().join("state"));
        let hash = |code: &[u8]| H256(blake2_256(code));
        assert_eq!(file.read(hash(b"one")), None);
        file.write(b"one");
        assert_eq!(file.read(hash(b"one")), Some(b"one".to_vec()));
        assert_eq!(file.read(hash(b"two")), None);
        file.write(b"two");
        assert_eq!(file.read(hash(b"two")), Some(b"two".to_vec()));
        fs::write(directory.path().join("state.code"), b"twa").expect("written");
        assert_eq!(file.read(hash(b"two")), None);
    }
}
