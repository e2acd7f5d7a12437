//! Sessions and sets, read from the chain.

use crate::LOG_TARGET;
use codec::DecodeAll;
use duet_primitives::{BlockNumber, DuetApi, Keyset, Pk1Bytes, H256};
use duet_statistics::Period;
use sc_client_api::{Backend as BackendT, StorageProvider};
use sp_api::ProvideRuntimeApi;
use sp_blockchain::HeaderBackend;
use sp_core::crypto::AccountId32;
use sp_crypto_hashing::twox_128;
use sp_runtime::traits::{Block as BlockT, Header as _, NumberFor, SaturatedConversion};
use sp_storage::StorageKey;
use std::{fmt::Display, marker::PhantomData, sync::Arc};

/// The longest session whose first block is looked for.
const LONGEST_SESSION: u32 = 100_000;

/// Reads the chain. `None` where the block, its state or the item is missing.
pub(crate) trait Chain: Send + Sync {
    /// The number of a block, and its parent.
    fn header(&self, block: H256) -> Option<(BlockNumber, H256)>;

    /// The session after a block, as the sessions pallet counts it.
    fn session(&self, block: H256) -> Option<u32>;

    /// The set that signs after a block.
    fn set(&self, block: H256) -> Option<Keyset>;

    /// How many blocks the best chain is ahead of the finalized one.
    fn lag(&self) -> u32;
}

/// The period that the session of a block is in, found from the session's first block. Nothing in the first session of a chain,
/// before which there was none, or where the state of the first block is gone.
pub(crate) fn period_at(chain: &dyn Chain, block: H256) -> Option<(Period, Keyset)> {
    let session = chain.session(block)?;
    let mut first = block;
    for _ in 0..LONGEST_SESSION {
        let (number, parent) = chain.header(first)?;
        if number == BlockNumber::ZERO {
            return None;
        }
        if chain.session(parent)? != session {
            let set = chain.set(first)?;
            let period = Period {
                set: set.id(),
                session,
                block: number,
            };
            return Some((period, set));
        }
        first = parent;
    }
    None
}

/// A client of the SDK.
pub(crate) struct ClientChain<Block, Backend, Client> {
    client: Arc<Client>,
    types: PhantomData<fn() -> (Block, Backend)>,
}

impl<Block, Backend, Client> ClientChain<Block, Backend, Client> {
    pub(crate) fn new(client: Arc<Client>) -> Self {
        Self {
            client,
            types: PhantomData,
        }
    }
}

impl<Block, Backend, Client> Chain for ClientChain<Block, Backend, Client>
where
    Block: BlockT<Hash = H256>,
    NumberFor<Block>: Into<u32>,
    Backend: BackendT<Block>,
    Client: HeaderBackend<Block>
        + StorageProvider<Block, Backend>
        + ProvideRuntimeApi<Block>
        + Send
        + Sync,
    Client::Api: DuetApi<Block, AccountId32>,
{
    fn header(&self, block: H256) -> Option<(BlockNumber, H256)> {
        let header = found(self.client.header(block))??;
        let number = BlockNumber::new((*header.number()).saturated_into());
        Some((number, *header.parent_hash()))
    }

    fn session(&self, block: H256) -> Option<u32> {
        let item = [twox_128(b"Session"), twox_128(b"CurrentIndex")].concat();
        // Before the first session ends, the pallet has stored no number.
        match found(self.client.storage(block, &StorageKey(item)))? {
            Some(value) => u32::decode_all(&mut &value.0[..]).ok(),
            None => Some(0),
        }
    }

    fn set(&self, block: H256) -> Option<Keyset> {
        let api = self.client.runtime_api();
        let sets = found(api.keysets(block))??;
        let keys = found(api.current_keys(block))?;
        let keys: Vec<Pk1Bytes> = keys.iter().map(|key| key.pk1()).collect();
        found(Keyset::check(&sets.current, &keys))
    }

    fn lag(&self) -> u32 {
        let info = self.client.info();
        let (best, finalized): (u32, u32) = (info.best_number.into(), info.finalized_number.into());
        best.saturating_sub(finalized)
    }
}

/// The result, or a line in the log.
fn found<T, E: Display>(asked: Result<T, E>) -> Option<T> {
    asked
        .inspect_err(|error| log::debug!(target: LOG_TARGET, "the chain cannot be read: {error}"))
        .ok()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::collected::tests::test_set;

    /// Block `n` has the hash `n + 1`. Sessions have ten blocks. The state of early blocks is gone.
    pub(crate) struct TestChain {
        pub(crate) pruned_below: u32,
    }

    pub(crate) fn hash(block: u32) -> H256 {
        H256::from_low_u64_be(u64::from(block) + 1)
    }

    fn number(block: H256) -> u32 {
        u32::try_from(block.to_low_u64_be()).unwrap() - 1
    }

    impl Chain for TestChain {
        fn header(&self, block: H256) -> Option<(BlockNumber, H256)> {
            let number = number(block);
            let parent = number.checked_sub(1).map_or(H256::zero(), hash);
            Some((BlockNumber::new(number), parent))
        }

        fn session(&self, block: H256) -> Option<u32> {
            let number = number(block);
            (number >= self.pruned_below).then_some(number / 10)
        }

        fn set(&self, block: H256) -> Option<Keyset> {
            self.session(block)?;
            Some(test_set().set.keyset().clone())
        }

        fn lag(&self) -> u32 {
            2
        }
    }

    #[test]
    fn a_period_is_the_session_from_its_first_block() {
        let chain = TestChain { pruned_below: 0 };
        for block in [20, 25, 29] {
            let (period, set) = period_at(&chain, hash(block)).unwrap();
            assert_eq!((period.session, period.block.get()), (2, 20));
            assert_eq!(period.set, set.id());
        }
        assert!(period_at(&chain, hash(9)).is_none(), "the first session");
    }

    #[test]
    fn nothing_is_known_where_the_state_of_the_first_block_is_gone() {
        assert!(period_at(&TestChain { pruned_below: 20 }, hash(25)).is_none());
        assert!(period_at(&TestChain { pruned_below: 19 }, hash(25)).is_some());
    }
}
