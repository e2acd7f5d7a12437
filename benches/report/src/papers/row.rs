//! A row of a paper's table, beside ours.

use super::{
    break_even::BreakEven,
    data::Data,
    statistic::{Figure, Statistic},
};
use crate::text::{grouped, short, time};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PaperRow {
    pub(super) row: String,
    pub(super) unit: Unit,
    pub(super) paper: Option<f64>,
    pub(super) bench: Option<String>,
    #[serde(default = "one")]
    times: f64,
    #[serde(default = "one")]
    divide: f64,
    pub(super) over: Option<String>,
    pub(super) rival: Option<String>,
    /// Whether the page shows it.
    #[serde(default)]
    pub(super) page: bool,
    #[serde(default)]
    note: String,
}

fn one() -> f64 {
    1.0
}

/// The unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Unit {
    S,
    Ms,
    Us,
    Cycles,
    Bytes,
    /// As papers count lengths; ours are whole bytes.
    Bits,
    Count,
    /// Of two of our times.
    Ratio,
    /// The number from which ours is less than the rival's.
    Hops,
}

impl Unit {
    /// So many nanoseconds or bytes in this unit; `None` for cycles where nobody counts them.
    fn factor(self, cycles_per_second: Option<f64>) -> Option<f64> {
        match self {
            Self::S => Some(1e-9),
            Self::Ms => Some(1e-6),
            Self::Us => Some(1e-3),
            Self::Cycles => cycles_per_second.map(|rate| rate / 1e9),
            Self::Bits => Some(8.0),
            Self::Bytes | Self::Count | Self::Ratio | Self::Hops => Some(1.0),
        }
    }

    #[cfg(test)]
    fn is_time(self) -> bool {
        matches!(self, Self::S | Self::Ms | Self::Us | Self::Cycles)
    }

    fn show(self, value: f64) -> String {
        let whole = || grouped(format!("{value:.0}"));
        match self {
            Self::S => format!("{} s", short(value)),
            Self::Ms => format!("{} ms", short(value)),
            Self::Us => format!("{} µs", short(value)),
            Self::Cycles => format!("{} cycles", whole()),
            Self::Bytes => format!("{} B", whole()),
            Self::Bits => format!("{} bits", whole()),
            Self::Count => whole(),
            Self::Ratio => format!("{}×", short(value)),
            Self::Hops => format!("{} hops", whole()),
        }
    }
}

impl PaperRow {
    /// Whether something of ours was measured for it.
    pub(super) fn is_measured(&self, data: &Data) -> bool {
        let is_known = |name: &String| {
            data.line(name).is_some_and(|line| line.row.samples > 1)
                || !data.numbers(name).is_empty()
        };
        self.bench.as_ref().is_some_and(is_known)
    }

    /// Our figure, in the unit of the row.
    pub(super) fn figure(&self, data: &Data, statistic: Statistic) -> Option<Figure> {
        let line = data.line(self.bench.as_deref()?)?;
        let factor = self.unit.factor(line.run.cycles_per_second)? * self.times / self.divide;
        let figure = statistic.of(line).map(|value| value * factor);
        match self.over.as_deref() {
            Some(over) => Some(figure.over(statistic.of(data.line(over)?))),
            None => Some(figure),
        }
    }

    fn break_even(&self, data: &Data) -> Option<BreakEven> {
        if self.unit != Unit::Hops {
            return None;
        }
        BreakEven::find(data, self.bench.as_deref()?, self.rival.as_deref()?)
    }

    /// The cells of the table.
    pub(super) fn show(&self, data: &Data, statistic: Statistic) -> Vec<String> {
        let figure = self.figure(data, statistic);
        let missing = || {
            if self.bench.is_some() {
                "not measured"
            } else {
                "–"
            }
            .to_owned()
        };
        let here = match self.break_even(data) {
            Some(found) => found.to_string(),
            None => figure.map_or_else(missing, |figure| self.unit.show(figure.value)),
        };
        let rival = self.rival.as_deref().and_then(|name| data.line(name));
        let rival = rival.map(|line| statistic.of(line).value / self.divide);
        let ours = figure.zip(self.bench.as_deref().and_then(|name| data.line(name)));
        let ours = ours.map(|(_, line)| statistic.of(line).value * self.times / self.divide);
        let ratio = |of: Option<f64>, to: Option<f64>| {
            let ratio = of.zip(to).map(|(of, to)| format!("{}×", short(of / to)));
            ratio.unwrap_or_default()
        };
        let comparable = self
            .paper
            .filter(|_| !matches!(self.unit, Unit::Ratio | Unit::Hops));
        let paper = self.paper.map(|paper| self.unit.show(paper));
        let spread = figure.map(|figure| statistic.spread(&figure));
        vec![
            self.row.clone(),
            paper.unwrap_or_default(),
            here,
            spread.unwrap_or_default(),
            ratio(comparable, figure.map(|figure| figure.value)),
            rival.map_or_else(String::new, time),
            ratio(rival, ours),
            self.note.clone(),
        ]
    }

    /// The names that belong together in a run: a row and its rival.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let all = [&self.bench, &self.rival, &self.over];
        all.into_iter().filter_map(|name| name.as_deref())
    }

    /// The rules of the form that its README says.
    #[cfg(test)]
    pub(super) fn check(&self) {
        let row = &self.row;
        assert!(self.times > 0.0 && self.divide > 0.0, "{row}");
        assert!(self.bench.is_some() || self.paper.is_some(), "{row}");
        assert!(
            self.bench.is_some() || self.names().next().is_none(),
            "{row}"
        );
        assert!(self.unit != Unit::Ratio || self.over.is_some(), "{row}");
        assert!(
            !self.unit.is_time() || !self.names().any(|name| name.contains("{n}")),
            "{row}"
        );
        assert_eq!(
            self.unit == Unit::Hops,
            self.bench.as_ref().is_some_and(|name| name.contains("{n}")),
            "{row}"
        );
        for name in self.names() {
            assert!(name.contains("::") && name.contains('/'), "{name}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::data::tests::data, *};

    fn row(unit: Unit) -> PaperRow {
        PaperRow {
            row: "x".to_owned(),
            unit,
            paper: Some(12_000.0),
            bench: Some("a::b/n=1".to_owned()),
            times: 1.0,
            divide: 10.0,
            over: None,
            rival: Some("a::b/n=2".to_owned()),
            page: false,
            note: String::new(),
        }
    }

    #[test]
    fn a_row_shows_the_papers_figure_and_ours_in_its_unit() {
        let data = data(&[("a::b/n=1", &[20_000.0]), ("a::b/n=2", &[30_000.0])]);
        let cells = row(Unit::Cycles).show(&data, Statistic::Median);
        let expected = [
            "x",
            "12\u{a0}000 cycles",
            "4\u{a0}000 cycles",
            "",
            "3.00×",
            "3.00 µs",
            "1.50×",
            "",
        ];
        assert_eq!(cells, expected);
        let unmeasured = PaperRow {
            bench: Some("other".to_owned()),
            ..row(Unit::Cycles)
        };
        assert_eq!(unmeasured.show(&data, Statistic::Median)[2], "not measured");
    }

    #[test]
    fn a_ratio_is_of_two_times_and_spreads_as_both_do() {
        let samples = [100.0, 100.0, 110.0, 120.0, 120.0];
        let data = data(&[("a::b/n=1", &samples), ("a::b/n=2", &[10.0])]);
        let ratio = PaperRow {
            paper: Some(7.0),
            times: 7.0,
            over: Some("a::b/n=2".to_owned()),
            rival: None,
            ..row(Unit::Ratio)
        };
        let cells = ratio.show(&data, Statistic::Median);
        assert_eq!(cells[1..5], ["7.00×", "7.70×", "−9.1 % +9.1 %", ""]);
        let mean = ratio.show(&data, Statistic::Mean);
        assert_eq!(mean[2..4], ["7.70×", "± 9.1 %"]);
    }
}
