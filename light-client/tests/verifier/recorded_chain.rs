//! A chain with many changes of its validators, followed with and without keys.

use codec::Encode;
use duet_light_client::{
    decode, testing::TestChain, Culprit, Error, HandoffProof, Mode, NextStep, Outcome, StartProof,
    StateError, Trusted, Update,
};
use duet_primitives::{
    suite, BlockNumber, Commitment, Keysets, SetId, StatelessProof, UncheckedJustification, H256,
};
use sp_core::{Blake2Hasher, Hasher};

const SETS: u64 = 12;

fn chain() -> TestChain {
    TestChain::new(SETS, 5, 1)
}

fn begin(chain: &TestChain, mode: Mode) -> Trusted {
    let proof: StartProof = decode(&chain.genesis_proof().encode()).expect("it decodes");
    Trusted::from_genesis(chain.genesis_hash, &proof, mode).expect("an honest genesis")
}

fn next(trusted: &Trusted, update: impl Into<Update>) -> Trusted {
    match trusted.verify(update).expect("an honest proof") {
        Outcome::New(verified) => verified.trusted,
        Outcome::Known => panic!("the block is new"),
    }
}

#[test]
fn one_proof_per_set_leads_from_genesis_to_the_head() {
    let chain = chain();
    let mut trusted = begin(&chain, Mode::Full);
    let proofs: Vec<HandoffProof> =
        decode(&chain.handoff_proofs(0, 100).encode()).expect("it decodes");
    for proof in proofs {
        trusted = next(&trusted, proof);
    }
    assert_eq!(trusted.latest_set().id, SetId::new(SETS));
    assert_eq!(trusted.missing_keys(), None);
    let head = chain.head().clone();
    trusted = next(
        &trusted,
        chain
            .justification(head.block_number.get())
            .expect("a proof"),
    );
    assert_eq!(
        (trusted.best_number(), trusted.best_hash()),
        (head.block_number, head.block_hash)
    );
}

#[test]
fn commitments_alone_lead_from_genesis_to_the_head() {
    let chain = chain();
    let mut trusted = begin(&chain, Mode::Stateless);
    let proofs: Vec<StatelessProof> =
        decode(&chain.stateless_handoff_proofs(0, 100).encode()).expect("it decodes");
    for proof in proofs {
        trusted = next(&trusted, proof);
        assert!(trusted.encode().len() < 1024, "no keys are kept");
    }
    assert_eq!(trusted.latest_set().id, SetId::new(SETS));
    let head = chain.head().block_number;
    trusted = next(
        &trusted,
        chain.stateless_proof(head.get()).expect("a proof"),
    );
    assert_eq!(trusted.best_number(), head);
}

#[test]
fn every_proof_in_turn_is_followed_in_both_modes_to_the_same_state() {
    let chain = chain();
    let (mut full, mut stateless) = (begin(&chain, Mode::Full), begin(&chain, Mode::Stateless));
    for justification in chain.justifications() {
        let number = justification.commitment.block_number;
        full = next(&full, justification.clone());
        while let Some(set) = full.missing_keys() {
            full = full
                .with_keys(set, &chain.keys(set.get()).expect("known"))
                .expect("its keys");
        }
        stateless = next(
            &stateless,
            chain.stateless_proof(number.get()).expect("the same block"),
        );
        assert_eq!(full.checkpoint(), stateless.checkpoint());
        assert_eq!(full.best_proof(), stateless.best_proof());
    }
    assert_eq!(full.best_number(), chain.head().block_number);
}

#[test]
fn a_set_may_sign_more_blocks_after_it_has_named_its_successor() {
    let chain = chain();
    let trusted = next(
        &begin(&chain, Mode::Full),
        chain.handoff_proofs(0, 1).remove(0),
    );
    let late = chain
        .justification(chain.mandatory(0) + 3)
        .expect("a late proof of set 0");
    let trusted = next(&trusted, late);
    assert_eq!(trusted.signing().id, SetId::new(0));
    assert_eq!(trusted.latest_set().id, SetId::new(1));
    assert_eq!(
        trusted.missing_keys(),
        None,
        "the keys came with the handoff proof"
    );
    let first_of_next = chain.justification(12).expect("a proof of set 1");
    let trusted = next(&trusted, first_of_next);
    assert_eq!(trusted.signing().id, SetId::new(1));
    assert_eq!(trusted.next(), None);
}

#[test]
fn the_same_block_is_known_and_an_older_one_is_not_needed() {
    let chain = chain();
    let trusted = begin(&chain, Mode::Full);
    let trusted = next(&trusted, chain.justification(2).expect("a proof"));
    let trusted = next(&trusted, chain.justification(5).expect("a proof"));
    let again = trusted.verify(chain.justification(5).expect("a proof"));
    assert!(matches!(again, Ok(Outcome::Known)));
    // Another threshold of signers for the same commitment is as good.
    let commitment = chain.justification(5).expect("a proof").commitment;
    let others = trusted.verify(chain.sign(0, commitment, [0, 1, 2, 3]));
    assert!(matches!(others, Ok(Outcome::Known)));
    let error = trusted
        .verify(chain.justification(2).expect("a proof"))
        .expect_err("it is old");
    assert_eq!(
        error,
        Error::OldBlock {
            best: BlockNumber::new(5),
            got: BlockNumber::new(2)
        }
    );
    assert_eq!(
        (error.culprit(), error.next_step()),
        (Culprit::Nobody, NextStep::GoOn)
    );
}

#[test]
fn a_client_that_is_too_far_behind_is_told_where_to_go_on() {
    let chain = chain();
    let trusted = begin(&chain, Mode::Full);
    let head = chain
        .justification(chain.head().block_number.get())
        .expect("a proof");
    let error = trusted
        .verify(head)
        .expect_err("set 0 does not lead there at once");
    assert_eq!(
        error,
        Error::TooFarAhead {
            latest: SetId::new(0),
            got: SetId::new(SETS - 1)
        }
    );
    assert_eq!(
        error.next_step(),
        NextStep::FetchHandoffProofs {
            from_set: SetId::new(0)
        }
    );
    assert_eq!(error.culprit(), Culprit::Nobody);
}

#[test]
fn a_checkpoint_leads_to_the_head_once_its_keys_are_there() {
    let chain = chain();
    for mode in [Mode::Full, Mode::Stateless] {
        let mut trusted = Trusted::from_checkpoint(chain.checkpoint(4), mode).expect("a good one");
        if mode == Mode::Full {
            let error = trusted
                .verify(chain.justification(42).expect("a proof"))
                .expect_err("there are no keys");
            assert_eq!(
                error.next_step(),
                NextStep::FetchKeys { set: SetId::new(4) }
            );
            assert_eq!(trusted.missing_keys(), Some(SetId::new(4)));
            trusted = trusted
                .with_keys(SetId::new(4), &chain.keys(4).expect("known"))
                .expect("its keys");
        }
        for number in [42, 45, 52] {
            trusted = match mode {
                Mode::Full => next(&trusted, chain.justification(number).expect("a proof")),
                Mode::Stateless => next(&trusted, chain.stateless_proof(number).expect("a proof")),
            };
            if let Some(set) = trusted.missing_keys() {
                trusted = trusted
                    .with_keys(set, &chain.keys(set.get()).expect("known"))
                    .expect("its keys");
            }
        }
        assert_eq!(trusted.best_number(), BlockNumber::new(52));
        assert_eq!(trusted.signing().id, SetId::new(5));
    }
}

#[test]
fn a_checkpoint_leads_back_to_the_state_that_printed_it() {
    let chain = chain();
    let trusted = next(
        &begin(&chain, Mode::Full),
        chain.handoff_proofs(0, 1).remove(0),
    );
    let again =
        Trusted::from_checkpoint(trusted.checkpoint(), Mode::Stateless).expect("a good one");
    assert_eq!(again.checkpoint(), trusted.checkpoint());
    assert_eq!(again.latest_set().id, SetId::new(1));
    // The set that names the successor once more, and the successor, which names its own.
    for number in [8, 15] {
        next(&again, chain.stateless_proof(number).expect("a proof"));
    }
}

#[test]
fn checkpoints_that_no_client_prints_are_refused() {
    let chain = chain();
    let good = chain.checkpoint(3);
    let with = |change: fn(&mut duet_light_client::Checkpoint)| {
        let mut checkpoint = good.clone();
        change(&mut checkpoint);
        Trusted::from_checkpoint(checkpoint, Mode::Full).expect_err("it is refused")
    };
    let set = SetId::new(3);
    let successor = |next| StateError::Successor { current: set, next };
    let fifth = SetId::new(5);
    assert_eq!(
        with(|bad| bad.keysets.next.id = SetId::new(5)),
        successor(fifth)
    );
    assert_eq!(with(|bad| bad.keysets.next.len = 4), successor(set));
    assert_eq!(
        with(|bad| bad.keysets.current.len = 0),
        StateError::Len { set, len: 0 }
    );
    assert!(matches!(
        with(|bad| bad.keysets.current.apk1.0 = [1; 48]),
        StateError::Total { .. }
    ));
}

#[test]
fn a_state_is_read_back_as_it_was_and_no_flipped_byte_passes() {
    let chain = chain();
    for mode in [Mode::Full, Mode::Stateless] {
        let trusted = match mode {
            Mode::Full => next(&begin(&chain, mode), chain.handoff_proofs(0, 1).remove(0)),
            Mode::Stateless => next(
                &begin(&chain, mode),
                chain.stateless_handoff_proofs(0, 1).remove(0),
            ),
        };
        let bytes = trusted.encode();
        let again = Trusted::decode(&bytes).expect("its own bytes");
        assert_eq!(again.encode(), bytes);
        assert_eq!(again.missing_keys(), None);
        let update: Update = match mode {
            Mode::Full => chain.justification(12).expect("a proof").into(),
            Mode::Stateless => chain.stateless_proof(12).expect("a proof").into(),
        };
        assert_eq!(next(&again, update).best_number(), BlockNumber::new(12));

        for offset in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[offset] ^= 0x80;
            let error = Trusted::decode(&bad).expect_err("a byte is flipped");
            let expected = match offset {
                0 => StateError::NotAState,
                _ => StateError::Checksum,
            };
            assert_eq!(error, expected, "offset {offset}");
        }
        let error = Trusted::decode(&bytes[..20]).expect_err("cut");
        assert_eq!(error, StateError::NotAState);
        let newer = with_part(&trusted, &bytes[..1], &[0x93]);
        let error = Trusted::decode(&newer).expect_err("of another version");
        let (expected, got) = (bytes[0], 0x93);
        assert_eq!(error, StateError::Version { expected, got });
    }
}

/// The bytes of a state with another part, and with the checksum that belongs to them.
fn with_part(state: &Trusted, part: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = state.encode();
    bytes.truncate(bytes.len() - 32);
    let at = bytes.windows(part.len()).position(|found| found == part);
    let at = at.expect("the state has the part");
    bytes.splice(at..at + part.len(), other.iter().copied());
    let checksum = Blake2Hasher::hash(&bytes);
    bytes.extend(checksum.as_bytes());
    bytes
}

#[test]
fn parts_of_a_state_that_do_not_belong_together_are_refused() {
    let chain = chain();
    let handoff = chain.handoff_proofs(0, 1).remove(0);
    let state = next(&begin(&chain, Mode::Full), handoff.clone());
    let refused = |part: Vec<u8>, other: Vec<u8>, why: &str| {
        let error = Trusted::decode(&with_part(&state, &part, &other)).expect_err("refused");
        assert_eq!(error, StateError::Malformed(why.to_string()));
    };
    let proven = handoff.justification.commitment;
    let changes: [fn(&mut Commitment); 4] = [
        |other| other.block_number = BlockNumber::new(4),
        |other| other.block_hash = H256::zero(),
        |other| other.validator_set_id = SetId::new(1),
        |other| other.next.len = 4,
    ];
    for change in changes {
        let mut other = proven.clone();
        change(&mut other);
        let why = "the proof is of another block";
        refused(proven.encode(), other.encode(), why);
    }
    let keysets = state.checkpoint().keysets;
    let alone = Keysets::without_successor(keysets.current.clone());
    let why = "keys of a next set, but no next set";
    refused(keysets.encode(), alone.encode(), why);
}

#[test]
fn keys_can_be_dropped_and_asked_for_again() {
    let chain = chain();
    let full = begin(&chain, Mode::Full);
    let kept = full.clone().in_mode(Mode::Full);
    assert_eq!(kept.missing_keys(), None);
    let stateless = full.clone().in_mode(Mode::Stateless);
    assert_eq!(stateless.missing_keys(), None);
    let keys = chain.keys(0).expect("known");
    assert_eq!(
        stateless
            .with_keys(SetId::new(0), &keys)
            .expect_err("it keeps none"),
        Error::KeysNotNeeded { set: SetId::new(0) }
    );
    let full = stateless.in_mode(Mode::Full);
    assert_eq!(full.missing_keys(), Some(SetId::new(0)));
    assert_eq!(
        full.with_keys(SetId::new(0), &keys)
            .expect("its keys")
            .missing_keys(),
        None
    );
    assert_eq!(
        full.with_keys(SetId::new(7), &keys)
            .expect_err("not trusted"),
        Error::KeysNotNeeded { set: SetId::new(7) }
    );
}

#[test]
fn the_genesis_state_may_hold_the_value_inline_as_version_0_does() {
    use sp_trie::{trie_types::TrieDBMutBuilderV0, LayoutV0, MemoryDB, Recorder, TrieMut};

    let first = chain().sets[0].set.commitment().clone();
    let keysets = Keysets::without_successor(first);
    let (mut db, mut root) = (MemoryDB::<Blake2Hasher>::default(), Default::default());
    TrieDBMutBuilderV0::new(&mut db, &mut root)
        .build()
        .insert(&suite::KEYSETS_STORAGE_KEY, &keysets.encode())
        .expect("in memory");
    let mut recorder = Recorder::<LayoutV0<Blake2Hasher>>::new();
    let key = &suite::KEYSETS_STORAGE_KEY;
    sp_trie::read_trie_value::<LayoutV0<_>, _>(&db, &root, key, Some(&mut recorder), None)
        .expect("in memory");
    let proof = StartProof {
        header: duet_light_client::testing::genesis_header(root, 0),
        nodes: recorder
            .drain()
            .into_iter()
            .map(|record| record.data)
            .collect(),
        keys: chain().keys(0).expect("known"),
    };
    let hash = Blake2Hasher::hash(&proof.header);
    Trusted::from_genesis(hash, &proof, Mode::Full).expect("state of version 0 proves as well");
}

#[test]
fn a_node_s_own_recorder_makes_exactly_the_proof_that_is_accepted() {
    use duet_light_client::testing::{genesis_header, trie};
    use sp_trie::{recorder, LayoutV1};

    let first = chain().sets[0].set.commitment().clone();
    let keysets = Keysets::without_successor(first);
    let others = (0..200u8).map(|index| (Blake2Hasher::hash(&[index]).0, vec![index; 70]));
    let own = (suite::KEYSETS_STORAGE_KEY, keysets.encode());
    let (db, root) = trie(others.chain([own]));
    let recorder = recorder::Recorder::<Blake2Hasher>::default();
    {
        let mut recorder = recorder.as_trie_recorder(root);
        let key = &suite::KEYSETS_STORAGE_KEY;
        sp_trie::read_trie_value::<LayoutV1<_>, _>(&db, &root, key, Some(&mut recorder), None)
            .expect("in memory");
    }
    let proof = StartProof {
        header: genesis_header(root, 0),
        nodes: recorder.to_storage_proof().into_iter_nodes().collect(),
        keys: chain().keys(0).expect("known"),
    };
    let hash = Blake2Hasher::hash(&proof.header);
    Trusted::from_genesis(hash, &proof, Mode::Full).expect("what nodes send is accepted");
}

#[test]
fn what_servers_send_is_pinned() {
    // Both ends of the RPC rely on these layouts; they are those of tuples of the same fields.
    let chain = chain();
    let StartProof {
        header,
        nodes,
        keys,
    } = chain.genesis_proof();
    assert_eq!(
        chain.genesis_proof().encode(),
        (header, nodes, keys).encode()
    );
    let HandoffProof {
        justification,
        next_keys,
    } = chain.handoff_proofs(0, 1).remove(0);
    let pair: (UncheckedJustification, _) = (justification, next_keys);
    assert_eq!(
        chain.handoff_proofs(0, 1).encode(),
        vec![pair.clone()].encode()
    );
    // What is said about the length of a proof is without the keys of a next set.
    let stateless = chain.stateless_handoff_proofs(0, 1).remove(0);
    let len = stateless.encode().len();
    assert_eq!(Update::from(stateless).proof_len(), len);
    let (len, handoff) = (pair.0.encode().len(), chain.handoff_proofs(0, 1).remove(0));
    assert_eq!(Update::from(handoff).proof_len(), len);
}
