//! The queue of what happens to whom, and everything that does not depend on what nodes do.

use super::{
    adversaries::{self, Adversary, View},
    below,
    chain::Chain,
    crypto,
    judge::{Judge, Premises},
    network::Network,
    node::Node,
    pick,
    scenario::Scenario,
    watch::WATCH,
    Item, Message, NodeId, BLOCK_TIME,
};
use duet_primitives::{BlockNumber, UncheckedVote};
use duet_voter::{Event, Millis};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use std::sync::Arc;

/// For how long a run goes on with a good network even when all is proven.
const AFTERMATH: Millis = 8_000;

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

pub(crate) struct World {
    pub(super) scenario: Scenario,
    pub(super) rng: ChaCha8Rng,
    pub(super) chain: Arc<Chain>,
    pub(super) network: Network,
    pub(super) actors: Vec<Actor>,
    pub(super) judge: Judge,
    pub(super) now: Millis,
    finalized: BlockNumber,
}

impl World {
    pub(super) fn new(scenario: Scenario, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let chain = Chain::new(
            &scenario.sets,
            &scenario.gaps(),
            (scenario.session, scenario.tail),
            &scenario.resets,
        );
        let chain = Arc::new(chain.voting_by(scenario.rules()));
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
        let premises = Premises {
            reorging: scenario.reorging,
            coalition: scenario.has_coalition(),
            lookahead: scenario.config.lookahead,
            rounds_per_signer: scenario.config.rounds_per_signer,
        };
        let judge = Judge::assuming(premises, chain.clone(), honest);
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

    pub(super) fn run(mut self) -> Outcome {
        let height = self.chain.height;
        let rough = BLOCK_TIME * Millis::from(height.get() + 2);
        self.plan(rough);
        let end = rough + self.scenario.calm;
        // The last blocks have no block that is voted on so far above them. (ROUND-3)
        let last = self.chain.era_at(height).rules.min_delta;
        let expected = BlockNumber::new((height.get() + 1).saturating_sub(last));
        let reorging = self.scenario.reorging;
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
        for id in 0..self.actors.len() {
            self.compare_votes(id);
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

    /// The best block of the chain, which goes on when GRANDPA does not.
    pub(super) fn best(&self) -> BlockNumber {
        let produced = u32::try_from(self.now / BLOCK_TIME).unwrap_or(u32::MAX);
        self.chain.height.min(BlockNumber::new(produced))
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
                if number < height.get() && self.scenario.is_stalled(number) {
                    continue;
                }
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
        for node in 0..self.actors.len() {
            self.network.at(WATCH, Item::Watch { node });
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
            Item::Watch { node } => self.watch(node),
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
        let best = self.best();
        let Some(Actor::Adversary(adversary)) = self.actors.get_mut(id) else {
            return;
        };
        let view = View {
            id,
            finalized: self.finalized,
            chain: self.chain.as_ref(),
            peers: self.network.peers(id),
            best,
            colluders: &self.scenario.colluders(),
            lookahead: self.scenario.config.lookahead,
        };
        let sent = adversary.act(&view, &mut self.rng);
        for (to, message) in sent {
            match message.as_ref() {
                Message::Vote(vote) if is_own(&self.chain, id, vote) => self.judge.voted(vote),
                Message::Proof(proof) => self.judge.colluded(proof, &self.scenario.colluders()),
                _ => {}
            }
            self.network.send(self.now, id, to, &message, &mut self.rng);
        }
        self.network.at(self.now + 400, Item::Act { node: id });
    }

    pub(super) fn node(&self, id: NodeId) -> Option<&Node> {
        match self.actors.get(id) {
            Some(Actor::Honest(node)) => Some(node),
            _ => None,
        }
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        match self.actors.get_mut(id) {
            Some(Actor::Honest(node)) => Some(node),
            _ => None,
        }
    }
}

/// Whether an adversary votes in its own name.
fn is_own(chain: &Chain, id: NodeId, vote: &UncheckedVote) -> bool {
    let era = chain.era(vote.commitment.validator_set_id);
    let own = era.and_then(|era| era.set.set.keyset().position(&crypto::key(id)));
    own == Some(vote.signer)
}
