//! Aura: checks the authors of blocks, and makes blocks.

use super::{
    client::{Chain, FullClient, ImportQueue},
    finality::{BlockImport, Import},
    settings::{Settings, PROPOSAL_PORTION},
};
use duet_runtime::{types::opaque::Block, Hash};
use sc_consensus_aura::{
    ImportQueueParams, InherentDataProvider as Slot, SlotDuration, SlotProportion, StartAuraParams,
};
use sc_network_sync::SyncingService;
use sc_service::{Configuration, Error, TaskManager};
use sc_telemetry::TelemetryHandle;
use sp_consensus_aura::sr25519::AuthorityPair as AuraPair;
use sp_inherents::CreateInherentDataProviders;
use sp_timestamp::InherentDataProvider as Timestamp;
use std::sync::Arc;

/// The means of importing the node's own blocks.
pub(crate) struct Authoring {
    block_import: BlockImport,
}

/// The queue that checks each block's author, and then imports it through Duet and GRANDPA.
pub(crate) fn import(
    config: &Configuration,
    chain: &Chain,
    finality: &Import,
    task_manager: &mut TaskManager,
    telemetry: Option<TelemetryHandle>,
) -> Result<(Authoring, ImportQueue), Error> {
    let slot_duration = slot_duration(&chain.client)?;
    let block_import = finality.block_import.clone();
    let queue = sc_consensus_aura::import_queue::<AuraPair, _, _, _, _, _>(ImportQueueParams {
        block_import: block_import.clone(),
        justification_import: Some(finality.justification_import()),
        client: chain.client.clone(),
        create_inherent_data_providers: inherents(slot_duration),
        spawner: &task_manager.spawn_essential_handle(),
        registry: config.prometheus_registry(),
        check_for_equivocation: Default::default(),
        telemetry,
        compatibility_mode: Default::default(),
    })?;
    Ok((Authoring { block_import }, queue))
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
        let slot_duration = slot_duration(&chain.client)?;
        let proposer_factory = settings.proposers(chain, task_manager);
        let aura = sc_consensus_aura::start_aura::<AuraPair, _, _, _, _, _, _, _, _, _, _>(
            StartAuraParams {
                slot_duration,
                client: chain.client.clone(),
                select_chain: chain.select_chain.clone(),
                block_import: self.block_import,
                proposer_factory,
                create_inherent_data_providers: inherents(slot_duration),
                force_authoring: settings.force_authoring,
                backoff_authoring_blocks: None::<()>,
                keystore: chain.keystore.keystore(),
                sync_oracle: sync.clone(),
                justification_sync_link: sync,
                block_proposal_slot_portion: SlotProportion::new(PROPOSAL_PORTION),
                max_block_proposal_slot_portion: None,
                telemetry: settings.telemetry.clone(),
                compatibility_mode: Default::default(),
            },
        )?;
        // Essential: if authoring stops, the node should stop too, so that its supervisor notices.
        task_manager
            .spawn_essential_handle()
            .spawn_blocking("aura", Some("block-authoring"), aura);
        Ok(())
    }
}

fn slot_duration(client: &FullClient) -> Result<SlotDuration, Error> {
    Ok(sc_consensus_aura::slot_duration(client)?)
}

/// The inherent data that an author provides and a verifier expects: the time, and the slot that follows from it.
fn inherents(
    slot_duration: SlotDuration,
) -> impl CreateInherentDataProviders<Block, (), InherentDataProviders = (Slot, Timestamp)> {
    move |_: Hash, ()| async move {
        let timestamp = Timestamp::from_system_time();
        let slot = Slot::from_timestamp_and_slot_duration(*timestamp, slot_duration);
        Ok((slot, timestamp))
    }
}
