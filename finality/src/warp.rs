//! GRANDPA's proofs of the chain: for light clients that know only the genesis, and find no set there. (WARP-1, WARP-2)

use crate::store::bounded;
use codec::{Compact, Encode};
use duet_gossip::LOG_TARGET;
use duet_light_warp::{voters_key, GenesisProof};
use duet_primitives::{BlockNumber, H256};
use parking_lot::Mutex;
use sc_client_api::{Backend as BackendT, StorageProof};
use sc_consensus_grandpa::{
    best_justification, find_scheduled_change, LinkHalf, SharedAuthoritySet,
};
use sc_service::ChainSpec;
use sp_blockchain::{Backend as BlockchainBackend, Error, HeaderBackend, Result};
use sp_consensus_grandpa::GRANDPA_ENGINE_ID;
use sp_core::storage::{StateVersion, Storage};
use sp_runtime::traits::{BlakeTwo256, Block as BlockT, Header as HeaderT, NumberFor};
use sp_state_machine::{prove_read, InMemoryBackend};
use std::sync::Arc;

/// Proves GRANDPA's finality.
pub(crate) trait WarpProofs: Send + Sync {
    /// The voters of the genesis: SCALE of [`GenesisProof`]. `None` when the chain specification lacks the state of
    /// this chain's genesis.
    ///
    /// Cost: once, to build that state and its trie in memory.
    ///
    /// # Errors
    /// Database errors.
    fn genesis(&self) -> Result<Option<Vec<u8>>>;

    /// From a final block on: SCALE of the SDK's `WarpSyncProof`. `None` when no proof continues from there: this
    /// node began in the middle of the chain, or a forced change replaced the voters.
    ///
    /// # Errors
    /// Database errors.
    fn after(&self, block: BlockNumber) -> Result<Option<Vec<u8>>>;
}

/// [`WarpProofs`] of a node of the SDK.
pub(crate) struct Grandpa<Block: BlockT, Backend> {
    voters: SharedAuthoritySet<H256, NumberFor<Block>>,
    backend: Arc<Backend>,
    genesis: Mutex<Genesis>,
}

/// The proof of the genesis, made on its first use.
enum Genesis {
    /// Builds its state.
    Unasked(Box<dyn Fn() -> std::result::Result<Storage, String> + Send + Sync>),
    Known(Option<Vec<u8>>),
}

impl<Block: BlockT<Hash = H256>, Backend: BackendT<Block>> Grandpa<Block, Backend> {
    pub(crate) fn new<Client, Select>(
        link: &LinkHalf<Block, Client, Select>,
        backend: Arc<Backend>,
        spec: &dyn ChainSpec,
    ) -> Self {
        let spec = spec.cloned_box();
        let build = move || spec.as_storage_builder().build_storage();
        Self {
            voters: link.shared_authority_set().clone(),
            backend,
            genesis: Mutex::new(Genesis::Unasked(Box::new(build))),
        }
    }

    /// A block and its justification, if it changes the voters: after a forced change no proof continues.
    fn fragment(&self, number: NumberFor<Block>) -> Result<Option<Vec<u8>>> {
        let chain = self.backend.blockchain();
        let Some(hash) = chain.hash(number)? else {
            return Ok(None);
        };
        let Some(header) = chain.header(hash)? else {
            return Ok(None);
        };
        if find_scheduled_change::<Block>(&header).is_none() {
            return Ok(None);
        }
        let justifications = chain.justifications(hash)?;
        let ours = justifications.and_then(|all| all.into_justification(GRANDPA_ENGINE_ID));
        Ok(ours.map(|justification| [header.encode(), justification].concat()))
    }

    /// The newest block with a justification on this node.
    fn newest(&self) -> Result<Option<(NumberFor<Block>, Vec<u8>)>> {
        let Some(justification) = best_justification::<_, Block>(&*self.backend)? else {
            return Ok(None);
        };
        let (number, hash) = justification.target();
        let header = self.backend.blockchain().header(hash)?;
        Ok(header.map(|header| (number, [header.encode(), justification.encode()].concat())))
    }
}

impl<Block, Backend> WarpProofs for Grandpa<Block, Backend>
where
    Block: BlockT<Hash = H256>,
    NumberFor<Block>: From<u32>,
    Backend: BackendT<Block>,
{
    fn genesis(&self) -> Result<Option<Vec<u8>>> {
        let mut genesis = self.genesis.lock();
        let build = match &*genesis {
            Genesis::Known(proof) => return Ok(proof.clone()),
            Genesis::Unasked(build) => build,
        };
        let chain = self.backend.blockchain();
        let Some(header) = chain.header(chain.info().genesis_hash)? else {
            return Ok(None);
        };
        let nodes = match build() {
            Ok(state) => prove(state, *header.state_root())?,
            Err(reason) => {
                log::info!(target: LOG_TARGET, "the state of the genesis cannot be built for light clients: {reason}");
                None
            }
        };
        let proof = nodes.map(|nodes| {
            let header = header.encode();
            let nodes = nodes.into_iter_nodes().collect();
            GenesisProof { header, nodes }.encode()
        });
        *genesis = Genesis::Known(proof.clone());
        Ok(proof)
    }

    fn after(&self, block: BlockNumber) -> Result<Option<Vec<u8>>> {
        let begin = block.get().into();
        // Read first: if a set ends meanwhile, its end is among the changes.
        let newest = self.newest()?;
        let changes = self.voters.authority_set_changes();
        let Some(changes) = changes.iter_from(begin) else {
            return Ok(None);
        };
        let changes: Vec<_> = changes.map(|(_, last)| *last).collect();
        let last = changes.last().copied().unwrap_or(begin);
        let newest = newest.filter(|(number, _)| *number > last);
        let all = changes.len().saturating_add(usize::from(newest.is_some()));
        let changes = changes.into_iter().map(|last| self.fragment(last));
        let newest = newest.map(|(_, fragment)| Ok(Some(fragment)));
        let fragments = bounded(changes.chain(newest))?;
        if fragments.is_empty() && all > 0 {
            return Ok(None);
        }
        Ok(Some(encode(&fragments, fragments.len() == all)))
    }
}

/// Proves the voters in the state of a genesis; `None` when the root belongs to another state.
fn prove(state: Storage, root: H256) -> Result<Option<StorageProof>> {
    for version in [StateVersion::V1, StateVersion::V0] {
        let backend = InMemoryBackend::<BlakeTwo256>::from((state.clone(), version));
        if *backend.root() == root {
            let proof = prove_read(backend, [voters_key()]);
            return proof.map(Some).map_err(Error::Execution);
        }
    }
    Ok(None)
}

/// A `WarpSyncProof` of encoded blocks with their justifications.
fn encode(fragments: &[Vec<u8>], is_finished: bool) -> Vec<u8> {
    let count = Compact::from(u32::try_from(fragments.len()).unwrap_or(u32::MAX)).encode();
    [count, fragments.concat(), is_finished.encode()].concat()
}

#[cfg(test)]
#[path = "warp_tests.rs"]
mod tests;
