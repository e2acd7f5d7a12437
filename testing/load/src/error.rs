//! What can go wrong.

use std::io;

/// The result of everything here.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// With the nodes or a peer of theirs.
    #[error(transparent)]
    Network(#[from] duet_local_network::Error),
    /// The validators do not make a set, or do not vote as one.
    #[error("the simulated validators: {0}")]
    Set(&'static str),
    /// What the system says of a process cannot be read.
    #[error("{what}: {error}")]
    Io {
        /// What was read or written.
        what: String,
        /// Why it failed.
        error: io::Error,
    },
    /// The measured node cannot have this core.
    #[error("core {0} is not one of at least two that this process may use")]
    Cores(usize),
    /// A task that plays a part has failed.
    #[error("a task failed: {0}")]
    Task(#[from] tokio::task::JoinError),
    /// A node has ended.
    #[error("a node has ended")]
    Gone,
    /// A file of rows is none.
    #[error("{file} is not a list of rows: {error}")]
    Rows {
        /// The file.
        file: String,
        /// What is wrong.
        error: serde_json::Error,
    },
}

impl Error {
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |error| Self::Io { what, error }
    }
}
