//! Measurements and counts: a file of rows, one per line.

use crate::{
    results::{passes_in, read, Machine, Measurement, Row},
    Result,
};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// A row and the run that it is from.
///
/// One beside the other, not flattened: serde cannot read flattened floats where a build has numbers of any precision.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Line {
    pub(super) row: Row,
    pub(super) run: Run,
}

/// The common data of a run's rows, except the noisy ones.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Run {
    /// How often the row was measured anew because it was noisy; only the last time counts.
    pub(super) again: usize,
    /// How often everything was measured, one after another; the samples are pooled.
    pub(super) passes: usize,
    /// `quick` or `full`.
    pub(super) scale: String,
    /// The rate of the time-stamp counter; none without such a counter.
    pub(super) cycles_per_second: Option<f64>,
    /// The machine of the run.
    pub(super) machine: Machine,
}

/// The result files of criterion and our programs.
pub(super) struct Found<'a> {
    pub(super) measurement: &'a Measurement,
    /// Folders of passes in which noisy rows were measured again, in this order.
    pub(super) again: &'a [PathBuf],
    /// The output of the program `counted`.
    pub(super) counted: &'a Path,
    pub(super) cycles_per_second: Option<f64>,
}

/// All rows, by name.
pub(super) struct Data(BTreeMap<String, Line>);

/// The output format of the program `counted`.
#[derive(Deserialize)]
struct Counted {
    name: String,
    unit: String,
    count: u32,
}

impl Data {
    /// Of lines in any order.
    pub(super) fn new(lines: impl IntoIterator<Item = Line>) -> Self {
        let named = lines.into_iter().map(|line| (line.row.name.clone(), line));
        Self(named.collect())
    }

    pub(super) fn collect(found: &Found<'_>) -> Result<Self> {
        let Found {
            measurement,
            again,
            counted,
            cycles_per_second,
        } = *found;
        let run = |again| -> Result<Run> {
            Ok(Run {
                again,
                passes: measurement.criterion.len(),
                scale: measurement.scale.clone(),
                cycles_per_second,
                machine: Machine::this()?,
            })
        };
        let mut lines = Vec::new();
        for (again, row) in last_rows(measurement.rows()?, again)? {
            let run = run(again)?;
            lines.push(Line { row, run });
        }
        for line in read(counted)?.lines() {
            let Counted { name, unit, count } = serde_json::from_str(line)?;
            let (row, run) = (Row::exact(name, &unit, count.into()), run(0)?);
            lines.push(Line { row, run });
        }
        Ok(Self::new(lines))
    }

    pub(super) fn read(file: &Path) -> Result<Self> {
        let lines: std::result::Result<Vec<Line>, _> =
            read(file)?.lines().map(serde_json::from_str).collect();
        Ok(Self::new(
            lines.map_err(|error| format!("{}: {error}", file.display()))?,
        ))
    }

    pub(super) fn write(&self, file: &Path) -> Result {
        let mut text = String::new();
        for line in self.0.values() {
            text += &serde_json::to_string(line)?;
            text.push('\n');
        }
        Ok(fs::write(file, text)?)
    }

    /// These rows, with those of the other in their place.
    pub(super) fn with(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    pub(super) fn line(&self, name: &str) -> Option<&Line> {
        self.0.get(name)
    }

    pub(super) fn runs(&self) -> impl Iterator<Item = &Run> {
        self.0.values().map(|line| &line.run)
    }

    /// The numbers that stand in place of `{n}` in names, in order.
    pub(super) fn numbers(&self, template: &str) -> Vec<u32> {
        let Some((before, after)) = template.split_once(PLACE) else {
            return Vec::new();
        };
        let number = |name: &String| {
            let number = name.strip_prefix(before)?.strip_suffix(after)?;
            number.parse().ok()
        };
        let mut numbers: Vec<_> = self.0.keys().filter_map(number).collect();
        numbers.sort_unstable();
        numbers
    }
}

/// The placeholder for a number in a name.
const PLACE: &str = "{n}";

/// The name with this number.
pub(super) fn filled(template: &str, number: u32) -> String {
    template.replace(PLACE, &number.to_string())
}

/// The rows of a run, each as it was measured last, and how often it was measured anew.
pub(super) fn last_rows(first: Vec<Row>, again: &[PathBuf]) -> Result<Vec<(usize, Row)>> {
    let named = |again, rows: Vec<Row>| {
        rows.into_iter()
            .map(move |row| (row.name.clone(), (again, row)))
    };
    let mut last: BTreeMap<_, _> = named(0, first).collect();
    for (attempt, folder) in (1..).zip(again) {
        last.extend(named(attempt, passes_in(folder)?));
    }
    Ok(last.into_values().collect())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::results::pooled;

    /// Rows of these samples, of a run on this machine with a counter of 2 GHz.
    pub(in crate::papers) fn data(rows: &[(&str, &[f64])]) -> Data {
        let run = Run {
            again: 0,
            passes: 1,
            scale: "quick".to_owned(),
            cycles_per_second: Some(2e9),
            machine: Machine::this().expect("this runs somewhere"),
        };
        let samples = rows
            .iter()
            .map(|(name, samples)| ((*name).to_owned(), samples.to_vec()));
        let rows = pooled(&[samples.collect()]).expect("rows");
        Data::new(rows.into_iter().map(|row| Line {
            row,
            run: run.clone(),
        }))
    }

    #[test]
    fn a_file_of_lines_reads_back_and_later_rows_replace_earlier_ones() {
        let folder = std::env::temp_dir().join(format!("duet-report-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("rows.jsonl");
        let first = data(&[("a::b/n=1", &[1.0, 2.0, 3.0]), ("a::b/n=3", &[5.0])]);
        first.write(&file).expect("written");
        let read = Data::read(&file).expect("read");
        let both = read.with(data(&[("a::b/n=3", &[7.0]), ("a::b/n=20", &[9.0])]));
        assert_eq!(both.numbers("a::b/n={n}"), [1, 3, 20]);
        let median = |number| {
            both.line(&filled("a::b/n={n}", number))
                .map(|line| line.row.median)
        };
        assert_eq!([1, 3, 20].map(median), [Some(2.0), Some(7.0), Some(9.0)]);
        assert_eq!(both.line("a::b/n=1").map(|line| line.row.samples), Some(3));
        fs::remove_dir_all(&folder).expect("removed");
    }
}
