//! Several nodes connected to each other.

use crate::{
    node::{Keys, Settings},
    ports::PortPool,
    spec::{self, EditGenesis, EditPatch},
    Error, Executables, Node, Result, DEVELOPMENT_ACCOUNTS,
};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The most validators that a local network starts with; one development account is left to join later.
pub const MAX_VALIDATORS: usize = DEVELOPMENT_ACCOUNTS.len() - 1;
/// Nodes take these in turn, so that each of the SDK's network back ends talks to the other one and to itself.
const BACK_ENDS: [&str; 2] = ["litep2p", "libp2p"];

/// The settings of a network.
pub struct Builder {
    validators: usize,
    base_port: Option<u16>,
    keep: bool,
    genesis: Option<EditGenesis>,
    patch: Option<EditPatch>,
    flags: Vec<String>,
    metrics: bool,
    executable: Option<PathBuf>,
}

impl Builder {
    /// The number of validators; four by default.
    pub fn validators(mut self, validators: usize) -> Self {
        self.validators = validators;
        self
    }

    /// The first of the TCP ports to use, two for each node; by default free ports are searched.
    pub fn base_port(mut self, port: Option<u16>) -> Self {
        self.base_port = port;
        self
    }

    /// Whether to keep the directories when the network is dropped; by default they are removed.
    pub fn keep(mut self, keep: bool) -> Self {
        self.keep = keep;
        self
    }

    /// Changes the chain's genesis state after the runtime has built it; no change by default.
    pub fn genesis(mut self, edit: EditGenesis) -> Self {
        self.genesis = Some(edit);
        self
    }

    /// Changes the genesis that the executable's `local` states, before its runtime builds it; no change by default.
    ///
    /// For executables of other chains: it must name as many validators as the network has.
    pub fn patch(mut self, patch: EditPatch) -> Self {
        self.patch = Some(patch);
        self
    }

    /// Flags for every node; none by default.
    pub fn flags(mut self, flags: &[&str]) -> Self {
        self.flags = flags.iter().map(ToString::to_string).collect();
        self
    }

    /// Whether every node exposes its metrics on one more port; by default none does.
    pub fn metrics(mut self, metrics: bool) -> Self {
        self.metrics = metrics;
        self
    }

    /// The nodes' executable; `duet-node` by default. The chain is the executable's `local`.
    pub fn executable(mut self, node: PathBuf) -> Self {
        self.executable = Some(node);
        self
    }

    /// Starts the validators.
    ///
    /// # Errors
    /// [`Error`] with the first node that does not start.
    pub async fn start(self) -> Result<Network> {
        self.start_and_tell(|_| ()).await
    }

    /// Starts the validators one by one, and reports each node that answers.
    ///
    /// # Errors
    /// [`Error`] with the first node that does not start.
    pub async fn start_and_tell(self, mut tell: impl FnMut(&Node)) -> Result<Network> {
        let (max, got) = (MAX_VALIDATORS, self.validators);
        if got == 0 || got > max {
            return Err(Error::ValidatorCount { max, got });
        }
        let mut network = self.empty()?;
        for account in DEVELOPMENT_ACCOUNTS.into_iter().take(got) {
            network
                .add(account.to_string(), Keys::Development(account), Vec::new())
                .await?;
            network.nodes.last().into_iter().for_each(&mut tell);
        }
        Ok(network)
    }

    fn empty(self) -> Result<Network> {
        let directory = tempfile::Builder::new().prefix("duet-network-").tempdir();
        let mut directory = directory.map_err(Error::io("making a directory for the network"))?;
        directory.disable_cleanup(self.keep);
        let executable = match self.executable {
            Some(executable) => executable,
            None => Executables::locate()?.node()?,
        };
        let validators = &DEVELOPMENT_ACCOUNTS[..self.validators];
        let chain = spec::write(
            &executable,
            validators,
            self.patch,
            self.genesis,
            directory.path(),
        )?;
        let ports = self
            .base_port
            .map_or_else(PortPool::search, PortPool::from_base);
        Ok(Network {
            nodes: Vec::new(),
            executable,
            chain,
            ports,
            directory,
            flags: self.flags,
            metrics: self.metrics,
        })
    }
}

/// A network of nodes on loopback. Dropping it kills them and removes their directories.
#[derive(Debug)]
pub struct Network {
    // Dropped before the directory, so that the processes end before their files are removed.
    nodes: Vec<Node>,
    executable: PathBuf,
    chain: PathBuf,
    ports: PortPool,
    directory: TempDir,
    flags: Vec<String>,
    metrics: bool,
}

impl Network {
    /// Begins the settings of a network.
    pub fn builder() -> Builder {
        Builder {
            validators: spec::LOCAL,
            base_port: None,
            keep: false,
            genesis: None,
            patch: None,
            flags: Vec::new(),
            metrics: false,
            executable: None,
        }
    }

    /// The path of the nodes' directories.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// The nodes, including those that do not run.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// One node.
    ///
    /// # Panics
    /// When there is none with this number.
    pub fn node(&self, index: usize) -> &Node {
        &self.nodes[index]
    }

    /// One node, to stop or kill it.
    ///
    /// # Panics
    /// When there is none with this number.
    pub fn node_mut(&mut self, index: usize) -> &mut Node {
        &mut self.nodes[index]
    }

    /// Nodes that join from now on use this executable.
    pub fn set_executable(&mut self, node: PathBuf) {
        self.executable = node;
    }

    /// Starts one more node, as a validator without keys, and returns its number.
    ///
    /// # Errors
    /// [`Error`] when it does not start.
    pub async fn join(&mut self, name: &str) -> Result<usize> {
        self.join_with(name, &[]).await
    }

    /// The same with extra flags, which the node keeps when it is restarted.
    ///
    /// # Errors
    /// [`Error`] when it does not start.
    pub async fn join_with(&mut self, name: &str, flags: &[&str]) -> Result<usize> {
        let flags = flags.iter().map(ToString::to_string).collect();
        self.add(name.to_owned(), Keys::Own, flags).await?;
        Ok(self.nodes.len() - 1)
    }

    /// Starts one more full node, which is no validator, and returns its number.
    ///
    /// # Errors
    /// [`Error`] when it does not start.
    pub async fn follow(&mut self, name: &str, flags: &[&str]) -> Result<usize> {
        let flags = flags.iter().map(ToString::to_string).collect();
        self.add(name.to_owned(), Keys::Nobody, flags).await?;
        Ok(self.nodes.len() - 1)
    }

    /// Restarts a node that was killed or stopped.
    ///
    /// # Errors
    /// [`Error`] when it does not start.
    ///
    /// # Panics
    /// When there is none with this number.
    pub async fn restart(&mut self, index: usize) -> Result<()> {
        let bootnodes = self.addresses().await?;
        self.nodes[index].start(&bootnodes).await
    }

    /// Stops a node and starts another executable in its place, on the same directory.
    ///
    /// # Errors
    /// [`Error`] when it does not end or does not start.
    ///
    /// # Panics
    /// When there is none with this number.
    pub async fn replace(&mut self, index: usize, executable: PathBuf) -> Result<()> {
        self.nodes[index].stop().await?;
        self.nodes[index].replace(executable);
        self.restart(index).await
    }

    /// Restarts a development validator without its Duet key, which is then lost. The node keeps its other keys.
    ///
    /// # Errors
    /// [`Error`] when it does not start.
    ///
    /// # Panics
    /// When there is none with this number.
    pub async fn lose_duet_key(&mut self, index: usize) -> Result<()> {
        self.nodes[index].kill()?;
        let account = self.nodes[index].forget_account();
        self.restart(index).await?;
        if let Some(account) = account {
            let rpc = self.nodes[index].rpc().await?;
            rpc.insert_session_keys(account).await?;
            // GRANDPA looks its key up once per round. A round in which two of four nodes found none never ends.
            self.nodes[index].kill()?;
            self.restart(index).await?;
        }
        Ok(())
    }

    async fn add(&mut self, name: String, keys: Keys, flags: Vec<String>) -> Result<()> {
        let mut ports = self.ports.take()?;
        if self.metrics {
            ports.metrics = Some(self.ports.take_one()?);
        }
        let settings = Settings {
            directory: self.directory.path().join(name.to_lowercase()),
            name,
            executable: self.executable.clone(),
            chain: self.chain.clone(),
            keys,
            ports,
            network_backend: BACK_ENDS[self.nodes.len() % BACK_ENDS.len()],
            flags: [self.flags.clone(), flags].concat(),
        };
        let bootnodes = self.addresses().await?;
        // Listed before it answers: whatever happens from here on, it is ended with the others.
        self.nodes.push(Node::new(settings));
        match self.nodes.last_mut() {
            Some(node) => node.start(&bootnodes).await,
            None => Ok(()),
        }
    }

    /// The peer-to-peer addresses of the running nodes.
    async fn addresses(&self) -> Result<Vec<String>> {
        let mut addresses = Vec::new();
        for node in self.nodes.iter().filter(|node| node.is_running()) {
            addresses.push(node.rpc().await?.peer_address().await?);
        }
        Ok(addresses)
    }
}
