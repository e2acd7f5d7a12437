//! Fixtures and baselines for the benches of the companion schemes.

pub mod harness;
#[allow(unsafe_code, reason = "calls blst, which it compares with")]
pub mod mklhs;
pub mod polynomial;
