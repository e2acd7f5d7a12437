//! The light client as a process.

use crate::{Error, Executables, Result};
use duet_runtime::Hash;
use std::{path::Path, process::Stdio};
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
};

/// `duet-light follow`, running. Dropping it kills it.
#[derive(Debug)]
pub struct LightClient {
    command: String,
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl LightClient {
    /// Starts it, from nothing but the genesis hash, against these nodes. `flags` are added to the command.
    ///
    /// What it says of errors and progress goes where ours goes.
    ///
    /// # Errors
    /// [`Error::NoExecutable`], [`Error::Io`].
    pub fn follow(
        executables: &Executables,
        genesis: Hash,
        urls: &[String],
        state: &Path,
        flags: &[&str],
    ) -> Result<Self> {
        let mut arguments = vec![
            "follow".to_owned(),
            "--genesis".to_owned(),
            format!("{genesis:?}"),
        ];
        for url in urls {
            arguments.extend(["--url".to_owned(), url.clone()]);
        }
        arguments.extend(["--state".to_owned(), state.display().to_string()]);
        arguments.extend(flags.iter().map(ToString::to_string));
        let executable = executables.light()?;
        let mut command = Command::new(&executable);
        command
            .args(&arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        let failed = || format!("starting {}", executable.display());
        let mut process = command.spawn().map_err(Error::io(failed()))?;
        let output = process.stdout.take().ok_or_else(|| {
            Error::io(failed())(std::io::Error::other("its output is not connected"))
        })?;
        let command = format!("duet-light {}", arguments.join(" "));
        Ok(Self {
            command,
            process,
            lines: BufReader::new(output).lines(),
        })
    }

    /// How it was called.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// The next line that it prints.
    ///
    /// # Errors
    /// [`Error::LightClientEnded`] when it ends, with its status.
    pub async fn next_line(&mut self) -> Result<String> {
        let line = self
            .lines
            .next_line()
            .await
            .map_err(Error::io("reading the light client"))?;
        match line {
            Some(line) => Ok(line),
            None => {
                let status = self.process.wait().await;
                let status = status.map_err(Error::io("waiting for the light client"))?;
                Err(Error::LightClientEnded {
                    status: status.to_string(),
                })
            }
        }
    }
}
