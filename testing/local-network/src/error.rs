//! What can go wrong, and with which node.

use std::{io, path::PathBuf, time::Duration};

/// The result of everything here.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An executable is not where it should be.
    #[error("{name} is not at {path}; `cargo build --workspace` makes it, `cargo xtask relay` the relayer and anvil, or {variable} names it")]
    NoExecutable {
        /// The executable.
        name: &'static str,
        /// Where it was looked for.
        path: PathBuf,
        /// The environment variable that can name another place.
        variable: &'static str,
    },
    /// A network cannot have this many validators.
    #[error("a local network has 1 to {max} validators, not {got}")]
    ValidatorCount {
        /// The most there can be.
        max: usize,
        /// How many were asked for.
        got: usize,
    },
    /// The ports from here on are taken.
    #[error("no free TCP port from {first} on")]
    NoPort {
        /// The first port that was tried.
        first: u16,
    },
    /// A file or a process.
    #[error("{what}: {error}")]
    Io {
        /// What was tried.
        what: String,
        /// Why it failed.
        error: io::Error,
    },
    /// A node ended by itself.
    #[error("{node} ended by itself with {status}; the end of its log:\n{log}")]
    NodeEnded {
        /// Which.
        node: String,
        /// How.
        status: String,
        /// The last lines of its log.
        log: String,
    },
    /// A node is asked something while it does not run.
    #[error("{node} does not run")]
    NotRunning {
        /// Which.
        node: String,
    },
    /// A node did not answer or refused.
    #[error("{method}: {error}")]
    Rpc {
        /// What was asked.
        method: String,
        /// Why there is no answer.
        error: jsonrpsee::core::ClientError,
    },
    /// An answer is not what its method promises.
    #[error("{method}: the answer {problem}")]
    Answer {
        /// What was asked.
        method: String,
        /// What is wrong with the answer.
        problem: String,
    },
    /// A transaction did not get into a block.
    #[error("the transaction was not included: {status}")]
    NotIncluded {
        /// The last that the node said of it.
        status: String,
    },
    /// A transaction is in a block and failed.
    #[error("the transaction failed in block {block}: {error}")]
    Dispatch {
        /// The block.
        block: duet_runtime::Hash,
        /// What the runtime says.
        error: String,
    },
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
    /// A node does not take a peer, or does not listen to it any more.
    #[error("the node does not listen to this peer")]
    NotLetIn,
    /// Not where a node's peers reach it.
    #[error("{0} is not the address of a node")]
    Address(String),
    /// A program ended by itself.
    #[error("{program} ended with {status}")]
    ProgramEnded {
        /// Which.
        program: &'static str,
        /// How.
        status: String,
    },
    /// A program printed something else than it should.
    #[error("{program} printed {line:?}")]
    Printed {
        /// Which.
        program: &'static str,
        /// What.
        line: String,
    },
    /// Every development account is a validator already.
    #[error("no development account is left to join")]
    NoAccountLeft,
    /// The runtime was built without its blobs, or the blob is longer than nodes take.
    #[error("there is no blob of the next runtime: SKIP_WASM_BUILD was set when it was built, or it is too long")]
    NoBlob,
    /// The chain specification could not be made.
    #[error("the chain specification: {0}")]
    ChainSpec(String),
}

impl Error {
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |error| Self::Io { what, error }
    }
}
