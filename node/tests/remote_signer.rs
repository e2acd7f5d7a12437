//! A node whose key is at a signer of its own: a signer that is not there costs votes and nothing else.

mod common;

use common::{ask, json, until, Node};
use jsonrpsee::{rpc_params, ws_client::WsClient};
use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};
use tempfile::TempDir;

/// A signer that runs. Killed when it is dropped.
struct Signer(Child);

impl Drop for Signer {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Signer {
    /// The executable beside that of the node.
    fn start(keys: &Path, address: &str) -> Self {
        let program = PathBuf::from(env!("CARGO_BIN_EXE_duet-node")).with_file_name("duet-signer");
        let mut command = Command::new(program);
        command.arg("--keystore-path").arg(keys);
        command.args(["--listen", address]).stdout(Stdio::null());
        Self(command.spawn().expect("the workspace is built"))
    }
}

async fn proven(client: &WsClient) -> Option<u64> {
    let health = ask(client, "duet_health", rpc_params![]).await.ok()?;
    health["bestProven"].as_u64()
}

async fn finalized(client: &WsClient) -> Option<u64> {
    let health = ask(client, "duet_health", rpc_params![]).await.ok()?;
    health["finalized"].as_u64()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signer_that_comes_late_and_dies_costs_votes_and_stops_nothing_else() {
    let (base, keys) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let keys = keys.path();
    let directory = keys.to_str().expect("a temporary path is UTF-8");
    json(&[
        "duet-key",
        "insert",
        "--suri",
        "//Alice",
        "--keystore-path",
        directory,
    ]);
    let address = format!("unix:{directory}/signer.sock");

    let node = Node::start_dev(base.path(), &["--duet-signer", &address]);
    let client = node.connect().await;
    until("GRANDPA finalizes without Duet", || async {
        finalized(&client).await.filter(|block| *block >= 2)
    })
    .await;
    assert_eq!(proven(&client).await, None, "nobody signs");

    let signer = Signer::start(keys, &address);
    let first = until("the signer signs", || proven(&client)).await;
    drop(signer);
    let stalled = until("what was under way is done", || async {
        let (before, final_at) = (proven(&client).await?, finalized(&client).await?);
        (final_at > before + 2).then_some(before)
    })
    .await;
    assert!(stalled >= first);

    let _signer = Signer::start(keys, &address);
    until("the signer signs again", || async {
        proven(&client).await.filter(|block| *block > stalled)
    })
    .await;
    let health = node.health("/health");
    assert!(health.contains("\"voting\":true"), "{health}");
}
