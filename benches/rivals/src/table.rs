//! Measures rows in turns, and prints them as a table.

use rustix::time::{clock_gettime, ClockId};
use std::{hint::black_box, time::Duration};

/// A measurement.
pub struct Row {
    name: &'static str,
    /// The divisor of the time.
    per: u32,
    work: Box<dyn FnMut() -> bool>,
    samples: Vec<f64>,
}

impl Row {
    /// Work that does something `per` times; it answers whether all was good.
    pub fn new(name: &'static str, per: u32, work: impl FnMut() -> bool + 'static) -> Self {
        Self {
            name,
            per,
            work: Box::new(work),
            samples: Vec::new(),
        }
    }

    /// One sample: as many runs as take twenty milliseconds.
    fn sample(&mut self) {
        let (begin, mut runs) = (processor_time(), 0_u32);
        while runs == 0 || processor_time() - begin < Duration::from_millis(20) {
            assert!(black_box((self.work)()), "{} returned false", self.name);
            runs += 1;
        }
        let micros = (processor_time() - begin).as_secs_f64() * 1e6;
        self.samples
            .push(micros / f64::from(runs) / f64::from(self.per));
    }

    /// The quartiles of the samples.
    fn quartiles(&self) -> [f64; 3] {
        let mut sorted = self.samples.clone();
        sorted.sort_by(f64::total_cmp);
        [1, 2, 3].map(|quarter| sorted[(sorted.len() - 1) * quarter / 4])
    }
}

/// The time that this thread has had a processor: what other programs take does not count.
fn processor_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        now.tv_sec.try_into().unwrap_or(0),
        now.tv_nsec.try_into().unwrap_or(0),
    )
}

/// Measures every row once in each pass, so that a slow moment falls on all of them, and prints a table of medians. The
/// other rows are compared with the first.
pub fn measure(title: &str, passes: usize, mut rows: Vec<Row>) {
    for row in &mut rows {
        // Whatever is made on first and second use is there then.
        assert!((row.work)() && (row.work)(), "{} returned false", row.name);
    }
    for _ in 0..passes {
        rows.iter_mut().for_each(Row::sample);
    }
    let first = rows.first().map_or([0.0; 3], Row::quartiles);
    println!("\n### {title}\n\n| | median | quartiles | ratio |\n| --- | --- | --- | --- |");
    for row in &rows {
        let [low, median, high] = row.quartiles();
        println!(
            "| {} | {median:.2} µs | {low:.2}–{high:.2} | {:.2} ({:.2}–{:.2}) |",
            row.name,
            median / first[1],
            low / first[2],
            high / first[0],
        );
    }
}
