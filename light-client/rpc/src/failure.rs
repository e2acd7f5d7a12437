//! Failures, and the exit codes of a program that ends by one. The codes are part of the interface of `duet-light`: see its
//! `--help`.

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file, or the machine. Exit code 1.
    Local,
    /// Arguments that make no sense together or against the chain. Exit code 2.
    Usage,
    /// The endpoints' data did not verify. Exit code 3.
    Unverified,
    /// No endpoint could be reached. Exit code 4.
    Unreachable,
    /// The validators contradicted themselves. Exit code 5.
    Misbehaviour,
    /// No endpoint can prove the way from the trusted state. Exit code 6.
    NoWay,
    /// The checkpoint has too few vouchers, or a false record of them. Exit code 7.
    Unvouched,
    /// The trusted block is older than the trusting period. Exit code 8.
    TooOld,
    /// The newest proven block is older than the user accepts. Exit code 9.
    Stale,
    /// Told to stop. Exit code 130.
    Interrupted,
}

impl Kind {
    /// The exit code of a program that fails so.
    pub fn code(self) -> u8 {
        match self {
            Self::Local => 1,
            Self::Usage => 2,
            Self::Unverified => 3,
            Self::Unreachable => 4,
            Self::Misbehaviour => 5,
            Self::NoWay => 6,
            Self::Unvouched => 7,
            Self::TooOld => 8,
            Self::Stale => 9,
            Self::Interrupted => 130,
        }
    }

    /// One word for it, for programs that read the output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Usage => "usage",
            Self::Unverified => "unverified",
            Self::Unreachable => "unreachable",
            Self::Misbehaviour => "misbehaviour",
            Self::NoWay => "no_way",
            Self::Unvouched => "unvouched",
            Self::TooOld => "too_old",
            Self::Stale => "stale",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Why the program failed.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The kind of failure.
    pub kind: Kind,
    /// The reason, for people.
    pub message: String,
    /// Two proofs that hold and cannot both be true, in SCALE.
    pub evidence: Option<[Vec<u8>; 2]>,
}

impl Failure {
    /// A failure without evidence.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            evidence: None,
        }
    }

    /// The same, with two proofs that cannot both be true.
    pub fn with_evidence(self, evidence: [Vec<u8>; 2]) -> Self {
        Self {
            evidence: Some(evidence),
            ..self
        }
    }
}
