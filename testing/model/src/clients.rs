//! Everything that a light client can come to from the blocks and votes of one state of the model.

use crate::{
    bounds::Bounds,
    client::{Client, ClientEvent},
    evidence,
    keys::Mask,
    shared::Shared,
    state::Global,
    world::StatementId,
};
use duet_light_client::{Mode, Trusted};
use std::collections::HashSet;

/// Whether every client accepts only final blocks; where more than a third of a set is Byzantine, the signers of any
/// other block are convictable.
pub fn are_safe(state: &Global, shared: &mut Shared, bounds: &Bounds) -> bool {
    let proofs = proofs(state, shared);
    let question = (state.chain.clone(), state.lost.clone(), proofs);
    if let Some(known) = shared.clients.verdicts.get(&question) {
        return *known;
    }
    let verdict = visit(state, &question.2, shared, bounds);
    shared.clients.verdicts.insert(question, verdict);
    verdict
}

/// The proofs that can be made: of what was sent, and of what Byzantine validators make up.
pub fn proofs(state: &Global, shared: &mut Shared) -> Vec<(StatementId, Mask)> {
    let mut statements: Vec<_> = state.sent.iter().map(|(id, _)| *id).collect();
    for chain in [Some(&state.chain), state.lost.as_ref()]
        .into_iter()
        .flatten()
    {
        for height in 1..=chain.height() {
            let block = shared.world.block(&chain.up_to(height));
            statements.extend(block.statement.iter().chain(&block.forged));
        }
    }
    statements.sort_unstable();
    statements.dedup();
    let with_votes = |id| (id, shared.signers(&state.sent, id));
    let mut all: Vec<_> = statements.into_iter().map(with_votes).collect();
    all.retain(|(id, signers)| shared.world.proof(*id, *signers).is_some());
    all
}

fn visit(
    state: &Global,
    proofs: &[(StatementId, Mask)],
    shared: &mut Shared,
    bounds: &Bounds,
) -> bool {
    let mut waiting = vec![];
    for chain in [Some(&state.chain), state.lost.as_ref()]
        .into_iter()
        .flatten()
    {
        for height in 0..=chain.height() {
            for mode in [Mode::Full, Mode::Stateless] {
                let new = shared.clients.number(Client::new(mode));
                waiting.push(after(new, ClientEvent::Start(chain.up_to(height)), shared));
            }
        }
    }
    let mut seen = HashSet::new();
    while let Some(id) = waiting.pop() {
        if !seen.insert(id) {
            continue;
        }
        let client = shared.clients.clients[id].clone();
        let Some(trusted) = client.trusted() else {
            continue; // Nothing is signed at its start block.
        };
        let is_final = is_final(trusted, state, shared);
        let has_split = client.stopped() && state.lost.is_none();
        if (!is_final || has_split) && bounds.byzantine <= 1 {
            return false;
        }
        if !is_final {
            if !evidence::convicts_a_third(state, trusted, shared) {
                return false;
            }
            continue;
        }
        for (statement, signers) in proofs {
            waiting.push(after(id, ClientEvent::Proof(*statement, *signers), shared));
        }
        for full in [true, false] {
            waiting.push(after(id, ClientEvent::HandOn { full }, shared));
        }
    }
    true
}

/// The number of the client after an event.
pub fn after(id: usize, event: ClientEvent, shared: &mut Shared) -> usize {
    let key = (id, event);
    if let Some(known) = shared.clients.steps.get(&key) {
        return *known;
    }
    let after = shared.clients.clients[id]
        .clone()
        .after(&key.1, &mut shared.world);
    let after = shared.clients.number(after);
    shared.clients.steps.insert(key, after);
    after
}

/// Whether block and sets are those of the chain, or of the chain that was lost.
fn is_final(trusted: &Trusted, state: &Global, shared: &mut Shared) -> bool {
    let chains = [Some(&state.chain), state.lost.as_ref()];
    chains.into_iter().flatten().any(|chain| {
        let height = trusted.best_number().get();
        if height > chain.height() {
            return false;
        }
        let block = shared.world.block(&chain.up_to(height));
        let keysets = shared.world.keysets(&block.pallet);
        block.hash == trusted.best_hash()
            && keysets.current == *trusted.signing()
            && keysets.next == *trusted.latest_set()
    })
}

/// The height that a new client reaches from the start of the newest uninterrupted line of sets, by all proofs in
/// order.
pub fn reach(state: &Global, from: u32, shared: &mut Shared) -> u32 {
    let mut proofs = proofs(state, shared);
    proofs.sort_by_key(|(id, _)| shared.world.statement(*id).number());
    let new = shared.clients.number(Client::new(Mode::Full));
    let mut id = after(new, ClientEvent::Start(state.chain.up_to(from)), shared);
    for (statement, signers) in proofs {
        id = after(id, ClientEvent::Proof(statement, signers), shared);
    }
    let client = &shared.clients.clients[id];
    client
        .trusted()
        .map_or(0, |trusted| trusted.best_number().get())
}
