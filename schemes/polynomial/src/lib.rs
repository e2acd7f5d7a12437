#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod assurance;
#[cfg(feature = "research-polyhom")]
pub mod research;
pub mod standard;
mod statistics;

pub use assurance::{Assurance, Experimental, Level, Standard, Verified};
pub use statistics::{Stat, Statistic, VerifiableStats};
