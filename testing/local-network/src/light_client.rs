//! The light client as a process.

use crate::{Error, Executables, Result};
use duet_runtime::Hash;
use std::{
    path::Path,
    process::{ExitStatus, Stdio},
};
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
};

/// `duet-light`, running. Dropping it kills it.
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
        let state = state.display().to_string();
        let flags = [&["--state", &state], flags].concat();
        Self::start(executables, "follow", genesis, urls, &flags)
    }

    /// Runs `duet-light sync` from nothing but the genesis hash against one node, and waits until it has the
    /// node's head. Returns what it printed.
    ///
    /// # Errors
    /// [`Error::NoExecutable`], [`Error::Io`], and [`Error::LightClientEnded`] when it does not succeed.
    pub async fn sync(
        executables: &Executables,
        genesis: Hash,
        url: &str,
        flags: &[&str],
    ) -> Result<Vec<String>> {
        Self::run(executables, "sync", genesis, url, flags).await
    }

    /// Runs a command of `duet-light` from nothing but the genesis hash against one node, and waits until it ends.
    /// Returns what it printed on standard output.
    ///
    /// # Errors
    /// As [`LightClient::sync`].
    pub async fn run(
        executables: &Executables,
        verb: &str,
        genesis: Hash,
        url: &str,
        flags: &[&str],
    ) -> Result<Vec<String>> {
        let urls = [url.to_owned()];
        Self::start(executables, verb, genesis, &urls, flags)?
            .all_lines()
            .await
    }

    /// Runs `duet-light report`, which hands finality proofs to a node, and waits until it ends. Returns what it printed on
    /// standard output.
    ///
    /// # Errors
    /// As [`LightClient::sync`].
    pub async fn report(
        executables: &Executables,
        url: &str,
        proofs: &[String],
    ) -> Result<Vec<String>> {
        let arguments = ["report", "--json", "--url", url].map(str::to_owned);
        let arguments = arguments.into_iter().chain(proofs.iter().cloned());
        Self::spawn(executables, arguments.collect())?
            .all_lines()
            .await
    }

    /// What it prints until it ends.
    async fn all_lines(mut self) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        while let Some(line) = self.read_line().await? {
            lines.push(line);
        }
        let status = self.status().await?;
        if status.success() {
            return Ok(lines);
        }
        Err(Error::LightClientEnded {
            status: status.to_string(),
        })
    }

    /// Runs `duet-light serve` on an address of its own, and waits until it listens. Returns its WebSocket address too.
    ///
    /// # Errors
    /// [`Error::NoExecutable`], [`Error::Io`], and [`Error::LightClientEnded`] when it does not listen.
    pub async fn serve(
        executables: &Executables,
        genesis: Hash,
        urls: &[String],
    ) -> Result<(Self, String)> {
        let flags = ["--listen", "127.0.0.1:0", "--json"];
        let mut client = Self::start(executables, "serve", genesis, urls, &flags)?;
        loop {
            let event: serde_json::Value =
                serde_json::from_str(&client.next_line().await?).unwrap_or_default();
            if event["event"] == "serving" {
                let address = event["address"].as_str().unwrap_or_default();
                return Ok((client, format!("ws://{address}")));
            }
        }
    }

    fn start(
        executables: &Executables,
        verb: &str,
        genesis: Hash,
        urls: &[String],
        flags: &[&str],
    ) -> Result<Self> {
        let mut arguments = vec![
            verb.to_owned(),
            "--genesis".to_owned(),
            format!("{genesis:?}"),
        ];
        for url in urls {
            arguments.extend(["--url".to_owned(), url.clone()]);
        }
        arguments.extend(flags.iter().map(ToString::to_string));
        Self::spawn(executables, arguments)
    }

    fn spawn(executables: &Executables, arguments: Vec<String>) -> Result<Self> {
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
        match self.read_line().await? {
            Some(line) => Ok(line),
            None => Err(Error::LightClientEnded {
                status: self.status().await?.to_string(),
            }),
        }
    }

    async fn read_line(&mut self) -> Result<Option<String>> {
        let line = self.lines.next_line().await;
        line.map_err(Error::io("reading the light client"))
    }

    /// Ends it, and waits until its files are free.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub async fn end(mut self) -> Result<()> {
        let killed = self.process.kill().await;
        killed.map_err(Error::io("ending the light client"))
    }

    async fn status(&mut self) -> Result<ExitStatus> {
        let status = self.process.wait().await;
        status.map_err(Error::io("waiting for the light client"))
    }
}
