//! Tables and plots of the benches and the simulation, made from their result files.
//!
//! - [`benches`]: criterion's measurements, with the ratios to the rivals and the targets,
//! - [`papers`]: the measurements of the companion schemes' benches, beside the figures of their papers,
//! - [`simulation`]: the rounds that `duet-simulate` played.
//!
//! `cargo xtask bench` and `cargo xtask simulate` run the programs that write those files, and then this one.

#![forbid(unsafe_code)]

pub mod benches;
mod documents;
pub mod papers;
mod plots;
mod results;
pub mod simulation;
mod svg;
mod tables;
mod targets;
pub mod text;

/// A file that cannot be read, written or understood is an error that names it.
pub type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;
