use super::{Reset, Store, StoreError, BEST, FULLER_SLOTS};
use crate::testing::MemoryAux;
use duet_gossip::source::{ProofSource, StartProof};
use duet_primitives::{
    testing::TestSet, BlockNumber, CommitmentPayload, RoundMessage, SetId, UncheckedJustification,
    H256,
};
use std::sync::Arc;

fn justification(id: u64, number: u32) -> UncheckedJustification {
    let (set, next) = (TestSet::new(id, 0..4), TestSet::new(id + 1, 1..5));
    let message = RoundMessage::new(H256::zero(), set.commitment(number, &next.set));
    set.justify(&message, 0..3).into_unchecked()
}

#[test]
fn what_is_stored_is_read_back() {
    let store = Store::new(Arc::new(MemoryAux::default()));
    let set = TestSet::new(3, 0..4);
    let commitment = set.set.commitment();
    let keys: Vec<_> = set.secrets.iter().map(|secret| secret.public()).collect();

    assert_eq!(store.keys(commitment).unwrap(), None);
    store.put_keys(commitment, &keys).unwrap();
    assert_eq!(store.keys(commitment).unwrap(), Some(keys));

    assert_eq!(store.set(SetId::new(3)).unwrap(), None);
    store.put_set(commitment).unwrap();
    assert_eq!(store.set(SetId::new(3)).unwrap().as_ref(), Some(commitment));

    assert_eq!(store.voter_state().unwrap(), None);
    store.put_voter_state(vec![1, 2, 3]).unwrap();
    assert_eq!(store.voter_state().unwrap(), Some(vec![1, 2, 3]));

    let proof = StartProof {
        header: vec![1],
        nodes: vec![vec![2]],
        keys: Vec::new(),
    };
    store.put_first_set_proof(&proof).unwrap();
    assert_eq!(store.first_set_proof().unwrap(), Some(proof));
}

#[test]
fn payloads_go_when_they_are_dropped() {
    let store = Store::new(Arc::new(MemoryAux::default()));
    let next = TestSet::new(1, 0..4).set.commitment().clone();
    let payload = CommitmentPayload {
        mmr_root: H256::zero(),
        validator_set_id: SetId::new(0),
        next,
    };
    let [kept, dropped] = [1, 2].map(H256::repeat_byte);
    for block in [kept, dropped] {
        store.put_payload(block, &payload).unwrap();
    }
    store.drop_payloads(&[dropped]).unwrap();
    assert_eq!(store.payload(kept).unwrap(), Some(payload));
    assert_eq!(store.payload(dropped).unwrap(), None);
}

#[test]
fn a_handoff_is_kept_under_its_set_and_as_the_best_proof() {
    let store = Store::new(Arc::new(MemoryAux::default()));
    let (first, second, last) = (
        justification(0, 10),
        justification(1, 20),
        justification(2, 25),
    );
    for proof in [&first, &second] {
        store.put_handoff(proof).unwrap();
        assert_eq!(store.best().unwrap().as_ref(), Some(proof));
    }
    store.put_best(&last).unwrap();
    assert_eq!(store.best().unwrap(), Some(last));
    assert_eq!(
        store.handoff_justifications(SetId::new(0), 9).unwrap(),
        [first, second.clone()]
    );
    assert_eq!(
        store.handoff_justifications(SetId::new(1), 1).unwrap(),
        [second]
    );
    assert_eq!(store.handoff_justifications(SetId::new(2), 9).unwrap(), []);
}

/// RESET-5.
#[test]
fn the_last_proof_of_a_set_is_kept_when_no_handoff_leads_on() {
    let aux = Arc::new(MemoryAux::default());
    let store = Store::new(aux.clone());
    let last = |id| store.last(SetId::new(id)).unwrap();
    // Set 0 hands off to set 1, and proves a block behind that.
    store.put_handoff(&justification(0, 10)).unwrap();
    store.put_best(&justification(0, 12)).unwrap();
    assert_eq!(last(0), Some(justification(0, 12)));
    store.put_best(&justification(1, 20)).unwrap();
    assert_eq!((last(0), last(1)), (None, Some(justification(1, 20))));
    store.put_best(&justification(1, 21)).unwrap();
    // The next id, but set 1 never handed off to it.
    store.put_best(&justification(2, 30)).unwrap();
    assert_eq!(last(1), Some(justification(1, 21)));
    // A handoff to a set that never proved a block; its successor hands off with its first proof.
    store.put_handoff(&justification(2, 40)).unwrap();
    store.put_handoff(&justification(4, 50)).unwrap();
    assert_eq!(last(2), Some(justification(2, 40)));
    assert_eq!(
        (last(1), last(4)),
        (Some(justification(1, 21)), Some(justification(4, 50)))
    );
    assert_eq!(last(3), None);
    for table in [
        &b"duet/v1/best/"[..],
        b"duet/v1/handover/\x04\0\0\0\0\0\0\0",
    ] {
        let key = table.to_vec();
        aux.0.lock().insert(key, vec![0xff]);
    }
    store.put_best(&justification(5, 60)).unwrap();
    assert_eq!(store.best().unwrap(), Some(justification(5, 60)));
}

#[test]
fn a_handoff_that_was_fetched_is_found_by_its_set_and_by_its_block() {
    let chain = duet_light_client::testing::TestChain::new(2, 4, 0);
    let store = Store::new(Arc::new(MemoryAux::default()));
    let proofs = chain.handoff_proofs(0, 2);
    store.put_fetched(&proofs[0]).unwrap();
    let block = chain.mandatory(0);
    let first = &proofs[0].justification;
    assert_eq!(store.handoff(SetId::new(0)).unwrap().as_ref(), Some(first));
    assert_eq!(
        store.handoff_at(BlockNumber::new(block)).unwrap().as_ref(),
        Some(first)
    );
    assert_eq!(store.handoff_at(BlockNumber::new(block + 1)).unwrap(), None);
    assert_eq!(
        store.set(SetId::new(1)).unwrap().as_ref(),
        Some(&first.commitment.next)
    );
    assert_eq!(store.handoff_proofs(SetId::new(0), 9).unwrap(), proofs[..1]);
    assert_eq!(store.handoff_proofs(SetId::new(u64::MAX), 9).unwrap(), []);
}

#[test]
fn the_names_of_tables_are_pinned() {
    let aux = Arc::new(MemoryAux::default());
    Store::new(aux.clone())
        .put_handoff(&justification(0, 10))
        .unwrap();
    Store::new(aux.clone())
        .put_fuller(&justification(0, 10 + FULLER_SLOTS))
        .unwrap();
    Store::new(aux.clone())
        .put_best(&justification(3, 2000))
        .unwrap();
    let keys = aux.0.lock();
    assert!(keys.contains_key(&b"duet/v1/last/\0\0\0\0\0\0\0\0"[..]));
    assert!(keys.contains_key(&b"duet/v1/fuller/\x0a\0\0\0"[..]));
    assert!(keys.contains_key(&b"duet/v1/best/"[..]));
    assert!(keys.contains_key(&b"duet/v1/handover/\0\0\0\0\0\0\0\0"[..]));
}

#[test]
fn keys_from_the_chain_serve_as_halves_and_halves_never_serve_as_keys() {
    let set = TestSet::new(1, 1..5);
    let (commitment, halves) = (set.set.commitment(), set.set.keyset().key_bytes());
    let store = Store::new(Arc::new(MemoryAux::default()));
    let mut proof = duet_light_client::testing::TestChain::new(1, 4, 0).handoff_proofs(0, 1);
    assert_eq!(&proof[0].justification.commitment.next, commitment);
    store.put_fetched(&proof.remove(0)).unwrap();
    assert_eq!(store.keys(commitment).unwrap(), None);
    assert_eq!(store.key_halves(commitment).unwrap(), Some(halves.clone()));

    let store = Store::new(Arc::new(MemoryAux::default()));
    let keys: Vec<_> = set.secrets.iter().map(|secret| secret.public()).collect();
    store.put_keys(commitment, &keys).unwrap();
    assert_eq!(store.key_halves(commitment).unwrap(), Some(halves));
}

#[test]
fn a_damaged_entry_is_an_error_and_not_an_absence() {
    let aux = Arc::new(MemoryAux::default());
    let store = Store::new(aux.clone());
    store.put_best(&justification(0, 10)).unwrap();
    for value in aux.0.lock().values_mut() {
        value.push(0);
    }
    let error = store.best().unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { entry: BEST, .. }));
}

fn with_signers(id: u64, number: u32, signers: u32) -> UncheckedJustification {
    let (set, next) = (TestSet::new(id, 0..4), TestSet::new(id + 1, 1..5));
    let message = RoundMessage::new(H256::zero(), set.commitment(number, &next.set));
    set.justify(&message, 0..signers).into_unchecked()
}

/// ROUND-9.
#[test]
fn the_proof_with_the_most_signers_is_served_and_not_lost_when_its_block_is_proven_again() {
    let store = Store::new(Arc::new(MemoryAux::default()));
    let (first, full) = (with_signers(0, 10, 3), with_signers(0, 10, 4));
    store.put_handoff(&first).unwrap();
    assert_eq!(store.fullest(first.clone()).unwrap(), first);
    store.put_fuller(&full).unwrap();
    store.put_fuller_handoff(&full).unwrap();
    assert_eq!(store.fullest(first.clone()).unwrap(), full);
    store.put_handoff(&first).unwrap();
    assert_eq!(store.handoff(SetId::new(0)).unwrap().as_ref(), Some(&full));

    // Another block in the same slot replaces it; the handoff stays.
    store.put_fuller(&with_signers(1, 10 + 1024, 4)).unwrap();
    assert_eq!(store.fullest(first).unwrap(), full);
    let other = with_signers(2, 10, 3);
    assert_eq!(store.fullest(other.clone()).unwrap(), other);
}

/// RESET-5.
#[test]
fn of_resets_that_nobody_has_checked_few_are_kept_and_none_in_place_of_another() {
    let store = Store::new(Arc::new(MemoryAux::default()));
    let reset = |id: u64, hash: u8| Reset {
        block: BlockNumber::new(1),
        hash: H256::repeat_byte(hash),
        ended: SetId::new(0),
        set: TestSet::new(id, 0..4).set.commitment().clone(),
    };
    store.put_reset(&reset(3, 1)).unwrap();
    for id in 1..100 {
        store.put_unchecked_reset(&reset(id, 2)).unwrap();
    }
    let all = store.resets().unwrap();
    assert_eq!(all.len(), 64);
    assert!(all.contains(&reset(3, 1)) && !all.contains(&reset(3, 2)));
    // Blocks that are not final do not count.
    let final_at = |hash| move |_| Some(H256::repeat_byte(hash));
    for (hash, expected) in [(1, Some(reset(3, 1))), (2, None), (9, None)] {
        let found = store.reset_to(SetId::new(3), final_at(hash)).unwrap();
        assert_eq!(found, expected);
    }
    let after = |hash| store.reset_after(SetId::new(0), final_at(hash)).unwrap();
    assert_eq!((after(1), after(9)), (Some(reset(3, 1)), None));
    assert_eq!(after(2), Some(reset(1, 2)));
    // Resets in final blocks are kept all the same.
    store.put_reset(&reset(99, 1)).unwrap();
    store.put_reset(&reset(1, 1)).unwrap();
    let all = store.resets().unwrap();
    assert_eq!(all.len(), 65);
    assert!(all.contains(&reset(99, 1)) && all.contains(&reset(1, 1)));
}
