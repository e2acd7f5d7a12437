//! The engine's view of the notification protocol, and its adapter for the SDK's.
//!
//! The engine knows that a connection is open, and that a notification can be handed over once there is room. Both
//! network back ends have room for eight notifications of a peer, which the connection takes as fast as the peer
//! reads. For senders that do not wait for room (`send_sync_notification`), the back end closes the stream or the
//! whole connection when 2 048 wait.

use crate::{interest::Interest, protocol::Protocol, LOG_TARGET};
use futures::{
    future::BoxFuture,
    stream::{self, BoxStream},
    FutureExt, StreamExt,
};
use sc_network::{
    service::traits::{MessageSink, NotificationEvent, ValidationResult},
    NotificationService,
};
use sc_network_types::PeerId;
use std::sync::Arc;

/// An event of the notification protocol.
pub enum Event {
    /// A peer can receive notifications from now on.
    Opened {
        /// The peer.
        peer: PeerId,
        /// The peer's interest.
        interest: Interest,
        /// The version of the protocol that both speak.
        version: u16,
        /// The sink of its notifications.
        outlet: Arc<dyn Outlet>,
    },
    /// A peer can no longer receive notifications.
    Closed(PeerId),
    /// A peer sent a notification.
    Received(PeerId, Vec<u8>),
}

/// The sink of one peer's notifications.
pub trait Outlet: Send + Sync {
    /// Waits for room for a notification, and hands it over.
    fn send(&self, notification: Vec<u8>) -> BoxFuture<'_, Result<(), NotSent>>;
}

/// The connection is closed, is closing, or was replaced by another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the connection is closed")]
pub struct NotSent;

/// The SDK's connection. It stays the same value when another connection takes its place.
struct SdkOutlet(Box<dyn MessageSink>);

impl Outlet for SdkOutlet {
    fn send(&self, notification: Vec<u8>) -> BoxFuture<'_, Result<(), NotSent>> {
        let sent = self.0.send_async_notification(notification);
        sent.map(|sent| sent.map_err(|_| NotSent)).boxed()
    }
}

/// The events of this service's protocol, until the network shuts down.
///
/// Every substream is accepted: the network only lets in the peers of the protocol's reserved set.
pub(crate) fn events(service: Box<dyn NotificationService>) -> BoxStream<'static, Event> {
    // One future for the whole time until an event: it does not interrupt a back end's work in between.
    let next = |mut service: Box<dyn NotificationService>| async move {
        loop {
            let event = service.next_event().await?;
            if let Some(event) = translated(event, &*service) {
                return Some((event, service));
            }
        }
    };
    stream::unfold(service, next).boxed()
}

fn translated(event: NotificationEvent, service: &dyn NotificationService) -> Option<Event> {
    match event {
        NotificationEvent::ValidateInboundSubstream { result_tx, .. } => {
            // Fails when the peer is already gone.
            let _ = result_tx.send(ValidationResult::Accept);
            None
        }
        NotificationEvent::NotificationStreamOpened {
            peer,
            handshake,
            negotiated_fallback,
            ..
        } => {
            let Some(sink) = service.message_sink(&peer) else {
                log::warn!(target: LOG_TARGET, "cannot send to the connected peer {peer}");
                return None;
            };
            Some(Event::Opened {
                peer,
                interest: Interest::of_handshake(&handshake),
                version: Protocol::version_of(
                    negotiated_fallback.as_ref().unwrap_or(service.protocol()),
                ),
                outlet: Arc::new(SdkOutlet(sink)),
            })
        }
        NotificationEvent::NotificationStreamClosed { peer } => Some(Event::Closed(peer)),
        NotificationEvent::NotificationReceived { peer, notification } => {
            Some(Event::Received(peer, notification))
        }
    }
}
