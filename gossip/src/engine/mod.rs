//! The gossip engine: receives peers' messages, and sends peers the messages that they lack. (GOSSIP-5, GOSSIP-8)
//!
//! One task owns the state of sending, so it decides without a lock. Incoming messages go to the [`GossipValidator`];
//! checked messages come back from it over a queue of [`Order`]s. At most one batch of messages is on its way to each
//! peer, and waits there for room: a peer that reads slowly delays nobody and costs no memory.
//!
//! The engine handles a part of everything that is ready, and then lets other tasks run: the number of events, orders
//! and sent messages per turn is bounded.

mod alarm;
mod notifications;
mod sending;

pub(crate) use notifications::events;
pub use notifications::{Event, NotSent, Outlet};

use crate::{
    clock::Clock,
    metrics::{count, Metrics},
    orders::{Order, Ordered},
    relaying::{Next, Relaying},
    validator::GossipValidator,
};
use alarm::Alarm;
use duet_voter::Millis;
use futures::{
    stream::{BoxStream, Fuse},
    StreamExt,
};
use sc_network_types::PeerId;
use sending::{Connections, Done};
use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

/// The most events per turn.
const EVENTS_AT_ONCE: usize = 128;
/// The number of received bytes that ends a turn: those of as many votes that come alone.
const BYTES_AT_ONCE: usize = EVENTS_AT_ONCE * 285;
/// The most orders per turn.
const ORDERS_AT_ONCE: usize = 256;
/// The number of sent messages that ends a turn.
const SENT_AT_ONCE: usize = 1_024;
/// The pause for a connection that took no message, although it is not closed.
const REST: Millis = 1_000;

/// The parts of an [`Engine`].
pub struct Parts {
    /// The events of the notification protocol.
    pub events: BoxStream<'static, Event>,
    /// Receives peers' messages.
    pub validator: Arc<GossipValidator>,
    /// The validator's orders to send and keep messages.
    pub orders: async_channel::Receiver<Order>,
    /// The interval after which messages are sent to peers again.
    pub rebroadcast: Millis,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Counts sent messages.
    pub metrics: Metrics,
}

/// A node's gossip engine. As a future, it ends when the events do.
pub struct Engine {
    events: Fuse<BoxStream<'static, Event>>,
    validator: Arc<GossipValidator>,
    orders: async_channel::Receiver<Order>,
    relaying: Relaying,
    connections: Connections,
    clock: Arc<dyn Clock>,
    alarm: Alarm,
    metrics: Metrics,
}

impl Engine {
    /// An engine without peers or messages.
    pub fn new(parts: Parts) -> Self {
        let Parts {
            events,
            validator,
            orders,
            rebroadcast,
            clock,
            metrics,
        } = parts;
        Self {
            events: events.fuse(),
            validator,
            orders,
            relaying: Relaying::new(rebroadcast, clock.now()),
            connections: Connections::default(),
            alarm: Alarm::new(clock.clone()),
            clock,
            metrics,
        }
    }

    /// Executes an order.
    fn take_orders(&mut self, context: &mut Context<'_>) -> Progress {
        let now = self.clock.now();
        for _ in 0..ORDERS_AT_ONCE {
            match self.orders.poll_next_unpin(context) {
                Poll::Ready(Some(order)) => self.carry_out(order, now),
                Poll::Ready(None) => return Progress::Ended,
                Poll::Pending => return Progress::Done,
            }
        }
        Progress::More
    }

    fn carry_out(&mut self, Order(ordered): Order, now: Millis) {
        match ordered {
            Ordered::Keep { message, holders } => self.relaying.keep(message, &holders, now),
            Ordered::Forget(topic) => self.relaying.forget(&topic),
            Ordered::Follow { horizon, set_len } => self.relaying.follow(horizon, set_len),
        }
    }

    /// Handles an event of the protocol.
    fn take_events(&mut self, context: &mut Context<'_>) -> Progress {
        let mut bytes = 0_usize;
        for _ in 0..EVENTS_AT_ONCE {
            if bytes >= BYTES_AT_ONCE {
                break;
            }
            match self.events.poll_next_unpin(context) {
                Poll::Ready(Some(event)) => {
                    if let Event::Received(_, notification) = &event {
                        bytes = bytes.saturating_add(notification.len());
                    }
                    self.on_event(event);
                }
                Poll::Ready(None) => return Progress::Ended,
                Poll::Pending => return Progress::Done,
            }
        }
        Progress::More
    }

    fn on_event(&mut self, event: Event) {
        match event {
            Event::Opened {
                peer,
                interest,
                version,
                outlet,
            } => {
                self.connections.open(peer, outlet, version);
                self.relaying.connected(peer, interest, self.clock.now());
                self.validator.connected(peer);
            }
            Event::Closed(peer) => {
                self.connections.close(&peer);
                self.relaying.disconnected(&peer);
                self.validator.disconnected(&peer);
            }
            Event::Received(peer, bytes) => {
                let known = self.validator.receive(&peer, &bytes);
                if known.is_empty() {
                    return;
                }
                // Known messages were ordered to be kept before, perhaps a moment ago.
                let orders = std::iter::from_fn(|| self.orders.try_recv().ok());
                let orders: Vec<_> = orders.take(ORDERS_AT_ONCE).collect();
                let now = self.clock.now();
                orders
                    .into_iter()
                    .for_each(|order| self.carry_out(order, now));
                for topic in known {
                    self.relaying.has(&peer, &topic);
                }
            }
        }
    }

    /// Sends an idle peer its next messages.
    fn send_next(&mut self, peer: PeerId, now: Millis) {
        match self
            .relaying
            .take(&peer, self.connections.batch_of(&peer), now)
        {
            Next::Messages(batch) => self.connections.send(peer, batch),
            Next::NotBefore(until) => self.connections.rest(&peer, until),
            Next::Nothing => self.connections.idle(&peer),
        }
    }

    /// Sends to all peers that can receive now.
    fn send(&mut self, now: Millis, context: &mut Context<'_>) -> Progress {
        for peer in self.connections.ready(now) {
            self.send_next(peer, now);
        }
        let mut sent = 0_usize;
        while sent < SENT_AT_ONCE {
            let Poll::Ready(done) = self.connections.poll_done(context) else {
                return Progress::Done;
            };
            sent = sent.saturating_add(done.sent.max(1));
            self.sent(done, now);
        }
        Progress::More
    }

    fn sent(&mut self, done: Done, now: Millis) {
        let Done {
            peer, sent, left, ..
        } = done;
        self.metrics.messages_sent.inc_by(count(sent));
        if left.is_empty() {
            return self.send_next(peer, now);
        }
        // Either the connection is closed, and that event is on its way, or another connection takes its place.
        self.relaying.give_back(&peer, left);
        self.connections.rest(&peer, now.saturating_add(REST));
    }

    /// Whether work is due without an event; otherwise waits for that time.
    fn is_due(&mut self, context: &mut Context<'_>) -> bool {
        let times = [
            self.relaying.repeats_at(),
            self.relaying.releases_at(),
            self.connections.ready_at(),
        ];
        let next = times.into_iter().flatten().min();
        next.is_some_and(|at| self.alarm.poll_at(at, context).is_ready())
    }
}

/// The result of one part of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// Nothing more is ready.
    Done,
    /// More may be ready.
    More,
    /// The source has ended.
    Ended,
}

impl Future for Engine {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        let events = this.take_events(context);
        let orders = this.take_orders(context);
        if [events, orders].contains(&Progress::Ended) {
            return Poll::Ready(());
        }
        let now = this.clock.now();
        this.relaying.repeat(now);
        this.relaying.release(now);
        let sent = this.send(now, context);
        this.metrics.messages_kept.set(count(this.relaying.len()));
        if [events, orders, sent].contains(&Progress::More) || this.is_due(context) {
            context.waker().wake_by_ref();
        }
        Poll::Pending
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.validator.close();
    }
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
