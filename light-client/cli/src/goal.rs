//! The goal of a run, and the results of its steps.

use duet_primitives::BlockNumber;

/// When the run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// At the endpoint's proven head.
    Head,
    /// When this block, or a later one, is proven.
    Block(BlockNumber),
    /// After so many proofs.
    Proofs(u64),
    /// When it is interrupted.
    Never,
}

/// The result for a proof that breaks no rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It is new.
    New,
    /// The block is known, or older than the newest known one.
    Old,
}

/// Why the work with an endpoint ended without a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Done;
