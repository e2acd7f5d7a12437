//! A reset is crossed by a recovery proof: announced, waited for, and crossed or given up.

use crate::support::{
    urls, Finished, Folder, Node, Program, Proxy, Tamper, Tampering, World, MODES,
};
use codec::Encode;
use duet_light_client::{Checkpoint, Crossing, Dated, Mode, Trusted};
use duet_primitives::{BlockNumber, Keysets, RecoveryStatement, SetId, H256};
use duet_recovery::text::{self, MembersFile, ProofFile, StatementFile};
use serde_json::Value;
use std::{
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
};

/// The newest block before the reset of which a client knows a proof.
const NEWEST: u32 = 5;
const RESET: u32 = 7;
const HEAD: u32 = 9;
/// Longer than a test.
const LONG: u64 = 5_000;

/// A chain whose clients wait so long.
fn world(delay: u64) -> Arc<World> {
    Arc::new(World::reset(HEAD, RESET, delay))
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(now.expect("after 1970").as_millis()).expect("before long")
}

fn proof_text(world: &World, statement: &RecoveryStatement) -> String {
    text::write(&ProofFile {
        genesis_hash: world.genesis(),
        proof: world.recovery(statement),
    })
}

/// A test's files and chain, with an honest node.
struct Place {
    world: Arc<World>,
    folder: Folder,
}

impl Place {
    fn new(delay: u64) -> Self {
        let place = Self {
            world: world(delay),
            folder: Folder::new(),
        };
        let proof = proof_text(&place.world, &place.world.statement(NEWEST));
        place.folder.write("proof", proof);
        place
    }

    /// The trusted state at a block.
    fn at(&self, number: u32) -> Trusted {
        let checkpoint = Checkpoint {
            genesis_hash: self.world.genesis(),
            block_number: BlockNumber::new(number),
            block_hash: self.world.blocks[number as usize].hash,
            keysets: Keysets::without_successor(self.world.set.set.commitment().clone()),
        };
        Trusted::from_checkpoint(checkpoint, Mode::Full).expect("a checkpoint")
    }

    /// A state file whose recovery was announced so many seconds ago, or will be; and its block is so old.
    fn keep(&self, ago: i64, age: u64) {
        let dated = |time| Dated {
            time,
            trusting_period: Some(1_000_000),
        };
        let behind = self.world.behind.as_ref().expect("a reset");
        let trusted = self.at(NEWEST);
        let proof = self.world.recovery(&self.world.statement(NEWEST));
        let since = now().checked_add_signed(-1_000 * ago).expect("a time");
        let trusted = trusted.with_date(dated(since));
        let trusted = trusted.announce(&behind.terms(), proof, since, None);
        let trusted = trusted
            .expect("valid")
            .with_date(dated(now() - 1_000 * age));
        self.folder.write("state", trusted.encode());
    }

    fn state(&self) -> String {
        format!("--state {}", self.folder.text("state"))
    }

    fn proof(&self) -> String {
        format!("--recovery-proof {}", self.folder.text("proof"))
    }

    /// From the newest block.
    fn start(&self) -> String {
        let (genesis, hash) = (
            self.world.genesis(),
            self.world.blocks[NEWEST as usize].hash,
        );
        format!("--genesis {genesis:?} --start {hash:?} {}", self.state())
    }

    async fn node(&self, head: u32) -> Node {
        Node::start_at(&self.world, Tamper::None, head, true).await
    }

    fn saved(&self) -> Trusted {
        let bytes = std::fs::read(self.folder.path("state")).expect("a state");
        Trusted::decode(&bytes).expect("its own")
    }
}

async fn sync(nodes: &[&Node], more: &str) -> Finished {
    let urls = urls(nodes.iter().map(|node| &node.url));
    Program::run(&format!("sync --json --give-up-after 1 {urls} {more}")).await
}

fn one(finished: &Finished, name: &str) -> Value {
    let mut all = finished.named(name);
    assert_eq!(all.len(), 1, "{name}: {}", finished.stdout);
    all.remove(0)
}

/// RECOVER-7, RECOVER-8.
#[tokio::test(flavor = "multi_thread")]
async fn a_follower_waits_crosses_and_goes_on_with_the_set_behind_the_reset() {
    for mode in MODES {
        // One endpoint has proofs of the new set only, and one has none yet.
        for head in [HEAD, NEWEST] {
            let place = Place::new(2);
            let node = place.node(head).await;
            let (start, proof) = (place.start(), place.proof());
            let line = format!(
                "follow --json --blocks 1 --url {} {start} {proof} {mode}",
                node.url
            );
            let program = Program::start(&line).wait_for_line("\"announced\"").await;
            let announced = program.last_event();
            assert_eq!(announced["block"], NEWEST);
            assert_eq!(announced["reset_block"], RESET);
            assert_eq!(
                (&announced["ended"], &announced["set"]),
                (&0.into(), &9.into())
            );
            assert!((1..=2).contains(&announced["seconds"].as_u64().expect("a number")));
            let began = now();
            let program = program.wait_for_line("\"recovered\"").await;
            assert!(now() - began > 1_000, "it crossed too early");
            let recovered = program.last_event();
            assert_eq!(
                (&recovered["from"], &recovered["block"]),
                (&NEWEST.into(), &RESET.into())
            );
            assert_eq!(recovered["set"], 9);
            node.prove(HEAD);
            let finished = program.finish().await.expect_code(0);
            let last = one(&finished, "proof");
            assert_eq!((&last["block"], &last["set"]), (&HEAD.into(), &9.into()));
            one(&finished, "announced");
            let saved = place.saved();
            assert_eq!(saved.signing().id, SetId::new(9));
            assert!(saved.crossed_by().is_none() && saved.announced().is_none());
        }
    }
}

/// RECOVER-7, RECOVER-8.
#[tokio::test(flavor = "multi_thread")]
async fn sync_announces_and_a_later_run_keeps_the_wait() {
    let place = Place::new(LONG);
    for head in [HEAD, NEWEST] {
        let node = place.node(head).await;
        let _ = std::fs::remove_file(place.folder.path("state"));
        let first = sync(&[&node], &format!("{} {}", place.start(), place.proof())).await;
        let first = first.expect_code(0);
        let announced = one(&first, "announced");
        assert!(announced["seconds"].as_u64() > Some(LONG - 60));
        assert_eq!(announced["contradicted"], false);
        assert_eq!(one(&first, "synced")["block"], NEWEST);
        let saved = place.saved();
        let state = place.state();
        // The proof again, and without it.
        for again in [format!("{state} {}", place.proof()), state.clone()] {
            let again = sync(&[&node], &again).await.expect_code(0);
            one(&again, "announced");
            assert_eq!(place.saved().announced(), saved.announced());
            assert!(again.named("recovered").is_empty());
        }
        let shown = Program::run(&format!("status {state}"))
            .await
            .expect_code(0);
        let line = format!("recovery    a reset in block {RESET} ");
        assert!(shown.stdout.contains(&line), "{}", shown.stdout);
        let shown = Program::run(&format!("status --json {state}"))
            .await
            .expect_code(0);
        let recovery = &one(&shown, "status")["recovery"];
        assert!(recovery["seconds"].as_u64() > Some(LONG - 60));
    }
}

/// RECOVER-8.
#[tokio::test(flavor = "multi_thread")]
async fn sync_crosses_when_the_wait_is_over_and_keeps_the_evidence() {
    let place = Place::new(LONG);
    for head in [NEWEST, HEAD] {
        place.keep(i64::try_from(LONG).expect("small"), 10);
        let node = place.node(head).await;
        let finished = sync(&[&node], &place.state()).await.expect_code(0);
        assert_eq!(one(&finished, "recovered")["set"], 9);
        let saved = place.saved();
        if head == NEWEST {
            assert_eq!(saved.best_number(), BlockNumber::new(RESET));
            let proof = place.world.recovery(&place.world.statement(NEWEST));
            assert_eq!(saved.crossed_by(), Some(&proof));
        } else {
            assert_eq!(finished.numbers(), [u64::from(HEAD)]);
        }
        let again = sync(&[&node], &place.state()).await.expect_code(0);
        assert!(again.named("recovered").is_empty());
    }
}

/// RECOVER-8.
#[tokio::test(flavor = "multi_thread")]
async fn a_newer_proof_of_any_endpoint_cancels_even_when_the_wait_is_over() {
    let place = Place::new(LONG);
    place.keep(i64::try_from(LONG).expect("small") + 10, 10);
    let (reset, behind, newer) = (
        place.node(HEAD).await,
        place.node(NEWEST).await,
        place.node(NEWEST + 1).await,
    );
    let finished = sync(&[&reset, &behind, &newer], &place.state()).await;
    let finished = finished.expect_code(0);
    let cancelled = one(&finished, "cancelled");
    assert_eq!(cancelled["about"], NEWEST);
    assert_eq!(cancelled["block"], NEWEST + 1);
    assert!(finished.named("recovered").is_empty());
    assert!(place.saved().announced().is_none());
    // The proof is about a block that is old now.
    let again = format!("{} {}", place.state(), place.proof());
    let again = sync(&[&newer], &again).await.expect_code(0);
    assert_eq!(one(&again, "outdated")["about"], NEWEST);
    assert!(again.named("announced").is_empty());
}

/// RECOVER-8.
#[tokio::test(flavor = "multi_thread")]
async fn a_goal_that_is_reached_hides_no_newer_proof() {
    let place = Place::new(LONG);
    place.keep(i64::try_from(LONG).expect("small") + 10, 10);
    let newer = place.node(NEWEST + 1).await;
    let line = format!("{} --until {NEWEST}", place.state());
    let finished = sync(&[&newer], &line).await.expect_code(0);
    one(&finished, "cancelled");
    assert!(finished.named("recovered").is_empty());
    assert_eq!(place.saved().best_number(), BlockNumber::new(NEWEST + 1));
}

/// RECOVER-8: the last proof before the reset, which is not the head any more.
#[tokio::test(flavor = "multi_thread")]
async fn behind_the_reset_the_last_proof_before_it_is_asked_for() {
    for mode in MODES {
        // A client that has not seen it comes up to it, and then stops.
        let place = Place::new(LONG);
        let node = Node::start_at(&place.world, Tamper::KnowsLast(6), HEAD, true).await;
        let stopped = sync(&[&node], &format!("{} {mode}", place.start())).await;
        let stopped = stopped.expect_code(6);
        assert_eq!(stopped.named("endpoint")[0]["rule"], "LIGHT-8");
        assert_eq!(stopped.numbers(), [6]);
        assert_eq!(place.saved().best_number(), BlockNumber::new(6));

        // The statement is about an older block.
        std::fs::remove_file(place.folder.path("state")).expect("it is there");
        let line = format!("{} {} {mode}", place.start(), place.proof());
        let outdated = sync(&[&node], &line).await.expect_code(6);
        one(&outdated, "outdated");
        assert!(outdated.named("announced").is_empty());
    }
    // The wait is over.
    let place = Place::new(1);
    place.keep(3, 10);
    let node = Node::start_at(&place.world, Tamper::KnowsLast(6), HEAD, true).await;
    let cancelled = sync(&[&node], &place.state()).await.expect_code(6);
    one(&cancelled, "cancelled");
    assert!(cancelled.named("recovered").is_empty());
    assert!(place.saved().announced().is_none());
    // A proof by another set is a lie, and so is no answer.
    place.keep(3, 10);
    let liar = Node::start_at(&place.world, Tamper::OtherLast(HEAD), HEAD, true).await;
    let caught = sync(&[&liar], &place.state()).await.expect_code(3);
    assert!(caught.named("recovered").is_empty());
    assert!(place.saved().announced().is_some());
}

/// Answers at this address for another one.
async fn forward(address: SocketAddr, to: String) {
    let listener = TcpListener::bind(address).await.expect("still free");
    while let Ok((mut near, _)) = listener.accept().await {
        let mut far = TcpStream::connect(&to).await.expect("it listens");
        tokio::spawn(async move { copy_bidirectional(&mut near, &mut far).await });
    }
}

/// RECOVER-8.
#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_is_away_for_a_moment_is_asked_again_before_the_crossing() {
    let place = Place::new(LONG);
    let state = place.state();
    let (liar, newer) = (place.node(NEWEST).await, place.node(NEWEST + 1).await);
    let away = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = away.local_addr().expect("it listens");
    drop(away);
    let urls = format!("--url {} --url ws://{address}", liar.url);
    // One that does not come back holds nobody up for longer than an answer may take.
    place.keep(i64::try_from(LONG).expect("small") + 10, 10);
    let began = Instant::now();
    let gone = Program::run(&format!("sync --json --request-timeout 1 {urls} {state}")).await;
    one(&gone.expect_code(0), "recovered");
    assert!(began.elapsed() >= Duration::from_secs(1));
    place.keep(i64::try_from(LONG).expect("small") + 10, 10);
    cancelled_from(&format!("sync --json {urls} {state}"), address, &newer).await;
}

/// Runs a program for which an endpoint at this address is away at first. It comes back with a newer proof, which cancels
/// the recovery.
async fn cancelled_from(line: &str, address: SocketAddr, newer: &Node) {
    let program = Program::start(line).wait_for_line("\"unreachable\"").await;
    let to = newer.url.trim_start_matches("ws://").to_owned();
    let back = tokio::spawn(forward(address, to));
    let finished = program.finish().await.expect_code(0);
    one(&finished, "cancelled");
    assert!(finished.named("recovered").is_empty());
    back.abort();
}

/// RECOVER-8: an answer may take so long, and its first ones together took longer.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_endpoint_leaves_the_others_their_time() {
    let place = Place::new(LONG);
    let state = place.state();
    let (node, newer) = (place.node(NEWEST).await, place.node(NEWEST + 1).await);
    let late = Tampering::Late(Duration::from_millis(700));
    let slow = Proxy::start(&node.url, late).await;
    let away = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = away.local_addr().expect("it listens");
    drop(away);
    place.keep(i64::try_from(LONG).expect("small") + 10, 10);
    let urls = format!("--url {} --url ws://{address}", slow.url);
    let line = format!("sync --json --request-timeout 2 {urls} {state}");
    cancelled_from(&line, address, &newer).await;
}

/// RECOVER-8.
#[tokio::test(flavor = "multi_thread")]
async fn what_an_endpoint_disputes_counts_when_it_is_gone_too() {
    let place = Place::new(LONG);
    place.keep(i64::try_from(LONG).expect("small") + 10, 10);
    let agrees = place.node(HEAD).await;
    let disputes = Node::start_at(&place.world, Tamper::NoReset, NEWEST, true).await;
    let gone = Proxy::start(&disputes.url, Tampering::None).await;
    let away = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = away.local_addr().expect("it listens");
    drop(away);
    let urls = urls([&agrees.url, &gone.url]);
    let line = format!(
        "sync --json --give-up-after 1 --request-timeout 2 {urls} --url ws://{address} {}",
        place.state()
    );
    let program = Program::start(&line).wait_for_line("\"unreachable\"").await;
    gone.freeze();
    let finished = program.finish().await.expect_code(6);
    let told = format!("RECOVER-8: {} knows of no reset", gone.url);
    let message = finished.message();
    assert!(message.starts_with(&told), "{message}");
    assert!(finished.named("recovered").is_empty());
    let is_gone = |event: &Value| event["url"] == gone.url.as_str();
    assert!(finished.named("endpoint").iter().any(is_gone));
}

/// RECOVER-8: thieves of the recovery keys said that there is a reset in block 6, which an honest server proves to be
/// another one.
#[tokio::test(flavor = "multi_thread")]
async fn after_a_false_recovery_the_first_honest_server_shows_both_proofs() {
    for mode in MODES {
        let place = Place::new(1);
        let behind = place.world.behind.as_ref().expect("a reset");
        let mut statement = place.world.statement(NEWEST);
        statement.reset_number = BlockNumber::new(NEWEST + 1);
        statement.reset_hash = H256::repeat_byte(1);
        let false_proof = place.world.recovery(&statement);
        let since = now() - 3_000;
        let before = place.at(NEWEST).with_date(Dated {
            time: since,
            trusting_period: Some(1_000_000),
        });
        let announced = before.announce(&behind.terms(), false_proof.clone(), since, None);
        let crossed = announced.expect("valid").cross(now(), None);
        let Ok(Crossing::Crossed(crossed)) = crossed else {
            panic!("the wait is over: {crossed:?}");
        };
        place.folder.write("state", crossed.encode());
        let known = Tamper::KnowsLast(NEWEST + 1);
        let honest = Node::start_at(&place.world, known, NEWEST + 1, true).await;
        let line = format!("{} {mode}", place.state());
        let finished = sync(&[&honest], &line).await.expect_code(5);
        assert!(finished.named("endpoint").is_empty());
        let failed = one(&finished, "failed");
        assert_eq!(failed["kind"], "misbehaviour");
        let message = failed["message"].as_str().expect("text");
        assert!(
            message.starts_with("RECOVER-8: two proofs hold"),
            "{message}"
        );
        let signed = place.world.justification(NEWEST + 1);
        let evidence = [false_proof.encode(), signed.encode()];
        let evidence = evidence.map(|bytes| crate::support::hex(&bytes));
        assert_eq!(failed["evidence"], serde_json::json!(evidence));
    }
}

/// RECOVER-7.
#[tokio::test(flavor = "multi_thread")]
async fn behind_the_reset_an_endpoint_still_leads_to_the_block_of_the_statement() {
    let place = Place::new(LONG);
    let node = place.node(HEAD).await;
    let start = place.world.blocks[NEWEST as usize - 1].hash;
    let from = format!("--genesis {:?} --start {start:?}", place.world.genesis());
    for mode in MODES {
        let line = format!("{from} {mode} {}", place.proof());
        let finished = sync(&[&node], &line).await.expect_code(0);
        assert_eq!(one(&finished, "announced")["block"], NEWEST);
        assert_eq!(one(&finished, "synced")["block"], NEWEST);
    }
    // Of a block behind the reset there is a proof, but no way to it.
    let mut statement = place.world.statement(NEWEST);
    statement.block_number = BlockNumber::new(RESET + 1);
    statement.reset_number = BlockNumber::new(HEAD);
    let late = proof_text(&place.world, &statement);
    place.folder.write("proof", late);
    let finished = sync(&[&node], &format!("{from} {}", place.proof())).await;
    let finished = finished.expect_code(6);
    let message = finished.message();
    assert!(message.starts_with("RECOVER-7: "), "{message}");
}

/// RECOVER-8.
#[tokio::test(flavor = "multi_thread")]
async fn a_follower_gives_the_recovery_up_when_a_newer_block_is_proven() {
    let place = Place::new(LONG);
    let node = place.node(NEWEST).await;
    let (start, proof) = (place.start(), place.proof());
    let line = format!(
        "follow --json --blocks 1 --url {} {start} {proof}",
        node.url
    );
    let program = Program::start(&line).synced().await;
    node.prove(NEWEST + 1);
    let finished = program.finish().await.expect_code(0);
    assert_eq!(one(&finished, "cancelled")["block"], NEWEST + 1);
    assert!(place.saved().announced().is_none());
}

/// RECOVER-8.
#[tokio::test(flavor = "multi_thread")]
async fn two_statements_end_the_program_with_both_proofs_and_it_crosses_neither() {
    let place = Place::new(LONG);
    let waited = i64::try_from(LONG).expect("small");
    place.keep(waited, 10);
    let node = place.node(HEAD).await;
    let mut other = place.world.statement(NEWEST);
    other.reset_hash = H256::repeat_byte(1);
    let second = place.world.recovery(&other);
    place
        .folder
        .write("proof", proof_text(&place.world, &other));
    for more in [place.proof(), String::new()] {
        let finished = sync(&[&node], &format!("{} {more}", place.state())).await;
        let finished = finished.expect_code(5);
        let contradicted = one(&finished, "contradicted");
        assert_eq!(
            (&contradicted["block"], &contradicted["recovery_set"]),
            (&NEWEST.into(), &3.into())
        );
        let failed = one(&finished, "failed");
        assert_eq!(failed["kind"], "misbehaviour");
        assert!(failed["message"]
            .as_str()
            .expect("text")
            .starts_with("RECOVER-8: "));
        let evidence = failed["evidence"][1].as_str().expect("hex");
        assert_eq!(evidence, crate::support::hex(&second.encode()));
        assert_eq!(
            place.saved().announced().expect("kept").contradicted(),
            Some(&second)
        );
    }
}

/// RECOVER-8.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_crosses_without_permission_or_without_an_answer() {
    let place = Place::new(LONG);
    place.keep(i64::try_from(LONG).expect("small"), 10);
    let node = place.node(NEWEST).await;
    let state = place.state();
    let forbidden = sync(&[&node], &format!("{state} --no-recovery"))
        .await
        .expect_code(0);
    assert!(forbidden.named("recovered").is_empty());
    assert!(forbidden.named("announced").is_empty());
    let asked = format!("block --json --url {} {state}", node.url);
    let block = Program::run(&asked).await.expect_code(0);
    assert_eq!(one(&block, "header")["block"], NEWEST);
    let nobody = sync(&[], &format!("--url ws://127.0.0.1:1 {state}")).await;
    assert!(nobody.expect_code(4).named("recovered").is_empty());
    assert!(place.saved().announced().is_some());
    let both = sync(
        &[&node],
        &format!("{state} --no-recovery {}", place.proof()),
    )
    .await;
    assert_eq!(both.code, Some(2));
}

/// RECOVER-8: the only one that disputes the statement may be the honest one.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_crosses_while_an_endpoint_disputes_the_reset() {
    for (tamper, word) in [
        (Tamper::NoReset, "knows of no reset"),
        (Tamper::OtherReset, "says that block"),
    ] {
        let place = Place::new(LONG);
        place.keep(i64::try_from(LONG).expect("small"), 10);
        let agrees = place.node(HEAD).await;
        let disputes = Node::start_at(&place.world, tamper, NEWEST, true).await;
        let finished = sync(&[&agrees, &disputes], &place.state()).await;
        let finished = finished.expect_code(6);
        let told = format!("RECOVER-8: {} {word}", disputes.url);
        assert!(
            finished.message().starts_with(&told),
            "{}",
            finished.message()
        );
        assert!(finished.named("recovered").is_empty());
        assert!(place.saved().announced().is_some());
        sync(&[&agrees], &place.state()).await.expect_code(0);
        assert!(place.saved().announced().is_none());
    }
}

/// RECOVER-7: a clock that stands before a proven block measures no wait.
#[tokio::test(flavor = "multi_thread")]
async fn by_a_clock_that_is_certainly_wrong_nothing_is_announced_or_crossed() {
    let place = Place::new(LONG);
    place.keep(i64::try_from(LONG).expect("small"), 10);
    let ahead = place.saved().with_date(Dated {
        time: now() + 100_000,
        trusting_period: Some(1_000_000),
    });
    place.folder.write("state", ahead.encode());
    let node = place.node(HEAD).await;
    let finished = sync(&[&node], &place.state()).await.expect_code(1);
    assert!(
        finished.message().starts_with("RECOVER-7: "),
        "{}",
        finished.message()
    );
    assert!(finished.named("recovered").is_empty());
    assert!(place.saved().announced().is_some());
}

/// RECOVER-8.
#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_was_set_back_begins_the_wait_anew() {
    let place = Place::new(LONG);
    place.keep(-3 * i64::try_from(LONG).expect("small"), 10);
    let node = place.node(NEWEST).await;
    let finished = sync(&[&node], &place.state()).await.expect_code(0);
    let seconds = one(&finished, "announced")["seconds"]
        .as_u64()
        .expect("a number");
    assert!((LONG - 60..=LONG).contains(&seconds), "{seconds}");
    let saved = place.saved();
    let left = saved.announced().expect("kept").left(now() + 1_000 * LONG);
    assert_eq!(left, 0);
}

/// RECOVER-7, RECOVER-8: LIGHT-9.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_crosses_from_a_block_that_is_too_old() {
    let place = Place::new(LONG);
    place.keep(i64::try_from(LONG).expect("small"), 500);
    let node = place.node(NEWEST).await;
    let line = format!("{} --trusting-period 400 --trust-old-start", place.state());
    let finished = sync(&[&node], &line).await.expect_code(8);
    assert!(
        finished.message().starts_with("LIGHT-9: "),
        "{}",
        finished.message()
    );
    assert!(finished.named("recovered").is_empty());
}

/// RECOVER-7: LIGHT-9.
#[tokio::test(flavor = "multi_thread")]
async fn the_time_of_the_newest_block_is_proven_before_the_announcement() {
    let place = Place::new(LONG);
    let old = Dated {
        time: 0,
        trusting_period: Some(1_000),
    };
    let kept = place.at(NEWEST - 1).with_date(old);
    place.folder.write("state", kept.encode());
    let node = place.node(NEWEST).await;
    let line = format!("{} {} --trust-old-start", place.state(), place.proof());
    let finished = sync(&[&node], &line).await.expect_code(0);
    one(&finished, "announced");
    assert!(place.saved().dated().expect("proven").time > 0);
}

/// RECOVER-4, RECOVER-6, RECOVER-7.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_recovery_of_this_chain_is_refused_with_the_reason() {
    let place = Place::new(LONG);
    let node = place.node(NEWEST).await;
    let world = &place.world;
    let statement = world.statement(NEWEST);
    let good = ProofFile {
        genesis_hash: world.genesis(),
        proof: world.recovery(&statement),
    };
    let foreign = ProofFile {
        genesis_hash: H256::zero(),
        ..good.clone()
    };
    let mut invalid = good.clone();
    invalid.proof.signature.0[20] ^= 1;
    let with = |change: fn(&mut RecoveryStatement)| {
        let mut statement = statement.clone();
        change(&mut statement);
        proof_text(world, &statement)
    };
    for (content, code, reason) in [
        ("nothing".to_owned(), 2, "not a text of Duet's recovery"),
        (text::write(&foreign), 2, "the chain with genesis 0x0000"),
        (text::write(&invalid), 3, "RECOVER-6: "),
        (
            with(|other| other.block_hash = H256::zero()),
            2,
            "RECOVER-7: ",
        ),
        (with(|other| other.ended = SetId::new(4)), 2, "RECOVER-7: "),
        (
            with(|other| other.block_number = BlockNumber::new(6)),
            6,
            "RECOVER-7: ",
        ),
    ] {
        place.folder.write("proof", content);
        let line = format!("{} {}", place.start(), place.proof());
        let finished = sync(&[&node], &line).await.expect_code(code);
        let message = finished.message();
        assert!(message.contains(reason), "{message}");
    }
    let missing = format!(
        "{} --recovery-proof {}",
        place.start(),
        place.folder.text("none")
    );
    sync(&[&node], &missing).await.expect_code(1);
    place.folder.write("proof", text::write(&good));
    let line = format!("{} {}", place.start(), place.proof());
    let pruned = Node::start_at(world, Tamper::Pruned, NEWEST, true).await;
    let trusting = format!("{line} --trust-old-start");
    sync(&[&pruned], &trusting).await.expect_code(6);
    // Another endpoint has the state.
    let _ = std::fs::remove_file(place.folder.path("state"));
    let finished = sync(&[&pruned, &node], &line).await.expect_code(0);
    one(&finished, "announced");
}

/// RECOVER-4.
#[tokio::test(flavor = "multi_thread")]
async fn a_chain_without_terms_has_no_recovery() {
    let world = Arc::new(World::new(NEWEST, 1));
    let node = Node::start(&world, Tamper::None).await;
    let place = Place::new(LONG);
    let genesis_hash = world.genesis();
    let mut statement = place.world.statement(NEWEST);
    statement.block_hash = world.blocks[NEWEST as usize].hash;
    let proof = place.world.recovery(&statement);
    let file = ProofFile {
        genesis_hash,
        proof,
    };
    place.folder.write("proof", text::write(&file));
    let start = world.blocks[4].hash;
    let from = format!("--genesis {genesis_hash:?} --start {start:?}");
    let finished = sync(&[&node], &format!("{from} {}", place.proof())).await;
    assert!(finished.expect_code(6).message().starts_with("RECOVER-4: "));
    let members = place.folder.text("members");
    let line = format!(
        "recovery-statement --json --url {} {from} --members {members}",
        node.url
    );
    let finished = Program::run(&line).await.expect_code(6);
    assert!(finished.message().starts_with("RECOVER-4: "));
}

/// RECOVER-8.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_waits_and_crosses_too() {
    let place = Place::new(1);
    let node = place.node(HEAD).await;
    let (start, proof) = (place.start(), place.proof());
    let line = format!(
        "serve --json --listen 127.0.0.1:0 --url {} {start} {proof}",
        node.url
    );
    let program = Program::start(&line).wait_for_line("\"recovered\"").await;
    let program = program.synced().await;
    assert_eq!(program.last_event()["block"], HEAD);
}

/// RECOVER-5.
#[tokio::test(flavor = "multi_thread")]
async fn the_statement_and_the_members_are_made_of_proven_state_and_of_a_claim_that_is_shown() {
    let place = Place::new(LONG);
    let behind = place.world.behind.as_ref().expect("a reset");
    for head in [HEAD, NEWEST] {
        let node = place.node(head).await;
        let (members, start) = (place.folder.text("members"), place.start());
        let line = format!(
            "recovery-statement --url {} {start} --members {members}",
            node.url
        );
        let finished = Program::run(&line).await.expect_code(0);
        let read: StatementFile = text::read(&finished.stdout).expect("the statement alone");
        assert_eq!(read.genesis_hash, place.world.genesis());
        assert_eq!(read.statement, place.world.statement(NEWEST));
        let words = format!("the reset is a claim of {}", node.url);
        assert!(finished.stderr.contains(&words), "{}", finished.stderr);
        let hash = format!("{:?}", place.world.blocks[RESET as usize].hash);
        assert!(finished.stderr.contains(&hash), "{}", finished.stderr);
        let text = std::fs::read_to_string(&members).expect("a file");
        let read: MembersFile = text::read(&text).expect("the members");
        assert_eq!(read.genesis_hash, place.world.genesis());
        assert_eq!(read.terms, behind.terms());
        assert_eq!(read.keys, behind.members.set.keyset().key_bytes());
        let json = format!("{line} --json");
        let finished = Program::run(&json).await.expect_code(0);
        one(&finished, "connected");
        assert_eq!(one(&finished, "compare")["reset_block"], RESET);
        assert!(one(&finished, "statement")["statement"].is_string());
    }
}

/// RECOVER-5: whoever signs a liar's reset can be slashed.
#[tokio::test(flavor = "multi_thread")]
async fn while_endpoints_name_different_resets_there_is_no_statement() {
    let place = Place::new(LONG);
    let liar = Node::start_at(&place.world, Tamper::OtherReset, HEAD, true).await;
    let honest = place.node(HEAD).await;
    let urls = urls([&liar.url, &honest.url]);
    let (members, start) = (place.folder.text("members"), place.start());
    let line = format!("recovery-statement --json {urls} {start} --members {members}");
    let finished = Program::run(&line).await.expect_code(6);
    let message = finished.message();
    assert!(
        message.contains(&liar.url) && message.contains(&honest.url),
        "{message}"
    );
    assert!(!place.folder.path("members").exists());
}

/// RECOVER-5.
#[tokio::test(flavor = "multi_thread")]
async fn without_a_reset_there_is_no_statement() {
    let folder = Folder::new();
    // Behind the reset there is no other one.
    let world = Arc::new(World::reset(HEAD, RESET, LONG));
    let (genesis, start) = (world.genesis(), world.blocks[RESET as usize + 1].hash);
    let node = Node::start(&world, Tamper::None).await;
    let members = folder.text("members");
    let from = format!("--genesis {genesis:?} --start {start:?}");
    let line = format!(
        "recovery-statement --json --url {} {from} --members {members}",
        node.url
    );
    let finished = Program::run(&line).await.expect_code(6);
    let message = finished.message();
    assert!(
        message.contains("reset that leads on from set 9"),
        "{message}"
    );
    assert!(!folder.path("members").exists());
}
