//! Where a client begins whose user trusts the hash of a block: at that block, with a proof from anybody. (LIGHT-1 to
//! LIGHT-3)

use codec::Encode;
use duet_light_client::{
    decode,
    testing::{self, StartState, TestChain},
    Conflict, Culprit, Error, Mode, NextStep, Outcome, StartProof, StorageProofError, Trusted,
    Update,
};
use duet_primitives::{BlockNumber, Keysets, SetId, H256};
use sp_core::{Blake2Hasher, Hasher};

const MODES: [Mode; 2] = [Mode::Full, Mode::Stateless];

fn chain() -> TestChain {
    TestChain::new(4, 5, 1)
}

/// What a client makes of a proof, whose user trusts the hash of its header.
fn at(chain: &TestChain, proof: &StartProof) -> Result<Trusted, Error> {
    Trusted::from_start(chain.genesis_hash, proof.block_hash(), proof, Mode::Full)
}

/// Why a proof was refused whose user trusts the first block of set 2.
fn refused(change: impl FnOnce(&mut StartProof)) -> Error {
    let chain = chain();
    let mut proof = chain.start_proof(2);
    let trusted = proof.block_hash();
    change(&mut proof);
    Trusted::from_start(chain.genesis_hash, trusted, &proof, Mode::Full).expect_err("refused")
}

/// The proof of block 7, whose state has this value.
fn with_value(value: Option<&[u8]>) -> StartProof {
    with_state(StartState {
        keysets: value,
        ..StartState::default()
    })
}

fn with_state(state: StartState<'_>) -> StartProof {
    let keys = chain().keys(2).expect("known");
    state.start_proof(H256::zero(), 7, keys)
}

#[test]
fn a_client_that_begins_at_a_block_follows_the_chain_from_there() {
    let chain = chain();
    for mode in MODES {
        let proof: StartProof = decode(&chain.start_proof(2).encode()).expect("it decodes");
        let hash = proof.block_hash();
        let mut trusted =
            Trusted::from_start(chain.genesis_hash, hash, &proof, mode).expect("honest");
        assert_eq!(trusted.genesis_hash(), chain.genesis_hash);
        assert_eq!(trusted.best_number(), BlockNumber::new(2 * testing::SPAN));
        assert_eq!(proof.block_number(), Some(trusted.best_number()));
        assert_eq!(trusted.best_hash(), hash);
        assert_eq!(trusted.signing(), chain.sets[2].set.commitment());
        assert_eq!((trusted.next(), trusted.missing_keys()), (None, None));
        assert!(trusted.best_proof().is_none());

        let updates: Vec<Update> = match mode {
            Mode::Full => chain
                .handoff_proofs(2, 9)
                .into_iter()
                .map(Update::from)
                .collect(),
            Mode::Stateless => {
                let proofs = chain.stateless_handoff_proofs(2, 9);
                proofs.into_iter().map(Update::from).collect()
            }
        };
        assert_eq!(updates.len(), 2);
        for update in updates {
            let Ok(Outcome::New(verified)) = trusted.verify(update) else {
                panic!("an honest handoff");
            };
            trusted = verified.trusted;
        }
        assert_eq!(trusted.latest_set(), chain.sets[4].set.commitment());
    }
}

#[test]
fn the_start_at_the_genesis_is_that_of_its_short_form() {
    let (chain, mode) = (chain(), Mode::Full);
    let (hash, proof) = (chain.genesis_hash, chain.genesis_proof());
    let short = Trusted::from_genesis(hash, &proof, mode).expect("honest");
    let long = Trusted::from_start(hash, hash, &proof, mode).expect("honest");
    assert_eq!(short.encode(), long.encode());
}

#[test]
fn what_a_client_began_with_at_a_block_is_kept_and_printed() {
    let chain = chain();
    let trusted = at(&chain, &chain.start_proof(2)).expect("honest");
    let read = Trusted::decode(&trusted.encode()).expect("its own");
    assert_eq!(read.checkpoint(), trusted.checkpoint());
    let again = Trusted::from_checkpoint(trusted.checkpoint(), Mode::Full).expect("its own");
    assert_eq!(again.best_hash(), trusted.best_hash());
}

#[test]
fn the_header_of_another_block_is_refused_and_its_sender_blamed() {
    let other = chain().start_proof(3);
    let got = other.block_hash();
    let error = refused(|proof| *proof = other);
    let expected = chain().start_proof(2).block_hash();
    assert_eq!(error, Error::WrongStart { expected, got });
    assert_eq!(
        (error.rule(), error.culprit()),
        ("LIGHT-1", Culprit::Sender)
    );
}

#[test]
fn the_genesis_of_another_chain_is_no_start() {
    let (chain, other) = (chain(), TestChain::new(1, 5, 2));
    let error = at(&chain, &other.genesis_proof()).expect_err("refused");
    let (expected, got) = (chain.genesis_hash, other.genesis_hash);
    assert_eq!(error, Error::OtherGenesis { expected, got });
    assert_eq!(
        (error.rule(), error.culprit()),
        ("LIGHT-1", Culprit::Caller)
    );
    assert_eq!(error.next_step(), NextStep::CheckTrustedHash);
}

#[test]
fn the_hash_of_something_else_than_a_header_is_no_start() {
    let (chain, mut proof) = (chain(), chain().start_proof(2));
    proof.header.truncate(80);
    let error = at(&chain, &proof).expect_err("refused");
    let hash = proof.block_hash();
    assert_eq!(error, Error::NotABlockHash { hash });
    assert_eq!(
        (error.rule(), error.culprit()),
        ("LIGHT-1", Culprit::Caller)
    );
    assert_eq!(proof.block_number(), None);
}

#[test]
fn a_start_that_cannot_be_on_the_chain_is_refused_before_its_state_is_read() {
    let (chain, mut proof) = (chain(), TestChain::new(1, 5, 2).genesis_proof());
    proof.nodes.clear();
    let error = at(&chain, &proof).expect_err("refused");
    assert!(matches!(error, Error::OtherGenesis { .. }));
}

#[test]
fn a_storage_proof_at_a_block_has_all_its_nodes_and_no_other() {
    let missing = refused(|proof| drop(proof.nodes.pop()));
    assert_eq!(missing, StorageProofError::Incomplete.into());
    let surplus = refused(|proof| proof.nodes.push(proof.nodes[0].clone()));
    assert!(matches!(
        surplus,
        Error::StorageProof(StorageProofError::Surplus { .. })
    ));
    // Another block's state.
    let other = refused(|proof| proof.nodes = chain().start_proof(1).nodes);
    assert_eq!(other, StorageProofError::Incomplete.into());
}

#[test]
fn the_keys_of_another_set_are_refused_and_their_sender_blamed() {
    let error = refused(|proof| proof.keys = chain().keys(3).expect("known"));
    assert_eq!(
        (error.rule(), error.culprit()),
        ("LIGHT-3", Culprit::Sender)
    );
}

#[test]
fn a_block_without_sets_is_told_from_a_lie() {
    // The block is from before the chain took Duet up, or of another chain.
    let skips = Keysets {
        current: chain().sets[2].set.commitment().clone(),
        next: chain().sets[4].set.commitment().clone(),
    };
    for value in [None, Some(vec![1; 50]), Some(skips.encode())] {
        let error = at(&chain(), &with_value(value.as_deref())).expect_err("refused");
        let block = BlockNumber::new(7);
        assert_eq!(error, Error::NoKeysets { block });
        assert_eq!(
            (error.rule(), error.culprit()),
            ("LIGHT-2", Culprit::Nobody)
        );
        assert_eq!(error.next_step(), NextStep::NewCheckpoint);
    }
}

fn third_set() -> Vec<u8> {
    Keysets::without_successor(chain().sets[2].set.commitment().clone()).encode()
}

/// A state that says by `mark` whether the set was ended.
fn marked<'a>(keysets: &'a [u8], mark: &'a [u8]) -> StartState<'a> {
    StartState {
        keysets: Some(keysets),
        ended: Some(mark),
        salt: 0,
    }
}

fn proof_of_mark(mark: &[u8]) -> StartProof {
    with_state(marked(&third_set(), mark))
}

#[test]
fn a_set_that_was_ended_is_not_trusted_and_nobody_is_to_blame() {
    let trusted = at(&chain(), &proof_of_mark(&false.encode())).expect("not ended");
    assert_eq!(trusted.signing(), chain().sets[2].set.commitment());

    let error = at(&chain(), &proof_of_mark(&true.encode())).expect_err("refused");
    let block = BlockNumber::new(7);
    assert_eq!(error, Error::Ended { block });
    assert_eq!(
        (error.rule(), error.culprit()),
        ("LIGHT-2", Culprit::Nobody)
    );
    assert_eq!(error.next_step(), NextStep::NewCheckpoint);
    for odd in [&[][..], &[2], &[0, 0]] {
        let error = at(&chain(), &proof_of_mark(odd)).expect_err("refused");
        assert_eq!(error, Error::NoKeysets { block }, "{odd:?}");
    }
}

/// Who kept back the node would have a client trust a set that was ended.
#[test]
fn a_start_that_does_not_prove_whether_its_set_was_ended_is_refused_and_its_sender_blamed() {
    for mark in [false, true] {
        let mut proof = proof_of_mark(&mark.encode());
        let (_, of_keysets_alone) = marked(&third_set(), &mark.encode()).prove(0);
        assert!(of_keysets_alone.len() < proof.nodes.len());
        proof.nodes = of_keysets_alone;
        let error = at(&chain(), &proof).expect_err("refused");
        assert_eq!(error, StorageProofError::Incomplete.into());
        assert_eq!(error.culprit(), Culprit::Sender);
    }
}

#[test]
fn the_sets_of_a_start_are_read_without_the_keys() {
    let mut proof = chain().start_proof(2);
    proof.keys.clear();
    let keysets = proof.keysets().expect("proven");
    assert_eq!(&keysets.current, chain().sets[2].set.commitment());
    proof.nodes.clear();
    let error = proof.keysets().expect_err("not proven");
    assert_eq!(error, StorageProofError::Incomplete.into());
    proof.header.clear();
    let error = proof.keysets().expect_err("no header");
    assert_eq!(error.rule(), "LIGHT-1");
}

#[test]
fn a_successor_in_the_state_of_a_block_is_trusted_at_once() {
    let keysets = Keysets {
        current: chain().sets[2].set.commitment().clone(),
        next: chain().sets[3].set.commitment().clone(),
    };
    let proof = with_value(Some(&keysets.encode()));
    let trusted = at(&chain(), &proof).expect("it is accepted");
    assert_eq!(trusted.latest_set(), chain().sets[3].set.commitment());
    assert_eq!(trusted.missing_keys(), Some(SetId::new(3)));
}

#[test]
fn a_proof_that_contradicts_the_start_block_is_told_to_who_vouched_for_it() {
    let chain = chain();
    let trusted = at(&chain, &chain.start_proof(2)).expect("honest");
    let mut commitment = chain.sets[2].commitment(trusted.best_number().get(), &chain.sets[2].set);
    commitment.block_hash = H256::repeat_byte(9);
    let error = trusted
        .verify(chain.sign(2, commitment, 0..5))
        .expect_err("another block");
    let expected = Error::CheckpointContradicted {
        number: trusted.best_number(),
        conflict: Conflict::SameBlock,
    };
    assert_eq!(error, expected);
    assert_eq!(error.culprit(), Culprit::Caller);
}

#[test]
fn the_hash_in_a_proof_is_that_of_its_header() {
    let proof = chain().start_proof(1);
    assert_eq!(proof.block_hash(), Blake2Hasher::hash(&proof.header));
}
