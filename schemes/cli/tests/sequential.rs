//! `duet-schemes sequential`, verb by verb, through the built program.

use serde_json::Value;
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// A folder, and the program at work in it.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    /// A folder with three keys `a`, `b` and `c` of 2048 bits, all in the list `registry` from epoch 3 on.
    fn with_keys() -> Self {
        let place = Self::new();
        for name in ["a", "b", "c"] {
            let (secret, public) = (format!("{name}.secret"), format!("{name}.public"));
            place.json(&[
                "keygen", "--bits", "2048", "--secret", &secret, "--public", &public,
            ]);
            place.json(&[
                "registry",
                "add",
                "--registry",
                "registry",
                "--key",
                &public,
                "--from",
                "3",
            ]);
        }
        place.file("payload", b"what is relayed");
        place.file("message", b"hello");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).expect("a file");
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("a file")
    }

    fn run(&self, args: &[&str], input: &[u8]) -> Output {
        run(self.folder.path(), args, input)
    }

    /// What the program prints when all is well.
    fn text(&self, args: &[&str]) -> String {
        let output = self.run(args, b"");
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).expect("text")
    }

    /// The one JSON object that the program prints when all is well.
    fn json(&self, args: &[&str]) -> Value {
        let text = self.text(&[&["--json"], args].concat());
        assert_eq!(text.lines().count(), 1, "{text}");
        serde_json::from_str(&text).expect("JSON")
    }

    /// The exit status and the one line that the program prints when something is wrong.
    fn failure(&self, args: &[&str]) -> (i32, String) {
        let output = self.run(args, b"");
        assert!(output.stdout.is_empty(), "{args:?}: {output:?}");
        let text = String::from_utf8(output.stderr).expect("text");
        assert_eq!(text.lines().count(), 1, "{text}");
        (output.status.code().expect("a status"), text)
    }

    /// The fingerprint of a key, from the list.
    fn fingerprint(&self, index: usize) -> String {
        let secret = ["a.public", "b.public", "c.public"][index];
        let modulus = self.bytes(secret);
        let key = duet_sequential::PublicKey::from_bytes(&modulus).expect("a key");
        key.fingerprint().to_string()
    }

    /// A path over all three keys to the party `validator`, as the file `record`.
    fn attested(&self) {
        let to = [
            self.fingerprint(1),
            self.fingerprint(2),
            "validator".to_owned(),
        ];
        self.json(&[
            "attest",
            "--key",
            "a.secret",
            "--payload",
            "payload",
            "--from",
            "sender",
            "--epoch",
            "4",
            "--to",
            &to[0],
            "--expires",
            "1000",
            "--fee",
            "5",
            "--output",
            "1",
        ]);
        let steps = [
            ("b.secret", "1", &to[1], "2"),
            ("c.secret", "2", &to[2], "record"),
        ];
        for (key, record, to, output) in steps {
            self.json(&[
                "attest",
                "--key",
                key,
                "--record",
                record,
                "--to",
                to,
                "--expires",
                "1000",
                "--output",
                output,
            ]);
        }
    }
}

fn run(folder: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_duet-schemes"))
        .arg("sequential")
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that fails early may not read its input.
    let _ = child.stdin.take().expect("its input").write_all(input);
    child.wait_with_output().expect("the program ends")
}

#[test]
fn keygen_writes_a_secret_only_for_its_owner_and_never_over_another_one() {
    let place = Place::new();
    let made = place.json(&["keygen", "--secret", "s", "--public", "p"]);
    assert_eq!(made["bits"], 3072);
    assert_eq!(place.bytes("p").len(), 384);
    let secret = place.bytes("s");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(place.path("s"))
            .expect("a file")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let (status, line) =
        place.failure(&["keygen", "--bits", "2048", "--secret", "s", "--public", "p"]);
    assert_eq!(status, 2);
    assert!(line.starts_with("error: s: "), "{line}");
    assert_eq!(place.bytes("s"), secret);
}

#[test]
fn sign_append_verify_inspect_and_peel_work_on_files() {
    let place = Place::with_keys();
    let one = place.json(&[
        "sign",
        "--key",
        "a.secret",
        "--message",
        "message",
        "--epoch",
        "4",
        "--output",
        "1",
    ]);
    assert_eq!(one["hops"], 1);
    let two = place.json(&[
        "append",
        "--key",
        "b.secret",
        "--message",
        "payload",
        "--record",
        "1",
        "--output",
        "2",
    ]);
    assert_eq!(two["hops"], 2);
    assert_ne!(one["id"], two["id"]);

    let verified = place.json(&["verify", "--registry", "registry", "--record", "2"]);
    assert_eq!(verified["verified"], true);
    assert_eq!(verified["id"], two["id"]);
    let text = place.text(&[
        "verify", "--key", "a.public", "--key", "b.public", "--record", "2",
    ]);
    assert!(text.contains("all 2 hops are good"), "{text}");

    let seen = place.json(&["inspect", "--record", "2"]);
    assert_eq!(seen["epoch"], 4);
    assert_eq!(seen["bits"], 2048);
    assert_eq!(seen["signature_bytes"], 288 + 32 + 1);
    assert_eq!(seen["hops"][0]["fingerprint"], place.fingerprint(0));
    assert_eq!(seen["hops"][0]["message"], hex::encode("hello"));
    assert!(seen["hops"][1]["attestation"].is_null());
    let text = place.text(&["inspect", "--record", "2"]);
    assert_eq!(text.lines().count(), 3, "{text}");

    let (status, line) = place.failure(&[
        "peel", "--record", "2", "--key", "a.public", "--output", "peeled",
    ]);
    let (own, last) = (place.fingerprint(0), place.fingerprint(1));
    assert_eq!(status, 1);
    assert_eq!(
        line,
        format!("error: key {own} is not the last hop's, {last}\n")
    );
    place.json(&[
        "peel", "--record", "2", "--key", "b.public", "--output", "peeled",
    ]);
    assert_eq!(place.bytes("peeled"), place.bytes("1"));
    let (status, line) = place.failure(&[
        "peel", "--record", "1", "--key", "a.public", "--output", "0",
    ]);
    assert_eq!(
        (status, line.as_str()),
        (1, "error: the record has only one hop\n")
    );
}

#[test]
fn records_go_through_pipes() {
    let place = Place::with_keys();
    let one = place.run(
        &[
            "sign",
            "--key",
            "a.secret",
            "--message",
            "message",
            "--epoch",
            "4",
        ],
        b"",
    );
    let two = place.run(
        &["append", "--key", "b.secret", "--message", "message"],
        &one.stdout,
    );
    let verified = place.run(&["--json", "verify", "--registry", "registry"], &two.stdout);
    assert!(verified.status.success(), "{verified:?}");
    let again = place.run(&["peel", "--key", "b.public"], &two.stdout);
    assert_eq!(again.stdout, one.stdout);
}

#[test]
fn a_path_is_attested_hop_by_hop_and_good_only_for_its_receiver_and_its_time() {
    let place = Place::with_keys();
    place.attested();
    let verify = |receiver: &'static str, now: &'static str| {
        [
            "verify",
            "--registry",
            "registry",
            "--record",
            "record",
            "--receiver",
            receiver,
            "--now",
            now,
        ]
    };
    let good = place.json(&verify("validator", "999"));
    assert_eq!(
        (&good["path"], &good["fee"], &good["hops"]),
        (&true.into(), &5.into(), &3.into())
    );
    assert_eq!(
        place.failure(&verify("somebody", "999")),
        (1, "error: hop 3: names another successor\n".to_owned())
    );
    assert_eq!(
        place.failure(&verify("validator", "1001")),
        (1, "error: hop 1: expired\n".to_owned())
    );
    // What was relayed, and from whom.
    let sender = duet_sequential::Party::named("sender").to_string();
    let payload = duet_sequential::Attestation::payload_hash(b"what is relayed");
    let payload = hex::encode(payload);
    assert_eq!(good["from"], sender);
    assert_eq!(good["payload"], payload);
    let text = place.text(&verify("validator", "999"));
    assert!(text.contains(&sender) && text.contains(&payload), "{text}");
    let with = |name: &'static str, value: &'static str| {
        [verify("validator", "999").as_slice(), &[name, value]].concat()
    };
    place.json(&with("--payload", "payload"));
    place.json(&with("--from", "sender"));
    assert_eq!(
        place.failure(&with("--payload", "message")),
        (
            1,
            format!("error: message: not what was relayed: {payload}\n")
        )
    );
    assert_eq!(
        place.failure(&with("--from", "somebody")),
        (1, format!("error: the path comes from {sender}\n"))
    );
    // Only whom the last hop names goes on.
    let args = [
        "attest",
        "--key",
        "c.secret",
        "--record",
        "1",
        "--to",
        "x",
        "--expires",
        "1",
    ];
    let (to, own) = (place.fingerprint(1), place.fingerprint(2));
    assert_eq!(
        place.failure(&args),
        (
            1,
            format!("error: the record goes to {to} and not to this key, {own}\n")
        )
    );
    let seen = place.json(&["inspect", "--record", "record"]);
    assert_eq!(seen["hops"][1]["attestation"]["hop"], 2);
    assert_eq!(seen["hops"][1]["attestation"]["from"], place.fingerprint(0));

    // A shortened record has good signatures and is no path.
    place.json(&[
        "peel", "--record", "record", "--key", "c.public", "--output", "short",
    ]);
    place.json(&["verify", "--registry", "registry", "--record", "short"]);
    let args = [
        "verify",
        "--registry",
        "registry",
        "--record",
        "short",
        "--receiver",
        "validator",
        "--now",
        "1",
    ];
    assert_eq!(
        place.failure(&args),
        (1, "error: hop 2: names another successor\n".to_owned())
    );
    // Nothing is attested on top of bare messages.
    place.json(&[
        "sign",
        "--key",
        "a.secret",
        "--message",
        "message",
        "--epoch",
        "4",
        "--output",
        "bare",
    ]);
    let args = [
        "attest",
        "--key",
        "b.secret",
        "--record",
        "bare",
        "--to",
        "x",
        "--expires",
        "1",
    ];
    assert_eq!(
        place.failure(&args),
        (2, "error: bare: not an attestation\n".to_owned())
    );
}

#[test]
fn the_registry_says_in_which_epochs_a_key_is_good() {
    let place = Place::with_keys();
    place.attested();
    let listed = place.json(&["registry", "list", "--registry", "registry"]);
    assert_eq!(listed["keys"].as_array().map(Vec::len), Some(3));
    assert_eq!(
        place
            .text(&["registry", "list", "--registry", "registry"])
            .lines()
            .count(),
        3
    );
    let args = [
        "registry",
        "add",
        "--registry",
        "registry",
        "--key",
        "a.public",
    ];
    assert_eq!(place.failure(&args).0, 2);

    let fingerprint = place.fingerprint(1);
    let verify = ["verify", "--registry", "registry", "--record", "record"];
    let revoke = |epoch| {
        [
            "registry",
            "revoke",
            "--registry",
            "registry",
            "--fingerprint",
            &fingerprint,
            "--epoch",
            epoch,
        ]
    };
    place.json(&revoke("5"));
    place.json(&verify);
    place.json(&revoke("4"));
    assert_eq!(
        place.failure(&verify),
        (1, format!("error: hop 2: key {fingerprint} is revoked\n"))
    );
    let stranger = "00".repeat(32);
    let args = [
        "registry",
        "revoke",
        "--registry",
        "registry",
        "--fingerprint",
        &stranger,
        "--epoch",
        "1",
    ];
    assert_eq!(
        place.failure(&args),
        (2, format!("error: no key {stranger}\n"))
    );
}

#[test]
fn a_list_is_changed_by_one_process_after_another() {
    let place = Place::with_keys();
    let lock = fs::File::create(place.path("registry.lock")).expect("a file");
    lock.lock().expect("a lock");
    let mut child = Command::new(env!("CARGO_BIN_EXE_duet-schemes"))
        .args(["sequential", "registry", "revoke", "--registry", "registry"])
        .args(["--epoch", "9", "--fingerprint", &place.fingerprint(0)])
        .current_dir(place.folder.path())
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    let before = place.bytes("registry");
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(child.try_wait().expect("a process").is_none());
    assert_eq!(place.bytes("registry"), before);
    lock.unlock().expect("a lock");
    assert!(child.wait().expect("a process").success());
    assert_ne!(place.bytes("registry"), before);
}

#[test]
fn the_queue_takes_records_in_verifies_them_and_hands_out_the_good_ones() {
    let place = Place::with_keys();
    place.attested();
    let mut changed = place.bytes("record");
    let last = changed.len() - 1;
    changed[last] ^= 1;
    place.file("changed", &changed);
    let add = |record, deadline, value| {
        place.json(&[
            "queue",
            "add",
            "--queue",
            "queue",
            "--record",
            record,
            "--deadline",
            deadline,
            "--value",
            value,
            "--now",
            "10",
        ])["id"]
            .as_str()
            .expect("an id")
            .to_owned()
    };
    let good = add("record", "100", "1");
    let bad = add("changed", "100", "2");
    let late = add("1", "11", "3");
    let twice = [
        "queue",
        "add",
        "--queue",
        "queue",
        "--record",
        "record",
        "--deadline",
        "100",
        "--now",
        "10",
    ];
    assert_eq!(
        place.failure(&twice),
        (2, "error: the record is there already\n".to_owned())
    );
    let full = [
        "queue",
        "add",
        "--queue",
        "queue",
        "--record",
        "2",
        "--deadline",
        "100",
        "--now",
        "10",
        "--max-records",
        "3",
    ];
    assert_eq!(
        place.failure(&full),
        (2, "error: the queue holds its 3 records\n".to_owned())
    );

    let state_of = |id: &str| {
        let listed = place.json(&["queue", "list", "--queue", "queue"]);
        let records = listed["records"].as_array().expect("records").clone();
        let entry = records.into_iter().find(|entry| entry["id"] == id);
        entry.map(|entry| entry["state"].as_str().expect("a state").to_owned())
    };
    assert_eq!(state_of(&good).as_deref(), Some("unverified"));
    let take = [
        "queue", "take", "--queue", "queue", "--id", &good, "--output", "taken",
    ];
    assert_eq!(
        place.failure(&take),
        (1, format!("error: no verified record {good}\n"))
    );

    // Nobody's key is known, and nothing is lost by that.
    let args = [
        "queue", "verify", "--queue", "queue", "--key", "a.public", "--now", "10", "--most", "1",
        "--order", "value",
    ];
    let report = place.json(&args);
    assert_eq!(report["verified"], serde_json::json!([late]));
    let args = [
        "queue",
        "verify",
        "--queue",
        "queue",
        "--key",
        "a.public",
        "--now",
        "12",
        "--threads",
        "1",
    ];
    let report = place.json(&args);
    assert_eq!(report["undecided"].as_array().map(Vec::len), Some(2));

    let args = [
        "queue",
        "verify",
        "--queue",
        "queue",
        "--registry",
        "registry",
        "--now",
        "12",
    ];
    let report = place.json(&args);
    assert_eq!(report["verified"], serde_json::json!([good]));
    assert_eq!(report["invalid"][0]["id"], serde_json::json!(bad));
    assert_eq!(state_of(&bad).as_deref(), Some("invalid"));
    assert!(place.text(&args).starts_with("0 verified"));

    // What cannot be written stays in the queue.
    let lost = [
        "queue",
        "take",
        "--queue",
        "queue",
        "--id",
        &good,
        "--output",
        "no/folder",
    ];
    assert_eq!(place.failure(&lost).0, 2);
    #[cfg(target_os = "linux")]
    {
        let full = fs::File::options().write(true).open("/dev/full");
        let status = Command::new(env!("CARGO_BIN_EXE_duet-schemes"))
            .args(["sequential", "queue", "take", "--queue", "queue", "--id"])
            .arg(&good)
            .current_dir(place.folder.path())
            .stdout(full.expect("a device"))
            .stderr(Stdio::null())
            .status();
        assert_eq!(status.expect("the program ends").code(), Some(2));
    }
    place.json(&take);
    assert_eq!(place.bytes("taken"), place.bytes("record"));
    assert_eq!(state_of(&good), None);
    let remove = ["queue", "remove", "--queue", "queue", "--id", &bad];
    place.json(&remove);
    assert_eq!(
        place.failure(&remove),
        (2, format!("error: no record {bad}\n"))
    );
    let text = place.text(&["queue", "list", "--queue", "queue"]);
    assert!(text.contains("records: 1, "), "{text}");
}

#[test]
fn what_is_too_late_is_dropped() {
    let place = Place::with_keys();
    place.json(&[
        "sign",
        "--key",
        "a.secret",
        "--message",
        "message",
        "--epoch",
        "4",
        "--output",
        "1",
    ]);
    let id = place.json(&[
        "queue",
        "add",
        "--queue",
        "queue",
        "--record",
        "1",
        "--deadline",
        "11",
        "--now",
        "10",
    ]);
    let report = place.json(&[
        "queue",
        "verify",
        "--queue",
        "queue",
        "--registry",
        "registry",
        "--now",
        "12",
    ]);
    assert_eq!(report["expired"], serde_json::json!([id["id"]]));
    let args = [
        "queue",
        "add",
        "--queue",
        "queue",
        "--record",
        "1",
        "--deadline",
        "11",
        "--now",
        "12",
    ];
    assert_eq!(
        place.failure(&args),
        (2, "error: the deadline 11 is over at 12\n".to_owned())
    );
}

#[test]
fn bad_input_is_one_clear_line_and_a_status() {
    let place = Place::with_keys();
    place.file("junk", b"junk");
    place.json(&[
        "sign",
        "--key",
        "a.secret",
        "--message",
        "message",
        "--epoch",
        "4",
        "--output",
        "1",
    ]);
    let cases: [(&[&str], i32, &str); 6] = [
        (&["inspect", "--record", "missing"], 2, "error: missing: "),
        (
            &["inspect", "--record", "junk"],
            2,
            "error: junk: version 106 is unknown",
        ),
        (
            &[
                "append",
                "--key",
                "junk",
                "--message",
                "message",
                "--record",
                "1",
            ],
            2,
            "error: junk: not an encoded secret key",
        ),
        (
            &["verify", "--key", "junk", "--record", "1"],
            2,
            "error: junk: a modulus of 4 bytes",
        ),
        (
            &["verify", "--key", "b.public", "--record", "1"],
            1,
            "error: hop 1: key ",
        ),
        (
            &["verify", "--registry", "junk", "--record", "1"],
            2,
            "error: junk: ",
        ),
    ];
    for (args, expected, start) in cases {
        let (status, line) = place.failure(args);
        assert_eq!(status, expected, "{line}");
        assert!(line.starts_with(start), "{line}");
    }
    let (_, line) = place.failure(&["--json", "verify", "--key", "b.public", "--record", "1"]);
    let error: Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!(error["kind"], "refused");

    // What clap refuses: no keys, half of a first attestation, a fingerprint that is none.
    for args in [
        &["verify", "--record", "1"][..],
        &[
            "attest",
            "--key",
            "a.secret",
            "--payload",
            "payload",
            "--to",
            "x",
            "--expires",
            "1",
        ],
        &[
            "registry",
            "revoke",
            "--registry",
            "registry",
            "--fingerprint",
            "xyz",
            "--epoch",
            "1",
        ],
        &["keygen", "--bits", "1024", "--secret", "s", "--public", "p"],
    ] {
        assert_eq!(place.run(args, b"").status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn help_is_there_for_every_verb() {
    let place = Place::new();
    for verb in [
        "keygen", "sign", "append", "attest", "verify", "inspect", "peel", "registry", "queue",
    ] {
        let text = place.text(&[verb, "--help"]);
        assert!(text.contains("Usage:"), "{text}");
    }
}
