//! One node: a process, its directory, its log.

use crate::{log, ports::Ports, wait, Error, Result, Rpc};
use sp_keyring::Sr25519Keyring;
use std::{
    fs::{self, OpenOptions},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    time::Duration,
};

/// The time limit for a node's first answer.
const START_LIMIT: Duration = Duration::from_secs(60);
/// The time limit for a node to end after a request.
const STOP_LIMIT: Duration = Duration::from_secs(30);

/// The accounts whose keys a node takes by a flag of its own (`--alice`), in the order in which they become
/// validators.
pub const DEVELOPMENT_ACCOUNTS: [Sr25519Keyring; 8] = [
    Sr25519Keyring::Alice,
    Sr25519Keyring::Bob,
    Sr25519Keyring::Charlie,
    Sr25519Keyring::Dave,
    Sr25519Keyring::Eve,
    Sr25519Keyring::Ferdie,
    Sr25519Keyring::One,
    Sr25519Keyring::Two,
];

/// The keys with which a node starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keys {
    /// The keys of a development account, in memory.
    Development(Sr25519Keyring),
    /// No keys; the node makes its own on request.
    Own,
    /// No keys, and the node is no validator.
    Nobody,
}

impl Keys {
    /// The node's flags for this.
    fn flags(self) -> Vec<String> {
        let validator = "--validator".to_owned();
        match self {
            Self::Development(account) => {
                let account = account.to_string().to_lowercase();
                vec![validator, format!("--{account}")]
            }
            Self::Own => vec![validator],
            Self::Nobody => Vec::new(),
        }
    }
}

/// The variable for `duet-node`'s cache of compiled runtimes.
const RUNTIME_CACHE: &str = "DUET_RUNTIME_CACHE";

/// The settings that survive a restart.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) name: String,
    pub(crate) executable: PathBuf,
    pub(crate) chain: PathBuf,
    pub(crate) directory: PathBuf,
    pub(crate) keys: Keys,
    pub(crate) ports: Ports,
    /// The SDK's name for the network back end.
    pub(crate) network_backend: &'static str,
    /// Flags for this node only.
    pub(crate) flags: Vec<String>,
}

/// One node of a [`Network`](crate::Network). Dropping it kills it.
#[derive(Debug)]
pub struct Node {
    settings: Settings,
    process: Option<Child>,
}

impl Drop for Node {
    fn drop(&mut self) {
        // Nothing can be done about a process that the system does not let us end.
        let _ = self.kill();
    }
}

impl Node {
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            settings,
            process: None,
        }
    }

    /// The node's name in messages.
    pub fn name(&self) -> &str {
        &self.settings.name
    }

    /// Its WebSocket address.
    pub fn url(&self) -> String {
        format!("ws://127.0.0.1:{}", self.settings.ports.rpc)
    }

    /// Its metrics port on loopback, if it exposes metrics.
    pub fn metrics_port(&self) -> Option<u16> {
        self.settings.ports.metrics
    }

    /// The file with all of its output.
    pub fn log(&self) -> PathBuf {
        self.settings.directory.join("node.log")
    }

    /// Its base path.
    pub fn directory(&self) -> &Path {
        &self.settings.directory
    }

    /// Whether its process runs.
    pub fn is_running(&self) -> bool {
        self.process.is_some()
    }

    /// Its process id.
    pub fn process_id(&self) -> Option<u32> {
        self.process.as_ref().map(Child::id)
    }

    /// Connects to the node.
    ///
    /// # Errors
    /// [`Error::Rpc`] when the node does not answer.
    pub async fn rpc(&self) -> Result<Rpc> {
        Rpc::connect(&self.url()).await
    }

    /// From the next start on the node has no development key; returns the account.
    pub(crate) fn forget_account(&mut self) -> Option<Sr25519Keyring> {
        match std::mem::replace(&mut self.settings.keys, Keys::Own) {
            Keys::Development(account) => Some(account),
            Keys::Own | Keys::Nobody => None,
        }
    }

    /// From the next start on the node runs this executable.
    pub(crate) fn replace(&mut self, executable: PathBuf) {
        self.settings.executable = executable;
    }

    /// Starts the node and waits until it answers, with the same directory, ports and identity as before.
    ///
    /// # Errors
    /// [`Error::NodeEnded`] with its log when it exits, [`Error::TimedOut`] when it does not answer.
    pub(crate) async fn start(&mut self, bootnodes: &[String]) -> Result<()> {
        self.kill()?;
        self.process = Some(self.spawn(bootnodes)?);
        let url = self.url();
        let what = format!("{} to answer", self.settings.name);
        let answer = async {
            loop {
                let attempt = Duration::from_secs(1);
                let connected = wait::until(&what, attempt, || Rpc::connect(&url), |_| true).await;
                match connected {
                    Ok(rpc) => return Ok(rpc),
                    Err(_) => self.check_alive()?,
                }
            }
        };
        wait::at_most(&what, START_LIMIT, answer).await?;
        Ok(())
    }

    fn spawn(&self, bootnodes: &[String]) -> Result<Child> {
        let Settings {
            name,
            executable,
            chain,
            directory,
            keys,
            ports,
            network_backend,
            flags,
        } = &self.settings;
        fs::create_dir_all(directory).map_err(Error::io(format!("making {name}'s directory")))?;
        let log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.log());
        let log = log.map_err(Error::io(format!("opening {name}'s log")))?;
        let errors = log
            .try_clone()
            .map_err(Error::io(format!("opening {name}'s log")))?;
        let mut command = Command::new(executable);
        command
            .arg("--chain")
            .arg(chain)
            .arg("--unsafe-force-node-key-generation")
            .args([
                "--listen-addr",
                &format!("/ip4/127.0.0.1/tcp/{}", ports.p2p),
            ])
            .args([
                "--rpc-port",
                &ports.rpc.to_string(),
                "--rpc-methods",
                "unsafe",
            ])
            .args(["--network-backend", network_backend])
            .args(["--no-telemetry", "--no-mdns"])
            .args(["--log", "duet=debug"])
            .arg("--base-path")
            .arg(directory)
            .args(["--name", name])
            .args(flags);
        match ports.metrics {
            Some(port) => command.args(["--prometheus-port", &port.to_string()]),
            None => command.arg("--no-prometheus"),
        };
        // The nodes share their compiled runtimes, in the network's folder if the user names none.
        if std::env::var_os(RUNTIME_CACHE).is_none() {
            command.env(RUNTIME_CACHE, directory.with_file_name("runtimes"));
        }
        command.args(keys.flags());
        if !bootnodes.is_empty() {
            command.arg("--bootnodes").args(bootnodes);
        }
        command.stdin(Stdio::null()).stdout(log).stderr(errors);
        command
            .spawn()
            .map_err(Error::io(format!("starting {}", executable.display())))
    }

    fn check_alive(&mut self) -> Result<()> {
        let name = self.settings.name.clone();
        let Some(process) = &mut self.process else {
            return Err(Error::NotRunning { node: name });
        };
        match process
            .try_wait()
            .map_err(Error::io(format!("checking whether {name} runs")))?
        {
            None => Ok(()),
            Some(status) => {
                self.process = None;
                Err(Error::NodeEnded {
                    node: name,
                    status: status.to_string(),
                    log: log::tail(&self.log()),
                })
            }
        }
    }

    /// Ends the node without warning, as `kill -9` does.
    ///
    /// # Errors
    /// [`Error::Io`] when the system refuses.
    pub fn kill(&mut self) -> Result<()> {
        let Some(mut process) = self.process.take() else {
            return Ok(());
        };
        let killed = process.kill().and_then(|()| process.wait());
        killed
            .map(|_| ())
            .map_err(Error::io(format!("killing {}", self.settings.name)))
    }

    /// Asks the node to end, and waits until it has.
    ///
    /// # Errors
    /// [`Error::NotRunning`], and [`Error::TimedOut`] when the node does not end; it is then killed.
    pub async fn stop(&mut self) -> Result<ExitStatus> {
        let name = self.settings.name.clone();
        let mut process = self
            .process
            .take()
            .ok_or(Error::NotRunning { node: name.clone() })?;
        // Every system's shell can send signals; the standard library cannot.
        let asked = Command::new("sh")
            .args(["-c", &format!("kill -TERM {}", process.id())])
            .status();
        asked.map_err(Error::io(format!("stopping {name}")))?;
        let look = || std::future::ready(process.try_wait().map_err(Error::io("waiting for it")));
        let ended = wait::until(&format!("{name} to end"), STOP_LIMIT, look, Option::is_some).await;
        match ended {
            Ok(status) => status.ok_or(Error::NotRunning { node: name }),
            Err(error) => {
                self.process = Some(process);
                self.kill()?;
                Err(error)
            }
        }
    }
}
