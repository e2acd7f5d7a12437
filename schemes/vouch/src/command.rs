//! Keys in tokens, which a command of the user's reaches.

use duet_sequential::{BackEndError, RawPrivate};
use std::{
    ffi::OsString,
    io::{self, ErrorKind, Read, Write},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};
use thiserror::Error;

/// How often a command is looked at that has closed its output and not ended.
const LOOK: Duration = Duration::from_millis(5);
/// The maximum running time of a command, whatever its limit.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// An RSA key whose private operation is a command: it gets a block of the length of the modulus on standard input, and
/// writes the block to the power of the private exponent to standard output, as `CKM_RSA_X_509` of a token does.
///
/// The command is started anew for each signature, without a shell. Its standard error is ours. Callers check each
/// result against the public key.
#[derive(Clone, Debug)]
pub struct CommandKey {
    program: OsString,
    arguments: Vec<OsString>,
    limit: Duration,
}

/// Why a command gave no result.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CommandError {
    /// It could not be started.
    #[error("cannot start {program:?}: {error}")]
    Start {
        /// The program.
        program: OsString,
        /// Why.
        error: io::Error,
    },
    /// It could not be spoken with.
    #[error("cannot communicate with {program:?}: {error}")]
    Pipe {
        /// The program.
        program: OsString,
        /// Why.
        error: io::Error,
    },
    /// It took too long, and was ended.
    #[error("{program:?} has not ended after {} s", limit.as_secs_f64())]
    TooSlow {
        /// The program.
        program: OsString,
        /// How long it may take.
        limit: Duration,
    },
    /// It failed.
    #[error("{program:?} failed with {status}")]
    Failed {
        /// The program.
        program: OsString,
        /// How it ended.
        status: ExitStatus,
    },
    /// Its result has another length than the modulus.
    #[error("{program:?} wrote {}, expected {expected}", shown(*got, *expected))]
    Length {
        /// The program.
        program: OsString,
        /// The length of the modulus.
        expected: usize,
        /// How many bytes were read: one more than a result has, when there were too many.
        got: usize,
    },
}

fn shown(got: usize, expected: usize) -> String {
    if got > expected {
        format!("more than {expected} bytes")
    } else {
        format!("{got} bytes")
    }
}

impl CommandKey {
    /// A key behind this program with these arguments. The call may take up to the limit, at most a day.
    pub fn new(program: OsString, arguments: Vec<OsString>, limit: Duration) -> Self {
        Self {
            program,
            arguments,
            limit: limit.min(LONGEST),
        }
    }

    fn run(&self, block: &[u8]) -> Result<Vec<u8>, CommandError> {
        // A day from now is in every clock, and the limit is no longer.
        let begun = Instant::now();
        let deadline = begun.checked_add(self.limit).unwrap_or(begun);
        let mut child = self.start(block)?;
        let result = self.result(&mut child, block.len(), deadline);
        if result.is_err() {
            // It may have ended by itself. What it started may hold its output open, and is not waited for.
            let _ = child.kill();
            let _ = child.wait();
        }
        result
    }

    fn start(&self, block: &[u8]) -> Result<Child, CommandError> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| CommandError::Start {
            program: self.program.clone(),
            error,
        })?;
        // A block fits a pipe, so that this waits for nobody.
        let written = child.stdin.take().map(|mut pipe| pipe.write_all(block));
        match written {
            // It may have ended, or closed its input. Its status says more.
            Some(Err(error)) if error.kind() == ErrorKind::BrokenPipe => {}
            Some(Err(error)) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(self.pipe(error));
            }
            Some(Ok(())) | None => {}
        }
        Ok(child)
    }

    /// The child's output, if it ends in time, with success, and with the right length.
    fn result(
        &self,
        child: &mut Child,
        expected: usize,
        deadline: Instant,
    ) -> Result<Vec<u8>, CommandError> {
        let Some(pipe) = child.stdout.take() else {
            return Err(self.pipe(ErrorKind::BrokenPipe.into()));
        };
        let most = u64::try_from(expected)
            .unwrap_or(u64::MAX)
            .saturating_add(1);
        let (sender, receiver) = mpsc::sync_channel(1);
        thread::spawn(move || {
            let mut result = Vec::with_capacity(expected);
            let read = pipe.take(most).read_to_end(&mut result);
            // Nobody listens any more when the time is over.
            let _ = sender.send(read.map(|_| result));
        });
        let left = deadline.saturating_duration_since(Instant::now());
        let read = receiver.recv_timeout(left).map_err(|_| self.too_slow())?;
        let result = read.map_err(|error| self.pipe(error))?;
        let program = self.program.clone();
        let got = result.len();
        if got > expected {
            return Err(CommandError::Length {
                program,
                expected,
                got,
            });
        }
        let status = self.wait(child, deadline)?;
        if !status.success() {
            return Err(CommandError::Failed { program, status });
        }
        if got != expected {
            return Err(CommandError::Length {
                program,
                expected,
                got,
            });
        }
        Ok(result)
    }

    fn wait(&self, child: &mut Child, deadline: Instant) -> Result<ExitStatus, CommandError> {
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(LOOK),
                Ok(None) => return Err(self.too_slow()),
                Err(error) => return Err(self.pipe(error)),
            }
        }
    }

    fn too_slow(&self) -> CommandError {
        CommandError::TooSlow {
            program: self.program.clone(),
            limit: self.limit,
        }
    }

    fn pipe(&self, error: io::Error) -> CommandError {
        CommandError::Pipe {
            program: self.program.clone(),
            error,
        }
    }
}

impl RawPrivate for CommandKey {
    fn private(&self, input: &[u8], output: &mut [u8]) -> Result<(), BackEndError> {
        let result = self.run(input).map_err(BackEndError::new)?;
        if result.len() != output.len() {
            return Err(BackEndError::new(CommandError::Length {
                program: self.program.clone(),
                expected: output.len(),
                got: result.len(),
            }));
        }
        output.copy_from_slice(&result);
        Ok(())
    }
}
