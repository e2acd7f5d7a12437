//! The results of a run, and their file.

use crate::{documents::folder_of_counts, Result};
use serde::{de::DeserializeOwned, Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// All results of one run.
#[derive(Serialize, Deserialize)]
pub(crate) struct Results {
    /// The machine of the run.
    pub(crate) machine: Machine,
    /// `quick`, `full` or `large`.
    pub(crate) scale: String,
    /// How often everything was measured, one after another; the samples are pooled.
    pub(crate) passes: usize,
    /// The measurements, by name.
    pub(crate) rows: Vec<Row>,
    /// The sizes of transmitted objects, in bytes.
    pub(crate) sizes: Vec<Sizes>,
    /// Valgrind's counts, as last saved, by name.
    pub(crate) counts: BTreeMap<String, Count>,
}

/// The properties of a machine that matter for the figures.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// The processor's name, as the kernel has it.
    pub(crate) processor: String,
    /// Cores that this program may use.
    pub(crate) cores: usize,
    /// The supported extensions that big-number arithmetic can use.
    pub(crate) extensions: Vec<String>,
    /// The compiler.
    pub(crate) compiler: String,
}

/// One measurement.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Row {
    /// `module::operation/key=value,…`.
    pub(crate) name: String,
    /// The unit of all figures: `ns` for measurements, another for counts.
    pub(crate) unit: String,
    /// Median.
    pub(crate) median: f64,
    /// Lower bound of the median, with 95 % confidence.
    pub(crate) lower: f64,
    /// Upper bound of the median.
    pub(crate) upper: f64,
    /// A quarter of the samples is below.
    pub(crate) lower_quartile: f64,
    /// A quarter of the samples is above.
    pub(crate) upper_quartile: f64,
    /// The fastest sample: the time when nothing else runs.
    pub(crate) fastest: f64,
    /// Arithmetic mean.
    pub(crate) mean: f64,
    /// Standard deviation of the samples.
    pub(crate) deviation: f64,
    /// The number of samples.
    pub(crate) samples: usize,
}

/// Bytes of what travels, for one size of set.
#[derive(Serialize, Deserialize)]
pub(crate) struct Sizes {
    pub(crate) n: u32,
    pub(crate) vote: u32,
    pub(crate) justification: u32,
    pub(crate) stateless: u32,
    pub(crate) beefy_ecdsa: u32,
    pub(crate) beefy_ecdsa_bls: u32,
}

/// Counted, not measured.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Count {
    pub(crate) instructions: u64,
    pub(crate) multiplications: u64,
}

impl Results {
    /// The content of a file of an earlier run.
    pub(crate) fn read(file: &Path) -> Result<Self> {
        read_json(file)
    }

    /// Writes the file.
    pub(crate) fn write(&self, file: &Path) -> Result {
        let text = serde_json::to_string_pretty(self)?;
        Ok(fs::write(file, text + "\n")?)
    }

    /// Gathers what criterion left, the sizes (one set in each line), and the counts that the repository keeps.
    pub(crate) fn collect(measurement: &Measurement, sizes: &Path) -> Result<Self> {
        let sizes = read(sizes)?
            .lines()
            .map(serde_json::from_str)
            .collect::<std::result::Result<_, _>>()?;
        let machine = Machine::this()?;
        let counts = machine.counts_file();
        Ok(Self {
            counts: read_json(&folder_of_counts().join(counts))?,
            machine,
            scale: measurement.scale.clone(),
            passes: measurement.criterion.len(),
            rows: measurement.rows()?,
            sizes,
        })
    }

    /// The measurement of this name.
    pub(crate) fn row(&self, name: &str) -> Option<&Row> {
        let at = self
            .rows
            .binary_search_by(|row| row.name.as_str().cmp(name));
        self.rows.get(at.ok()?)
    }

    /// Its median.
    pub(crate) fn median(&self, name: &str) -> Option<f64> {
        self.row(name).map(|row| row.median)
    }

    /// The sizes of sets that something was measured for: the numbers after `key=` in names that start with
    /// `operation`.
    pub(crate) fn values(&self, operation: &str, key: &str) -> BTreeSet<u32> {
        let key = format!("{key}=");
        self.rows
            .iter()
            .filter_map(|row| row.name.strip_prefix(operation)?.strip_prefix('/'))
            .flat_map(|keys| keys.split(','))
            .filter_map(|pair| pair.strip_prefix(&key)?.parse().ok())
            .collect()
    }
}

/// The location of criterion's results.
#[derive(clap::Args)]
pub(crate) struct Measurement {
    /// Criterion's folder of each pass.
    #[arg(long, value_name = "DIR", num_args = 1.., required_unless_present = "from")]
    pub(crate) criterion: Vec<PathBuf>,
    /// `quick`, `full` or `large`.
    #[arg(long, default_value = "full")]
    pub(crate) scale: String,
}

impl Measurement {
    /// One row for each name, from the samples of all passes.
    ///
    /// # Errors
    /// When a file cannot be read, or when there are no samples.
    pub(crate) fn rows(&self) -> Result<Vec<Row>> {
        let passes: Result<Vec<_>> = self.criterion.iter().map(|pass| samples(pass)).collect();
        pooled(&passes?)
    }
}

/// One row for each name, from the samples of the passes in the folders of this one.
///
/// # Errors
/// When a file cannot be read, or when there are no samples.
pub(crate) fn passes_in(folder: &Path) -> Result<Vec<Row>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder)? {
        folders.push(entry?.path());
    }
    folders.sort();
    let passes: Result<Vec<_>> = folders.iter().map(|pass| samples(pass)).collect();
    pooled(&passes?)
}

/// Nanoseconds per iteration of every sample, by the name of the measurement.
type Samples = BTreeMap<String, Vec<f64>>;

/// Reads what criterion left in its folder: the samples of each measurement.
fn samples(criterion: &Path) -> Result<Samples> {
    #[derive(Deserialize)]
    struct Benchmark {
        full_id: String,
    }
    #[derive(Deserialize)]
    struct Sample {
        iters: Vec<f64>,
        times: Vec<f64>,
    }
    let read = |folder: &PathBuf| {
        let Benchmark { full_id } = read_json(&folder.join("benchmark.json"))?;
        let Sample { iters, times } = read_json(&folder.join("sample.json"))?;
        let pairs = times.into_iter().zip(iters);
        Ok((
            full_id,
            pairs.map(|(time, iterations)| time / iterations).collect(),
        ))
    };
    measurements(criterion)?.iter().map(read).collect()
}

/// The samples of all passes, with the statistics of each measurement.
pub(crate) fn pooled(passes: &[Samples]) -> Result<Vec<Row>> {
    let mut pooled = Samples::new();
    for (name, samples) in passes.iter().flatten() {
        pooled.entry(name.clone()).or_default().extend(samples);
    }
    if pooled.is_empty() {
        return Err("no samples: no benchmark matches the filter".into());
    }
    Ok(pooled.into_iter().filter_map(Row::new).collect())
}

impl Row {
    /// The bounds of the median are those order statistics between which it lies with 95 % confidence, whatever
    /// the distribution: `√n` ranks around the middle. `None` without samples.
    fn new((name, mut samples): (String, Vec<f64>)) -> Option<Self> {
        samples.sort_by(f64::total_cmp);
        let last = samples.len().checked_sub(1)?;
        let at = |index: usize| samples.get(index.min(last)).copied();
        let (middle, reach) = (samples.len() / 2, samples.len().isqrt());
        let (mean, deviation) = moments(&samples);
        Some(Self {
            name,
            unit: "ns".to_owned(),
            median: (at(middle)? + at(last - middle)?) / 2.0,
            lower: at(middle.saturating_sub(reach))?,
            upper: at(middle + reach)?,
            lower_quartile: at(samples.len() / 4)?,
            upper_quartile: at(last - samples.len() / 4)?,
            fastest: at(0)?,
            mean,
            deviation,
            samples: samples.len(),
        })
    }

    /// A single count, without a spread.
    pub(crate) fn exact(name: String, unit: &str, value: f64) -> Self {
        Self {
            name,
            unit: unit.to_owned(),
            median: value,
            lower: value,
            upper: value,
            lower_quartile: value,
            upper_quartile: value,
            fastest: value,
            mean: value,
            deviation: 0.0,
            samples: 1,
        }
    }
}

/// Mean and standard deviation, the latter zero for a single sample.
fn moments(samples: &[f64]) -> (f64, f64) {
    let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    let mean = samples.iter().sum::<f64>() / count(samples.len());
    let squares = samples.iter().map(|sample| (sample - mean).powi(2));
    let freedom = count(samples.len().saturating_sub(1).max(1));
    (mean, (squares.sum::<f64>() / freedom).sqrt())
}

/// Criterion keeps each measurement of this run in a folder of this name.
const OF_THIS_RUN: &str = "new";

fn measurements(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    if !folder.is_dir() {
        return Ok(found);
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && path.ends_with(OF_THIS_RUN) {
            found.push(path);
        } else if path.is_dir() {
            found.extend(measurements(&path)?);
        }
    }
    Ok(found)
}

pub(crate) fn read_json<T: DeserializeOwned>(file: &Path) -> Result<T> {
    Ok(serde_json::from_str(&read(file)?)
        .map_err(|error| format!("{}: {error}", file.display()))?)
}

pub(crate) fn read(file: &Path) -> Result<String> {
    Ok(fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?)
}

/// Extensions that big-number arithmetic can use.
const EXTENSIONS: [&str; 6] = ["bmi2", "adx", "avx2", "avx512f", "avx512dq", "avx512ifma"];

impl Machine {
    /// In one line: processor, cores, extensions, compiler.
    pub(crate) fn describe(&self) -> String {
        format!(
            "{} ({} cores, {}), {}",
            self.processor,
            self.cores,
            self.extensions.join(", "),
            self.compiler,
        )
    }

    /// The current machine.
    pub(crate) fn this() -> Result<Self> {
        let described = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let value = |key: &str| {
            let line = described.lines().find(|line| line.starts_with(key))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let flags = value("flags").unwrap_or_default();
        let has = |extension: &&str| flags.split(' ').any(|flag| flag == *extension);
        let compiler = Command::new("rustc").arg("--version").output()?.stdout;
        Ok(Self {
            processor: value("model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            cores: std::thread::available_parallelism()?.get(),
            extensions: EXTENSIONS
                .into_iter()
                .filter(has)
                .map(str::to_owned)
                .collect(),
            compiler: String::from_utf8(compiler)?.trim().to_owned(),
        })
    }

    /// The counts of the back end that blst has here.
    fn counts_file(&self) -> &'static str {
        if self.extensions.iter().any(|extension| extension == "adx") {
            "adx.json"
        } else {
            "portable.json"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_and_quartiles_are_those_of_the_pooled_samples() {
        let row = Row::new(("x".to_owned(), vec![9.0, 1.0, 5.0, 3.0, 7.0])).expect("samples");
        assert_eq!(row.median, 5.0);
        assert_eq!((row.lower_quartile, row.upper_quartile), (3.0, 7.0));
        assert_eq!((row.lower, row.upper), (1.0, 9.0));
        assert_eq!(row.fastest, 1.0);
        assert_eq!((row.mean, row.deviation), (5.0, 10_f64.sqrt()));
        let even = Row::new(("x".to_owned(), vec![4.0, 1.0, 2.0, 3.0])).expect("samples");
        assert_eq!(even.median, 2.5);
        assert!(Row::new(("x".to_owned(), Vec::new())).is_none());
    }
}
