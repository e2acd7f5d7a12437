//! The tables of the companion schemes' papers, row by row, beside our measurements.
//!
//! The papers' figures are data: `schemes/benches/papers/*.json`, described by their README. Our measurements are data
//! too: every row is a line of one file in the documentation, and the page there is made from it.

mod break_even;
mod data;
mod noise;
mod paper;
mod plots;
mod row;
mod statistic;

pub use noise::{print_noisy, NoisyOptions};

use crate::{
    documents::{folder_of_docs, put, write_plots},
    results::Measurement,
    text::{bare_table, short},
    Result,
};
use data::{Data, Found};
use paper::{papers, Named, HEADS};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The measurements, and the targets of the output.
#[derive(clap::Args)]
pub struct Options {
    /// Criterion's results.
    #[command(flatten)]
    measurement: Measurement,
    /// The output of the benches' program `counted`.
    #[arg(long, value_name = "FILE", required_unless_present = "from")]
    counted: Option<PathBuf>,
    /// Folders of passes in which noisy rows were measured again, in this order.
    #[arg(long, value_name = "DIR", num_args = 1..)]
    again: Vec<PathBuf>,
    /// The rate of the time-stamp counter in hertz, if any.
    #[arg(long, value_name = "HERTZ")]
    cycles_per_second: Option<f64>,
    /// Shows this file of an earlier run instead.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["criterion", "cycles_per_second"])]
    from: Option<PathBuf>,
    /// The output folder for the results and the tables.
    #[arg(long, value_name = "DIR")]
    output: PathBuf,
    /// Also puts the rows, the tables and the plots into the documentation.
    #[arg(long)]
    docs: bool,
    /// Not everything was measured: the documentation keeps its other rows.
    #[arg(long)]
    part: bool,
}

/// The name of the file that everything else is made from.
const ROWS: &str = "rows.jsonl";

/// Gathers or reads, then shows.
///
/// # Errors
/// When a file cannot be read or written, or when nothing was measured.
pub fn run(options: &Options) -> Result {
    fs::create_dir_all(&options.output)?;
    let mut data = match (&options.from, &options.counted) {
        (Some(file), _) => Data::read(file)?,
        (None, Some(counted)) => Data::collect(&Found {
            measurement: &options.measurement,
            again: &options.again,
            counted,
            cycles_per_second: options.cycles_per_second,
        })?,
        (None, None) => return Err("--counted or --from is required".into()),
    };
    let papers = papers()?;
    let tables = all(&data, &papers);
    println!("{tables}");
    data.write(&options.output.join(ROWS))?;
    fs::write(options.output.join("schemes.md"), &tables)?;
    write_plots(&plots::all(&data, &papers), &options.output)?;
    println!("Rows, tables and plots: {}", options.output.display());
    if options.docs {
        let folder = folder_of_docs().join("schemes");
        let kept = folder.join(ROWS);
        if options.part && kept.exists() {
            data = Data::read(&kept)?.with(data);
        }
        data.write(&kept)?;
        document(&data, &papers, &folder)?;
    }
    Ok(())
}

/// Puts the plots and the rows of each paper's part into the page.
fn document(data: &Data, papers: &[Named], folder: &Path) -> Result {
    let plots = plots::all(data, papers);
    write_plots(&plots, folder)?;
    let page = folder_of_docs().join("schemes.md");
    put(&page, "machine", &describe(data))?;
    for (name, paper) in papers {
        let own = plots.iter().filter(|(plot, _)| plot.starts_with(name));
        let shown: String = own
            .map(|(plot, _)| format!("![{}](schemes/{plot}.svg)\n", plot.replace('-', " ")))
            .collect();
        let rows: Vec<_> = paper.rows.iter().filter(|row| row.page).collect();
        let rows = bare_table(&HEADS, &paper.cells(&rows, data));
        put(&page, name, &format!("{shown}\n{rows}"))?;
    }
    Ok(())
}

fn all(data: &Data, papers: &[Named]) -> String {
    let measured = papers
        .iter()
        .filter(|(_, paper)| paper.rows.iter().any(|row| row.is_measured(data)));
    let tables = measured.map(|(_, paper)| paper.show(data));
    std::iter::once(describe(data))
        .chain(tables)
        .collect::<Vec<_>>()
        .join("\n")
}

/// The machines and the samples, in a sentence or two for each machine.
fn describe(data: &Data) -> String {
    let mut sentences: Vec<String> = Vec::new();
    for run in data.runs() {
        let counter = run.cycles_per_second.map_or_else(String::new, |rate| {
            format!(" Time-stamp counter: {} GHz.", short(rate / 1e9))
        });
        let sentence = format!(
            "Scale `{}`, {} passes, on {}.{counter}\n",
            run.scale,
            run.passes,
            run.machine.describe(),
        );
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    sentences.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_a_place_for_each_paper() {
        let page = fs::read_to_string(folder_of_docs().join("schemes.md")).expect("a page");
        let papers = papers().expect("every file reads");
        let names = papers.iter().map(|(name, _)| name.as_str());
        for name in names.chain(["machine"]) {
            for end in ["begin", "end"] {
                let mark = format!("<!-- {name}: {end} -->");
                assert_eq!(page.matches(&mark).count(), 1, "{mark}");
            }
        }
    }
}
