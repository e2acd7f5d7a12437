//! What holds in every round.

use duet_simulation::{
    Link, Mesh, MessageSizes, Model, NodeReport, Outcome, Plan, Round, SchemeCosts, VoteBatch,
    MILLISECOND, STRIKES,
};

/// One nanosecond per byte and one thread that checks, so that times can be added up in the head.
fn model() -> Model {
    Model {
        bandwidth: 8_000_000_000,
        threads: 1,
        ..Model::default()
    }
}

/// Every vote goes to all peers at once.
fn flooding() -> Model {
    Model {
        eager_peers: u32::MAX,
        ..model()
    }
}

const COSTS: SchemeCosts = SchemeCosts {
    vote: 1_000,
    in_batch: [500, 400, 300, 200],
    strange_vote: 3_000,
    bad_vote: 5_000,
    prepare: 600,
    aggregation: 7_000,
    proof: 20_000,
};

const SIZES: MessageSizes = MessageSizes {
    vote: 100,
    proof: 1_000,
};

/// What every message takes.
const MESSAGE: u64 = 10;

/// Everybody's place in the schedule is its index, and all vote at once.
fn plan(nodes: u32, links: &[Link], garbage_senders: &[u32]) -> Plan {
    let mesh = Mesh::new(nodes, links);
    let garbage: Vec<_> = (0..nodes)
        .map(|node| garbage_senders.contains(&node))
        .collect();
    let honest = (0..nodes).filter(|node| !garbage_senders.contains(node));
    Plan {
        phases: vec![0; mesh.edges().len()],
        starts: vec![0; garbage.len()],
        batches: honest
            .map(|voter| VoteBatch {
                voter,
                votes: 1,
                at: 0,
            })
            .collect(),
        ranks: (0..nodes).collect(),
        garbage,
        mesh,
    }
}

fn play(plan: &Plan, model: &Model, threshold: u32) -> Outcome {
    play_with(&COSTS, plan, model, threshold)
}

fn play_with(costs: &SchemeCosts, plan: &Plan, model: &Model, threshold: u32) -> Outcome {
    let round = Round {
        plan,
        model,
        costs,
        message: MESSAGE,
        sizes: SIZES,
        threshold,
    };
    round.run()
}

/// Four in a line, a millisecond apart; three votes make a proof; the second is the first to publish.
///
/// By hand, in nanoseconds. All vote at 0. A vote takes 100 through a connection, 10 for the engine and 1 000 to check.
/// Nodes 1 and 2 hear both neighbours at 1 000 000: the first vote is through at 1 000 100, looked at until 1 000 110
/// and checked at 1 001 110; the second waits for that and is checked at 1 002 110, which makes three with their own;
/// added up at 1 009 110. Nodes 0 and 3 get their third vote from there at 2 002 110, checked at 2 003 220, added up at
/// 2 010 220. Node 1 publishes; the others check its proof.
#[test]
fn a_small_round_is_what_adding_it_up_by_hand_gives() {
    let line = [
        (0, 1, MILLISECOND),
        (1, 2, MILLISECOND),
        (2, 3, MILLISECOND),
    ];
    let mut plan = plan(4, &line, &[]);
    plan.ranks = vec![1, 0, 2, 3];
    let outcome = play(&plan, &model(), 3);
    assert_eq!(outcome.first_proof, Some(1_009_110));
    assert_eq!(outcome.last_proof, Some(2_010_220));

    let (vote, proof) = (COSTS.vote + MESSAGE, COSTS.proof + 10 * MESSAGE);
    let node = |index, votes, cpu, sent, received, proof_at| NodeReport {
        index,
        cpu: cpu + COSTS.prepare + COSTS.aggregation,
        sent,
        received,
        votes,
        proof_at: Some(proof_at),
        ..outcome.nodes[usize::try_from(index).expect("an index")]
    };
    assert_eq!(
        outcome.nodes,
        [
            // Its vote; two votes and the proof.
            node(0, 3, 2 * vote + proof, 100, 1_200, 2_010_220),
            // Its vote twice, two votes on, the proof twice; the last vote comes too late to be sent on.
            node(1, 4, 3 * vote, 2_400, 300, 1_009_110),
            node(2, 4, 3 * vote + proof, 1_400, 1_300, 1_009_110),
            node(3, 3, 2 * vote + proof, 100, 1_200, 2_010_220),
        ]
    );
    // The second of two votes that come at once: a check, less the time it takes through the connection.
    assert_eq!(outcome.nodes[1].longest_wait, 1_000 - 100);
    // None came before its commitment was prepared, and none waited with another.
    let checks = |node: &NodeReport| (node.batched_votes, node.batches, node.strange_votes);
    let checks: Vec<_> = outcome.nodes.iter().map(checks).collect();
    assert_eq!(checks, [(2, 2, 0), (3, 3, 0), (3, 3, 0), (2, 2, 0)]);
    assert!(outcome.nodes.iter().all(|node| node.duplicates == 0));
}

fn random(nodes: u32, garbage: u32, seed: u64) -> Plan {
    Plan::new(&model(), nodes, garbage, seed).expect("a plan")
}

fn sum(outcome: &Outcome, figure: fn(&NodeReport) -> u64) -> u64 {
    outcome.nodes.iter().map(figure).sum()
}

#[test]
fn every_node_ends_with_all_votes_and_every_byte_that_is_sent_arrives() {
    for seed in 0..5 {
        let plan = random(60, 0, seed);
        let outcome = play(&plan, &flooding(), 60);
        assert!(outcome.nodes.iter().all(|node| node.votes == 60));
        assert_eq!(sum(&outcome, |it| it.sent), sum(&outcome, |it| it.received));
        // A message travels every edge but back to where a node has it from: all that is not new is a duplicate.
        let (nodes, edges) = (60, u64::try_from(plan.mesh.edges().len()).expect("a count"));
        let messages = nodes + 1; // The votes, and the one proof that is published.
        let duplicates = messages * (edges - 2 * (nodes - 1));
        assert_eq!(sum(&outcome, |it| it.duplicates), duplicates);
    }
}

#[test]
fn honest_nodes_among_garbage_senders_end_with_all_honest_votes() {
    let plan = random(90, 33, 3);
    let outcome = play(&plan, &flooding(), 61);
    assert_eq!(outcome.nodes.len(), 61);
    assert!(outcome.nodes.iter().all(|node| node.votes == 61));
}

#[test]
fn the_first_proof_takes_longer_the_further_nodes_are_apart() {
    let first_proof = |latency| {
        let model = Model {
            latency_median: latency * MILLISECOND,
            ..model()
        };
        let plan = Plan::new(&model, 100, 0, 1).expect("a plan");
        play(&plan, &model, 67)
            .first_proof
            .expect("a threshold votes")
    };
    let times = [10, 20, 50, 100, 150].map(first_proof);
    assert!(times.is_sorted_by(|near, far| near < far), "{times:?}");
}

#[test]
fn votes_that_are_sent_on_after_a_proof_are_of_use_to_nobody_and_stay() {
    let plan = random(60, 0, 1);
    let (all, two_thirds) = (play(&plan, &model(), 60), play(&plan, &model(), 40));
    assert!(sum(&two_thirds, |it| it.sent) < sum(&all, |it| it.sent));
    assert!(two_thirds.first_proof < all.first_proof);
}

/// GOSSIP-12.
#[test]
fn few_copies_make_the_proof_and_without_one_every_node_gets_all_votes() {
    let plan = random(200, 0, 1);
    let [few, all] = [model(), flooding()].map(|model| play(&plan, &model, 134));
    assert!(2 * sum(&few, |it| it.sent) < sum(&all, |it| it.sent));
    let late = |outcome: &Outcome| outcome.last_proof.expect("all have one");
    assert!(late(&few) < late(&all) + 100 * MILLISECOND);
    let unproven = play(&plan, &model(), 201);
    assert!(unproven.nodes.iter().all(|node| node.votes == 200));
}

#[test]
fn no_proof_is_made_of_too_few_votes() {
    let outcome = play(&random(30, 33, 1), &model(), 22);
    assert_eq!((outcome.first_proof, outcome.last_proof), (None, None));
}

/// A garbage sender at the end of a line.
fn beside_a_garbage_sender(model: &Model, threshold: u32) -> Outcome {
    let line = [
        (0, 1, MILLISECOND),
        (1, 2, MILLISECOND),
        (2, 3, MILLISECOND),
    ];
    play(&plan(4, &line, &[0]), model, threshold)
}

fn bad_votes(outcome: &Outcome) -> Vec<u64> {
    outcome.nodes.iter().map(|node| node.bad_votes).collect()
}

#[test]
fn a_garbage_sender_is_cut_off_by_its_hundred_and_first_bad_vote_and_none_is_sent_on() {
    let model = Model {
        garbage_rate: 100,
        ..model()
    };
    // No threshold is reached, so that nothing else ends the garbage.
    let outcome = beside_a_garbage_sender(&model, 4);
    let strikes = u64::try_from(STRIKES).expect("a count") + 1;
    assert_eq!(bad_votes(&outcome), [strikes, 0, 0]);
    assert_eq!((outcome.closed_links, outcome.garbage_links), (1, 1));
    let [first, ..] = outcome.nodes[..] else {
        panic!("three honest nodes")
    };
    assert_eq!(
        first.cpu,
        COSTS.prepare + strikes * (COSTS.bad_vote + MESSAGE) + 2 * (COSTS.vote + MESSAGE)
    );
    assert_eq!(first.received, strikes * 100 + 2 * 100);
}

#[test]
fn bad_votes_that_wait_when_their_sender_is_banned_are_not_checked() {
    let model = Model {
        garbage_rate: 1_000_000,
        ..model()
    };
    // Five come in the time that one check takes.
    let outcome = beside_a_garbage_sender(&model, 4);
    let strikes = u64::try_from(STRIKES).expect("a count") + 1;
    assert_eq!(bad_votes(&outcome), [strikes, 0, 0]);
    assert_eq!(outcome.closed_links, 1);
    let [first, ..] = outcome.nodes[..] else {
        panic!("three honest nodes")
    };
    // They came all the same, and were looked at.
    let received = first.received / 100;
    assert!((500..=520).contains(&received), "{received}");
    let good = 2;
    assert_eq!(
        first.cpu,
        COSTS.prepare + strikes * COSTS.bad_vote + good * COSTS.vote + received * MESSAGE
    );
}

#[test]
fn garbage_ends_with_the_round() {
    let model = Model {
        garbage_rate: 1_000,
        ..model()
    };
    let outcome = beside_a_garbage_sender(&model, 3);
    assert!(outcome.first_proof.is_some());
    assert!(bad_votes(&outcome)[0] < 10);
    assert_eq!(outcome.closed_links, 0);
}

#[test]
fn only_peers_of_garbage_senders_ever_see_a_bad_vote() {
    for (garbage, seed) in [(1, 1), (10, 2), (33, 3)] {
        let plan = random(100, garbage, seed);
        let outcome = play(&plan, &model(), 67);
        let is_garbage = |node: u32| plan.garbage[usize::try_from(node).expect("an index")];
        for node in &outcome.nodes {
            let mut edges = plan.mesh.edges().iter();
            let has_bad_peer = edges.any(|edge| edge.to == node.index && is_garbage(edge.from));
            assert!(has_bad_peer || node.bad_votes == 0, "node {}", node.index);
        }
        assert!(sum(&outcome, |it| it.bad_votes) > 0);
    }
}

/// Everybody is linked to the first node only.
fn star(nodes: u32) -> Plan {
    let links: Vec<_> = (1..nodes).map(|node| (0, node, MILLISECOND)).collect();
    plan(nodes, &links, &[])
}

#[test]
fn votes_that_wait_are_checked_together_and_nobody_waits_for_more() {
    let outcome = play(&star(21), &model(), 21);
    let [first, ..] = outcome.nodes[..] else {
        panic!("21 nodes")
    };
    // The first comes alone; while it is checked, all others but those of the last nanoseconds come.
    assert_eq!((first.votes, first.batched_votes), (21, 20));
    assert_eq!(first.batches, 3);
    let messages = 20 * MESSAGE;
    let one_by_one = COSTS.prepare + COSTS.aggregation + messages + 20 * COSTS.vote;
    assert!(first.cpu + 10 * COSTS.vote < one_by_one, "{}", first.cpu);
}

#[test]
fn votes_that_come_before_a_node_has_prepared_are_checked_alone_for_more() {
    let mut plan = plan(2, &[(0, 1, MILLISECOND)], &[]);
    plan.starts[1] = 5 * MILLISECOND;
    plan.batches[1].at = 5 * MILLISECOND;
    let outcome = play(&plan, &model(), 3);
    let [early, late] = outcome.nodes[..] else {
        panic!("two nodes")
    };
    assert_eq!((early.batched_votes, early.strange_votes), (1, 0));
    assert_eq!((late.batched_votes, late.strange_votes), (0, 1));
    assert_eq!(late.cpu - early.cpu, COSTS.strange_vote - COSTS.vote);
}

#[test]
fn more_threads_are_done_sooner_for_the_same_work() {
    // Batches gain nothing, so that only threads do.
    let costs = SchemeCosts {
        vote: MILLISECOND,
        in_batch: [MILLISECOND; 4],
        ..COSTS
    };
    let play = |threads| {
        let model = Model { threads, ..model() };
        play_with(&costs, &star(41), &model, 41)
    };
    let (one, four) = (play(1), play(4));
    assert_eq!(one.nodes[0].cpu, four.nodes[0].cpu);
    assert!(four.first_proof.expect("a proof") * 2 < one.first_proof.expect("a proof"));
}

#[test]
fn what_a_full_link_cannot_take_waits_and_is_not_sent_when_it_is_not_needed_any_more() {
    let play = |window| {
        let model = Model {
            window,
            ..flooding()
        };
        play(&random(60, 0, 1), &model, 60)
    };
    let (wide, narrow) = (play(1_000_000), play(250));
    assert!(narrow.first_proof > wide.first_proof && narrow.last_proof.is_some());
    let duplicates = |outcome: &Outcome| sum(outcome, |it| it.duplicates);
    assert!(duplicates(&narrow) < duplicates(&wide));
}

#[test]
fn votes_that_find_no_room_are_dropped_and_counted() {
    let mut plan = star(21);
    for batch in &mut plan.batches {
        batch.votes = 1_000;
    }
    let slow = SchemeCosts {
        vote: MILLISECOND,
        in_batch: [MILLISECOND; 4],
        ..COSTS
    };
    let outcome = play_with(&slow, &plan, &model(), 21_000);
    let [first, ..] = outcome.nodes[..] else {
        panic!("21 nodes")
    };
    // Twenty thousand come at once; 16 384 may wait, and one batch that begins below that.
    assert_eq!((first.votes, first.dropped_votes), (18_000, 3_000));
    assert_eq!(outcome.first_proof, None);
}
