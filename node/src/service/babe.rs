//! BABE: checks the authors of blocks, and makes blocks.

use super::{
    client::{Chain, FullClient, ImportQueue, SelectChain},
    finality::{BlockImport, Import},
    settings::{Settings, PROPOSAL_PORTION},
};
use duet_runtime::{types::opaque::Block, Hash};
use sc_consensus_babe::{BabeBlockImport, BabeLink, BabeParams, ImportQueueParams, SlotProportion};
use sc_network_sync::SyncingService;
use sc_service::{Configuration, Error, TaskManager};
use sc_telemetry::TelemetryHandle;
use sc_transaction_pool_api::OffchainTransactionPoolFactory;
use sp_consensus_babe::inherents::{BabeCreateInherentDataProviders, InherentDataProvider as Slot};
use sp_timestamp::InherentDataProvider as Timestamp;
use std::sync::Arc;

type Inherents = BabeCreateInherentDataProviders<Block>;
/// Imports a block: BABE's part, inside of it Duet's, inside of it GRANDPA's.
type Babe = BabeBlockImport<Block, FullClient, BlockImport, Inherents, SelectChain>;

/// The means of importing the node's own blocks.
pub(crate) struct Authoring {
    block_import: Babe,
    link: BabeLink<Block>,
    inherents: Inherents,
}

/// The queue that checks each block's author, and then imports it through BABE, Duet and GRANDPA.
pub(crate) fn import(
    config: &Configuration,
    chain: &Chain,
    finality: &Import,
    task_manager: &mut TaskManager,
    telemetry: Option<TelemetryHandle>,
) -> Result<(Authoring, ImportQueue), Error> {
    let babe = sc_consensus_babe::configuration(&*chain.client)?;
    let slot_duration = babe.slot_duration();
    // The time, and the slot that follows from it: an author provides both, and a verifier expects them.
    let inherents: Inherents = Arc::new(move |_: Hash, ()| async move {
        let timestamp = Timestamp::from_system_time();
        let slot = Slot::from_timestamp_and_slot_duration(*timestamp, slot_duration);
        Ok((slot, timestamp))
    });
    let (block_import, link) = sc_consensus_babe::block_import(
        babe,
        finality.block_import.clone(),
        chain.client.clone(),
        inherents.clone(),
        chain.select_chain.clone(),
        OffchainTransactionPoolFactory::new(chain.transaction_pool.clone()),
    )?;
    let (queue, worker) = sc_consensus_babe::import_queue(ImportQueueParams {
        link: link.clone(),
        block_import: block_import.clone(),
        justification_import: Some(finality.justification_import()),
        client: chain.client.clone(),
        slot_duration,
        spawner: &task_manager.spawn_essential_handle(),
        registry: config.prometheus_registry(),
        telemetry,
    })?;
    let authoring = Authoring {
        block_import,
        link,
        inherents,
    };
    // The task that answers questions about epochs is essential, and would end with its last handle.
    task_manager.keep_alive(worker);
    Ok((authoring, queue))
}

impl Authoring {
    /// Starts authoring.
    pub(super) fn start(
        self,
        settings: &Settings,
        chain: &Chain,
        sync: Arc<SyncingService<Block>>,
        task_manager: &TaskManager,
    ) -> Result<(), Error> {
        let babe = sc_consensus_babe::start_babe(BabeParams {
            keystore: chain.keystore.keystore(),
            client: chain.client.clone(),
            select_chain: chain.select_chain.clone(),
            env: settings.proposers(chain, task_manager),
            block_import: self.block_import,
            sync_oracle: sync.clone(),
            justification_sync_link: sync,
            create_inherent_data_providers: self.inherents,
            force_authoring: settings.force_authoring,
            backoff_authoring_blocks: None::<()>,
            babe_link: self.link,
            block_proposal_slot_portion: SlotProportion::new(PROPOSAL_PORTION),
            max_block_proposal_slot_portion: None,
            telemetry: settings.telemetry.clone(),
        })?;
        // Essential: if authoring stops, the node should stop too, so that its supervisor notices.
        task_manager
            .spawn_essential_handle()
            .spawn_blocking("babe", Some("block-authoring"), babe);
        Ok(())
    }
}
