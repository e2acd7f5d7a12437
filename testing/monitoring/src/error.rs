//! Why something could not be looked at.

use std::{io, path::PathBuf};

/// What this crate does can fail.
pub type Result<T = ()> = std::result::Result<T, Error>;

/// Why something could not be looked at, or what was found there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file, a folder or a program.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// What the system said.
        source: io::Error,
    },
    /// A file is not Rust.
    #[error("{} is not Rust: {source}", path.display())]
    NotRust {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: proc_macro2::LexError,
    },
    /// A file has YAML that we do not use.
    #[error("line {line}: {what}")]
    Yaml {
        /// Its number, from 1.
        line: usize,
        /// What stands there.
        what: &'static str,
    },
    /// Something that is read has not the form that it should have.
    #[error("{0} is missing, or is something else")]
    Form(String),
    /// A text is not JSON.
    #[error("{what} is not JSON: {source}")]
    Json {
        /// What was read.
        what: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// Prometheus cannot be reached.
    #[error("asking {url}: {source}")]
    Http {
        /// The address.
        url: String,
        /// What is wrong.
        source: attohttpc::Error,
    },
    /// Prometheus does not take what it was asked.
    #[error("Prometheus refuses `{asked}`: {message}")]
    Refused {
        /// The question.
        asked: String,
        /// Why.
        message: String,
    },
    /// Prometheus ended.
    #[error("Prometheus ended with {status}:\n{log}")]
    Ended {
        /// How.
        status: String,
        /// The end of what it logged.
        log: String,
    },
    /// Something did not come about in time.
    #[error("waited too long for {what}: {last}")]
    TimedOut {
        /// What was waited for.
        what: String,
        /// What was seen last.
        last: String,
    },
    /// What is wrong with rules and dashboard.
    #[error("{}", .0.join("\n"))]
    Findings(Vec<String>),
}

impl Error {
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }
}
