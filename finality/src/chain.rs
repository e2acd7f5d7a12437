//! What is read from the chain, and only from blocks that this node executed or GRANDPA finalized.

use super::{DuetClient, Store, StoreError};
use crate::network::message::decode_exactly;
use codec::Encode;
use duet_light_client::GenesisProof;
use duet_primitives::{
    suite, BlockNumber, Commitment, ConsensusLog, DualKeyBytes, DualKeyset, DuetApi,
    EquivocationProof, KeysetCommitment, KeysetError, Keysets, SetId, H256,
};
use sc_client_api::Backend as BackendT;
use sc_transaction_pool_api::OffchainTransactionPoolFactory;
use schnellru::{ByLength, LruMap};
use sp_api::{ApiError, ApiExt, ProvideRuntimeApi};
use sp_blockchain::{Backend as BlockchainBackend, HeaderBackend};
use sp_io::hashing::twox_128;
use sp_runtime::{
    traits::{Block as BlockT, Header as HeaderT, NumberFor},
    Digest, DigestItem,
};
use std::{marker::PhantomData, sync::Arc};

/// Accounts of the chain, as the runtime API names them.
pub(crate) type AccountId = sp_core::crypto::AccountId32;

/// Sets whose keys are kept parsed.
const PARSED_SETS: u32 = 8;
/// Where the pallet keeps its sets: the name of the pallet and of the storage value.
const KEYSETS: [&[u8]; 2] = [b"Duet", b"Keysets"];

/// Why the chain gave no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChainError {
    #[error("the chain cannot be read: {0}")]
    Chain(#[from] sp_blockchain::Error),
    #[error("the runtime cannot be asked: {0}")]
    Runtime(#[from] ApiError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("there is no finalized block {0}")]
    NoBlock(BlockNumber),
    #[error("the runtime has no sets at block {0}")]
    NoSets(H256),
    #[error("the keys of set {id} are not known")]
    UnknownSet { id: SetId },
    #[error("the keys of set {id} do not match its commitment: {error}")]
    Keys { id: SetId, error: KeysetError },
}

/// Duet's logs in a header's digest, in the order in which the voter wants them: what starts, then what is
/// planned. What does not decode was not written by the pallet and is left out.
pub(crate) fn decode_logs(digest: &Digest) -> Vec<ConsensusLog> {
    let ours = digest.logs().iter().filter_map(|item| match item {
        DigestItem::Consensus(engine, bytes) if *engine == suite::ENGINE_ID => {
            decode_exactly(bytes)
        }
        _ => None,
    });
    let mut logs: Vec<ConsensusLog> = ours.collect();
    logs.sort_by_key(|log| matches!(log, ConsensusLog::Planned(_)));
    logs
}

/// The finalized chain, its runtime, and the sets read from it.
pub(crate) struct Chain<Block: BlockT, Backend, Client> {
    client: Arc<Client>,
    backend: Arc<Backend>,
    store: Store,
    sets: LruMap<(SetId, H256), Arc<DualKeyset>, ByLength>,
    _block: PhantomData<Block>,
}

impl<Block, Backend, Client> Chain<Block, Backend, Client>
where
    Block: BlockT<Hash = H256>,
    NumberFor<Block>: Into<BlockNumber> + From<BlockNumber>,
    Backend: BackendT<Block>,
    Client: ProvideRuntimeApi<Block>,
    Client::Api: DuetApi<Block, AccountId>,
{
    pub(crate) fn new(client: Arc<Client>, backend: Arc<Backend>, store: Store) -> Self {
        let sets = LruMap::new(ByLength::new(PARSED_SETS));
        Self {
            client,
            backend,
            store,
            sets,
            _block: PhantomData,
        }
    }

    /// Number and hash of the highest block that GRANDPA finalized.
    pub(crate) fn finalized(&self) -> (BlockNumber, H256) {
        let info = self.backend.blockchain().info();
        (info.finalized_number.into(), info.finalized_hash)
    }

    /// Hash of the block with this number on the best chain; below the finalized block, the finalized one.
    pub(crate) fn hash(&self, number: BlockNumber) -> Result<H256, ChainError> {
        let hash = self.backend.blockchain().hash(number.into())?;
        hash.ok_or(ChainError::NoBlock(number))
    }

    /// Header of a block.
    pub(crate) fn header(&self, hash: H256) -> Result<Block::Header, ChainError> {
        Ok(self.backend.blockchain().expect_header(hash)?)
    }

    /// Duet's logs in the finalized block with this number.
    pub(crate) fn logs(&self, number: BlockNumber) -> Result<Vec<ConsensusLog>, ChainError> {
        Ok(decode_logs(self.header(self.hash(number)?)?.digest()))
    }

    /// The sets at a block; `None` where the runtime does not know Duet yet or no validator has keys.
    pub(crate) fn keysets(&self, at: H256) -> Result<Option<Keysets>, ChainError> {
        let api = self.client.runtime_api();
        if !api.has_api::<dyn DuetApi<Block, AccountId>>(at)? {
            return Ok(None);
        }
        Ok(api.keysets(at)?)
    }

    /// The set with this commitment, from what is parsed, what is stored, or the state at `at`.
    pub(crate) fn set(
        &mut self,
        commitment: &KeysetCommitment,
        at: H256,
    ) -> Result<Arc<DualKeyset>, ChainError> {
        let id = commitment.id;
        if let Some(set) = self.sets.get(&(id, commitment.root)) {
            return Ok(set.clone());
        }
        let keys = match self.store.keys(commitment)? {
            Some(keys) => keys,
            None => {
                let keys = self.keys_from_state(commitment, at)?;
                self.store.put_keys(commitment, &keys)?;
                keys
            }
        };
        let set = DualKeyset::from_chain_state_unchecked(commitment, &keys)
            .map_err(|error| ChainError::Keys { id, error })?;
        let set = Arc::new(set);
        self.sets.insert((id, commitment.root), set.clone());
        Ok(set)
    }

    fn keys_from_state(
        &self,
        commitment: &KeysetCommitment,
        at: H256,
    ) -> Result<Vec<DualKeyBytes>, ChainError> {
        let sets = self.keysets(at)?.ok_or(ChainError::NoSets(at))?;
        let api = self.client.runtime_api();
        if sets.current == *commitment {
            Ok(api.current_keys(at)?)
        } else if sets.next == *commitment {
            Ok(api.next_keys(at)?)
        } else {
            Err(ChainError::UnknownSet { id: commitment.id })
        }
    }

    /// What is signed about the finalized block with this number. (ROUND-1)
    pub(crate) fn commitment(&self, number: BlockNumber) -> Result<Commitment, ChainError> {
        if number > self.finalized().0 {
            return Err(ChainError::NoBlock(number));
        }
        let hash = self.hash(number)?;
        let payload = match self.store.payload(hash)? {
            Some(payload) => payload,
            None => self
                .client
                .runtime_api()
                .commitment_payload(hash)?
                .ok_or(ChainError::NoSets(hash))?,
        };
        Ok(payload.commit(number, hash))
    }

    /// Keeps what is signed about a block, before its state goes.
    pub(crate) fn keep_payload(&self, hash: H256) -> Result<(), ChainError> {
        if self.store.payload(hash)?.is_some() {
            return Ok(());
        }
        if let Some(payload) = self.client.runtime_api().commitment_payload(hash)? {
            self.store.put_payload(hash, &payload)?;
        }
        Ok(())
    }

    /// Puts a justification to its block, so that peers get it with the block.
    pub(crate) fn append(&self, hash: H256, justification: Vec<u8>) -> Result<(), ChainError> {
        let known = self.backend.blockchain().justifications(hash)?;
        if known.is_some_and(|known| known.get(suite::ENGINE_ID).is_some()) {
            return Ok(());
        }
        Ok(self
            .backend
            .append_justification(hash, (suite::ENGINE_ID, justification))?)
    }
}

impl<Block, Backend, Client> Chain<Block, Backend, Client>
where
    Block: BlockT<Hash = H256>,
    NumberFor<Block>: Into<BlockNumber> + From<BlockNumber>,
    Backend: BackendT<Block>,
    Client: DuetClient<Block>,
    Client::Api: DuetApi<Block, AccountId>,
{
    /// Hands evidence to the runtime at the best block: whether the runtime had a use for it. It refuses evidence
    /// that is known or too old. (EQV-6, EQV-7)
    pub(crate) fn report(
        &self,
        pool: &OffchainTransactionPoolFactory<Block>,
        evidence: EquivocationProof,
    ) -> Result<bool, ChainError> {
        let best = self.backend.blockchain().info().best_hash;
        Ok(self.client.report(best, pool, evidence)?.is_some())
    }

    /// The proof that light clients start from; `None` when the chain did not start with Duet.
    pub(crate) fn prove_genesis(&self) -> Result<Option<GenesisProof>, ChainError> {
        let genesis = self.hash(0)?;
        if self.keysets(genesis)?.is_none() {
            return Ok(None);
        }
        let nodes = self
            .client
            .prove(genesis, &KEYSETS.map(twox_128).concat())?;
        let keys = self.client.runtime_api().current_keys(genesis)?;
        Ok(Some(GenesisProof {
            header: self.header(genesis)?.encode(),
            nodes,
            keys: keys.iter().map(DualKeyBytes::pk1).collect(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::testing::{log_item, TestChain};
    use duet_primitives::testing::TestSet;

    #[test]
    fn our_logs_are_read_and_what_starts_comes_before_what_is_planned() {
        let planned = ConsensusLog::Planned(TestSet::new(2, 0..4).set.commitment().clone());
        let activated = ConsensusLog::Activated(1);
        let digest = Digest {
            logs: vec![
                DigestItem::Consensus(*b"FRNK", activated.encode()),
                log_item(&planned),
                DigestItem::Consensus(suite::ENGINE_ID, vec![9]),
                log_item(&activated),
            ],
        };
        assert_eq!(decode_logs(&digest), [activated, planned]);
    }

    #[test]
    fn keys_are_read_from_state_once_and_then_from_the_store() {
        let (test, set) = (TestChain::default(), TestSet::new(0, 0..4));
        let hash = test.push(&set, &set, &[]);
        let commitment = set.set.commitment();
        assert!(test.chain().set(commitment, hash).is_ok());
        test.prune(hash);
        let mut fresh = test.chain();
        let found = fresh.set(commitment, hash).unwrap();
        assert_eq!(found.commitment(), commitment);
        assert!(
            Arc::ptr_eq(&found, &fresh.set(commitment, hash).unwrap()),
            "parsed once"
        );
    }

    #[test]
    fn a_set_that_the_state_does_not_name_is_unknown() {
        let (test, set) = (TestChain::default(), TestSet::new(0, 0..4));
        let hash = test.push(&set, &set, &[]);
        let other = TestSet::new(1, 1..5);
        let error = test.chain().set(other.set.commitment(), hash).unwrap_err();
        assert!(matches!(error, ChainError::UnknownSet { id: 1 }));
    }

    #[test]
    fn nothing_is_signed_about_a_block_that_is_not_final() {
        let (test, set) = (TestChain::default(), TestSet::new(0, 0..4));
        test.push(&set, &set, &[]);
        let chain = test.chain();
        assert_eq!(chain.commitment(0).unwrap().block_number, 0);
        assert!(matches!(chain.commitment(1), Err(ChainError::NoBlock(1))));
    }

    #[test]
    fn a_kept_payload_outlives_the_state() {
        let (test, set) = (TestChain::default(), TestSet::new(0, 0..4));
        let hash = test.push(&set, &set, &[]);
        let chain = test.chain();
        let commitment = chain.commitment(0).unwrap();
        chain.keep_payload(hash).unwrap();
        test.prune(hash);
        assert_eq!(chain.commitment(0).unwrap(), commitment);
        test.store().drop_payloads(&[hash]).unwrap();
        assert!(matches!(chain.commitment(0), Err(ChainError::Runtime(_))));
    }

    #[test]
    fn a_justification_is_put_to_its_block_once() {
        let (test, set) = (TestChain::default(), TestSet::new(0, 0..4));
        let hash = test.push(&set, &set, &[]);
        for bytes in [vec![1], vec![2]] {
            test.chain().append(hash, bytes).unwrap();
        }
        let all = test
            .backend
            .blockchain()
            .justifications(hash)
            .unwrap()
            .unwrap();
        assert_eq!(all.get(suite::ENGINE_ID), Some(&vec![1]));
    }
}
