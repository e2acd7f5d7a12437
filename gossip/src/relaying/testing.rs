//! Messages with invalid signatures: nothing here checks them.

use crate::message::GossipMessage;
use duet_primitives::{
    testing::TestSet, BlockNumber, RoundMessage, SignerIndex, UncheckedJustification,
    UncheckedVote, H256,
};
use std::sync::LazyLock;

/// The vote of a signer on a block.
pub(crate) fn vote(number: u32, signer: u32) -> GossipMessage {
    static VOTE: LazyLock<UncheckedVote> = LazyLock::new(|| {
        let set = TestSet::new(0, 0..4);
        let message = RoundMessage::new(H256::zero(), set.commitment(1, &set.set));
        UncheckedVote::sign(&set.secrets[0], SignerIndex::new(0), &message)
    });
    let mut vote = VOTE.clone();
    vote.commitment.block_number = BlockNumber::new(number);
    vote.signer = SignerIndex::new(signer);
    GossipMessage::Vote(vote)
}

/// A proof of a block.
pub(crate) fn proof(number: u32) -> GossipMessage {
    static PROOF: LazyLock<UncheckedJustification> = LazyLock::new(|| {
        let set = TestSet::new(0, 0..4);
        let message = RoundMessage::new(H256::zero(), set.commitment(1, &set.set));
        set.justify(&message, 0..3).into_unchecked()
    });
    let mut proof = PROOF.clone();
    proof.commitment.block_number = BlockNumber::new(number);
    GossipMessage::Justification(proof)
}
