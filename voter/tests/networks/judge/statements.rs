//! What becomes of votes, above all of false ones.

use super::{assert_says, block, lie, objection, proof, truth, vote, SECOND_SET};
use crate::simulation::{
    chain::Chain,
    judge::{
        statements::{FalseVotes, Standing},
        Judge, Premises,
    },
    NodeId,
};
use duet_primitives::{Commitment, SignerIndex, UncheckedVote};
use duet_voter::Ignored;
use std::{slice::from_ref, sync::Arc};

/// How many rounds of a signer a node keeps, and how far ahead of GRANDPA it takes votes.
const ROOM: u32 = 3;
const LOOKAHEAD: u32 = 8;

/// One set of four that signs 30 blocks; nodes 0 to 2 are honest, and node 3 is not.
fn chain() -> Arc<Chain> {
    Arc::new(Chain::new(&[vec![0, 1, 2, 3]], &[4], (4, 30), &[]))
}

fn judge(chain: &Arc<Chain>) -> Judge {
    let premises = Premises {
        lookahead: LOOKAHEAD,
        rounds_per_signer: ROOM as usize,
        ..Premises::default()
    };
    Judge::assuming(premises, chain.clone(), vec![0, 1, 2])
}

/// Node 0 knows that GRANDPA finalized a block, which is the best one.
fn at(finalized: u32) -> Standing {
    Standing {
        node: 0,
        finalized: block(finalized),
        best: Some(block(finalized)),
    }
}

fn false_vote(chain: &Chain, node: NodeId, number: u32) -> UncheckedVote {
    vote(chain, node, &lie(chain, number))
}

/// A vote on a block that nobody has made.
fn vision(chain: &Chain, node: NodeId, number: u32) -> UncheckedVote {
    let said = Commitment {
        block_number: block(number),
        ..truth(chain, 1)
    };
    vote(chain, node, &said)
}

fn signer(chain: &Chain, node: NodeId) -> SignerIndex {
    vote(chain, node, &truth(chain, 1)).signer
}

#[test]
fn a_proof_that_counts_a_vote_for_something_else_is_a_violation() {
    let chain = chain();
    let mut judge = judge(&chain);
    let proof = proof(&chain, 3);
    let named: Vec<_> = (0..4)
        .filter(|node| proof.signers.contains(signer(&chain, *node)))
        .collect();
    for node in &named[1..] {
        judge.voted(&vote(&chain, *node, &truth(&chain, 3)));
    }
    judge.voted(&false_vote(&chain, named[0], 3));
    let said = objection(&mut judge, |judge| judge.counted(0, &proof));
    let expected = signer(&chain, named[0]);
    assert_says(
        &said,
        &format!("node 0 counts signer {expected} for block 3"),
    );
    judge.voted(&vote(&chain, named[0], &truth(&chain, 3)));
    judge.counted(0, &proof);
}

/// Its members have signed before anybody sees a vote; who is not in it has not.
#[test]
fn a_proof_of_a_coalition_counts_its_members_and_nobody_else() {
    let chain = chain();
    let proof = proof(&chain, 3);
    let named: Vec<_> = (0..4)
        .filter(|node| proof.signers.contains(signer(&chain, *node)))
        .collect();
    let mut judged = judge(&chain);
    judged.colluded(&proof, &named);
    judged.counted(0, &proof);
    let mut judged = judge(&chain);
    judged.colluded(&proof, &named[1..]);
    let said = objection(&mut judged, |judge| judge.counted(0, &proof));
    let innocent = signer(&chain, named[0]);
    assert_says(
        &said,
        &format!("node 0 counts signer {innocent} for block 3"),
    );
}

/// GOSSIP-3, GOSSIP-7: a proof that may still grow takes a vote that was displaced.
#[test]
fn a_vote_that_later_ones_displaced_may_be_checked_once_more() {
    let chain = chain();
    let mut judge = judge(&chain);
    let vote = |number| vote(&chain, 1, &truth(&chain, number));
    judge.checked_vote(0, 0, &vote(3));
    let said = objection(&mut judge, |judge| judge.checked_vote(0, 0, &vote(3)));
    assert_says(&said, "GOSSIP-3: node 0 checks signer");
    (4..4 + ROOM).for_each(|number| judge.checked_vote(0, 0, &vote(number)));
    judge.checked_vote(0, 0, &vote(3));
    let said = objection(&mut judge, |judge| judge.checked_vote(0, 0, &vote(3)));
    assert_says(&said, "GOSSIP-3: node 0 checks signer");
}

/// GOSSIP-3.
#[test]
fn a_vote_that_is_dropped_as_known_and_is_not_is_a_violation_of_gossip_3() {
    let chain = chain();
    let mut judge = judge(&chain);
    judge.took(0, &vote(&chain, 3, &truth(&chain, 3)));
    judge.knew(0, &vote(&chain, 3, &truth(&chain, 3)));
    for (node, unknown) in [
        (0, false_vote(&chain, 3, 3)),
        (1, vote(&chain, 3, &truth(&chain, 3))),
    ] {
        let said = objection(&mut judge, |judge| judge.knew(node, &unknown));
        assert_says(&said, &format!("GOSSIP-3: node {node} drops a vote"));
    }
}

/// GOSSIP-2.
#[test]
fn a_needed_vote_that_is_dropped_is_a_violation_of_gossip_2() {
    let chain = chain();
    let stale = Ignored::Stale {
        lowest: block(0),
        got: block(0),
    };
    // Block, and whether a node that has proven block 4 where GRANDPA is at 10 needs votes on it.
    for (number, needed) in [(4, false), (5, true), (18, true), (19, false)] {
        let mut judge = judge(&chain);
        judge.concluded(0, &proof(&chain, 4), false);
        let vote = vote(&chain, 3, &truth(&chain, number));
        judge.ignored(at(10), &vote, Ignored::NotReady);
        if needed {
            let said = objection(&mut judge, |judge| judge.ignored(at(10), &vote, stale));
            assert_says(&said, "GOSSIP-2: node 0 needs the vote");
        } else {
            judge.ignored(at(10), &vote, stale);
        }
    }
}

/// GOSSIP-2: the votes of the set that signs here, up to the handoff block and from the handoff on.
#[test]
fn which_votes_are_needed_follows_the_handoffs() {
    let chain = super::chain();
    let reason = Ignored::NotReady;
    let mut judge = judge(&chain);
    let needs = |judge: &mut Judge, number: u32| {
        let vote = vote(&chain, 1, &truth(&chain, number));
        let reason = Ignored::Future {
            highest: block(0),
            got: block(0),
        };
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            judge.ignored(at(12), &vote, reason);
        }))
        .is_err()
    };
    assert!(needs(&mut judge, super::HANDOFF));
    assert!(!needs(&mut judge, super::HANDOFF + 1));
    assert!(!needs(&mut judge, SECOND_SET));
    judge.concluded(0, &proof(&chain, super::HANDOFF), true);
    assert!(!needs(&mut judge, super::HANDOFF + 1));
    assert!(needs(&mut judge, SECOND_SET));
    judge.ignored(at(12), &vote(&chain, 1, &truth(&chain, SECOND_SET)), reason);
}

/// GOSSIP-7.
#[test]
fn a_signer_that_is_dropped_for_room_that_it_did_not_take_is_a_violation() {
    let chain = chain();
    let mut judge = judge(&chain);
    let low = vote(&chain, 3, &truth(&chain, 3));
    let crowded = Ignored::Crowded { signer: low.signer };
    for number in 4..4 + ROOM {
        let said = objection(&mut judge, |judge| judge.ignored(at(10), &low, crowded));
        assert_says(&said, "GOSSIP-2: node 0 needs the vote");
        judge.took(0, &vote(&chain, 3, &truth(&chain, number)));
    }
    judge.ignored(at(10), &low, crowded);
}

/// GOSSIP-4.
#[test]
fn a_signer_that_is_dropped_as_an_equivocator_without_evidence_is_a_violation() {
    let chain = chain();
    let mut judge = judge(&chain);
    let vote = false_vote(&chain, 3, 3);
    let equivocator = Ignored::Equivocator {
        signer: vote.signer,
    };
    judge.took(0, &vote);
    let said = objection(&mut judge, |judge| {
        judge.ignored(at(10), &vote, equivocator)
    });
    assert_says(&said, "GOSSIP-2: node 0 needs the vote");
    judge.took_evidence(0, &vote);
    judge.ignored(at(10), &vote, equivocator);
}

/// GOSSIP-10.
#[test]
fn an_accusation_of_what_is_true_or_not_known_yet_is_a_violation_of_gossip_10() {
    let chain = chain();
    let mut judge = judge(&chain);
    let (truth, early) = (
        vote(&chain, 3, &truth(&chain, 3)),
        false_vote(&chain, 3, 11),
    );
    for vote in [truth, early] {
        judge.took(0, &vote);
        let said = objection(&mut judge, |judge| judge.compared(at(10), from_ref(&vote)));
        assert_says(&said, "GOSSIP-10: node 0 accuses signer");
    }
    judge.compared(at(11), &[false_vote(&chain, 3, 11)]);
    let FalseVotes { taken, accused, .. } = judge.false_votes();
    assert_eq!((taken, accused), (1, 1));
    assert!(judge.accuses(0, 3) && !judge.accuses(0, 1) && !judge.accuses(1, 3));
}

/// GOSSIP-10.
#[test]
fn an_accusation_of_an_honest_node_is_a_violation_of_gossip_10_whatever_it_voted_for() {
    let chain = chain();
    let mut judge = judge(&chain);
    for node in [1, 3] {
        judge.took(0, &false_vote(&chain, node, 3));
    }
    let both = [3, 1].map(|node| false_vote(&chain, node, 3));
    let said = objection(&mut judge, |judge| judge.compared(at(10), &both));
    assert_says(&said, "GOSSIP-10: node 0 accuses the honest signer");
}

/// GOSSIP-10.
#[test]
fn a_second_accusation_of_one_vote_is_a_violation_of_gossip_10() {
    let chain = chain();
    let mut judge = judge(&chain);
    let vote = false_vote(&chain, 3, 3);
    judge.took(0, &vote);
    judge.compared(at(10), from_ref(&vote));
    let said = objection(&mut judge, |judge| judge.compared(at(10), from_ref(&vote)));
    assert_says(&said, "GOSSIP-10: node 0 accuses signer");
    assert!(said.contains("twice"), "{said}");
}

/// GOSSIP-10.
#[test]
fn a_false_vote_that_is_kept_back_is_a_violation_of_gossip_10_once_the_chain_can_tell() {
    let chain = chain();
    let mut judge = judge(&chain);
    judge.took(0, &false_vote(&chain, 3, 11));
    judge.compared(at(10), &[]);
    let said = objection(&mut judge, |judge| judge.compared(at(11), &[]));
    assert_says(&said, "GOSSIP-10: node 0 has a false vote");
    // A restart forgets it.
    judge.took(0, &false_vote(&chain, 3, 11));
    judge.crashed(0);
    judge.compared(at(11), &[]);
}

/// GOSSIP-10.
#[test]
fn a_vote_far_beyond_the_best_block_is_to_be_accused_at_once() {
    let chain = chain();
    let catching_up = Standing {
        best: None,
        ..at(3)
    };
    let (near, far) = (vision(&chain, 3, 35), vision(&chain, 3, 36));
    let mut judge = judge(&chain);
    judge.took(0, &near);
    judge.compared(at(3), &[]);
    let said = objection(&mut judge, |judge| judge.compared(at(3), from_ref(&near)));
    assert_says(&said, "GOSSIP-10: node 0 accuses signer");
    judge.took(0, &far);
    judge.compared(catching_up, &[]);
    let said = objection(&mut judge, |judge| {
        judge.compared(catching_up, from_ref(&far))
    });
    assert_says(&said, "GOSSIP-10: node 0 accuses signer");
    let said = objection(&mut judge, |judge| judge.compared(at(3), &[]));
    assert_says(&said, "GOSSIP-10: node 0 has a false vote");
}

/// GOSSIP-4, GOSSIP-7.
#[test]
fn a_false_vote_may_be_forgotten_only_for_room() {
    let chain = chain();
    // Eight concluded rounds above it, or as many rounds of its signer as one may have.
    for (above, by) in [(8, 1), (ROOM, 3)] {
        for (rounds, may) in [(above - 1, false), (above, true)] {
            let mut judge = judge(&chain);
            judge.took(0, &false_vote(&chain, 3, 3));
            for number in 4..4 + rounds {
                judge.took(0, &vote(&chain, by, &truth(&chain, number)));
            }
            judge.concluded(0, &proof(&chain, 20), false);
            if may {
                judge.compared(at(20), &[]);
                assert_eq!(judge.false_votes().forgotten, 1);
            } else {
                let said = objection(&mut judge, |judge| judge.compared(at(20), &[]));
                assert_says(&said, "GOSSIP-10: node 0 has a false vote");
            }
        }
    }
}

/// GOSSIP-4.
#[test]
fn rounds_that_are_open_are_no_reason_to_forget_a_false_vote() {
    let chain = chain();
    let mut judge = judge(&chain);
    judge.took(0, &false_vote(&chain, 3, 3));
    for number in 5..15 {
        judge.prepared(0, &truth(&chain, number));
    }
    judge.concluded(0, &proof(&chain, 4), false);
    let said = objection(&mut judge, |judge| judge.compared(at(20), &[]));
    assert_says(&said, "GOSSIP-10: node 0 has a false vote");
}
