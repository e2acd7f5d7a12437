//! Encrypted readings for the operators' collector (feature `encrypted-telemetry`).

use super::{
    client::{Chain, FullClient},
    network::Network,
};
use crate::flags::EncryptedTelemetry;
use duet_meter::Meter;
use duet_runtime::types::opaque::Block;
use duet_telemetry::Group;
use duet_telemetry_node::{run, Params};
use sc_service::{Configuration, Error, TaskManager};
use std::time::Duration;

/// The collector of readings.
pub(crate) struct Readings {
    group: Group,
    url: String,
    every: Duration,
    meter: Meter,
}

impl Readings {
    /// Reads the group's key, if the operator names one.
    pub(crate) fn new(
        config: &Configuration,
        options: EncryptedTelemetry,
        meter: Meter,
    ) -> Result<Option<Self>, Error> {
        let (Some(key), Some(url)) = (options.key, options.url) else {
            return Ok(None);
        };
        let group = Group::read(&key, config.chain_spec.id().to_owned());
        Ok(Some(Self {
            group: group.map_err(|error| Error::Application(Box::new(error)))?,
            url,
            every: Duration::from_secs(options.interval),
            meter,
        }))
    }

    /// Spawns the sender. The node keeps running without it.
    pub(crate) fn start(self, chain: &Chain, network: &Network, task_manager: &TaskManager) {
        let sync = network.sync.clone();
        let sender = run::<Block, FullClient>(Params {
            client: chain.client.clone(),
            group: self.group,
            url: self.url,
            every: self.every,
            meter: self.meter,
            peers: Box::new(move || sync.num_connected_peers()),
        });
        task_manager
            .spawn_handle()
            .spawn_blocking("duet-telemetry", Some("telemetry"), sender);
    }
}
