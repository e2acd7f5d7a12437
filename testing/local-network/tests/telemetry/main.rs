//! Nodes of a running network send encrypted readings to a collector, which adds up what it cannot read, and the group decrypts.
//!
//! `cargo xtask test` runs it: it needs `duet-node` with the feature `encrypted-telemetry`, which `cargo test` alone does not
//! build.

use duet_armour::{
    encode,
    kinds::{SEARCHABLE_CIPHERTEXTS, SEARCHABLE_PUBLIC_KEY, SEARCHABLE_TRAPDOOR},
    read_one,
};
use duet_local_network::{wait, Executables, Interrupt, Network};
use duet_searchable::{Bound, DiscreteLog, MasterKey, ReceivedCiphertext};
use duet_telemetry::{Group, Hour, READINGS};
use std::{
    fs,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, SystemTime},
};
use tempfile::TempDir;

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
    let place = Place::new();
    let hour = Hour::of(SystemTime::now());
    let collector = place.collect();
    let public = place.path("public");
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
            let sum = |metric, hour| place.sum(metric, hour).unwrap_or(0);
            let sums = hours.map(|hour| (sum("peers", hour), sum(READINGS, hour), hour));
            Ok(sums.into_iter().max().expect("two hours"))
        },
        |(peers, readings, _)| *peers > 0 && *readings >= 6,
    );
    let (.., hour) = found.await.expect("nodes send readings");
    let sums = ["peers", "memory", "processor", READINGS]
        .map(|metric| place.sum(metric, hour).expect("there are readings of it"));
    let [peers, memory, processor, readings] = sums;
    // Each of the two has the other one, or none.
    assert!((1..=readings).contains(&peers), "{peers} of {readings}");
    // More than 10 MiB and less than 10 GiB each, in KiB.
    let mean = memory / readings;
    assert!((10_000..10_000_000).contains(&mean), "{mean} KiB");
    assert!(processor > 0);
}

/// The files of a group, and of its collector.
struct Place {
    directory: TempDir,
    executables: Executables,
    master: MasterKey,
    group: Group,
}

/// A collector that runs.
struct Collector {
    child: Child,
    url: String,
}

impl Drop for Collector {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let master = MasterKey::from_seed(&[5; 32]).expect("a key");
        let public = master.public_key();
        let text = encode(
            &SEARCHABLE_PUBLIC_KEY,
            public.fingerprint().as_bytes(),
            &public.to_bytes(),
        );
        fs::write(directory.path().join("public"), text.as_bytes()).expect("it is ours");
        Self {
            executables: Executables::locate().expect("this program is somewhere"),
            group: Group::read(directory.path(), CHAIN.into()).expect("a key"),
            master,
            directory,
        }
    }

    fn path(&self, name: &str) -> String {
        self.directory.path().join(name).display().to_string()
    }

    fn program(&self) -> PathBuf {
        self.executables.collector().expect("it was built")
    }

    fn collect(&self) -> Collector {
        let mut child = Command::new(self.program())
            .args(["serve", "--listen", "127.0.0.1:0", "--folder"])
            .arg(self.path("kept"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        let output = child.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut line).expect("text");
        let address = line.trim().strip_prefix("listening on ");
        let url = format!("ws://{}", address.expect("it says where"));
        Collector { child, url }
    }

    /// What the collector adds up with a trapdoor of the group's, decrypted by the group.
    fn sum(&self, metric: &str, hour: Hour) -> Option<i64> {
        let keyword = self.group.keyword(metric, hour).expect("short names");
        let key = self.master.trapdoor(&keyword).expect("a keyword");
        let content = key.expose();
        let digest = SEARCHABLE_TRAPDOOR.digest(&*content);
        let text = encode(&SEARCHABLE_TRAPDOOR, &digest, &*content);
        fs::write(self.path("trapdoor"), text.as_bytes()).expect("it is ours");
        let output = self.path("sum");
        let _ = fs::remove_file(&output);
        let ended = Command::new(self.program())
            .args(["sum", "--telemetry", CHAIN, metric, &hour.to_string()])
            .args(["--folder", &self.path("kept")])
            .args(["--public", &self.path("public")])
            .args(["--trapdoor", &self.path("trapdoor")])
            .args(["--output", &output])
            .output()
            .expect("it starts");
        if ended.status.code() == Some(NOTHING) {
            return None;
        }
        assert!(ended.status.success(), "{ended:?}");
        let text = fs::read(&output).expect("it was written");
        let object = read_one(&SEARCHABLE_CIPHERTEXTS, &text).expect("ciphertexts");
        let received = object.content().expect("whole").as_slice();
        let received = ReceivedCiphertext::parse(received).expect("one");
        let sum = received.check().expect("a ciphertext");
        let message = self.master.decrypt(&keyword, &sum).expect("ours");
        let log = DiscreteLog::new(Bound::new(1 << 32), 1 << 24, &()).expect("a table");
        Some(log.find(&message).expect("in the range"))
    }
}
