//! The vouchers of a checkpoint, by a user's list and clock.
//!
//! Faults that honest people can cause do not spoil a record: a key that is not in this user's list, an old statement,
//! a renewed one, or a wrong clock. Such a statement does not count, and the verdict has the reason. Faults that they
//! cannot cause refuse the record as a whole: an invalid signature, or another checkpoint.

use crate::{
    list::{List, Name},
    statement::{Statement, Subject},
    vouched::{InvalidSignature, Vouched, WrongSubject},
};
use duet_sequential::{Fingerprint, Time};
use std::{fmt, mem};
use thiserror::Error;

/// Which statements count, by their time. All are in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The current time.
    pub now: Time,
    /// How far a signer's clock may be ahead of this one.
    pub tolerance: u64,
    /// How long a statement counts.
    pub max_age: u64,
}

/// A voucher from the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Voucher {
    /// Who.
    pub name: Name,
    /// The key that signed.
    pub fingerprint: Fingerprint,
    /// When, by the signer's clock.
    pub signed_at: Time,
}

/// A statement that holds and does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotCounted {
    /// The key that signed.
    pub fingerprint: Fingerprint,
    /// Whose it is, if it is in the list.
    pub name: Option<Name>,
    /// When, by the signer's clock.
    pub signed_at: Time,
    /// Why it does not count.
    pub reason: Reason,
}

/// Why a statement does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Reason {
    /// The key is not in the list.
    #[error("the key is not in your list")]
    NotListed,
    /// It was signed after now.
    #[error("it was signed {ahead} seconds in the future")]
    InTheFuture {
        /// How many seconds after now.
        ahead: u64,
    },
    /// It was signed too long ago.
    #[error("it was signed {age} seconds ago, above the limit of {max_age}")]
    TooOld {
        /// How many seconds ago.
        age: u64,
        /// How many are allowed.
        max_age: u64,
    },
    /// Another statement of the same name counts, that is at least as new.
    #[error("another statement of the same name is counted instead")]
    Repeated,
}

/// Why a record is refused as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The signature does not hold.
    #[error(transparent)]
    Signature(#[from] InvalidSignature),
    /// It is for something else.
    #[error(transparent)]
    Subject(#[from] WrongSubject),
}

/// Fewer vouched than are required.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("too few names in your list vouch for the checkpoint: expected {required}, got {got}")]
pub struct TooFew {
    /// How many names vouched.
    pub got: usize,
    /// How many are required.
    pub required: usize,
}

/// Who vouched for a subject: nobody, or what [`Vouched::verify`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Verdict {
    by: Vec<Voucher>,
    not_counted: Vec<NotCounted>,
}

impl Vouched {
    /// Checks the signature of all statements and their subject, and decides which statements count.
    ///
    /// Cost: one public operation for each hop.
    ///
    /// # Errors
    /// The signature, then the subject.
    ///
    /// # Security
    /// `subject` must be made from the checkpoint to be trusted, and `list` must come from the user.
    pub fn verify(
        &self,
        subject: &Subject,
        list: &List,
        terms: &Terms,
    ) -> Result<Verdict, Refusal> {
        self.check_signature()?;
        self.check_subject(subject)?;
        let mut verdict = Verdict::default();
        for statement in self.statements() {
            verdict.judge(statement, list, terms);
        }
        Ok(verdict)
    }
}

impl Verdict {
    /// The verdict over the statements of both: each name counts once.
    pub fn join(mut self, other: Self) -> Self {
        self.not_counted.extend(other.not_counted);
        for voucher in other.by {
            self.count(voucher);
        }
        self
    }

    /// Who vouched: each name once, with its newest statement.
    pub fn by(&self) -> &[Voucher] {
        &self.by
    }

    /// The statements that do not count, and why.
    pub fn not_counted(&self) -> &[NotCounted] {
        &self.not_counted
    }

    /// Checks that at least this many names vouched.
    ///
    /// # Errors
    /// There are fewer.
    pub fn require(&self, required: usize) -> Result<(), TooFew> {
        let got = self.by.len();
        if got < required {
            return Err(TooFew { got, required });
        }
        Ok(())
    }

    fn judge(&mut self, statement: &Statement, list: &List, terms: &Terms) {
        let fingerprint = statement.key.fingerprint();
        let signed_at = statement.signed_at;
        let name = list.name(&fingerprint).cloned();
        match (name, reason(signed_at, terms)) {
            (Some(name), None) => self.count(Voucher {
                name,
                fingerprint,
                signed_at,
            }),
            (name, reason) => self.not_counted.push(NotCounted {
                fingerprint,
                signed_at,
                reason: reason
                    .filter(|_| name.is_some())
                    .unwrap_or(Reason::NotListed),
                name,
            }),
        }
    }

    fn count(&mut self, mut voucher: Voucher) {
        let Some(known) = self.by.iter_mut().find(|known| known.name == voucher.name) else {
            self.by.push(voucher);
            return;
        };
        if known.signed_at < voucher.signed_at {
            mem::swap(known, &mut voucher);
        }
        self.not_counted.push(NotCounted {
            fingerprint: voucher.fingerprint,
            name: Some(voucher.name),
            signed_at: voucher.signed_at,
            reason: Reason::Repeated,
        });
    }
}

/// The fault in the time of a statement, if any.
fn reason(signed_at: Time, terms: &Terms) -> Option<Reason> {
    let (now, max_age) = (terms.now.0, terms.max_age);
    let ahead = signed_at.0.saturating_sub(now);
    let age = now.saturating_sub(signed_at.0);
    if ahead > terms.tolerance {
        return Some(Reason::InTheFuture { ahead });
    }
    (age > max_age).then_some(Reason::TooOld { age, max_age })
}

impl fmt::Display for NotCounted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            fingerprint,
            reason,
            ..
        } = self;
        match &self.name {
            Some(name) => write!(f, "{name}, key {fingerprint}: {reason}"),
            None => write!(f, "key {fingerprint}: {reason}"),
        }
    }
}
