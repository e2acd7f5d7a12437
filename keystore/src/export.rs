//! What keys signed, as a text that goes from one signer to another: JSON, with one version. (ROUND-4)
//!
//! The form is written down in `docs/spec/formats.md`. A received text and a checked one are different: only
//! [`VoteExport::read`] makes the latter of the former, and records are merged with nothing else.

use crate::votes::{Floor, Merged, VoteHash, Votes};
use duet_primitives::{BlockNumber, KeyError, Pk1Bytes, H256};
use serde::{Deserialize, Serialize};
use std::{
    collections::{btree_map::Entry, BTreeMap},
    io::{self, Read},
};

/// What the text says that it is.
const FORMAT: &str = "duet-votes";
const VERSION: u32 = 1;
/// The longest text that is read: longer than [`MAX_KEYS`] records that this crate writes.
const MAX_LEN: usize = 16 * 1024 * 1024;
/// The most keys in a text.
const MAX_KEYS: usize = 1024;
/// The most votes of one entry in a text. Signers may remember more of them than records here do.
const MAX_VOTES: usize = 4096;

/// What keys signed on one chain; checked.
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

    /// Reads a text about the chain with this genesis.
    ///
    /// A key may have several entries, and a block several votes. They are merged as records are: what is refused by one
    /// is refused.
    ///
    /// Cost: at most 16 MiB are read; one decompression of a point with its subgroup check for each entry.
    ///
    /// # Errors
    /// [`VoteExportError`] with the first thing that is wrong and what it is wrong with.
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
    /// [`VoteExportError::TooMany`] when nobody would read it.
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

    /// What it says of some keys alone.
    ///
    /// # Errors
    /// [`VoteExportError::NoVotes`] with the first key of which it says nothing.
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

/// Why a text about votes was not read, or not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VoteExportError {
    /// It could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is longer than any that is read.
    #[error("longer than {limit} bytes")]
    TooLong {
        /// The most bytes.
        limit: usize,
    },
    /// It is not the JSON that belongs there.
    #[error("not valid JSON of this kind: {0}")]
    Json(#[from] serde_json::Error),
    /// It says that it is something else.
    #[error("its format is {0:?}, and not {FORMAT:?}")]
    Format(String),
    /// It was written by a later version.
    #[error("it has version {got}, and this program reads version {expected}")]
    Version {
        /// The version this program writes.
        expected: u32,
        /// The version in the text.
        got: u32,
    },
    /// It is about another chain.
    #[error("it is about the chain with the genesis hash {got:?}, and not about {expected:?}")]
    OtherGenesis {
        /// The genesis hash of the chain that was asked for.
        expected: H256,
        /// What stands in the text.
        got: String,
    },
    /// It has more keys, or more votes of a key, than are read.
    #[error("it has {got} {what}, and at most {limit} are read")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// The most.
        limit: usize,
        /// How many there are.
        got: usize,
    },
    /// What stands in the place of a key is not 0x-hex of its length.
    #[error("not a key: {0:?} is not 0x-hex of {len} bytes", len = Pk1Bytes::LEN)]
    KeyHex(String),
    /// What stands in the place of a key has its length and is none.
    #[error("not a key: {key}: {reason}")]
    Key {
        /// The bytes.
        key: Pk1Bytes,
        /// The broken rule.
        reason: KeyError,
    },
    /// What a key signed about a block is not 0x-hex of 48 bytes.
    #[error("the hash of block {block} that the key {key} signed is {got:?}, which is not 0x-hex of 48 bytes")]
    Hash {
        /// The key.
        key: Pk1Bytes,
        /// The block.
        block: BlockNumber,
        /// What stands in the text.
        got: String,
    },
    /// Nothing is known about the votes of a key.
    #[error("there is no record of votes of the key {0} on this chain")]
    NoVotes(Pk1Bytes),
}

/// The JSON. Hex is checked after it was read, so that an error can say whose it is.
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

/// A text in which nothing but format and version was understood.
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
    // One byte more than is allowed, to see whether there is more.
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
