//! Logs to the standard error, one line per entry. The log's collector (journald, a container) adds the time.

use log::{LevelFilter, Log, Metadata, Record};

struct Logger;

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= log::max_level()
    }

    fn log(&self, record: &Record<'_>) {
        // Log entries of libraries are for their developers.
        let ours = record.target().starts_with("duet");
        if ours && self.enabled(record.metadata()) {
            duet_process::warn(format_args!("{:5} {}", record.level(), record.args()));
        }
    }

    fn flush(&self) {}
}

/// Starts logging.
pub(crate) fn start(level: LevelFilter) {
    log::set_max_level(level);
    // Fails if there is already a logger: in tests.
    let _ = log::set_logger(&Logger);
}
