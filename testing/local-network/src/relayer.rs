//! Relayers, and an EVM chain to bring proofs to, as processes.

use crate::{program::Program, Error, Executables, Result};
use serde_json::Value;
use std::path::Path;

/// Who pays on that chain: the account of the secret 1, which everybody knows.
pub const EVM_ACCOUNT: &str = "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf";
/// Its secret.
const EVM_SECRET: &str = "0000000000000000000000000000000000000000000000000000000000000001";

/// An EVM chain in a process of its own. Dropping it kills it.
#[derive(Debug)]
pub struct EvmChain {
    url: String,
    _program: Program,
}

impl EvmChain {
    /// Starts it, with an account that can pay ([`EVM_ACCOUNT`]), and waits until it answers.
    ///
    /// # Errors
    /// [`Error::NoExecutable`], [`Error::Io`], [`Error::ProgramEnded`].
    pub async fn start(executables: &Executables) -> Result<Self> {
        let arguments = ["--port", "0", "--fund", EVM_ACCOUNT].map(str::to_owned);
        let mut program =
            Program::start("duet-evm-node", &executables.evm_node()?, arguments.into())?;
        Ok(Self {
            url: program.next_line().await?,
            _program: program,
        })
    }

    /// Where it answers, over HTTP.
    pub fn url(&self) -> &str {
        &self.url
    }
}

/// `duet-relay`, running. Dropping it kills it.
#[derive(Debug)]
pub struct Relayer(Program);

impl Relayer {
    /// Starts it with a verb and flags. It prints JSON.
    ///
    /// # Errors
    /// [`Error::NoExecutable`], [`Error::Io`].
    pub fn start(executables: &Executables, arguments: &[&str]) -> Result<Self> {
        let arguments = [&["--json"], arguments].concat();
        let arguments = arguments.into_iter().map(str::to_owned).collect();
        Program::start("duet-relay", &executables.relay()?, arguments).map(Self)
    }

    /// How it was called.
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

    /// Kills it, at whatever it is.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub async fn kill(self) -> Result<()> {
        self.0.kill().await
    }
}

/// Deploys the contract for the EVM at a checkpoint, as `node build.js` has compiled it, and returns where it is.
///
/// # Errors
/// [`Error::NoExecutable`], [`Error::Io`], [`Error::ProgramEnded`], [`Error::Printed`].
pub async fn deploy(
    executables: &Executables,
    chain: &EvmChain,
    key: &Path,
    checkpoint: &Path,
) -> Result<String> {
    let bytecode = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../verifiers/contracts/out/DuetLightClient.bin"
    );
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
        bytecode,
    ];
    let mut relayer = Relayer::start(executables, &arguments)?;
    let event = relayer.next_event().await?;
    match event["address"].as_str() {
        Some(address) => Ok(address.to_owned()),
        None => Err(Error::Printed {
            program: "duet-relay",
            line: event.to_string(),
        }),
    }
}

/// Writes the key of [`EVM_ACCOUNT`] to a file, as `duet-relay` takes it.
///
/// # Errors
/// [`Error::Io`].
pub fn write_evm_key(path: &Path) -> Result<()> {
    write_key(path, EVM_SECRET)
}

/// Writes a secret to a file that nobody else may read.
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
