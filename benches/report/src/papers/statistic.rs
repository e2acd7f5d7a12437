//! The statistic that represents the samples of a row.

use super::data::Line;
use serde::Deserialize;

/// The statistic that represents the samples.
#[derive(Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Statistic {
    /// The median, between the quartiles.
    #[default]
    Median,
    /// The mean, with the standard deviation.
    Mean,
}

/// A value and how far its samples spread.
#[derive(Clone, Copy)]
pub(super) struct Figure {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Statistic {
    /// The description in the table.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Self::Median => "Medians; the spread is to both quartiles.",
            Self::Mean => "Means; the spread is the standard deviation.",
        }
    }

    pub(super) fn of(self, line: &Line) -> Figure {
        let row = &line.row;
        match self {
            Self::Median => Figure {
                value: row.median,
                low: row.lower_quartile,
                high: row.upper_quartile,
            },
            Self::Mean => Figure {
                value: row.mean,
                low: row.mean - row.deviation,
                high: row.mean + row.deviation,
            },
        }
    }

    pub(super) fn spread(self, figure: &Figure) -> String {
        if figure.low == figure.high {
            return String::new();
        }
        let percent =
            |to: f64| format!("{:.1} %", 100.0 * (to - figure.value).abs() / figure.value);
        match self {
            Self::Median => format!("−{} +{}", percent(figure.low), percent(figure.high)),
            Self::Mean => format!("± {}", percent(figure.high)),
        }
    }
}

impl Figure {
    pub(super) fn map(self, of: impl Fn(f64) -> f64) -> Self {
        Self {
            value: of(self.value),
            low: of(self.low),
            high: of(self.high),
        }
    }

    pub(super) fn over(self, other: Self) -> Self {
        Self {
            value: self.value / other.value,
            low: self.low / other.high,
            high: self.high / other.low,
        }
    }
}
