//! Who vouches for a checkpoint (feature `vouchers`).
//!
//! The rules are in `duet-vouch`. Here are the files, the clock, and what is shown.

pub(crate) mod args;
mod check;
mod files;
mod make;
pub(crate) mod shown;
mod subject;

pub(crate) use check::check;
pub(crate) use make::{fingerprint, vouch};
