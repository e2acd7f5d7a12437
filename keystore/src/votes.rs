//! What each key has voted for: written before the vote leaves the signer. (ROUND-4)
//!
//! The database of a node writes in the background, so that after a power cut it may have forgotten a vote
//! that was sent. This record is flushed to disk first. It is stored beside the key and moves with it, so that
//! neither a purged chain nor a restored database makes a validator sign twice.

use crate::{
    directory::{replace, Directory},
    error::{Corruption, KeyStoreError},
    file::name_head,
};
use duet_primitives::{BlockNumber, Pk1Bytes, RoundMessage, H256};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

/// The prefix of every record's name. It has no hex digits, as that of key files.
const FILE_PREFIX: &str = "votes-";
/// Bytes of the genesis hash in the name.
const GENESIS_BYTES: usize = 4;
/// Votes that are remembered one by one; below them nothing is signed any more.
const MAX_VOTES: usize = 64;
/// More than any record has.
const MAX_FILE_LEN: u64 = 16 * 1024;
const VERSION: u32 = 1;

/// Why a key signs no commitment for a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It signed another one.
    Voted,
    /// The block is below everything that is remembered.
    Forgotten,
}

/// The votes of one key on one chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Votes {
    version: u32,
    /// The key, `0x`-hex.
    key: String,
    /// The chain, `0x`-hex.
    genesis: String,
    /// Nothing below this block is signed any more.
    lowest: BlockNumber,
    /// The hash that was signed, by block, `0x`-hex.
    votes: BTreeMap<BlockNumber, String>,
}

impl Votes {
    pub(crate) fn new(key: &Pk1Bytes, genesis: H256) -> Self {
        Self {
            version: VERSION,
            key: key.to_string(),
            genesis: hex(genesis.as_bytes()),
            lowest: BlockNumber::ZERO,
            votes: BTreeMap::new(),
        }
    }

    /// The record with this vote in it; `None` when it is there already.
    pub(crate) fn with(&self, message: &RoundMessage) -> Result<Option<Self>, Refusal> {
        let block = message.commitment().block_number;
        let hash = hex(&message.hash());
        match self.votes.get(&block) {
            Some(known) if *known == hash => return Ok(None),
            Some(_) => return Err(Refusal::Voted),
            None if block < self.lowest => return Err(Refusal::Forgotten),
            None => {}
        }
        let mut with = self.clone();
        with.votes.insert(block, hash);
        while with.votes.len() > MAX_VOTES {
            if let Some((dropped, _)) = with.votes.pop_first() {
                with.lowest = dropped.saturating_next();
            }
        }
        Ok(Some(with))
    }

    /// Reads the record of a key on a chain; an empty one when there is none.
    pub(crate) fn read(
        directory: &Directory,
        key: &Pk1Bytes,
        genesis: H256,
    ) -> Result<Self, KeyStoreError> {
        let path = path(directory, key, genesis);
        let Some(text) = read(&path).map_err(|source| KeyStoreError::Io {
            path: path.clone(),
            source,
        })?
        else {
            return Ok(Self::new(key, genesis));
        };
        let new = Self::new(key, genesis);
        let corrupt = |reason| KeyStoreError::CorruptVotes {
            path: path.clone(),
            reason: Box::new(reason),
        };
        let found: Self =
            serde_json::from_str(&text).map_err(|error| corrupt(Corruption::Json(error)))?;
        if found.version != VERSION {
            return Err(corrupt(Corruption::Version {
                expected: VERSION,
                got: found.version,
            }));
        }
        if (&found.key, &found.genesis) != (&new.key, &new.genesis) {
            return Err(corrupt(Corruption::OtherRecord));
        }
        Ok(found)
    }

    /// Writes the record, so that it is there after a power cut.
    pub(crate) fn write(
        &self,
        directory: &Directory,
        key: &Pk1Bytes,
        genesis: H256,
    ) -> Result<(), KeyStoreError> {
        let path = path(directory, key, genesis);
        serde_json::to_vec(self)
            .map_err(io::Error::from)
            .and_then(|text| replace(&path, &text))
            .map_err(|source| KeyStoreError::Io { path, source })
    }
}

fn hex(bytes: &[u8]) -> String {
    format!("0x{}", hex::encode(bytes))
}

/// Where the votes of a key on a chain are kept.
pub(crate) fn path(directory: &Directory, key: &Pk1Bytes, genesis: H256) -> PathBuf {
    let chain: Vec<u8> = genesis.0.into_iter().take(GENESIS_BYTES).collect();
    let name = format!("{FILE_PREFIX}{}-{}", name_head(key), hex::encode(chain));
    directory.path.join(name)
}

fn read(path: &Path) -> io::Result<Option<String>> {
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut text = String::new();
    file.take(MAX_FILE_LEN).read_to_string(&mut text)?;
    Ok(Some(text))
}
