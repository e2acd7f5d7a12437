//! A recovery that a client knows of, and waits for. (RECOVER-7, RECOVER-8)

use codec::{Decode, Encode};
use duet_primitives::{BlockNumber, RecoveryProof, RecoveryStatement, RecoveryTerms, H256};

/// A recovery proof that holds, and since when it is known. Decoding is bounded as that of its parts.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Announced {
    pub(crate) proof: RecoveryProof,
    pub(crate) terms: RecoveryTerms,
    /// In milliseconds since the Unix epoch, by the client's clock.
    pub(crate) since: u64,
    pub(crate) contradicted: Option<RecoveryProof>,
}

impl Announced {
    /// The proof that was announced.
    pub fn proof(&self) -> &RecoveryProof {
        &self.proof
    }

    /// What it says.
    pub fn statement(&self) -> &RecoveryStatement {
        &self.proof.statement
    }

    /// A valid proof of another statement about the same block. With one, nobody crosses.
    pub fn contradicted(&self) -> Option<&RecoveryProof> {
        self.contradicted.as_ref()
    }

    /// Whether the clock stands before the announcement, so that the wait says nothing.
    pub(crate) fn is_ahead_of(&self, now: u64) -> bool {
        now < self.since
    }

    /// How many seconds of the wait are left, rounded up; 0 when it is over. `now` is in milliseconds.
    pub fn left(&self, now: u64) -> u64 {
        seconds_left(self.terms.delay, self.since, now)
    }

    /// Whether there is more to do than to wait: the wait is over, has to begin anew, or leads nowhere.
    pub fn is_due(&self, now: u64) -> bool {
        self.contradicted.is_some() || self.is_ahead_of(now) || self.left(now) == 0
    }

    /// Whether the statement is about this block.
    pub(crate) fn is_about(&self, number: BlockNumber, hash: H256) -> bool {
        self.statement().is_about(number, hash)
    }

    /// Whether the statement leads to this block.
    pub(crate) fn leads_to(&self, number: BlockNumber, hash: H256) -> bool {
        let statement = self.statement();
        (statement.reset_number, statement.reset_hash) == (number, hash)
    }
}

/// How many seconds of a wait of `delay` seconds are left, rounded up; 0 when it is over. `since` and `now` are in
/// milliseconds. (RECOVER-8)
pub fn seconds_left(delay: u64, since: u64, now: u64) -> u64 {
    let waited = now.saturating_sub(since);
    let left = delay.saturating_mul(1000).saturating_sub(waited);
    left.div_ceil(1000)
}
