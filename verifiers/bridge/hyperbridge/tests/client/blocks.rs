//! Proofs as a relayer brings them, each negative one a good one with one change.

use crate::support::*;
use codec::{Decode, Encode};
use core::time::Duration;
use duet_ismp::{Clock, ConsensusProof, Error, CONSENSUS_CLIENT_ID, MAX_HANDOFFS, MAX_STATE_LEN};
use duet_light_client::Checkpoint;
use duet_primitives::{BlockNumber, H256};
use ismp::messaging::StateCommitmentHeight;
use sp_crypto_hashing::blake2_256;

fn verify(state: &[u8], proof: &[u8]) -> Result<(Vec<u8>, StateCommitmentHeight), Error> {
    let (state, new) = client().verify(state, proof, clock())?;
    Ok((state, new.expect("a block")))
}

fn refusal(proof: &ConsensusProof) -> Error {
    verify(&state(), &proof.encode()).expect_err("refused")
}

#[test]
fn a_proof_gives_root_and_time_of_its_block() {
    let (next, got) = verify(&state(), &good().encode()).expect("good");
    assert_eq!(got.height, 5);
    assert_eq!(got.commitment.state_root, STATE_ROOT);
    assert_eq!(got.commitment.overlay_root, Some(CHILD_TRIE));
    assert_eq!(got.commitment.timestamp, SLOT * 6);
    let next = Checkpoint::decode(&mut &next[..]).expect("a checkpoint");
    assert_eq!(next.block_number, BlockNumber::new(5));
    assert_eq!(next.block_hash, H256(blake2_256(&good().header)));
}

#[test]
fn handoffs_lead_to_the_set_that_signed_the_head() {
    let (zero, one, two) = (set(0), set(1), set(2));
    let header = header(9, &[slot(SLOT)]);
    let proof = ConsensusProof {
        handoffs: vec![
            prove_block(&zero, &one, 3, H256([3; 32])),
            prove_block(&one, &two, 6, H256([6; 32])),
        ],
        head: prove_block(&two, &two, 9, H256(blake2_256(&header))),
        header,
    };
    let (next, got) = verify(&state(), &proof.encode()).expect("good");
    assert_eq!((got.height, got.commitment.overlay_root), (9, None));
    let next = Checkpoint::decode(&mut &next[..]).expect("a checkpoint");
    assert_eq!(next.keysets.current, *two.set.commitment());
    let mut without = proof;
    without.handoffs.remove(1);
    assert_eq!(refusal(&without).rule(), Some("LIGHT-6"));
}

/// LIGHT-4.
#[test]
fn a_block_that_is_trusted_already_or_passed_is_refused() {
    let (next, _) = verify(&state(), &good().encode()).expect("good");
    assert_eq!(verify(&next, &good().encode()), Err(Error::Known));
    let mut old = good();
    old.head = prove_block(&set(0), &set(0), 4, H256([4; 32]));
    let refused = verify(&next, &old.encode()).expect_err("old");
    assert_eq!(refused.rule(), Some("LIGHT-4"));
}

/// JUST-5.
#[test]
fn another_block_hash_under_the_same_signature_is_refused() {
    let mut proof = good();
    proof.head.justification.commitment.block_hash = H256([9; 32]);
    assert_eq!(refusal(&proof).rule(), Some("JUST-5"));
}

/// STATE-1.
#[test]
fn the_header_of_another_block_is_refused() {
    let mut proof = good();
    proof.header = header(5, &[slot(SLOT + 1), roots()]);
    assert_eq!(refusal(&proof).rule(), Some("STATE-1"));
}

#[test]
fn a_header_without_a_slot_or_with_one_that_no_clock_shows_is_refused() {
    assert_eq!(refusal(&with_header(header(5, &[roots()]))), Error::NoSlot);
    let far = with_header(header(5, &[slot(u64::MAX)]));
    assert_eq!(refusal(&far), Error::SlotOutOfRange { slot: u64::MAX });
}

#[test]
fn a_digest_that_cannot_be_read_is_refused() {
    let short = (6_u8, *b"aura", vec![1_u8; 7]).encode();
    assert_eq!(refusal(&with_header(header(5, &[short]))), Error::Digest);
}

/// ENC-6.
#[test]
fn cut_bytes_bytes_left_over_and_too_many_handoffs_are_refused() {
    let malformed = Err(Error::Malformed {
        object: "consensus proof",
    });
    let bytes = good().encode();
    for len in 0..bytes.len() {
        assert_eq!(verify(&state(), &bytes[..len]), malformed, "{len}");
    }
    assert_eq!(verify(&state(), &[&bytes[..], &[0]].concat()), malformed);
    let mut many = good();
    many.handoffs = vec![many.head.clone(); 1 + MAX_HANDOFFS as usize];
    assert_eq!(verify(&state(), &many.encode()), malformed);
    let state = [&state()[..], &[0]].concat();
    let malformed = Err(Error::Malformed {
        object: "trusted state",
    });
    assert_eq!(verify(&state, &bytes), malformed);
}

#[test]
fn two_proofs_of_one_height_are_fraud_and_two_of_two_heights_are_not() {
    let one = |number, salt| prove_block(&set(0), &set(0), number, H256([salt; 32])).encode();
    let fraud =
        |first: &[u8], second: &[u8]| client().verify_fraud(&state(), first, second, clock().now);
    assert_eq!(fraud(&one(5, 1), &one(5, 2)), Ok(()));
    assert_eq!(fraud(&one(5, 1), &one(6, 2)), Err(Error::NoContradiction));
    assert_eq!(fraud(&one(5, 1), &one(5, 1)), Err(Error::NoContradiction));
    let mut forged = prove_block(&set(0), &set(0), 5, H256([2; 32]));
    forged.justification.commitment.block_hash = H256([3; 32]);
    let refused = fraud(&one(5, 1), &forged.encode()).expect_err("forged");
    assert_eq!(refused.rule(), Some("JUST-5"));
}

/// Evidence against sets that were replaced: the last four, for an unbonding period.
#[test]
fn sets_that_were_replaced_are_punished_for_a_while() {
    let header = header(20, &[slot(SLOT)]);
    let handoffs = (0..5).map(|id| {
        let number = 3 * u32::try_from(id).expect("small") + 3;
        prove_block(&set(id), &set(id + 1), number, H256([3; 32]))
    });
    let proof = ConsensusProof {
        handoffs: handoffs.collect(),
        head: prove_block(&set(5), &set(5), 20, H256(blake2_256(&header))),
        header,
    };
    let (start, period) = (clock().now, Duration::from_secs(50));
    let at_start = Clock {
        unbonding_period: Some(period),
        ..clock()
    };
    let update = proof.encode();
    let (state, _) = client()
        .verify(&state(), &update, at_start)
        .expect("it is good");
    // A further block of the same set replaces none.
    let header = header_of_state(21, STATE_ROOT, &[slot(SLOT)]);
    let further = ConsensusProof {
        handoffs: Vec::new(),
        head: prove_block(&set(5), &set(5), 21, H256(blake2_256(&header))),
        header,
    };
    let (state, _) = client()
        .verify(&state, &further.encode(), at_start)
        .expect("it is good");
    assert!(state.len() <= MAX_STATE_LEN - 300, "a recovery has room");
    let fraud = |id, now| {
        let one = |salt| prove_block(&set(id), &set(id), 30, H256([salt; 32])).encode();
        client().verify_fraud(&state, &one(1), &one(2), now)
    };
    let rule = |answer: Result<(), Error>| answer.expect_err("too old").rule();
    for id in 1..=5 {
        assert_eq!(fraud(id, start + period), Ok(()), "set {id}");
    }
    assert_eq!(rule(fraud(0, start)), Some("LIGHT-5"));
    let late = start + period + Duration::from_millis(1);
    assert_eq!(rule(fraud(4, late)), Some("LIGHT-5"));
    assert_eq!(fraud(5, late), Ok(()));
}

#[test]
fn the_id_is_four_bytes_that_say_duet() {
    assert_eq!(&CONSENSUS_CLIENT_ID, b"DUET");
}
