#![doc = include_str!("../README.md")]

mod error;
mod file;
mod keys;
mod networks;

pub use error::{ChainSpecError, FileFault, KeyError};
pub use file::from_file;
pub use keys::well_known_validator;
pub use networks::{development, load_spec, local_testnet, local_testnet_of};

/// A chain specification without extensions.
pub type ChainSpec = sc_chain_spec::GenericChainSpec;
