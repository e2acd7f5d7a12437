//! The program, as nodes and operators use it.

use duet_armour::{
    encode,
    kinds::{SEARCHABLE_CIPHERTEXTS, SEARCHABLE_PUBLIC_KEY, SEARCHABLE_TRAPDOOR},
    read_one,
};
use duet_searchable::{Bound, DiscreteLog, MasterKey, ReceivedCiphertext};
use duet_telemetry::{Batch, Group, Hour, READINGS};
use jsonrpsee::{
    core::client::{ClientT, Error},
    rpc_params,
    ws_client::{WsClient, WsClientBuilder},
};
use rand_core::OsRng;
use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::SystemTime,
};
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_duet-collector");

/// A group with its keys in files, and a place for a collector.
struct Place {
    directory: TempDir,
    master: MasterKey,
    group: Group,
}

/// A collector that runs.
struct Collector {
    child: Child,
    client: WsClient,
}

impl Drop for Collector {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let master = MasterKey::from_seed(&[5; 32]).unwrap();
        let public = master.public_key();
        let text = encode(
            &SEARCHABLE_PUBLIC_KEY,
            public.fingerprint().as_bytes(),
            &public.to_bytes(),
        );
        std::fs::write(directory.path().join("public"), text.as_bytes()).unwrap();
        let group = Group::read(directory.path(), "local".into()).unwrap();
        Self {
            directory,
            master,
            group,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    async fn start(&self, flags: &[&str]) -> Collector {
        let mut child = Command::new(PROGRAM)
            .args(["serve", "--listen", "127.0.0.1:0", "--folder"])
            .arg(self.path("kept"))
            .args(flags)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        lines.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").unwrap();
        let client = WsClientBuilder::default().build(format!("ws://{address}"));
        Collector {
            client: client.await.unwrap(),
            child,
        }
    }

    fn batch(&self, hour: Hour, peers: u64) -> Batch {
        let figures = [("peers", peers)];
        self.group.encrypt(hour, &figures, &mut OsRng).unwrap()
    }

    /// Writes the trapdoor of a keyword, and runs `sum` with it.
    fn sum(&self, metric: &str, hour: Hour, output: &Path) -> Output {
        let keyword = self.group.keyword(metric, hour).unwrap();
        let key = self.master.trapdoor(&keyword).unwrap();
        let content = key.expose();
        let digest = SEARCHABLE_TRAPDOOR.digest(&*content);
        let text = encode(&SEARCHABLE_TRAPDOOR, &digest, &*content);
        std::fs::write(self.path("trapdoor"), text.as_bytes()).unwrap();
        self.sum_with_trapdoor(metric, hour, output)
    }

    fn sum_with_trapdoor(&self, metric: &str, hour: Hour, output: &Path) -> Output {
        Command::new(PROGRAM)
            .args(["sum", "--telemetry", "local", metric, &hour.to_string()])
            .arg("--folder")
            .arg(self.path("kept"))
            .arg("--public")
            .arg(self.directory.path())
            .arg("--trapdoor")
            .arg(self.path("trapdoor"))
            .arg("--output")
            .arg(output)
            .output()
            .unwrap()
    }

    fn decrypt(&self, metric: &str, hour: Hour, path: &Path) -> i64 {
        let text = std::fs::read(path).unwrap();
        let object = read_one(&SEARCHABLE_CIPHERTEXTS, &text).unwrap();
        let received = ReceivedCiphertext::parse(object.content().unwrap()).unwrap();
        let keyword = self.group.keyword(metric, hour).unwrap();
        let message = self.master.decrypt(&keyword, &received.check().unwrap());
        let log = DiscreteLog::new(Bound::new(1000), 1 << 20, &()).unwrap();
        log.find(&message.unwrap()).unwrap()
    }
}

impl Collector {
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

#[tokio::test(flavor = "multi_thread")]
async fn readings_are_kept_found_and_added_up_across_a_restart() {
    let place = Place::new();
    let collector = place.start(&[]).await;
    // If the hour ends now, they have come in the one before or after.
    let hour = Hour::of(SystemTime::now());
    let first = place.batch(hour, 3);
    assert_eq!(collector.submit(first.as_bytes()).await, Ok(2));
    assert_eq!(collector.submit(first.as_bytes()).await, Ok(2), "again");
    drop(collector);
    let collector = place.start(&[]).await;
    collector
        .submit(place.batch(hour, 4).as_bytes())
        .await
        .unwrap();
    collector
        .submit(place.batch(hour.next(), 100).as_bytes())
        .await
        .unwrap();

    for (metric, sum) in [("peers", 7), (READINGS, 2)] {
        let output = place.path(metric);
        let ended = place.sum(metric, hour, &output);
        assert!(ended.status.success(), "{ended:?}");
        let said = String::from_utf8(ended.stdout).unwrap();
        assert!(
            said.starts_with(&format!("2 readings of {metric} in hour {hour}")),
            "{said}"
        );
        assert_eq!(place.decrypt(metric, hour, &output), sum);
        let again = place.sum(metric, hour, &output);
        assert_eq!(again.status.code(), Some(1), "no file is replaced");
    }
    let none = place.sum("memory", hour, &place.path("memory"));
    assert_eq!(none.status.code(), Some(3));
    let other_keyword = place.sum_with_trapdoor("peers", hour, &place.path("other"));
    assert_eq!(other_keyword.status.code(), Some(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_reading_is_refused_for_good() {
    const INVALID: i32 = -32602;
    let place = Place::new();
    let collector = place.start(&[]).await;
    let mut bad = place.batch(Hour(1), 3).as_bytes().to_vec();
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
    let place = Place::new();
    let collector = place.start(&["--most", "0"]).await;
    let batch = place.batch(Hour::of(SystemTime::now()), 3);
    assert_eq!(collector.submit(batch.as_bytes()).await, Err(NO_ROOM));
    drop(collector);
    let collector = place.start(&[]).await;
    assert_eq!(collector.submit(batch.as_bytes()).await, Ok(2));
}
