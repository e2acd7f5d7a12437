//! What to play through: who takes part, what the chain does, and what goes wrong.

use super::{
    adversaries::Kind,
    campaign,
    network::Conditions,
    world::{Outcome, World},
    NodeId,
};
use duet_primitives::VotingRules;
use duet_voter::{Config, Millis};
use std::{
    ops::Range,
    panic::{self, AssertUnwindSafe},
};

/// What to play through.
#[derive(Clone, Debug)]
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
    /// Positions of sets that stay for one more session, because too few of those elected have keys. (CHAIN-6)
    pub(crate) kept: Vec<usize>,
    /// How many nodes have no key in any set.
    pub(crate) keyless: usize,
    /// Blocks that GRANDPA finalizes only with the first one behind them.
    pub(crate) stalls: Vec<Range<u32>>,
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
    /// How the sets vote, in turn: their least distance. (ROUND-11)
    pub(crate) min_deltas: Vec<u32>,
    /// How long the network is calm at the end.
    pub(crate) calm: Millis,
    pub(crate) config: Config,
    /// Whether each node has steps and waits of its own. (ROUND-11)
    pub(crate) mixed: bool,
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
            kept: Vec::new(),
            keyless: 0,
            stalls: Vec::new(),
            tail: 10,
            conditions: Conditions::GOOD,
            degree: 8,
            crashes: 0,
            crash_before_effect: None,
            reorging: None,
            adversaries: Vec::new(),
            late: Vec::new(),
            min_deltas: vec![1],
            calm: 120_000,
            config: Config {
                publish_step: 200,
                rebroadcast: 5_000,
                retry: 1_500,
                lookahead: 32,
                ..Config::default()
            },
            mixed: false,
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

    pub(super) fn nodes(&self) -> usize {
        let members = self.sets.iter().flatten().max();
        self.keyless + members.map_or(0, |max| 1 + usize::try_from(*max).expect("small"))
    }

    /// Blocks from each set's first to its mandatory one. A set that is kept has no log that says so: its era is longer.
    pub(super) fn gaps(&self) -> Vec<u32> {
        let gap = |set: usize| {
            let sessions: u32 = self.kept.iter().map(|kept| u32::from(*kept == set)).sum();
            self.gaps[set % self.gaps.len()] + self.session * sessions
        };
        (0..self.sets.len()).map(gap).collect()
    }

    /// What a node is run with.
    pub(super) fn config_of(&self, node: NodeId) -> Config {
        let mut config = self.config.clone();
        if self.mixed {
            let id = node as Millis;
            config.publish_step += 70 * id;
            config.grace += 130 * id;
            config.grow_step += 110 * id;
            config.retry += 190 * id;
            config.rebroadcast += 310 * id;
        }
        config
    }

    /// How each set votes.
    pub(super) fn rules(&self) -> impl Iterator<Item = VotingRules> + '_ {
        let deltas = self.min_deltas.iter().copied().cycle();
        deltas.map(VotingRules::with_min_delta)
    }

    pub(super) fn is_stalled(&self, block: u32) -> bool {
        self.stalls.iter().any(|stall| stall.contains(&block))
    }

    pub(super) fn colluders(&self) -> Vec<NodeId> {
        let colluders = self
            .adversaries
            .iter()
            .filter(|(_, kind)| *kind == Kind::Colluder);
        colluders.map(|(id, _)| *id).collect()
    }

    pub(super) fn has_coalition(&self) -> bool {
        !self.colluders().is_empty()
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
                    "scenario `{}` fails with seed {seed}: {}\n{self:?}\nagain with {}",
                    self.name,
                    text.unwrap_or_default(),
                    again(self.name, seed),
                );
            }
        }
    }
}

/// How to play it again.
fn again(name: &str, seed: u64) -> String {
    if name == campaign::NAME {
        let end = seed + 1;
        format!("DUET_SEEDS={seed}..{end} cargo test -p duet-voter --test networks campaign")
    } else {
        format!("DUET_SIM_SEED={seed} cargo test -p duet-voter")
    }
}
