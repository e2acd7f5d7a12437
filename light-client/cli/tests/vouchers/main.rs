//! Checkpoints that others vouch for: signed with the real program and real keys, and begun from by it.

#[path = "../support/mod.rs"]
mod support;

mod place;

use place::{names, now, Place};
use serde_json::Value;
use std::fs;

const DAY: u64 = 24 * 60 * 60;
/// What signs with Carol's key, without the program seeing it.
const CAROL: &str =
    "--public @carol.pub -- openssl pkeyutl -decrypt -inkey @carol.pem -pkeyopt rsa_padding_mode:none";

/// Alice with a key in PEM, Bob with one of `duet-schemes`, and Carol with a command vouch; Dave is listed, too.
async fn vouched_by_three() -> Place {
    let place = Place::new().await;
    for name in ["alice", "carol", "dave"] {
        place.make_key(name);
    }
    place.make_own_key("bob");
    place
        .write_list(&[
            ("alice.pub", "Alice"),
            ("bob", "Bob, Example Ltd."),
            ("carol.pub", "Carol"),
            ("dave.pub", "Dave"),
        ])
        .await;
    for (arguments, statements) in [
        ("--key @alice.pem --output @one".to_owned(), 1),
        ("--key @bob --onto @one --output @two".to_owned(), 2),
        (format!("--onto @two --output @three {CAROL}"), 3),
    ] {
        let signed = place.vouch(&arguments).await.expect_code(0);
        let signed = signed.named("signed").remove(0);
        assert_eq!(signed["statements"], statements, "{signed}");
        let at = signed["signed_at"].as_u64().expect("a time");
        assert!((now() - 60..=now()).contains(&at), "{signed}");
    }
    place
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_begins_from_a_checkpoint_that_enough_vouch_for_and_from_no_other() {
    let place = vouched_by_three().await;
    let begin = "--vouched @three --vouchers @vouchers.txt";
    for require in ["", "--require 0", "--require 2", "--require 3"] {
        let finished = place.sync(&format!("{begin} {require}")).await;
        let finished = finished.expect_code(0);
        assert_eq!(names(&finished), ["Alice", "Bob, Example Ltd.", "Carol"]);
        let vouched = finished.named("vouched").remove(0);
        let block = place.checkpoint(1).block_number.get();
        assert_eq!(vouched["block"], block);
        assert_eq!(
            (&vouched["listed"], vouched["not_counted"].as_array()),
            (&Value::from(4), Some(&vec![]))
        );
        assert_eq!(finished.named("start")[0]["block"], block);
        assert_eq!(finished.named("synced").len(), 1);
    }

    let finished = place.sync(&format!("{begin} --require 4")).await;
    let finished = finished.expect_code(7);
    assert_eq!(
        finished.message(),
        "too few names in your list vouch for the checkpoint: expected 4, got 3"
    );
    assert_eq!(finished.named("failed")[0]["kind"], "unvouched");
    assert_eq!(names(&finished).len(), 3, "who does is shown all the same");
    assert!(finished.named("start").is_empty(), "nothing was begun");

    let finished = place.sync(&format!("{begin} --require 5")).await;
    let finished = finished.expect_code(2);
    assert_eq!(
        finished.message(),
        "--require is 5, but the list has 4 names"
    );

    place.write_checkpoint("checkpoint.json", 2);
    for require in [0, 2] {
        let finished = place.sync(&format!("{begin} --require {require}")).await;
        let said = finished.expect_code(7).message();
        assert!(
            said.contains("three: the vouchers are for the checkpoint with SHA-256 "),
            "{said}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn people_see_who_vouches_and_when() {
    let place = Place::new().await;
    place.make_key("alice");
    place.make_key("bob");
    place.write_list(&[("alice.pub", "Alice")]).await;
    let printed = place.run("fingerprint @bob.pem").await.expect_code(0);
    let bob = printed.stdout.trim().to_owned();
    place
        .vouch("--key @alice.pem --output @one")
        .await
        .expect_code(0);
    let onto = "vouch --checkpoint @checkpoint.json --key @bob.pem --onto @one --output @two";
    let finished = place.run(onto).await.expect_code(0);
    let said = format!(
        "two: 2 vouch for block {} ",
        place.checkpoint(1).block_number
    );
    assert!(finished.stderr.contains(&said), "{}", finished.stderr);
    let url = &place.server.url;
    let begin = "--checkpoint @checkpoint.json --vouched @two --vouchers @vouchers.txt";
    let finished = place
        .run(&format!("sync --quiet --url {url} {begin}"))
        .await;
    let said = finished.expect_code(0).stderr;
    let lines: Vec<_> = said.lines().collect();
    assert!(
        lines[0].ends_with(": 1 of the 1 in your list vouch for it, 1 required"),
        "{said}"
    );
    assert!(
        lines[1].starts_with("  Alice  20") && lines[1].contains(" UTC  key "),
        "{said}"
    );
    let expected = format!("  key {bob}: the key is not in your list");
    assert!(
        lines[2].starts_with("  not counted: 20") && lines[2].ends_with(&expected),
        "{said}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn statements_that_are_old_or_of_the_future_do_not_count() {
    let place = Place::new().await;
    place.make_key("alice");
    place.write_list(&[("alice.pub", "Alice")]).await;
    place.sign_at("alice", now() - 15 * DAY, "old");
    place.sign_at("alice", now() + DAY, "early");
    let begin = |record: &str| format!("--vouched @{record} --vouchers @vouchers.txt");
    for (record, why) in [
        ("old", "seconds ago, above the limit of 1209600"),
        ("early", "in the future"),
    ] {
        let finished = place.sync(&begin(record)).await.expect_code(7);
        let vouched = finished.named("vouched").remove(0);
        let reason = vouched["not_counted"][0]["reason"]
            .as_str()
            .expect("a text");
        assert!(reason.contains(why), "{reason}");
        assert_eq!(vouched["not_counted"][0]["name"], "Alice");
    }
    let longer = format!("{} --vouched-within 16.5", begin("old"));
    let finished = place.sync(&longer).await.expect_code(0);
    assert_eq!(names(&finished), ["Alice"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_that_is_broken_or_cannot_be_read_is_refused_by_name() {
    let place = Place::new().await;
    place.make_key("alice");
    place.write_list(&[("alice.pub", "Alice")]).await;
    let signed = place.vouch("--key @alice.pem --output @one").await;
    signed.expect_code(0);
    let bytes = place.record("one");
    let refused = |record: &'static str, code| {
        let place = &place;
        async move {
            let begin = format!("--vouched @{record} --vouchers @vouchers.txt --require 0");
            place.sync(&begin).await.expect_code(code).message()
        }
    };

    // The last byte of the time: the statement is older by some seconds, and is not what was signed.
    let mut later = bytes.clone();
    let time = later.len() - 256 - 1;
    later[time] ^= 4;
    place.write_record("later", &later);
    let said = refused("later", 7).await;
    assert!(
        said.contains("later: the vouchers' signature is invalid, and the signer at fault"),
        "{said}"
    );

    place.write_record("cut", &bytes[..bytes.len() - 1]);
    let said = refused("cut", 1).await;
    assert!(
        said.contains("cut: not a record of vouchers: truncated"),
        "{said}"
    );
    let text = fs::read_to_string(place.path("one")).expect("it was written");
    place.write("damaged", text.replacen("-----\n", "-----\n0", 1));
    let said = refused("damaged", 1).await;
    assert!(said.contains("damaged: line 1: damaged object"), "{said}");
    place.write("long", vec![b'\n'; 512 * 1024 + 1]);
    let said = refused("long", 1).await;
    assert!(said.contains("long: more than 524288 bytes"), "{said}");
    let said = refused("absent", 1).await;
    assert!(said.contains("absent: No such file"), "{said}");

    place.write("vouchers.txt", "Alice\n");
    let said = refused("one", 1).await;
    assert!(
        said.contains("vouchers.txt: line 1: does not begin"),
        "{said}"
    );
}

/// Keys of two sizes do not go into one record, and two records are counted together.
#[tokio::test(flavor = "multi_thread")]
async fn several_records_are_counted_together() {
    let place = Place::new().await;
    for name in ["alice", "bob"] {
        place.make_key(name);
        let signed = format!("--key @{name}.pem --output @{name}.vouched");
        place.vouch(&signed).await.expect_code(0);
    }
    place
        .write_list(&[("alice.pub", "Alice"), ("bob.pub", "Bob")])
        .await;
    let one = "--vouchers @vouchers.txt --require 2 --vouched @alice.vouched";
    place.sync(one).await.expect_code(7);
    let twice = format!("{one} --vouched @alice.vouched");
    place.sync(&twice).await.expect_code(7);
    let both = format!("{one} --vouched @bob.vouched");
    let finished = place.sync(&both).await.expect_code(0);
    assert_eq!(names(&finished), ["Alice", "Bob"]);
}

/// A service is started with the same arguments again and again. What is old by then is not needed any more.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_on_from_its_state_needs_no_vouchers() {
    let place = Place::new().await;
    place.make_key("alice");
    place.write_list(&[("alice.pub", "Alice")]).await;
    place.sign_at("alice", now() - 15 * DAY, "old");
    let begin = "--state @state --vouched @old --vouchers @vouchers.txt";
    place.sync(begin).await.expect_code(7);
    let more = format!("{begin} --vouched-within 16");
    place.sync(&more).await.expect_code(0);
    let finished = place.sync(begin).await.expect_code(0);
    assert!(finished.named("vouched").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_signed_that_would_be_lost() {
    let place = vouched_by_three().await;
    let refused = |arguments: &'static str, code| {
        let place = &place;
        async move { place.vouch(arguments).await.expect_code(code).message() }
    };
    let said = refused("--key @dave.pem --onto @three --output @three", 1).await;
    assert!(said.contains("three: "), "{said}");

    let mut bytes = place.record("three");
    bytes[100] ^= 1;
    place.write_record("broken", &bytes);
    let said = refused("--key @dave.pem --onto @broken --output @four", 7).await;
    assert!(
        said.contains("the vouchers' signature is invalid"),
        "{said}"
    );

    place.write_checkpoint("checkpoint.json", 2);
    let said = refused("--key @dave.pem --onto @three --output @four", 7).await;
    assert!(
        said.contains("are for the checkpoint with SHA-256"),
        "{said}"
    );
    assert!(!place.path("four").exists());

    let text = fs::read_to_string(place.path("checkpoint.json")).expect("it was written");
    place.write(
        "checkpoint.json",
        text.replacen("\"len\": 4", "\"len\": 0", 1),
    );
    let said = refused("--key @dave.pem --output @four", 2).await;
    assert!(said.contains("the checkpoint is refused"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_others_may_read_or_that_does_not_sign_is_refused() {
    let place = Place::new().await;
    place.make_key("alice");
    place.make_key("carol");
    place.protect("alice.pem", 0o640);
    let finished = place.vouch("--key @alice.pem --output @one").await;
    let said = finished.expect_code(1).message();
    assert!(
        said.contains("other users can read this secret key"),
        "{said}"
    );

    let by = |command: &str| format!("--public @carol.pub --output @one -- {command}");
    for (command, expected) in [
        ("false", "\"false\" failed with exit status: 1"),
        (
            "cat",
            "the private operation returned a wrong result, which was discarded",
        ),
        ("true", "\"true\" wrote 0 bytes, expected 256"),
    ] {
        let finished = place.vouch(&by(command)).await;
        let said = finished.expect_code(1).message();
        assert_eq!(said, expected);
    }
    let slow = "--sign-timeout 0.2 --public @carol.pub --output @one -- sleep 600";
    let said = place.vouch(slow).await.expect_code(1).message();
    assert_eq!(said, "\"sleep\" has not ended after 0.2 s");
    assert!(!place.path("one").exists());
}

/// Whoever types a requirement must not be left without it.
#[tokio::test(flavor = "multi_thread")]
async fn options_that_need_each_other_are_not_taken_alone() {
    let place = Place::new().await;
    for alone in [
        "--require 2",
        "--vouchers @vouchers.txt",
        "--vouched @three",
        "--vouched-within 3",
    ] {
        place.sync(alone).await.expect_code(2);
    }
    let url = &place.server.url;
    let without = format!(
        "sync --url {url} --genesis 0x{} --vouched @a --vouchers @b",
        "00".repeat(32)
    );
    place.run(&without).await.expect_code(2);
    for alone in [
        "--output @one",
        "--output @one --public @carol.pub",
        "--output @one --key @alice.pem -- true",
        "--output @one --key @alice.pem --public @carol.pub -- true",
    ] {
        place.vouch(alone).await.expect_code(2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_has_one_fingerprint_in_all_its_files() {
    let place = Place::new().await;
    place.make_own_key("bob");
    let mut printed = Vec::new();
    for file in ["bob.pem", "bob.pub", "bob", "bob/secret", "bob/public"] {
        let finished = place.run(&format!("fingerprint @{file}")).await;
        printed.push(finished.expect_code(0).stdout);
    }
    assert_eq!(printed[0].trim().len(), 64);
    assert!(
        printed.iter().all(|other| *other == printed[0]),
        "{printed:?}"
    );
}
