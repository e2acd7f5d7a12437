//! What passes between the gossip engine and a network back end.

use codec::Encode;
use duet_gossip::notification::messages_of;
use parking_lot::{Condvar, Mutex};
use sc_network::{
    error::Error,
    service::traits::{MessageSink, NotificationEvent},
    NotificationService, ProtocolName,
};
use sc_network_types::PeerId;
use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

/// What one node sent and received so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    /// How often each message arrived.
    pub(crate) received: HashMap<Vec<u8>, usize>,
    /// How many notifications with several messages arrived.
    pub(crate) bundles: usize,
    /// How many notifications were given to the back end.
    pub(crate) sent: usize,
    /// How often a stream was opened.
    pub(crate) opened: usize,
    /// How often a stream was opened over an older version of the protocol.
    pub(crate) older: usize,
    /// How often a stream was closed.
    pub(crate) closed: usize,
    /// How many notifications wait for room with the back end.
    pub(crate) waiting: usize,
    /// When the last message arrived that had not arrived before.
    pub(crate) completed: Option<Instant>,
}

impl Log {
    /// How many messages arrived.
    pub(crate) fn arrivals(&self) -> usize {
        self.received.values().sum()
    }

    /// How often a message arrived.
    pub(crate) fn copies(&self, message: &[u8]) -> usize {
        self.received.get(message).copied().unwrap_or(0)
    }

    /// How often the message that arrived most arrived.
    pub(crate) fn most_copies(&self) -> usize {
        self.received.values().copied().max().unwrap_or(0)
    }

    /// How often the message that arrived least, of those that did, arrived.
    pub(crate) fn fewest_copies(&self) -> usize {
        self.received.values().copied().min().unwrap_or(0)
    }
}

/// Counts what passes. Clones count together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tap(Arc<(Mutex<Log>, Condvar)>);

/// How long a test waits for something before it fails: far longer than it takes on a loaded machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

impl Tap {
    /// What passed so far.
    pub(crate) fn log(&self) -> Log {
        self.0 .0.lock().clone()
    }

    /// Waits until something holds for what passed, and fails when it takes too long.
    pub(crate) fn wait_until(&self, what: &str, holds: impl FnMut(&mut Log) -> bool) {
        assert!(self.holds_within(PATIENCE, holds), "waited for {what}");
    }

    /// Whether something holds for what passed before this time is over.
    pub(crate) fn holds_within(
        &self,
        time: Duration,
        mut holds: impl FnMut(&mut Log) -> bool,
    ) -> bool {
        let (log, changed) = &*self.0;
        let deadline = Instant::now() + time;
        let mut log = log.lock();
        while !holds(&mut log) {
            if changed.wait_until(&mut log, deadline).timed_out() {
                return holds(&mut log);
            }
        }
        true
    }

    /// Waits until nothing goes out any more: either there is no room for it, or all is on its way.
    pub(crate) fn wait_until_full(&self) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let before = self.log().sent;
            let goes_on = self.holds_within(Duration::from_millis(300), |log| log.sent > before);
            if !goes_on && before > 0 {
                return;
            }
            assert!(Instant::now() < deadline, "waited for a full connection");
        }
    }

    fn record(&self, change: impl FnOnce(&mut Log)) {
        let (log, changed) = &*self.0;
        change(&mut log.lock());
        changed.notify_all();
    }

    /// The service, counted.
    pub(crate) fn on(&self, service: Box<dyn NotificationService>) -> Box<dyn NotificationService> {
        Box::new(Tapped {
            service,
            tap: self.clone(),
        })
    }
}

/// A notification service of a back end, counted.
#[derive(Debug)]
struct Tapped {
    service: Box<dyn NotificationService>,
    tap: Tap,
}

#[async_trait::async_trait]
impl NotificationService for Tapped {
    async fn open_substream(&mut self, peer: PeerId) -> Result<(), ()> {
        self.service.open_substream(peer).await
    }

    async fn close_substream(&mut self, peer: PeerId) -> Result<(), ()> {
        self.service.close_substream(peer).await
    }

    fn send_sync_notification(&mut self, peer: &PeerId, notification: Vec<u8>) {
        self.service.send_sync_notification(peer, notification);
        self.tap.record(|log| log.sent += 1);
    }

    async fn send_async_notification(
        &mut self,
        peer: &PeerId,
        notification: Vec<u8>,
    ) -> Result<(), Error> {
        self.service
            .send_async_notification(peer, notification)
            .await
    }

    async fn set_handshake(&mut self, handshake: Vec<u8>) -> Result<(), ()> {
        self.service.set_handshake(handshake).await
    }

    fn try_set_handshake(&mut self, handshake: Vec<u8>) -> Result<(), ()> {
        self.service.try_set_handshake(handshake)
    }

    async fn next_event(&mut self) -> Option<NotificationEvent> {
        let event = self.service.next_event().await?;
        self.tap.record(|log| match &event {
            NotificationEvent::NotificationReceived { notification, .. } => {
                let messages = messages_of(notification).expect("nodes send messages");
                log.bundles += usize::from(messages.len() > 1);
                for message in messages {
                    let copies = log.received.entry(message.encode()).or_default();
                    *copies += 1;
                    if *copies == 1 {
                        log.completed = Some(Instant::now());
                    }
                }
            }
            NotificationEvent::NotificationStreamOpened {
                negotiated_fallback,
                ..
            } => {
                log.opened += 1;
                log.older += usize::from(negotiated_fallback.is_some());
            }
            NotificationEvent::NotificationStreamClosed { .. } => log.closed += 1,
            NotificationEvent::ValidateInboundSubstream { .. } => {}
        });
        Some(event)
    }

    fn clone(&mut self) -> Result<Box<dyn NotificationService>, ()> {
        Ok(self.tap.on(self.service.clone()?))
    }

    fn protocol(&self) -> &ProtocolName {
        self.service.protocol()
    }

    fn message_sink(&self, peer: &PeerId) -> Option<Box<dyn MessageSink>> {
        let sink = self.service.message_sink(peer)?;
        let tap = self.tap.clone();
        Some(Box::new(TappedSink { sink, tap }))
    }
}

/// The sink of a back end, counted.
struct TappedSink {
    sink: Box<dyn MessageSink>,
    tap: Tap,
}

#[async_trait::async_trait]
impl MessageSink for TappedSink {
    fn send_sync_notification(&self, notification: Vec<u8>) {
        self.sink.send_sync_notification(notification);
        self.tap.record(|log| log.sent += 1);
    }

    async fn send_async_notification(&self, notification: Vec<u8>) -> Result<(), Error> {
        self.tap.record(|log| log.waiting += 1);
        // Also when it is given up, because the stream was closed.
        let _waits = Waits(self.tap.clone());
        self.sink.send_async_notification(notification).await?;
        self.tap.record(|log| log.sent += 1);
        Ok(())
    }
}

/// A notification that waits for room, until this is dropped.
struct Waits(Tap);

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.record(|log| log.waiting -= 1);
    }
}
