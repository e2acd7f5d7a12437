//! Fixtures and rivals for the benches of the companion schemes.

pub mod mklhs;
pub mod polynomial;
