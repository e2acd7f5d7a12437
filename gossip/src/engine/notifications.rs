//! The engine's view of the notification protocol, and how the SDK's is made into it.
//!
//! The engine knows of a connection that it is open, and that a notification can be handed over to it once there is room.
//! Both network back ends have room for eight notifications of a peer, which the connection takes as fast as the peer
//! reads. Who does not wait for room (`send_sync_notification`) has the stream or the whole connection closed when 2 048
//! wait.

use crate::{interest::Interest, LOG_TARGET};
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

/// Something that happened on the notification protocol.
pub enum Event {
    /// A peer can be sent notifications from now on.
    Opened {
        /// The peer.
        peer: PeerId,
        /// What it wants to hear.
        interest: Interest,
        /// Takes notifications for it.
        outlet: Arc<dyn Outlet>,
    },
    /// A peer cannot be sent notifications any more.
    Closed(PeerId),
    /// A peer sent a notification.
    Received(PeerId, Vec<u8>),
}

/// Takes notifications for one peer.
pub trait Outlet: Send + Sync {
    /// Waits until there is room for a notification, and hands it over.
    fn send(&self, notification: Vec<u8>) -> BoxFuture<'_, Result<(), NotSent>>;
}

/// The connection is closed, or is about to be, or was replaced by another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the connection is closed")]
pub struct NotSent;

/// The connection of the SDK. When another connection takes its place, it is the same as before.
struct SdkOutlet(Box<dyn MessageSink>);

impl Outlet for SdkOutlet {
    fn send(&self, notification: Vec<u8>) -> BoxFuture<'_, Result<(), NotSent>> {
        let sent = self.0.send_async_notification(notification);
        sent.map(|sent| sent.map_err(|_| NotSent)).boxed()
    }
}

/// What happens on the protocol of this service, until the network shuts down.
///
/// Every substream is accepted: the network lets in only the peers of the protocol's reserved set.
pub(crate) fn events(service: Box<dyn NotificationService>) -> BoxStream<'static, Event> {
    // One future for as long as it takes to make an event: what a back end does in between is not cut off.
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
            // Fails when the peer is gone already.
            let _ = result_tx.send(ValidationResult::Accept);
            None
        }
        NotificationEvent::NotificationStreamOpened {
            peer, handshake, ..
        } => {
            let Some(sink) = service.message_sink(&peer) else {
                log::warn!(target: LOG_TARGET, "nothing can be sent to {peer}, which connected");
                return None;
            };
            Some(Event::Opened {
                peer,
                interest: Interest::of_handshake(&handshake),
                outlet: Arc::new(SdkOutlet(sink)),
            })
        }
        NotificationEvent::NotificationStreamClosed { peer } => Some(Event::Closed(peer)),
        NotificationEvent::NotificationReceived { peer, notification } => {
            Some(Event::Received(peer, notification))
        }
    }
}
