//! Errors, and the node that caused each.

use std::{io, path::PathBuf, time::Duration};

/// The result type of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Errors of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An executable is missing.
    #[error("{name} is not at {path}: build it with `cargo build --workspace` (the relayer and anvil with `cargo xtask relay`), or set {variable} to its path")]
    NoExecutable {
        /// The executable.
        name: &'static str,
        /// The path that was checked.
        path: PathBuf,
        /// The environment variable that overrides the path.
        variable: &'static str,
    },
    /// A network cannot have this many validators.
    #[error("a local network has 1 to {max} validators, not {got}")]
    ValidatorCount {
        /// The maximum.
        max: usize,
        /// The requested number.
        got: usize,
    },
    /// The ports from here on are taken.
    #[error("no free TCP port from {first} on")]
    NoPort {
        /// The first port that was tried.
        first: u16,
    },
    /// A file or process operation failed.
    #[error("{what}: {error}")]
    Io {
        /// The operation.
        what: String,
        /// The cause.
        error: io::Error,
    },
    /// A node exited by itself.
    #[error("{node} exited unexpectedly with {status}; the end of its log:\n{log}")]
    NodeEnded {
        /// The node.
        node: String,
        /// Its exit status.
        status: String,
        /// The last lines of its log.
        log: String,
    },
    /// A query to a node that does not run.
    #[error("{node} is not running")]
    NotRunning {
        /// The node.
        node: String,
    },
    /// A node did not answer or refused.
    #[error("{method}: {error}")]
    Rpc {
        /// The query.
        method: String,
        /// The reason.
        error: jsonrpsee::core::ClientError,
    },
    /// An answer does not have the form that its method promises.
    #[error("{method}: the answer {problem}")]
    Answer {
        /// The query.
        method: String,
        /// The fault.
        problem: String,
    },
    /// A transaction did not get into a block.
    #[error("the transaction was not included: {status}")]
    NotIncluded {
        /// The node's last status.
        status: String,
    },
    /// A transaction is in a block and failed.
    #[error("the transaction failed in block {block}: {error}")]
    Dispatch {
        /// The block.
        block: duet_runtime::Hash,
        /// The runtime's error.
        error: String,
    },
    /// A condition did not become true.
    #[error("waited {} s for {what}; last seen: {seen}", limit.as_secs())]
    TimedOut {
        /// The condition.
        what: String,
        /// The time limit.
        limit: Duration,
        /// The result of the last poll.
        seen: String,
    },
    /// A node does not accept a peer, or no longer listens to it.
    #[error("the node does not accept this peer, or no longer listens to it")]
    NotLetIn,
    /// Not a peer-to-peer address of a node.
    #[error("not a peer-to-peer address of a node: {0}")]
    Address(String),
    /// A program exited by itself.
    #[error("{program} ended with {status}")]
    ProgramEnded {
        /// The program.
        program: &'static str,
        /// Its exit status.
        status: String,
    },
    /// A program printed unexpected output.
    #[error("{program} printed unexpected output: {line:?}")]
    Printed {
        /// The program.
        program: &'static str,
        /// The output.
        line: String,
    },
    /// A program did not succeed.
    #[error("{program} failed: {said}")]
    ProgramFailed {
        /// The program and its arguments.
        program: String,
        /// Its standard error.
        said: String,
    },
    /// Every development account is a validator already.
    #[error("every development account is a validator already")]
    NoAccountLeft,
    /// The runtime was built without its blobs, or the blob exceeds the nodes' limit.
    #[error("no WASM of the next runtime: built with SKIP_WASM_BUILD set, or too large")]
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
