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
         build it without, or give --chain the path of a chain specification"
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
        /// What is wrong with it.
        #[source]
        fault: FileFault,
    },
}

/// What is wrong with a chain specification file.
#[derive(Debug, thiserror::Error)]
pub enum FileFault {
    /// It cannot be read.
    #[error("cannot be read: {0}; --chain takes dev, local, or the path of a chain specification")]
    Read(#[source] std::io::Error),
    /// It is not JSON.
    #[error("is not JSON: {0}")]
    NotJson(#[source] serde_json::Error),
    /// It is JSON, but a list, a number or the like.
    #[error("is not a chain specification: its JSON is not an object")]
    NotAnObject,
    /// It has the fields of a genesis, without the specification around them.
    #[error(
        "is a genesis patch, not a chain specification; \
         export one with `export-chain-spec` and put the patch under genesis.runtimeGenesis.patch"
    )]
    IsPatch,
    /// A field is missing.
    #[error("is not a chain specification: it has no field `{0}`")]
    Missing(&'static str),
    /// The genesis is given in a form from which a node cannot start.
    #[error(
        "has no genesis to start from: `genesis` must have `runtimeGenesis` with `patch` or `config`, or `raw`"
    )]
    UnknownGenesis,
    /// The genesis has no runtime.
    #[error("has no runtime in its genesis: `{0}` is missing or empty")]
    NoRuntime(&'static str),
    /// It is the genesis of a chain that makes sets from there on, and whose validators have no Duet keys.
    #[error(
        "no validator has a Duet key in its genesis (`{0}`), so no proof of finality could start from it; \
         say `\"inactive\": true` in its `duet` if the chain takes Duet up later"
    )]
    NoDuetKeys(&'static str),
    /// An entry of the registry is not an account, a key and a proof.
    #[error("duet.keys[{index}] is not [account, key, proof]: {source}")]
    KeyShape {
        /// Which entry.
        index: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A Duet key's proof does not hold for the account and a genesis.
    #[error("duet.keys[{index}], of {account}: {source}")]
    Possession {
        /// Which entry.
        index: usize,
        /// Whose key it should be.
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
        /// The account of the later one.
        account: AccountId,
    },
    /// The SDK does not accept it.
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
