//! What operators see: the rules and the dashboard in `monitoring/`, and whether they are right.
//!
//! - [`sources`]: the metrics that the sources register.
//! - [`expression`]: which metrics an expression of Prometheus names.
//! - [`rules`]: `monitoring/rules.yml`, and the tests of it.
//! - [`dashboard`]: makes `monitoring/dashboard.json`.
//! - [`panels`]: reads it.
//! - [`pages`]: what the pages for operators say.
//! - [`prometheus`]: a Prometheus that reads nodes of this machine.
//! - [`live`]: runs every query and rule there.
//! - [`page`]: the dashboard as one file, drawn from its answers.
//!
//! It depends on no other crate of ours: it looks at nodes from outside, as operators do.

pub mod dashboard;
mod error;
pub mod expression;
pub mod live;
pub mod page;
pub mod pages;
pub mod panels;
pub mod prometheus;
pub mod rules;
pub mod sources;
mod yaml;

pub use error::{Error, Result};
