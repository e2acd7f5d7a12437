//! The program, as nodes and operators use it.

use duet_telemetry::{
    testing::{TestCollector, TestGroup},
    Batch, Hour, READINGS,
};
use jsonrpsee::{
    core::client::{ClientT, Error},
    rpc_params,
    ws_client::{WsClient, WsClientBuilder},
};
use rand_core::OsRng;
use std::{path::Path, time::SystemTime};

const PROGRAM: &str = env!("CARGO_BIN_EXE_duet-collector");

/// A collector, and a node that is connected to it.
struct Connected {
    _collector: TestCollector,
    client: WsClient,
}

impl Connected {
    async fn start(group: &TestGroup, flags: &[&str]) -> Self {
        let collector = TestCollector::start(Path::new(PROGRAM), group, flags);
        let client = WsClientBuilder::default().build(&collector.url);
        Self {
            client: client.await.unwrap(),
            _collector: collector,
        }
    }

    async fn submit(&self, content: &[u8]) -> Result<usize, i32> {
        let text = format!("0x{}", hex::encode(content));
        match self
            .client
            .request("telemetry_submit", rpc_params![text])
            .await
        {
            Ok(count) => Ok(count),
            Err(Error::Call(error)) => Err(error.code()),
            Err(error) => panic!("{error}"),
        }
    }
}

fn batch(group: &TestGroup, hour: Hour, peers: u64) -> Batch {
    let figures = [("peers", peers)];
    group.group().encrypt(hour, &figures, &mut OsRng).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn readings_are_kept_found_and_added_up_across_a_restart() {
    let (group, program) = (TestGroup::new("local"), Path::new(PROGRAM));
    let collector = Connected::start(&group, &[]).await;
    // If the hour ends now, they have come in the one before or after.
    let hour = Hour::of(SystemTime::now());
    let first = batch(&group, hour, 3);
    assert_eq!(collector.submit(first.as_bytes()).await, Ok(2));
    assert_eq!(collector.submit(first.as_bytes()).await, Ok(2), "again");
    drop(collector);
    let collector = Connected::start(&group, &[]).await;
    for (hour, peers) in [(hour, 4), (hour.next(), 100)] {
        let batch = batch(&group, hour, peers);
        assert_eq!(collector.submit(batch.as_bytes()).await, Ok(2));
    }

    for (metric, sum) in [("peers", 7), (READINGS, 2)] {
        let output = group.path(metric);
        group.write_trapdoor(metric, hour);
        let ended = group.sum(program, metric, hour, &output);
        assert!(ended.status.success(), "{ended:?}");
        let said = String::from_utf8(ended.stdout).unwrap();
        let expected = format!("2 readings of {metric} in hour {hour}");
        assert!(said.starts_with(&expected), "{said}");
        assert_eq!(group.decrypt(metric, hour, &output), sum);
        let again = group.sum(program, metric, hour, &output);
        assert_eq!(again.status.code(), Some(1), "no file is replaced");
    }
    let output = group.path("other");
    group.write_trapdoor("memory", hour);
    let none = group.sum(program, "memory", hour, &output);
    assert_eq!(none.status.code(), Some(3));
    let other_keyword = group.sum(program, "peers", hour, &output);
    assert_eq!(other_keyword.status.code(), Some(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_came_late_is_found_and_what_came_twice_counts_once() {
    let (group, program) = (TestGroup::new("local"), Path::new(PROGRAM));
    let collector = Connected::start(&group, &[]).await;
    let began = Hour::of(SystemTime::now());
    let hour = Hour(7);
    let sent = batch(&group, hour, 3);
    let (peers, _) = sent.as_bytes().split_at(sent.as_bytes().len() / 2);
    let twice = [peers, peers].concat();
    for content in [sent.as_bytes(), &twice] {
        assert_eq!(collector.submit(content).await, Ok(2));
    }
    // As if all of it had come in the hour after the reading.
    let ended = Hour::of(SystemTime::now());
    let came = [began, ended].map(|hour| group.path(&format!("kept/{hour}")));
    let came = came.iter().find(|folder| folder.exists());
    std::fs::rename(came.unwrap(), group.path("kept/8")).unwrap();

    let output = group.path("sum");
    group.write_trapdoor("peers", hour);
    let ended = group.sum(program, "peers", hour, &output);
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(group.decrypt("peers", hour, &output), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_reading_is_refused_for_good() {
    const INVALID: i32 = -32602;
    let group = TestGroup::new("local");
    let collector = Connected::start(&group, &[]).await;
    let mut bad = batch(&group, Hour(1), 3).as_bytes().to_vec();
    assert_eq!(collector.submit(&[]).await, Err(INVALID));
    assert_eq!(collector.submit(&bad[1..]).await, Err(INVALID));
    bad[400] ^= 1;
    assert_eq!(collector.submit(&bad).await, Err(INVALID));
    let text = rpc_params!["0xzz"];
    let refused = collector.client.request::<u32, _>("telemetry_submit", text);
    assert!(matches!(refused.await, Err(Error::Call(error)) if error.code() == INVALID));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_collector_says_so_and_keeps_what_it_has() {
    const NO_ROOM: i32 = 9101;
    let group = TestGroup::new("local");
    let collector = Connected::start(&group, &["--most", "0"]).await;
    let batch = batch(&group, Hour::of(SystemTime::now()), 3);
    assert_eq!(collector.submit(batch.as_bytes()).await, Err(NO_ROOM));
    drop(collector);
    let collector = Connected::start(&group, &[]).await;
    assert_eq!(collector.submit(batch.as_bytes()).await, Ok(2));
}
