//! Files with a recovery proof.

use crate::failure::{Failure, Kind};
use duet_primitives::{RecoveryProof, H256};
use duet_recovery::text::{self, ProofFile, MAX_TEXT_LEN};
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// Reads what `duet-recovery combine` wrote for the chain with this genesis. Its signatures are not checked.
///
/// # Errors
/// [`Kind::Local`] when the file cannot be read, [`Kind::Usage`] when it is no recovery proof, or one of another chain.
pub fn read(path: &Path, genesis: H256) -> Result<RecoveryProof, Failure> {
    let failed = |kind, what: &dyn std::fmt::Display| {
        Failure::new(kind, format!("recovery proof {}: {what}", path.display()))
    };
    let text = bounded(path).map_err(|error| failed(Kind::Local, &error))?;
    let file: ProofFile = text::read(&text).map_err(|error| failed(Kind::Usage, &error))?;
    if file.genesis_hash != genesis {
        let got = file.genesis_hash;
        let what = format!("it is of the chain with genesis {got:?}, expected {genesis:?}");
        return Err(failed(Kind::Usage, &what));
    }
    Ok(file.proof)
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
