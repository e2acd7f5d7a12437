//! GRANDPA and Duet: importing blocks, and voting.

use super::{
    client::{Chain, FullBackend, FullClient, SelectChain},
    network::{Network, Protocols},
    settings::Settings,
};
use duet_finality::{DuetBlockImport, Registered, Setup};
#[cfg(feature = "meter")]
use duet_meter::{Meter, TimedImport};
use duet_runtime::types::opaque::Block;
use sc_consensus::BoxJustificationImport;
use sc_consensus_grandpa::{
    GrandpaBlockImport, GrandpaParams, LinkHalf, SharedVoterState, VotingRulesBuilder,
};
use sc_service::{Configuration, Error, TaskManager};
use sc_telemetry::TelemetryHandle;
use sc_transaction_pool_api::OffchainTransactionPoolFactory;
use std::time::Duration;

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

/// Duet before and after the network has its protocols.
pub(crate) type DuetSetup = Setup<Block, FullBackend, FullClient>;
pub(crate) type Duet = Registered<Block, FullBackend, FullClient>;

/// The import side of finality, and its links to the voting side.
pub(crate) struct Import {
    pub(crate) block_import: BlockImport,
    pub(crate) links: Links,
    pub(crate) duet: DuetSetup,
    /// Records the duration of each import.
    #[cfg(feature = "meter")]
    pub(crate) meter: Meter,
    grandpa: Grandpa,
}

/// The links between import, voter and RPC of GRANDPA.
pub(crate) struct Links {
    pub(crate) grandpa: LinkHalf<Block, FullClient, SelectChain>,
    /// GRANDPA's voter publishes the state of its rounds here.
    pub(crate) voter_state: SharedVoterState,
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
    let (block_import, duet) = Setup::new(
        config,
        &grandpa_import,
        &grandpa,
        &chain.client,
        &chain.backend,
    );
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
        },
        duet,
        grandpa: grandpa_import,
    })
}

/// Starts GRANDPA's voter. Without keys of the set, it follows.
pub(crate) fn start_grandpa(
    settings: Settings,
    chain: &Chain,
    links: Links,
    network: Network,
    protocols: Protocols,
    task_manager: &TaskManager,
) -> Result<(), Error> {
    let Network {
        service: network,
        sync,
    } = network;
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
        offchain_tx_pool_factory: OffchainTransactionPoolFactory::new(
            chain.transaction_pool.clone(),
        ),
    })?;
    let essential = task_manager.spawn_essential_handle();
    essential.spawn_blocking("grandpa-voter", Some("finality"), grandpa);
    Ok(())
}
