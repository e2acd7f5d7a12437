//! What all states share: the world, the validators' states by number, and their steps.

use crate::{
    bounds::Bounds,
    chain::Chain,
    client::Clients,
    keys::{keys_of, owner, KeyNumber, Mask, VALIDATORS},
    mutant::Mutant,
    node::{Node, NodeEvent, Sent},
    state::{Global, NodeId, Votes},
    world::{StatementId, World},
};
use std::collections::HashMap;

/// New places of the honest validators.
type Permutation = Vec<u8>;

struct Known {
    node: Node,
    validator: u8,
    /// The step by which it was found; none for the first state.
    from: Option<(NodeId, NodeEvent)>,
}

/// The world, and what was computed in it.
pub struct Shared {
    /// The world.
    pub world: World,
    bounds: Bounds,
    mutant: Option<Mutant>,
    nodes: Vec<Known>,
    numbers: HashMap<u128, NodeId>,
    firsts: HashMap<u8, NodeId>,
    steps: HashMap<(NodeId, NodeEvent), (NodeId, Sent)>,
    permutations: Vec<Permutation>,
    permuted: HashMap<(NodeId, usize), NodeId>,
    /// The clients.
    pub clients: Clients,
}

impl Shared {
    pub(crate) fn new(bounds: Bounds, mutant: Option<Mutant>) -> Self {
        let fixed = |validator: &u8| bounds.rekeys.contains(validator);
        Self {
            world: World::default(),
            bounds,
            mutant,
            nodes: vec![],
            numbers: HashMap::new(),
            firsts: HashMap::new(),
            steps: HashMap::new(),
            permutations: permutations(VALIDATORS - bounds.byzantine)
                .into_iter()
                .filter(|order| {
                    (0..)
                        .zip(order)
                        .all(|(from, to)| from == *to || !fixed(&from))
                })
                .collect(),
            permuted: HashMap::new(),
            clients: Clients::default(),
        }
    }

    /// A validator's state.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[usize::try_from(id).expect("numbers of states are indices")].node
    }

    /// How many states of validators, and steps of them, were computed.
    pub fn computed(&self) -> (usize, usize) {
        (self.nodes.len(), self.steps.len())
    }

    /// The first state of a validator.
    pub fn first(&mut self, validator: u8) -> NodeId {
        if let Some(known) = self.firsts.get(&validator) {
            return *known;
        }
        let node = Node::new(validator, self.bounds.restores_to, &mut self.world);
        let id = self.number(node, validator, None);
        self.firsts.insert(validator, id);
        id
    }

    fn number(&mut self, node: Node, validator: u8, from: Option<(NodeId, NodeEvent)>) -> NodeId {
        let next = NodeId::try_from(self.nodes.len()).expect("a model of few states");
        let id = *self.numbers.entry(node.fingerprint()).or_insert(next);
        if id == next {
            self.nodes.push(Known {
                node,
                validator,
                from,
            });
        }
        id
    }

    /// The state after an event, and the votes that the validator sent.
    pub fn after(&mut self, id: NodeId, event: NodeEvent) -> (NodeId, Sent) {
        let key = (id, event);
        if let Some(known) = self.steps.get(&key) {
            return known.clone();
        }
        let index = usize::try_from(id).expect("numbers of states are indices");
        let Known {
            node, validator, ..
        } = &self.nodes[index];
        let validator = *validator;
        let (after, sent) = node.after(&key.1, self.mutant, &mut self.world);
        let result = (self.number(after, validator, Some(key.clone())), sent);
        self.steps.insert(key, result.clone());
        result
    }

    /// An event at a validator, in the state of all.
    pub fn happen(&mut self, state: &mut Global, place: usize, event: NodeEvent) {
        let (id, sent) = self.after(state.nodes[place], event);
        state.nodes[place] = id;
        for (statement, key) in sent {
            match state.sent.binary_search_by_key(&statement, |(id, _)| *id) {
                Ok(found) => state.sent[found].1 |= 1 << key,
                Err(missing) => state.sent.insert(missing, (statement, 1 << key)),
            }
        }
    }

    /// The keys that sign a statement: those of Byzantine validators do whenever they are members.
    pub fn available(&mut self, sent: &Votes, id: StatementId) -> Mask {
        let by = self.world.statement(id).by.clone();
        let members = self.world.set(&by).mask();
        let honest = VALIDATORS - self.bounds.byzantine;
        let sent = sent
            .iter()
            .find(|(known, _)| *known == id)
            .map_or(0, |(_, mask)| *mask);
        let lies = keys_of(members).filter(|key| owner(*key) >= honest);
        lies.fold(sent, |mask, key| mask | 1 << key) & members
    }

    /// The signers of the proof that is sent: as few as prove it, those of Byzantine validators first. Who signed
    /// beyond that decides nothing.
    pub fn signers(&mut self, sent: &Votes, id: StatementId) -> Mask {
        let all = self.available(sent, id);
        let by = self.world.statement(id).by.clone();
        let threshold = self.world.set(&by).set.commitment().threshold();
        let mut signers = all;
        for key in keys_of(all) {
            if signers.count_ones() > threshold && owner(key) < VALIDATORS - self.bounds.byzantine {
                signers &= !(1 << key);
            }
        }
        signers
    }

    /// The statements about the chain, those that were sent, and, where the bounds say so, forged ones.
    pub fn known_statements(&mut self, state: &Global) -> Vec<StatementId> {
        let mut all: Vec<_> = state.sent.iter().map(|(id, _)| *id).collect();
        for height in 1..=state.chain.height() {
            let block = self.world.block(&state.chain.up_to(height));
            all.extend(block.statement);
            if self.bounds.forged_votes {
                all.extend(block.forged.first());
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The statement that names the planned set, while its proof is waited for. (ROUND-2, HANDOFF-1)
    pub fn mandatory(&mut self, state: &Global) -> Option<StatementId> {
        let newest = self.world.block(&state.chain);
        if !newest.pallet.awaits_handoff() {
            return None;
        }
        let planned = (1..=state.chain.height()).rev().find(|height| {
            let parent = self.world.block(&state.chain.up_to(height - 1));
            parent.pallet.next != newest.pallet.next
        })?;
        self.world.block(&state.chain.up_to(planned)).statement
    }

    /// Whether the chain has the block of a statement.
    pub fn is_of_chain(&mut self, id: StatementId, chain: &Chain) -> bool {
        let number = self.world.statement(id).number();
        number <= chain.height() && self.world.block(&chain.up_to(number)).statement == Some(id)
    }

    /// The broken rule.
    pub fn mutant(&self) -> Option<Mutant> {
        self.mutant
    }

    /// HANDOFF-1: whether the votes prove the handoff of the signing set.
    pub fn handoff_holds(&mut self, state: &Global) -> bool {
        let Some(id) = self.mandatory(state) else {
            return false;
        };
        let signers = self.available(&state.sent, id);
        self.world.is_handoff(id, signers)
    }

    /// The least of the states that differ only by the names of honest validators.
    pub fn representative(&mut self, state: Global) -> Global {
        let all = 0..self.permutations.len();
        all.map(|order| self.renamed(&state, order))
            .min()
            .unwrap_or(state)
    }

    fn renamed(&mut self, state: &Global, order: usize) -> Global {
        let mut renamed = state.clone();
        for (from, id) in state.nodes.iter().enumerate() {
            let to = usize::from(self.permutations[order][from]);
            renamed.nodes[to] = self.permute(*id, order);
        }
        for (_, mask) in &mut renamed.sent {
            *mask = rename(*mask, &self.permutations[order]);
        }
        renamed
    }

    /// The state of the validator with the new name to which the same happened, with new names.
    fn permute(&mut self, id: NodeId, order: usize) -> NodeId {
        if let Some(known) = self.permuted.get(&(id, order)) {
            return *known;
        }
        let index = usize::try_from(id).expect("numbers of states are indices");
        let validator = self.permutations[order][usize::from(self.nodes[index].validator)];
        let renamed = match self.nodes[index].from.clone() {
            None => self.first(validator),
            Some((parent, event)) => {
                let parent = self.permute(parent, order);
                let event = match event {
                    NodeEvent::Votes(id, mask) => {
                        NodeEvent::Votes(id, rename(mask, &self.permutations[order]))
                    }
                    NodeEvent::Proof(id, mask) => {
                        NodeEvent::Proof(id, rename(mask, &self.permutations[order]))
                    }
                    other => other,
                };
                self.after(parent, event).0
            }
        };
        self.permuted.insert((id, order), renamed);
        renamed
    }
}

/// The same keys with new owners. Byzantine validators keep theirs.
fn rename(mask: Mask, order: &Permutation) -> Mask {
    let new = |key: KeyNumber| match order.get(usize::from(owner(key))) {
        Some(to) if key < 2 * VALIDATORS => key - owner(key) + to,
        _ => key,
    };
    keys_of(mask).fold(0, |renamed, key| renamed | 1 << new(key))
}

fn permutations(len: u8) -> Vec<Permutation> {
    let mut all = vec![vec![]];
    for next in 0..len {
        let insert = |one: &Permutation| {
            let places = 0..=one.len();
            let with = places.map(|place| {
                let mut with = one.clone();
                with.insert(place, next);
                with
            });
            with.collect::<Vec<_>>()
        };
        all = all.iter().flat_map(insert).collect();
    }
    all
}
