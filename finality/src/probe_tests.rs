use super::*;
use crate::{
    block_import,
    evidence::Divergence,
    testing::{TestChain, TestClient},
    DuetBlockImport, VoterLinks,
};
use duet_primitives::{testing::TestSet, RoundMessage, H256};
use std::{
    future::Future,
    net::SocketAddr,
    sync::atomic::{AtomicBool, Ordering},
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// A node that says whether it is catching up.
#[derive(Clone, Default)]
struct Syncing(Arc<AtomicBool>);

impl SyncOracle for Syncing {
    fn is_major_syncing(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn is_offline(&self) -> bool {
        false
    }
}

/// A node with a chain of a few blocks, whose proofs the test stores.
struct Setup {
    chain: TestChain,
    set: TestSet,
    genesis: H256,
    links: VoterLinks,
    syncing: Syncing,
    probe: Probe,
}

const MAX_LAG: u32 = 2;

fn setup() -> Setup {
    let (chain, set) = (TestChain::default(), TestSet::new(0, 0..4));
    let genesis = chain.push(&set, &set, &[]);
    let (_, links, rpc): (DuetBlockImport<_, TestClient, ()>, _, _) =
        block_import((), chain.client.clone(), chain.backend.clone(), None);
    let syncing = Syncing::default();
    let probe = Probe {
        links: rpc,
        sync: Arc::new(syncing.clone()),
        max_lag: MAX_LAG,
    };
    Setup {
        chain,
        set,
        genesis,
        links,
        syncing,
        probe,
    }
}

impl Setup {
    fn block(&self) {
        self.chain.push(&self.set, &self.set, &[]);
    }

    /// Proves the newest block.
    fn prove(&self) {
        let chain = self.chain.chain();
        let (number, _) = chain.finalized();
        let message = RoundMessage::new(self.genesis, chain.commitment(number).unwrap());
        let proof = self.set.justify(&message, 0..3).into_unchecked();
        self.chain.store().put_best(&proof).unwrap();
    }

    fn reasons(&self, question: Question) -> Vec<String> {
        self.probe.answer(question).reasons
    }
}

#[test]
fn a_node_is_ready_when_what_is_final_is_proven_but_for_a_few_blocks() {
    let setup = setup();
    assert_eq!(setup.reasons(Question::Health), [""; 0]);
    assert_eq!(
        setup.reasons(Question::Readiness),
        ["nothing is proven yet"]
    );
    setup.block();
    setup.prove();
    for _ in 0..MAX_LAG {
        setup.block();
    }
    let ready = setup.probe.answer(Question::Readiness);
    let expected = Fitness {
        best_proven: Some(BlockNumber::new(1)),
        finalized: Some(BlockNumber::new(3)),
        active: None,
        voting: false,
        reasons: Vec::new(),
    };
    assert_eq!(ready, expected);
    setup.block();
    assert_eq!(
        setup.reasons(Question::Readiness),
        ["3 finalized blocks are not proven, above the limit of 2"]
    );
    assert_eq!(setup.reasons(Question::Health), [""; 0]);

    setup.prove();
    setup.syncing.0.store(true, Ordering::Relaxed);
    assert_eq!(
        setup.reasons(Question::Readiness),
        ["the node is catching up"]
    );
}

/// ACTIVE-1, ACTIVE-3.
#[test]
fn a_node_without_a_set_is_ready_unless_it_is_behind_or_something_is_wrong() {
    let setup = setup();
    let reasons_when = |active| {
        setup.links.activity.set(active);
        let Fitness {
            active: said,
            reasons,
            ..
        } = setup.probe.answer(Question::Readiness);
        assert_eq!(said, active);
        reasons
    };
    assert_eq!(reasons_when(Some(false)), [""; 0]);
    for active in [Some(true), None] {
        assert_eq!(reasons_when(active), ["nothing is proven yet"]);
    }
    setup.block();
    setup.prove();
    (0..=MAX_LAG).for_each(|_| setup.block());
    assert_eq!(reasons_when(Some(false)), [""; 0], "it was put down");
    for active in [Some(true), None] {
        let expected = ["3 finalized blocks are not proven, above the limit of 2"];
        assert_eq!(reasons_when(active), expected);
    }
    setup.syncing.0.store(true, Ordering::Relaxed);
    assert_eq!(reasons_when(Some(false)), ["the node is catching up"]);
    setup.syncing.0.store(false, Ordering::Relaxed);
    setup.links.voting.stop("a reason".into());
    let expected = ["this node takes no part in Duet: a reason"];
    assert_eq!(reasons_when(Some(false)), expected);
}

#[test]
fn a_contradiction_makes_a_node_unfit_until_its_operator_knows_of_it() {
    let setup = setup();
    setup.block();
    setup.prove();
    let store = setup.chain.store();
    let mut one = Divergence {
        finalized: None,
        justification: store.best().unwrap().unwrap(),
        acknowledged: false,
    };
    store.put_divergences(&[one.clone()]).unwrap();
    let expected = ["a valid proof contradicts the finalized chain at block 1"];
    assert_eq!(setup.reasons(Question::Health), expected);
    one.acknowledged = true;
    store.put_divergences(&[one]).unwrap();
    assert_eq!(setup.reasons(Question::Health), [""; 0]);
}

#[test]
fn a_node_that_stopped_says_why() {
    let setup = setup();
    setup.links.voting.stop("a reason".into());
    let expected = ["this node takes no part in Duet: a reason"];
    assert_eq!(setup.reasons(Question::Health), expected);
}

/// Serves in a runtime of its own, for a client that is given the address.
fn serving<C: Future>(probe: Probe, client: impl FnOnce(SocketAddr) -> C) -> C::Output {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let listener = net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(serve(listener, probe));
        client(address).await
    })
}

async fn exchange(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let read = stream.read_to_string(&mut answer);
    timeout(PATIENCE * 2, read).await.unwrap().unwrap();
    answer
}

#[test]
fn a_load_balancer_reads_the_status_and_an_operator_the_body() {
    let setup = setup();
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\nhost: a\r\n\r\n");
    let requests = [
        get("/health"),
        get("/health/readiness"),
        get("/metrics"),
        "POST /health HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n".to_owned(),
        "HEAD /health HTTP/1.1\r\nhost: a\r\n\r\n".to_owned(),
        // All of it is read, so that the answer is not lost with what is left.
        format!(
            "GET /health HTTP/1.1\r\nhost: {}",
            "a".repeat(MAX_HEAD - 28)
        ),
    ];
    let answers = serving(setup.probe, |address| async move {
        let mut answers = Vec::new();
        for request in requests {
            answers.push(exchange(address, &request).await);
        }
        answers
    });
    let statuses: Vec<_> = answers
        .iter()
        .map(|answer| answer.split(' ').nth(1).unwrap())
        .collect();
    assert_eq!(statuses, ["200", "503", "404", "405", "200", "431"]);
    let body = answers[1].split("\r\n\r\n").nth(1).unwrap();
    let fitness: Fitness = serde_json::from_str(body).unwrap();
    assert_eq!(fitness.reasons, ["nothing is proven yet"]);
    assert!(body.contains("\"active\":null"), "{body}");
    assert!(answers[1].contains("content-type: application/json"));
    assert!(answers[4].ends_with("\r\n\r\n"), "no body: {}", answers[4]);
}

#[test]
fn more_connections_than_there_is_room_for_are_closed_and_the_others_are_answered() {
    let setup = setup();
    serving(setup.probe, |address| async move {
        let mut open = Vec::new();
        for _ in 0..MAX_CONNECTIONS {
            open.push(TcpStream::connect(address).await.unwrap());
        }
        let mut surplus = TcpStream::connect(address).await.unwrap();
        let mut nothing = Vec::new();
        // Closed, with or without an error.
        let _ = timeout(PATIENCE / 2, surplus.read_to_end(&mut nothing))
            .await
            .expect("it is closed at once");
        assert!(nothing.is_empty());
        let first = open.first_mut().unwrap();
        first
            .write_all(b"GET /health HTTP/1.1\r\nhost: a\r\n\r\n")
            .await
            .unwrap();
        let mut answer = String::new();
        first.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    });
}
