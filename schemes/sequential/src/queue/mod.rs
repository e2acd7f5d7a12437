//! Records that wait to be verified.
//!
//! A record is added as [`State::Unverified`], with its verifier and its deadline. It becomes [`State::Verified`] or
//! [`State::Invalid`]. An unverified record may be forwarded and appended to. Only [`QueueStore::take`] returns a
//! record that may be acted upon, and only a verified one. After its deadline a record is dropped, unless it was
//! verified. A verified record stays until it is taken or removed, and counts towards the [`Limits`].
//!
//! [`Queue`] has the rules, without clock, disk or threads: it takes events and returns the resulting [`Change`]s.
//! [`QueueStore`] writes each change to a log and flushes it before applying it, so that after a crash the queue has
//! its last reported state. It also verifies records on all cores.

mod entry;
mod eviction;
mod file;
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
