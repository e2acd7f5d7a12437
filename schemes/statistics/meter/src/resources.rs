//! The resources that this process uses.

use rustix::time::{clock_gettime, ClockId};
use std::{fs, time::Duration};

/// The processor time that all threads of this process have taken.
pub(crate) fn processor_time() -> Option<Duration> {
    let taken = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(taken.tv_sec).ok()?;
    Some(Duration::new(seconds, u32::try_from(taken.tv_nsec).ok()?))
}

/// The resident memory of this process in KiB; `None` where there is no `/proc`.
pub(crate) fn resident_kib() -> Option<u64> {
    resident_in(&fs::read_to_string("/proc/self/status").ok()?)
}

fn resident_in(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resident_memory_is_read_from_the_status_of_a_process() {
        let status = "Name:\tduet-node\nVmHWM:\t  999 kB\nVmRSS:\t  123456 kB\nRssAnon:\t 1 kB\n";
        assert_eq!(resident_in(status), Some(123_456));
        assert_eq!(resident_in("Name:\tduet-node\n"), None);
        assert_eq!(resident_in("VmRSS:\t 5 pages\n"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_works_takes_time_and_memory() {
        let before = processor_time().unwrap();
        let work = (0..2_000_000_u64).fold(1_u64, |a, b| a.wrapping_mul(31).wrapping_add(b));
        assert_ne!(std::hint::black_box(work), 0);
        assert!(processor_time().unwrap() > before);
        assert!(resident_kib().unwrap() > 100);
    }
}
