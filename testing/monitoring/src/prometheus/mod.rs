//! A Prometheus on this machine: Debian's program, on a free port of loopback, with a folder that goes when it ends.

mod answers;
mod process;

pub use answers::{Labels, Line, Loaded, Sample, Target};
pub use process::Prometheus;
