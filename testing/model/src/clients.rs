//! Everything that a light client can come to from the blocks and votes of one state of the model.

use crate::{
    bounds::Bounds,
    chain::Chain,
    client::{Client, ClientEvent, Question},
    evidence,
    keys::Mask,
    shared::Shared,
    state::Global,
    world::StatementId,
};
use duet_light_client::{Mode, Trusted};
use std::collections::HashSet;

/// The chains that were final at some time, or that are for somebody: the chain, the one that was lost, the other one.
pub fn chains(state: &Global, shared: &Shared, bounds: &Bounds) -> Vec<Chain> {
    let nodes = state.nodes.iter().map(|id| shared.node(*id).chain());
    let others = nodes.filter(|chain| bounds.splits && !chain.is_start_of(&state.chain));
    let other = others.max_by_key(|chain| chain.height()).cloned();
    let all = [Some(state.chain.clone()), state.lost.clone(), other];
    all.into_iter().flatten().collect()
}

/// Whether every client accepts only final blocks; where more than a third of a set is Byzantine, the signers of any
/// other block are convictable. Where two chains are final, each convicts the signers of the other one.
pub fn are_safe(state: &Global, shared: &mut Shared, bounds: &Bounds) -> bool {
    let proofs = proofs(state, shared);
    let question = (chains(state, shared, bounds), proofs);
    if let Some(known) = shared.clients.verdicts.get(&question) {
        return *known;
    }
    let verdict = visit(state, &question, shared, bounds);
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
    (chains, proofs): &Question,
    shared: &mut Shared,
    bounds: &Bounds,
) -> bool {
    let mut waiting = vec![];
    for chain in chains {
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
        let (of, not_of): (Vec<_>, Vec<_>) = chains
            .iter()
            .partition(|chain| is_on(trusted, chain, shared));
        let has_split = client.stopped() && state.lost.is_none();
        let can_lie = bounds.byzantine > 2;
        if (of.is_empty() && !can_lie) || (has_split && bounds.byzantine <= 1) {
            return false;
        }
        let is_foreign = of.is_empty() || (bounds.splits && trusted.best_proof().is_some());
        let convict = |chain: &Chain, shared: &mut Shared| {
            let judge = Global {
                chain: chain.clone(),
                ..state.clone()
            };
            evidence::convicts_a_third(&judge, trusted, shared)
        };
        if is_foreign && !not_of.into_iter().all(|chain| convict(chain, shared)) {
            return false;
        }
        if of.is_empty() {
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

/// Whether block and sets are those of the chain.
fn is_on(trusted: &Trusted, chain: &Chain, shared: &mut Shared) -> bool {
    let height = trusted.best_number().get();
    if height > chain.height() {
        return false;
    }
    let block = shared.world.block(&chain.up_to(height));
    let keysets = shared.world.keysets(&block.pallet);
    block.hash == trusted.best_hash()
        && keysets.current == *trusted.signing()
        && keysets.next == *trusted.latest_set()
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
