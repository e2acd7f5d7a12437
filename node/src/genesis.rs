//! The genesis hash of a chain specification, worked out without a database.

use crate::service::HostFunctions;
use duet_primitives::H256;
use duet_runtime::types::opaque::Block;
use sc_chain_spec::{construct_genesis_block, resolve_state_version_from_wasm, ChainSpec};
use sc_executor::WasmExecutor;
use sp_runtime::{
    traits::{Block as _, Hash, HashingFor},
    StateVersion,
};
use sp_storage::Storage;

/// Why a chain specification has no genesis hash.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GenesisError {
    /// Its genesis cannot be built.
    #[error("the genesis of this chain specification cannot be built: {0}")]
    Storage(String),
    /// Its runtime cannot be asked for its version.
    #[error("the runtime of this chain specification cannot be asked for its version: {0}")]
    Runtime(#[from] sp_blockchain::Error),
}

/// The hash of the block that a node would start this chain with.
pub(crate) fn genesis_hash(spec: &dyn ChainSpec) -> Result<H256, GenesisError> {
    let storage = spec
        .as_storage_builder()
        .build_storage()
        .map_err(GenesisError::Storage)?;
    let executor = WasmExecutor::<HostFunctions>::builder().build();
    let version = resolve_state_version_from_wasm::<_, HashingFor<Block>>(&storage, &executor)?;
    Ok(construct_genesis_block::<Block>(state_root(storage, version), version).hash())
}

fn state_root(storage: Storage, version: StateVersion) -> H256 {
    let Storage {
        mut top,
        children_default,
    } = storage;
    for child in children_default.into_values() {
        let root = HashingFor::<Block>::trie_root(child.data.into_iter().collect(), version);
        top.insert(
            child.child_info.into_prefixed_storage_key().into_inner(),
            root.as_bytes().to_vec(),
        );
    }
    HashingFor::<Block>::trie_root(top.into_iter().collect(), version)
}
