//! What one key has signed on one chain, and what it may therefore sign. (ROUND-4)

use duet_primitives::{suite::G1_LEN, BlockNumber, RoundMessage};
use serde::{de::Error, Deserialize, Deserializer, Serialize, Serializer};
use std::{collections::BTreeMap, fmt};

/// Votes that are remembered one by one; below them nothing is signed any more.
pub(crate) const MAX_VOTES: usize = 64;

/// Why a key signs no commitment for a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It signed another one.
    Voted,
    /// The block is below everything that is remembered.
    Forgotten,
}

/// The lowest block that may be signed, beside those that are remembered. A number, which may be beyond all blocks; then
/// nothing may be signed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Floor(u64);

impl Floor {
    /// The one after this block is the lowest one.
    pub(crate) fn above(block: BlockNumber) -> Self {
        Self(u64::from(block.get()).saturating_add(1))
    }

    fn covers(self, block: BlockNumber) -> bool {
        self > Self(u64::from(block.get()))
    }
}

/// What was signed about a block: the encoding of `H(m)`, 48 bytes. Serde: `0x`-hex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VoteHash([u8; G1_LEN]);

impl VoteHash {
    /// That of a message.
    pub(crate) fn of(message: &RoundMessage) -> Self {
        Self(message.hash())
    }

    /// Reads `0x`-hex; `None` when it is none of this length.
    pub(crate) fn from_hex(text: &str) -> Option<Self> {
        let mut bytes = [0; G1_LEN];
        hex::decode_to_slice(text.strip_prefix("0x")?, &mut bytes).ok()?;
        Some(Self(bytes))
    }
}

impl fmt::Display for VoteHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{}", hex::encode(self.0))
    }
}

impl Serialize for VoteHash {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for VoteHash {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::from_hex(&text)
            .ok_or_else(|| D::Error::custom(format_args!("not 0x-hex of {G1_LEN} bytes")))
    }
}

/// The votes of one key on one chain: at most [`MAX_VOTES`], none below the floor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Votes {
    lowest: Floor,
    votes: BTreeMap<BlockNumber, VoteHash>,
}

impl Votes {
    /// Of more votes than are remembered, the lowest are dropped, and nothing is signed at or below them any more.
    pub(crate) fn new(mut lowest: Floor, mut votes: BTreeMap<BlockNumber, VoteHash>) -> Self {
        votes.retain(|block, _| !lowest.covers(*block));
        while votes.len() > MAX_VOTES {
            if let Some((dropped, _)) = votes.pop_first() {
                lowest = Floor::above(dropped);
            }
        }
        Self { lowest, votes }
    }

    /// The record with this vote in it; `None` when it is there already.
    pub(crate) fn with(&self, message: &RoundMessage) -> Result<Option<Self>, Refusal> {
        let block = message.commitment().block_number;
        let hash = VoteHash::of(message);
        match self.check(block, hash)? {
            Known::Signed => Ok(None),
            Known::Not => {
                let mut votes = self.votes.clone();
                votes.insert(block, hash);
                Ok(Some(Self::new(self.lowest, votes)))
            }
        }
    }

    /// Whether a vote was signed before, if it may be signed.
    pub(crate) fn check(&self, block: BlockNumber, hash: VoteHash) -> Result<Known, Refusal> {
        match self.votes.get(&block) {
            Some(known) if *known == hash => Ok(Known::Signed),
            Some(_) => Err(Refusal::Voted),
            None if self.lowest.covers(block) => Err(Refusal::Forgotten),
            None => Ok(Known::Not),
        }
    }

    /// The lowest block that may be signed, beside those that are remembered.
    pub(crate) fn lowest(&self) -> Floor {
        self.lowest
    }

    /// The votes, in ascending order of blocks.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (BlockNumber, VoteHash)> + '_ {
        self.votes.iter().map(|(block, hash)| (*block, *hash))
    }
}

/// Whether a key signed something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// It did, and may do it again.
    Signed,
    /// It did not, and may.
    Not,
}
