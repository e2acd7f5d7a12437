//! Failures and their exit codes. The codes are part of the program's interface: see `--help`.

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A file, or the machine.
    Local,
    /// Arguments that make no sense together or against the chain.
    Usage,
    /// What the endpoints sent did not verify.
    Unverified,
    /// No endpoint could be reached.
    Unreachable,
    /// The validators contradicted themselves.
    Misbehaviour,
    /// No endpoint can prove the way from the trusted state.
    NoWay,
    /// Told to stop.
    Interrupted,
}

impl Kind {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Local => 1,
            Self::Usage => 2,
            Self::Unverified => 3,
            Self::Unreachable => 4,
            Self::Misbehaviour => 5,
            Self::NoWay => 6,
            Self::Interrupted => 130,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Usage => "usage",
            Self::Unverified => "unverified",
            Self::Unreachable => "unreachable",
            Self::Misbehaviour => "misbehaviour",
            Self::NoWay => "no_way",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Why the program failed.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Failure {
    pub(crate) kind: Kind,
    pub(crate) message: String,
    /// Two proofs that hold and cannot both be true, in SCALE.
    pub(crate) evidence: Option<[Vec<u8>; 2]>,
}

impl Failure {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            evidence: None,
        }
    }

    pub(crate) fn with_evidence(self, evidence: [Vec<u8>; 2]) -> Self {
        Self {
            evidence: Some(evidence),
            ..self
        }
    }
}
