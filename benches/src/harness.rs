//! How everything here is measured: one criterion, three scales, and a check before each measurement that the
//! answer is the right one.

use criterion::{Criterion, SamplingMode};
use std::{hint::black_box, time::Duration};

/// The environment variable that names the [`Scale`].
pub const SCALE: &str = "DUET_BENCH_SCALE";

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scale {
    /// Sets of up to 1 000, few samples.
    Quick,
    /// Sets of up to 10 000.
    Full,
    /// Sets of up to 100 000, whose inputs alone take minutes.
    Large,
}

/// The rough duration of one operation; it decides the number of samples.
#[derive(Clone, Copy, Debug)]
pub enum Pace {
    /// Below about ten milliseconds.
    Fast,
    /// Above.
    Slow,
}

/// Criterion, and its options.
pub struct Harness {
    criterion: Criterion,
    scale: Scale,
}

impl Harness {
    /// Reads the arguments of the bench program and [`SCALE`].
    ///
    /// # Panics
    /// When [`SCALE`] is set to something else than `quick`, `full` or `large`.
    pub fn from_environment() -> Self {
        let scale = match std::env::var(SCALE).as_deref() {
            Ok("quick") => Scale::Quick,
            Ok("large") => Scale::Large,
            Ok("full") | Err(_) => Scale::Full,
            Ok(other) => panic!("{SCALE} is {other:?}; it may be quick, full or large"),
        };
        let criterion = Criterion::default()
            .configure_from_args()
            .without_plots()
            .nresamples(2000);
        Self { criterion, scale }
    }

    /// How much is measured.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// The sizes of sets at this scale.
    pub fn set_sizes(&self) -> &'static [u32] {
        match self.scale {
            Scale::Quick => &[10, 100, 1000],
            Scale::Full => &[10, 100, 1000, 10_000],
            Scale::Large => &[10, 100, 1000, 10_000, 100_000],
        }
    }

    /// Measures the operation that `prepare` makes, under `name`: `module::operation/key=value,…`.
    ///
    /// Nothing is prepared for a measurement that the filter leaves out. The operation is called once before it is
    /// measured, so that lazily made data exists.
    ///
    /// # Panics
    /// When that call answers `false`, or when `name` is not of that form.
    pub fn measure<W>(&mut self, name: &str, pace: Pace, prepare: impl FnOnce() -> W)
    where
        W: FnMut() -> bool,
    {
        let (group, function) =
            parse(name).unwrap_or_else(|| panic!("{name} is not module::operation/key=value,…"));
        let (samples, warm_up, measurement) = match (self.scale, pace) {
            (Scale::Quick, Pace::Fast) => (10, 60, 250),
            (Scale::Quick, Pace::Slow) => (10, 1, 250),
            (_, Pace::Fast) => (10, 100, 500),
            (_, Pace::Slow) => (10, 50, 500),
        };
        let mut prepare = Some(prepare);
        let mut work = None;
        let mut group = self.criterion.benchmark_group(group);
        group
            .sample_size(samples)
            .warm_up_time(Duration::from_millis(warm_up))
            .measurement_time(Duration::from_millis(measurement))
            .sampling_mode(SamplingMode::Flat)
            .bench_function(function, |bencher| {
                if let Some(prepare) = prepare.take() {
                    let mut prepared = prepare();
                    assert!(prepared(), "{name} returned false");
                    work = Some(prepared);
                }
                if let Some(work) = work.as_mut() {
                    bencher.iter(|| black_box(work()));
                }
            });
        group.finish();
    }
}

/// The operation and what varies, when the name has the form that the tables rely on.
fn parse(name: &str) -> Option<(&str, &str)> {
    let (operation, keys) = name.split_once('/')?;
    let (module, function) = operation.split_once("::")?;
    let is_pair = |pair: &str| {
        pair.split_once('=')
            .is_some_and(|(key, value)| !key.is_empty() && !value.is_empty())
    };
    let is_named = !module.is_empty() && !function.is_empty();
    (is_named && keys.split(',').all(is_pair)).then_some((operation, keys))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_name_is_an_operation_and_pairs() {
        let good = "vote::check/n=10,scheme=duet";
        assert_eq!(parse(good), Some(("vote::check", "n=10,scheme=duet")));
        for bad in [
            "vote::check",
            "vote/n=1",
            "::check/n=1",
            "vote::check/",
            "a::b/n=1,duet",
            "a::b/n=",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
