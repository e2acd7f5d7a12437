//! The node, as a process on ports of its own.

use crate::result::Result;
use duet_load::process::{resident_memory, Threads};
use duet_local_network::{free_port, wait, Rpc};
use std::{
    env,
    process::{Child, Command, Stdio},
    time::Duration,
};
use tempfile::TempDir;

/// How long the node may take to answer.
const START_LIMIT: Duration = Duration::from_secs(60);

/// A node that runs. Dropping it ends it and removes its directory.
pub(crate) struct RunningNode {
    process: Child,
    /// How it is asked.
    pub(crate) rpc: Rpc,
    _directory: TempDir,
}

impl RunningNode {
    /// Starts a node for so many voters, which makes a block every three seconds.
    pub(crate) async fn start(voters: u32) -> Result<Self> {
        let directory = TempDir::new()?;
        let (p2p, rpc) = (free_port()?, free_port()?);
        let program = env::current_exe()?.with_file_name("duet-beefy-node");
        let log = std::fs::File::create(directory.path().join("log"))?;
        let process = Command::new(program)
            .args([
                "--chain",
                "dev",
                "--validator",
                "--voters",
                &voters.to_string(),
            ])
            .args(["--unsafe-force-node-key-generation", "--in-peers", "256"])
            .args(["--no-telemetry", "--no-prometheus", "--no-mdns"])
            .args(["--listen-addr", &format!("/ip4/127.0.0.1/tcp/{p2p}")])
            .args(["--rpc-port", &rpc.to_string(), "--rpc-methods", "unsafe"])
            .arg("--base-path")
            .arg(directory.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()?;
        let url = format!("ws://127.0.0.1:{rpc}");
        let mut ending = Ending(Some(process));
        let rpc = wait::until(
            "the node to answer",
            START_LIMIT,
            || Rpc::connect(&url),
            |_| true,
        );
        let rpc = rpc.await?;
        let process = ending.0.take().ok_or("the process is gone")?;
        Ok(Self {
            process,
            rpc,
            _directory: directory,
        })
    }

    /// Its process.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Processor time of all its threads so far.
    pub(crate) fn time(&self) -> Result<Duration> {
        let threads = Threads::read(self.process.id())?;
        Ok(threads.since(&Threads::default()).values().sum())
    }

    /// Resident memory in megabytes.
    #[allow(clippy::cast_precision_loss, reason = "far below 2^53")]
    pub(crate) fn memory(&self) -> Result<f64> {
        Ok(resident_memory(self.process.id())? as f64 / 1e6)
    }
}

/// Ends a process that is not used after all.
struct Ending(Option<Child>);

impl Drop for Ending {
    fn drop(&mut self) {
        if let Some(process) = &mut self.0 {
            end(process);
        }
    }
}

impl Drop for RunningNode {
    fn drop(&mut self) {
        end(&mut self.process);
    }
}

fn end(process: &mut Child) {
    // It has ended by itself: all the better.
    let _ = process.kill();
    let _ = process.wait();
}
