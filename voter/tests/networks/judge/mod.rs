//! The judge of the simulation objects to each kind of history that must never happen. Every test shows it a history
//! that it accepts, then the same with one thing changed.

mod divergence;
mod rounds;
mod statements;

use crate::simulation::{chain::Chain, crypto, judge::Judge, NodeId};
use duet_primitives::{
    testing, BlockNumber, Commitment, UncheckedJustification, UncheckedVote, H256,
};
use std::{
    panic::{self, AssertUnwindSafe},
    sync::Arc,
};

/// The handoff block of the first set, and the first block of the second one.
const HANDOFF: u32 = 5;
const SECOND_SET: u32 = 9;

/// Two sets of four; nodes 0 to 4 are honest, and node 4 is only in the second set.
fn chain() -> Arc<Chain> {
    let sets = [vec![0, 1, 2, 3], vec![1, 2, 3, 4]];
    let chain = Chain::new(&sets, &[4], (4, 10), &[]);
    assert_eq!(chain.eras[0].mandatory, Some(BlockNumber::new(HANDOFF)));
    assert_eq!(chain.eras[1].start, BlockNumber::new(SECOND_SET));
    Arc::new(chain)
}

fn judge(chain: &Arc<Chain>) -> Judge {
    Judge::new(chain.clone(), (0..5).collect())
}

fn block(number: u32) -> BlockNumber {
    BlockNumber::new(number)
}

/// What the chain says about a block.
fn truth(chain: &Chain, number: u32) -> Commitment {
    chain.commitment(block(number))
}

fn lie(chain: &Chain, number: u32) -> Commitment {
    Commitment {
        mmr_root: H256::repeat_byte(0xcc),
        ..truth(chain, number)
    }
}

/// A node's valid vote.
fn vote(chain: &Chain, node: NodeId, commitment: &Commitment) -> UncheckedVote {
    let era = chain.era(commitment.validator_set_id).expect("a set");
    let key = testing::secret(node as u64).public().pk1();
    let signer = era.set.set.keyset().position(&key).expect("a member");
    crypto::sign(&era.set, signer, commitment)
}

/// A valid proof of the truth about a block.
fn proof(chain: &Chain, number: u32) -> UncheckedJustification {
    let era = chain.era_at(block(number));
    let message = crypto::message(&truth(chain, number));
    era.set.justify(&message, 0..3).into_unchecked()
}

/// The judge's objection to what `act` tells it.
fn objection(judge: &mut Judge, act: impl FnOnce(&mut Judge)) -> String {
    let cause = panic::catch_unwind(AssertUnwindSafe(|| act(judge)))
        .expect_err("the judge objects to this");
    match cause.downcast::<String>() {
        Ok(text) => *text,
        Err(_) => panic!("the judge says what it objects to"),
    }
}

#[track_caller]
fn assert_says(objection: &str, expected: &str) {
    assert!(objection.starts_with(expected), "{objection}");
}
