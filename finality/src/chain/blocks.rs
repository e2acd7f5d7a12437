//! The blocks on disk, behind a trait, and the same over a back end of the SDK.

use super::logs::payload_hash;
use codec::Encode;
use duet_primitives::{suite, BlockNumber, Commitment, H256};
use sc_client_api::Backend as BackendT;
use sp_blockchain::{Backend as BlockchainBackend, HeaderBackend, Result};
use sp_runtime::{
    traits::{Block as BlockT, Header as HeaderT, NumberFor},
    Digest,
};
use std::{marker::PhantomData, sync::Arc};

/// See [`Blocks::is_beyond`].
const BEYOND: u32 = 32;

/// A header, as far as Duet needs it.
pub(crate) struct BlockHeader {
    /// Number of the block.
    pub(crate) number: BlockNumber,
    /// Its SCALE encoding, which hashes to the block's hash.
    pub(crate) encoded: Vec<u8>,
    /// Its digest.
    pub(crate) digest: Digest,
}

/// The blocks on disk.
pub(crate) trait Blocks: Send + Sync {
    /// Hash of the genesis block.
    fn genesis_hash(&self) -> H256;

    /// Number and hash of the highest block that GRANDPA finalized.
    fn finalized(&self) -> (BlockNumber, H256);

    /// Hash of the best block.
    fn best_hash(&self) -> H256;

    /// Number of the best block.
    fn best_number(&self) -> BlockNumber;

    /// Hash of the block with this number on the best chain; below the finalized block, the finalized one.
    fn hash(&self, number: BlockNumber) -> Result<Option<H256>>;

    /// Hash of the block that GRANDPA finalized at this height; `None` while none is final there, or if it is missing.
    fn finalized_at(&self, number: BlockNumber) -> Result<Option<H256>> {
        if number > self.finalized().0 {
            return Ok(None);
        }
        self.hash(number)
    }

    /// Header of a block, if available.
    fn find_header(&self, hash: H256) -> Result<Option<BlockHeader>>;

    /// Header of a block. An error when there is none.
    fn header(&self, hash: H256) -> Result<BlockHeader> {
        let unknown = || sp_blockchain::Error::UnknownBlock(format!("there is no block {hash:?}"));
        self.find_header(hash)?.ok_or_else(unknown)
    }

    /// Whether the finalized chain contradicts a statement about its block; `None` when no block of this number is
    /// final here. (FALSE-1)
    fn refutes(&self, said: &Commitment) -> Result<Option<bool>> {
        let Some(hash) = self.finalized_at(said.block_number)? else {
            return Ok(None);
        };
        if hash != said.block_hash {
            return Ok(Some(true));
        }
        let expected = payload_hash(&self.header(hash)?.digest);
        Ok(Some(
            expected.is_some_and(|expected| expected != said.payload().hash()),
        ))
    }

    /// Whether a statement is about a block so far beyond the best one that no honest validator can have made it:
    /// honest validators vote only on what their own GRANDPA finalized. A node further behind is catching up.
    fn is_beyond(&self, said: &Commitment) -> bool {
        said.block_number.saturating_sub(self.best_number()) > BEYOND
    }

    /// Duet's justification stored with a block.
    fn justification(&self, hash: H256) -> Result<Option<Vec<u8>>>;

    /// Stores Duet's justification with a block, so that peers get both together.
    fn append_justification(&self, hash: H256, justification: Vec<u8>) -> Result<()>;
}

/// The blocks of a back end of the SDK.
pub(crate) struct BackendBlocks<Block, Backend> {
    backend: Arc<Backend>,
    _block: PhantomData<fn() -> Block>,
}

impl<Block, Backend> BackendBlocks<Block, Backend> {
    pub(crate) fn new(backend: Arc<Backend>) -> Self {
        Self {
            backend,
            _block: PhantomData,
        }
    }
}

impl<Block, Backend> Blocks for BackendBlocks<Block, Backend>
where
    Block: BlockT<Hash = H256>,
    NumberFor<Block>: Into<u32> + From<u32>,
    Backend: BackendT<Block>,
{
    fn genesis_hash(&self) -> H256 {
        self.backend.blockchain().info().genesis_hash
    }

    fn finalized(&self) -> (BlockNumber, H256) {
        let info = self.backend.blockchain().info();
        let number = BlockNumber::new(info.finalized_number.into());
        (number, info.finalized_hash)
    }

    fn best_hash(&self) -> H256 {
        self.backend.blockchain().info().best_hash
    }

    fn best_number(&self) -> BlockNumber {
        BlockNumber::new(self.backend.blockchain().info().best_number.into())
    }

    fn hash(&self, number: BlockNumber) -> Result<Option<H256>> {
        self.backend.blockchain().hash(number.get().into())
    }

    fn find_header(&self, hash: H256) -> Result<Option<BlockHeader>> {
        let header = self.backend.blockchain().header(hash)?;
        Ok(header.map(|header| BlockHeader {
            number: BlockNumber::new((*header.number()).into()),
            encoded: header.encode(),
            digest: header.digest().clone(),
        }))
    }

    fn justification(&self, hash: H256) -> Result<Option<Vec<u8>>> {
        let all = self.backend.blockchain().justifications(hash)?;
        Ok(all.and_then(|all| all.into_justification(suite::ENGINE_ID)))
    }

    fn append_justification(&self, hash: H256, justification: Vec<u8>) -> Result<()> {
        self.backend
            .append_justification(hash, (suite::ENGINE_ID, justification))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duet_primitives::testing::TestSet;

    /// Blocks up to 7 are on the best chain, and 5 of them final.
    struct Seven;

    impl Blocks for Seven {
        fn genesis_hash(&self) -> H256 {
            H256::zero()
        }
        fn finalized(&self) -> (BlockNumber, H256) {
            (BlockNumber::new(5), H256::repeat_byte(5))
        }
        fn best_hash(&self) -> H256 {
            H256::repeat_byte(7)
        }
        fn best_number(&self) -> BlockNumber {
            BlockNumber::new(7)
        }
        fn hash(&self, number: BlockNumber) -> Result<Option<H256>> {
            let byte = u8::try_from(number.get()).expect("a small number");
            Ok((byte <= 7).then(|| H256::repeat_byte(byte)))
        }
        fn find_header(&self, hash: H256) -> Result<Option<BlockHeader>> {
            Ok(Some(BlockHeader {
                number: BlockNumber::new(hash[0].into()),
                encoded: Vec::new(),
                digest: Digest::default(),
            }))
        }
        fn justification(&self, _: H256) -> Result<Option<Vec<u8>>> {
            Ok(None)
        }
        fn append_justification(&self, _: H256, _: Vec<u8>) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_is_only_on_the_best_chain_is_not_final_and_judges_nothing() {
        let at = |number| Seven.finalized_at(BlockNumber::new(number)).unwrap();
        assert_eq!(at(5), Some(H256::repeat_byte(5)));
        assert_eq!((at(6), at(8)), (None, None));
        let set = TestSet::new(0, 0..4);
        let refuted = |number| Seven.refutes(&set.commitment(number, &set.set)).unwrap();
        assert_eq!((refuted(5), refuted(6)), (Some(true), None));
    }

    /// FALSE-1: a header from before CHAIN-7 judges the hash alone.
    #[test]
    fn a_header_that_does_not_say_the_payload_does_not_refute_it() {
        let set = TestSet::new(0, 0..4);
        let mut said = set.commitment(5, &set.set);
        said.block_hash = H256::repeat_byte(5);
        assert_eq!(Seven.refutes(&said).unwrap(), Some(false));
    }
}
