//! Four validators, a Prometheus that reads them, and every rule and query of `operations/monitoring/` there.
//!
//! `cargo xtask monitoring` runs it: `cargo test` has no Prometheus.

use duet_local_network::{Interrupt, Network};
use duet_monitoring::{
    live::{Live, WATCHED},
    page,
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use tokio::task::block_in_place;

/// One of four may be away: then just as many are left as a proof needs.
const VALIDATORS: usize = 4;
/// The validator that is killed.
const LAST: usize = VALIDATORS - 1;

/// Its chain has recovery, and nobody has registered a recovery key.
const EXPECTED: [&str; 2] = ["DuetNoRecoverySet", "DuetRecoveryKeyExpires"];

/// Names Prometheus.
const PROMETHEUS: &str = "DUET_PROMETHEUS";
/// Names the file that the panels are drawn into, if they are to be.
const PAGE: &str = "DUET_MONITORING_PAGE";
/// Of how many seconds, if not of as many as it takes.
const SECONDS: &str = "DUET_MONITORING_SECONDS";

#[tokio::test(flavor = "multi_thread")]
async fn rules_and_dashboard_are_answered_and_alerts_fire_when_a_validator_is_gone() {
    let mut interrupt = Interrupt::listen().expect("signals can be listened to");
    tokio::select! {
        () = scenario() => {}
        () = interrupt.next() => std::process::exit(130),
    }
}

async fn scenario() {
    let network = Network::builder().validators(VALIDATORS).metrics(true);
    let mut network = network.start().await.expect("a network");
    let nodes = network.nodes().iter().map(|node| {
        let port = node.metrics_port().expect("every node shows its metrics");
        format!("127.0.0.1:{port}")
    });
    let nodes: Vec<_> = nodes.collect();

    let start = now();
    let program = env::var_os(PROMETHEUS).map_or_else(|| "prometheus".into(), PathBuf::from);
    let mut live = block_in_place(|| Live::start(&program, &repository(), &nodes))
        .unwrap_or_else(|error| panic!("{error}"));
    block_in_place(|| live.check(&EXPECTED)).unwrap_or_else(|error| panic!("{error}"));
    if let Some(file) = env::var_os(PAGE) {
        let seconds = env::var(SECONDS).map_or(0, |text| text.parse().expect("a number"));
        block_in_place(|| live.read_for(Duration::from_secs(seconds)));
        let drawn = block_in_place(|| page::draw(live.panels(), live.prometheus(), [start, now()]));
        fs::write(file, drawn.expect("answers")).expect("a file that can be written");
    }

    network.node_mut(LAST).kill().expect("a process");
    let [down, spare] = WATCHED;
    let gone = ("instance", nodes[LAST].as_str());
    block_in_place(|| live.wait_until_firing(down, gone)).unwrap_or_else(|error| panic!("{error}"));
    // Those that are left see it.
    for node in &nodes[..LAST] {
        let seen = ("instance", node.as_str());
        block_in_place(|| live.wait_until_firing(spare, seen))
            .unwrap_or_else(|error| panic!("{error}"));
    }
}

fn repository() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("two folders up").to_owned()
}

/// Seconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.expect("a clock that is set").as_secs()
}
