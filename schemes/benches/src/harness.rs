//! Benches that can be measured, or only listed by name.

use criterion::{measurement::WallTime, Bencher, BenchmarkGroup, Criterion, SamplingMode};
use std::{hint::black_box, time::Duration};

/// Where benches go. Whatever a bench needs that takes long to make, it makes when it is measured, so that listing all of
/// them takes no time.
pub enum Harness {
    /// To criterion.
    Measuring(Box<Criterion>),
    /// Nowhere; their names are kept, in order.
    Listing(Vec<String>),
}

/// How much time goes into one bench that takes long itself.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Before anything counts.
    pub warm_up: Duration,
    /// For all samples together, if they can be taken so quickly.
    pub measurement: Duration,
}

impl Harness {
    /// Measures with criterion, as it is configured.
    pub fn measuring(criterion: Criterion) -> Self {
        Self::Measuring(Box::new(criterion))
    }

    /// The names of the benches that `run` has, which must run none of them.
    pub fn names(run: impl FnOnce(&mut Self)) -> Vec<String> {
        let mut harness = Self::Listing(Vec::new());
        run(&mut harness);
        match harness {
            Self::Listing(names) => names,
            Self::Measuring(_) => Vec::new(),
        }
    }

    /// A bench of this name, `group/parameters`.
    pub fn bench(&mut self, name: &str, body: impl FnMut(&mut Bencher<'_>)) {
        self.add(name, |_| (), body);
    }

    /// The same with ten samples of as many runs each.
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

    /// Says what criterion has to say at the end.
    pub fn finish(self) {
        if let Self::Measuring(criterion) = self {
            criterion.final_summary();
        }
    }
}

/// Measures `work` after seeing that it answers yes.
pub fn answering_yes(mut work: impl FnMut() -> bool) -> impl FnMut(&mut Bencher<'_>) {
    let mut is_seen = false;
    move |bencher| {
        // Criterion calls this for every sample.
        if !is_seen {
            assert!(work(), "the work answers no");
            is_seen = true;
        }
        bencher.iter(|| black_box(work()));
    }
}
