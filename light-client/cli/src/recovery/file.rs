//! The files of a recovery.

use duet_light_rpc::{Failure, Kind};
use duet_primitives::{RecoveryProof, H256};
use duet_recovery::text::{self, MembersFile, ProofFile, MAX_TEXT_LEN};
use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

/// Reads a recovery proof of the chain with this genesis.
pub(crate) fn read_proof(path: &Path, genesis: H256) -> Result<RecoveryProof, Failure> {
    let failed = |kind, what: &dyn std::fmt::Display| {
        Failure::new(kind, format!("recovery proof {}: {what}", path.display()))
    };
    let text = read(path).map_err(|error| failed(Kind::Local, &error))?;
    let file: ProofFile = text::read(&text).map_err(|error| failed(Kind::Usage, &error))?;
    if file.genesis_hash != genesis {
        let got = file.genesis_hash;
        let what = format!("it is of the chain with genesis {got:?}, expected {genesis:?}");
        return Err(failed(Kind::Usage, &what));
    }
    Ok(file.proof)
}

/// Writes the members of a recovery set for the tool that signs.
pub(crate) fn write_members(path: &Path, members: &MembersFile) -> Result<(), Failure> {
    let text = text::write(members) + "\n";
    fs::write(path, text)
        .map_err(|error| Failure::new(Kind::Local, format!("{}: {error}", path.display())))
}

/// The content of a file, of which no more is read than a text may have.
fn read(path: &Path) -> io::Result<String> {
    let most = u64::try_from(MAX_TEXT_LEN).unwrap_or(u64::MAX);
    let mut text = String::new();
    File::open(path)?
        .take(most.saturating_add(1))
        .read_to_string(&mut text)?;
    Ok(text)
}
