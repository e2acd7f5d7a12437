//! Turns: the number of concurrent calls, per connection and in total.
//!
//! A waiting call costs its parameters and no thread. Each connection has a few turns, and the total is also limited,
//! so that a busy connection delays itself and no other.

use super::error::RpcError;
use crate::metrics::RpcMetrics;
use jsonrpsee::{ConnectionId, Extensions};
use parking_lot::Mutex;
use std::{collections::HashMap, sync::Arc, thread::available_parallelism};
use tokio::{sync::Semaphore, task::spawn_blocking};

/// The most running calls of one connection; further ones wait.
pub const MAX_RUNNING: usize = 2;
/// The most open calls of one connection, running or waiting; further ones are refused.
pub const MAX_OPEN: usize = 64;

/// The turns of all connections. Cheap to clone; clones count together.
#[derive(Clone)]
pub(super) struct Turns {
    lines: Arc<Mutex<HashMap<usize, Line>>>,
    all: Arc<Semaphore>,
    metrics: RpcMetrics,
}

/// The calls of one connection.
struct Line {
    open: usize,
    turns: Arc<Semaphore>,
}

impl Turns {
    /// Half as many turns in total as processors, but at least two: the other half is the node's.
    pub(super) fn new(metrics: RpcMetrics) -> Self {
        let processors = available_parallelism().map_or(1, usize::from);
        Self::with_total(metrics, processors.div_ceil(2).max(2))
    }

    fn with_total(metrics: RpcMetrics, total: usize) -> Self {
        Self {
            lines: Arc::default(),
            all: Arc::new(Semaphore::new(total)),
            metrics,
        }
    }

    /// Runs blocking work on a thread, when it is this connection's turn. The work continues even if the caller
    /// leaves meanwhile, and its turn is returned at its end.
    ///
    /// # Errors
    /// [`RpcError::Calls`] when the connection has reached its limit of open calls.
    pub(super) async fn run<R: Send + 'static>(
        &self,
        ext: &Extensions,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, RpcError> {
        let place = self.queue(ext)?;
        let turns = place.turns.clone();
        let gone = |_| RpcError::NoAnswer;
        let own = turns.acquire_owned().await.map_err(gone)?;
        let one_of_all = self.all.clone().acquire_owned().await.map_err(gone)?;
        let work = move || {
            let _held = (place, own, one_of_all);
            work()
        };
        spawn_blocking(work).await.map_err(|_| RpcError::NoAnswer)
    }

    /// A place in a connection's line. If a node listens on several addresses, connections of different ones may have
    /// the same number, and then share a line.
    fn queue(&self, ext: &Extensions) -> Result<Place, RpcError> {
        let ConnectionId(connection) = ext.get().copied().unwrap_or(ConnectionId(0));
        let mut lines = self.lines.lock();
        let line = lines.entry(connection).or_insert_with(|| Line {
            open: 0,
            turns: Arc::new(Semaphore::new(MAX_RUNNING)),
        });
        if line.open >= MAX_OPEN {
            self.metrics.refused_calls.inc();
            return Err(RpcError::Calls { most: MAX_OPEN });
        }
        line.open = line.open.saturating_add(1);
        Ok(Place {
            of: self.clone(),
            connection,
            turns: line.turns.clone(),
        })
    }
}

/// A running or waiting call; it leaves the line on drop.
struct Place {
    of: Turns,
    connection: usize,
    turns: Arc<Semaphore>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut lines = self.of.lines.lock();
        if let Some(line) = lines.get_mut(&self.connection) {
            line.open = line.open.saturating_sub(1);
            if line.open == 0 {
                lines.remove(&self.connection);
            }
        }
    }
}

#[cfg(test)]
#[path = "turns_tests.rs"]
mod tests;
