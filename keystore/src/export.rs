//! Signed votes as a text that moves from one signer to another: JSON, with one version. (ROUND-4)
//!
//! `docs/spec/formats.md` specifies the form. A received text and a checked one have different types: only
//! [`VoteExport::read`] turns the former into the latter, and records are merged with nothing else.

use crate::votes::{Floor, Merged, VoteHash, Votes};
use duet_primitives::{BlockNumber, KeyError, Pk1Bytes, H256};
use serde::{Deserialize, Serialize};
use std::{
    collections::{btree_map::Entry, BTreeMap},
    io::{self, Read},
};

/// The format name in the text.
const FORMAT: &str = "duet-votes";
const VERSION: u32 = 1;
/// The longest accepted text: longer than [`MAX_KEYS`] records that this crate writes.
const MAX_LEN: usize = 16 * 1024 * 1024;
/// The most keys in a text.
const MAX_KEYS: usize = 1024;
/// The most votes of one entry in a text. Other signers may remember more votes than records here do.
const MAX_VOTES: usize = 4096;

/// The votes of keys on one chain; checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoteExport {
    genesis: H256,
    keys: BTreeMap<Pk1Bytes, Merged>,
}

impl VoteExport {
    pub(crate) fn new(genesis: H256, all: BTreeMap<Pk1Bytes, Votes>) -> Self {
        let keys = all
            .into_iter()
            .map(|(key, votes)| (key, Merged::one(votes)))
            .collect();
        Self { genesis, keys }
    }

    /// Parses a text about the chain with this genesis.
    ///
    /// A key may have several entries, and a block several votes. They are merged as records are: a vote refused by
    /// one is refused.
    ///
    /// Cost: at most 16 MiB are read; one decompression of a point with its subgroup check for each entry.
    ///
    /// # Errors
    /// [`VoteExportError`] with the first fault and its location.
    pub fn read(from: impl Read, genesis: H256) -> Result<Self, VoteExportError> {
        let text = bounded(from)?;
        let Head { metadata } = serde_json::from_slice(&text)?;
        if metadata.format != FORMAT {
            return Err(VoteExportError::Format(metadata.format));
        }
        if metadata.version != VERSION {
            return Err(VoteExportError::Version {
                expected: VERSION,
                got: metadata.version,
            });
        }
        let Text { metadata, keys } = serde_json::from_slice(&text)?;
        if metadata.genesis_hash != hex(genesis) {
            return Err(VoteExportError::OtherGenesis {
                expected: genesis,
                got: metadata.genesis_hash,
            });
        }
        at_most("keys", MAX_KEYS, keys.len())?;
        let mut all = BTreeMap::new();
        for entry in keys {
            let (key, votes) = entry.check()?;
            match all.entry(key) {
                Entry::Vacant(first) => {
                    first.insert(votes);
                }
                Entry::Occupied(mut known) => {
                    let both = known.get().and(&votes);
                    known.insert(both);
                }
            }
        }
        Ok(Self { genesis, keys: all })
    }

    /// The text.
    ///
    /// # Errors
    /// [`VoteExportError::TooMany`] when it exceeds the limits for reading.
    pub fn to_text(&self) -> Result<String, VoteExportError> {
        at_most("keys", MAX_KEYS, self.keys.len())?;
        let entries = self.keys.iter().map(|(key, Merged { votes, .. })| KeyText {
            key: key.to_string(),
            lowest: votes.lowest(),
            votes: votes
                .iter()
                .map(|(block, hash)| VoteText {
                    block,
                    hash: hash.to_string(),
                })
                .collect(),
        });
        let text = Text {
            metadata: Metadata {
                format: FORMAT.to_owned(),
                version: VERSION,
                genesis_hash: hex(self.genesis),
            },
            keys: entries.collect(),
        };
        let mut text = serde_json::to_string_pretty(&text)?;
        text.push('\n');
        Ok(text)
    }

    /// The entries of some keys only.
    ///
    /// # Errors
    /// [`VoteExportError::NoVotes`] with the first key without an entry.
    pub fn of(mut self, keys: &[Pk1Bytes]) -> Result<Self, VoteExportError> {
        if let Some(missing) = keys.iter().find(|key| !self.keys.contains_key(key)) {
            return Err(VoteExportError::NoVotes(*missing));
        }
        self.keys.retain(|key, _| keys.contains(key));
        Ok(self)
    }

    /// The chain.
    pub fn genesis(&self) -> H256 {
        self.genesis
    }

    /// The keys, in ascending order of their bytes.
    pub fn keys(&self) -> impl Iterator<Item = &Pk1Bytes> {
        self.keys.keys()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Pk1Bytes, &Merged)> {
        self.keys.iter()
    }
}

/// Why an export was not read, or not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VoteExportError {
    /// It could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The text exceeds the limit.
    #[error("longer than {limit} bytes")]
    TooLong {
        /// The most bytes.
        limit: usize,
    },
    /// The text is not the expected JSON.
    #[error("not the expected JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The text names another format.
    #[error("its format is {0:?}, not {FORMAT:?}")]
    Format(String),
    /// It was written by a later version.
    #[error("it has version {got}, but this program reads version {expected}")]
    Version {
        /// The version this program writes.
        expected: u32,
        /// The version in the text.
        got: u32,
    },
    /// It is about another chain.
    #[error("it is for the chain with the genesis hash {got:?}, not {expected:?}")]
    OtherGenesis {
        /// The genesis hash of the chain that was asked for.
        expected: H256,
        /// The genesis hash in the text.
        got: String,
    },
    /// The text has more keys, or more votes of a key, than the limit.
    #[error("{got} {what}, above the limit of {limit}")]
    TooMany {
        /// The kind of item.
        what: &'static str,
        /// The most.
        limit: usize,
        /// How many there are.
        got: usize,
    },
    /// The text in place of a key is not 0x-hex of a key's length.
    #[error("not a key: {0:?} is not 0x-hex of {len} bytes", len = Pk1Bytes::LEN)]
    KeyHex(String),
    /// The bytes in place of a key are not a valid key.
    #[error("not a key: {key}: {reason}")]
    Key {
        /// The bytes.
        key: Pk1Bytes,
        /// The broken rule.
        reason: KeyError,
    },
    /// A signed hash of a block is not 0x-hex of 48 bytes.
    #[error("the hash of block {block} that the key {key} signed is {got:?}, which is not 0x-hex of 48 bytes")]
    Hash {
        /// The key.
        key: Pk1Bytes,
        /// The block.
        block: BlockNumber,
        /// The text in its place.
        got: String,
    },
    /// The key has no known votes.
    #[error("there is no record of votes of the key {0} on this chain")]
    NoVotes(Pk1Bytes),
}

/// The JSON. Hex is checked after parsing, so that an error can name the key.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    metadata: Metadata,
    keys: Vec<KeyText>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    format: String,
    version: u32,
    genesis_hash: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyText {
    key: String,
    lowest: Floor,
    votes: Vec<VoteText>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct VoteText {
    block: BlockNumber,
    hash: String,
}

/// A text of which only format and version were parsed.
#[derive(Deserialize)]
struct Head {
    metadata: HeadMetadata,
}

#[derive(Deserialize)]
struct HeadMetadata {
    format: String,
    version: u32,
}

impl KeyText {
    fn check(self) -> Result<(Pk1Bytes, Merged), VoteExportError> {
        let key = key(&self.key)?;
        at_most("votes of a key", MAX_VOTES, self.votes.len())?;
        let votes: Vec<_> = self
            .votes
            .into_iter()
            .map(|VoteText { block, hash }| match VoteHash::from_hex(&hash) {
                Some(hash) => Ok((block, hash)),
                None => Err(VoteExportError::Hash {
                    key,
                    block,
                    got: hash,
                }),
            })
            .collect::<Result<_, _>>()?;
        Ok((key, Votes::collect(self.lowest, votes)))
    }
}

fn key(text: &str) -> Result<Pk1Bytes, VoteExportError> {
    let not_hex = || VoteExportError::KeyHex(text.to_owned());
    let mut bytes = [0; Pk1Bytes::LEN];
    let digits = text.strip_prefix("0x").ok_or_else(not_hex)?;
    hex::decode_to_slice(digits, &mut bytes).map_err(|_| not_hex())?;
    let key = Pk1Bytes(bytes);
    match key.check() {
        Ok(_) => Ok(key),
        Err(reason) => Err(VoteExportError::Key { key, reason }),
    }
}

fn bounded(from: impl Read) -> Result<Vec<u8>, VoteExportError> {
    // One byte more than the limit, to detect a longer text.
    const READ_LEN: usize = MAX_LEN + 1;
    let mut text = Vec::new();
    from.take(READ_LEN as u64).read_to_end(&mut text)?;
    if text.len() > MAX_LEN {
        return Err(VoteExportError::TooLong { limit: MAX_LEN });
    }
    Ok(text)
}

fn at_most(what: &'static str, limit: usize, got: usize) -> Result<(), VoteExportError> {
    if got > limit {
        return Err(VoteExportError::TooMany { what, limit, got });
    }
    Ok(())
}

fn hex(genesis: H256) -> String {
    format!("0x{}", hex::encode(genesis))
}
