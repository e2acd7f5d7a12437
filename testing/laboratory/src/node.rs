//! One node: a process in a network of its own, its directory, its log.

use crate::{address::Place, namespace, run, spec::CHAIN_ID, validator::Validator, Error, Result};
use duet_local_network::log;
use std::{
    fs::{self, OpenOptions},
    path::{Path, PathBuf},
    process::{Child, Command},
};

const P2P_PORT: u16 = 30_333;
const RPC_PORT: u16 = 9_944;
/// Where a node shows its metrics.
pub(crate) const METRICS_PORT: u16 = 9_615;
/// Nodes take these in turn, so that each of the SDK's network back ends speaks with the other and with itself.
const BACK_ENDS: [&str; 2] = ["litep2p", "libp2p"];

/// One node. Dropping it kills it.
pub(crate) struct Node {
    number: u16,
    validator: Validator,
    executable: PathBuf,
    chain: PathBuf,
    directory: PathBuf,
    /// Where its peers are.
    peers: Vec<String>,
    /// A program and its arguments, which become the node or start it.
    pub(crate) before: Vec<String>,
    /// Flags of this node alone.
    pub(crate) more: Vec<String>,
    process: Option<Child>,
}

impl Drop for Node {
    fn drop(&mut self) {
        // Nothing can be done about a process that the system does not let us end.
        let _ = self.kill();
    }
}

impl Node {
    /// A node with keys, which does not run yet.
    pub(crate) fn new(
        (number, validator): (u16, Validator),
        executable: &Path,
        chain: &Path,
        directory: &Path,
    ) -> Result<Self> {
        let node = Self {
            number,
            validator,
            executable: executable.to_owned(),
            chain: chain.to_owned(),
            directory: directory.to_owned(),
            peers: Vec::new(),
            before: Vec::new(),
            more: Vec::new(),
            process: None,
        };
        node.validator.write_keys(&node.keys())?;
        Ok(node)
    }

    /// The ones that it keeps connections to.
    pub(crate) fn set_peers(&mut self, peers: Vec<String>) {
        self.peers = peers;
    }

    /// Where its peers reach it.
    pub(crate) fn peer_address(&self) -> String {
        let (address, id) = (self.place().address(), self.validator.peer_id());
        format!("/ip4/{address}/tcp/{P2P_PORT}/p2p/{id}")
    }

    /// Goes on as another executable when it is started again.
    pub(crate) fn set_executable(&mut self, executable: &Path) {
        self.executable = executable.to_owned();
    }

    fn place(&self) -> Place {
        Place::Node(self.number)
    }

    /// Where its WebSocket is.
    pub(crate) fn url(&self) -> String {
        format!("ws://{}:{RPC_PORT}", self.place().address())
    }

    /// Its base path.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Its key directory.
    pub(crate) fn keys(&self) -> PathBuf {
        self.directory
            .join("chains")
            .join(CHAIN_ID)
            .join("keystore")
    }

    /// Deletes its Duet keys. What they signed stays.
    pub(crate) fn lose_keys(&self) -> Result {
        let io = |error| Error::io(format!("deleting the keys of node {}", self.number))(error);
        for entry in fs::read_dir(self.keys()).map_err(io)? {
            let entry = entry.map_err(io)?;
            if entry.file_name().to_string_lossy().starts_with("duet-") {
                fs::remove_file(entry.path()).map_err(io)?;
            }
        }
        Ok(())
    }

    /// Where its log is: beside its directory, which may be full.
    fn log(&self) -> PathBuf {
        self.directory.with_extension("log")
    }

    /// Whether its log has this text.
    ///
    /// # Errors
    /// [`Error::Io`] when it has no log.
    pub(crate) fn logged(&self, text: &str) -> Result<bool> {
        let what = format!("reading the log of node {}", self.number);
        let log = fs::read(self.log()).map_err(Error::io(what))?;
        Ok(String::from_utf8_lossy(&log).contains(text))
    }

    /// Its process, if it runs.
    pub(crate) fn process(&self) -> Option<u32> {
        self.process.as_ref().map(Child::id)
    }

    /// Starts it, and does not wait until it answers.
    pub(crate) fn start(&mut self) -> Result {
        self.kill()?;
        let what = format!("starting node {}", self.number);
        let io = |error| Error::io(what.clone())(error);
        fs::create_dir_all(&self.directory).map_err(io)?;
        let mut log = OpenOptions::new();
        let log = log.create(true).append(true).open(self.log());
        let log = log.map_err(io)?;
        let errors = log.try_clone().map_err(io)?;
        let mut command = namespace::within(self.number);
        command.args(&self.before).arg(&self.executable);
        command.args(self.flags());
        command.stdout(log).stderr(errors);
        self.process = Some(command.spawn().map_err(io)?);
        Ok(())
    }

    fn flags(&self) -> Vec<String> {
        let back_end = BACK_ENDS[usize::from(self.number) % BACK_ENDS.len()];
        let address = self.place().address();
        let mut flags: Vec<String> = [
            "--validator",
            "--no-telemetry",
            "--no-mdns",
            "--unsafe-rpc-external",
            "--prometheus-external",
            "--rpc-methods=unsafe",
            "--rpc-cors=all",
            "--log=duet=debug",
        ]
        .map(str::to_owned)
        .into();
        flags.extend([
            format!("--name=node{}", self.number),
            format!("--chain={}", self.chain.display()),
            format!("--base-path={}", self.directory.display()),
            format!("--node-key={}", self.validator.node_key()),
            format!("--listen-addr=/ip4/{address}/tcp/{P2P_PORT}"),
            format!("--rpc-port={RPC_PORT}"),
            format!("--prometheus-port={METRICS_PORT}"),
            format!("--network-backend={back_end}"),
        ]);
        for peer in &self.peers {
            flags.push(format!("--reserved-nodes={peer}"));
        }
        flags.extend(self.more.iter().cloned());
        flags
    }

    /// Whether it still runs.
    ///
    /// # Errors
    /// [`Error::NodeEnded`] with the end of its log when it has ended by itself.
    pub(crate) fn check(&mut self) -> Result {
        let Some(process) = &mut self.process else {
            return Ok(());
        };
        let what = format!("checking whether node {} runs", self.number);
        let Some(status) = process.try_wait().map_err(Error::io(what))? else {
            return Ok(());
        };
        self.process = None;
        Err(Error::NodeEnded {
            node: self.number,
            status: status.to_string(),
            log: log::tail(&self.log()),
        })
    }

    /// Ends it without warning, as `kill -9` does.
    pub(crate) fn kill(&mut self) -> Result {
        let Some(mut process) = self.process.take() else {
            return Ok(());
        };
        let killed = process.kill().and_then(|()| process.wait());
        let what = format!("killing node {}", self.number);
        killed.map(|_| ()).map_err(Error::io(what))
    }

    /// Stops it where it is, with SIGSTOP, or lets it go on, with SIGCONT.
    pub(crate) fn signal(&self, signal: &str) -> Result {
        match self.process() {
            Some(process) => run::line(&format!("kill -{signal} {process}")).map(|_| ()),
            None => Ok(()),
        }
    }

    /// The command that gives the validator a new Duet key, and waits so many seconds until that is final.
    pub(crate) fn rotate(&self, seconds: u64) -> Command {
        let mut command = Command::new(&self.executable);
        command
            .args(["duet-key", "rotate"])
            .args(["--account", &self.validator.account()])
            .args(["--suri", self.validator.suri()])
            .args(["--url", &self.url()])
            .args(["--wait", &seconds.to_string()])
            .arg("--chain")
            .arg(&self.chain);
        command
    }

    /// One of its executable's commands about what is in its base path; it must not run meanwhile.
    pub(crate) fn offline(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.executable);
        command.args(words).arg("--chain").arg(&self.chain);
        command.arg("--base-path").arg(&self.directory);
        command
    }
}
