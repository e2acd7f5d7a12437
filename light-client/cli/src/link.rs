//! The messages between the session that follows the chain and the server that answers from it.

use duet_light_client::Trusted;
use duet_light_rpc::Fault;
use tokio::sync::{mpsc, watch};

/// The state of the session.
#[derive(Clone, Debug, Default)]
pub(crate) struct View {
    /// The newest that was verified.
    pub(crate) trusted: Option<Trusted>,
    /// The endpoint that is followed, once the session has caught up with one.
    pub(crate) followed: Option<usize>,
    /// The endpoints that are not asked again.
    pub(crate) dropped: Vec<usize>,
}

/// The session's end, towards the server.
#[derive(Debug)]
pub(crate) struct Link(watch::Sender<View>);

/// An endpoint that sent the server data that no honest endpoint sends.
pub(crate) type Report = (usize, Fault);

/// The server's end.
#[derive(Clone, Debug)]
pub(crate) struct Following {
    pub(crate) view: watch::Receiver<View>,
    pub(crate) reports: mpsc::Sender<Report>,
}

/// Both ends, and where the reports arrive. Each endpoint is reported once.
pub(crate) fn link(endpoints: usize) -> (Link, mpsc::Receiver<Report>, Following) {
    let (sender, view) = watch::channel(View::default());
    let (reports, arriving) = mpsc::channel(endpoints.max(1));
    (Link(sender), arriving, Following { view, reports })
}

impl Link {
    pub(crate) fn set_trusted(&self, trusted: &Trusted) {
        self.0
            .send_modify(|view| view.trusted = Some(trusted.clone()));
    }

    pub(crate) fn set_followed(&self, index: usize) {
        self.0.send_modify(|view| view.followed = Some(index));
    }

    pub(crate) fn drop_endpoint(&self, index: usize) {
        self.0.send_modify(|view| {
            if !view.dropped.contains(&index) {
                view.dropped.push(index);
            }
        });
    }
}
