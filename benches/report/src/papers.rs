//! The tables of the companion schemes' papers, row by row, beside what is measured here.
//!
//! The papers' figures are data: `schemes/benches/papers/*.json`, whose form their README says.

use crate::{
    documents::{folder_of_docs, folder_of_papers, put_tables},
    results::{read_json, Machine, Measurement, Row},
    text::{grouped, short, table, time},
    Result,
};
use serde::{Deserialize, Serialize};
use std::{fs, path::PathBuf};

/// What was measured, and where to put what is made of it.
#[derive(clap::Args)]
pub struct Options {
    /// What criterion left.
    #[command(flatten)]
    measurement: Measurement,
    /// The rate of the time-stamp counter in hertz, where there is one.
    #[arg(long, value_name = "HERTZ")]
    cycles_per_second: Option<f64>,
    /// Shows this file of an earlier run instead.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["criterion", "cycles_per_second"])]
    from: Option<PathBuf>,
    /// Where the results and the tables go.
    #[arg(long, value_name = "DIR")]
    output: PathBuf,
    /// Also puts the tables into the documentation.
    #[arg(long)]
    docs: bool,
}

/// The name of the file that everything else is made from.
const RESULTS: &str = "schemes.json";
/// What one run found out.
#[derive(Serialize, Deserialize)]
struct Measured {
    machine: Machine,
    /// Of the time-stamp counter; none where there is no such counter.
    cycles_per_second: Option<f64>,
    scale: String,
    passes: usize,
    rows: Vec<Row>,
}

/// One paper's table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Paper {
    title: String,
    paper: String,
    machine: String,
    rows: Vec<PaperRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PaperRow {
    row: String,
    unit: Unit,
    paper: Option<f64>,
    bench: Option<String>,
    #[serde(default = "one")]
    divide: f64,
    bytes: Option<f64>,
    rival: Option<String>,
    #[serde(default)]
    note: String,
}

fn one() -> f64 {
    1.0
}

/// What a figure of the paper is in.
#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Unit {
    S,
    Ms,
    Us,
    Cycles,
    Bytes,
    /// As papers count lengths; ours are whole bytes.
    Bits,
}

impl Unit {
    /// So many nanoseconds in this unit; `None` for lengths, and for cycles where nobody counts them.
    fn of(self, nanoseconds: f64, cycles_per_second: Option<f64>) -> Option<f64> {
        match self {
            Self::S => Some(nanoseconds / 1e9),
            Self::Ms => Some(nanoseconds / 1e6),
            Self::Us => Some(nanoseconds / 1e3),
            Self::Cycles => Some(nanoseconds / 1e9 * cycles_per_second?),
            Self::Bytes | Self::Bits => None,
        }
    }

    fn show(self, value: f64) -> String {
        match self {
            Self::S => format!("{} s", short(value)),
            Self::Ms => format!("{} ms", short(value)),
            Self::Us => format!("{} µs", short(value)),
            Self::Cycles => format!("{} cycles", grouped(format!("{value:.0}"))),
            Self::Bytes => format!("{} B", grouped(format!("{value:.0}"))),
            Self::Bits => format!("{} bits", grouped(format!("{value:.0}"))),
        }
    }
}

/// Gathers or reads, then shows.
///
/// # Errors
/// When a file cannot be read or written, or when nothing was measured.
pub fn run(options: &Options) -> Result {
    fs::create_dir_all(&options.output)?;
    let measured = match &options.from {
        Some(file) => read_json(file)?,
        None => Measured::collect(options)?,
    };
    let text = serde_json::to_string_pretty(&measured)?;
    fs::write(options.output.join(RESULTS), text + "\n")?;
    let tables = all(&measured, &papers()?);
    fs::write(options.output.join("schemes.md"), &tables)?;
    println!("{tables}");
    println!("Results and tables: {}", options.output.display());
    if options.docs {
        put_tables(&folder_of_docs().join("schemes/tables.md"), &tables)?;
    }
    Ok(())
}

/// Every paper there is, by the name of its file.
fn papers() -> Result<Vec<Paper>> {
    let files: std::io::Result<Vec<PathBuf>> = fs::read_dir(folder_of_papers())?
        .map(|entry| Ok(entry?.path()))
        .collect();
    let mut files = files?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    files.iter().map(|file| read_json(file)).collect()
}

fn all(measured: &Measured, papers: &[Paper]) -> String {
    let counter = measured.cycles_per_second.map_or_else(String::new, |rate| {
        format!(" Time-stamp counter: {} GHz.", short(rate / 1e9))
    });
    let samples = measured.rows.iter().map(|row| row.samples).max();
    let intro = format!(
        "Scale `{}`, up to {} samples in {} passes, on {}.{counter} Medians of one run.\n",
        measured.scale,
        samples.unwrap_or_default(),
        measured.passes,
        measured.machine.describe(),
    );
    let tables = papers
        .iter()
        .filter(|paper| {
            paper
                .rows
                .iter()
                .any(|row| measured.median(&row.bench).is_some())
        })
        .map(|paper| paper.show(measured));
    let everything = measured.everything();
    std::iter::once(intro)
        .chain(tables)
        .chain([everything])
        .collect::<Vec<_>>()
        .join("\n")
}

impl Measured {
    fn collect(options: &Options) -> Result<Self> {
        Ok(Self {
            machine: Machine::this()?,
            cycles_per_second: options.cycles_per_second,
            scale: options.measurement.scale.clone(),
            passes: options.measurement.criterion.len(),
            rows: options.measurement.rows()?,
        })
    }

    /// The median of the measurement of this name, in nanoseconds.
    fn median(&self, name: &Option<String>) -> Option<f64> {
        let name = name.as_deref()?;
        let row = self.rows.iter().find(|row| row.name == name)?;
        Some(row.median)
    }

    fn everything(&self) -> String {
        let row = |row: &Row| {
            vec![
                format!("`{}`", row.name),
                time(row.median),
                format!(
                    "{} to {}",
                    time(row.lower_quartile),
                    time(row.upper_quartile)
                ),
                time(row.fastest),
            ]
        };
        let rows: Vec<_> = self.rows.iter().map(row).collect();
        table(
            "Everything that was measured",
            &["name", "median", "quartiles", "fastest sample"],
            &rows,
        )
    }
}

impl Paper {
    fn show(&self, measured: &Measured) -> String {
        let rows: Vec<_> = self.rows.iter().map(|row| row.show(measured)).collect();
        let heads = [
            "what",
            "paper",
            "here",
            "time here",
            "paper ÷ here",
            "rival here",
            "rival ÷ here",
            "note",
        ];
        let table = table(&self.title, &heads, &rows);
        let (paper, machine) = (&self.paper, &self.machine);
        format!("{table}\nPaper: {paper}. Its machine: {machine}.\n")
    }
}

impl PaperRow {
    fn show(&self, measured: &Measured) -> Vec<String> {
        let nanoseconds = |name| Some(measured.median(name)? / self.divide);
        let ours = nanoseconds(&self.bench);
        let rival = nanoseconds(&self.rival);
        let here = match self.unit {
            Unit::Bytes => self.bytes,
            Unit::Bits => self.bytes.map(|bytes| bytes * 8.0),
            unit => ours.and_then(|ours| unit.of(ours, measured.cycles_per_second)),
        };
        let nothing = || {
            if self.bench.is_some() {
                "not measured"
            } else {
                "–"
            }
            .to_owned()
        };
        let ratio = |of: Option<f64>, to: Option<f64>| {
            let ratio = of.zip(to).map(|(of, to)| format!("{}×", short(of / to)));
            ratio.unwrap_or_default()
        };
        vec![
            self.row.clone(),
            self.paper
                .map_or_else(String::new, |paper| self.unit.show(paper)),
            here.map_or_else(nothing, |here| self.unit.show(here)),
            ours.map_or_else(String::new, time),
            ratio(self.paper, here),
            rival.map_or_else(String::new, time),
            ratio(rival, ours),
            self.note.clone(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::pooled;

    #[test]
    fn every_papers_file_has_the_form_that_is_documented() {
        for paper in papers().expect("every file reads") {
            assert!(!paper.title.is_empty() && !paper.machine.is_empty());
            for row in &paper.rows {
                assert!(row.divide > 0.0, "{}", row.row);
                let has_bytes_elsewhere =
                    row.bytes.is_some() && !matches!(row.unit, Unit::Bytes | Unit::Bits);
                assert!(!has_bytes_elsewhere, "{}", row.row);
                let names = row.bench.iter().chain(&row.rival);
                for name in names {
                    assert!(name.contains("::") && name.contains('/'), "{name}");
                }
            }
        }
    }

    #[test]
    fn a_row_shows_the_papers_figure_and_ours_in_its_unit() {
        let samples = [
            ("a::b/c=1".to_owned(), vec![20_000.0]),
            ("a::b/c=2".to_owned(), vec![30_000.0]),
        ];
        let measured = Measured {
            machine: Machine::this().expect("this runs somewhere"),
            cycles_per_second: Some(2e9),
            scale: "quick".to_owned(),
            passes: 1,
            rows: pooled(&[samples.into()]).expect("rows"),
        };
        let row = PaperRow {
            row: "x".to_owned(),
            unit: Unit::Cycles,
            paper: Some(12_000.0),
            bench: Some("a::b/c=1".to_owned()),
            divide: 10.0,
            bytes: None,
            rival: Some("a::b/c=2".to_owned()),
            note: String::new(),
        };
        let cells = row.show(&measured);
        let expected = [
            "x",
            "12\u{a0}000 cycles",
            "4\u{a0}000 cycles",
            "2.00 µs",
            "3.00×",
            "3.00 µs",
            "1.50×",
            "",
        ];
        assert_eq!(cells, expected);
        let unmeasured = PaperRow {
            bench: Some("other".to_owned()),
            ..row
        };
        assert_eq!(unmeasured.show(&measured)[2], "not measured");
    }
}
