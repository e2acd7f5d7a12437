//! Vouchers of a checkpoint (feature `vouchers`).
//!
//! The rules are in `duet-vouch`; files, clock and output are here.

pub(crate) mod args;
mod check;
mod files;
mod make;
pub(crate) mod shown;
mod subject;

pub(crate) use check::check;
pub(crate) use make::{fingerprint, vouch};
