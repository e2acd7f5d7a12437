//! A bench harness that can measure benches or only list their names.

use criterion::{measurement::WallTime, Bencher, BenchmarkGroup, Criterion, SamplingMode};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::{
    hint::black_box,
    time::{Duration, Instant},
};

/// The destination of benches. Benches create expensive inputs lazily, so that listing them is fast.
pub enum Harness {
    /// Runs benches with criterion.
    Measuring(Box<Criterion>),
    /// Collects the names, in order.
    Listing(Vec<String>),
}

/// The time for one slow bench.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The time before measurement.
    pub warm_up: Duration,
    /// The time for all samples together, if they are fast enough.
    pub measurement: Duration,
}

impl Harness {
    /// Measures with this criterion configuration.
    pub fn measuring(criterion: Criterion) -> Self {
        Self::Measuring(Box::new(criterion))
    }

    /// Measures ten samples in about half a second, unless the command line says otherwise, and draws no plots.
    pub fn brief() -> Self {
        let criterion = Criterion::default()
            .sample_size(10)
            .warm_up_time(Duration::from_millis(100))
            .measurement_time(Duration::from_millis(500));
        Self::measuring(criterion.configure_from_args().without_plots())
    }

    /// The names of the benches in `run`, which are not executed.
    pub fn names(run: impl FnOnce(&mut Self)) -> Vec<String> {
        let mut harness = Self::Listing(Vec::new());
        run(&mut harness);
        match harness {
            Self::Listing(names) => names,
            Self::Measuring(_) => Vec::new(),
        }
    }

    /// Adds a bench with the name `group/parameters`.
    pub fn bench(&mut self, name: &str, body: impl FnMut(&mut Bencher<'_>)) {
        self.add(name, |_| (), body);
    }

    /// The same with ten samples of equal numbers of iterations.
    pub fn bench_slow(&mut self, name: &str, effort: Effort, body: impl FnMut(&mut Bencher<'_>)) {
        let configure = |group: &mut BenchmarkGroup<'_, WallTime>| {
            group
                .sampling_mode(SamplingMode::Flat)
                .sample_size(10)
                .warm_up_time(effort.warm_up)
                .measurement_time(effort.measurement);
        };
        self.add(name, configure, body);
    }

    /// The same with `runs` samples of one execution each, whose spread is that of the executions.
    pub fn bench_each(&mut self, name: &str, runs: u8, body: impl FnMut(&mut Bencher<'_>)) {
        let configure = |group: &mut BenchmarkGroup<'_, WallTime>| {
            group
                .sampling_mode(SamplingMode::Flat)
                .sample_size(runs.into())
                .warm_up_time(Duration::from_millis(50))
                // Too short for more than one execution in a sample.
                .measurement_time(Duration::from_nanos(1));
        };
        self.add(name, configure, body);
    }

    fn add(
        &mut self,
        name: &str,
        configure: impl FnOnce(&mut BenchmarkGroup<'_, WallTime>),
        body: impl FnMut(&mut Bencher<'_>),
    ) {
        match self {
            Self::Listing(names) => names.push(name.to_owned()),
            Self::Measuring(criterion) => {
                let (group, parameters) = name.split_once('/').expect("a group and parameters");
                let mut group = criterion.benchmark_group(group);
                configure(&mut group);
                group.bench_function(parameters, body);
                group.finish();
            }
        }
    }

    /// Prints criterion's final summary.
    pub fn finish(self) {
        if let Self::Measuring(criterion) = self {
            criterion.final_summary();
        }
    }
}

/// Measures `work` after asserting that it returns true.
pub fn checked(mut work: impl FnMut() -> bool) -> impl FnMut(&mut Bencher<'_>) {
    let mut is_seen = false;
    move |bencher| {
        // Criterion calls this for every sample.
        if !is_seen {
            assert!(work(), "the work failed");
            is_seen = true;
        }
        bencher.iter(|| black_box(work()));
    }
}

/// A pool of so many threads; zero means one per core.
///
/// # Panics
/// If threads cannot be started.
pub fn pool(threads: usize) -> ThreadPool {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    builder.build().expect("threads can be started")
}

/// The thread pools, with their names in benches.
pub fn pools() -> [(&'static str, ThreadPool); 2] {
    [("1", pool(1)), ("all", pool(0))]
}

/// Measures inside a pool, so that single-threaded work is not passed between threads.
pub fn in_pool<'a, T>(
    pool: &'a ThreadPool,
    mut run: impl FnMut() -> T + Send + 'a,
) -> impl FnMut(&mut Bencher<'_>) + 'a {
    let mut is_ready = false;
    move |b| {
        // The first call prepares the inputs.
        if !is_ready {
            pool.install(|| {
                black_box(run());
            });
            is_ready = true;
        }
        b.iter_custom(|iterations| {
            pool.install(|| {
                let start = Instant::now();
                for _ in 0..iterations {
                    black_box(run());
                }
                start.elapsed()
            })
        });
    }
}
