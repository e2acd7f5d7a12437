//! The arguments of `stats`.

use clap::Args as ArgsGroup;
use duet_statistics::Metric;
use std::path::PathBuf;

/// What is asked of the validators.
#[derive(Debug, ArgsGroup)]
pub(crate) struct Asked {
    /// What was measured: import-time, peers, finality-lag, memory or processor.
    #[arg(value_name = "METRIC")]
    pub(crate) metric: Metric,

    /// The sum instead of the mean.
    #[arg(long)]
    pub(crate) sum: bool,

    /// How much each validator counts: on each line its `pk1` in 0x-hex and a whole number. Who is not in it does not count.
    #[arg(long, value_name = "FILE")]
    pub(crate) weights: Option<PathBuf>,

    /// Refuse an answer in which fewer validators have a part.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) at_least: usize,

    /// Refuse figures of a session that began so many blocks before the newest proven one, or earlier.
    #[arg(long, value_name = "BLOCKS")]
    pub(crate) max_age: Option<u32>,
}
