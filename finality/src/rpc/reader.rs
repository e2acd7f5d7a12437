//! Reads and proves state and past blocks, behind a trait, and the same over a client of the SDK.

use crate::{
    chain::runtime::{ACCUSATIONS, HANDOFFS},
    client::AccountId,
};
use codec::Encode;
use duet_primitives::{
    Accusation, BlockNumber, DualKeyBytes, DuetApi, EvidenceStatus, SigningRecord, H256,
};
use sc_client_api::ProofProvider;
use sp_api::{ApiError, ApiExt, ProvideRuntimeApi};
use sp_blockchain::{Error, HeaderBackend};
use sp_core::offchain::{storage::OffchainDb, OffchainDbExt, OffchainStorage};
use sp_mmr_primitives::MmrApi;
use sp_runtime::traits::{Block as BlockT, NumberFor};
use std::{marker::PhantomData, sync::Arc};

/// Why a proof of the chain's data is impossible.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReaderError {
    /// The block's state is missing here; most nodes drop it after 256 blocks.
    #[error("this node does not have the state of block {0} any more: ask a node that keeps it")]
    NoState(BlockNumber),
    /// The database.
    #[error(transparent)]
    Client(#[from] Error),
    /// The runtime.
    #[error("the runtime cannot be called: {0}")]
    Runtime(#[from] ApiError),
    /// The runtime makes no proof of a block under a later one.
    #[error("the runtime cannot prove block {older} under block {newer}: {why}")]
    NoPath {
        /// The block to prove.
        older: BlockNumber,
        /// The block that has the root.
        newer: BlockNumber,
        /// The runtime's error.
        why: String,
    },
}

/// The result of `mmr_generateProof` for one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// SCALE of the list of leaves, each as bytes.
    pub leaves: Vec<u8>,
    /// SCALE of the SDK's `LeafProof`.
    pub proof: Vec<u8>,
}

/// Proves a chain's state and its past.
pub trait ChainReader: Send + Sync {
    /// The nodes of the state trie at a block that prove the value under each key, or its absence.
    ///
    /// # Errors
    /// [`ReaderError::NoState`] when the state is missing.
    fn nodes(
        &self,
        number: BlockNumber,
        hash: H256,
        keys: &[Vec<u8>],
    ) -> Result<Vec<Vec<u8>>, ReaderError>;

    /// The keys of the set that signs at a block, in set order; `None` where no set signs.
    ///
    /// # Errors
    /// When the runtime cannot be called.
    fn signing_keys(&self, at: H256) -> Result<Option<Vec<DualKeyBytes>>, ReaderError>;

    /// Proves `older` under the root of the Merkle mountain range that the proof of `newer` signs.
    ///
    /// # Errors
    /// [`ReaderError::NoPath`] when the runtime makes no proof.
    fn path(&self, older: BlockNumber, newer: BlockNumber) -> Result<Path, ReaderError>;

    /// How many handoffs each validator signed, by the state at a block; empty if the runtime does not support it.
    ///
    /// # Errors
    /// When the runtime cannot be called.
    fn signing_records(&self, at: H256) -> Result<Vec<(AccountId, SigningRecord)>, ReaderError>;

    /// The chain's status of the accused, by the state at a block; `None` if the runtime does not support it.
    ///
    /// # Errors
    /// When the runtime cannot be called.
    fn accusation_status(
        &self,
        at: H256,
        accusation: &Accusation,
    ) -> Result<Option<EvidenceStatus>, ReaderError>;
}

/// [`ChainReader`] over a client of the SDK whose runtime has the Merkle mountain range.
pub struct ClientReader<Block, Client, Storage> {
    client: Arc<Client>,
    leaves: OffchainDb<Storage>,
    _block: PhantomData<fn() -> Block>,
}

impl<Block, Client, Storage> ClientReader<Block, Client, Storage> {
    /// `storage` is the back end's off-chain storage, where the nodes of the mountain range are.
    pub fn new(client: Arc<Client>, storage: Storage) -> Self {
        Self {
            client,
            leaves: OffchainDb::new(storage),
            _block: PhantomData,
        }
    }
}

impl<Block, Client, Storage> ClientReader<Block, Client, Storage>
where
    Block: BlockT<Hash = H256>,
    Client: ProvideRuntimeApi<Block>,
    Client::Api: DuetApi<Block, AccountId>,
{
    fn has_version(&self, at: H256, least: u32) -> Result<bool, ApiError> {
        let api = self.client.runtime_api();
        api.has_api_with::<dyn DuetApi<Block, AccountId>, _>(at, |version| version >= least)
    }
}

impl<Block, Client, Storage> ChainReader for ClientReader<Block, Client, Storage>
where
    Block: BlockT<Hash = H256>,
    NumberFor<Block>: From<u32>,
    Client: ProvideRuntimeApi<Block> + ProofProvider<Block> + HeaderBackend<Block> + Send + Sync,
    Client::Api: MmrApi<Block, H256, NumberFor<Block>> + DuetApi<Block, AccountId>,
    Storage: OffchainStorage + 'static,
{
    fn nodes(
        &self,
        number: BlockNumber,
        hash: H256,
        keys: &[Vec<u8>],
    ) -> Result<Vec<Vec<u8>>, ReaderError> {
        let mut keys = keys.iter().map(Vec::as_slice);
        match self.client.read_proof(hash, &mut keys) {
            Ok(proof) => Ok(proof.into_iter_nodes().collect()),
            Err(Error::UnknownBlock(_)) => Err(ReaderError::NoState(number)),
            Err(error) => Err(error.into()),
        }
    }

    fn signing_keys(&self, at: H256) -> Result<Option<Vec<DualKeyBytes>>, ReaderError> {
        let api = self.client.runtime_api();
        if !self.has_version(at, 1)? || api.keysets(at)?.is_none() {
            return Ok(None);
        }
        Ok(Some(api.current_keys(at)?))
    }

    fn path(&self, older: BlockNumber, newer: BlockNumber) -> Result<Path, ReaderError> {
        let no_path = |why| ReaderError::NoPath { older, newer, why };
        let mut api = self.client.runtime_api();
        api.register_extension(OffchainDbExt::new(self.leaves.clone()));
        // The leaf about a block is added by the block after it.
        let added_by = older.get().saturating_add(1);
        // The state of `newer` may be gone; its range is read from the newest block.
        let (leaves, proof) = api
            .generate_proof(
                self.client.info().finalized_hash,
                vec![added_by.into()],
                Some(newer.get().into()),
            )
            .map_err(|error| no_path(error.to_string()))?
            .map_err(|error| no_path(error.to_string()))?;
        Ok(Path {
            leaves: leaves.encode(),
            proof: proof.encode(),
        })
    }

    fn signing_records(&self, at: H256) -> Result<Vec<(AccountId, SigningRecord)>, ReaderError> {
        match self.has_version(at, HANDOFFS)? {
            true => Ok(self.client.runtime_api().signing_records(at)?),
            false => Ok(Vec::new()),
        }
    }

    fn accusation_status(
        &self,
        at: H256,
        accusation: &Accusation,
    ) -> Result<Option<EvidenceStatus>, ReaderError> {
        if !self.has_version(at, ACCUSATIONS)? {
            return Ok(None);
        }
        let api = self.client.runtime_api();
        Ok(Some(api.accusation_status(at, accusation.clone())?))
    }
}
