//! Sources that say nothing, and what is told and counted of them.

use super::*;
use std::num::NonZeroU32;

/// Two nodes, and a relayer between them and a verifier at genesis, with metrics.
struct World {
    nodes: [ChainNode; 2],
    verifier: Verifier,
    relayer: Relayer<Verifier>,
    registry: prometheus_endpoint::Registry,
}

impl World {
    async fn new(timeout: Duration) -> Self {
        let chain = TestChain::new(1, chain::VALIDATORS, 7);
        let nodes = [
            ChainNode::start(&chain, HEAD).await,
            ChainNode::start(&chain, HEAD).await,
        ];
        // The path may be somebody's secret.
        let urls = nodes.each_ref().map(|node| format!("{}/key", node.url));
        let source = Source::new(&urls, chain.genesis_hash, timeout, Duration::ZERO);
        let policy = Policy {
            every: None,
            patience: Duration::ZERO,
            turns: Turns::alone(),
        };
        let verifier = Verifier::of(&chain);
        let (relayer, _) = Relayer::new(source, verifier.clone(), policy);
        let registry = prometheus_endpoint::Registry::new();
        let metrics = Metrics::register(&registry).expect("they are new");
        Self {
            relayer: relayer.with_metrics(metrics),
            nodes,
            verifier,
            registry,
        }
    }
}

fn set_silent(nodes: &[ChainNode; 2], are_silent: bool) {
    for node in nodes {
        node.set_delay(if are_silent { LONG * 2 } else { Duration::ZERO });
    }
}

/// A gauge of each node.
fn gauges(
    registry: &prometheus_endpoint::Registry,
    nodes: &[ChainNode; 2],
    name: &str,
) -> [u64; 2] {
    let families = registry.gather();
    let family = families.iter().find(|family| family.get_name() == name);
    let metrics = family.expect("it is there").get_metric();
    [0, 1].map(|index: usize| {
        let labels = [(index + 1).to_string(), nodes[index].url.clone()];
        let has = |labels: &[String; 2],
                   metric: &prometheus_endpoint::prometheus::proto::Metric| {
            let values = metric.get_label().iter().map(|label| label.get_value());
            values.eq(labels)
        };
        let metric = metrics.iter().find(|metric| has(&labels, metric));
        let value = metric.expect("it is labelled").get_gauge().get_value();
        format!("{value}").parse().expect("whole seconds")
    })
}

const SILENT_SINCE: &str = "duet_relay_source_silent_since_timestamp_seconds";
const LAST_NEWS: &str = "duet_relay_source_last_news_timestamp_seconds";

#[tokio::test]
async fn all_sources_are_asked_at_once() {
    let World {
        nodes, mut relayer, ..
    } = World::new(Duration::from_secs(20)).await;
    set_silent(&nodes, true);
    let speaking = async {
        // Neither answers before both are asked.
        while nodes.iter().any(|node| node.heads_asked() == 0) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        set_silent(&nodes, false);
    };
    let mut told = Vec::new();
    let (ended, ()) = tokio::join!(relayer.run_once(|event| told.push(event)), speaking);
    ended.expect("both are honest");
    let is_fault = |event: &Event| matches!(event, Event::Source { .. });
    assert!(!told.iter().any(is_fault), "{told:?}");
}

#[tokio::test]
async fn one_silent_source_of_several_is_told_and_counted_and_holds_up_nothing_more_than_once() {
    let timeout = Duration::from_secs(2);
    let World {
        nodes,
        verifier,
        mut relayer,
        registry,
    } = World::new(timeout).await;
    assert_eq!(gauges(&registry, &nodes, SILENT_SINCE), [0, 0]);
    nodes[0].set_delay(LONG * 2);
    let begin = unix_time();
    let mut told = Vec::new();
    let ended = relayer.run_once(|event| told.push(event)).await;
    ended.expect("the other one is honest");
    assert_eq!(verifier.submissions(), 1);
    let [Event::Source {
        url,
        is_dropped: false,
        reason,
    }, ..] = &told[..]
    else {
        panic!("{told:?}")
    };
    assert!(url.starts_with(&nodes[0].url), "{url}");
    assert!(reason.contains("within 2 s"), "{reason}");
    let [silent, speaking] = gauges(&registry, &nodes, SILENT_SINCE);
    assert!(silent >= begin + 2 && speaking == 0, "{silent}");
    let news = gauges(&registry, &nodes, LAST_NEWS);
    assert!(news[1] >= begin, "{news:?}");
}

/// Each of its answers comes in time.
#[tokio::test]
async fn a_slow_source_has_no_longer_for_a_look_than_for_one_answer() {
    let World {
        nodes, mut relayer, ..
    } = World::new(Duration::from_secs(3)).await;
    nodes[0].set_delay(Duration::from_secs(2));
    let mut told = Vec::new();
    let ended = relayer.run_once(|event| told.push(event)).await;
    ended.expect("the other one is honest");
    assert!(
        matches!(&told[0], Event::Source { reason, .. } if reason.contains("within 3 s")),
        "{told:?}"
    );
}

#[tokio::test]
async fn sources_that_are_all_silent_are_told_while_they_are_waited_for() {
    let World {
        nodes,
        verifier,
        mut relayer,
        registry,
    } = World::new(Duration::from_millis(300)).await;
    set_silent(&nodes, true);
    let (tell, mut told) = mpsc::unbounded_channel();
    let listening = async {
        let mut silent = std::collections::BTreeSet::new();
        while silent.len() < 2 {
            let Some(Event::Source { url, .. }) = told.recv().await else {
                panic!("nothing else happens")
            };
            silent.insert(url);
        }
        let since = gauges(&registry, &nodes, SILENT_SINCE);
        assert!(since.iter().all(|since| *since > 0), "{since:?}");
        assert_eq!(verifier.submissions(), 0);
        set_silent(&nodes, false);
        while gauges(&registry, &nodes, SILENT_SINCE) != [0, 0] {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let running = relayer.run(Duration::from_millis(5), |event| drop(tell.send(event)));
    tokio::select! {
        ended = running => panic!("it ended: {ended:?}"),
        heard = tokio::time::timeout(LONG, listening) => heard.expect("it takes too long"),
    }
    assert_eq!(verifier.submissions(), 1);
}

/// One that names no newer block shows nothing, whichever is asked first.
#[tokio::test]
async fn a_source_that_shows_an_old_handoff_does_not_hide_the_handoff_of_another() {
    let World {
        nodes,
        verifier,
        mut relayer,
        ..
    } = World::new(LONG).await;
    nodes[0].set_stale(true);
    let status = relayer
        .run_once(drop)
        .await
        .expect("the other one is honest");
    assert_eq!(status.next.map(|set| set.id), Some(SetId::new(1)));
    assert_eq!(verifier.submissions(), 1);
}

#[tokio::test]
async fn of_two_proofs_that_hold_the_one_with_more_signers_is_brought() {
    let World {
        nodes,
        verifier,
        mut relayer,
        ..
    } = World::new(LONG).await;
    nodes[0].set_full(false);
    relayer.policy.every = NonZeroU32::new(1);
    relayer.run_once(drop).await.expect("both are honest");
    let cargo = verifier.0.cargo.borrow();
    let absent = |cargo: &Cargo| match cargo {
        Cargo::Proof(delivery) => (delivery.block().get(), delivery.absent()),
        _ => panic!("{cargo:?}"),
    };
    let brought: Vec<_> = cargo.iter().map(absent).collect();
    assert_eq!(brought, [(5, 0), (HEAD, 0)]);
}

/// The other one has no proof of that block.
#[tokio::test]
async fn a_block_that_a_source_has_proven_is_brought_when_the_source_takes_it_back() {
    let World {
        nodes,
        verifier,
        mut relayer,
        ..
    } = World::new(LONG).await;
    nodes[1].set_head(HEAD - 1);
    nodes[0].set_proofs_left(1);
    relayer.policy.every = NonZeroU32::new(1);
    let brought = tokio::time::timeout(Duration::from_secs(20), relayer.run_once(drop)).await;
    let status = brought.expect("it does not hang").expect("both answer");
    assert_eq!(status.best.get(), HEAD);
    assert_eq!(verifier.submissions(), 2);
}
