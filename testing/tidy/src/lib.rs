//! Tests of the source tree itself.
//!
//! - [`crates`]: the dependencies between our crates are those that `docs/architecture.md` allows.
//! - [`modules`]: no files of one crate import each other in a circle.
//! - [`rules`]: every rule of `docs/spec` is cited by code and by a test, and every rule that is cited exists.
//! - [`watched`]: the page that says what watches each rule.
//!
//! The checks are functions of this library; `tests/` runs them on the repository, and on small trees in which each of
//! them must fail. It depends on no other crate of ours, because it must work while they do not compile.

pub mod crates;
pub mod cycles;
mod error;
pub mod modules;
pub mod rules;
pub mod sources;
pub mod watched;

pub use error::Error;
