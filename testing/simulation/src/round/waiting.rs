//! A message that waits to be checked.

use super::event::Message;

/// A message that waits to be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waiting {
    /// On which edge it came.
    pub(super) edge: u32,
    /// What it is.
    pub(super) message: Message,
    /// How many votes it is; a proof counts as one.
    pub(super) votes: u64,
    /// Since when it waits.
    pub(super) since: u64,
}
