use crate::{
    mock::{
        events, key, logs, next_block, next_session, register, register_key_of, sessions, with,
        AwaitHandoff, Duet, Elected, RuntimeCall, RuntimeOrigin, Session, SlashableSessions,
        System, Test, Told, ValidatorsPerBlock,
    },
    Call, Error, Event, Handoff, HeaderOf, Keysets, Members, Sets, Truth, WeightInfo,
};
use duet_primitives::{
    testing::TestSet, Bitfield, BlockNumber, Commitment, ConsensusLog, KeysetCommitment,
    RoundMessage, SetId, SignerIndex, SigningRecord, StatelessProof, H256,
};
#[allow(deprecated)]
use frame_support::pallet_prelude::ValidateUnsigned;
use frame_support::{
    assert_noop, assert_ok,
    dispatch::{DispatchResultWithPostInfo, GetDispatchInfo, Pays},
    pallet_prelude::{InvalidTransaction, TransactionSource, TransactionValidity},
    traits::Hooks,
};
use sp_runtime::{traits::Header as _, DispatchError};

const ANYBODY: u64 = 50;

/// A block that plans a successor, with the set that hands off in it.
struct Planned {
    set: TestSet,
    header: HeaderOf<Test>,
    said: Commitment,
}

impl Planned {
    /// Ends this block, in which a set of these accounts has planned its successor.
    fn end_block(id: u64, members: &[u64]) -> Self {
        let number = System::block_number();
        Duet::on_finalize(number);
        let zero = H256::zero();
        let header = HeaderOf::<Test>::new(number, zero, zero, zero, System::digest());
        let payload = Duet::commitment_payload().expect("a set signs");
        let block = BlockNumber::new(number.try_into().expect("a block of a test"));
        let said = payload.commit(block, header.hash());
        next_block();
        frame_system::BlockHash::<Test>::insert(number, header.hash());
        Self {
            set: TestSet::new(id, members.iter().copied()),
            header,
            said,
        }
    }

    fn positions(&self, accounts: &[u64]) -> Vec<u32> {
        let position = |account: &u64| self.set.set.keyset().position(&key(*account).pk1());
        let positions = accounts.iter().map(position);
        positions.map(|p| p.expect("a member").get()).collect()
    }

    fn signed(&self, said: Commitment, accounts: &[u64]) -> StatelessProof {
        let message = RoundMessage::new(crate::mock::GENESIS, said);
        let proof = self.set.justify(&message, self.positions(accounts));
        StatelessProof::new(&proof, self.set.set.keyset()).expect("of this set")
    }

    fn handoff(&self, accounts: &[u64]) -> Handoff<HeaderOf<Test>> {
        Handoff {
            proof: self.signed(self.said.clone(), accounts),
            truth: Truth::Recent(Box::new(self.header.clone())),
        }
    }

    fn bitfield(&self, accounts: &[u64]) -> Bitfield {
        let signers = self.positions(accounts).into_iter().map(SignerIndex::new);
        Bitfield::from_indices(self.set.set.keyset().len(), signers)
    }
}

fn prove(handoff: Handoff<HeaderOf<Test>>) -> DispatchResultWithPostInfo {
    Duet::prove_handoff(RuntimeOrigin::signed(ANYBODY), Box::new(handoff))
}

fn ids() -> (u64, u64) {
    let sets = Keysets::<Test>::get().expect("there are sets");
    (sets.current.id.get(), sets.next.id.get())
}

fn set_id(id: u64) -> SetId {
    SetId::new(id)
}

/// Accounts 1 to 4 sign, and account 5 is about to replace account 4.
fn with_planned(test: impl FnOnce(Planned)) {
    with(&[1, 2, 3, 4], || {
        register(5);
        Elected::set(vec![1, 2, 3, 5]);
        next_session();
        assert_eq!(ids(), (0, 1));
        test(Planned::end_block(0, &[1, 2, 3, 4]));
    });
}

/// HANDOFF-1.
#[test]
fn the_proof_of_the_block_that_plans_the_successor_is_taken() {
    with_planned(|planned| {
        assert_eq!(Duet::handoff_signers(set_id(0)), Some(Bitfield::empty(4)));
        let post = prove(planned.handoff(&[1, 2, 3])).expect("it is accepted");
        assert_eq!(post.pays_fee, Pays::No);
        let signers = planned.bitfield(&[1, 2, 3]);
        assert_eq!(Duet::handoff_signers(set_id(0)), Some(signers));
        let (id, signed, len) = (set_id(0), 3, 4);
        assert_eq!(events(), [Event::HandoffProven { id, signed, len }]);
    });
}

/// HANDOFF-2.
#[test]
fn a_further_proof_needs_a_signer_that_no_proof_had() {
    with_planned(|planned| {
        assert_ok!(prove(planned.handoff(&[1, 2, 3])));
        let again = planned.handoff(&[1, 2, 3]);
        assert_noop!(prove(again), Error::<Test>::NoNewSigner);
        // It has fewer signers than are known, and one who was left out. The sender pays for it.
        let post = prove(planned.handoff(&[1, 2, 4])).expect("it is accepted");
        assert_eq!(post.pays_fee, Pays::Yes);
        let all = planned.bitfield(&[1, 2, 3, 4]);
        assert_eq!(Duet::handoff_signers(set_id(0)), Some(all));
        let full = planned.handoff(&[1, 2, 3, 4]);
        assert_noop!(prove(full), Error::<Test>::NoNewSigner);
    });
}

#[test]
fn only_who_signs_a_call_or_brings_a_bare_one_may_bring_a_proof() {
    with_planned(|planned| {
        let handoff = Box::new(planned.handoff(&[1, 2, 3]));
        assert_noop!(
            Duet::prove_handoff(RuntimeOrigin::root(), handoff.clone()),
            DispatchError::BadOrigin
        );
        assert_ok!(Duet::prove_handoff(RuntimeOrigin::none(), handoff));
        // A node's own fuller proof is free.
        let fuller = Box::new(planned.handoff(&[1, 2, 4]));
        let post = Duet::prove_handoff(RuntimeOrigin::none(), fuller).expect("it is accepted");
        assert_eq!(post.pays_fee, Pays::No);
    });
}

/// HANDOFF-1.
#[test]
fn what_is_not_what_the_chain_says_is_refused() {
    with_planned(|planned| {
        let refused = |handoff, error: Error<Test>| {
            assert_noop!(prove(handoff), error);
        };
        let good = planned.handoff(&[1, 2, 3]);

        let with_truth = |truth| Handoff {
            truth,
            ..good.clone()
        };
        refused(with_truth(Truth::Beyond), Error::ForeignHeader);
        let mut header = planned.header.clone();
        header.digest_mut().logs.pop();
        refused(
            with_truth(Truth::Recent(Box::new(header))),
            Error::ForeignHeader,
        );

        let says = |change: fn(&mut Commitment)| {
            let mut said = planned.said.clone();
            change(&mut said);
            Handoff {
                proof: planned.signed(said, &[1, 2, 3]),
                ..good.clone()
            }
        };
        let other = H256::repeat_byte(0xee);
        assert_ne!(planned.said.block_hash, other);
        refused(
            says(|said| said.block_hash = H256::repeat_byte(0xee)),
            Error::NotAHandoff,
        );
        refused(
            says(|said| said.mmr_root = H256::repeat_byte(0xee)),
            Error::NotAHandoff,
        );
        refused(
            says(|said| said.next.id = SetId::new(9)),
            Error::NotAHandoff,
        );
        refused(
            says(|said| said.block_number = BlockNumber::new(1)),
            Error::ForeignHeader,
        );
    });
}

/// HANDOFF-1: a later block of the session says the same of the successor, and plans nothing.
#[test]
fn a_block_that_plans_nothing_is_no_handoff() {
    with_planned(|_| {
        let later = Planned::end_block(0, &[1, 2, 3, 4]);
        assert!(later.said.is_handoff());
        assert_noop!(prove(later.handoff(&[1, 2, 3])), Error::<Test>::NotAHandoff);
    });
}

#[test]
fn a_proof_that_does_not_hold_is_refused() {
    with_planned(|planned| {
        let refused = |change: &dyn Fn(&mut StatelessProof)| {
            let mut handoff = planned.handoff(&[1, 2, 3]);
            change(&mut handoff.proof);
            assert_noop!(prove(handoff), Error::<Test>::InvalidHandoffProof);
        };
        let other = planned.handoff(&[1, 2, 4]).proof;
        refused(&|proof| proof.justification.signature = other.justification.signature);
        refused(&|proof| proof.justification.signers = other.justification.signers.clone());
        refused(&|proof| proof.justification.signers = Bitfield::from_bytes(vec![0b111, 0]));
        refused(&|proof| proof.justification.signers = planned.bitfield(&[1, 2]));
        refused(&|proof| proof.non_signers.clear());
    });
}

/// HANDOFF-1.
#[test]
fn proofs_are_taken_from_the_first_vote_to_the_end_of_the_session_after_the_last() {
    with_planned(|planned| {
        for id in [1, 2, 99] {
            assert_eq!(Duet::handoff_signers(set_id(id)), None, "set {id}");
        }
        next_session();
        assert_eq!(ids().0, 1);
        assert_ok!(prove(planned.handoff(&[1, 2, 3])));
        next_session();
        assert_eq!(Duet::handoff_signers(set_id(0)), None);
        assert_noop!(
            prove(planned.handoff(&[1, 2, 4])),
            Error::<Test>::HandoffNotExpected
        );
    });
}

/// HANDOFF-3.
#[test]
fn the_chain_is_told_once_who_signed_and_who_did_not() {
    with_planned(|planned| {
        assert_ok!(prove(planned.handoff(&[1, 2, 4])));
        next_session();
        assert_eq!(Told::take(), []);
        next_session();
        let told = Told::take();
        let [(id, mut signed, missed)] = <[_; 1]>::try_from(told).expect("one set");
        signed.sort_unstable();
        assert_eq!(
            (id, signed, &missed[..]),
            (set_id(0), vec![1, 2, 4], &[3][..])
        );
        assert!(events().contains(&Event::HandoffSettled { id, missed }));
        sessions(3);
        assert_eq!(Told::take(), []);
    });
}

/// CHAIN-8, EQV-6.
#[test]
fn a_large_set_is_told_of_in_several_blocks_and_forgotten_after_that() {
    with_planned(|planned| {
        assert_ok!(prove(planned.handoff(&[1, 2, 4])));
        next_session();
        ValidatorsPerBlock::set(2);
        SlashableSessions::set(0);
        let members = Members::<Test>::get(set_id(0)).into_inner();
        let mut told = Vec::new();
        for part in members.chunks(2) {
            if told.is_empty() {
                next_session();
            } else {
                next_block();
            }
            let [(id, mut signed, missed)] =
                <[_; 1]>::try_from(Told::take()).expect("a part of one set");
            assert!(events().contains(&Event::HandoffSettled {
                id,
                missed: missed.clone()
            }));
            assert!(missed.iter().all(|account| *account == 3));
            assert!(!signed.contains(&3));
            signed.extend(missed);
            signed.sort_unstable();
            let mut part = part.to_vec();
            part.sort_unstable();
            assert_eq!((id, &signed), (set_id(0), &part));
            told.extend(part);
            // It could have been forgotten when it was replaced.
            assert!(Sets::<Test>::contains_key(set_id(0)));
        }
        assert_eq!(told.len(), 4);
        next_session();
        assert_eq!(Told::take(), []);
        assert!(!Sets::<Test>::contains_key(set_id(0)));
        assert!(!Members::<Test>::contains_key(set_id(0)));
    });
}

/// HANDOFF-3: nobody can be told apart.
#[test]
fn a_set_without_a_proof_blames_nobody() {
    with_planned(|_| {
        sessions(2);
        let id = set_id(0);
        assert!(events().contains(&Event::HandoffMissed { id }));
        assert_eq!(Told::take(), []);
    });
}

#[test]
fn several_sets_that_a_reset_ended_are_settled_and_the_queue_goes_on() {
    with_planned(|_| {
        assert_ok!(Duet::reset(RuntimeOrigin::root()));
        assert_eq!(ids(), (2, 2));
        sessions(2);
        let missed = [0, 1].map(|id| Event::HandoffMissed { id: set_id(id) });
        let seen = events();
        assert!(missed.iter().all(|event| seen.contains(event)), "{seen:?}");
    });
}

#[test]
fn records_count_the_handoffs_of_each_member() {
    with_planned(|planned| {
        assert_ok!(prove(planned.handoff(&[1, 2, 3])));
        Elected::set(vec![1, 2, 3, 4]);
        next_session();
        assert_eq!(ids(), (1, 2));
        let planned = Planned::end_block(1, &[1, 2, 3, 5]);
        assert_ok!(prove(planned.handoff(&[2, 3, 5])));
        let mut records = Duet::signing_records();
        records.sort_by_key(|(validator, _)| *validator);
        let record = |signed, handoffs| SigningRecord { signed, handoffs };
        let expected = [
            (1, record(1, 2)),
            (2, record(2, 2)),
            (3, record(2, 2)),
            (4, record(0, 1)),
            (5, record(1, 1)),
        ];
        assert_eq!(records, expected);

        SlashableSessions::set(0);
        sessions(3);
        assert_eq!(Duet::signing_records(), [], "the sets are forgotten");
    });
}

/// HANDOFF-4.
#[test]
fn a_planned_set_takes_over_at_the_first_boundary_after_the_proof() {
    AwaitHandoff::set(true);
    with_planned(|planned| {
        let payload = Duet::commitment_payload();
        for _ in 0..2 {
            assert_eq!(next_session(), [], "nothing starts and nothing is planned");
            let session = Session::current_index();
            let (id, next) = (set_id(0), set_id(1));
            assert_eq!(events(), [Event::SetWaits { session, id, next }]);
            assert_eq!(ids(), (0, 1));
            assert_eq!(Duet::commitment_payload(), payload);
        }
        assert_ok!(prove(planned.handoff(&[1, 2, 3])));
        assert_eq!(ids(), (0, 1), "within the session nothing changes");
        Elected::set(vec![1, 2, 3, 4]);
        sessions(1);
        assert_eq!(ids(), (1, 2), "the next one is planned at once");
        let last_session = Session::current_index() - 1;
        let set = Sets::<Test>::get(set_id(0)).expect("it is remembered");
        assert_eq!(set.last_session, Some(last_session));
        assert_eq!(logs()[0], ConsensusLog::Activated(set_id(1)));
    });
}

/// RESET-1, HANDOFF-4.
#[test]
fn a_reset_ends_the_wait() {
    AwaitHandoff::set(true);
    with_planned(|_| {
        sessions(2);
        assert_ok!(Duet::reset(RuntimeOrigin::root()));
        assert_eq!(ids(), (2, 2));
        next_session();
        assert!(!events().iter().any(|e| matches!(e, Event::SetWaits { .. })));
    });
}

fn payload_in_header() -> bool {
    Duet::on_finalize(System::block_number());
    let is_payload = |log: &ConsensusLog| matches!(log, ConsensusLog::Payload(_));
    logs().iter().any(is_payload)
}

/// HANDOFF-5.
#[test]
fn a_set_signs_nothing_once_too_many_of_its_members_cannot_be_slashed() {
    AwaitHandoff::set(true);
    with_planned(|planned| {
        // Three of four were elected for the session after this one, and then one more leaves.
        sessions(2);
        let last = Session::current_index() + 1;
        Elected::set(vec![1, 2, 5]);
        let mut since = None;
        for _ in 0..20 {
            next_session();
            if Duet::commitment_payload().is_none() {
                break;
            }
            since = Some(Session::current_index());
        }
        let expired = Session::current_index();
        assert_eq!(since, Some(expired - 1));
        let id = set_id(0);
        let session = expired;
        assert_eq!(events(), [Event::SetExpired { session, id }]);
        assert_eq!(expired, last + SlashableSessions::get() + 1);
        assert!(payload_in_header(), "what is true is still shown");
        assert_eq!(Duet::handoff_signers(id), None);
        assert_noop!(
            prove(planned.handoff(&[1, 2, 3])),
            Error::<Test>::HandoffNotExpected
        );
        assert_ok!(Duet::reset(RuntimeOrigin::root()));
        assert!(Duet::commitment_payload().is_some());
    });
}

/// HANDOFF-5.
#[test]
fn a_set_that_goes_on_lasts_as_long_as_most_of_its_members_are_validators() {
    AwaitHandoff::set(true);
    with_planned(|_| {
        // One of four is a third at most.
        Elected::set(vec![1, 2, 3]);
        sessions(4 * SlashableSessions::get());
        assert!(Duet::commitment_payload().is_some());
    });
}

/// HANDOFF-5.
#[test]
fn a_set_of_the_same_validators_lasts_for_ever_and_so_does_one_that_took_over() {
    with_planned(|_| {
        for members in [&[1, 2, 3, 5], &[1, 2, 3, 4]] {
            Elected::set(members.to_vec());
            sessions(4 * SlashableSessions::get());
            assert!(Duet::commitment_payload().is_some(), "{members:?}");
        }
    });
}

/// HANDOFF-5: its time begins with the session for which its members were elected.
#[test]
fn a_set_that_took_over_has_its_own_time() {
    with_planned(|_| {
        // Nobody replaces it.
        Elected::set(vec![6, 7]);
        next_session();
        assert_eq!(ids(), (1, 1));
        sessions(SlashableSessions::get());
        assert!(Duet::commitment_payload().is_some());
        next_session();
        assert!(Duet::commitment_payload().is_none());
    });
}

/// HANDOFF-5: also when it waited for longer than that.
#[test]
fn a_set_that_waited_for_long_signs_as_long_as_its_members_are_validators() {
    AwaitHandoff::set(true);
    with_planned(|planned| {
        sessions(SlashableSessions::get() + 2);
        assert_ok!(prove(planned.handoff(&[1, 2, 3])));
        // The next one is planned at once.
        register_key_of(15, 5);
        next_session();
        assert_eq!(ids(), (1, 2));
        assert!(Duet::commitment_payload().is_some());
        let planned = Planned::end_block(1, &[1, 2, 3, 5]);
        assert_ok!(prove(planned.handoff(&[1, 2, 3])));
        next_session();
        assert_eq!(ids(), (2, 2));
    });
}

/// CHAIN-5, HANDOFF-5.
#[test]
fn a_set_that_nobody_can_replace_expires_too() {
    with(&[1, 2, 3, 4], || {
        Elected::set(vec![6, 7]);
        sessions(SlashableSessions::get());
        assert!(Duet::commitment_payload().is_some());
        next_session();
        assert_eq!(Duet::commitment_payload(), None);
        register(6);
        sessions(2);
        assert_eq!(ids(), (0, 0), "no handoff could be proven");
    });
}

/// A disabled validator's key counts as before: the set that light clients know has it.
#[test]
fn a_disabled_validator_stays_in_the_set_and_its_signature_counts() {
    with(&[1, 2, 3, 4], || {
        let sets = Duet::keysets();
        assert!(Session::disable_index(0));
        next_block();
        assert_eq!(Duet::keysets(), sets);
        register(5);
        Elected::set(vec![1, 2, 3, 5]);
        next_session();
        let planned = Planned::end_block(0, &[1, 2, 3, 4]);
        assert_ok!(prove(planned.handoff(&[1, 2, 3])));
    });
}

#[allow(deprecated)]
fn validity(source: TransactionSource, handoff: Handoff<HeaderOf<Test>>) -> TransactionValidity {
    let handoff = Box::new(handoff);
    Duet::validate_unsigned(source, &Call::prove_handoff { handoff })
}

#[test]
fn the_pool_takes_bare_proofs_from_the_node_itself_and_the_fullest_first() {
    with_planned(|planned| {
        let fewest = planned.handoff(&[1, 2, 3]);
        let most = planned.handoff(&[1, 2, 3, 4]);
        assert_eq!(
            validity(TransactionSource::External, most.clone()),
            Err(InvalidTransaction::Call.into())
        );
        let [few, all] = [fewest.clone(), most.clone()]
            .map(|handoff| validity(TransactionSource::Local, handoff).expect("it is accepted"));
        assert!(all.priority > few.priority);
        assert_eq!(all.provides, few.provides);
        assert!(!all.propagate);

        assert_ok!(prove(most));
        for source in [TransactionSource::Local, TransactionSource::InBlock] {
            assert_eq!(
                validity(source, fewest.clone()),
                Err(InvalidTransaction::Stale.into())
            );
        }
        let handoff = Box::new(fewest);
        #[allow(deprecated)]
        let dispatched = Duet::pre_dispatch(&Call::prove_handoff { handoff });
        assert_eq!(dispatched, Err(InvalidTransaction::Stale.into()));
    });
}

#[test]
fn the_pool_refuses_a_proof_that_does_not_hold() {
    with_planned(|planned| {
        let mut handoff = planned.handoff(&[1, 2, 3]);
        handoff.proof.justification.signature =
            planned.handoff(&[1, 2, 4]).proof.justification.signature;
        assert_eq!(
            validity(TransactionSource::Local, handoff),
            Err(InvalidTransaction::BadProof.into())
        );
    });
}

#[test]
fn a_call_costs_more_for_each_who_did_not_sign() {
    with_planned(|planned| {
        let weight = |accounts: &[u64]| {
            let handoff = Box::new(planned.handoff(accounts));
            let call = RuntimeCall::Duet(Call::prove_handoff { handoff });
            call.get_dispatch_info().call_weight
        };
        type Weights = <Test as crate::Config>::WeightInfo;
        assert_eq!(weight(&[1, 2, 3, 4]), Weights::prove_handoff(0));
        assert_eq!(weight(&[1, 2, 3]), Weights::prove_handoff(1));
        assert!(weight(&[1, 2, 3]).any_gt(weight(&[1, 2, 3, 4])));
    });
}

#[test]
fn members_are_kept_in_the_order_of_their_keys() {
    with_planned(|_| {
        let sets = Duet::keysets().expect("there are sets");
        for (set, accounts) in [(sets.current, [1, 2, 3, 4]), (sets.next, [1, 2, 3, 5])] {
            let mut owners = accounts.map(|account| (key(account).pk1(), account));
            owners.sort();
            let KeysetCommitment { id, .. } = set;
            let members = Members::<Test>::get(id);
            assert_eq!(members.into_inner(), owners.map(|(_, account)| account));
        }
    });
}
