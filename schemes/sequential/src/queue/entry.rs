//! The entries of the queue: records and their state.

use crate::{
    attestation::{Party, Time},
    chain::VerifyError,
    record::{CheckError, Record},
    suite::HopNumber,
};
use std::sync::Arc;

/// The conditions under which a record was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The party that will verify it.
    pub verifier: Party,
    /// The record is dropped after this time, unless it was verified.
    pub deadline: Time,
    /// Its value. [`Order::ByValue`](super::Order::ByValue) verifies the highest first, and eviction starts with the
    /// lowest.
    ///
    /// The queue's owner must choose it, never the sender of the record.
    pub value: u64,
}

/// Why a record is permanently invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A key was already revoked in the record's epoch.
    KeyRevoked(HopNumber),
    /// A key has another size than the chain.
    MixedModulusSize(HopNumber),
    /// A hop's number is not canonical.
    NonCanonical(HopNumber),
    /// A hop's number has no valid input.
    OutOfRange(HopNumber),
    /// The chain does not end at a valid first signature.
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
    /// The permanent reason in a failed check; `None` if the check may succeed later.
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

/// The state of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Not verified yet.
    Unverified,
    /// The signatures are valid.
    Verified,
    /// The signatures are invalid, permanently.
    Invalid(Reason),
}

/// A record in the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    record: Arc<Record>,
    terms: Terms,
    state: State,
    /// The position in the order of addition.
    sequence: u64,
    size: usize,
}

impl Entry {
    /// A record that was just added.
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

    /// The record, which may be forwarded or appended to in any state.
    pub fn record(&self) -> &Arc<Record> {
        &self.record
    }

    /// The conditions under which it was added.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The state.
    pub fn state(&self) -> State {
        self.state
    }

    pub(super) fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The length of the encoded record.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Sets the verdict.
    pub(super) fn set_verdict(&mut self, invalid: Option<Reason>) {
        self.state = invalid.map_or(State::Verified, State::Invalid);
    }
}
