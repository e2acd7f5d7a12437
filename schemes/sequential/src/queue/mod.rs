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
//!
//! # The anchor
//!
//! A log that is restored from a copy would hand out again the records taken since. So the position of the log is also
//! in an anchor ([`duet_journal::Anchor`]), and a log that does not have that position is refused
//! ([`StoreError::RolledBack`]). Each change is written to the log, then to the anchor, and only then takes effect:
//!
//! | what ended the process | what is found |
//! | --- | --- |
//! | while the log was written | a frame that is not whole, beyond the anchor: it is dropped, and was not reported |
//! | before the anchor was written | a whole frame beyond the anchor: it counts, and the anchor follows |
//! | while the log was written anew | the old log or the new one: both have the position of the anchor |
//!
//! By default the anchor is in the queue's folder. Better keep it on another disk ([`QueueFiles`]), and out of backups:
//! restoring log and anchor to the same earlier state cannot be detected. A queue without an anchor is of an
//! earlier version, or has lost it. It is not opened until somebody vouches for its log ([`QueueStore::adopt`]).

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
pub use file::{QueueFiles, StoreError};
pub use log::{decode_log, LogError};
pub use parallel::check_all;
pub use rules::{AddError, Change, InconsistentChange, Limits, Order, Queue};
pub use store::{QueueStore, Report, Work};
