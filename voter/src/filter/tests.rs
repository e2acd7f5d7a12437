use super::*;
use duet_primitives::{testing::TestSet, VoteSignature, H256};

fn set() -> TestSet {
    TestSet::new(5, 0..4)
}

fn accepted(set: &TestSet, lowest: u32, highest: u32) -> Accepted {
    Accepted {
        set: Arc::new(set.set.clone()),
        lowest: BlockNumber::new(lowest),
        highest: BlockNumber::new(highest),
    }
}

fn window(set: &TestSet, lowest: u32, highest: u32) -> Window {
    Window {
        signing: Some(accepted(set, lowest, highest)),
        ..Window::default()
    }
}

fn filter(set: &TestSet) -> Filter {
    let mut filter = Filter::new(2);
    filter.update(window(set, 10, 20));
    filter
}

fn message(set: &TestSet, block: u32) -> RoundMessage {
    RoundMessage::new(H256::zero(), set.commitment(block, &set.set))
}

fn lie(set: &TestSet, block: u32, lie: u8) -> RoundMessage {
    let mut commitment = set.commitment(block, &set.set);
    commitment.mmr_root = H256::repeat_byte(lie);
    RoundMessage::new(H256::zero(), commitment)
}

fn vote(set: &TestSet, signer: u32, message: &RoundMessage) -> Vote {
    set.vote(signer, message).expect("a member")
}

fn record(filter: &mut Filter, set: &TestSet, signer: u32, block: u32) {
    let message = message(set, block);
    let recorded = filter.record_vote(&vote(set, signer, &message));
    assert!(matches!(recorded, Recorded::New), "{recorded:?}");
}

fn ask(filter: &Filter, vote: &Vote) -> Verdict<bool> {
    match filter.vote(&vote.to_unchecked()) {
        Verdict::Check(check) => Verdict::Check(check.prepared.is_some()),
        Verdict::Known => Verdict::Known,
        Verdict::Ignore(reason) => Verdict::Ignore(reason),
        Verdict::Blame(blame) => Verdict::Blame(blame),
    }
}

#[test]
fn nothing_is_taken_before_the_first_window() {
    let set = set();
    let vote = vote(&set, 0, &message(&set, 10));
    assert_eq!(
        ask(&Filter::new(2), &vote),
        Verdict::Ignore(Ignored::NotReady)
    );
}

/// GOSSIP-2, with the signer of VOTE-2.
#[test]
fn set_and_block_are_looked_at_before_the_signer() {
    let set = set();
    let filter = filter(&set);
    let at = |id: u64, block, signer: u32| {
        let mut vote = vote(&set, 0, &message(&set, block)).into_unchecked();
        vote.commitment.validator_set_id = SetId::new(id);
        vote.signer = SignerIndex::new(signer);
        match filter.vote(&vote) {
            Verdict::Ignore(reason) => Err(reason),
            Verdict::Blame(blame) => Ok(Some(blame)),
            Verdict::Check(_) => Ok(None),
            Verdict::Known => panic!("nothing is known yet"),
        }
    };
    let (signing, got) = (SetId::new(5), SetId::new(4));
    assert_eq!(at(4, 10, 9), Err(Ignored::OldSet { signing, got }));
    let got = SetId::new(6);
    assert_eq!(at(6, 10, 9), Err(Ignored::FutureSet { signing, got }));
    let (lowest, got) = (BlockNumber::new(10), BlockNumber::new(9));
    assert_eq!(at(5, 9, 9), Err(Ignored::Stale { lowest, got }));
    let (highest, got) = (BlockNumber::new(20), BlockNumber::new(21));
    assert_eq!(at(5, 21, 9), Err(Ignored::Future { highest, got }));
    let unknown = VoteError::UnknownSigner {
        signer: SignerIndex::new(4),
        len: 4,
    };
    assert_eq!(at(5, 10, 4), Ok(Some(Blame::Vote(unknown))));
    assert_eq!(at(5, 10, 3), Ok(None));
    assert_eq!(at(5, 20, 3), Ok(None));
}

/// GOSSIP-3.
#[test]
fn a_known_vote_is_known_by_what_it_says_not_by_its_bytes() {
    let set = set();
    let mut filter = filter(&set);
    let first = vote(&set, 1, &message(&set, 12));
    assert_eq!(ask(&filter, &first), Verdict::Check(false));
    record(&mut filter, &set, 1, 12);
    let mut again = first.into_unchecked();
    again.signature = VoteSignature([7; 112]);
    assert!(matches!(filter.vote(&again), Verdict::Known));
}

#[test]
fn a_round_lacks_votes_until_there_are_enough_for_a_proof() {
    let set = set();
    let mut filter = filter(&set);
    let message = message(&set, 10);
    let lacking = |filter: &Filter| filter.lacking(message.commitment());
    assert_eq!(lacking(&filter), 0, "it is not known");
    filter.prepare(&message);
    let mut found = vec![lacking(&filter)];
    for signer in 0..4 {
        record(&mut filter, &set, signer, 10);
        found.push(lacking(&filter));
    }
    assert_eq!(found, [3, 2, 1, 0, 0]);
}

/// GOSSIP-7: what only peers name gets no tables, however many name it.
#[test]
fn only_what_this_node_prepared_is_checked_with_tables() {
    let set = set();
    let mut filter = filter(&set);
    let own = message(&set, 12);
    record(&mut filter, &set, 1, 12);
    assert_eq!(ask(&filter, &vote(&set, 2, &own)), Verdict::Check(false));
    filter.prepare(&own);
    assert_eq!(ask(&filter, &vote(&set, 2, &own)), Verdict::Check(true));
    let other = vote(&set, 2, &lie(&set, 12, 1));
    assert_eq!(ask(&filter, &other), Verdict::Check(false));
}

/// GOSSIP-4.
#[test]
fn a_second_commitment_is_evidence_once_and_a_third_costs_nothing() {
    let set = set();
    let mut filter = filter(&set);
    record(&mut filter, &set, 1, 12);
    let messages = [lie(&set, 12, 1), lie(&set, 12, 2)];
    let [second, third] = messages.each_ref().map(|message| vote(&set, 1, message));
    assert_eq!(ask(&filter, &second), Verdict::Check(false));
    let Recorded::Equivocation(proof) = filter.record_vote(&second) else {
        panic!("two commitments are an equivocation");
    };
    let offence = proof
        .check(set.set.commitment(), H256::zero())
        .expect("evidence holds");
    assert_eq!(offence.signer, SignerIndex::new(1));
    assert_eq!(offence.block_number, BlockNumber::new(12));
    assert_eq!(
        ask(&filter, &third),
        Verdict::Ignore(Ignored::Equivocator {
            signer: SignerIndex::new(1)
        })
    );
    assert!(matches!(filter.record_vote(&third), Recorded::Duplicate));
}

#[test]
fn a_vote_that_comes_late_is_still_evidence_but_not_forwarded() {
    let set = set();
    let mut filter = filter(&set);
    record(&mut filter, &set, 0, 12);
    filter.update(window(&set, 13, 20));
    let message = message(&set, 12);
    let late = vote(&set, 1, &message);
    assert_eq!(ask(&filter, &late), Verdict::Check(false));
    assert!(matches!(filter.record_vote(&late), Recorded::Late));
    assert_eq!(ask(&filter, &late), Verdict::Known);
    let other = lie(&set, 12, 1);
    let recorded = filter.record_vote(&vote(&set, 1, &other));
    assert!(matches!(recorded, Recorded::Equivocation(_)));
    let never_opened = vote(&set, 1, &lie(&set, 11, 1));
    let stale = Ignored::Stale {
        lowest: BlockNumber::new(13),
        got: BlockNumber::new(11),
    };
    assert_eq!(ask(&filter, &never_opened), Verdict::Ignore(stale));
}

/// GOSSIP-7: such a vote counts towards no quota.
#[test]
fn a_vote_above_a_window_that_shrank_is_not_taken_for_a_late_one() {
    let set = set();
    let mut filter = filter(&set);
    record(&mut filter, &set, 0, 15);
    filter.update(window(&set, 10, 14));
    let (highest, got) = (BlockNumber::new(14), BlockNumber::new(15));
    assert_eq!(
        ask(&filter, &vote(&set, 1, &message(&set, 15))),
        Verdict::Ignore(Ignored::Future { highest, got })
    );
}

/// ROUND-7.
#[test]
fn concluded_rounds_are_pruned_but_for_the_last_few() {
    let set = set();
    let mut filter = Filter::new(100);
    filter.update(window(&set, 1, 100));
    for block in 1..=30 {
        record(&mut filter, &set, 0, block);
    }
    filter.update(window(&set, 31, 100));
    assert_eq!(filter.votes_held(), EVIDENCE_ROUNDS);
    let next = TestSet::new(6, 0..4);
    filter.update(window(&next, 40, 100));
    assert_eq!(
        filter.votes_held(),
        EVIDENCE_ROUNDS,
        "evidence outlives its set's time"
    );
    let vote = vote(&set, 0, &lie(&set, 30, 1));
    assert_eq!(ask(&filter, &vote), Verdict::Check(false));
}

/// GOSSIP-10: a false vote on a block that was skipped is there to be compared, however many proofs lack a signer.
#[test]
fn rounds_whose_proofs_may_grow_leave_room_for_evidence() {
    let set = set();
    let mut filter = Filter::new(100);
    filter.update(window(&set, 1, 100));
    let growing = 1..=8;
    for block in growing.clone() {
        record(&mut filter, &set, 0, block);
    }
    let skipped = lie(&set, 9, 1);
    filter.record_vote(&vote(&set, 0, &skipped));
    filter.update(Window {
        late: growing.map(|block| accepted(&set, block, block)).collect(),
        ..window(&set, 11, 100)
    });
    assert_eq!(filter.strange().last(), Some(skipped.commitment()));
    filter.update(window(&set, 11, 100));
    assert_eq!(filter.votes_held(), EVIDENCE_ROUNDS);
}

/// GOSSIP-7.
#[test]
fn a_signer_who_votes_everywhere_only_displaces_itself() {
    let set = set();
    let mut filter = filter(&set);
    record(&mut filter, &set, 2, 11);
    for block in [11, 13, 12] {
        record(&mut filter, &set, 3, block);
    }
    assert_eq!(filter.votes_held(), 3);
    let crowded = Verdict::Ignore(Ignored::Crowded {
        signer: SignerIndex::new(3),
    });
    let displaced = vote(&set, 3, &message(&set, 11));
    assert_eq!(
        ask(&filter, &displaced),
        crowded,
        "no second check of a displaced vote"
    );
    assert_eq!(
        ask(&filter, &vote(&set, 3, &message(&set, 14))),
        Verdict::Check(false)
    );
    filter.update(window(&set, 12, 20));
    assert_eq!(ask(&filter, &displaced), crowded);
}

/// GOSSIP-7: who votes on after an equivocation cannot push out the evidence.
#[test]
fn a_signers_new_votes_displace_none_in_concluded_rounds() {
    let set = set();
    let mut filter = filter(&set);
    for (lowest, blocks) in [(10, [10, 11]), (12, [12, 13])] {
        filter.update(window(&set, lowest, 20));
        for block in blocks {
            record(&mut filter, &set, 0, block);
        }
    }
    assert_eq!(filter.votes_held(), 4);
}

#[test]
fn the_next_sets_votes_are_taken_in_its_own_window() {
    let (set, next) = (set(), TestSet::new(6, 1..5));
    let mut filter = filter(&set);
    let next_window = Some(accepted(&next, 18, 30));
    filter.update(Window {
        next: next_window,
        ..window(&set, 10, 17)
    });
    let at = |block| ask(&filter, &vote(&next, 0, &message(&next, block)));
    assert_eq!(
        at(17),
        Verdict::Ignore(Ignored::Stale {
            lowest: BlockNumber::new(18),
            got: BlockNumber::new(17)
        })
    );
    assert_eq!(at(18), Verdict::Check(false));
}

/// ROUND-10.
#[test]
fn a_proof_that_names_another_block_of_the_same_number_is_checked_too() {
    let set = set();
    let mut filter = filter(&set);
    let proof = set.justify(&message(&set, 12), 0..3);
    filter.record_justification(&proof);
    let mut other = set.commitment(12, &set.set);
    other.block_hash = H256::repeat_byte(9);
    let other = set.justify(&RoundMessage::new(H256::zero(), other), 0..3);
    let asked = filter.justification(other.as_unchecked());
    assert!(matches!(asked, Verdict::Check(_)));
    assert_eq!(filter.record_justification(&other), RecordedProof::New);
}

#[test]
fn one_valid_proof_per_block_is_checked() {
    let set = set();
    let mut filter = filter(&set);
    let proof = set.justify(&message(&set, 12), 0..3);
    let fuller = set.justify(&message(&set, 12), 0..4);
    assert!(matches!(
        filter.justification(proof.as_unchecked()),
        Verdict::Check(_)
    ));
    assert_eq!(filter.record_justification(&proof), RecordedProof::New);
    assert!(matches!(
        filter.justification(fuller.as_unchecked()),
        Verdict::Known
    ));
    assert_eq!(
        filter.record_justification(&fuller),
        RecordedProof::Duplicate
    );
}

/// ROUND-10.
#[test]
fn a_proof_of_a_known_block_with_another_payload_is_checked() {
    let set = set();
    let mut filter = filter(&set);
    filter.record_justification(&set.justify(&message(&set, 12), 0..3));
    let proof = set.justify(&lie(&set, 12, 7), 0..3);
    let verdict = filter.justification(proof.as_unchecked());
    assert!(matches!(verdict, Verdict::Check(_)));
    assert_eq!(filter.record_justification(&proof), RecordedProof::New);
}

/// GOSSIP-7.
#[test]
fn the_lowest_of_too_many_seen_proofs_is_forgotten() {
    let set = TestSet::new(5, [0]);
    let mut filter = filter(&set);
    let mut is_known = |block| {
        let proof = set.justify(&message(&set, block), [0]);
        filter.record_justification(&proof) == RecordedProof::Duplicate
    };
    let seen = u32::try_from(SEEN_PROOFS).expect("few");
    for block in 10..10 + seen {
        is_known(block);
    }
    assert_eq!([10, 10 + seen, 10].map(is_known), [true, false, false]);
}

#[test]
fn a_proof_of_a_concluded_block_is_checked_only_while_it_is_awaited() {
    let set = set();
    let mut filter = filter(&set);
    let proof = set.justify(&message(&set, 12), 0..3);
    filter.update(window(&set, 13, 20));
    let verdict = filter.justification(proof.as_unchecked());
    assert!(matches!(
        verdict,
        Verdict::Ignore(Ignored::Stale { lowest, got })
            if (lowest.get(), got.get()) == (13, 12)
    ));
    let unpublished = vec![accepted(&set, 12, 12)];
    filter.update(Window {
        unpublished,
        ..window(&set, 13, 20)
    });
    assert!(matches!(
        filter.justification(proof.as_unchecked()),
        Verdict::Check(_)
    ));
    let other = set.justify(&message(&set, 11), 0..3);
    let verdict = filter.justification(other.as_unchecked());
    assert!(matches!(verdict, Verdict::Ignore(Ignored::Stale { .. })));
}

/// ROUND-9.
#[test]
fn late_votes_that_make_a_proof_fuller_are_passed_on_and_forwarded_only_if_the_block_is_mandatory()
{
    let set = set();
    let mut filter = filter(&set);
    record(&mut filter, &set, 0, 10);
    let grows = |mandatory: bool| {
        let [this, other] = [10, 9].map(|block| vec![accepted(&set, block, block)]);
        let (late, late_handoffs) = if mandatory {
            (other, this)
        } else {
            (this, other)
        };
        Window {
            late,
            late_handoffs,
            ..window(&set, 11, 20)
        }
    };
    let message = message(&set, 10);
    filter.update(grows(false));
    let late = vote(&set, 1, &message);
    assert_eq!(ask(&filter, &late), Verdict::Check(false));
    assert!(matches!(filter.record_vote(&late), Recorded::Fuller));
    assert_eq!(ask(&filter, &late), Verdict::Known);
    filter.update(grows(true));
    assert!(matches!(
        filter.record_vote(&vote(&set, 2, &message)),
        Recorded::New
    ));
    filter.update(window(&set, 11, 20));
    assert!(matches!(
        filter.record_vote(&vote(&set, 3, &message)),
        Recorded::Late
    ));

    // Also where nothing was heard of the round before its proof came.
    let mut fresh = Filter::new(2);
    fresh.update(grows(false));
    assert!(matches!(fresh.record_vote(&late), Recorded::Fuller));
    assert_eq!(fresh.votes_held(), 1);
}

/// GOSSIP-10.
#[test]
fn votes_that_say_something_else_are_handed_out_once_to_be_compared_with_the_chain() {
    let set = set();
    let mut filter = filter(&set);
    let own = message(&set, 12);
    let lies = [(12, 1), (14, 2), (14, 3)].map(|(block, said)| lie(&set, block, said));
    filter.prepare(&own);
    filter.record_vote(&vote(&set, 1, &own));
    assert_eq!(filter.strange(), []);
    for (signer, lie) in [(0, 0), (3, 0), (0, 1), (2, 2)] {
        let message = &lies[lie];
        filter.record_vote(&vote(&set, signer, message));
    }
    // One that says what this node says hides none of them.
    filter.record_vote(&vote(&set, 2, &own));
    let said = lies.each_ref().map(|lie| lie.commitment().clone());
    assert_eq!(filter.strange(), said);
    let signers = |votes: Vec<Vote>| {
        votes
            .iter()
            .map(|vote| vote.signer().get())
            .collect::<Vec<_>>()
    };
    assert_eq!(signers(filter.take_judged(&said[0])), [0, 3]);
    assert!(filter.take_judged(&said[0]).is_empty());
    assert_eq!(filter.strange(), said[1..]);
    // Who says the same later is handed out, too.
    filter.record_vote(&vote(&set, 1, &lies[1]));
    assert_eq!(signers(filter.take_judged(&said[1])), [0, 1]);
    assert_eq!(filter.strange(), said[2..], "of the same round");
    assert_eq!(signers(filter.take_judged(&said[2])), [2]);
    assert_eq!(filter.strange(), []);
    // An early vote that this node says itself, in the end.
    let early = message(&set, 16);
    filter.record_vote(&vote(&set, 2, &early));
    assert_eq!(filter.strange().len(), 1);
    filter.prepare(&early);
    assert_eq!(filter.strange(), []);
}
