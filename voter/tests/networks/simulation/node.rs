//! One node: its chain, its disk, its filter and its voter.

use super::{chain::Chain, crypto, judge::Judge, scenario::Scenario, NodeId};
use duet_primitives::{BlockNumber, Justification, SetId, UncheckedJustification};
use duet_voter::{Config, Filter, Millis, State, Voter};
use std::collections::BTreeMap;

pub(crate) struct Node {
    pub(crate) id: NodeId,
    /// Grows with every crash.
    pub(crate) epoch: u64,
    pub(crate) wake_at: Option<Millis>,
    pub(crate) running: Option<Running>,
    pub(super) disk: Disk,
    pub(super) config: Config,
    /// What GRANDPA finalized here; the chain's database survives crashes.
    pub(super) grandpa: BlockNumber,
    pub(super) effects: u64,
    members: usize,
}

/// What a crash takes away.
pub(crate) struct Running {
    pub(crate) voter: Voter,
    pub(crate) filter: Filter,
    /// Valid proofs of blocks that are not final here yet.
    pub(super) waiting: Vec<Justification>,
}

/// What a crash leaves.
#[derive(Default)]
pub(super) struct Disk {
    pub(super) state: Option<Vec<u8>>,
    first: Option<State>,
    pub(super) handoffs: BTreeMap<SetId, UncheckedJustification>,
    /// Valid proofs that contradict this node's chain. (ROUND-10)
    pub(super) contradictions: Vec<UncheckedJustification>,
}

impl Node {
    pub(crate) fn new(id: NodeId, chain: &Chain, scenario: &Scenario) -> Self {
        let first = State::new(
            chain.eras[0].set.set.commitment().clone(),
            BlockNumber::new(1),
        )
        .with_rules(chain.eras[0].rules);
        let disk = Disk {
            first: Some(first),
            ..Disk::default()
        };
        let config = scenario.config_of(id);
        let mut node = Self {
            id,
            epoch: 0,
            wake_at: None,
            running: None,
            disk,
            config,
            grandpa: BlockNumber::new(0),
            effects: 0,
            members: chain
                .eras
                .iter()
                .map(|era| era.set.secrets.len())
                .max()
                .unwrap_or(0),
        };
        node.boot();
        node
    }

    pub(super) fn boot(&mut self) {
        let stored = self.disk.state.as_deref().map(State::from_bytes);
        let state = stored.map(|state| state.expect("what was stored can be read"));
        let state = state
            .or(self.disk.first.clone())
            .expect("every node has a first state");
        let key = crypto::key(self.id);
        let filter = Filter::new(self.config.rounds_per_signer);
        let voter = Voter::new(self.config.clone(), state, vec![key]);
        self.running = Some(Running {
            voter,
            filter,
            waiting: Vec::new(),
        });
    }

    /// How many effects it carried out in all its lives.
    pub(crate) fn effects(&self) -> u64 {
        self.effects
    }

    /// How many signed each handoff proof that it stores.
    pub(crate) fn handoff_signers(&self) -> Vec<u32> {
        let handoffs = self.disk.handoffs.values();
        handoffs.map(|proof| proof.signers.count()).collect()
    }

    pub(crate) fn voter(&self) -> &Voter {
        &self.running.as_ref().expect("the node runs").voter
    }

    /// GOSSIP-7 and ROUND-7: nothing piles up.
    pub(crate) fn check_memory(&self, judge: &Judge) {
        let Some(Running { voter, filter, .. }) = &self.running else {
            return;
        };
        let bound = self.members * self.config.rounds_per_signer * 2;
        judge.require(voter.votes_held() <= bound, || {
            format!("node {} holds too many votes", self.id)
        });
        judge.require(filter.votes_held() <= bound + 16 * self.members, || {
            format!("the filter of node {} holds too many votes", self.id)
        });
        judge.require(
            voter.justifications_held() <= self.config.max_justifications,
            || format!("node {} holds too many justifications", self.id),
        );
    }
}
