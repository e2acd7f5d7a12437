//! The logs of processes.

use std::{
    fs::File,
    io::{Read, Result, Seek, SeekFrom},
    path::Path,
};

const TAIL: u64 = 4_000;

/// The end of a log, for an error message; if the log cannot be read, the reason.
pub fn tail(log: &Path) -> String {
    let read = || -> Result<_> {
        let mut file = File::open(log)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    read().unwrap_or_else(|error| format!("(no log: {error})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_log_is_cut_at_its_beginning() {
        let file = std::env::temp_dir().join(format!("duet-log-{}", std::process::id()));
        let text = format!("start{}end", "x".repeat(4_000));
        std::fs::write(&file, text).expect("there is room for it");
        let tail = tail(&file);
        std::fs::remove_file(&file).expect("it was written");
        assert_eq!(tail.len(), 4_000);
        assert!(tail.starts_with("xx") && tail.ends_with("xend"));
    }

    #[test]
    fn of_a_log_that_is_not_there_the_reason_is_shown() {
        let tail = tail(Path::new("/nowhere/node.log"));
        assert!(tail.starts_with("(no log: "), "{tail}");
    }
}
