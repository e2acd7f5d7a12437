//! Shows the results of the gadget's benches.

use crate::{
    documents::{folder_of_docs, put_tables, write_plots},
    plots,
    results::{Measurement, Results},
    tables, Result,
};
use std::{fs, path::PathBuf};

/// The measurements, and the targets of the output.
#[derive(clap::Args)]
pub struct Options {
    /// Criterion's results.
    #[command(flatten)]
    measurement: Measurement,
    /// The output of the benches' program `sizes`.
    #[arg(long, value_name = "FILE", required_unless_present = "from")]
    sizes: Option<PathBuf>,
    /// Shows this file of an earlier run instead.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["criterion", "sizes"])]
    from: Option<PathBuf>,
    /// The output folder for the results, the tables and the plots.
    #[arg(long, value_name = "DIR")]
    output: PathBuf,
    /// Also puts the tables and the plots into the documentation.
    #[arg(long)]
    docs: bool,
}

/// The name of the file that everything else is made from.
const RESULTS: &str = "results.json";

/// Gathers or reads, then shows.
///
/// # Errors
/// When a file cannot be read or written, or when nothing was measured.
pub fn run(options: &Options) -> Result {
    fs::create_dir_all(&options.output)?;
    let results = match (&options.from, &options.sizes) {
        (Some(file), _) => Results::read(file)?,
        (None, Some(sizes)) => Results::collect(&options.measurement, sizes)?,
        (None, None) => return Err("--sizes or --from is required".into()),
    };
    results.write(&options.output.join(RESULTS))?;
    let tables = tables::all(&results);
    fs::write(options.output.join("tables.md"), &tables)?;
    let plots = plots::all(&results);
    write_plots(&plots, &options.output)?;
    println!("{tables}");
    println!(
        "Results, tables and {} plots: {}",
        plots.len(),
        options.output.display()
    );
    if options.docs {
        let docs = folder_of_docs();
        write_plots(&plots, &docs.join("benchmarks"))?;
        put_tables(&docs.join("benchmarks/tables.md"), &tables)?;
    }
    Ok(())
}
