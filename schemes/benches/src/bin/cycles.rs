//! Prints the rate of the processor's time-stamp counter in hertz, or nothing where there is no such counter.

#![allow(unsafe_code, reason = "reads a register of the processor")]

fn main() {
    if let Some(rate) = cycles_per_second() {
        println!("{rate}");
    }
}

/// Counts the time-stamp counter's cycles over a fifth of a second.
#[cfg(target_arch = "x86_64")]
fn cycles_per_second() -> Option<f64> {
    use std::time::{Duration, Instant};
    // SAFETY: reading the counter touches no memory, and every processor that these programs run on has it.
    let cycles = || unsafe { std::arch::x86_64::_rdtsc() };
    let (began, first) = (Instant::now(), cycles());
    std::thread::sleep(Duration::from_millis(200));
    let (last, took) = (cycles(), began.elapsed());
    let counted = u32::try_from(last.checked_sub(first)? / 1000).ok()?;
    Some(f64::from(counted) * 1000.0 / took.as_secs_f64())
}

#[cfg(not(target_arch = "x86_64"))]
fn cycles_per_second() -> Option<f64> {
    None
}
