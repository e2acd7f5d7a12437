//! Two networks that follow each other, anvil with the contract that follows the first network, and relayers.

use crate::{
    bridge, messages,
    relayer::{self, EvmChain, Relayer},
    wait, Error, Executables, LightClient, Network, Result, Rpc,
};
use duet_primitives::BlockNumber;
use duet_runtime::constants::SESSION_BLOCKS;
use jsonrpsee::rpc_params;
use sp_keyring::Sr25519Keyring;
use std::{
    fmt,
    path::{Path, PathBuf},
    time::Duration,
};

/// The account that pays on both networks. It is no validator, because validators earn fees.
pub const PAYER: Sr25519Keyring = Sr25519Keyring::Ferdie;

/// How long a network may take until its first proof.
const FIRST_PROOF: Duration = Duration::from_secs(120);

/// The route of proofs: source and target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// From the first network to the second.
    FirstToSecond,
    /// From the second network to the first.
    SecondToFirst,
    /// From the first network to the contract.
    FirstToEvm,
}

impl Route {
    /// All routes.
    pub const ALL: [Self; 3] = [Self::FirstToSecond, Self::SecondToFirst, Self::FirstToEvm];
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FirstToSecond => "first to second",
            Self::SecondToFirst => "second to first",
            Self::FirstToEvm => "first to EVM",
        })
    }
}

/// Both networks, anvil and the relayers. Dropping it ends all of them.
#[derive(Debug)]
pub struct Bridged {
    executables: Executables,
    networks: [Network; 2],
    evm: EvmChain,
    contract: String,
    evm_key: PathBuf,
    key: PathBuf,
}

impl Bridged {
    /// Makes both networks follow each other from genesis, and deploys the contract of this name at a checkpoint of the
    /// first, as printed by a light client. [`Bridged::relayer`] starts relayers.
    ///
    /// # Errors
    /// [`Error`] when a node does not answer, or `cargo xtask relay` or `cargo xtask demo --bridge` was not run.
    pub async fn start(first: Network, second: Network, contract: &str) -> Result<Self> {
        let executables = Executables::locate()?;
        let [here, there] = [first.node(0).rpc().await?, second.node(0).rpc().await?];
        for (rpc, other) in [(&here, &there), (&there, &here)] {
            let genesis = bridge::checkpoint(other, BlockNumber::ZERO).await?;
            bridge::follow(rpc, genesis).await?;
        }
        for rpc in [&here, &there] {
            let follows = || async {
                let finalized = rpc.ask("chain_getFinalizedHead", rpc_params![]).await?;
                Ok(bridge::best_bridged(rpc, Some(finalized)).await?.is_some())
            };
            wait::until(
                "a final block that follows",
                FIRST_PROOF,
                follows,
                |follows| *follows,
            )
            .await?;
        }
        let folder = first.directory();
        let [evm_key, key] = ["evm-key", "key"].map(|name| folder.join(name));
        relayer::write_evm_key(&evm_key)?;
        relayer::write_key(&key, &PAYER.to_seed())?;
        let evm = EvmChain::start(&executables).await?;
        let checkpoint = checkpoint(&executables, &first, &here).await?;
        Ok(Self {
            contract: relayer::deploy(&executables, &evm, &evm_key, &checkpoint, contract).await?,
            networks: [first, second],
            executables,
            evm,
            evm_key,
            key,
        })
    }

    /// Both networks.
    pub fn networks(&self) -> [&Network; 2] {
        self.networks.each_ref()
    }

    /// The network that the others follow.
    pub fn first_mut(&mut self) -> &mut Network {
        let [first, _] = &mut self.networks;
        first
    }

    /// The URL of anvil.
    pub fn evm_url(&self) -> &str {
        self.evm.url()
    }

    /// The contract's address.
    pub fn contract(&self) -> &str {
        &self.contract
    }

    /// Starts a relayer, with more flags. It relays every handoff, one block per session, and messages between the networks.
    ///
    /// # Errors
    /// [`Error::NoExecutable`], [`Error::Io`].
    pub fn relayer(&self, route: Route, more: &[&str]) -> Result<Relayer> {
        let urls = self
            .networks
            .each_ref()
            .map(|network| network.node(0).url());
        let [first, second] = urls.each_ref().map(String::as_str);
        let (evm_key, key) = (shown(&self.evm_key), shown(&self.key));
        let ends = match route {
            Route::FirstToSecond => between(first, second),
            Route::SecondToFirst => between(second, first),
            Route::FirstToEvm => {
                let (evm, contract) = (self.evm_url(), self.contract());
                let target = ["--target", evm, "--contract", contract];
                [&["evm", "--source", first], &target[..]].concat()
            }
        };
        let key = match route {
            Route::FirstToSecond | Route::SecondToFirst => &key,
            Route::FirstToEvm => &evm_key,
        };
        let every = SESSION_BLOCKS.to_string();
        let choices = ["--every", &every, "--pause", "1", "--patience", "2"];
        let arguments = [&ends[..], &choices, &["--key-file", key], more].concat();
        Relayer::start(&self.executables, &arguments)
    }
}

fn between<'a>(source: &'a str, target: &'a str) -> Vec<&'a str> {
    let ends = ["substrate", "--source", source, "--target", target];
    [&ends[..], &["--lane", messages::LANE]].concat()
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// A file with the checkpoint that a light client following the network prints.
async fn checkpoint(executables: &Executables, network: &Network, rpc: &Rpc) -> Result<PathBuf> {
    let is_proven = |block: &BlockNumber| *block > BlockNumber::ZERO;
    wait::until("the first proof", FIRST_PROOF, || rpc.proven(), is_proven).await?;
    let genesis = rpc.genesis_hash().await?;
    let state = network.directory().join("light-client.state");
    let flags = ["--quiet", "--state", &shown(&state)];
    LightClient::sync(executables, genesis, &network.node(0).url(), &flags).await?;
    let json = LightClient::checkpoint(executables, &state).await?;
    let path = network.directory().join("checkpoint.json");
    std::fs::write(&path, json).map_err(Error::io("writing the checkpoint"))?;
    Ok(path)
}
