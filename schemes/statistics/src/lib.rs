#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
// Strangers' bytes reach this crate: outside tests, what may panic or overflow is refused.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

mod answer;
mod certificate;
mod context;
mod error;
mod evidence;
mod metric;
mod period;
mod report;
mod reports;
mod statistic;
mod weights;

pub use answer::{Answer, Contribution};
pub use certificate::Certificate;
pub use context::Context;
pub use error::{
    AnswerError, CertificateError, ContextError, EvidenceError, ReportError, WeightsError,
};
pub use evidence::{Conflict, Evidence};
pub use metric::{Metric, UnknownMetric};
pub use period::Period;
pub use report::{Checked, Figure, Report};
pub use reports::{Added, Reports};
pub use statistic::{Decimal, Statistic, Value};
pub use weights::Weights;
