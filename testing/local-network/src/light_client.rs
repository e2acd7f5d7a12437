//! The light client as a process.

use crate::{program::Program, Executables, Result};
use duet_runtime::Hash;
use std::path::Path;

/// `duet-light`, running. Dropping it kills it.
#[derive(Debug)]
pub struct LightClient(Program);

impl LightClient {
    /// Starts it against these nodes, with only the genesis hash. `flags` are added to the command.
    ///
    /// Its standard error goes to ours.
    ///
    /// # Errors
    /// [`crate::Error::NoExecutable`], [`crate::Error::Io`].
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

    /// Runs `duet-light sync` against one node, with only the genesis hash, and waits until it reaches the node's
    /// head. Returns its output.
    ///
    /// # Errors
    /// [`crate::Error::NoExecutable`], [`crate::Error::Io`], and [`crate::Error::ProgramEnded`] when it fails.
    pub async fn sync(
        executables: &Executables,
        genesis: Hash,
        url: &str,
        flags: &[&str],
    ) -> Result<Vec<String>> {
        Self::run(executables, "sync", genesis, url, flags).await
    }

    /// Runs a command of `duet-light` against one node, with only the genesis hash, and waits until it ends. Returns
    /// its standard output.
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
            .0
            .all_lines()
            .await
    }

    /// Runs a command of `duet-light` as [`LightClient::run`] does, and waits until it ends, with success or not.
    /// Returns its standard output, and whether it succeeded.
    ///
    /// # Errors
    /// [`crate::Error::NoExecutable`], [`crate::Error::Io`].
    pub async fn attempt(
        executables: &Executables,
        verb: &str,
        genesis: Hash,
        url: &str,
        flags: &[&str],
    ) -> Result<(String, bool)> {
        let urls = [url.to_owned()];
        let mut client = Self::start(executables, verb, genesis, &urls, flags)?;
        let (lines, succeeded) = client.0.lines_to_the_end().await?;
        Ok((lines.join("\n"), succeeded))
    }

    /// Runs `duet-light report`, which submits finality proofs to a node, and waits until it ends. Returns its
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
            .0
            .all_lines()
            .await
    }

    /// Runs `duet-light serve` on a separate address, and waits until it listens. Also returns its WebSocket address.
    ///
    /// # Errors
    /// [`crate::Error::NoExecutable`], [`crate::Error::Io`], and [`crate::Error::ProgramEnded`] when it does not listen.
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

    /// Runs a command of `duet-light` with these arguments only, and waits until it ends. Returns its standard
    /// output.
    ///
    /// # Errors
    /// As [`LightClient::sync`].
    pub async fn call(executables: &Executables, arguments: &[&str]) -> Result<Vec<String>> {
        let arguments = arguments.iter().map(ToString::to_string).collect();
        Self::spawn(executables, arguments)?.0.all_lines().await
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

    /// Runs `duet-light status --checkpoint` on a state file. Returns the checkpoint as JSON.
    ///
    /// # Errors
    /// As [`LightClient::sync`].
    pub async fn checkpoint(executables: &Executables, state: &Path) -> Result<String> {
        let state = state.display().to_string();
        let arguments = ["status", "--checkpoint", "--state", &state].map(str::to_owned);
        let lines = Self::spawn(executables, arguments.into())?.0.all_lines();
        Ok(lines.await?.join("\n"))
    }

    fn spawn(executables: &Executables, arguments: Vec<String>) -> Result<Self> {
        Program::start("duet-light", &executables.light()?, arguments).map(Self)
    }

    /// The command line.
    pub fn command(&self) -> String {
        self.0.command()
    }

    /// The next line of its output.
    ///
    /// # Errors
    /// [`crate::Error::ProgramEnded`] when it ends, with its status.
    pub async fn next_line(&mut self) -> Result<String> {
        self.0.next_line().await
    }

    /// Ends it, and waits until its files are free.
    ///
    /// # Errors
    /// [`crate::Error::Io`].
    pub async fn end(self) -> Result<()> {
        self.0.kill().await
    }
}
