//! One record in the queue, and what is known about it.

use crate::{
    attestation::{Party, Time},
    chain::VerifyError,
    record::{CheckError, Record},
    suite::HopNumber,
};
use std::sync::Arc;

/// What is agreed about a record when it comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Who will verify it.
    pub verifier: Party,
    /// After this time it is dropped, unless it was verified.
    pub deadline: Time,
    /// What it is worth: more comes first under [`Order::ByValue`](super::Order::ByValue), and pushes out less when the queue is full.
    ///
    /// It is for the queue's owner to say, and never for whoever sent the record.
    pub value: u64,
}

/// Why a record will never be verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A key was revoked in the record's epoch.
    KeyRevoked(HopNumber),
    /// A key is of another size than the chain.
    MixedModulusSize(HopNumber),
    /// A hop's number has a second spelling.
    NonCanonical(HopNumber),
    /// A hop's number stands for no legal input.
    OutOfRange(HopNumber),
    /// The chain does not end where a first signature begins.
    BadSignature,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::KeyRevoked(hop) => write!(f, "KeyRevoked at hop {hop}"),
            Self::MixedModulusSize(hop) => write!(f, "MixedModulusSize at hop {hop}"),
            Self::NonCanonical(hop) => write!(f, "NonCanonical at hop {hop}"),
            Self::OutOfRange(hop) => write!(f, "OutOfRange at hop {hop}"),
            Self::BadSignature => f.write_str("BadSignature"),
        }
    }
}

impl Reason {
    /// What a failed check says about the record for good; `None` when it may succeed another time.
    pub fn of(error: &CheckError) -> Option<Self> {
        match error {
            CheckError::KeyUnavailable { .. } | CheckError::WrongKey { .. } => None,
            CheckError::KeyRevoked { hop, .. } => Some(Self::KeyRevoked(*hop)),
            CheckError::Signature(error) => match error {
                VerifyError::MixedModulusSize { hop, .. } => Some(Self::MixedModulusSize(*hop)),
                VerifyError::NonCanonical { hop } => Some(Self::NonCanonical(*hop)),
                VerifyError::OutOfRange { hop } => Some(Self::OutOfRange(*hop)),
                VerifyError::StatementCount { .. } | VerifyError::BadSignature => {
                    Some(Self::BadSignature)
                }
                VerifyError::BackEnd { .. } => None,
            },
        }
    }
}

/// What is known about a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing.
    Unverified,
    /// Its signatures hold.
    Verified,
    /// They never will.
    Invalid(Reason),
}

/// A record in the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    record: Arc<Record>,
    terms: Terms,
    state: State,
    /// Grows with every record that comes in.
    sequence: u64,
    size: usize,
}

impl Entry {
    /// A record that just came in.
    pub(super) fn new(record: Arc<Record>, terms: Terms, sequence: u64) -> Self {
        let size = record.to_bytes().len();
        Self {
            record,
            terms,
            state: State::Unverified,
            sequence,
            size,
        }
    }

    /// The record: to be forwarded or appended to, whatever its state.
    pub fn record(&self) -> &Arc<Record> {
        &self.record
    }

    /// What was agreed about it.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// What is known about it.
    pub fn state(&self) -> State {
        self.state
    }

    pub(super) fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Bytes of the encoded record.
    pub fn size(&self) -> usize {
        self.size
    }

    /// It was verified, or found to be invalid.
    pub(super) fn settle(&mut self, invalid: Option<Reason>) {
        self.state = invalid.map_or(State::Verified, State::Invalid);
    }
}
