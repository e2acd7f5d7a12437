//! Files with a recovery proof.

use crate::failure::{Failure, Kind};
use duet_primitives::{RecoveryProof, H256};
use duet_recovery::text::{self, ProofFile, MAX_TEXT_LEN};
use std::{
    fmt::Display,
    fs::File,
    io::{self, Read},
    path::Path,
};

/// A recovery proof from a file, for some chain. Its signatures are not checked.
#[derive(Clone, Debug)]
pub struct GivenProof<'a> {
    path: &'a Path,
    file: ProofFile,
}

impl<'a> GivenProof<'a> {
    /// Reads what `duet-recovery combine` wrote.
    ///
    /// # Errors
    /// [`Kind::Local`] when the file cannot be read, [`Kind::Usage`] when it is no recovery proof.
    pub fn read(path: &'a Path) -> Result<Self, Failure> {
        let text = bounded(path).map_err(|error| failure(path, Kind::Local, &error))?;
        let file = text::read(&text).map_err(|error| failure(path, Kind::Usage, &error))?;
        Ok(Self { path, file })
    }

    /// The proof, if it is of the chain with this genesis.
    ///
    /// # Errors
    /// [`Kind::Usage`] when it is of another one.
    pub fn of_chain(self, genesis: H256) -> Result<RecoveryProof, Failure> {
        let got = self.file.genesis_hash;
        if got != genesis {
            let what = format!("it is of the chain with genesis {got:?}, expected {genesis:?}");
            return Err(failure(self.path, Kind::Usage, &what));
        }
        Ok(self.file.proof)
    }
}

fn failure(path: &Path, kind: Kind, what: &dyn Display) -> Failure {
    Failure::new(kind, format!("recovery proof {}: {what}", path.display()))
}

/// The content of a file, of which no more is read than a text may have.
fn bounded(path: &Path) -> io::Result<String> {
    let most = u64::try_from(MAX_TEXT_LEN).unwrap_or(u64::MAX);
    let mut text = String::new();
    File::open(path)?
        .take(most.saturating_add(1))
        .read_to_string(&mut text)?;
    Ok(text)
}
