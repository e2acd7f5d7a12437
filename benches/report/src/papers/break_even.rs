//! From which number on ours is less than the rival's.

use super::{
    data::{filled, Data},
    statistic::Statistic,
};
use std::fmt;

/// The break-even point, by the measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BreakEven {
    /// From this number on, at every larger one that was measured.
    From(u32),
    /// The rival's is less at the largest number.
    Never {
        /// The largest number.
        up_to: u32,
    },
    /// Ours is not less at all larger numbers, but at the largest the quartiles overlap, or ours is less there alone.
    Undecided {
        /// The largest number.
        up_to: u32,
    },
}

impl BreakEven {
    /// Compares at every number that both have; `None` if there is none. Ours is less where its upper quartile is below
    /// the rival's lower one.
    pub(super) fn find(data: &Data, ours: &str, rival: &str) -> Option<Self> {
        let figure = |template, number| {
            let line = data.line(&filled(template, number))?;
            Some(Statistic::Median.of(line))
        };
        let compared: Vec<_> = data
            .numbers(ours)
            .into_iter()
            .filter_map(|number| Some((number, figure(ours, number)?, figure(rival, number)?)))
            .collect();
        let (up_to, last, last_rival) = *compared.last()?;
        let less = compared
            .iter()
            .rev()
            .take_while(|(_, ours, rival)| ours.high < rival.low);
        Some(match less.last() {
            Some((number, _, _)) => Self::From(*number),
            None if last.low > last_rival.high => Self::Never { up_to },
            None => Self::Undecided { up_to },
        })
    }
}

impl fmt::Display for BreakEven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::From(1) => write!(f, "1 hop"),
            Self::From(number) => write!(f, "{number} hops"),
            Self::Never { up_to } => write!(f, "never, up to {up_to}"),
            Self::Undecided { up_to } => write!(f, "no difference at {up_to}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::data::tests::data, *};

    const OURS: &str = "a::b/n={n},scheme=duet";
    const RIVAL: &str = "a::b/n={n},scheme=other";

    fn found(ours: &[(u32, &[f64])], rival: &[(u32, &[f64])]) -> Option<BreakEven> {
        let named = |template, rows: &[(u32, &[f64])]| -> Vec<(String, Vec<f64>)> {
            let row = |(n, samples): &(u32, &[f64])| (filled(template, *n), samples.to_vec());
            rows.iter().map(row).collect()
        };
        let all = [named(OURS, ours), named(RIVAL, rival)].concat();
        let all: Vec<_> = all
            .iter()
            .map(|(name, samples)| (name.as_str(), samples.as_slice()))
            .collect();
        BreakEven::find(&data(&all), OURS, RIVAL)
    }

    #[test]
    fn it_is_the_number_from_which_every_larger_one_is_less() {
        let ours: [(u32, &[f64]); 4] = [(1, &[5.0]), (2, &[9.0]), (4, &[9.0]), (10, &[9.0])];
        let rival: [(u32, &[f64]); 4] = [(1, &[6.0]), (2, &[8.0]), (4, &[16.0]), (10, &[40.0])];
        assert_eq!(found(&ours, &rival), Some(BreakEven::From(4)));
        assert_eq!(found(&rival, &ours), Some(BreakEven::Never { up_to: 10 }));
        assert_eq!(
            found(&ours, &rival[..2]),
            Some(BreakEven::Never { up_to: 2 })
        );
        assert_eq!(found(&ours, &[]), None);
    }

    #[test]
    fn overlapping_quartiles_decide_nothing() {
        let ours: [(u32, &[f64]); 1] = [(3, &[8.0, 9.0, 10.0, 11.0, 12.0])];
        let rival: [(u32, &[f64]); 1] = [(3, &[9.0, 10.0, 11.0, 12.0, 13.0])];
        assert_eq!(
            found(&ours, &rival),
            Some(BreakEven::Undecided { up_to: 3 })
        );
    }
}
