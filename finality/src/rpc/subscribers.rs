//! Subscriptions to justifications, bounded whether or not the subscribers read.
//!
//! A subscriber that does not read costs one task, the text of one justification, and its connection's buffer. It
//! gets no queue: when it reads again it gets the newest justification, and sees gaps by the numbers. It can request
//! missed ones by block or by set.

use super::error::RpcError;
use crate::{metrics::RpcMetrics, newest::Newest};
use futures::{select_biased, FutureExt};
use jsonrpsee::{ConnectionId, PendingSubscriptionSink, SubscriptionMessage};
use parking_lot::Mutex;
use std::{
    collections::{hash_map::Entry, HashMap},
    sync::Arc,
};
use tokio::sync::watch;

/// The most subscriptions of one connection: a program needs one, and a proxy a few.
pub(super) const MAX_PER_CONNECTION: u32 = 16;

/// The number of subscriptions of each connection. Cheap to clone; clones count together.
///
/// If a node listens on several addresses, connections of different ones may have the same number, and then share
/// their seats. A refused client opens another connection.
#[derive(Clone)]
pub(super) struct Seats {
    taken: Arc<Mutex<HashMap<usize, u32>>>,
    metrics: RpcMetrics,
}

impl Seats {
    /// No subscription yet.
    pub(super) fn new(metrics: RpcMetrics) -> Self {
        Self {
            taken: Arc::default(),
            metrics,
        }
    }

    /// The right to one more subscription on this connection.
    ///
    /// # Errors
    /// [`RpcError::Subscriptions`] when the connection has reached its limit.
    pub(super) fn take(&self, ConnectionId(connection): ConnectionId) -> Result<Seat, RpcError> {
        let mut taken = self.taken.lock();
        let count = taken.entry(connection).or_default();
        if *count >= MAX_PER_CONNECTION {
            self.metrics.refused.inc();
            return Err(RpcError::Subscriptions {
                most: MAX_PER_CONNECTION,
            });
        }
        *count = count.saturating_add(1);
        self.metrics.subscriptions.inc();
        Ok(Seat {
            seats: self.clone(),
            connection,
        })
    }
}

/// The right to one subscription; returned on drop.
pub(super) struct Seat {
    seats: Seats,
    connection: usize,
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.seats.metrics.subscriptions.dec();
        if let Entry::Occupied(mut taken) = self.seats.taken.lock().entry(self.connection) {
            let left = taken.get().saturating_sub(1);
            taken.insert(left);
            if left == 0 {
                taken.remove();
            }
        }
    }
}

/// Accepts a subscription and sends each justification published from now on; a slow subscriber gets only the newest.
/// Ends with the subscription.
pub(super) async fn serve(
    pending: PendingSubscriptionSink,
    mut newest: watch::Receiver<Newest>,
    seat: Seat,
) {
    let skipped = &seat.seats.metrics.skipped;
    let mut last = newest.borrow_and_update().count;
    let Ok(sink) = pending.accept().await else {
        return;
    };
    let closed = sink.closed().fuse();
    futures::pin_mut!(closed);
    loop {
        select_biased! {
            () = closed => return,
            // The node stops.
            changed = newest.changed().fuse() => if changed.is_err() { return },
        }
        // Until one is sent and no newer one has arrived meanwhile.
        loop {
            let Newest { count, proven } = newest.borrow_and_update().clone();
            let Some(proven) = proven else { break };
            skipped.inc_by(count.saturating_sub(last).saturating_sub(1));
            last = count;
            let message = SubscriptionMessage::from(proven.hex());
            drop(proven);
            select_biased! {
                () = closed => return,
                sent = sink.send(message).fuse() => match sent {
                    Ok(()) => break,
                    Err(_) => return,
                },
                changed = newest.changed().fuse() => {
                    if changed.is_err() {
                        return;
                    }
                    // This one is no longer sent: the next one is.
                    skipped.inc();
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "subscribers_tests.rs"]
mod tests;
