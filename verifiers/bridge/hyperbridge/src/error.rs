//! Why something was refused.

use alloc::format;
use duet_light_client::{Error as Refusal, RecoverError, StateError, StateProofError, TooOld};

/// Why a trusted state or a proof was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are not a canonical encoding, are too many, or have more behind it.
    #[error("the bytes are not a canonical {object}")]
    Malformed {
        /// What should have been there.
        object: &'static str,
    },
    /// The trusted state is impossible for any client.
    #[error("the trusted state is refused: {0}")]
    TrustedState(#[from] StateError),
    /// A proof does not hold.
    #[error("{0}")]
    Proof(#[from] Refusal),
    /// The proof is about the block that is trusted already.
    #[error("the block of the proof is already trusted")]
    Known,
    /// The header is not that of the proven block, or what it has of the state after it is not proven.
    #[error("{0}")]
    State(#[from] StateProofError),
    /// The header's digest cannot be read.
    #[error("the digest of the header cannot be read")]
    Digest,
    /// The header names no slot of Aura, so that it has no time.
    #[error("the header has no slot")]
    NoSlot,
    /// The slot is at a time that no clock can show.
    #[error("the time of slot {slot} is out of range")]
    SlotOutOfRange {
        /// The slot.
        slot: u64,
    },
    /// Two proofs that can both be true.
    #[error("the proofs do not contradict each other")]
    NoContradiction,
    /// The state after the newest block names no terms that a recovery can follow.
    #[error("RECOVER-4: the state after the newest block names no recovery set")]
    NoTerms,
    /// The recovery is announced already.
    #[error("RECOVER-7: the recovery is already announced")]
    Announced,
    /// A recovery is not announced, or not crossed, or the newest block is too old while there is one.
    #[error("{0}")]
    Recovery(#[from] RecoverError),
    /// A state machine that this client does not follow.
    #[error("this client follows another state machine")]
    UnknownStateMachine,
}

impl Error {
    /// The id of the broken rule, as Duet's specification numbers them; none for the requirements of this crate alone.
    pub fn rule(&self) -> Option<&'static str> {
        match self {
            Self::Malformed { .. } => Some("ENC-6"),
            Self::Proof(error) => Some(error.rule()),
            Self::Known => Some("LIGHT-4"),
            Self::State(error) => Some(error.rule()),
            Self::NoTerms => Some("RECOVER-4"),
            Self::Announced => Some("RECOVER-7"),
            Self::Recovery(error) => Some(error.rule()),
            Self::TrustedState(_)
            | Self::Digest
            | Self::NoSlot
            | Self::SlotOutOfRange { .. }
            | Self::NoContradiction
            | Self::UnknownStateMachine => None,
        }
    }
}

impl From<TooOld> for Error {
    fn from(error: TooOld) -> Self {
        Self::Recovery(error.into())
    }
}

impl From<Error> for ismp::error::Error {
    fn from(error: Error) -> Self {
        Self::Custom(format!("Duet: {error}"))
    }
}
