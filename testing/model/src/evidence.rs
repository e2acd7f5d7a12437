//! Evidence against validators, as the pallet judges it: first by its records and blocks, then by the real checks.

use crate::{
    keys::{keys_of, owner, KeyNumber},
    mutant::Mutant,
    shared::Shared,
    state::{Global, Votes},
    world::StatementId,
};
use duet_light_client::Trusted;
use duet_primitives::{
    Accusation, BlockNumber, EquivocationProof, KeysetCommitment, Pardon, SetId,
};

/// Whether somebody who has all votes can convict a validator. (EQV-1 to EQV-6, FALSE-1, FALSE-2, FALSE-4)
pub fn convicts(state: &Global, validator: u8, votes: &Votes, shared: &mut Shared) -> bool {
    votes.iter().enumerate().any(|(index, (id, mask))| {
        let own = keys_of(*mask).filter(|key| owner(*key) == validator);
        own.into_iter().any(|key| {
            let later = votes.iter().skip(index + 1);
            let mut others = later.filter(|(_, mask)| mask & (1 << key) != 0);
            is_false_vote(state, *id, key, shared)
                || others.any(|(other, _)| is_equivocation(state, [*id, *other], key, shared))
        })
    })
}

/// EQV-6: the chain's record of the set.
fn record(state: &Global, id: SetId, shared: &mut Shared) -> Option<KeysetCommitment> {
    let newest = shared.world.block(&state.chain);
    let set = newest.pallet.punishable(id.get())?;
    Some(shared.world.commitment(set))
}

/// FALSE-1 and FALSE-4: whether the chain contradicts a statement that is not pardoned.
fn is_false(state: &Global, id: StatementId, shared: &mut Shared) -> bool {
    let statement = shared.world.statement(id);
    let said = statement.commitment();
    let is_pardoned = state.lost.as_ref().is_some_and(|lost| {
        let pardon = Pardon {
            first_block: BlockNumber::ZERO,
            last_block: BlockNumber::new(lost.height()),
            first_set: SetId::FIRST,
            last_set: SetId::new(63),
        };
        pardon.covers(said.block_number, said.validator_set_id)
    });
    if is_pardoned && shared.mutant() != Some(Mutant::NotPardoned) {
        return false;
    }
    if statement.number() > state.chain.height() {
        return true;
    }
    let block = shared.world.block(&state.chain.up_to(statement.number()));
    let own = block.statement.map(|own| shared.world.statement(own));
    let same_payload = own.is_none_or(|own| own.commitment().payload() == said.payload());
    !(block.hash == said.block_hash && same_payload)
}

fn is_false_vote(state: &Global, id: StatementId, key: KeyNumber, shared: &mut Shared) -> bool {
    let statement = shared.world.statement(id);
    let Some(set) = record(state, statement.commitment().validator_set_id, shared) else {
        return false;
    };
    if !is_false(state, id, shared) {
        return false;
    }
    let members = shared.world.set(&statement.by);
    let vote = shared.world.vote(id, key);
    let accusation = vote.and_then(|vote| Accusation::of_vote(&vote, members.set.keyset()));
    accusation.is_some_and(|accusation| accusation.check(&set, shared.world.genesis).is_ok())
}

fn is_equivocation(
    state: &Global,
    two: [StatementId; 2],
    key: KeyNumber,
    shared: &mut Shared,
) -> bool {
    let statement = shared.world.statement(two[0]);
    let Some(set) = record(state, statement.commitment().validator_set_id, shared) else {
        return false;
    };
    let members = shared.world.set(&statement.by);
    let [Some(first), Some(second)] = two.map(|id| shared.world.vote(id, key)) else {
        return false;
    };
    let evidence = EquivocationProof::new(members.set.keyset(), &first, &second);
    evidence.is_ok_and(|evidence| evidence.check(&set, shared.world.genesis).is_ok())
}

/// Whether the proof by which a client went astray convicts more than a third of its set. (FALSE-3)
pub fn convicts_a_third(state: &Global, trusted: &Trusted, shared: &mut Shared) -> bool {
    let Some(proof) = trusted.best_proof() else {
        return false;
    };
    let said = &proof.commitment;
    let Some(id) = shared.world.statement_of(said) else {
        return false;
    };
    let Some(set) = record(state, said.validator_set_id, shared) else {
        return false;
    };
    let members = shared.world.set(&shared.world.statement(id).by.clone());
    let keyset = members.set.keyset();
    let checked = proof.clone().check(keyset, shared.world.genesis);
    let accusations = checked.map(|proof| Accusation::of_proof(&proof, keyset));
    let accused = accusations
        .unwrap_or_default()
        .into_iter()
        .filter_map(|accusation| {
            accusation.check(&set, shared.world.genesis).ok()?;
            Some(accusation.accused().count())
        });
    let accused: usize = accused.sum();
    let third = usize::try_from((set.len - 1) / 3).expect("small sets");
    accused > third && is_false(state, id, shared)
}
