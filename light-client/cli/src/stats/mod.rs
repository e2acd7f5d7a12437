//! Statistics of the validators' own figures (feature `statistics`).
//!
//! The rules are in `duet-statistics`; requests and output are here.

pub(crate) mod args;
mod ask;
mod found;
pub(crate) mod shown;
mod weights;
