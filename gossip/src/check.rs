//! The arithmetic of what waited: no lock is held meanwhile.

use crate::pending::{Claim, Subject};
use duet_primitives::{
    DualKeyset, Justification, JustificationError, RoundMessage, UncheckedJustification,
    UncheckedVote, Vote, VoteError, H256,
};
use sc_network_types::PeerId;
use std::{num::NonZeroUsize, sync::Arc};

/// Something to check, with what it is checked against.
#[derive(Debug)]
pub(crate) enum Check {
    /// Votes on a commitment that this node prepared, with their senders.
    Votes {
        set: Arc<DualKeyset>,
        message: RoundMessage,
        votes: Vec<(PeerId, UncheckedVote)>,
    },
    /// A vote on another commitment.
    StrangeVote {
        set: Arc<DualKeyset>,
        /// What it says, if it was hashed before.
        message: Option<RoundMessage>,
        sender: PeerId,
        vote: UncheckedVote,
    },
    /// A finality proof.
    Proof {
        set: Arc<DualKeyset>,
        sender: PeerId,
        proof: UncheckedJustification,
    },
}

/// What came of a check.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Of votes on one message that this node prepared.
    Votes(RoundMessage, Vec<CheckedVote>),
    /// Of a vote on another message.
    StrangeVote(RoundMessage, Box<CheckedVote>),
    /// Of a finality proof.
    Proof(Box<CheckedProof>),
}

/// What came of the check of a vote.
#[derive(Debug)]
pub(crate) struct CheckedVote {
    pub(crate) sender: PeerId,
    pub(crate) claim: Claim,
    pub(crate) verdict: Result<Vote, VoteError>,
}

/// What came of the check of a proof.
#[derive(Debug)]
pub(crate) struct CheckedProof {
    pub(crate) sender: PeerId,
    pub(crate) subject: Subject,
    pub(crate) verdict: Result<Justification, JustificationError>,
}

impl Check {
    /// Does the arithmetic.
    ///
    /// Votes of a batch are checked together, and each has its own verdict. (GOSSIP-5)
    pub(crate) fn run(self, genesis_hash: H256) -> Outcome {
        match self {
            Self::Votes {
                set,
                message,
                votes,
            } => {
                let (senders, votes): (Vec<_>, Vec<_>) = votes.into_iter().unzip();
                let claims: Vec<_> = votes.iter().map(Claim::of).collect();
                let verdicts =
                    UncheckedVote::check_all(votes, set.keyset(), &message, NonZeroUsize::MIN);
                let checked = senders.into_iter().zip(claims).zip(verdicts);
                let checked = checked.map(|((sender, claim), verdict)| CheckedVote {
                    sender,
                    claim,
                    verdict,
                });
                Outcome::Votes(message, checked.collect())
            }
            Self::StrangeVote {
                set,
                message,
                sender,
                vote,
            } => {
                let message = message
                    .unwrap_or_else(|| RoundMessage::new(genesis_hash, vote.commitment.clone()));
                let checked = CheckedVote {
                    sender,
                    claim: Claim::of(&vote),
                    verdict: vote.check(set.keyset(), &message),
                };
                Outcome::StrangeVote(message, Box::new(checked))
            }
            Self::Proof { set, sender, proof } => Outcome::Proof(Box::new(CheckedProof {
                sender,
                subject: Subject::of(&proof.commitment),
                verdict: proof.check(set.keyset(), genesis_hash),
            })),
        }
    }
}
