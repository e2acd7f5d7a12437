//! Figures of several rounds.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The middle of some values, and between which quartiles they lie.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The first quartile.
    pub low: f64,
    /// The median.
    pub median: f64,
    /// The third quartile.
    pub high: f64,
}

impl Figure {
    /// Of these values; `None` if there are none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<_> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        Some(Self {
            low: quantile(&values, 1)?,
            median: quantile(&values, 2)?,
            high: quantile(&values, 3)?,
        })
    }
}

/// The value below which so many quarters of the sorted ones lie, with interpolation.
fn quantile(sorted: &[f64], quarters: usize) -> Option<f64> {
    let place = sorted.len().checked_sub(1)? * quarters;
    let (below, rest) = (place / 4, place % 4);
    let low = *sorted.get(below)?;
    let high = sorted.get(below + 1).copied().unwrap_or(low);
    let part = u8::try_from(rest).map_or(0.0, f64::from) / 4.0;
    Some(low + (high - low) * part)
}

/// Median, and the quartiles in brackets, with so many decimals as the formatter asks for.
impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = f.precision().unwrap_or(1);
        let Self { low, median, high } = self;
        write!(
            f,
            "{median:.decimals$} ({low:.decimals$}-{high:.decimals$})"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_interpolated() {
        let figure = Figure::of([4.0, 1.0, 3.0, 2.0, 5.0]).expect("five values");
        assert_eq!((figure.low, figure.median, figure.high), (2.0, 3.0, 4.0));
        let figure = Figure::of([1.0, 2.0]).expect("two values");
        assert_eq!((figure.low, figure.median, figure.high), (1.25, 1.5, 1.75));
    }

    #[test]
    fn one_value_is_all_quartiles_and_none_is_no_figure() {
        let figure = Figure::of([7.0]).expect("a value");
        assert_eq!((figure.low, figure.median, figure.high), (7.0, 7.0, 7.0));
        assert_eq!(Figure::of([]), None);
    }

    #[test]
    fn it_is_shown_with_its_quartiles() {
        let figure = Figure::of([1.0, 2.0, 3.0]).expect("three values");
        assert_eq!(format!("{figure:.2}"), "2.00 (1.50-2.50)");
    }
}
