//! What the system says of a node's process: its processor time by thread, and its memory.

use crate::{Error, Result};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

/// Processor time of a process's threads so far, and their names.
#[derive(Clone, Debug, Default)]
pub struct Threads(BTreeMap<u32, (String, Duration)>);

impl Threads {
    /// Reads those of a process. A thread that ends meanwhile is left out.
    ///
    /// # Errors
    /// [`Error::Io`] when there is no such process.
    pub fn read(process: u32) -> Result<Self> {
        let folder = PathBuf::from(format!("/proc/{process}/task"));
        let listing = fs::read_dir(&folder).map_err(Error::io(folder.display().to_string()))?;
        let mut threads = BTreeMap::new();
        for entry in listing.flatten() {
            let id = entry.file_name().to_string_lossy().parse();
            if let (Ok(id), Some(thread)) = (id, read_thread(&entry.path())) {
                threads.insert(id, thread);
            }
        }
        Ok(Self(threads))
    }

    /// What was spent since an earlier reading, by name. Threads that ended since then are not in it.
    pub fn since(&self, earlier: &Self) -> BTreeMap<String, Duration> {
        let mut spent = BTreeMap::new();
        for (id, (name, time)) in &self.0 {
            let before = earlier.0.get(id).map_or(Duration::ZERO, |(_, time)| *time);
            *spent.entry(name.clone()).or_default() += time.saturating_sub(before);
        }
        spent
    }
}

/// Name and processor time, which the scheduler counts in nanoseconds.
fn read_thread(folder: &Path) -> Option<(String, Duration)> {
    let name = fs::read_to_string(folder.join("comm")).ok()?;
    let spent = fs::read_to_string(folder.join("schedstat")).ok()?;
    let nanoseconds = spent.split_whitespace().next()?.parse().ok()?;
    Some((name.trim().to_owned(), Duration::from_nanos(nanoseconds)))
}

/// The resident memory of a process, in bytes.
///
/// # Errors
/// [`Error::Io`] when there is no such process.
pub fn resident_memory(process: u32) -> Result<u64> {
    let path = format!("/proc/{process}/status");
    let status = fs::read_to_string(&path).map_err(Error::io(path))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    Ok(kibibytes.unwrap_or(0) * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::mpsc, thread};

    #[test]
    fn the_time_of_a_thread_is_found_under_its_name() {
        let process = std::process::id();
        let (resume, paused) = mpsc::channel::<()>();
        let (tell, told) = mpsc::channel();
        let busy = move || {
            let began = crate::cpu::thread_time();
            while crate::cpu::thread_time() - began < Duration::from_millis(50) {}
            tell.send(()).expect("the test waits");
            let _ = paused.recv();
        };
        let before = Threads::read(process).expect("this process");
        let thread = thread::Builder::new().name("busy-in-test".into());
        let thread = thread.spawn(busy).expect("a thread");
        told.recv().expect("the thread has worked");
        let spent = Threads::read(process).expect("this process").since(&before);
        assert!(
            spent["busy-in-test"] >= Duration::from_millis(40),
            "{spent:?}"
        );
        drop(resume);
        thread.join().expect("the thread ends");
    }

    #[test]
    fn this_process_has_memory_and_nobody_has_the_id_zero() {
        assert!(resident_memory(std::process::id()).expect("this process") > 0);
        assert!(matches!(resident_memory(0), Err(Error::Io { .. })));
    }
}
