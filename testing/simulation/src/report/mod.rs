//! The results of a matrix, as one file and as tables.

mod figures;
mod tables;
mod text;

pub use figures::{PerNode, Report, Row, Spread};
