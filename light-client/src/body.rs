//! The extrinsics of final blocks. (STATE-4)

use crate::{
    block::{FinalBlock, FinalHeader},
    hashers::Blake2Hasher,
};
use alloc::vec::Vec;
use codec::{Compact, Encode};
use duet_primitives::{Culprit, H256};
use sp_core::Hasher;
use sp_trie::{LayoutV0, LayoutV1, TrieConfiguration};

/// Why received extrinsics of a final block were refused. (STATE-4)
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("STATE-4: the extrinsics have the root {version_0:?} or {version_1:?}, the header has {expected:?}")]
pub struct BodyError {
    /// The root in the header.
    pub expected: H256,
    /// The root of the received extrinsics, in state version 0.
    pub version_0: H256,
    /// The same in state version 1.
    pub version_1: H256,
}

impl BodyError {
    /// The id of the broken rule, as `docs/spec` numbers them.
    pub fn rule(&self) -> &'static str {
        "STATE-4"
    }

    /// Who is to blame.
    pub fn culprit(&self) -> Culprit {
        Culprit::Sender
    }
}

/// All extrinsics of a block that is final, in their order.
///
/// Made by [`FinalHeader::body`], and in no other way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinalBody<'a> {
    block: FinalBlock,
    extrinsics: &'a [Vec<u8>],
}

/// A transaction in a block that is final.
///
/// It says that the block has the transaction, and not whether its call succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inclusion<'a> {
    block: FinalBlock,
    index: usize,
    bytes: &'a [u8],
}

impl FinalHeader {
    /// Checks the block's extrinsics, each as its SCALE encoding with its length in front, in the order in which
    /// `chain_getBlock` gives them. (STATE-4)
    ///
    /// The root is in state version 0 or 1, as the chain's runtime chose. No list has in one version the root that
    /// another list has in the other, so that both are tried. Cost: up to two hashes per extrinsic and trie node.
    ///
    /// # Errors
    /// [`BodyError`]: an extrinsic is missing, changed, out of its place, or one too many.
    pub fn body<'a>(&self, extrinsics: &'a [Vec<u8>]) -> Result<FinalBody<'a>, BodyError> {
        let expected = self.extrinsics_root();
        let body = FinalBody {
            block: self.block(),
            extrinsics,
        };
        // `ordered_trie_root` would do the same, and be compiled once for each version.
        let positions = (0_u32..).map(|position| Compact(position).encode());
        let entries: Vec<_> = positions.zip(extrinsics).collect();
        let version_0 = LayoutV0::<Blake2Hasher>::trie_root(entries.clone());
        if version_0 == expected {
            return Ok(body);
        }
        let version_1 = LayoutV1::<Blake2Hasher>::trie_root(entries);
        if version_1 == expected {
            return Ok(body);
        }
        Err(BodyError {
            expected,
            version_0,
            version_1,
        })
    }
}

impl<'a> FinalBody<'a> {
    /// The block.
    pub fn block(&self) -> FinalBlock {
        self.block
    }

    /// The extrinsics in their order.
    pub fn extrinsics(&self) -> &'a [Vec<u8>] {
        self.extrinsics
    }

    /// The first extrinsic with this hash (BLAKE2b-256 of its bytes); `None` when the block provably has none.
    pub fn find(&self, hash: H256) -> Option<Inclusion<'a>> {
        let mut all = self.extrinsics.iter().enumerate();
        let (index, bytes) = all.find(|(_, bytes)| Blake2Hasher::hash(bytes) == hash)?;
        Some(Inclusion {
            block: self.block,
            index,
            bytes,
        })
    }
}

impl<'a> Inclusion<'a> {
    /// The block.
    pub fn block(&self) -> FinalBlock {
        self.block
    }

    /// Its position among the block's extrinsics, from 0 on.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The transaction's bytes, with their length in front.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }
}
