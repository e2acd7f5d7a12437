//! The newest justification, for any number of subscribers of which some never read.
//!
//! It is held once, however many wait for it: a subscriber that comes back finds the newest, and how many it missed.
//! There is no queue per subscriber whose length a stranger decides.

use codec::Encode;
use duet_primitives::UncheckedJustification;
use sc_utils::notification::{NotificationSender, NotificationStream, TracingKeyStr};
use std::{
    convert::Infallible,
    sync::{Arc, OnceLock},
};
use tokio::sync::watch;

/// Names the notification channel in metrics and warnings.
#[derive(Clone, Copy, Debug)]
pub struct JustificationTracingKey;

impl TracingKeyStr for JustificationTracingKey {
    const TRACING_KEY: &'static str = "mpsc_duet_justifications";
}

/// Brings each justification by which this node's proven chain grows to the node's own code.
///
/// A subscriber that does not read is given an unbounded queue: what strangers subscribe to is the RPC, which holds
/// only the newest.
pub type JustificationStream = NotificationStream<UncheckedJustification, JustificationTracingKey>;

/// A justification by which the proven chain grew, for subscribers.
pub(crate) struct Proven {
    justification: UncheckedJustification,
    /// Its SCALE encoding as JSON-RPC sends it; made when the first subscriber needs it, for all.
    hex: OnceLock<String>,
}

impl Proven {
    /// `0x` and the hex of the SCALE encoding.
    pub(crate) fn hex(&self) -> &str {
        self.hex
            .get_or_init(|| sp_core::bytes::to_hex(&self.justification.encode(), false))
    }
}

/// The newest justification, and how many there were since the node started, itself included.
#[derive(Clone, Default)]
pub(crate) struct Newest {
    /// How many there were.
    pub(crate) count: u64,
    /// The last of them.
    pub(crate) proven: Option<Arc<Proven>>,
}

/// Takes each justification by which the proven chain grows, and shows it to all subscribers.
pub(crate) struct Publisher {
    stream: NotificationSender<UncheckedJustification>,
    newest: watch::Sender<Newest>,
    fuller: watch::Sender<Newest>,
}

/// What subscribers see: the newest of each.
#[derive(Clone)]
pub(crate) struct Shown {
    /// Justifications by which the proven chain grows.
    pub(crate) newest: watch::Receiver<Newest>,
    /// Justifications that have more signers than the one that was shown before of the same block. (ROUND-9)
    pub(crate) fuller: watch::Receiver<Newest>,
}

impl Publisher {
    /// A publisher, the stream of everything by which the chain grows for the node's own code, and the newest for others.
    pub(crate) fn channel() -> (Self, JustificationStream, Shown) {
        let (stream, all) = JustificationStream::channel();
        let (newest, latest) = watch::channel(Newest::default());
        let (fuller, latest_fuller) = watch::channel(Newest::default());
        let shown = Shown {
            newest: latest,
            fuller: latest_fuller,
        };
        let publisher = Self {
            stream,
            newest,
            fuller,
        };
        (publisher, all, shown)
    }

    /// Shows a justification to all subscribers. Never waits for any of them.
    pub(crate) fn publish(&self, justification: UncheckedJustification) {
        match self
            .stream
            .notify(|| Ok::<_, Infallible>(justification.clone()))
        {
            Ok(()) => {}
            Err(never) => match never {},
        }
        show(&self.newest, justification);
    }

    /// Shows a justification that has more signers now. Never waits for any subscriber.
    pub(crate) fn publish_fuller(&self, justification: UncheckedJustification) {
        show(&self.fuller, justification);
    }

    /// The newest, as subscribers see it.
    #[cfg(test)]
    pub(crate) fn newest(&self) -> watch::Receiver<Newest> {
        self.newest.subscribe()
    }
}

fn show(to: &watch::Sender<Newest>, justification: UncheckedJustification) {
    let proven = Arc::new(Proven {
        justification,
        hex: OnceLock::new(),
    });
    to.send_modify(|newest| {
        newest.count = newest.count.saturating_add(1);
        newest.proven = Some(proven);
    });
}
