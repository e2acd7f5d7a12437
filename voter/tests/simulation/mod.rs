//! A network of voters in virtual time. Everything that happens follows from the seed; a failure
//! names it.
//!
//! Each node has a chain that GRANDPA finalizes, a disk that survives crashes, a filter and a
//! voter. The host in `node` carries out effects one by one, so that it can lose power between any
//! two of them.

#![allow(dead_code, reason = "each test binary uses its part of the simulation")]

pub(crate) mod adversaries;
pub(crate) mod chain;
pub(crate) mod crypto;
pub(crate) mod judge;
pub(crate) mod network;
pub(crate) mod node;

use adversaries::{Adversary, Kind, View};
use chain::Chain;
use duet_primitives::{BlockNumber, UncheckedJustification, UncheckedVote};
use duet_voter::{Config, Event, Millis};
use judge::Judge;
use network::{Conditions, Network};
use node::Node;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use std::{
    ops::Range,
    panic::{self, AssertUnwindSafe},
    sync::Arc,
};

/// Position of a node; also the number of its key in the test keyring.
pub(crate) type NodeId = usize;

/// Time between two blocks.
pub(crate) const BLOCK_TIME: Millis = 1_000;

/// For how long a run goes on with a good network even when all is proven.
const AFTERMATH: Millis = 8_000;

/// What nodes send each other.
#[derive(Clone, Debug)]
pub(crate) enum Message {
    Vote(UncheckedVote),
    Proof(UncheckedJustification),
    Request { first_set: u64 },
    Response(Vec<UncheckedJustification>),
}

/// Something that is going to happen.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Deliver {
        from: NodeId,
        to: NodeId,
        message: Arc<Message>,
    },
    /// An answer of a node's own host; lost when the node crashes in between.
    Answer {
        to: NodeId,
        epoch: u64,
        event: Box<Event>,
    },
    Wake {
        to: NodeId,
        epoch: u64,
        at: Millis,
    },
    Grandpa {
        to: NodeId,
        number: BlockNumber,
    },
    Crash {
        node: NodeId,
    },
    Restart {
        node: NodeId,
    },
    Act {
        node: NodeId,
    },
}

/// What to play through.
#[derive(Clone)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    /// Members of each set, by their numbers in the keyring.
    pub(crate) sets: Vec<Vec<u64>>,
    /// Blocks from a set's first to its mandatory one, over and over.
    pub(crate) gaps: Vec<u32>,
    /// Blocks from a mandatory one to the next set's first.
    pub(crate) session: u32,
    /// Positions of the sets that a reset starts.
    pub(crate) resets: Vec<usize>,
    /// Blocks after the last set's first.
    pub(crate) tail: u32,
    pub(crate) conditions: Conditions,
    pub(crate) degree: usize,
    /// How many crashes at random times.
    pub(crate) crashes: u64,
    /// A node and the effect of its life before which it loses power.
    pub(crate) crash_before_effect: Option<(NodeId, u64)>,
    /// A node whose chain is reorganised at each restart: it says something else then.
    pub(crate) reorging: Option<NodeId>,
    pub(crate) adversaries: Vec<(NodeId, Kind)>,
    /// Nodes that start when everything is finalized.
    pub(crate) late: Vec<NodeId>,
    /// How many of the last blocks may stay unproven.
    pub(crate) slack: u32,
    /// How long the network is calm at the end.
    pub(crate) calm: Millis,
    pub(crate) config: Config,
}

impl Scenario {
    /// One set of `n`, a good network, nobody misbehaves.
    pub(crate) fn new(name: &'static str, n: u64) -> Self {
        Self {
            name,
            sets: vec![(0..n).collect()],
            gaps: vec![4],
            session: 4,
            resets: Vec::new(),
            tail: 10,
            conditions: Conditions::GOOD,
            degree: 8,
            crashes: 0,
            crash_before_effect: None,
            reorging: None,
            adversaries: Vec::new(),
            late: Vec::new(),
            slack: 0,
            calm: 120_000,
            config: Config {
                publish_step: 200,
                rebroadcast: 5_000,
                retry: 1_500,
                lookahead: 32,
                ..Config::default()
            },
        }
    }

    /// `changes` set changes: each replaces one member by a new one.
    pub(crate) fn with_changes(mut self, changes: u64) -> Self {
        let first = self.sets.first().cloned().unwrap_or_default();
        let n = first.len() as u64;
        self.sets = (0..=changes)
            .map(|shift| (shift..n + shift).collect())
            .collect();
        self
    }

    fn nodes(&self) -> usize {
        self.sets
            .iter()
            .flatten()
            .max()
            .map_or(0, |max| 1 + usize::try_from(*max).expect("small"))
    }

    /// Plays the scenario for one seed and judges it.
    ///
    /// # Panics
    /// With the seed in the message, when anything that must not happen does.
    pub(crate) fn play(&self, seed: u64) -> Outcome {
        match panic::catch_unwind(AssertUnwindSafe(|| World::new(self.clone(), seed).run())) {
            Ok(outcome) => outcome,
            Err(cause) => {
                let text = cause.downcast_ref::<String>().cloned();
                let text = text.or(cause.downcast_ref::<&str>().map(|text| (*text).to_owned()));
                panic!(
                    "scenario `{}` fails with seed {seed}: {}\nagain with DUET_SIM_SEED={seed}",
                    self.name,
                    text.unwrap_or_default(),
                );
            }
        }
    }
}

/// The seeds to play: those given, or the one in `DUET_SIM_SEED`.
pub(crate) fn seeds(range: Range<u64>) -> Vec<u64> {
    match std::env::var("DUET_SIM_SEED") {
        Ok(seed) => vec![seed.parse().expect("DUET_SIM_SEED is a number")],
        Err(_) => range.collect(),
    }
}

/// What is left when a scenario has been played.
pub(crate) struct Outcome {
    pub(crate) judge: Judge,
    pub(crate) nodes: Vec<Actor>,
    pub(crate) height: BlockNumber,
}

impl Outcome {
    pub(crate) fn honest(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter_map(|actor| match actor {
            Actor::Honest(node) => Some(node.as_ref()),
            Actor::Adversary(_) => None,
        })
    }
}

pub(crate) enum Actor {
    Honest(Box<Node>),
    Adversary(Box<dyn Adversary>),
}

/// A number below `bound`; zero when there is none.
pub(crate) fn below(rng: &mut ChaCha8Rng, bound: u64) -> u64 {
    rng.next_u64() % bound.max(1)
}

/// A position below `len`; zero when there is none.
pub(crate) fn pick(rng: &mut ChaCha8Rng, len: usize) -> usize {
    usize::try_from(below(rng, len as u64)).unwrap_or_default()
}

pub(crate) struct World {
    scenario: Scenario,
    rng: ChaCha8Rng,
    chain: Arc<Chain>,
    network: Network,
    actors: Vec<Actor>,
    judge: Judge,
    now: Millis,
    finalized: BlockNumber,
}

impl World {
    fn new(scenario: Scenario, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let chain = Chain::new(
            &scenario.sets,
            &scenario.gaps,
            (scenario.session, scenario.tail),
            &scenario.resets,
        );
        let chain = Arc::new(chain);
        let nodes = scenario.nodes();
        let bad = |id: NodeId| scenario.adversaries.iter().find(|(node, _)| *node == id);
        let actors: Vec<_> = (0..nodes)
            .map(|id| match bad(id) {
                Some((_, kind)) => Actor::Adversary(adversaries::make(*kind, id)),
                None => Actor::Honest(Box::new(Node::new(id, &chain, &scenario))),
            })
            .collect();
        let honest: Vec<_> = (0..nodes).filter(|id| bad(*id).is_none()).collect();
        let network = Network::new(
            nodes,
            &honest,
            scenario.degree,
            scenario.conditions,
            &mut rng,
        );
        let judge = Judge::new(chain.clone(), honest);
        Self {
            scenario,
            rng,
            chain,
            network,
            actors,
            judge,
            now: 0,
            finalized: BlockNumber::new(0),
        }
    }

    fn run(mut self) -> Outcome {
        let height = self.chain.height;
        let rough = BLOCK_TIME * Millis::from(height.get() + 2);
        self.plan(rough);
        let end = rough + self.scenario.calm;
        let (expected, reorging) = (
            BlockNumber::new(height.get().saturating_sub(self.scenario.slack)),
            self.scenario.reorging,
        );
        while let Some((at, item)) = self.network.next() {
            // A while after everything is done nothing new happens.
            if at > end || at > rough + AFTERMATH && self.judge.is_done(expected, reorging) {
                break;
            }
            if at >= rough {
                self.network.calm();
            }
            self.now = at;
            self.happen(item);
        }
        for actor in &self.actors {
            if let Actor::Honest(node) = actor {
                node.check_memory(&self.judge);
            }
        }
        self.judge.finish(expected, reorging);
        Outcome {
            judge: self.judge,
            nodes: self.actors,
            height,
        }
    }

    /// Everything that does not depend on what nodes do: GRANDPA, crashes, adversaries' turns.
    fn plan(&mut self, rough: Millis) {
        let height = self.chain.height;
        for id in 0..self.actors.len() {
            if self.scenario.late.contains(&id) {
                self.network.at(
                    rough,
                    Item::Grandpa {
                        to: id,
                        number: height,
                    },
                );
                continue;
            }
            let mut number = 0;
            while number < height.get() {
                // Now and then GRANDPA finalizes several blocks at once for a node.
                number = (number + 1 + u32::from(below(&mut self.rng, 5) > 2)).min(height.get());
                let delay = below(&mut self.rng, self.scenario.conditions.delay.1 + 1);
                self.network.at(
                    Millis::from(number) * BLOCK_TIME + delay,
                    Item::Grandpa {
                        to: id,
                        number: BlockNumber::new(number),
                    },
                );
            }
        }
        for (id, _) in self.scenario.adversaries.clone() {
            self.network.at(1, Item::Act { node: id });
        }
        for _ in 0..self.scenario.crashes {
            let node = pick(&mut self.rng, self.actors.len());
            let at = below(&mut self.rng, rough);
            self.network.at(at, Item::Crash { node });
        }
    }

    fn happen(&mut self, item: Item) {
        match item {
            Item::Deliver { from, to, message } => self.deliver(from, to, &message),
            Item::Answer { to, epoch, event } => {
                if self.node(to).is_some_and(|node| node.epoch == epoch) {
                    self.feed(to, *event);
                }
            }
            Item::Wake { to, epoch, at } => {
                if self
                    .node(to)
                    .is_some_and(|node| node.epoch == epoch && node.wake_at == Some(at))
                {
                    self.feed(to, Event::Tick);
                }
            }
            Item::Grandpa { to, number } => {
                self.finalized = self.finalized.max(number);
                self.grandpa(to, number);
            }
            Item::Crash { node } => self.crash(node),
            Item::Restart { node } => self.start(node),
            Item::Act { node } => self.act(node),
        }
    }

    fn deliver(&mut self, from: NodeId, to: NodeId, message: &Arc<Message>) {
        match self.actors.get_mut(to) {
            Some(Actor::Honest(_)) => self.receive(from, to, message),
            Some(Actor::Adversary(adversary)) => adversary.hear(message),
            None => {}
        }
    }

    fn act(&mut self, id: NodeId) {
        let Some(Actor::Adversary(adversary)) = self.actors.get_mut(id) else {
            return;
        };
        let view = View {
            id,
            finalized: self.finalized,
            chain: self.chain.as_ref(),
            peers: self.network.peers(id),
        };
        let sent = adversary.act(&view, &mut self.rng);
        for (to, message) in sent {
            self.network
                .send(self.now, id, to, &Arc::new(message), &mut self.rng);
        }
        self.network.at(self.now + 400, Item::Act { node: id });
    }

    fn node(&self, id: NodeId) -> Option<&Node> {
        match self.actors.get(id) {
            Some(Actor::Honest(node)) => Some(node),
            _ => None,
        }
    }

    fn node_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        match self.actors.get_mut(id) {
            Some(Actor::Honest(node)) => Some(node),
            _ => None,
        }
    }
}
