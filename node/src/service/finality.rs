//! GRANDPA and Duet: importing blocks, and voting.

use super::{
    client::{Chain, FullBackend, FullClient, SelectChain},
    network::{Network, Protocols},
    settings::Settings,
};
use duet_finality::{DuetBlockImport, RpcLinks, VoterLinks};
use duet_keystore::Signer;
#[cfg(feature = "meter")]
use duet_meter::{Meter, TimedImport};
use duet_primitives::BlockNumber;
use duet_runtime::types::opaque::Block;
use sc_consensus::BoxJustificationImport;
use sc_consensus_grandpa::{
    GrandpaBlockImport, GrandpaParams, LinkHalf, SharedVoterState, VotingRulesBuilder,
};
use sc_service::{Configuration, Error, TaskManager};
use sc_telemetry::TelemetryHandle;
use sc_transaction_pool_api::OffchainTransactionPoolFactory;
use std::{sync::Arc, time::Duration};

/// GRANDPA makes a justification at least every so many blocks, for syncing nodes; light clients use Duet's.
const JUSTIFICATION_PERIOD: u32 = 512;
/// GRANDPA's estimate of how long a message takes to reach every node.
const GOSSIP_DURATION: Duration = Duration::from_millis(333);

type Grandpa = GrandpaBlockImport<FullBackend, Block, FullClient, SelectChain>;

/// Imports a block: Duet's part, inside of it GRANDPA's, inside of it the client.
#[cfg(not(feature = "meter"))]
pub(crate) type BlockImport = DuetBlockImport<Block, FullClient, Grandpa>;
/// The same, timed.
#[cfg(feature = "meter")]
pub(crate) type BlockImport = TimedImport<DuetBlockImport<Block, FullClient, Grandpa>>;

/// The import side of finality, and its links to the voting side.
pub(crate) struct Import {
    pub(crate) block_import: BlockImport,
    pub(crate) links: Links,
    /// Records the duration of each import.
    #[cfg(feature = "meter")]
    pub(crate) meter: Meter,
    grandpa: Grandpa,
}

/// The links between import, voters and RPC.
pub(crate) struct Links {
    pub(crate) grandpa: LinkHalf<Block, FullClient, SelectChain>,
    /// GRANDPA's voter publishes the state of its rounds here.
    pub(crate) voter_state: SharedVoterState,
    pub(crate) duet: VoterLinks,
    pub(crate) rpc: RpcLinks,
}

impl Import {
    /// Imports justifications that arrive without their blocks: only GRANDPA's, because nodes request no others this
    /// way.
    pub(crate) fn justification_import(&self) -> BoxJustificationImport<Block> {
        Box::new(self.grandpa.clone())
    }
}

/// Builds the import side.
pub(crate) fn import(
    config: &Configuration,
    chain: &Chain,
    telemetry: Option<TelemetryHandle>,
) -> Result<Import, Error> {
    let (grandpa_import, grandpa) = sc_consensus_grandpa::block_import(
        chain.client.clone(),
        JUSTIFICATION_PERIOD,
        &chain.client,
        chain.select_chain.clone(),
        telemetry,
    )?;
    let (block_import, duet, rpc) = duet_finality::block_import(
        grandpa_import.clone(),
        chain.client.clone(),
        chain.backend.clone(),
        config.prometheus_registry(),
    );
    let rpc = rpc.with_grandpa(&grandpa, chain.backend.clone(), &*config.chain_spec);
    #[cfg(feature = "meter")]
    let (meter, block_import) = {
        let meter = Meter::default();
        (meter.clone(), TimedImport::new(block_import, meter))
    };
    Ok(Import {
        #[cfg(feature = "meter")]
        meter,
        block_import,
        links: Links {
            grandpa,
            voter_state: SharedVoterState::empty(),
            duet,
            rpc,
        },
        grandpa: grandpa_import,
    })
}

/// The inputs of the voters.
pub(crate) struct Voters {
    pub(crate) links: Links,
    pub(crate) network: Network,
    pub(crate) protocols: Protocols,
    pub(crate) signer: Arc<dyn Signer>,
    /// Blocks at which the operator acknowledges a contradiction.
    pub(crate) acknowledged: Vec<BlockNumber>,
}

/// Starts both voters. Without keys of the set, they follow, aggregate and serve.
pub(crate) fn start(
    settings: Settings,
    chain: &Chain,
    voters: Voters,
    task_manager: &TaskManager,
) -> Result<(), Error> {
    let Voters {
        links,
        network,
        protocols,
        signer,
        acknowledged,
    } = voters;
    let Network {
        service: network,
        sync,
    } = network;
    let offchain_tx_pool_factory =
        OffchainTransactionPoolFactory::new(chain.transaction_pool.clone());
    let essential = task_manager.spawn_essential_handle();

    let duet = duet_finality::run(duet_finality::Params {
        client: chain.client.clone(),
        backend: chain.backend.clone(),
        network: network.clone(),
        sync: sync.clone(),
        protocols: protocols.duet,
        signer,
        is_authority: settings.is_authority,
        links: links.duet,
        offchain_tx_pool_factory: offchain_tx_pool_factory.clone(),
        acknowledged,
        telemetry: settings.telemetry.clone(),
        prometheus_registry: settings.registry.clone(),
        spawner: Box::new(essential.clone()),
        config: Default::default(),
    });
    essential.spawn_blocking("duet", Some("finality"), duet);

    if settings.disable_grandpa {
        return Ok(());
    }
    let config = sc_consensus_grandpa::Config {
        gossip_duration: GOSSIP_DURATION,
        justification_generation_period: JUSTIFICATION_PERIOD,
        name: Some(settings.name),
        observer_enabled: false,
        keystore: settings.is_authority.then(|| chain.keystore.keystore()),
        local_role: settings.role,
        telemetry: settings.telemetry.clone(),
        protocol_name: protocols.grandpa_name,
    };
    let grandpa = sc_consensus_grandpa::run_grandpa_voter(GrandpaParams {
        config,
        link: links.grandpa,
        network,
        sync,
        notification_service: protocols.grandpa,
        voting_rule: VotingRulesBuilder::default().build(),
        prometheus_registry: settings.registry,
        shared_voter_state: links.voter_state,
        telemetry: settings.telemetry,
        offchain_tx_pool_factory,
    })?;
    essential.spawn_blocking("grandpa-voter", Some("finality"), grandpa);
    Ok(())
}
