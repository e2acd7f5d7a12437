//! What comes of a state when no more faults happen and every message arrives.
//!
//! The Byzantine validator stays silent, unless another one lost its record: at most one of four is faulty.

use crate::{
    bounds::Bounds, chain::Call, clients, keys::Mask, mutant::Mutant, node::NodeEvent,
    shared::Shared, state::Global, world::StatementId,
};

/// More blocks than any handoff after a reset takes.
const BLOCKS: u32 = 14;

/// Whether the signing set proves a block that is new, all honest validators know it, and a client reaches it.
pub fn goes_on(from: &Global, bounds: &Bounds, shared: &mut Shared) -> bool {
    let mut state = from.clone();
    let helps = bounds.left.losses > state.left.losses;
    let goal = state
        .lost
        .as_ref()
        .map_or(0, |lost| lost.height())
        .max(from.chain.height());
    let mut has_reset = state.lost.is_none();
    for place in 0..state.nodes.len() {
        if shared.node(state.nodes[place]).diverged() {
            shared.happen(&mut state, place, NodeEvent::Acknowledge);
        }
    }
    for _ in 0..BLOCKS {
        deliver_all(&mut state, helps, shared);
        let pallet = &shared.world.block(&state.chain).pallet;
        let (id, waits) = (pallet.current.id, pallet.next.is_some());
        let level = |node: &u32| {
            let node = shared.node(*node);
            node.proven() > goal && node.set_id() == id
        };
        if has_reset && !pallet.ended && !waits && state.nodes.iter().all(level) {
            return has_level_client(&state, shared);
        }
        let call = if pallet.ended {
            Call::Activate
        } else if !has_reset && state.chain.height() >= goal {
            has_reset = true;
            Call::Reset
        } else if is_proven(&state, helps, shared) {
            Call::ProveHandoff
        } else {
            Call::Nothing
        };
        state.chain = state.chain.with_fork(call, u8::from(state.lost.is_some()));
    }
    false
}

fn votes(state: &Global, id: StatementId, helps: bool, shared: &mut Shared) -> Mask {
    let sent = state.sent.iter().find(|(known, _)| *known == id);
    match helps {
        true => shared.signers(&state.sent, id),
        false => sent.map_or(0, |(_, mask)| *mask),
    }
}

/// Finality, signatures, votes and proofs reach everybody.
fn deliver_all(state: &mut Global, helps: bool, shared: &mut Shared) {
    loop {
        let before = (state.nodes.clone(), state.sent.clone());
        for place in 0..state.nodes.len() {
            send_again(state, place, shared);
            while shared.node(state.nodes[place]).height() < state.chain.height() {
                let next = shared.node(state.nodes[place]).height() + 1;
                let chain = state.chain.up_to(next);
                shared.happen(state, place, NodeEvent::Finalize(chain));
                sign_all(state, place, shared);
            }
            sign_all(state, place, shared);
            for id in shared.known_statements(state) {
                let number = shared.world.statement(id).number();
                let votes = votes(state, id, helps, shared);
                let is_known = number <= shared.node(state.nodes[place]).proven();
                let is_own = shared.is_of_chain(id, &state.chain);
                if is_known || !is_own || shared.world.proof(id, votes).is_none() {
                    continue;
                }
                // One validator adds votes up, and the others get its proof.
                if place == 0 {
                    shared.happen(state, place, NodeEvent::Votes(id, votes));
                }
                shared.happen(state, place, NodeEvent::Proof(id, votes));
                sign_all(state, place, shared);
            }
        }
        if before == (state.nodes.clone(), state.sent.clone()) {
            break;
        }
    }
}

/// ROUND-6: a validator sends its newest proof to the others, whoever signed it.
fn send_again(state: &mut Global, place: usize, shared: &mut Shared) {
    let chain = state.chain.up_to(shared.node(state.nodes[place]).proven());
    let statement = shared.world.block(&chain).statement;
    let Some(id) = statement.filter(|_| shared.mutant() != Some(Mutant::ProofSentOnce)) else {
        return;
    };
    let signers = shared.signers(&state.sent, id);
    for other in 0..state.nodes.len() {
        let node = shared.node(state.nodes[other]);
        if node.proven() < chain.height() && node.height() >= chain.height() {
            shared.happen(state, other, NodeEvent::Proof(id, signers));
            sign_all(state, other, shared);
        }
    }
}

fn sign_all(state: &mut Global, place: usize, shared: &mut Shared) {
    while shared.node(state.nodes[place]).wants_to_sign() {
        shared.happen(state, place, NodeEvent::Sign);
    }
}

fn is_proven(state: &Global, helps: bool, shared: &mut Shared) -> bool {
    let mut known = state.clone();
    if !helps {
        let enough = |(id, mask): &(StatementId, Mask)| shared.world.proof(*id, *mask).is_some();
        known.sent.retain(enough);
    }
    let mandatory = shared.mandatory(&known);
    mandatory.is_some_and(|id| helps || known.sent.iter().any(|(sent, _)| *sent == id))
        && shared.handoff_holds(&known)
}

/// A client that begins where the newest line of sets begins comes to what the validators proved.
fn has_level_client(state: &Global, shared: &mut Shared) -> bool {
    let resets = (1..=state.chain.height()).rev().find(|height| {
        let call = state.chain.up_to(*height).newest();
        matches!(call, Call::Reset | Call::ResetWithOldId | Call::Activate)
    });
    let reached = clients::reach(state, resets.unwrap_or(0), shared);
    let mut nodes = state.nodes.iter().map(|id| shared.node(*id).proven());
    nodes.all(|proven| proven <= reached)
}
