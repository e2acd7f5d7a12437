//! The connections, and the batch on its way to each: one at most, and the next one once it is handed over.

use super::notifications::Outlet;
use crate::{
    notification::{next_notification, MAX_BUNDLED},
    protocol::BUNDLES_SINCE,
    relaying::Taken,
};
use duet_voter::Millis;
use futures::{
    future::{abortable, AbortHandle, BoxFuture},
    stream::FuturesUnordered,
    FutureExt, StreamExt,
};
use sc_network_types::PeerId;
use std::{
    collections::HashMap,
    sync::Arc,
    task::{Context, Poll},
};

/// The most messages that are on their way at once to a peer without bundles. Twice a connection's room.
pub(super) const SINGLE: usize = 16;

/// Distinguishes a connection from earlier ones of the same peer.
type Serial = u64;

struct Connection {
    serial: Serial,
    /// Of the protocol.
    version: u16,
    outlet: Arc<dyn Outlet>,
    state: State,
}

enum State {
    /// Nothing is on its way.
    Idle,
    /// Nothing is sent before this time.
    Resting(Millis),
    /// A batch is on its way.
    Sending(AbortHandle),
}

/// A batch that is no longer on its way.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) peer: PeerId,
    /// How many messages were handed over.
    pub(super) sent: usize,
    /// The messages that the connection did not take.
    pub(super) left: Vec<Taken>,
    serial: Serial,
}

/// The connections.
#[derive(Default)]
pub(super) struct Connections {
    open: HashMap<PeerId, Connection>,
    on_their_way: FuturesUnordered<BoxFuture<'static, Option<Done>>>,
    opened: Serial,
}

impl Connections {
    /// A peer can receive messages from now on.
    pub(super) fn open(&mut self, peer: PeerId, outlet: Arc<dyn Outlet>, version: u16) {
        self.close(&peer);
        self.opened = self.opened.wrapping_add(1);
        let connection = Connection {
            serial: self.opened,
            version,
            outlet,
            state: State::Idle,
        };
        self.open.insert(peer, connection);
    }

    /// A peer is gone, together with the messages on their way to it.
    pub(super) fn close(&mut self, peer: &PeerId) {
        let closed = self.open.remove(peer);
        if let Some(State::Sending(batch)) = closed.map(|connection| connection.state) {
            batch.abort();
        }
    }

    /// The peers that can receive messages now.
    pub(super) fn ready(&self, now: Millis) -> Vec<PeerId> {
        let ready = self
            .open
            .iter()
            .filter(|(_, connection)| match connection.state {
                State::Idle => true,
                State::Resting(until) => until <= now,
                State::Sending(_) => false,
            });
        ready.map(|(peer, _)| *peer).collect()
    }

    /// When the first resting peer can receive messages again.
    pub(super) fn ready_at(&self) -> Option<Millis> {
        let resting = self
            .open
            .values()
            .filter_map(|connection| match connection.state {
                State::Resting(until) => Some(until),
                State::Idle | State::Sending(_) => None,
            });
        resting.min()
    }

    /// Sends a batch to an idle peer.
    pub(super) fn send(&mut self, peer: PeerId, batch: Vec<Taken>) {
        let Some(connection) = self.open.get_mut(&peer) else {
            return;
        };
        let serial = connection.serial;
        let sent = hand_over(connection.outlet.clone(), batch, connection.version);
        let sent = sent.map(move |(sent, left)| Done {
            peer,
            sent,
            left,
            serial,
        });
        let (sent, handle) = abortable(sent);
        connection.state = State::Sending(handle);
        self.on_their_way.push(sent.map(Result::ok).boxed());
    }

    /// The most messages for a peer at once.
    pub(super) fn batch_of(&self, peer: &PeerId) -> usize {
        match self.open.get(peer) {
            Some(connection) if connection.version >= BUNDLES_SINCE => MAX_BUNDLED,
            _ => SINGLE,
        }
    }

    /// A peer lacks nothing for now.
    pub(super) fn idle(&mut self, peer: &PeerId) {
        if let Some(connection) = self.open.get_mut(peer) {
            connection.state = State::Idle;
        }
    }

    /// Nothing is sent to a peer before this time.
    pub(super) fn rest(&mut self, peer: &PeerId, until: Millis) {
        if let Some(connection) = self.open.get_mut(peer) {
            connection.state = State::Resting(until);
        }
    }

    /// Waits for the next batch to finish; pending while there is none.
    pub(super) fn poll_done(&mut self, context: &mut Context<'_>) -> Poll<Done> {
        while let Poll::Ready(Some(done)) = self.on_their_way.poll_next_unpin(context) {
            // A batch to a closed connection does not count.
            let Some(done) = done else {
                continue;
            };
            let connection = self.open.get_mut(&done.peer);
            let current = connection.filter(|connection| connection.serial == done.serial);
            if let Some(connection) = current {
                connection.state = State::Idle;
                return Poll::Ready(done);
            }
        }
        Poll::Pending
    }
}

/// Hands messages over, one notification after the other; returns their number, and the rest when the connection takes
/// no more.
async fn hand_over(
    outlet: Arc<dyn Outlet>,
    mut batch: Vec<Taken>,
    version: u16,
) -> (usize, Vec<Taken>) {
    let mut sent = 0_usize;
    while let Some((notification, len)) =
        next_notification(batch.get(sent..).unwrap_or(&[]), version)
    {
        if outlet.send(notification).await.is_err() {
            break;
        }
        sent = sent.saturating_add(len);
    }
    (sent, batch.split_off(sent))
}
