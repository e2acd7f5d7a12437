//! Ctrl-C and the other signals that end a program.

use crate::{Error, Result};
use tokio::signal::unix::{signal, Signal, SignalKind};

/// The signals that ask a program to end.
#[derive(Debug)]
pub struct Interrupt {
    signals: [Signal; 3],
}

impl Interrupt {
    /// Handles the signals from now on; otherwise they end the program before it has cleaned up.
    ///
    /// # Errors
    /// [`Error::Io`] when the system refuses.
    pub fn listen() -> Result<Self> {
        let listen = |kind| signal(kind).map_err(Error::io("listening for signals"));
        let [int, term, hangup] = [
            SignalKind::interrupt(),
            SignalKind::terminate(),
            SignalKind::hangup(),
        ]
        .map(listen);
        Ok(Self {
            signals: [int?, term?, hangup?],
        })
    }

    /// Waits for a signal.
    pub async fn next(&mut self) {
        let [int, term, hangup] = &mut self.signals;
        tokio::select! {
            _ = int.recv() => {}
            _ = term.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}
