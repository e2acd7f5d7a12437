//! The genesis hash of a chain specification, computed without a database.

use codec::Decode;
use duet_primitives::H256;
use sc_chain_spec::{construct_genesis_block, ChainSpec};
use sc_executor::{RuntimeVersion, WasmExecutor};
use sp_core::traits::ReadRuntimeVersion;
use sp_io::SubstrateHostFunctions;
use sp_runtime::{
    generic,
    traits::{BlakeTwo256, Block as _, Hash, HashingFor},
    OpaqueExtrinsic, StateVersion,
};
use sp_state_machine::BasicExternalities;
use sp_storage::{well_known_keys::CODE, Storage};

/// The blocks that Duet's light clients verify.
type Block = generic::Block<generic::Header<u32, BlakeTwo256>, OpaqueExtrinsic>;

/// Why a chain specification has no genesis hash.
#[derive(Debug, thiserror::Error)]
pub enum GenesisError {
    /// Its genesis cannot be built.
    #[error("the genesis of this chain specification cannot be built: {0}")]
    Storage(String),
    /// It has no runtime.
    #[error("the genesis of this chain specification has no runtime")]
    NoRuntime,
    /// Its runtime does not report its version.
    #[error("the runtime of this chain specification does not report its version: {0}")]
    Version(String),
}

/// The hash of the genesis block from which a node would start this chain.
pub(crate) fn genesis_hash(spec: &dyn ChainSpec) -> Result<H256, GenesisError> {
    let storage = spec
        .as_storage_builder()
        .build_storage()
        .map_err(GenesisError::Storage)?;
    let runtime = storage.top.get(CODE).ok_or(GenesisError::NoRuntime)?;
    let version = state_version(runtime).map_err(GenesisError::Version)?;
    Ok(construct_genesis_block::<Block>(state_root(storage, version), version).hash())
}

/// The version of the chain's state format, read from a section of the runtime's WASM without compiling it.
fn state_version(runtime: &[u8]) -> Result<StateVersion, String> {
    let version = WasmExecutor::<SubstrateHostFunctions>::builder()
        .build()
        .read_runtime_version(runtime, &mut BasicExternalities::new_empty())?;
    RuntimeVersion::decode(&mut &version[..])
        .map(|version| version.state_version())
        .map_err(|error| error.to_string())
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
