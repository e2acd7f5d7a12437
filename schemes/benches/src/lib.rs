//! Fixtures and baselines for the benches of the companion schemes.

#[allow(unsafe_code, reason = "calls blst")]
pub mod cmlhs;
pub mod counted;
#[allow(unsafe_code, reason = "calls blst")]
pub mod group;
pub mod harness;
pub mod metrics;
#[allow(unsafe_code, reason = "calls blst, which it compares with")]
pub mod mklhs;
pub mod polynomial;
pub mod searchable;
pub mod sequential;
