//! Options that several commands share, and the parsers of their values.

use crate::{error::DuetKeyError, genesis::genesis_hash};
use duet_keystore::{KeyRing, KeyStore, VoteRecords};
use duet_primitives::{DualKeyBytes, PossessionProof, H256};
use sc_cli::{KeystoreParams, SubstrateCli};
use sc_service::{config::KeystoreConfig, BasePath};
use sp_core::crypto::{AccountId32, SecretString};
use std::{path::PathBuf, str::FromStr};

/// Selects the chain.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ChainArgs {
    /// The chain specification: a name that the node knows, such as `dev` or `local`, or the path of a file.
    #[arg(long, value_name = "CHAIN_SPEC")]
    chain: Option<String>,

    /// The development chain, as `--chain dev`.
    #[arg(long, conflicts_with = "chain")]
    dev: bool,
}

impl ChainArgs {
    fn load(&self, cli: &impl SubstrateCli) -> Result<Box<dyn sc_cli::ChainSpec>, DuetKeyError> {
        let id = if self.dev {
            "dev"
        } else {
            self.chain.as_deref().unwrap_or("")
        };
        cli.load_spec(id).map_err(DuetKeyError::Spec)
    }
}

/// Selects the genesis of a chain.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ChainGenesisArgs {
    /// The genesis hash of the chain, if its specification is not at hand.
    #[arg(long, value_name = "HASH", value_parser = hash)]
    genesis: Option<H256>,
}

impl ChainGenesisArgs {
    pub(crate) fn hash(
        &self,
        cli: &impl SubstrateCli,
        chain: &ChainArgs,
    ) -> Result<H256, DuetKeyError> {
        match self.genesis {
            Some(hash) => Ok(hash),
            None => Ok(genesis_hash(chain.load(cli)?.as_ref())?),
        }
    }
}

/// Selects the genesis that a proof names.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct GenesisArgs {
    #[command(flatten)]
    chain: ChainGenesisArgs,

    /// For a key that is part of the genesis itself: the proof names 32 zero bytes, because there is no
    /// genesis hash yet.
    #[arg(long, conflicts_with = "genesis")]
    in_genesis: bool,
}

impl GenesisArgs {
    pub(crate) fn hash(
        &self,
        cli: &impl SubstrateCli,
        chain: &ChainArgs,
    ) -> Result<H256, DuetKeyError> {
        if self.in_genesis {
            return Ok(H256::zero());
        }
        self.chain.hash(cli, chain)
    }
}

/// The directory of a node's key files: next to the SDK's keystore.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct KeyDirectoryArgs {
    #[command(flatten)]
    pub(crate) chain: ChainArgs,

    /// The base path of the node.
    #[arg(long, short = 'd', value_name = "PATH")]
    base_path: Option<PathBuf>,

    #[command(flatten)]
    keystore: KeystoreParams,
}

impl KeyDirectoryArgs {
    /// Opens the directory, creating it if it is missing. A node may be signing with its keys.
    pub(crate) fn open(&self, cli: &impl SubstrateCli) -> Result<KeyRing, DuetKeyError> {
        let (path, password) = self.locate(cli)?;
        Ok(KeyRing::open(path, password)?)
    }

    /// Opens the directory if it exists. A node may be signing with its keys.
    pub(crate) fn open_existing(&self, cli: &impl SubstrateCli) -> Result<KeyRing, DuetKeyError> {
        let (path, password) = self.locate_existing(cli)?;
        Ok(KeyRing::open(path, password)?)
    }

    /// Opens the directory if it exists and no node signs with its keys.
    pub(crate) fn open_existing_to_sign(
        &self,
        cli: &impl SubstrateCli,
    ) -> Result<KeyStore, DuetKeyError> {
        let (path, password) = self.locate_existing(cli)?;
        Ok(KeyStore::open(path, password)?)
    }

    /// Opens the records of votes, if no node signs with the keys. Creates the directory if it is missing.
    pub(crate) fn open_records(
        &self,
        cli: &impl SubstrateCli,
    ) -> Result<VoteRecords, DuetKeyError> {
        let (path, _) = self.locate(cli)?;
        Ok(VoteRecords::open(path)?)
    }

    /// Opens the records of votes, if they exist and no node signs with the keys.
    pub(crate) fn open_existing_records(
        &self,
        cli: &impl SubstrateCli,
    ) -> Result<VoteRecords, DuetKeyError> {
        let (path, _) = self.locate_existing(cli)?;
        Ok(VoteRecords::open(path)?)
    }

    fn locate_existing(
        &self,
        cli: &impl SubstrateCli,
    ) -> Result<(PathBuf, Option<SecretString>), DuetKeyError> {
        let (path, password) = self.locate(cli)?;
        if !path.is_dir() {
            return Err(DuetKeyError::NoDirectory(path));
        }
        Ok((path, password))
    }

    fn locate<Cli: SubstrateCli>(
        &self,
        cli: &Cli,
    ) -> Result<(PathBuf, Option<SecretString>), DuetKeyError> {
        // With an explicit path the keystore needs no chain.
        let directory = match &self.keystore.keystore_path {
            Some(_) => PathBuf::new(),
            None => {
                let base = match &self.base_path {
                    Some(path) => BasePath::new(path),
                    None => BasePath::from_project("", "", &Cli::executable_name()),
                };
                base.config_dir(self.chain.load(cli)?.id())
            }
        };
        match self.keystore.keystore_config(&directory)? {
            KeystoreConfig::Path { path, password } => Ok((path, password)),
            KeystoreConfig::InMemory => Err(DuetKeyError::NoDirectory(directory)),
        }
    }
}

/// Parses a dual key.
pub(crate) fn dual_key(text: &str) -> Result<DualKeyBytes, String> {
    bytes(text).map(DualKeyBytes)
}

/// Parses a proof of possession.
pub(crate) fn possession_proof(text: &str) -> Result<PossessionProof, String> {
    bytes(text).map(PossessionProof)
}

/// Parses an account.
pub(crate) fn account(text: &str) -> Result<AccountId32, String> {
    AccountId32::from_str(text)
        .map_err(|error| format!("neither an SS58 address nor 0x-hex of 32 bytes: {error}"))
}

fn hash(text: &str) -> Result<H256, String> {
    bytes(text).map(H256)
}

fn bytes<const N: usize>(text: &str) -> Result<[u8; N], String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let mut bytes = [0; N];
    hex::decode_to_slice(digits, &mut bytes)
        .map(|()| bytes)
        .map_err(|error| format!("not 0x-hex of {N} bytes: {error}"))
}
