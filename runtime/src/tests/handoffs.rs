//! Sets that hand off on chain, with real headers.

use super::{
    chain::{has_event, logs, Chain, VALIDATORS},
    elections::join,
};
use crate::{
    configs::staking::HandoffPoints, constants::SESSION_BLOCKS, Duet, Header, Mmr, Runtime,
    RuntimeEvent, UncheckedExtrinsic,
};
use duet_primitives::{ConsensusLog, SetId};
use pallet_duet::{Event, Handoff, OnHandoff};
use sp_keyring::Sr25519Keyring::{self, Eve};

/// Four validators who sign nothing, and a fifth one who joins; the block that plans the set with it.
fn planned() -> (Chain, Header) {
    let mut chain = Chain::of_four();
    chain.signers_are([]);
    let transactions = join(&mut chain);
    chain.block_of(transactions);
    loop {
        let header = chain.block();
        let plans = |log: &ConsensusLog| matches!(log, ConsensusLog::Planned(_));
        if logs(&header).iter().any(plans) {
            return (chain, header);
        }
        assert!(chain.number() < 10 * SESSION_BLOCKS, "no set is planned");
    }
}

fn signing(chain: &mut Chain) -> u64 {
    chain.ask(|| Duet::keysets().expect("has keys").current.id.get())
}

/// What a node submits at the latest block.
fn submit(
    chain: &mut Chain,
    handoff: Handoff<Header>,
    header: &Header,
    latest: &Header,
) -> Option<UncheckedExtrinsic> {
    chain.submitted(|| {
        let prove = |block, at| Mmr::generate_proof(vec![block], Some(at)).ok();
        Duet::submit_handoff(handoff.proof, header.clone(), latest.clone(), prove)
    })
}

fn sign_with_four(chain: &mut Chain, header: &Header) -> Handoff<Header> {
    chain.signers_are((0..4).map(super::chain::secret));
    let handoff = chain.hand_off(header).expect("enough sign");
    chain.signers_are([]);
    handoff
}

/// HANDOFF-4: the set waits, however long, and the proof of an old block still lets it take over.
#[test]
fn a_set_waits_for_its_handoff_and_takes_over_with_the_proof_of_an_old_block() {
    let (mut chain, header) = planned();
    let handoff = sign_with_four(&mut chain, &header);
    // The chain keeps the hashes of 2 400 blocks; a report uses the newer half.
    let latest = loop {
        let latest = chain.block();
        if latest.number > header.number + 1_250 {
            break latest;
        }
    };
    assert_eq!(signing(&mut chain), 0, "GRANDPA was gone for 125 sessions");
    assert!(chain.ask(|| Duet::commitment_payload().is_some()));

    let proof = submit(&mut chain, handoff, &header, &latest).expect("it is submitted");
    chain.block_of(vec![proof]);
    let session = chain.session();
    chain.advance_to_session(session + 1);
    assert_eq!(signing(&mut chain), 1);
}

#[test]
fn a_node_submits_the_proof_and_the_pool_has_it_once() {
    let (mut chain, header) = planned();
    let handoff = sign_with_four(&mut chain, &header);
    let latest = chain.block();
    let proof = submit(&mut chain, handoff.clone(), &header, &latest).expect("it is submitted");
    chain.block_of(vec![proof]);
    assert!(chain.ask(|| has_event(|event| matches!(
        event,
        RuntimeEvent::Duet(Event::HandoffProven {
            signed: 4,
            len: 4,
            ..
        })
    ))));
    let latest = chain.block();
    let again = submit(&mut chain, handoff, &header, &latest).expect("the test's pool takes all");
    assert!(chain.try_block_of(vec![again]).1[0].is_err());
}

/// The points of the five validators in the running era, by that era.
fn points(chain: &mut Chain) -> (u32, [u32; 5]) {
    chain.ask(|| {
        let era = pallet_staking::ActiveEra::<Runtime>::get().map_or(0, |era| era.index);
        let all = pallet_staking::ErasRewardPoints::<Runtime>::get(era).individual;
        let [alice, bob, charlie, dave] = VALIDATORS;
        let validators = [alice, bob, charlie, dave, Eve].map(|who| who.to_account_id());
        (
            era,
            validators.map(|who| all.get(&who).copied().unwrap_or(0)),
        )
    })
}

/// HANDOFF-3: who signed earns points, and who did not, or is not elected, earns none.
#[test]
fn who_signed_earns_points_of_staking() {
    let (mut chain, header) = planned();
    chain.signers_are([0, 1, 3].map(super::chain::secret));
    let handoff = chain.hand_off(&header).expect("enough sign");
    chain.signers_are([]);
    let latest = chain.block();
    let proof = submit(&mut chain, handoff, &header, &latest).expect("it is submitted");
    chain.block_of(vec![proof]);

    let settled = |event: &RuntimeEvent| {
        matches!(event, RuntimeEvent::Duet(Event::HandoffSettled { id, missed })
            if *id == SetId::new(0) && missed.len() == 1)
    };
    let mut before = points(&mut chain);
    while !chain.ask(|| has_event(settled)) {
        before = points(&mut chain);
        chain.block();
    }
    let (era, now) = points(&mut chain);
    let earned = |validator: usize| match before {
        (same, before) if same == era => now[validator] - before[validator],
        _ => now[validator],
    };
    for validator in [0, 1, 3] {
        assert!(earned(validator) >= 20, "{before:?} {now:?}");
    }
    // And 20 for the author of the block.
    assert_eq!((0..5).map(earned).sum::<u32>(), 3 * 20 + 20);
}

/// Points of who is not elected would make those of the others worth less.
#[test]
fn who_is_not_elected_earns_no_points() {
    let mut chain = Chain::of_four();
    chain.block();
    let (_, before) = points(&mut chain);
    let signed = [Sr25519Keyring::Alice, Eve].map(|who| who.to_account_id());
    chain.ask(|| HandoffPoints::on_handoff(SetId::FIRST, &signed, &[]));
    let mut expected = before;
    expected[0] += 20;
    assert_eq!(points(&mut chain).1, expected);
}
