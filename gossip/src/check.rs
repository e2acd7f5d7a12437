//! The arithmetic of the checks: no lock is held meanwhile.

use crate::pending::{Claim, Subject};
use duet_primitives::{
    DualKeyset, Justification, JustificationError, RoundMessage, UncheckedJustification,
    UncheckedVote, Vote, VoteError, H256,
};
use sc_network_types::PeerId;
use std::{num::NonZeroUsize, sync::Arc};

/// An item to check, with the reference data.
#[derive(Debug)]
pub(crate) enum Check {
    /// Votes on a commitment prepared by this node, with their senders.
    Votes {
        set: Arc<DualKeyset>,
        message: RoundMessage,
        votes: Vec<(PeerId, UncheckedVote)>,
    },
    /// A vote on another commitment.
    StrangeVote {
        set: Arc<DualKeyset>,
        /// Its hashed statement, if it was hashed before.
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

/// The result of a check.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Votes on one message prepared by this node.
    Votes(RoundMessage, Vec<CheckedVote>),
    /// A vote on another message.
    StrangeVote(RoundMessage, Box<CheckedVote>),
    /// A finality proof.
    Proof(Box<CheckedProof>),
}

/// The result of a vote's check.
#[derive(Debug)]
pub(crate) struct CheckedVote {
    pub(crate) sender: PeerId,
    pub(crate) claim: Claim,
    pub(crate) verdict: Result<Vote, VoteError>,
}

/// The result of a proof's check.
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
