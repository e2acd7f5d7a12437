//! Votes that hold, as many as a test needs.

use codec::Encode;
use duet_gossip::message::GossipMessage;
use duet_primitives::{
    testing::TestSet, BlockNumber, RoundMessage, SignerIndex, UncheckedJustification,
    UncheckedVote, Vote, H256,
};
use duet_voter::{Accepted, Window};
use std::{num::NonZeroUsize, sync::Arc};

/// The genesis block of the chain that the votes are for.
pub(crate) const GENESIS: H256 = H256::repeat_byte(9);
/// The first block that is voted on.
pub(crate) const FIRST: u32 = 5;

/// The votes of all members of a set on some blocks.
pub(crate) struct Votes {
    set: TestSet,
    /// What each block's round is about.
    pub(crate) rounds: Vec<RoundMessage>,
    /// By block, then by signer.
    pub(crate) votes: Vec<Vote>,
}

impl Votes {
    /// The votes of this many members on this many blocks.
    pub(crate) fn new(members: u32, blocks: u32) -> Self {
        let set = TestSet::new(0, 0..u64::from(members));
        let mut rounds = Vec::new();
        let mut votes = Vec::new();
        for number in FIRST..FIRST + blocks {
            let message = RoundMessage::new(GENESIS, set.commitment(number, &set.set));
            let message = message.expecting(members);
            let signed = set.secrets.iter().zip(0..).map(|(secret, signer)| {
                UncheckedVote::sign(secret, SignerIndex::new(signer), &message)
            });
            let checked = UncheckedVote::check_all(
                signed.collect(),
                set.set.keyset(),
                &message,
                NonZeroUsize::MIN,
            );
            votes.extend(
                checked
                    .into_iter()
                    .map(|vote| vote.expect("a vote of a member")),
            );
            rounds.push(message);
        }
        Self { set, rounds, votes }
    }

    /// What a voter accepts that signs these rounds.
    pub(crate) fn window(&self) -> Window {
        let blocks = u32::try_from(self.rounds.len()).expect("few rounds");
        Window {
            signing: Some(Accepted {
                set: Arc::new(self.set.set.clone()),
                lowest: BlockNumber::new(FIRST),
                highest: BlockNumber::new(FIRST + blocks),
            }),
            ..Window::default()
        }
    }
}

impl Votes {
    /// A proof of the first of these rounds.
    pub(crate) fn justification(&self) -> UncheckedJustification {
        let all = 0..self.set.set.keyset().len();
        let justification = self.set.justify(&self.rounds[0], all);
        justification.into_unchecked()
    }
}

/// The notification that carries a vote.
pub(crate) fn notification(vote: &Vote) -> Vec<u8> {
    GossipMessage::Vote(vote.to_unchecked()).encode()
}
