//! A node that runs in a system, and its tests.

use super::{rpc, system::System};
use crate::{cargo, result::Result};
use serde_json::json;
use std::{
    net::{Ipv4Addr, SocketAddr},
    thread,
    time::{Duration, Instant},
};

/// A network of one validator on loopback, with ports chosen by the system.
pub(crate) const FLAGS: &str =
    "--dev --rpc-port 0 --listen-addr /ip4/127.0.0.1/tcp/0 --no-mdns --no-prometheus --no-telemetry";
/// The node's address in its log.
const LISTENS: &str = "Running JSON-RPC server: addr=127.0.0.1:";
/// The time limit of any step, on a machine with other load.
const PATIENCE: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(200);

/// Waits until the node with this log has proven a block, and makes the light client of the same system verify it.
///
/// # Errors
/// The log's errors: reading it fails when its node has ended.
pub(crate) fn until_proven(system: &System, mut log: impl FnMut() -> Result<String>) -> Result {
    let node = wait("the node has logged its RPC address", &mut log, |log| {
        let (_, rest) = log.split_once(LISTENS)?;
        let port = rest.split(|letter: char| !letter.is_ascii_digit()).next()?;
        Some(SocketAddr::from((Ipv4Addr::LOCALHOST, port.parse().ok()?)))
    })?;
    wait("the node has proven a block", &mut log, |_| {
        let health = rpc::call(node, "duet_health", &json!([])).ok()?;
        health["bestProven"].as_u64().filter(|number| *number > 0)
    })?;
    let genesis = rpc::call(node, "chain_getBlockHash", &json!([0]))?;
    let genesis = genesis.as_str().ok_or("no genesis hash in the answer")?;
    let mut verify = system.command("duet", "duet-light");
    cargo::run(verify.args([
        "sync",
        "--genesis",
        genesis,
        "--url",
        &format!("ws://{node}"),
    ]))
}

/// Polls until a growing text, or another source, has a value.
///
/// # Errors
/// When the wait times out, with the text.
pub(crate) fn wait<T>(
    what: &str,
    mut text: impl FnMut() -> Result<String>,
    mut seen: impl FnMut(&str) -> Option<T>,
) -> Result<T> {
    let since = Instant::now();
    loop {
        let now = text()?;
        if let Some(found) = seen(&now) {
            return Ok(found);
        }
        if since.elapsed() > PATIENCE {
            return Err(format!("timed out waiting until {what}. Last seen:\n{now}").into());
        }
        thread::sleep(PAUSE);
    }
}
