//! Why the worker stops, or stands still.

use crate::store::StoreError;
use duet_voter::StateError;

/// Why the worker stopped. It cannot go on: it would forget what it signed or miss what it must sign.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Durable data cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The stored voter state is unusable.
    #[error("the stored voter state is unusable: {0}")]
    State(#[from] StateError),
    /// The client ended its notifications.
    #[error("the client ended its finality notifications")]
    ClientGone,
    /// The task that signs ended.
    #[error("the task that signs votes ended")]
    SignerGone,
    /// The task that checks the answers of peers ended.
    #[error("the task that checks peers' answers ended")]
    CheckerGone,
    /// A task that works for the worker ended.
    #[error("a task that works for the voter ended")]
    ClerkGone,
    /// The network shut down.
    #[error("the network shut down")]
    NetworkGone,
}

impl Error {
    /// Whether the cause is unreadable stored data. A restart would read the same again, so the node continues
    /// without its voter until the operator intervenes.
    pub(crate) fn is_unreadable(&self) -> bool {
        matches!(
            self,
            Self::State(_) | Self::Store(StoreError::Corrupt { .. })
        )
    }
}
