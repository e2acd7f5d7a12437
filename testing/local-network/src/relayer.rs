//! Processes: relayers, and anvil as their target.

use crate::{free_port, program::Program, wait, Error, Executables, Result};
use serde_json::Value;
use std::{net::Ipv4Addr, path::Path, time::Duration};
use tokio::net::TcpStream;

/// The secret of the first account that anvil funds. It is public.
const EVM_SECRET: &str = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

/// The contract that crosses no reset.
pub const CONTRACT: &str = "DuetLightClient";

/// The time limit for anvil's start.
const START: Duration = Duration::from_secs(60);
/// The trusting period of contract and pallet, in seconds: below the 1 120 for which the chain's validators wait for their
/// stake. (LIGHT-9)
pub(crate) const TRUSTING_PERIOD: u64 = 900;

/// anvil: an EVM chain with the Prague rules and one block per transaction. Dropping it kills it.
#[derive(Debug)]
pub struct EvmChain {
    url: String,
    _program: Program,
}

impl EvmChain {
    /// Starts anvil, and waits until it listens.
    ///
    /// # Errors
    /// [`Error::NoExecutable`], [`Error::NoPort`], [`Error::Io`], [`Error::TimedOut`].
    pub async fn start(executables: &Executables) -> Result<Self> {
        let port = free_port()?;
        let flags = "--quiet --host 127.0.0.1 --hardfork prague --port";
        let mut arguments: Vec<_> = flags.split(' ').map(str::to_owned).collect();
        arguments.push(port.to_string());
        let program = Program::start("anvil", &executables.anvil()?, arguments)?;
        let connect = || async {
            let connected = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await;
            connected.map_err(Error::io("connecting to anvil"))
        };
        wait::until("anvil to listen", START, connect, |_| true).await?;
        Ok(Self {
            url: format!("http://127.0.0.1:{port}"),
            _program: program,
        })
    }

    /// Its HTTP address.
    pub fn url(&self) -> &str {
        &self.url
    }
}

/// `duet-relay`, running. Dropping it kills it.
#[derive(Debug)]
pub struct Relayer(Program);

impl Relayer {
    /// Starts the relayer with a verb and flags. It prints JSON.
    ///
    /// # Errors
    /// [`Error::NoExecutable`], [`Error::Io`].
    pub fn start(executables: &Executables, arguments: &[&str]) -> Result<Self> {
        let arguments = [&["--json"], arguments].concat();
        let arguments = arguments.into_iter().map(str::to_owned).collect();
        Program::start("duet-relay", &executables.relay()?, arguments).map(Self)
    }

    /// The command line.
    pub fn command(&self) -> String {
        self.0.command()
    }

    /// The next event.
    ///
    /// # Errors
    /// [`Error::ProgramEnded`], [`Error::Printed`].
    pub async fn next_event(&mut self) -> Result<Value> {
        let line = self.0.next_line().await?;
        serde_json::from_str(&line).map_err(|_| Error::Printed {
            program: "duet-relay",
            line,
        })
    }

    /// Kills the relayer at any point of its work.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub async fn kill(self) -> Result<()> {
        self.0.kill().await
    }
}

/// Deploys the EVM contract of this name, compiled by `node build.js`, at a checkpoint, and returns its address.
///
/// # Errors
/// [`Error::NoExecutable`], [`Error::Io`], [`Error::ProgramEnded`], [`Error::Printed`].
pub async fn deploy(
    executables: &Executables,
    chain: &EvmChain,
    key: &Path,
    checkpoint: &Path,
    contract: &str,
) -> Result<String> {
    let compiled = concat!(env!("CARGO_MANIFEST_DIR"), "/../../verifiers/contracts/out");
    let bytecode = format!("{compiled}/{contract}.bin");
    let [key, checkpoint] = [key, checkpoint].map(|path| path.display().to_string());
    let arguments = [
        "deploy",
        "--target",
        chain.url(),
        "--key-file",
        &key,
        "--checkpoint",
        &checkpoint,
        "--bytecode",
        &bytecode,
        "--trusting-period",
        &TRUSTING_PERIOD.to_string(),
    ];
    let mut relayer = Relayer::start(executables, &arguments)?;
    let mut event = relayer.next_event().await?;
    // Those that contracts share come first.
    while event["event"] == "library" {
        event = relayer.next_event().await?;
    }
    match event["address"].as_str() {
        Some(address) => Ok(address.to_owned()),
        None => Err(Error::Printed {
            program: "duet-relay",
            line: event.to_string(),
        }),
    }
}

/// Writes the key of an account funded by anvil to a file, in the format of `duet-relay`.
///
/// # Errors
/// [`Error::Io`].
pub fn write_evm_key(path: &Path) -> Result<()> {
    write_key(path, EVM_SECRET)
}

/// Writes a secret to a file that only the owner may read.
///
/// # Errors
/// [`Error::Io`].
pub fn write_key(path: &Path, secret: &str) -> Result<()> {
    use std::{fs::OpenOptions, io::Write, os::unix::fs::OpenOptionsExt};
    let mut options = OpenOptions::new();
    let file = options.write(true).create_new(true).mode(0o600).open(path);
    file.and_then(|mut file| file.write_all(secret.as_bytes()))
        .map_err(Error::io("writing a key"))
}
