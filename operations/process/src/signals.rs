//! What stops a program that runs for long.

use crate::output::IS_LOST;
use std::{fs, future, io, os::unix::net::UnixStream};
use tokio::{
    runtime::{Builder, Runtime},
    signal::unix::{signal, Signal, SignalKind},
};

/// The bit of SIGHUP in the sets of signals that Linux shows.
const HANGUP_BIT: u64 = 1;

/// Builds a runtime of tokio. Without descriptors for signals tokio panics; this is an error here.
///
/// # Errors
/// The system gives no threads, or no descriptors.
pub fn runtime(builder: &mut Builder) -> io::Result<Runtime> {
    // As many as tokio opens itself: three to wait with, three for signals.
    let room = [(); 3].map(|()| UnixStream::pair());
    for pair in room {
        pair?;
    }
    builder.build()
}

/// The signals that stop a program. They are caught from [`Signals::new`] on, so that an early one is not lost.
#[derive(Debug)]
pub struct Signals {
    interrupt: Signal,
    terminate: Signal,
    /// `None` if this process was started to ignore it, as `nohup` does.
    hangup: Option<Signal>,
}

impl Signals {
    /// Catches SIGINT, SIGTERM and SIGHUP, in a runtime of tokio.
    ///
    /// # Errors
    /// The system does not allow it.
    pub fn new() -> io::Result<Self> {
        let hangup = (!ignores_hangup()).then(|| signal(SignalKind::hangup()));
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: hangup.transpose()?,
        })
    }

    /// Waits for a signal, or for the loss of standard output. Returns its name.
    pub async fn wait(&mut self) -> &'static str {
        let hung_up = async {
            match &mut self.hangup {
                Some(signal) => signal.recv().await,
                None => future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.terminate.recv() => "SIGTERM",
            _ = hung_up => "SIGHUP",
            () = IS_LOST.notified() => "loss of standard output",
        }
    }
}

/// Whether this process was started to ignore SIGHUP. Systems without `/proc` say nothing about it.
pub(crate) fn ignores_hangup() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.map(|digits| u64::from_str_radix(digits.trim(), 16));
    matches!(ignored, Some(Ok(set)) if set & HANGUP_BIT != 0)
}
