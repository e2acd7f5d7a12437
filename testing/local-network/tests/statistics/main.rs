//! Validators of a running network say what their nodes are like, one of them stops and comes back, and a light client that trusts
//! the genesis hash alone verifies all of it.
//!
//! `cargo xtask test` runs it: it needs `duet-node` and `duet-light` with the feature `statistics`, which `cargo test` alone does
//! not build.

use duet_local_network::{wait, Executables, Interrupt, LightClient, Network, Result};
use duet_runtime::Hash;
use serde_json::Value;
use std::time::Duration;

/// Sessions take 20 s. A validator reports when the second one begins that it has seen, and two of them are kept.
const SOME_SESSIONS: Duration = Duration::from_secs(150);
const SOON: Duration = Duration::from_secs(60);
const METRICS: [&str; 5] = [
    "import-time",
    "peers",
    "finality-lag",
    "memory",
    "processor",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_light_client_verifies_what_validators_say_and_sees_who_does_not() {
    let mut interrupt = Interrupt::listen().expect("signals can be listened to");
    tokio::select! {
        () = scenario() => {}
        () = interrupt.next() => std::process::exit(130),
    }
}

async fn scenario() {
    let network = Network::builder()
        .validators(4)
        .flags(&["--duet-statistics"]);
    let mut network = network.start().await.expect("the network starts");
    // It is no validator: what it serves came by gossip.
    let follower = network.follow("Eve", &[]).await.expect("it starts");
    let client = Client::new(&network, follower).await;

    let peers = client.wait_for("peers", 4).await;
    assert_eq!(peers["absent"], Value::Array(vec![]));
    // The three others, and Eve unless she came after they had counted.
    let mean: f64 = peers["value"]
        .as_str()
        .expect("text")
        .parse()
        .expect("a number");
    assert!((3.0..=4.0).contains(&mean), "{peers}");
    for metric in METRICS {
        let shown = client.wait_for(metric, 4).await;
        let values = shown["values"].as_array().expect("a list");
        let numbers = values.iter().map(|each| each["value"].as_u64());
        let numbers: Vec<u64> = numbers.map(|number| number.expect("a number")).collect();
        let is_measured = match metric {
            "finality-lag" => numbers.iter().all(|lag| (1_000..30_000).contains(lag)),
            _ => numbers.iter().all(|number| *number > 0),
        };
        assert!(is_measured, "{metric}: {numbers:?}");
    }

    let all = validators(&peers);
    network.node_mut(3).kill().expect("it runs");
    let three = client.wait_for("peers", 3).await;
    let absent = three["absent"].as_array().expect("a list");
    assert_eq!(absent.len(), 1);
    assert!(all.contains(&absent[0]["validator"]), "{absent:?}");
    assert_eq!(three["contradicted"], Value::Array(vec![]));

    network
        .restart(3)
        .await
        .expect("it starts again, with its key");
    let four = client.wait_for("peers", 4).await;
    assert_eq!(validators(&four), all);
    assert_eq!(four["contradicted"], Value::Array(vec![]));
    assert!(four["session"].as_u64() > three["session"].as_u64());
}

fn validators(shown: &Value) -> Vec<Value> {
    let values = shown["values"].as_array().expect("a list").iter();
    values.map(|each| each["validator"].clone()).collect()
}

/// A light client that asks one node.
struct Client {
    executables: Executables,
    genesis: Hash,
    url: String,
}

impl Client {
    async fn new(network: &Network, node: usize) -> Self {
        let rpc = network.node(node).rpc().await.expect("it answers");
        Self {
            executables: Executables::locate().expect("this program is somewhere"),
            genesis: rpc.genesis_hash().await.expect("there is a genesis"),
            url: network.node(node).url(),
        }
    }

    /// What the client shows of a metric, once so many validators have a part in it.
    async fn wait_for(&self, metric: &str, validators: usize) -> Value {
        let what = format!("{metric} of {validators} validators");
        let shown = wait::until(
            &what,
            SOME_SESSIONS,
            || self.ask(metric),
            |shown| shown["validators"].as_u64() == u64::try_from(validators).ok(),
        );
        shown.await.expect("the validators report")
    }

    async fn ask(&self, metric: &str) -> Result<Value> {
        let flags = [metric, "--json"];
        let run = LightClient::run(&self.executables, "stats", self.genesis, &self.url, &flags);
        let lines = wait::at_most("the light client to end", SOON, run).await?;
        let mut events = lines
            .iter()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let shown = events.rfind(|event| event["event"] == "statistic");
        Ok(shown.expect("it succeeded"))
    }
}
