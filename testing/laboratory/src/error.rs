//! What can go wrong, and with which node.

use std::{io, path::PathBuf, time::Duration};

/// The result of everything here.
pub type Result<T = ()> = std::result::Result<T, Error>;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file, a device or a process.
    #[error("{what}: {error}")]
    Io {
        /// What was tried.
        what: String,
        /// Why it failed.
        error: io::Error,
    },
    /// An executable is not where it should be.
    #[error("no node at {}: build it with `cargo xtask laboratory`, or set its path with --node", path.display())]
    NoNode {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// This machine, or this user, gets no namespaces or no devices.
    #[error("cannot create namespaces or network devices here: {why}")]
    NoNamespaces {
        /// What the system says.
        why: String,
    },
    /// A program ended without success.
    #[error("`{command}` ended with {status}: {said}")]
    Program {
        /// How it was called.
        command: String,
        /// How it ended.
        status: String,
        /// What it said.
        said: String,
    },
    /// A node ended by itself.
    #[error("node {node} exited unexpectedly with {status}; the end of its log:\n{log}")]
    NodeEnded {
        /// Which.
        node: u16,
        /// How.
        status: String,
        /// The last lines of its log.
        log: String,
    },
    /// The chain did not get the next version of its runtime.
    #[error("upgrading the runtime: {0}")]
    Upgrade(String),
    /// A node or a light client did not do what it was asked.
    #[error(transparent)]
    Asked(Box<duet_local_network::Error>),
    /// A condition did not come to hold.
    #[error("waited {} s for {what}; last seen: {seen}", limit.as_secs())]
    TimedOut {
        /// The condition.
        what: String,
        /// For how long.
        limit: Duration,
        /// What the last look at it gave.
        seen: String,
    },
    /// What a scenario expects did not happen, or something happened that must not.
    #[error("{0}")]
    Expectation(String),
    /// The chain specification could not be made.
    #[error("the chain specification: {0}")]
    ChainSpec(String),
    /// A validator's keys could not be made.
    #[error("the keys of node {node}: {why}")]
    Keys {
        /// Which.
        node: u16,
        /// Why.
        why: String,
    },
    /// A scenario that does not exist.
    #[error("unknown scenario {name}; known scenarios: {known}")]
    NoScenario {
        /// What was asked for.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// A row of a report is none.
    #[error("cannot read or write the result of {scenario}: {error}")]
    Row {
        /// Of which scenario.
        scenario: String,
        /// What is wrong.
        error: serde_json::Error,
    },
    /// Scenarios failed.
    #[error("{0}")]
    Failed(String),
}

impl From<duet_local_network::Error> for Error {
    fn from(error: duet_local_network::Error) -> Self {
        Self::Asked(Box::new(error))
    }
}

impl Error {
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |error| Self::Io { what, error }
    }
}
