//! What nodes sign, conclude and publish.

use super::{
    assert_says, block, chain, judge, lie, objection, proof, truth, vote, HANDOFF, SECOND_SET,
};
use crate::simulation::{chain::Chain, crypto, judge::Judge};
use duet_primitives::{Bitfield, EquivocationProof, SignerIndex, VotingRules, H256};
use std::sync::Arc;

#[test]
fn two_votes_of_one_node_on_one_block_are_a_violation_of_round_4() {
    let chain = chain();
    let mut judge = judge(&chain);
    let first = vote(&chain, 0, &truth(&chain, 3));
    judge.published(0, block(3), &first);
    judge.published(0, block(3), &first);
    judge.published(1, block(3), &vote(&chain, 1, &lie(&chain, 3)));
    let said = objection(&mut judge, |judge| {
        judge.published(0, block(3), &vote(&chain, 0, &lie(&chain, 3)));
    });
    assert_says(&said, "ROUND-4: node 0 signs two commitments for block 3");
}

#[test]
fn a_vote_ahead_of_grandpa_is_a_violation_of_round_1() {
    let chain = chain();
    let mut judge = judge(&chain);
    let vote = vote(&chain, 0, &truth(&chain, 4));
    let said = objection(&mut judge, |judge| judge.published(0, block(3), &vote));
    assert_says(&said, "ROUND-1: node 0 votes on 4, GRANDPA is at 3");
    judge.published(0, block(4), &vote);
}

#[test]
fn a_vote_past_the_handoff_block_is_a_violation_of_round_2_until_that_is_proven() {
    let chain = chain();
    let mut judge = judge(&chain);
    let early = vote(&chain, 0, &truth(&chain, HANDOFF + 1));
    let said = objection(&mut judge, |judge| judge.published(0, block(8), &early));
    assert_says(&said, "ROUND-2: node 0 votes on 6 before");
    judge.concluded(0, &proof(&chain, HANDOFF), true);
    judge.published(0, block(8), &early);
}

#[test]
fn a_vote_of_a_set_whose_predecessor_has_not_handed_off_is_a_violation_of_round_5() {
    let chain = chain();
    let mut judge = judge(&chain);
    let early = vote(&chain, 1, &truth(&chain, SECOND_SET));
    let said = objection(&mut judge, |judge| judge.published(1, block(12), &early));
    assert_says(&said, "ROUND-5: node 1 votes in set 1 before");
    judge.concluded(1, &proof(&chain, HANDOFF), true);
    judge.published(1, block(12), &early);
}

/// The mandatory block has no least distance. (ROUND-2)
#[test]
fn a_vote_closer_than_the_set_s_rules_allow_is_a_violation_of_round_11() {
    let rules = [1, 6, 1].map(VotingRules::with_min_delta);
    let sets = [vec![0, 1, 2, 3], vec![1, 2, 3, 4], vec![2, 3, 4, 5]];
    let chain = Chain::new(&sets, &[4], (4, 10), &[]).voting_by(rules.into_iter());
    let chain = Arc::new(chain);
    let mut judge = judge(&chain);
    judge.concluded(1, &proof(&chain, HANDOFF), true);
    let early = vote(&chain, 1, &truth(&chain, SECOND_SET));
    let said = objection(&mut judge, |judge| judge.published(1, block(20), &early));
    assert_says(
        &said,
        "ROUND-11: node 1 votes on 9, and set 1 begins with 14",
    );
    let mandatory = vote(&chain, 1, &truth(&chain, SECOND_SET + 4));
    judge.published(1, block(20), &mandatory);
}

#[test]
fn a_vote_in_a_set_on_a_block_of_another_set_is_a_violation_of_round_5() {
    let chain = chain();
    let mut judge = judge(&chain);
    let mut foreign = truth(&chain, 3);
    foreign.validator_set_id = truth(&chain, SECOND_SET).validator_set_id;
    let said = objection(&mut judge, |judge| {
        judge.published(1, block(12), &vote(&chain, 1, &foreign));
    });
    assert_says(&said, "ROUND-5: node 1 votes in set 1 on block 3");
}

#[test]
fn a_proof_below_the_threshold_is_a_violation_of_just_4() {
    let chain = chain();
    let mut judge = judge(&chain);
    let good = proof(&chain, 3);
    let mut thin = good.clone();
    thin.signers = Bitfield::from_indices(4, [0, 1].map(SignerIndex::new));
    let said = objection(&mut judge, |judge| judge.concluded(0, &thin, false));
    assert_says(&said, "JUST-4: node 0 concludes block 3 with 2 of 4");
    judge.concluded(0, &good, false);
}

#[test]
fn a_proof_whose_signature_does_not_hold_is_a_violation() {
    let chain = chain();
    let mut judge = judge(&chain);
    let mut forged = proof(&chain, 3);
    forged.signature = proof(&chain, 4).signature;
    let said = objection(&mut judge, |judge| judge.concluded(0, &forged, false));
    assert_says(
        &said,
        "node 0 concludes block 3 with a proof that does not hold",
    );
}

#[test]
fn a_proof_of_something_that_the_chain_does_not_say_is_a_violation() {
    let chain = chain();
    let mut judge = judge(&chain);
    let set = &chain.eras[0].set;
    let untrue = set.justify(&crypto::message(&lie(&chain, 3)), 0..3);
    let said = objection(&mut judge, |judge| {
        judge.concluded(0, untrue.as_unchecked(), false);
    });
    assert_says(&said, "node 0 concludes something untrue about block 3");
    let said = objection(&mut judge, |judge| {
        judge.diverged(0, untrue.as_unchecked());
    });
    assert_says(&said, "a threshold signed something untrue about block 3");
}

#[test]
fn a_wrong_answer_on_whether_a_block_is_mandatory_is_a_violation_of_round_2() {
    let chain = chain();
    for (number, mandatory) in [(HANDOFF, true), (3, false)] {
        let proof = proof(&chain, number);
        judge(&chain).concluded(0, &proof, mandatory);
        let said = objection(&mut judge(&chain), |judge| {
            judge.concluded(0, &proof, !mandatory);
        });
        assert_says(&said, "ROUND-2: node 0 is wrong on whether");
    }
}

#[test]
fn a_conclusion_out_of_order_is_a_violation() {
    let chain = chain();
    let mut judge = judge(&chain);
    judge.concluded(0, &proof(&chain, 4), false);
    for number in [3, 4] {
        let said = objection(&mut judge, |judge| {
            judge.concluded(0, &proof(&chain, number), false);
        });
        assert_says(&said, &format!("node 0 concludes block {number} after"));
    }
}

#[test]
fn a_conclusion_past_the_handoff_block_is_a_violation_of_round_2_until_that_is_proven() {
    let chain = chain();
    let mut judge = judge(&chain);
    let later = proof(&chain, HANDOFF + 1);
    let said = objection(&mut judge, |judge| judge.concluded(0, &later, false));
    assert_says(&said, "ROUND-2: node 0 concludes 6 before");
    judge.concluded(0, &proof(&chain, HANDOFF), true);
    judge.concluded(0, &later, false);
}

#[test]
fn a_conclusion_of_a_set_whose_predecessor_has_not_handed_off_is_a_violation_of_round_5() {
    let chain = chain();
    let mut judge = judge(&chain);
    let next = proof(&chain, SECOND_SET);
    let said = objection(&mut judge, |judge| judge.concluded(0, &next, false));
    assert_says(&said, "ROUND-5: node 0 concludes 9 of set 1 too early");
    judge.concluded(0, &proof(&chain, HANDOFF), true);
    judge.concluded(0, &next, false);
}

#[test]
fn after_a_crash_what_was_persisted_is_not_concluded_again() {
    let chain = chain();
    let mut judge = judge(&chain);
    judge.concluded(0, &proof(&chain, 3), false);
    judge.crashed(0);
    judge.concluded(0, &proof(&chain, 3), false);
    judge.persisted(0);
    judge.crashed(0);
    let said = objection(&mut judge, |judge| {
        judge.concluded(0, &proof(&chain, 3), false);
    });
    assert_says(&said, "node 0 concludes block 3 after block 3");
}

#[test]
fn a_proof_that_its_publisher_did_not_conclude_is_a_violation() {
    let chain = chain();
    let mut judge = judge(&chain);
    let proof = proof(&chain, 3);
    let said = objection(&mut judge, |judge| judge.published_proof(0, &proof));
    assert_says(&said, "node 0 publishes a proof of block 3");
    judge.concluded(0, &proof, false);
    judge.published_proof(0, &proof);
}

#[test]
fn a_second_check_of_the_same_vote_or_block_is_a_violation_of_gossip_3() {
    let chain = chain();
    let mut judge = judge(&chain);
    let first = vote(&chain, 1, &truth(&chain, 3));
    judge.checked_vote(0, 0, &first);
    let said = objection(&mut judge, |judge| judge.checked_vote(0, 0, &first));
    assert_says(&said, "GOSSIP-3: node 0 checks signer");
    // A restart forgets, and another commitment is evidence. (GOSSIP-4)
    judge.checked_vote(0, 1, &first);
    judge.checked_vote(0, 1, &vote(&chain, 1, &lie(&chain, 3)));
    let mut third = lie(&chain, 3);
    third.block_hash = H256::repeat_byte(0xdd);
    let third = vote(&chain, 1, &third);
    let said = objection(&mut judge, |judge| judge.checked_vote(0, 1, &third));
    assert_says(&said, "GOSSIP-3: node 0 checks signer");

    judge.checked_proof(0, 0, &proof(&chain, 3));
    let said = objection(&mut judge, |judge| {
        judge.checked_proof(0, 0, &proof(&chain, 3));
    });
    assert_says(&said, "GOSSIP-3: node 0 checks two proofs of block 3");
}

#[test]
fn blame_of_an_honest_node_is_a_violation_of_gossip_6() {
    let chain = chain();
    let mut judge = judge(&chain);
    judge.blamed(0, 7);
    let said = objection(&mut judge, |judge| judge.blamed(0, 1));
    assert_says(&said, "GOSSIP-6: node 0 blames the honest node 1");
}

#[test]
fn a_report_must_hold_come_once_and_name_nobody_honest() {
    let chain = chain();
    let mut judge = Judge::new(chain.clone(), vec![0, 1, 2]);
    let evidence = |node| {
        let set = &chain.eras[0].set;
        let [first, second] = [truth(&chain, 3), lie(&chain, 3)].map(|commitment| {
            let vote = vote(&chain, node, &commitment);
            crypto::check_vote(set, &vote).expect("a valid vote")
        });
        EquivocationProof::new(set.set.keyset(), &first, &second).expect("an equivocation")
    };
    let said = objection(&mut judge, |judge| judge.reported(0, 0, &evidence(1)));
    assert_says(&said, "node 0 reports an honest node");
    let good = evidence(3);
    let mut bad = good.clone();
    bad.second = bad.first.clone();
    let said = objection(&mut judge, |judge| judge.reported(0, 0, &bad));
    assert_says(&said, "node 0 reports evidence that fails");
    judge.reported(0, 0, &good);
    let said = objection(&mut judge, |judge| judge.reported(0, 0, &good));
    assert_says(&said, "node 0 reports signer");
}

#[test]
fn a_node_that_proves_nothing_in_a_calm_network_is_a_violation() {
    let chain = chain();
    let mut judge = Judge::new(chain.clone(), vec![0, 1]);
    for node in [0, 1] {
        judge.concluded(node, &proof(&chain, HANDOFF), true);
    }
    judge.concluded(0, &proof(&chain, 12), false);
    let said = objection(&mut judge, |judge| judge.finish(block(12), None));
    assert_says(&said, "node 1 has a proof of 5, GRANDPA is at 12");
    judge.finish(block(12), Some(1));
    judge.concluded(1, &proof(&chain, 12), false);
    judge.finish(block(12), None);
}

#[test]
fn a_grown_proof_without_more_signers_is_a_violation_of_round_9() {
    let chain = chain();
    let mut judge = judge(&chain);
    let first = proof(&chain, 3);
    judge.concluded(0, &first, false);
    let message = crypto::message(&truth(&chain, 3));
    let set = &chain.era_at(block(3)).set;
    judge.grown(0, &set.justify(&message, 0..4).into_unchecked());
    let said = objection(&mut judge, |judge| judge.grown(0, &first));
    assert_says(
        &said,
        "ROUND-9: the proof of block 3 at node 0 did not grow",
    );
}

/// RESET-4.
#[test]
fn a_vote_in_a_set_that_a_reset_has_ended_is_a_violation_of_reset_4() {
    let sets = [vec![0, 1, 2, 3], vec![1, 2, 3, 4]];
    let chain = Arc::new(Chain::new(&sets, &[4], (4, 10), &[1]));
    let mut judge = judge(&chain);
    let before = vote(&chain, 1, &truth(&chain, SECOND_SET - 1));
    judge.published(1, block(SECOND_SET - 1), &before);
    // The second set signs from the reset on, although nobody has handed off to it.
    judge.published(
        1,
        block(SECOND_SET),
        &vote(&chain, 1, &truth(&chain, SECOND_SET)),
    );
    // Node 3 is just being told, and node 2 was.
    let old = vote(&chain, 3, &before.commitment);
    judge.published(3, block(SECOND_SET), &old);
    judge.finalized(2, block(SECOND_SET));
    let said = objection(&mut judge, |judge| {
        judge.published(2, block(SECOND_SET), &vote(&chain, 2, &before.commitment));
    });
    assert_says(&said, "RESET-4: node 2 votes in set 0");
}
