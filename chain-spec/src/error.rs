//! Errors of loading and building chain specifications.

use duet_keystore::SuriError;
use duet_primitives::PossessionError;
use duet_runtime::AccountId;
use std::path::PathBuf;

/// Why a chain specification could not be loaded or built.
#[derive(Debug, thiserror::Error)]
pub enum ChainSpecError {
    /// The executable carries no runtime to start a network with.
    #[error(
        "this executable was built without a runtime (SKIP_WASM_BUILD was set); \
         rebuild it without SKIP_WASM_BUILD, or give --chain the path of a chain specification"
    )]
    NoRuntime,
    /// A network without validators was requested.
    #[error("a network needs at least one validator")]
    NoValidators,
    /// A file is not a chain specification of a Duet network.
    #[error("{}: {fault}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The fault.
        #[source]
        fault: FileFault,
    },
}

/// The fault in a chain specification file.
#[derive(Debug, thiserror::Error)]
pub enum FileFault {
    /// The file cannot be read.
    #[error("cannot be read: {0}; --chain takes dev, local, or the path of a chain specification")]
    Read(#[source] std::io::Error),
    /// The file is not JSON.
    #[error("is not JSON: {0}")]
    NotJson(#[source] serde_json::Error),
    /// The file is JSON, but a list, a number or the like.
    #[error("is not a chain specification: its JSON is not an object")]
    NotAnObject,
    /// The file has the fields of a genesis, without the specification around them.
    #[error(
        "is a genesis patch, not a chain specification; \
         export one with `export-chain-spec` and put the patch under genesis.runtimeGenesis.patch"
    )]
    IsPatch,
    /// A field is missing.
    #[error("is not a chain specification: it has no field `{0}`")]
    Missing(&'static str),
    /// The genesis has a form from which a node cannot start.
    #[error(
        "has no genesis to start from: `genesis` must have `runtimeGenesis` with `patch` or `config`, or `raw`"
    )]
    UnknownGenesis,
    /// The genesis has no runtime.
    #[error("has no runtime in its genesis: `{0}` is missing or empty")]
    NoRuntime(&'static str),
    /// The genesis makes sets from its first block on, but its validators have no Duet keys.
    #[error(
        "no validator has a Duet key in its genesis (`{0}`), so no finality proof could start from it; \
         set `\"inactive\": true` in its `duet` if the chain adopts Duet later"
    )]
    NoDuetKeys(&'static str),
    /// An entry of the registry is not an account, a key and a proof.
    #[error("duet.keys[{index}] is not [account, key, proof]: {source}")]
    KeyShape {
        /// The index of the entry.
        index: usize,
        /// The fault.
        source: serde_json::Error,
    },
    /// A Duet key's proof does not hold for its account and a genesis.
    #[error("duet.keys[{index}], of {account}: {source}")]
    Possession {
        /// The index of the entry.
        index: usize,
        /// The owner that the entry claims.
        account: AccountId,
        /// The broken rule.
        source: PossessionError,
    },
    /// Two entries of the registry have one account or one key. (CHAIN-1)
    #[error(
        "duet.keys[{index}], of {account}: CHAIN-1: entry {first} has the same account or key"
    )]
    RepeatedKey {
        /// The later entry.
        index: usize,
        /// The earlier one.
        first: usize,
        /// The account of the later entry.
        account: AccountId,
    },
    /// The SDK rejects the specification.
    #[error("is not a chain specification: {0}")]
    Refused(String),
}

/// Why no validator could be derived from a secret URI.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The SDK's keys cannot be derived. The message never repeats any part of the URI.
    #[error("not a valid secret URI for session keys")]
    Session,
    /// The Duet key cannot be derived.
    #[error(transparent)]
    Duet(#[from] SuriError),
}
