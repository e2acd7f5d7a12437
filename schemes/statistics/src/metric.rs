//! A validator's figures about its own node.

use codec::{Decode, DecodeWithMemTracking, Encode};
use std::{fmt, str::FromStr};

/// A number about a node in one period. All are whole and not negative.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode, DecodeWithMemTracking,
)]
pub enum Metric {
    /// How long the import of a block took, on average over the period: executing it and writing it down, in microseconds.
    ImportTime,
    /// How many peers the node was connected to at the end of the period.
    Peers,
    /// How far the finalized block was behind the best one, on average over the imported blocks of the period, in
    /// thousandths of a block.
    FinalityLag,
    /// The memory that the process had at the end of the period, resident, in KiB.
    Memory,
    /// The processor time that the process took in the period, in thousandths of one core.
    Processor,
}

impl Metric {
    /// All metrics, in the order of a report.
    pub const ALL: [Self; 5] = [
        Self::ImportTime,
        Self::Peers,
        Self::FinalityLag,
        Self::Memory,
        Self::Processor,
    ];

    /// The name, as it is signed and typed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ImportTime => "import-time",
            Self::Peers => "peers",
            Self::FinalityLag => "finality-lag",
            Self::Memory => "memory",
            Self::Processor => "processor",
        }
    }

    /// The unit, in words.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::ImportTime => "µs per block",
            Self::Peers => "peers",
            Self::FinalityLag => "thousandths of a block",
            Self::Memory => "KiB",
            Self::Processor => "thousandths of a core",
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no metric of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown metric `{got}`; the metrics are {}", Metric::ALL.map(Metric::name).join(", "))]
pub struct UnknownMetric {
    /// The requested name.
    pub got: String,
}

impl FromStr for Metric {
    type Err = UnknownMetric;

    fn from_str(name: &str) -> Result<Self, UnknownMetric> {
        let found = Self::ALL.into_iter().find(|metric| metric.name() == name);
        found.ok_or_else(|| UnknownMetric { got: name.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_found_by_its_name_and_encoded_by_its_place() {
        for (place, metric) in Metric::ALL.into_iter().enumerate() {
            assert_eq!(metric.name().parse(), Ok(metric));
            assert_eq!(metric.encode(), [u8::try_from(place).unwrap()]);
        }
        let refused = "Peers".parse::<Metric>().unwrap_err();
        assert_eq!(
            refused.to_string(),
            "unknown metric `Peers`; the metrics are import-time, peers, finality-lag, memory, processor"
        );
    }
}
