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
    #[error("{} is not valid Rust: {source}", path.display())]
    NotRust {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: proc_macro2::LexError,
    },
    /// A file is not the YAML that it should be.
    #[error("{file}: {source}")]
    Yaml {
        /// The file.
        file: &'static str,
        /// What is wrong with it.
        source: Box<serde_saphyr::Error>,
    },
    /// A text is no expression of Prometheus.
    #[error("`{expression}` is not a PromQL expression: {problem}")]
    Expression {
        /// The text.
        expression: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Something that is read has not the form that it should have.
    #[error("{0} is missing or malformed")]
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
    #[error("request to {url}: {source}")]
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

    pub(crate) fn yaml(file: &'static str) -> impl FnOnce(serde_saphyr::Error) -> Self {
        move |source| Self::Yaml {
            file,
            source: Box::new(source),
        }
    }
}
