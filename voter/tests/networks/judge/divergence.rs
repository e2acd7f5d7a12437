//! What nodes do about proofs that contradict their chains.

use super::{assert_says, block, chain, lie, objection, proof, truth, vote};
use crate::simulation::{
    chain::Chain,
    crypto,
    judge::{Judge, Premises},
};
use duet_primitives::{Commitment, UncheckedJustification, H256};
use std::sync::Arc;

/// A judge of a network in which a quorum may lie.
fn judge(chain: &Arc<Chain>) -> Judge {
    let premises = Premises {
        coalition: true,
        ..Premises::default()
    };
    Judge::assuming(premises, chain.clone(), (0..5).collect())
}

/// A valid proof of another block.
fn other_block(chain: &Chain, number: u32) -> UncheckedJustification {
    let said = Commitment {
        block_hash: H256::repeat_byte(0xcd),
        ..truth(chain, number)
    };
    let set = &chain.era_at(block(number)).set;
    set.justify(&crypto::message(&said), 0..3).into_unchecked()
}

/// ROUND-10.
#[test]
fn a_true_proof_that_is_taken_for_a_contradiction_is_a_violation_of_round_10() {
    let chain = chain();
    let mut judge = judge(&chain);
    judge.diverged(0, &other_block(&chain, 3));
    let said = objection(&mut judge, |judge| judge.diverged(0, &proof(&chain, 3)));
    assert_says(&said, "ROUND-10: node 0 takes a true proof of block 3");
}

/// ROUND-10.
#[test]
fn a_vote_after_a_contradiction_is_a_violation_of_round_10() {
    let chain = chain();
    let mut judge = judge(&chain);
    judge.published(0, block(3), &vote(&chain, 0, &truth(&chain, 3)));
    judge.diverged(0, &other_block(&chain, 3));
    judge.published(1, block(4), &vote(&chain, 1, &truth(&chain, 4)));
    // A restart changes nothing.
    judge.crashed(0);
    let said = objection(&mut judge, |judge| {
        judge.published(0, block(4), &vote(&chain, 0, &truth(&chain, 4)));
    });
    assert_says(&said, "ROUND-10: node 0 votes on 4");
}

/// ROUND-10.
#[test]
fn a_proof_of_another_block_that_is_not_reported_is_a_violation_of_round_10() {
    let chain = chain();
    let mut judge = judge(&chain);
    for node in [0, 1, 2] {
        judge.saw_proof(node, &proof(&chain, 3));
    }
    judge.finish(block(0), None);
    judge.saw_proof(0, &other_block(&chain, 3));
    judge.saw_proof(1, &other_block(&chain, 3));
    judge.diverged(0, &other_block(&chain, 3));
    let said = objection(&mut judge, |judge| judge.finish(block(0), None));
    assert_says(
        &said,
        "ROUND-10: node 1 got a proof of another block 3 and reports no contradiction",
    );
    // It was lost while it waited for GRANDPA.
    judge.crashed(1);
    judge.finish(block(0), None);
}

/// ROUND-10.
#[test]
fn a_quorum_that_lies_makes_no_untrue_conclusion_right() {
    let chain = chain();
    let mut judge = judge(&chain);
    let set = &chain.era_at(block(3)).set;
    let untrue = set.justify(&crypto::message(&lie(&chain, 3)), 0..3);
    judge.prepared(0, &truth(&chain, 3));
    for proof in [&other_block(&chain, 3), untrue.as_unchecked()] {
        let said = objection(&mut judge, |judge| judge.concluded(0, proof, false));
        assert_says(&said, "node 0 concludes something untrue about block 3");
    }
    // Another MMR root is noticed only where the node has looked.
    judge.concluded(1, untrue.as_unchecked(), false);
}
