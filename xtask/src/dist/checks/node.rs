//! A node that runs in a system.

use super::{rpc, system::System};
use crate::{cargo, result::Result};
use serde_json::json;
use std::{
    fs::{self, File},
    net::{Ipv4Addr, SocketAddr},
    process::{Child, Command, ExitStatus},
    thread,
    time::{Duration, Instant},
};

/// A network of one validator on loopback, with ports that the system chooses.
pub(crate) const FLAGS: &str =
    "--dev --rpc-port 0 --listen-addr /ip4/127.0.0.1/tcp/0 --no-mdns --no-prometheus --no-telemetry";
/// Where it listens, as the log says it.
const LISTENS: &str = "Running JSON-RPC server: addr=127.0.0.1:";
const PATIENCE: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(200);

/// A node, which ends with this.
pub(crate) struct Node<'a> {
    system: &'a System,
    user: &'a str,
    child: Child,
    log: std::path::PathBuf,
}

impl<'a> Node<'a> {
    /// Starts it as this user, with these words.
    pub(crate) fn start(system: &'a System, user: &'a str, words: &[String]) -> Result<Self> {
        let (program, arguments) = words.split_first().ok_or("nothing to start")?;
        let log = system.path("/node.log");
        let output = File::create(&log)?;
        let mut command = system.command(user, program);
        command
            .args(arguments)
            .stdout(output.try_clone()?)
            .stderr(output);
        let child = command
            .spawn()
            .map_err(|error| format!("{}: {error}", cargo::show(&command)))?;
        Ok(Self {
            system,
            user,
            child,
            log,
        })
    }

    /// Waits until a block is proven, and has the light client of the same system verify it.
    pub(crate) fn until_proven(&mut self) -> Result {
        let node = self.wait("listens", |log| {
            let (_, rest) = log.split_once(LISTENS)?;
            let port = rest.split(|letter: char| !letter.is_ascii_digit()).next()?;
            Some(SocketAddr::from((Ipv4Addr::LOCALHOST, port.parse().ok()?)))
        })?;
        self.wait("has proven a block", |_| {
            let health = rpc::call(node, "duet_health", &json!([])).ok()?;
            health["bestProven"].as_u64().filter(|number| *number > 0)
        })?;
        let genesis = rpc::call(node, "chain_getBlockHash", &json!([0]))?;
        let genesis = genesis.as_str().ok_or("the genesis has no hash")?;
        let mut verify = self.system.command(self.user, "duet-light");
        cargo::run(verify.args([
            "sync",
            "--genesis",
            genesis,
            "--url",
            &format!("ws://{node}"),
        ]))
    }

    /// Asks it to end, as systemd does.
    ///
    /// # Errors
    /// When it ends otherwise than it should, or not at all.
    pub(crate) fn stop(mut self) -> Result {
        let inner = self.inner()?;
        cargo::run(Command::new("kill").args(["-TERM", &inner]))?;
        let mut ended: Option<ExitStatus> = None;
        let since = Instant::now();
        while ended.is_none() && since.elapsed() < PATIENCE {
            thread::sleep(PAUSE);
            ended = self.child.try_wait()?;
        }
        match ended {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(self.tell(&format!("ended with {status}"))),
            None => Err(self.tell("does not end when it is asked to")),
        }
    }

    /// Waits for something that can be seen in the log, or elsewhere.
    fn wait<T>(&mut self, what: &str, seen: impl Fn(&str) -> Option<T>) -> Result<T> {
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            if let Some(found) = seen(&fs::read_to_string(&self.log)?) {
                return Ok(found);
            }
            if let Some(status) = self.child.try_wait()? {
                return Err(self.tell(&format!("ended with {status} before it {what}")));
            }
            thread::sleep(PAUSE);
        }
        Err(self.tell(&format!("never {what}")))
    }

    fn tell(&self, what: &str) -> Box<dyn std::error::Error> {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        format!("the node {what}. Its log:\n{log}").into()
    }

    /// The process of the node itself: the child of the one that made its namespaces.
    fn inner(&self) -> Result<String> {
        let id = self.child.id();
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children"))?;
        Ok(children.trim().to_owned())
    }
}

impl Drop for Node<'_> {
    fn drop(&mut self) {
        // It is the first process of its namespace, with which all others end. One that has ended has no id here.
        if let Ok(inner) = self.inner() {
            if !inner.is_empty() {
                let _ = Command::new("kill").args(["-KILL", &inner]).status();
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
