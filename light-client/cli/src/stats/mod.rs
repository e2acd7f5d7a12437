//! What validators say about their own nodes (feature `statistics`).
//!
//! The rules are in `duet-statistics`. Here is what is asked of a node, and what is shown.

pub(crate) mod args;
mod ask;
mod found;
pub(crate) mod shown;
mod weights;
