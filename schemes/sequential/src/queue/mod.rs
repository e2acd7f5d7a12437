//! Records that wait to be verified: lazy does not mean never.
//!
//! A record comes in as [`State::Unverified`], with who will verify it and until when, and ends as [`State::Verified`] or
//! [`State::Invalid`]. Unverified, it may be forwarded and appended to; only [`QueueStore::take`] hands out something
//! that may be acted upon, and only what was verified. After its deadline a record is dropped, unless it was verified: a
//! verified one stays until somebody takes or removes it, and counts towards [`Limits`] until then.
//!
//! [`Queue`] holds the rules: it takes events, answers with the [`Change`]s that follow, and knows no clock, disk or
//! thread. [`QueueStore`] writes each change to a log and flushes it before it applies it, so that after a crash the
//! queue is as it was said to be; and it spreads the verification over the processor's cores.

mod entry;
mod file;
mod leaving;
pub(crate) mod log;
mod parallel;
mod rules;
mod store;
#[cfg(test)]
mod tests;

pub use entry::{Entry, Reason, State, Terms};
pub use file::StoreError;
pub use log::{decode_log, LogError};
pub use parallel::check_all;
pub use rules::{AddError, Change, InconsistentChange, Limits, Order, Queue};
pub use store::{QueueStore, Report, Work};
