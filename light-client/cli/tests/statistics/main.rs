//! `stats` against servers that have the figures of some validators, and against servers that lie about them.

#[path = "../support/mod.rs"]
mod support;

mod server;

use serde_json::{json, Value};
use server::{Figures, Lie, MEMBERS};
use support::{checkpoint_file, urls, Finished, Program, World};

async fn stats(world: &World, servers: &[&Figures], more: &str) -> Finished {
    let checkpoint = checkpoint_file(&world.checkpoint());
    let path = checkpoint.path().display();
    let urls = urls(servers.iter().map(|server| &server.host.url));
    let line = format!("stats --checkpoint {path} --give-up-after 2{urls} {more}");
    Program::run(&line).await
}

fn statistic(finished: &Finished) -> Value {
    finished.named("statistic").remove(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mean_and_a_sum_are_verified_and_the_absent_are_named() {
    let world = World::new(1, 0);
    let server = Figures::start(&world, Lie::None).await;
    let asked = stats(&world, &[&server], "--json peers").await;
    let shown = statistic(&asked.expect_code(0));
    assert_eq!(
        (&shown["value"], &shown["function"]),
        (&json!("21.333"), &json!("mean"))
    );
    assert_eq!((&shown["validators"], &shown["of"]), (&json!(3), &json!(4)));
    assert_eq!((&shown["session"], &shown["block"]), (&json!(5), &json!(0)));
    let values = shown["values"].as_array().expect("a list").iter();
    let values: Vec<_> = values.map(|each| each["value"].as_u64()).collect();
    assert_eq!(values, [20, 21, 23].map(Some));
    let absent = world.set.set.keyset().key_bytes()[2].to_string();
    assert_eq!(
        shown["absent"],
        json!([{ "validator": absent, "contradicted": false }])
    );

    let asked = stats(&world, &[&server], "--sum peers").await;
    let asked = asked.expect_code(0);
    let first = asked.stdout.lines().next().expect("a line");
    assert_eq!(
        first,
        "peers: sum 64 peers, of 3 of 4 validators of set 0, signed as session 5 began with block 0, 0 blocks before the \
         newest proven one"
    );
    assert!(asked.stdout.contains(&format!("{absent}  is not in it")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_weighted_mean_has_the_weights_of_the_file() {
    let world = World::new(1, 0);
    let server = Figures::start(&world, Lie::None).await;
    let keys = world.set.set.keyset().key_bytes();
    let file = tempfile::NamedTempFile::new().expect("a file");
    let text = format!("# stake\n{} 3\n{} 1\n", keys[0], keys[3]);
    std::fs::write(file.path(), text).expect("written");
    let flags = format!("--json peers --weights {}", file.path().display());
    let shown = statistic(&stats(&world, &[&server], &flags).await.expect_code(0));
    assert_eq!(shown["value"], json!("20.750"));
    assert_eq!((&shown["validators"], &shown["of"]), (&json!(2), &json!(2)));

    std::fs::write(file.path(), "0x12 5").expect("written");
    stats(&world, &[&server], &flags).await.expect_code(2);
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_lie_are_named_and_the_next_one_is_asked() {
    let world = World::new(1, 0);
    let honest = Figures::start(&world, Lie::None).await;
    for lie in [
        Lie::OtherFigure,
        Lie::OtherMember,
        Lie::OtherMetric,
        Lie::OtherWeights,
        Lie::NoSignature,
        Lie::FalseEvidence,
        Lie::TooMuchEvidence,
    ] {
        let liar = Figures::start(&world, lie).await;
        let flags = "--json peers";
        let asked = stats(&world, &[&liar], flags).await.expect_code(3);
        assert_eq!(asked.named("statistic"), Vec::<Value>::new(), "{lie:?}");
        let asked = stats(&world, &[&liar, &honest], flags).await;
        let asked = asked.expect_code(0);
        assert_eq!(statistic(&asked)["value"], json!("21.333"), "{lie:?}");
        let left = asked.named("endpoint").remove(0);
        assert_eq!(
            (&left["url"], &left["verdict"]),
            (&json!(liar.host.url), &json!("lied")),
            "{lie:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_refuses_or_sends_garbage_stops_nothing_and_forges_no_line() {
    let world = World::new(1, 0);
    let honest = Figures::start(&world, Lie::None).await;
    for (lie, verdict) in [(Lie::Refuses, "unreachable"), (Lie::Garbage, "lied")] {
        let bad = Figures::start(&world, lie).await;
        let asked = stats(&world, &[&bad, &honest], "--json peers").await;
        let asked = asked.expect_code(0);
        assert_eq!(statistic(&asked)["value"], json!("21.333"), "{lie:?}");
        let left = asked.named("endpoint").remove(0);
        assert_eq!(left["verdict"], json!(verdict), "{lie:?}");
        let reason = left["reason"].as_str().expect("a text");
        assert!(!reason.contains(char::is_control), "{lie:?}: {reason:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_said_two_things_is_named_and_does_not_count() {
    let world = World::new(1, 0);
    let server = Figures::start(&world, Lie::Contradicted).await;
    let asked = stats(&world, &[&server], "--json peers").await;
    let shown = statistic(&asked.expect_code(0));
    let contradicted = world.set.set.keyset().key_bytes()[1].to_string();
    assert_eq!(shown["contradicted"], json!([contradicted]));
    assert_eq!(
        shown["absent"][0],
        json!({ "validator": contradicted, "contradicted": true })
    );
    assert_eq!(shown["validators"], json!(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn too_few_too_old_or_none_end_with_status_6() {
    let world = World::new(1, 0);
    let server = Figures::start(&world, Lie::None).await;
    stats(&world, &[&server], "peers --at-least 3")
        .await
        .expect_code(0);
    let few = stats(&world, &[&server], "peers --at-least 4").await;
    let few = few.expect_code(6);
    assert!(
        few.stderr.contains("figures of 4 validators, only of 3"),
        "{}",
        few.stderr
    );
    let none = stats(&world, &[&server], "memory").await.expect_code(6);
    assert!(
        none.stderr.contains("figures of the validators of set 0"),
        "{}",
        none.stderr
    );
    stats(&world, &[&server], "tea").await.expect_code(2);
    assert_eq!(MEMBERS.len(), 3);

    let without = Figures::start(&world, Lie::NoMethod).await;
    let asked = stats(&world, &[&without], "peers").await.expect_code(4);
    assert!(
        asked.stderr.contains("no method duet_getStatistic"),
        "{}",
        asked.stderr
    );
}
