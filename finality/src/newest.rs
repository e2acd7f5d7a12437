//! The newest justification, for any number of subscribers, some of which never read.
//!
//! It is held once, however many subscribers wait for it: a returning subscriber gets the newest one, and the number
//! of missed ones. There is no queue per subscriber whose length an outsider controls.

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

/// Delivers each justification by which this node's proven chain grows to the node's own code.
///
/// A subscriber that does not read gets an unbounded queue: outsiders subscribe to the RPC instead, which holds only
/// the newest.
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

/// The newest justification, and their total number since the node started, itself included.
#[derive(Clone, Default)]
pub(crate) struct Newest {
    /// The total number.
    pub(crate) count: u64,
    /// The newest one.
    pub(crate) proven: Option<Arc<Proven>>,
}

/// Takes each justification by which the proven chain grows, and publishes it to all subscribers.
pub(crate) struct Publisher {
    stream: NotificationSender<UncheckedJustification>,
    newest: watch::Sender<Newest>,
    fuller: watch::Sender<Newest>,
}

/// The subscribers' view: the newest of each kind.
#[derive(Clone)]
pub(crate) struct Shown {
    /// Justifications by which the proven chain grows.
    pub(crate) newest: watch::Receiver<Newest>,
    /// Justifications with more signers than the one published before for the same block. (ROUND-9)
    pub(crate) fuller: watch::Receiver<Newest>,
}

impl Publisher {
    /// A publisher, the stream of all justifications for the node's own code, and the newest one for others.
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

    /// Publishes a justification to all subscribers. Never waits for any of them.
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

    /// Publishes a justification that now has more signers. Never waits for any subscriber.
    pub(crate) fn publish_fuller(&self, justification: UncheckedJustification) {
        show(&self.fuller, justification);
    }

    /// The newest justifications, for subscribers.
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
