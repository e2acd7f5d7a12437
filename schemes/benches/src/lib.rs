//! Fixtures and rivals for the benches of the companion schemes.

pub mod harness;
pub mod mklhs;
pub mod polynomial;
