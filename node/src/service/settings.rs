//! The settings that outlive the configuration.

use super::client::{Chain, FullClient, Pool};
use prometheus_endpoint::Registry;
use sc_basic_authorship::ProposerFactory;
use sc_service::{config::Role, Configuration, TaskManager};
use sc_telemetry::TelemetryHandle;

/// The share of a slot for filling the block; the rest is for sending and importing it.
pub(super) const PROPOSAL_PORTION: f32 = 2.0 / 3.0;

/// The part of the configuration that the voters and the author need, and that the SDK's own tasks consume.
pub(super) struct Settings {
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) is_authority: bool,
    pub(super) force_authoring: bool,
    pub(super) offchain_workers: bool,
    pub(super) disable_grandpa: bool,
    pub(super) registry: Option<Registry>,
    pub(super) telemetry: Option<TelemetryHandle>,
}

impl Settings {
    pub(super) fn new(config: &Configuration, telemetry: Option<TelemetryHandle>) -> Self {
        Self {
            name: config.network.node_name.clone(),
            role: config.role,
            is_authority: config.role.is_authority(),
            force_authoring: config.force_authoring,
            offchain_workers: config.offchain_worker.enabled,
            disable_grandpa: config.disable_grandpa,
            registry: config.prometheus_registry().cloned(),
            telemetry,
        }
    }

    /// Fills the blocks that this node authors.
    pub(super) fn proposers(
        &self,
        chain: &Chain,
        task_manager: &TaskManager,
    ) -> ProposerFactory<Pool, FullClient> {
        ProposerFactory::new(
            task_manager.spawn_handle(),
            chain.client.clone(),
            chain.transaction_pool.clone(),
            self.registry.as_ref(),
            self.telemetry.clone(),
        )
    }
}
