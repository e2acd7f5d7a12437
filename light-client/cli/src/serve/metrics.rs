//! Metrics for Prometheus, of `--metrics`. Names begin with `duet_light_`.

use crate::serve::chain::{Chain, Head};
use duet_light_rpc::{Failure, Kind};
use prometheus_endpoint::{init_prometheus, register, Gauge, PrometheusError, Registry, U64};
use std::{future::pending, net::SocketAddr};

struct Metrics {
    block: Gauge<U64>,
    block_time: Gauge<U64>,
    set: Gauge<U64>,
    endpoints: Gauge<U64>,
}

impl Metrics {
    fn register(registry: &Registry) -> Result<Self, PrometheusError> {
        let gauge = |name: &str, help: &str| {
            register(Gauge::new(format!("duet_light_{name}"), help)?, registry)
        };
        Ok(Self {
            block: gauge("best_block", "Newest proven block")?,
            block_time: gauge(
                "best_block_timestamp_seconds",
                "Proven time of the newest proven block, as Unix time; 0 while it is not known",
            )?,
            set: gauge("best_set", "Newest set that a proof names")?,
            endpoints: gauge("endpoints", "Endpoints in use: those that have not lied")?,
        })
    }

    async fn show(&self, chain: &Chain, head: &Head) {
        self.block.set(u64::from(head.block.number().get()));
        self.set.set(head.trusted.latest_set().id.get());
        self.endpoints.set(chain.endpoints());
        let dated = chain.dated(Some(head.block.hash())).await;
        self.block_time
            .set(dated.ok().flatten().map_or(0, |dated| dated.time / 1000));
    }

    /// Shows each head, until the server stops.
    async fn follow(&self, chain: &Chain) {
        let mut heads = chain.heads();
        loop {
            let head = heads.borrow_and_update().clone();
            if let Some(head) = head {
                self.show(chain, &head).await;
            }
            if heads.changed().await.is_err() {
                return;
            }
        }
    }
}

/// Serves the metrics at an address. Returns only when that is not possible.
pub(super) async fn serve(address: SocketAddr, chain: &Chain) -> Failure {
    let failed = |why: String| {
        let message = format!("--metrics: cannot serve metrics at {address}: {why}");
        Failure::new(Kind::Local, message)
    };
    let registry = Registry::new();
    let metrics = match Metrics::register(&registry) {
        Ok(metrics) => metrics,
        Err(error) => return failed(error.to_string()),
    };
    let shown = async {
        metrics.follow(chain).await;
        pending().await
    };
    tokio::select! {
        served = init_prometheus(address, registry) => {
            failed(served.map_or_else(|error| error.to_string(), |()| "the server stopped".to_owned()))
        }
        never = shown => never,
    }
}
