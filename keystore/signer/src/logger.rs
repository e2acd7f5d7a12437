//! Writes what is logged to the standard error, a line each. Whoever keeps it (journald, a container) adds the time.

use log::{LevelFilter, Log, Metadata, Record};
use std::io::Write;

struct Logger;

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= log::max_level()
    }

    fn log(&self, record: &Record<'_>) {
        // What libraries say about their own work is for their developers.
        let ours = record.target().starts_with("duet");
        if ours && self.enabled(record.metadata()) {
            let line = format!("{:5} {}\n", record.level(), record.args());
            // There is nowhere to say that it cannot be said.
            let _ = std::io::stderr().write_all(line.as_bytes());
        }
    }

    fn flush(&self) {}
}

/// Starts logging.
pub(crate) fn start(level: LevelFilter) {
    log::set_max_level(level);
    // Fails when there is a logger already: in tests.
    let _ = log::set_logger(&Logger);
}
