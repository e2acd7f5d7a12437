//! The arguments of `stats`.

use clap::Args as ArgsGroup;
use duet_statistics::Metric;
use std::path::PathBuf;

/// The requested statistic.
#[derive(Debug, ArgsGroup)]
pub(crate) struct Asked {
    /// The metric: import-time, peers, finality-lag, memory or processor.
    #[arg(value_name = "METRIC")]
    pub(crate) metric: Metric,

    /// Print the sum instead of the mean.
    #[arg(long)]
    pub(crate) sum: bool,

    /// A file of weights: a `pk1` in 0x-hex and a whole number per line. Other validators do not count.
    #[arg(long, value_name = "FILE")]
    pub(crate) weights: Option<PathBuf>,

    /// Refuse an answer with fewer contributing validators.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) at_least: usize,

    /// Refuse figures of a session that began this many blocks before the newest proven block, or earlier.
    #[arg(long, value_name = "BLOCKS")]
    pub(crate) max_age: Option<u32>,
}
