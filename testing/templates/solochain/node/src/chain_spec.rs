//! The chains that the node knows by name.

use sc_chain_spec::{ChainSpec, ChainType, GenericChainSpec};
use sp_genesis_builder::{DEV_RUNTIME_PRESET, LOCAL_TESTNET_RUNTIME_PRESET};

/// `dev`, `local`, or the path of a specification.
pub(crate) fn load(id: &str) -> Result<Box<dyn ChainSpec>, String> {
    let spec: GenericChainSpec = match id {
        "dev" => named("dev", ChainType::Development, DEV_RUNTIME_PRESET)?,
        "" | "local" => named("local", ChainType::Local, LOCAL_TESTNET_RUNTIME_PRESET)?,
        path => GenericChainSpec::from_json_file(path.into())?,
    };
    Ok(Box::new(spec))
}

fn named(id: &str, chain_type: ChainType, preset: &str) -> Result<GenericChainSpec, String> {
    let code = solochain_runtime::WASM_BINARY.ok_or("built without a runtime (SKIP_WASM_BUILD)")?;
    let builder = GenericChainSpec::builder(code, None)
        .with_name(&format!("Solochain {id}"))
        .with_id(&format!("solochain_{id}"))
        .with_chain_type(chain_type)
        .with_genesis_config_preset_name(preset);
    Ok(builder.build())
}
