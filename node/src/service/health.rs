//! The health endpoint for load balancers.

use super::network::Network;
use crate::flags::HealthEndpoint;
use duet_finality::{
    probe::{serve, Probe},
    RpcLinks,
};
use sc_service::{Error, TaskManager};
use std::net::TcpListener;

/// A bound address that is not served yet.
pub(super) struct Health {
    listener: TcpListener,
    max_lag: u32,
}

/// Binds the address, if one is given: a node without its health endpoint must not come up.
pub(super) fn bind(endpoint: HealthEndpoint) -> Result<Option<Health>, Error> {
    let HealthEndpoint { listen, max_lag } = endpoint;
    let Some(address) = listen else {
        return Ok(None);
    };
    let listener = TcpListener::bind(address)
        .map_err(|error| Error::Other(format!("--duet-health-listen {address}: {error}")))?;
    Ok(Some(Health { listener, max_lag }))
}

impl Health {
    pub(super) fn start(self, links: &RpcLinks, network: &Network, task_manager: &TaskManager) {
        let probe = Probe {
            links: links.clone(),
            sync: network.sync.clone(),
            max_lag: self.max_lag,
        };
        let serving = serve(self.listener, probe);
        task_manager
            .spawn_handle()
            .spawn("duet-health", Some("rpc"), serving);
    }
}
