//! Nodes of a running network send encrypted readings to a collector, which adds up what it cannot read, and the group decrypts.
//!
//! `cargo xtask test` runs it: it needs `duet-node` with the feature `encrypted-telemetry`, which `cargo test` alone does not
//! build.

use duet_local_network::{wait, Executables, Interrupt, Network};
use duet_telemetry::{
    testing::{TestCollector, TestGroup},
    Hour, READINGS,
};
use std::{
    fs,
    path::Path,
    time::{Duration, SystemTime},
};

const SOON: Duration = Duration::from_secs(60);
/// The collector's exit status when there is nothing to add.
const NOTHING: i32 = 3;
/// The id of a local network of two validators.
const CHAIN: &str = "duet_local_2";

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_adds_up_readings_and_the_group_decrypts_the_sums() {
    let mut interrupt = Interrupt::listen().expect("signals can be listened to");
    tokio::select! {
        () = scenario() => {}
        () = interrupt.next() => std::process::exit(130),
    }
}

async fn scenario() {
    let group = TestGroup::new(CHAIN);
    let program = Executables::locate().expect("this program is somewhere");
    let program = program.collector().expect("it was built");
    let collector = TestCollector::start(&program, &group, &[]);
    let hour = Hour::of(SystemTime::now());
    let public = group.path("public").display().to_string();
    let flags = [
        "--encrypted-telemetry",
        &public,
        "--encrypted-telemetry-url",
        &collector.url,
        "--encrypted-telemetry-interval",
        "1",
    ];
    let network = Network::builder().validators(2).flags(&flags);
    let _network = network.start().await.expect("the network starts");

    // Should an hour end meanwhile, there is enough in the next one. At first the two do not know each other.
    let hours = [hour, hour.next()];
    let found = wait::until(
        "six readings in one hour, and a peer",
        SOON,
        || async {
            let sum = |metric, hour| sum(&group, &program, metric, hour).unwrap_or(0);
            let sums = hours.map(|hour| (sum("peers", hour), sum(READINGS, hour), hour));
            Ok(sums.into_iter().max().expect("two hours"))
        },
        |(peers, readings, _)| *peers > 0 && *readings >= 6,
    );
    let (.., hour) = found.await.expect("nodes send readings");
    let sums = ["peers", "memory", "processor", READINGS]
        .map(|metric| sum(&group, &program, metric, hour).expect("there are readings of it"));
    let [peers, memory, processor, readings] = sums;
    // Each of the two has the other one, or none.
    assert!((1..=readings).contains(&peers), "{peers} of {readings}");
    // More than 10 MiB and less than 10 GiB each, in KiB.
    let mean = memory / readings;
    assert!((10_000..10_000_000).contains(&mean), "{mean} KiB");
    assert!(processor > 0);
}

/// What the collector adds up with a trapdoor of the group's, decrypted by the group.
fn sum(group: &TestGroup, collector: &Path, metric: &str, hour: Hour) -> Option<i64> {
    group.write_trapdoor(metric, hour);
    let output = group.path("sum");
    let _ = fs::remove_file(&output);
    let ended = group.sum(collector, metric, hour, &output);
    if ended.status.code() == Some(NOTHING) {
        return None;
    }
    assert!(ended.status.success(), "{ended:?}");
    Some(group.decrypt(metric, hour, &output))
}
