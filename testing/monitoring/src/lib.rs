//! What operators see: the rules and the dashboard in `operations/monitoring/`, and whether they are right.
//!
//! - [`sources`]: the metrics that the sources register.
//! - [`expression`]: the metrics and the durations in an expression of Prometheus.
//! - [`rules`]: `operations/monitoring/rules.yml`, and the tests of it.
//! - [`panels`]: the dashboard, `operations/monitoring/dashboard.json`.
//! - [`pages`]: what the pages for operators say.
//! - [`prometheus`]: a Prometheus that reads nodes of this machine.
//! - [`live`]: runs every query and rule there.
//! - [`page`]: the dashboard as one file, drawn from its answers.
//!
//! It depends on no other crate of ours: it looks at nodes from outside, as operators do.

mod error;
pub mod expression;
pub mod live;
pub mod page;
pub mod pages;
pub mod panels;
pub mod prometheus;
pub mod rules;
pub mod sources;

pub use error::{Error, Result};
