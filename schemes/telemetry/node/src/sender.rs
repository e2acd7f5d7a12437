//! Takes a reading now and then, and sends it.

use crate::{outbox::Outbox, LOG_TARGET};
use duet_meter::Meter;
use duet_telemetry::{Group, Hour};
use futures::StreamExt;
use rand_core::OsRng;
use sc_client_api::BlockchainEvents;
use sp_blockchain::HeaderBackend;
use sp_runtime::traits::{Block as BlockT, NumberFor};
use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};
use tokio::time::{interval, MissedTickBehavior};

/// The parameters of [`run`].
pub struct Params<Client> {
    /// The client.
    pub client: Arc<Client>,
    /// Who reads the sums.
    pub group: Group,
    /// The collector: `ws://` or `wss://`.
    pub url: String,
    /// How often a reading is taken.
    pub every: Duration,
    /// The meter of the block import.
    pub meter: Meter,
    /// How many peers the node has.
    pub peers: Box<dyn Fn() -> usize + Send>,
}

/// Runs until the node stops. It encrypts: spawn it as a blocking task.
pub async fn run<Block, Client>(params: Params<Client>)
where
    Block: BlockT,
    NumberFor<Block>: Into<u32>,
    Client: BlockchainEvents<Block> + HeaderBackend<Block> + Send + Sync + 'static,
{
    let mut imports = params.client.import_notification_stream();
    let mut outbox = Outbox::new(params.url);
    let mut figures = params.meter.reader();
    let mut ticks = interval(params.every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {
                if let Some(figures) = figures.turn((params.peers)()) {
                    let figures: Vec<_> = figures
                        .iter()
                        .map(|(metric, number)| (metric.name(), *number))
                        .collect();
                    let hour = Hour::of(SystemTime::now());
                    match params.group.encrypt(hour, &figures, &mut OsRng) {
                        Ok(batch) => outbox.put(batch),
                        Err(error) => log::warn!(target: LOG_TARGET, "cannot encrypt a reading: {error}"),
                    }
                }
                outbox.send().await;
            }
            imported = imports.next() => match imported {
                Some(_) => {
                    let info = params.client.info();
                    let (best, finalized): (u32, u32) =
                        (info.best_number.into(), info.finalized_number.into());
                    params.meter.lag(best.saturating_sub(finalized));
                }
                None => return,
            },
        }
    }
}
