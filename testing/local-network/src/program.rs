//! A program as a process, and its output.

use crate::{Error, Result};
use std::{
    path::Path,
    process::{ExitStatus, Stdio},
};
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
};

/// A running program. Dropping it kills it.
#[derive(Debug)]
pub(crate) struct Program {
    name: &'static str,
    arguments: Vec<String>,
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Program {
    /// Starts it. Its standard error goes to ours.
    pub(crate) fn start(
        name: &'static str,
        executable: &Path,
        arguments: Vec<String>,
    ) -> Result<Self> {
        let mut command = Command::new(executable);
        command
            .args(&arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        let failed = || format!("starting {}", executable.display());
        let mut process = command.spawn().map_err(Error::io(failed()))?;
        let output = process
            .stdout
            .take()
            .ok_or_else(|| Error::io(failed())(std::io::Error::other("its output is not piped")))?;
        Ok(Self {
            name,
            arguments,
            process,
            lines: BufReader::new(output).lines(),
        })
    }

    /// The command line.
    pub(crate) fn command(&self) -> String {
        format!("{} {}", self.name, self.arguments.join(" "))
    }

    /// The next line of its output.
    pub(crate) async fn next_line(&mut self) -> Result<String> {
        match self.read_line().await? {
            Some(line) => Ok(line),
            None => Err(self.ended().await?),
        }
    }

    /// Its output until it ends with success.
    pub(crate) async fn all_lines(mut self) -> Result<Vec<String>> {
        match self.lines_to_the_end().await? {
            (lines, true) => Ok(lines),
            (_, false) => Err(self.ended().await?),
        }
    }

    /// Its output until it ends, and whether it ends with success.
    pub(crate) async fn lines_to_the_end(&mut self) -> Result<(Vec<String>, bool)> {
        let mut lines = Vec::new();
        while let Some(line) = self.read_line().await? {
            lines.push(line);
        }
        Ok((lines, self.status().await?.success()))
    }

    /// Kills it, and waits until its files are free.
    pub(crate) async fn kill(mut self) -> Result<()> {
        let killed = self.process.kill().await;
        killed.map_err(Error::io(format!("ending {}", self.name)))
    }

    async fn read_line(&mut self) -> Result<Option<String>> {
        let line = self.lines.next_line().await;
        line.map_err(Error::io(format!("reading {}", self.name)))
    }

    async fn ended(&mut self) -> Result<Error> {
        Ok(Error::ProgramEnded {
            program: self.name,
            status: self.status().await?.to_string(),
        })
    }

    async fn status(&mut self) -> Result<ExitStatus> {
        let status = self.process.wait().await;
        status.map_err(Error::io(format!("waiting for {}", self.name)))
    }
}
