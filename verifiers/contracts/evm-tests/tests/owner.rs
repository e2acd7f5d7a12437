//! The client with an owner.

mod common;

use common::{checkpoint, prove, GENESIS};
use duet_calldata::{constructor_with_owner, proof_bytes, report_misbehaviour, restart};
use duet_evm_tests::{topic, Called, Chain, Verdict, FORKS, TRUSTING_PERIOD};
use duet_light_client::Checkpoint;
use duet_primitives::{testing::TestSet, BlockNumber, StatelessProof, H256};
use revm::primitives::Address;

const OWNER: Address = Address::repeat_byte(1);
const STRANGER: Address = Address::repeat_byte(2);

fn sets() -> [TestSet; 2] {
    [TestSet::new(0, 0..4), TestSet::new(7, 10..14)]
}

/// The client at block 0, which the first of [`sets`] signs.
fn deploy() -> Chain {
    let [first, _] = sets();
    let begin = checkpoint(GENESIS, first.set.commitment());
    let arguments = constructor_with_owner(&begin, TRUSTING_PERIOD, OWNER.into_array());
    Chain::with("OwnedDuetLightClient", FORKS[1], arguments).expect("deployed")
}

/// Where the second of [`sets`] begins after a reset.
fn after_reset() -> Checkpoint {
    let [_, fresh] = sets();
    Checkpoint {
        block_number: BlockNumber::new(50),
        block_hash: H256::repeat_byte(50),
        ..checkpoint(GENESIS, fresh.set.commitment())
    }
}

fn by(chain: &mut Chain, caller: Address, call: Vec<u8>) -> Called {
    let before = std::mem::replace(&mut chain.caller, caller);
    let called = chain.call_raw(call);
    chain.caller = before;
    called
}

fn method(signature: &str, argument: Option<Address>) -> Vec<u8> {
    let mut call = topic(signature)[..4].to_vec();
    if let Some(address) = argument {
        call.extend([0; 12]);
        call.extend(address.as_slice());
    }
    call
}

fn is_refused_as(called: &Called, signature: &str) -> bool {
    !called.ok && called.output[..4] == topic(signature)[..4]
}

fn is_verified(chain: &mut Chain, proof: &StatelessProof) -> bool {
    let said = &proof.justification.commitment;
    let number = said.block_number.get().to_be_bytes();
    let call = [
        &topic("isVerified(uint32,bytes32,bytes32)")[..4],
        &[0; 28],
        &number,
        &said.block_hash.0,
        &said.mmr_root.0,
    ]
    .concat();
    by(chain, STRANGER, call).output[31] == 1
}

fn submit(chain: &mut Chain, proof: &StatelessProof, set: &TestSet) -> Verdict {
    chain.submit(&proof_bytes(proof, set.set.commitment())).0
}

#[test]
fn the_owner_leads_across_a_reset_and_what_was_before_is_forgotten() {
    let [first, fresh] = sets();
    let mut chain = deploy();
    let old = prove(&first, 5, &first, 0);
    assert_eq!(submit(&mut chain, &old, &first), Verdict::New);
    assert!(is_verified(&mut chain, &old));
    let called = by(&mut chain, OWNER, restart(&after_reset()));
    assert!(called.ok);
    assert!(called.events.contains(&topic("Restarted(uint32,bytes32)")));
    assert_eq!(chain.status(), (50, 7, false, false));
    assert!(!is_verified(&mut chain, &old));
    let new = prove(&fresh, 51, &fresh, 0);
    assert_eq!(submit(&mut chain, &new, &fresh), Verdict::New);
    assert!(is_verified(&mut chain, &new));
    let late = prove(&first, 60, &first, 0);
    assert_eq!(submit(&mut chain, &late, &first), Verdict::Refused);
}

#[test]
fn a_frozen_client_begins_anew_only_by_its_owner() {
    let [first, fresh] = sets();
    let mut chain = deploy();
    let next = TestSet::new(1, 1..5);
    let proofs = [&first, &next].map(|next| prove(&first, 5, next, 0));
    assert_eq!(submit(&mut chain, &proofs[0], &first), Verdict::New);
    assert_eq!(submit(&mut chain, &proofs[1], &first), Verdict::Frozen);
    let refused = by(&mut chain, STRANGER, restart(&after_reset()));
    assert!(is_refused_as(&refused, "NotTheOwner(address)"));
    assert!(chain.status().3, "frozen");
    assert!(by(&mut chain, OWNER, restart(&after_reset())).ok);
    let new = prove(&fresh, 51, &fresh, 0);
    assert_eq!(submit(&mut chain, &new, &fresh), Verdict::New);
}

#[test]
fn a_checkpoint_of_another_chain_or_of_no_set_is_refused() {
    let mut chain = deploy();
    let other = Checkpoint {
        genesis_hash: H256::repeat_byte(8),
        ..after_reset()
    };
    let refused = by(&mut chain, OWNER, restart(&other));
    assert!(is_refused_as(&refused, "BadCheckpoint()"));
    let mut other = after_reset();
    other.keysets.current.len = 0;
    other.keysets.next.len = 0;
    let refused = by(&mut chain, OWNER, restart(&other));
    assert!(is_refused_as(&refused, "BadCheckpoint()"));
    assert_eq!(chain.status(), (0, 0, false, false));
}

#[test]
fn ownership_is_offered_accepted_and_given_up() {
    let mut chain = deploy();
    let offer = |to| method("transferOwnership(address)", Some(to));
    let (accept, renounce) = ("acceptOwnership()", "renounceOwnership()");
    for call in [
        offer(STRANGER),
        method(accept, None),
        method(renounce, None),
    ] {
        let refused = by(&mut chain, STRANGER, call);
        assert!(is_refused_as(&refused, "NotTheOwner(address)"));
    }
    assert!(by(&mut chain, OWNER, offer(STRANGER)).ok);
    // Until it is accepted, nothing has changed, and the offer can be taken back.
    assert!(!by(&mut chain, STRANGER, restart(&after_reset())).ok);
    assert!(by(&mut chain, OWNER, offer(Address::ZERO)).ok);
    assert!(!by(&mut chain, STRANGER, method(accept, None)).ok);
    assert!(by(&mut chain, OWNER, offer(STRANGER)).ok);
    assert!(by(&mut chain, STRANGER, method(accept, None)).ok);
    assert!(!by(&mut chain, OWNER, restart(&after_reset())).ok);
    assert!(!by(&mut chain, STRANGER, method(accept, None)).ok, "once");
    assert!(by(&mut chain, STRANGER, restart(&after_reset())).ok);
    assert!(by(&mut chain, STRANGER, method(renounce, None)).ok);
    for caller in [OWNER, STRANGER] {
        assert!(!by(&mut chain, caller, restart(&after_reset())).ok);
    }
}

#[test]
fn nobody_is_no_owner() {
    let [first, _] = sets();
    let begin = checkpoint(GENESIS, first.set.commitment());
    let arguments = constructor_with_owner(&begin, TRUSTING_PERIOD, Address::ZERO.into_array());
    assert!(Chain::with("OwnedDuetLightClient", FORKS[1], arguments).is_none());
}

/// LIGHT-9.
#[test]
fn a_client_that_slept_too_long_begins_anew_by_its_owner_alone() {
    let [first, fresh] = sets();
    let mut chain = deploy();
    chain.time += TRUSTING_PERIOD + 1;
    let late = prove(&first, 5, &first, 0);
    assert_eq!(submit(&mut chain, &late, &first), Verdict::Refused);
    assert!(by(&mut chain, OWNER, restart(&after_reset())).ok);
    let new = prove(&fresh, 51, &fresh, 0);
    assert_eq!(submit(&mut chain, &new, &fresh), Verdict::New);
}

/// Evidence of what was before a restart freezes the client no more.
#[test]
fn a_client_that_begins_anew_forgets_the_sets_that_were_replaced() {
    let [first, _] = sets();
    let mut chain = deploy();
    let next = [TestSet::new(1, 1..5), TestSet::new(1, 5..9)];
    let [taken, other] = [&next[0], &next[1]].map(|next| prove(&first, 5, next, 0));
    assert_eq!(submit(&mut chain, &taken, &first), Verdict::New);
    let second = prove(&next[0], 6, &next[0], 0);
    assert_eq!(submit(&mut chain, &second, &next[0]), Verdict::New);
    let report = report_misbehaviour([&taken, &other].map(|proof| (proof, first.set.commitment())));
    assert!(by(&mut chain, STRANGER, report.clone()).ok);
    assert!(chain.status().3, "frozen");
    // The true chain goes on with the same ids.
    let fresh = TestSet::new(2, 10..14);
    let again = Checkpoint {
        block_number: BlockNumber::new(50),
        block_hash: H256::repeat_byte(50),
        ..checkpoint(GENESIS, fresh.set.commitment())
    };
    assert!(by(&mut chain, OWNER, restart(&again)).ok);
    let refused = by(&mut chain, STRANGER, report);
    assert!(
        is_refused_as(&refused, "Rule_LIGHT_5_OldSet(uint64,uint64)")
            || is_refused_as(&refused, "Rule_LIGHT_3()")
    );
    assert_eq!(chain.status(), (50, 2, false, false));
}
