//! Authority discovery: validators publish their nodes' addresses in the network's table, signed by their session
//! keys, and every node can look them up.

use super::{client::Chain, network::Network};
use futures::StreamExt;
use sc_authority_discovery::{new_worker_and_service_with_config, Role, WorkerConfig};
use sc_network::event::Event;
use sc_service::{Configuration, TaskManager};

/// The part of the configuration that discovery needs, which the SDK's own tasks consume.
pub(crate) struct Discovery {
    config: WorkerConfig,
    is_authority: bool,
    registry: Option<prometheus_endpoint::Registry>,
}

impl Discovery {
    pub(crate) fn new(config: &Configuration) -> Self {
        let network = &config.network;
        Self {
            config: WorkerConfig {
                publish_non_global_ips: network.allow_non_globals_in_dht,
                public_addresses: network.public_addresses.clone(),
                // No node of this chain is older than signed records.
                strict_record_validation: true,
                persisted_cache_directory: network.net_config_path.clone(),
                ..WorkerConfig::default()
            },
            is_authority: config.role.is_authority(),
            registry: config.prometheus_registry().cloned(),
        }
    }

    /// Spawns the worker. The node keeps running without it.
    pub(crate) fn start(self, chain: &Chain, network: &Network, task_manager: &TaskManager) {
        let role = match self.is_authority {
            true => Role::PublishAndDiscover(chain.keystore.keystore()),
            false => Role::Discover,
        };
        let events = network.service.event_stream("authority-discovery");
        let of_table = events.filter_map(|event| async move {
            match event {
                Event::Dht(event) => Some(event),
                _ => None,
            }
        });
        let (worker, _service) = new_worker_and_service_with_config(
            self.config,
            chain.client.clone(),
            std::sync::Arc::new(network.service.clone()),
            Box::pin(of_table),
            role,
            self.registry,
            task_manager.spawn_handle(),
        );
        task_manager.spawn_handle().spawn(
            "authority-discovery-worker",
            Some("networking"),
            worker.run(),
        );
    }
}
