//! Validators, their chain and their network as a state machine for the checker.
//!
//! The state has numbers of validators' states, which [`Shared`] keeps. A step of one validator is computed once by
//! the real code, and found again in every state of the others.
//!
//! Light clients do not act on validators, and what they are sent never disappears. So they need no place in the
//! state: for each state, [`clients`] visits everything that a client can come to from what exists
//! there.

use crate::{
    bounds::{Bounds, Goal},
    chain::{Call, Chain},
    clients, evidence,
    keys::{keys_of, owner, Mask, VALIDATORS},
    mutant::Mutant,
    node::NodeEvent,
    settle,
    shared::Shared,
    state::{Action, Failed, Global, NodeId},
};
use stateright::{Model, Property};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The model within bounds, with at most one broken rule.
pub struct Duet {
    /// The bounds.
    pub bounds: Bounds,
    /// The broken rule.
    pub mutant: Option<Mutant>,
    /// Whether states that differ only by the names of honest validators are one.
    pub symmetry: bool,
    shared: Mutex<Shared>,
    failed: Failed,
}

impl Duet {
    /// The model.
    pub fn new(bounds: Bounds, mutant: Option<Mutant>, symmetry: bool) -> Self {
        Self {
            shared: Mutex::new(Shared::new(bounds, mutant)),
            failed: Failed::default(),
            bounds,
            mutant,
            symmetry,
        }
    }

    /// What all states share.
    pub fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The event of a validator in an action, if it is one.
    fn event(
        &self,
        state: &Global,
        action: &Action,
        shared: &mut Shared,
    ) -> Option<(usize, NodeEvent)> {
        let next = |node: usize, shared: &Shared| {
            let node = shared.node(state.nodes[node]);
            match node.chain().is_start_of(&state.chain) {
                true => state.chain.up_to(node.height() + 1),
                false => node.chain().with(Call::Nothing),
            }
        };
        Some(match *action {
            Action::Finalize(node) => (node, NodeEvent::Finalize(next(node, shared))),
            Action::FinalizeFork(node) => {
                let parent = next(node, shared).parent()?;
                (
                    node,
                    NodeEvent::Finalize(parent.with_fork(Call::Nothing, FORK)),
                )
            }
            Action::Sign(node) => (node, NodeEvent::Sign),
            Action::SignAndCrash(node) => (node, NodeEvent::SignAndCrash),
            Action::Votes(node, id) => {
                let votes = shared.available(&state.sent, id);
                (node, NodeEvent::Votes(id, votes))
            }
            Action::Proof(node, id) => {
                let signers = shared.signers(&state.sent, id);
                (node, NodeEvent::Proof(id, signers))
            }
            Action::Crash(node) => (node, NodeEvent::Crash),
            Action::PowerCut(node) => (node, NodeEvent::PowerCut),
            Action::LoseAll(node) => (node, NodeEvent::LoseAll(state.chain.height())),
            Action::Author(_) | Action::Restore => return None,
        })
    }

    /// The state after an action, by the real code.
    pub fn step(&self, before: &Global, action: &Action, shared: &mut Shared) -> Option<Global> {
        let mut state = before.clone();
        state.left.spend(action);
        match action {
            Action::Author(call) => {
                let fork = u8::from(state.lost.is_some());
                state.chain = state.chain.with_fork(*call, fork);
            }
            Action::Restore => {
                let height = self.bounds.restores_to?;
                state.lost = Some(state.chain.clone());
                state.chain = state.chain.up_to(height);
                for place in 0..state.nodes.len() {
                    shared.happen(&mut state, place, NodeEvent::Restore);
                }
            }
            _ => {
                let (node, event) = self.event(before, action, shared)?;
                shared.happen(&mut state, node, event);
                while self.bounds.signs_at_once && shared.node(state.nodes[node]).wants_to_sign() {
                    shared.happen(&mut state, node, NodeEvent::Sign);
                }
            }
        }
        (state != *before).then_some(state)
    }
}

/// The fork of blocks that GRANDPA never finalizes.
const FORK: u8 = 9;

impl Model for Duet {
    type State = Global;
    type Action = Action;

    fn init_states(&self) -> Vec<Global> {
        let mut shared = self.shared();
        let honest = VALIDATORS - self.bounds.byzantine;
        let nodes = (0..honest).map(|validator| shared.first(validator));
        vec![Global {
            nodes: nodes.collect(),
            chain: Chain::default(),
            lost: None,
            sent: vec![],
            left: self.bounds.left,
        }]
    }

    fn actions(&self, state: &Global, actions: &mut Vec<Action>) {
        let mut shared = self.shared();
        let shared = &mut *shared;
        let is_near =
            |id: &NodeId| shared.node(*id).height() + self.bounds.lag > state.chain.height();
        if state.chain.height() < self.bounds.height && state.nodes.iter().all(is_near) {
            let calls = self.calls(state, shared);
            actions.extend(calls.into_iter().map(Action::Author));
        }
        let statements = shared.known_statements(state);
        for (place, id) in state.nodes.iter().enumerate() {
            let node = shared.node(*id);
            let (height, proven) = (node.height(), node.proven());
            if height < state.chain.height() {
                actions.push(Action::Finalize(place));
            }
            let forks = match self.bounds.splits {
                true => height == 0 && state.chain.height() > 0,
                false => self.mutant == Some(Mutant::VoteBeforeGrandpa),
            };
            if forks && height < self.bounds.height {
                actions.push(Action::FinalizeFork(place));
            }
            if node.wants_to_sign() {
                actions.push(Action::Sign(place));
                actions.extend((state.left.crashes > 0).then_some(Action::SignAndCrash(place)));
            }
            if height > 0 {
                actions.extend((state.left.crashes > 0).then_some(Action::Crash(place)));
                actions.extend((state.left.power_cuts > 0).then_some(Action::PowerCut(place)));
                let is_blind = self.mutant == Some(Mutant::LossForgotten);
                if state.left.losses > 0 && (is_blind || self.may_lose(state, place, shared)) {
                    actions.push(Action::LoseAll(place));
                }
            }
            for id in &statements {
                let number = shared.world.statement(*id).number();
                let votes = shared.available(&state.sent, *id);
                if number <= proven || votes == 0 {
                    continue;
                }
                let proof = shared.world.proof(*id, votes);
                if self.bounds.single_votes {
                    actions.push(Action::Votes(place, *id));
                }
                let is_early = self.mutant == Some(Mutant::ComparedEarly);
                if proof.is_some() && (number <= height || is_early) {
                    actions.push(Action::Proof(place, *id));
                }
            }
        }
        let restores = self.bounds.restores_to.filter(|_| state.left.restores > 0);
        if restores.is_some_and(|height| height < state.chain.height()) {
            actions.push(Action::Restore);
        }
    }

    fn next_state(&self, before: &Global, action: Action) -> Option<Global> {
        let mut shared = self.shared();
        let state = self.step(before, &action, &mut shared)?;
        Some(match self.symmetry {
            true => shared.representative(state),
            false => state,
        })
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let mut all = vec![
            Property::always(SAFE, |model: &Self, state| model.holds(SAFE, state)),
            Property::always(HONEST, |model: &Self, state| model.holds(HONEST, state)),
            Property::always(AGREES, |model: &Self, state| model.holds(AGREES, state)),
            Property::always(GOES_ON, |model: &Self, state| model.holds(GOES_ON, state)),
        ];
        all.extend(self.bounds.reaches.iter().map(|goal| reaches(*goal)));
        all
    }
}

/// The property of light clients. (LIGHT-5, ROUND-1, FALSE-3)
pub const SAFE: &str =
    "a client accepts only final blocks, unless more than a third is convictable";
/// The property of honest validators. (ROUND-1, ROUND-4, EQV-2, FALSE-4)
pub const HONEST: &str = "no honest validator is convictable";
/// The property of nodes. (ROUND-1, ROUND-10)
pub const AGREES: &str = "no honest node meets a proof that contradicts its chain";
/// The property of progress. (ROUND-2, ROUND-3, ROUND-5, ROUND-6, LIGHT-5, RESET-1, RESET-4)
pub const GOES_ON: &str = "after the last fault the sets go on, and clients become level";

impl Duet {
    fn holds(&self, property: &'static str, state: &Global) -> bool {
        let mut shared = self.shared();
        let shared = &mut *shared;
        let lies = self.bounds.byzantine > 1;
        let verdict = match property {
            SAFE => clients::are_safe(state, shared, &self.bounds),
            HONEST => {
                let mut honest = 0..VALIDATORS - self.bounds.byzantine;
                honest.all(|one| {
                    // Where there are two chains, the other one convicts it of false statements.
                    let node = shared.node(state.nodes[usize::from(one)]);
                    let own = clients::chains(state, shared, &self.bounds)
                        .into_iter()
                        .find(|chain| node.chain().is_start_of(chain));
                    let chain = own.unwrap_or_else(|| state.chain.clone());
                    let judged = Global {
                        chain,
                        ..state.clone()
                    };
                    !evidence::convicts(&judged, one, &state.sent, shared)
                })
            }
            AGREES => {
                let mut nodes = state.nodes.iter();
                let has_met = nodes.any(|id| shared.node(*id).diverged());
                lies || state.lost.is_some() || !has_met
            }
            _ => {
                let is_last = state.chain.height() >= self.bounds.height;
                lies || !is_last || settle::goes_on(state, &self.bounds, shared)
            }
        };
        self.failed.holds(property, verdict)
    }

    fn calls(&self, state: &Global, shared: &mut Shared) -> Vec<Call> {
        let height = usize::try_from(state.chain.height()).unwrap_or(usize::MAX);
        if let Some(call) = self.bounds.begins.get(height) {
            return vec![*call];
        }
        let block = shared.world.block(&state.chain);
        let (pallet, left) = (&block.pallet, &state.left);
        let mut calls = vec![Call::Nothing];
        if shared.handoff_holds(state) {
            calls.push(Call::ProveHandoff);
        }
        let rekeys = self
            .bounds
            .rekeys
            .iter()
            .filter(|validator| pallet.has_first_key(**validator));
        calls.extend(rekeys.map(|validator| Call::Rekey(*validator)));
        if left.resets > 0 && !pallet.ended && state.chain.height() > 0 {
            calls.push(match self.mutant {
                Some(Mutant::ResetRepeatsId) => Call::ResetWithOldId,
                _ => Call::Reset,
            });
        }
        if left.deactivations > 0 && !pallet.ended && state.chain.height() > 0 {
            calls.push(Call::Deactivate);
        }
        if pallet.ended {
            calls.push(Call::Activate);
        }
        calls
    }

    /// A validator that lost its record begins again when the chain is beyond everything that it signed. Nothing in
    /// the product can check that after a restore: see the report.
    fn may_lose(&self, state: &Global, place: usize, shared: &Shared) -> bool {
        let validator = u8::try_from(place).expect("few validators");
        let is_own = |mask: Mask| keys_of(mask).any(|key| owner(key) == validator);
        let mut own = state.sent.iter().filter(|(_, mask)| is_own(*mask));
        own.all(|(id, _)| shared.world.statement(*id).number() <= state.chain.height())
    }
}

/// That something happens.
fn reaches(goal: Goal) -> Property<Duet> {
    match goal {
        Goal::Proves => {
            Property::sometimes("a set proves a block", |model: &Duet, state: &Global| {
                let shared = model.shared();
                state.nodes.iter().any(|id| shared.node(*id).proven() > 0)
            })
        }
        Goal::Waits => Property::sometimes("a handoff waits", |model: &Duet, state: &Global| {
            let mut shared = model.shared();
            (0..2).all(|back| {
                let height = state.chain.height().saturating_sub(back);
                let block = shared.world.block(&state.chain.up_to(height));
                block.pallet.awaits_handoff()
            })
        }),
        Goal::Differs => Property::sometimes(
            "two blocks of one number are proven",
            |model: &Duet, state| {
                let mut shared = model.shared();
                let proofs = clients::proofs(state, &mut shared).into_iter();
                let mut numbers: Vec<_> = proofs
                    .map(|(id, _)| shared.world.statement(id).number())
                    .collect();
                let all = numbers.len();
                numbers.sort_unstable();
                numbers.dedup();
                numbers.len() < all
            },
        ),
    }
}
