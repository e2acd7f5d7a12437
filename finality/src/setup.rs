//! Duet in a node of the SDK, in five calls.

// The SDK's error of a service is this large, and a node hands it on.
#![allow(clippy::result_large_err)]

use crate::{
    client::{AccountId, DuetClient},
    keys::open_keys,
    links::{block_import, RpcLinks, VoterLinks},
    params::Params,
    protocols::{register_protocols, Protocols},
    rpc, run, DuetBlockImport,
};
use duet_gossip::Interest;
use duet_keystore::Signer;
use duet_primitives::{BlockNumber, DuetApi, H256};
use jsonrpsee::RpcModule;
use mmr_gadget::{MmrClient, MmrGadget};
use prometheus_endpoint::Registry;
use sc_client_api::{Backend as BackendT, ProofProvider};
use sc_consensus_grandpa::{GrandpaBlockImport, LinkHalf};
use sc_network::{
    config::FullNetworkConfiguration, NetworkBackend, NetworkPeers, NetworkRequest,
    NotificationMetrics,
};
use sc_network_sync::SyncEventStream;
use sc_rpc::SubscriptionTaskExecutor;
use sc_service::{Configuration, Error, TaskManager};
use sc_telemetry::Telemetry;
use sc_transaction_pool_api::{LocalTransactionPool, OffchainTransactionPoolFactory};
use sp_blockchain::HeaderBackend;
use sp_consensus::SyncOracle;
use sp_mmr_primitives::{MmrApi, INDEXING_PREFIX};
use sp_runtime::traits::{Block as BlockT, NumberFor};
use std::sync::Arc;

/// Prepares a configuration for Duet, before the client is made from it: enables the offchain index, which holds the
/// nodes of the Merkle mountain range, and [opens the keys](open_keys).
///
/// # Errors
/// As [`open_keys`].
pub fn prepare(config: &mut Configuration) -> Result<Arc<dyn Signer>, Error> {
    config.offchain_worker.indexing_enabled = true;
    // Now, because the directory of secrets must be created here, for its owner only.
    let keys: Arc<dyn Signer> = open_keys(config)?;
    Ok(keys)
}

/// Imports a block: Duet's part, inside of it GRANDPA's, inside of it the client.
pub type BlockImport<Backend, Block, Client, Select> =
    DuetBlockImport<Block, Client, GrandpaBlockImport<Backend, Block, Client, Select>>;

/// Choices that most nodes leave as they are.
pub struct Options {
    /// This node's interest in gossip.
    pub interest: Interest,
    /// Blocks at which the operator acknowledges a contradiction, so that this node votes all the same. (ROUND-10)
    pub acknowledged: Vec<BlockNumber>,
    /// The voter's settings.
    pub voter: duet_voter::Config,
    /// Whether to start the SDK's gadget for the Merkle mountain range. A node with BEEFY has one already.
    pub mmr_gadget: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            interest: Interest::Votes,
            acknowledged: Vec::new(),
            voter: duet_voter::Config::default(),
            mmr_gadget: true,
        }
    }
}

/// Duet in a node whose network does not exist yet.
pub struct Setup<Block: BlockT, Backend, Client> {
    chain: Chain<Block, Backend, Client>,
    voter: VoterLinks,
    rpc: RpcLinks,
}

/// What both steps of the setup need of the node.
struct Chain<Block: BlockT, Backend, Client> {
    client: Arc<Client>,
    backend: Arc<Backend>,
    fork_id: Option<String>,
    is_authority: bool,
    registry: Option<Registry>,
    block: std::marker::PhantomData<Block>,
}

impl<Block, Backend, Client> Setup<Block, Backend, Client>
where
    Block: BlockT<Hash = H256>,
    NumberFor<Block>: Into<u32> + From<u32>,
    Backend: BackendT<Block> + 'static,
{
    /// Wraps GRANDPA's block import, so that it keeps Duet's part of each block, and prepares the rest.
    ///
    /// Light clients that know the genesis alone get GRANDPA's proofs from this node, by `link`.
    pub fn new<Grandpa: Clone, Select>(
        config: &Configuration,
        grandpa: &Grandpa,
        link: &LinkHalf<Block, Client, Select>,
        client: &Arc<Client>,
        backend: &Arc<Backend>,
    ) -> (DuetBlockImport<Block, Client, Grandpa>, Self) {
        let registry = config.prometheus_registry();
        let (client, backend) = (client.clone(), backend.clone());
        let (import, voter, rpc) =
            block_import(grandpa.clone(), client.clone(), backend.clone(), registry);
        let setup = Self {
            rpc: rpc.with_grandpa(link, backend.clone(), &*config.chain_spec),
            voter,
            chain: Chain {
                client,
                backend,
                fork_id: config.chain_spec.fork_id().map(Into::into),
                is_authority: config.role.is_authority(),
                registry: registry.cloned(),
                block: std::marker::PhantomData,
            },
        };
        (import, setup)
    }

    /// Registers Duet's protocols with the network. `signer` is from [`prepare`], or another holder of the keys.
    pub fn register<Net>(
        self,
        net_config: &mut FullNetworkConfiguration<Block, H256, Net>,
        metrics: NotificationMetrics,
        signer: Arc<dyn Signer>,
        options: Options,
    ) -> Registered<Block, Backend, Client>
    where
        Net: NetworkBackend<Block, H256>,
        Client: HeaderBackend<Block>,
    {
        let protocols = register_protocols(
            net_config,
            self.chain.client.info().genesis_hash,
            self.chain.fork_id.as_deref(),
            options.interest,
            metrics,
        );
        Registered {
            setup: self,
            protocols,
            signer,
            options,
        }
    }
}

/// Duet in a node whose network has its protocols.
pub struct Registered<Block: BlockT, Backend, Client> {
    setup: Setup<Block, Backend, Client>,
    protocols: Protocols,
    signer: Arc<dyn Signer>,
    options: Options,
}

impl<Block, Backend, Client> Registered<Block, Backend, Client>
where
    Block: BlockT<Hash = H256>,
    NumberFor<Block>: Into<u32> + Into<u64> + From<u32>,
    Backend: BackendT<Block> + 'static,
    Backend::OffchainStorage: 'static,
    Client: DuetClient<Block> + MmrClient<Block, Backend> + ProofProvider<Block>,
    Client::Api: MmrApi<Block, H256, NumberFor<Block>> + DuetApi<Block, AccountId>,
{
    /// The links of the RPC, for a health endpoint for example.
    pub fn links(&self) -> &RpcLinks {
        &self.setup.rpc
    }

    /// Adds Duet's methods to a node's own: for the node's `rpc_builder`, which calls it once per endpoint.
    ///
    /// Its errors are those of [`rpc::extend`].
    pub fn rpc(
        &self,
    ) -> impl Fn(RpcModule<()>, SubscriptionTaskExecutor) -> Result<RpcModule<()>, Error> + Send + 'static
    {
        let Setup { chain, rpc, .. } = &self.setup;
        let (client, backend) = (chain.client.clone(), chain.backend.clone());
        let (links, signer) = (rpc.clone(), self.signer.clone());
        move |module, executor| {
            let (links, signer) = (links.clone(), signer.clone());
            rpc::extend::<Block, _, _>(module, links, client.clone(), &*backend, signer, executor)
        }
    }

    /// Spawns the essential task `duet`, and `mmr-gadget` if the [options](Options::mmr_gadget) say so.
    ///
    /// `telemetry` receives proven blocks and contradictions.
    pub fn start<Net, Syncing, Pool>(
        self,
        tasks: &TaskManager,
        network: &Net,
        sync: &Syncing,
        pool: &Pool,
        telemetry: Option<&Telemetry>,
    ) where
        Net: NetworkPeers + NetworkRequest + Clone + Send + Sync + 'static,
        Syncing: SyncEventStream + SyncOracle + Clone + Send + Sync + 'static,
        Pool: LocalTransactionPool<Block = Block> + Clone + 'static,
    {
        let Self {
            setup: Setup { chain, voter, .. },
            protocols,
            signer,
            options,
        } = self;
        let essential = tasks.spawn_essential_handle();
        if options.mmr_gadget {
            let (client, backend) = (chain.client.clone(), chain.backend.clone());
            let gadget = MmrGadget::start(client, backend, INDEXING_PREFIX.to_vec());
            essential.spawn_blocking("mmr-gadget", None, gadget);
        }
        let duet = run(Params {
            client: chain.client,
            backend: chain.backend,
            network: network.clone(),
            sync: sync.clone(),
            protocols,
            signer,
            is_authority: chain.is_authority,
            links: voter,
            offchain_tx_pool_factory: OffchainTransactionPoolFactory::new(pool.clone()),
            acknowledged: options.acknowledged,
            telemetry: telemetry.map(Telemetry::handle),
            prometheus_registry: chain.registry,
            spawner: Box::new(essential.clone()),
            config: options.voter,
        });
        essential.spawn_blocking("duet", Some("finality"), duet);
    }
}
