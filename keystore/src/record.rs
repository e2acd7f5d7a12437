//! The file with a key's votes: written before a vote leaves the signer. (ROUND-4)
//!
//! A node's database writes in the background, so that after a power cut it may have forgotten a vote that was sent.
//! This record is flushed to disk first. It is stored beside the key and moves with it, so that neither a purged
//! chain nor a restored database makes a validator sign twice.

use crate::{
    directory::{read_record, replace, Record},
    error::{Corruption, KeyStoreError},
    file::name_head,
    votes::{Floor, VoteHash, Votes},
};
use duet_primitives::{BlockNumber, Pk1Bytes, H256};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

/// The prefix of every record's name. Like that of key files, it has no hex digits.
const FILE_PREFIX: &str = "votes-";
/// Bytes of the genesis hash in the name.
const GENESIS_BYTES: usize = 4;
/// Longer than any record.
const MAX_FILE_LEN: u64 = 16 * 1024;
const VERSION: u32 = 2;
/// The version without a checksum.
const UNCHECKED: u32 = 1;
const CHECKSUM_TAG: &[u8] = b"duet-votes/v2/checksum";

/// The JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    version: u32,
    /// The key, `0x`-hex.
    key: Pk1Bytes,
    /// The chain, `0x`-hex.
    genesis: String,
    /// No block below this one is signed any more.
    lowest: Floor,
    /// The signed hashes by block, `0x`-hex.
    votes: BTreeMap<BlockNumber, VoteHash>,
    /// `0x`-hex of SHA-256, from version 2 on.
    checksum: Option<String>,
}

impl Text {
    fn new(key: &Pk1Bytes, genesis: H256, votes: &Votes) -> Self {
        let mut text = Self {
            version: VERSION,
            key: *key,
            genesis: hex(genesis),
            lowest: votes.lowest(),
            votes: votes.iter().collect(),
            checksum: None,
        };
        text.checksum = Some(text.sum());
        text
    }

    /// The checksum of all other fields.
    fn sum(&self) -> String {
        let mut sum = Sha256::new();
        sum.update(CHECKSUM_TAG);
        sum.update(self.key);
        sum.update(&self.genesis);
        sum.update(self.lowest.to_bytes());
        for (block, hash) in &self.votes {
            sum.update(block.get().to_be_bytes());
            sum.update(hash);
        }
        hex(sum.finalize())
    }
}

/// The path of a key's record on a chain.
pub(crate) fn path(directory: &Path, key: &Pk1Bytes, genesis: H256) -> PathBuf {
    directory.join(format!(
        "{FILE_PREFIX}{}{}",
        name_head(key),
        name_tail(genesis)
    ))
}

/// Reads the record of a key on a chain; an empty one if there is no file.
pub(crate) fn read(
    directory: &Path,
    key: &Pk1Bytes,
    genesis: H256,
) -> Result<Votes, KeyStoreError> {
    let path = path(directory, key, genesis);
    match text(&path)? {
        None => Ok(Votes::default()),
        Some(text) => {
            let (found, votes) = parse(&path, &text, genesis)?;
            if found != *key {
                return Err(corrupt(&path, Corruption::OtherRecord));
            }
            Ok(votes)
        }
    }
}

/// Reads the records of all keys on a chain, including keys whose secrets are not here.
pub(crate) fn all(
    directory: &Path,
    genesis: H256,
) -> Result<BTreeMap<Pk1Bytes, Votes>, KeyStoreError> {
    let io_error = |source| io_error(directory, source);
    let tail = name_tail(genesis);
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(directory).map_err(io_error)? {
        let found = entry.map_err(io_error)?.path();
        let name = found.file_name().and_then(|name| name.to_str());
        if !name.is_some_and(|name| name.starts_with(FILE_PREFIX) && name.ends_with(&tail)) {
            continue;
        }
        // A file removed meanwhile counts as no record.
        let Some(text) = text(&found)? else { continue };
        let (key, votes) = parse(&found, &text, genesis)?;
        if path(directory, &key, genesis) != found {
            return Err(corrupt(&found, Corruption::OtherRecord));
        }
        all.insert(key, votes);
    }
    Ok(all)
}

/// Writes the record of a key on a chain durably: it survives a power cut.
pub(crate) fn write(
    directory: &Path,
    key: &Pk1Bytes,
    genesis: H256,
    votes: &Votes,
) -> Result<(), KeyStoreError> {
    let path = path(directory, key, genesis);
    serde_json::to_vec(&Text::new(key, genesis, votes))
        .map_err(io::Error::from)
        .and_then(|text| replace(&path, &text))
        .map_err(|source| io_error(&path, source))
}

/// The suffix of the names of a chain's records.
fn name_tail(genesis: H256) -> String {
    let chain: Vec<u8> = genesis.0.into_iter().take(GENESIS_BYTES).collect();
    format!("-{}", hex::encode(chain))
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    format!("0x{}", hex::encode(bytes))
}

fn text(path: &Path) -> Result<Option<Vec<u8>>, KeyStoreError> {
    match read_record(path, MAX_FILE_LEN) {
        Ok(Record::Absent) => Ok(None),
        Ok(Record::Read(text)) => Ok(Some(text)),
        Ok(Record::Writable(mode)) => Err(KeyStoreError::WritableVotes {
            path: path.to_owned(),
            mode,
        }),
        Err(error) => Err(io_error(path, error)),
    }
}

fn parse(path: &Path, text: &[u8], genesis: H256) -> Result<(Pk1Bytes, Votes), KeyStoreError> {
    let corrupt = |reason| corrupt(path, reason);
    let found: Text = serde_json::from_slice(text).map_err(|error| corrupt(error.into()))?;
    let expected = match found.version {
        UNCHECKED => None,
        VERSION => Some(found.sum()),
        got => {
            return Err(corrupt(Corruption::Version {
                expected: VERSION,
                got,
            }))
        }
    };
    if found.checksum != expected {
        return Err(corrupt(Corruption::Checksum));
    }
    if found.genesis != hex(genesis) {
        return Err(corrupt(Corruption::OtherRecord));
    }
    Ok((found.key, Votes::collect(found.lowest, found.votes).votes))
}

fn corrupt(path: &Path, reason: Corruption) -> KeyStoreError {
    KeyStoreError::CorruptVotes {
        path: path.to_owned(),
        reason: Box::new(reason),
    }
}

fn io_error(path: &Path, source: io::Error) -> KeyStoreError {
    KeyStoreError::Io {
        path: path.to_owned(),
        source,
    }
}
