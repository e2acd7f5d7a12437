//! End-to-end tests of all verbs of `duet-schemes sequential`.

mod support;

use duet_armour::kinds::SEQUENTIAL_RECORD;
use serde_json::{json, Value};
use std::{fs, process::Stdio};
use support::Cli;

fn cli() -> Cli {
    Cli::new("sequential")
}

/// A folder with three keys `a`, `b` and `c` of 2048 bits, all in the list `registry` from epoch 3 on.
fn with_keys() -> Cli {
    let cli = cli();
    for name in ["a", "b", "c"] {
        cli.json(&format!("keygen --bits 2048 {name}"));
        cli.json(&format!(
            "registry add --registry registry --from 3 --public {name}"
        ));
    }
    cli.file("payload", "what is relayed");
    cli.file("message", "hello");
    cli
}

/// Runs a command that must fail with this exit status and this line of error.
fn refuses(cli: &Cli, words: &str, status: i32, line: &str) {
    assert_eq!(cli.failure(words), (status, format!("error: {line}\n")));
}

fn fingerprint(cli: &Cli, key: &str) -> String {
    let shown = cli.show(key);
    shown["fingerprint"].as_str().expect("text").to_owned()
}

/// A path over all three keys to the party `validator`, in the file `record`.
fn attested(cli: &Cli) {
    let (b, c) = (fingerprint(cli, "b"), fingerprint(cli, "c"));
    let begin = "--payload payload --from sender --epoch 4 --fee 5";
    for step in [
        format!("--key a --to {b} --output 1 {begin}"),
        format!("--key b --to {c} --output 2 --record 1"),
        "--key c --to validator --output record --record 2".to_owned(),
    ] {
        cli.json(&format!("attest --expires 1000 {step}"));
    }
}

#[test]
fn keygen_writes_a_key_and_never_over_another_one() {
    let cli = cli();
    let made = cli.json("keygen k");
    assert_eq!(made["bits"], 3072);
    let (secret, public) = (cli.show("k/secret"), cli.show("k/public"));
    assert_eq!(secret["type"], "SEQUENTIAL SECRET KEY");
    assert_eq!(public["type"], "SEQUENTIAL PUBLIC KEY");
    for shown in [&secret, &public] {
        assert_eq!(shown["fingerprint"], made["fingerprint"]);
        assert_eq!(shown["content"]["bits"], 3072);
    }
    let secret = cli.bytes("k/secret");
    refuses(&cli, "keygen --bits 2048 k", 3, "k: exists already");
    assert_eq!(cli.bytes("k/secret"), secret);
}

#[test]
fn sign_append_verify_inspect_and_peel_work_on_files() {
    let cli = with_keys();
    let one = cli.json("sign --key a --message message --epoch 4 --output 1");
    assert_eq!(one["hops"], 1);
    let two = cli.json("append --key b --message payload --record 1 --output 2");
    assert_eq!(two["hops"], 2);
    assert_ne!(one["id"], two["id"]);

    let plain = "verify --plain --registry registry --record 2";
    let verified = cli.json(plain);
    assert_eq!(
        (&verified["signatures"], &verified["verified"]),
        (&true.into(), &false.into())
    );
    assert_eq!(verified["id"], two["id"]);
    let text = cli.succeeds("verify --plain --public a --public b --record 2");
    assert!(text.contains("all 2 hops are valid"), "{text}");
    assert!(text.contains("its epoch is not signed"), "{text}");

    let shown = cli.show("2");
    let seen = &shown["content"];
    assert_eq!(shown["type"], "SEQUENTIAL RECORD");
    assert_eq!(seen["epoch"], 4);
    assert_eq!(seen["bits"], 2048);
    assert_eq!(seen["signature_bytes"], 288 + 32 + 1);
    assert_eq!(seen["hops"][0]["fingerprint"], fingerprint(&cli, "a"));
    assert_eq!(seen["hops"][0]["message"], hex::encode("hello"));
    assert!(seen["hops"][1]["attestation"].is_null());
    let text = cli.show_text("2");
    assert_eq!(text.lines().count(), 5, "{text}");

    let peel = "peel --record 2 --output peeled --public";
    let (own, last) = (fingerprint(&cli, "a"), fingerprint(&cli, "b"));
    let other = format!("the last hop's key is {last}, not {own}");
    refuses(&cli, &format!("{peel} a"), 1, &other);
    cli.json(&format!("{peel} b"));
    assert_eq!(cli.bytes("peeled"), cli.bytes("1"));
    let single = "peel --record 1 --public a --output 0";
    refuses(&cli, single, 1, "the record has only one hop");
}

#[test]
fn records_go_through_pipes() {
    let cli = with_keys();
    let one = cli.run("sign --key a --message message --epoch 4");
    let two = cli.run_with("append --key b --message message", &one.stdout);
    let verified = cli.run_with("--json verify --plain --registry registry", &two.stdout);
    assert!(verified.status.success(), "{verified:?}");
    let again = cli.run_with("peel --public b", &two.stdout);
    assert_eq!(again.stdout, one.stdout);
}

#[test]
fn a_path_is_attested_hop_by_hop_and_good_only_for_its_receiver_and_its_time() {
    let cli = with_keys();
    attested(&cli);
    let verify = |receiver, now| {
        format!("verify --registry registry --record record --receiver {receiver} --now {now}")
    };
    let good = cli.json(&verify("validator", 999));
    assert_eq!(
        (&good["path"], &good["fee"], &good["hops"]),
        (&true.into(), &5.into(), &3.into())
    );
    refuses(
        &cli,
        &verify("somebody", 999),
        1,
        "hop 3: names another successor",
    );
    refuses(&cli, &verify("validator", 1001), 1, "hop 1: expired");
    // Checks of the payload and of the sender.
    let sender = duet_sequential::Party::named("sender").to_string();
    let payload = duet_sequential::Attestation::payload_hash(b"what is relayed");
    let payload = hex::encode(payload);
    assert_eq!(good["from"], sender);
    assert_eq!(good["payload"], payload);
    let text = cli.succeeds(&verify("validator", 999));
    assert!(text.contains(&sender) && text.contains(&payload), "{text}");
    let with = |more: &str| [&verify("validator", 999), more].join(" ");
    cli.json(&with("--payload payload"));
    cli.json(&with("--from sender"));
    refuses(
        &cli,
        &with("--payload message"),
        1,
        &format!("message: not the payload with hash {payload}"),
    );
    refuses(
        &cli,
        &with("--from somebody"),
        1,
        &format!("the path comes from {sender}, not from the party given with --from"),
    );
    // Only the party that the last hop names can continue.
    let args = "attest --key c --record 1 --to x --expires 1";
    let (to, own) = (fingerprint(&cli, "b"), fingerprint(&cli, "c"));
    refuses(
        &cli,
        args,
        1,
        &format!("the record is for {to}, not for this key, {own}"),
    );
    let shown = cli.show("record");
    let seen = &shown["content"];
    assert_eq!(seen["hops"][1]["attestation"]["hop"], 2);
    assert_eq!(
        seen["hops"][1]["attestation"]["from"],
        fingerprint(&cli, "a")
    );

    // A shortened record has valid signatures, but is not a path.
    cli.json("peel --record record --public c --output short");
    cli.json("verify --plain --registry registry --record short");
    let args = "verify --registry registry --record short --receiver validator --now 1";
    refuses(&cli, args, 1, "hop 2: names another successor");
    // Attestations cannot be added to bare messages.
    cli.json("sign --key a --message message --epoch 4 --output bare");
    let args = "attest --key b --record bare --to x --expires 1";
    refuses(&cli, args, 2, "bare: not an attestation");
}

#[test]
fn the_registry_says_in_which_epochs_a_key_is_good() {
    let cli = with_keys();
    attested(&cli);
    let listed = cli.json("registry list --registry registry");
    assert_eq!(listed["keys"].as_array().map(Vec::len), Some(3));
    assert_eq!(
        cli.succeeds("registry list --registry registry")
            .lines()
            .count(),
        3
    );
    let args = "registry add --registry registry --public a";
    assert_eq!(cli.failure(args).0, 2);

    let fingerprint = fingerprint(&cli, "b");
    let verify = "verify --plain --registry registry --record record";
    let revoke = |epoch| {
        format!("registry revoke --registry registry --fingerprint {fingerprint} --epoch {epoch}")
    };
    cli.json(&revoke("5"));
    cli.json(verify);
    cli.json(&revoke("4"));
    refuses(
        &cli,
        verify,
        1,
        &format!("hop 2: key {fingerprint} is revoked"),
    );
    let stranger = "00".repeat(32);
    let args = format!("registry revoke --registry registry --fingerprint {stranger} --epoch 1");
    refuses(&cli, &args, 2, &format!("unknown key {stranger}"));
}

#[test]
fn a_list_is_changed_by_one_process_after_another() {
    let cli = with_keys();
    let lock = fs::File::create(cli.path("registry.lock")).expect("a file");
    lock.lock().expect("a lock");
    let revoke = "registry revoke --registry registry --epoch 9 --fingerprint";
    let mut child = cli.command(&format!("{revoke} {}", fingerprint(&cli, "a")));
    let mut child = child
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    let before = cli.bytes("registry");
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(child.try_wait().expect("a process").is_none());
    assert_eq!(cli.bytes("registry"), before);
    lock.unlock().expect("a lock");
    assert!(child.wait().expect("a process").success());
    assert_ne!(cli.bytes("registry"), before);
}

#[test]
fn the_queue_takes_records_in_verifies_them_and_hands_out_the_good_ones() {
    let cli = with_keys();
    attested(&cli);
    let mut changed = cli.content("record");
    let last = changed.len() - 1;
    changed[last] ^= 1;
    cli.write("changed", &SEQUENTIAL_RECORD, &changed);
    let add = |record, deadline, value| {
        cli.json(&format!("queue add --queue queue --record {record} --deadline {deadline} --value {value} --now 10"))["id"]
            .as_str()
            .expect("an id")
            .to_owned()
    };
    let good = add("record", "100", "1");
    let bad = add("changed", "100", "2");
    let late = add("1", "11", "3");
    let twice = "queue add --queue queue --record record --deadline 100 --now 10";
    refuses(&cli, twice, 2, "the record is in the queue already");
    let full = "queue add --queue queue --record 2 --deadline 100 --now 10 --max-records 3";
    refuses(&cli, full, 2, "the queue has the maximum of 3 records");

    let state_of = |id: &str| {
        let listed = cli.json("queue list --queue queue");
        let records = listed["records"].as_array().expect("records").clone();
        let entry = records.into_iter().find(|entry| entry["id"] == id);
        entry.map(|entry| entry["state"].as_str().expect("a state").to_owned())
    };
    assert_eq!(state_of(&good).as_deref(), Some("unverified"));
    let take = format!("queue take --queue queue --id {good} --output taken");
    refuses(&cli, &take, 1, &format!("no verified record {good}"));

    // No key is known, so nothing is decided.
    let args = "queue verify --queue queue --public a --now 10 --most 1 --order value";
    let report = cli.json(args);
    assert_eq!(report["verified"], json!([late]));
    let args = "queue verify --queue queue --public a --now 12 --threads 1";
    let report = cli.json(args);
    assert_eq!(report["undecided"].as_array().map(Vec::len), Some(2));

    let args = "queue verify --queue queue --registry registry --now 12";
    let report = cli.json(args);
    assert_eq!(report["verified"], json!([good]));
    assert_eq!(report["invalid"][0]["id"], json!(bad));
    assert_eq!(state_of(&bad).as_deref(), Some("invalid"));
    assert!(cli.succeeds(args).starts_with("0 verified"));

    // A record that cannot be written stays in the queue.
    let lost = format!("queue take --queue queue --id {good} --output no/folder");
    assert_eq!(cli.failure(&lost).0, 3);
    #[cfg(target_os = "linux")]
    {
        let full = fs::File::options().write(true).open("/dev/full");
        let take = format!("queue take --queue queue --id {good}");
        let status = cli.command(&take).stdout(full.expect("a device")).status();
        assert_eq!(status.expect("the program ends").code(), Some(74));
    }
    cli.json(&take);
    assert_eq!(cli.bytes("taken"), cli.bytes("record"));
    assert_eq!(state_of(&good), None);
    let remove = format!("queue remove --queue queue --id {bad}");
    cli.json(&remove);
    refuses(&cli, &remove, 2, &format!("no record {bad}"));
    let text = cli.succeeds("queue list --queue queue");
    assert!(text.contains("records: 1, "), "{text}");
}

#[test]
fn a_log_that_was_restored_hands_nothing_out_a_second_time() {
    let cli = with_keys();
    attested(&cli);
    let queue = |words: &str| format!("queue {words} --queue queue --anchor elsewhere");
    let add = "add --record record --deadline 100 --now 10";
    let id = cli.json(&queue(add))["id"].clone();
    let id = id.as_str().expect("text");
    cli.json(&queue("verify --registry registry --now 12"));
    let copy = cli.bytes("queue/queue.log");
    let taken = |to| queue(&format!("take --output {to} --id {id}"));
    cli.json(&taken("taken"));
    cli.file("queue/queue.log", &copy);
    let (status, line) = cli.failure(&taken("again"));
    assert_eq!(status, 5, "{line}");
    assert!(line.contains("queue/queue.log: the log has "), "{line}");
    assert!(!cli.path("again").exists());

    // Without its anchor the queue is taken over only when somebody says so.
    fs::remove_file(cli.path("elsewhere")).expect("a file");
    let (status, line) = cli.failure(&queue("list"));
    assert_eq!(status, 5, "{line}");
    assert!(line.contains("elsewhere: missing"), "{line}");
    cli.json(&queue("adopt"));
    assert_eq!(cli.failure(&queue("adopt")).0, 3);
    cli.json(&taken("again"));
    assert_eq!(cli.bytes("again"), cli.bytes("taken"));
}

#[test]
fn what_is_too_late_is_dropped() {
    let cli = with_keys();
    cli.json("sign --key a --message message --epoch 4 --output 1");
    let id = cli.json("queue add --queue queue --record 1 --deadline 11 --now 10");
    let report = cli.json("queue verify --queue queue --registry registry --now 12");
    assert_eq!(report["expired"], json!([id["id"]]));
    let args = "queue add --queue queue --record 1 --deadline 11 --now 12";
    refuses(&cli, args, 2, "the deadline 11 has passed: the time is 12");
}

#[test]
fn bad_input_is_one_clear_line_and_a_status() {
    let cli = with_keys();
    cli.file("junk", b"junk");
    cli.json("sign --key a --message message --epoch 4 --output 1");
    // The third digit of the base64 has the lowest bits of the version.
    let mut newer = fs::read(cli.path("1")).expect("it is there");
    let line = newer.iter().position(|byte| *byte == b'\n');
    newer[line.expect("a line") + 3] += 4;
    cli.file("newer", &newer);
    let append = |record| format!("append --key a --message message --record {record}");
    let junk = "append --key junk --message message --record 1";
    let verify = |how, with| format!("verify --plain {how} {with} --record 1");
    let cases = [
        (append("missing"), 3, "error: missing: "),
        (
            append("junk"),
            2,
            "error: junk: line 1: expected -----BEGIN",
        ),
        (
            append("newer"),
            2,
            "error: newer: line 1: expected version 1, got 2",
        ),
        (
            append("a/public"),
            2,
            "error: a/public: line 1: expected an object of type SEQUENTIAL RECORD",
        ),
        (junk.to_owned(), 2, "error: junk: line 1: "),
        (verify("--public", "junk"), 2, "error: junk: line 1: "),
        (verify("--public", "b"), 1, "error: hop 1: unknown key "),
        (verify("--registry", "junk"), 2, "error: junk: line 1: "),
    ];
    for (args, expected, start) in cases {
        let (status, line) = cli.failure(&args);
        assert_eq!(status, expected, "{line}");
        assert!(line.starts_with(start), "{line}");
    }
    let (_, line) = cli.failure("--json verify --plain --public b --record 1");
    let error: Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!(error["kind"], "refused");

    // Errors of clap: no keys, an incomplete first attestation, an invalid fingerprint.
    for args in [
        "verify --record 1",
        "attest --key a --payload payload --to x --expires 1",
        "registry revoke --registry registry --fingerprint xyz --epoch 1",
        "keygen --bits 1024 k",
    ] {
        assert_eq!(cli.run(args).status.code(), Some(2), "{args}");
    }
}

#[test]
fn help_is_there_for_every_verb() {
    let cli = cli();
    for verb in [
        "keygen", "sign", "append", "attest", "verify", "peel", "registry", "queue",
    ] {
        let text = cli.succeeds(&format!("{verb} --help"));
        assert!(text.contains("Usage:"), "{text}");
    }
}
