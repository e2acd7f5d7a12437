//! An hour without a quorum, in virtual time: the nodes' stored and sent data does not grow with it.

use crate::testing::{
    nodes::{Net, Node},
    TestBlock,
};
use duet_primitives::testing::{secret, TestSet};

/// The time between two blocks.
const SLOT: u64 = 6_000;
const BLOCKS_A_MINUTE: u64 = 60_000 / SLOT;
const MINUTES: u64 = 60;
/// Each message goes from each of three nodes to another one, twice a minute.
const SENDS_A_MINUTE: u64 = 6;

/// The three votes on the newest block, and its proof.
const AFTERWARDS: u64 = 4;

fn kept(node: &Node) -> u64 {
    node.metric("substrate_duet_messages_kept")
}

/// Two of four vote, and a third node relays.
struct Stall {
    net: Net,
    set: TestSet,
    nodes: Vec<Node>,
}

impl Stall {
    fn begin() -> Self {
        let set = TestSet::new(0, 0..4);
        let net = Net::new(TestBlock::new(&set, &set, &[]));
        let voter = |secret: &_| net.start(Clone::clone(secret), true);
        let mut nodes: Vec<_> = set.secrets[..2].iter().map(voter).collect();
        nodes.push(net.start(secret(77), false));
        Self { net, set, nodes }
    }

    fn minute(&mut self) -> Minute {
        let before = self.net.hub.delivered();
        for _ in 0..BLOCKS_A_MINUTE {
            let block = TestBlock::new(&self.set, &self.set, &[]);
            self.net.push(&self.nodes, block);
            self.net.pass(SLOT);
        }
        Minute {
            sent: self.net.hub.delivered() - before,
            kept: self.nodes.iter().map(kept).collect(),
        }
    }
}

/// The figures of a minute.
struct Minute {
    /// Notifications between all nodes.
    sent: u64,
    /// The number of messages kept by each node at the end.
    kept: Vec<u64>,
}

/// Two of the four validators vote on a block, then on one that is twice as far away, and so on (ROUND-3).
fn votes_of_a_stall(blocks: u64) -> u64 {
    2 * u64::from(blocks.ilog2() + 1)
}

#[test]
fn an_hour_without_a_quorum_costs_what_its_few_votes_cost_and_ends_with_the_next_one() {
    let mut stall = Stall::begin();
    for minute in 1..=MINUTES {
        let Minute { sent, kept } = stall.minute();
        let votes = votes_of_a_stall(minute * BLOCKS_A_MINUTE);
        assert_eq!(kept, [votes; 3], "minute {minute}: each vote is kept once");
        // What is new goes at once, and again with the next repetition.
        let most = SENDS_A_MINUTE * (votes + 1);
        assert!(
            sent <= most,
            "minute {minute}: {sent} sends for {votes} votes"
        );
    }

    let Stall {
        net,
        set,
        mut nodes,
    } = stall;
    assert!(nodes.iter().all(|node| node.best().is_none()));
    nodes.push(net.start(set.secrets[2].clone(), true));
    let newest = u32::try_from(net.blocks.len() - 1).unwrap();
    net.eventually("the newest block is proven", || {
        nodes.iter().all(|node| node.best() >= Some(newest))
    });
    net.eventually("the votes of the stall are forgotten", || {
        nodes.iter().all(|node| kept(node) <= AFTERWARDS)
    });
    for node in &mut nodes {
        net.stop(node);
    }
}
