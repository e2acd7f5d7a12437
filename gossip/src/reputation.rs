//! The one table from conduct to reputation. (GOSSIP-6)
//!
//! What no honest node does, because it forwards only what it has checked, is charged as a share of a ban: so
//! many strikes within a few minutes, and the peer is out. What may happen to anybody costs little. The gossip
//! engine itself adds +16 for a message that was new and −4 for one sent twice. What a peer cannot be blamed for
//! (see `culprit` of each error) has no row here.

use super::message::MessageError;
use duet_primitives::{JustificationError, VoteError};
use sc_network::{peer_store::BANNED_THRESHOLD, ReputationChange as Rep};

/// What a peer did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conduct {
    /// Sent a vote that was new and valid.
    GoodVote,
    /// Sent a justification that was new and valid.
    GoodJustification,
    /// Sent evidence of an equivocation, in the form of the second vote.
    GoodEvidence,
    /// Sent a message that does not decode, of so many bytes.
    Undecodable {
        /// Its length.
        bytes: usize,
    },
    /// Sent a vote of a signer that the set does not have.
    UnknownSigner,
    /// Sent a vote whose signature or proof does not hold.
    BadVote,
    /// Sent a justification that breaks a rule which costs no arithmetic to check.
    MisshapenJustification,
    /// Sent a justification that fails its equation.
    BadJustification,
    /// Sent a request that does not decode or asks for more than the protocol allows.
    BadRequest,
    /// Sent more requests than the protocol allows.
    TooManyRequests,
    /// Answered with what does not decode or was not asked for.
    BadResponse,
    /// Answered with something useful.
    GoodResponse,
    /// Refused to answer a request that it has no reason to refuse.
    RefusedRequest,
    /// Did not answer in time.
    LateResponse,
}

impl Conduct {
    /// What a message that was not decoded says of its sender.
    pub(crate) fn of_message_error(error: MessageError) -> Self {
        match error {
            MessageError::Empty => Self::Undecodable { bytes: 0 },
            MessageError::TooLong { got, .. } | MessageError::Malformed { got } => {
                Self::Undecodable { bytes: got }
            }
        }
    }

    /// What a vote that broke a rule says of its sender; `None` when it says nothing.
    pub(crate) fn of_vote_error(error: &VoteError) -> Option<Self> {
        match error {
            VoteError::UnknownSigner { .. } => Some(Self::UnknownSigner),
            VoteError::Signature { .. } => Some(Self::BadVote),
            VoteError::WrongSet { .. } | VoteError::OtherMessage => None,
        }
    }

    /// What a justification that broke a rule says of its sender; `None` when it says nothing.
    pub(crate) fn of_justification_error(error: &JustificationError) -> Option<Self> {
        match error {
            JustificationError::WrongSet { .. } => None,
            JustificationError::BitfieldLength { .. }
            | JustificationError::PaddingBits
            | JustificationError::BelowThreshold { .. } => Some(Self::MisshapenJustification),
            JustificationError::Signature(_)
            | JustificationError::Apk2(_)
            | JustificationError::EquationFails => Some(Self::BadJustification),
        }
    }

    /// What this conduct costs or earns.
    pub(crate) fn reputation(self) -> Rep {
        match self {
            Self::GoodVote => Rep::new(100, "duet: good vote"),
            Self::GoodJustification => Rep::new(100, "duet: good justification"),
            Self::GoodEvidence => Rep::new(100, "duet: evidence of an equivocation"),
            Self::GoodResponse => Rep::new(100, "duet: good response"),
            Self::Undecodable { bytes } => {
                let bytes = i32::try_from(bytes).unwrap_or(BYTES_CAP).min(BYTES_CAP);
                Rep::new(
                    strike(1_000) - BYTE_COST * bytes,
                    "duet: undecodable message",
                )
            }
            Self::UnknownSigner => Rep::new(strike(1_000), "duet: unknown signer"),
            Self::BadVote => Rep::new(strike(100), "duet: bad vote"),
            Self::MisshapenJustification => Rep::new(strike(100), "duet: misshapen justification"),
            Self::BadJustification => Rep::new(strike(20), "duet: bad justification"),
            Self::BadResponse => Rep::new(strike(20), "duet: bad response"),
            Self::BadRequest => Rep::new(strike(1_000), "duet: bad request"),
            Self::TooManyRequests => Rep::new(strike(10_000), "duet: too many requests"),
            Self::RefusedRequest => Rep::new(-100, "duet: refused request"),
            Self::LateResponse => Rep::new(-200, "duet: late response"),
        }
    }
}

/// Each undecodable byte costs this much more, up to [`BYTES_CAP`] bytes.
const BYTE_COST: i32 = 500;
/// See [`BYTE_COST`].
const BYTES_CAP: i32 = 4096;

/// The cost of something that so many times in a row get a peer banned.
const fn strike(to_ban: i32) -> i32 {
    BANNED_THRESHOLD / to_ban
}

#[cfg(test)]
mod tests {
    use super::*;
    use duet_primitives::SignatureError;

    /// One of each, so that a new kind of conduct does not compile here until it has its row below.
    fn all() -> Vec<Conduct> {
        use Conduct::*;
        let all = vec![
            GoodVote,
            GoodJustification,
            GoodEvidence,
            Undecodable { bytes: 7 },
            UnknownSigner,
            BadVote,
            MisshapenJustification,
            BadJustification,
            BadRequest,
            TooManyRequests,
            BadResponse,
            GoodResponse,
            RefusedRequest,
            LateResponse,
        ];
        for conduct in &all {
            match conduct {
                GoodVote
                | GoodJustification
                | GoodEvidence
                | Undecodable { .. }
                | UnknownSigner
                | BadVote
                | MisshapenJustification
                | BadJustification
                | BadRequest
                | TooManyRequests
                | BadResponse
                | GoodResponse
                | RefusedRequest
                | LateResponse => {}
            }
        }
        all
    }

    #[test]
    fn good_conduct_earns_and_every_other_costs() {
        for conduct in all() {
            let earns = matches!(
                conduct,
                Conduct::GoodVote
                    | Conduct::GoodJustification
                    | Conduct::GoodEvidence
                    | Conduct::GoodResponse
            );
            assert_eq!(conduct.reputation().value > 0, earns, "{conduct:?}");
            assert!(conduct.reputation().reason.starts_with("duet: "));
        }
    }

    #[test]
    fn reasons_are_told_apart() {
        let mut reasons: Vec<_> = all().iter().map(|it| it.reputation().reason).collect();
        reasons.sort_unstable();
        let count = reasons.len();
        reasons.dedup();
        assert_eq!(reasons.len(), count);
    }

    #[test]
    fn what_costs_us_more_arithmetic_costs_the_sender_more() {
        let cost = |conduct: Conduct| -conduct.reputation().value;
        assert!(cost(Conduct::BadJustification) > cost(Conduct::BadVote));
        assert!(cost(Conduct::BadVote) > cost(Conduct::UnknownSigner));
        assert!(cost(Conduct::UnknownSigner) > 0);
    }

    #[test]
    fn undecodable_bytes_cost_by_length_up_to_a_cap() {
        let cost = |bytes| Conduct::Undecodable { bytes }.reputation().value;
        assert_eq!(cost(0), strike(1_000));
        assert_eq!(cost(10), strike(1_000) - 10 * BYTE_COST);
        assert_eq!(cost(usize::MAX), cost(4096));
    }

    #[test]
    fn twenty_bad_justifications_or_a_hundred_bad_votes_are_a_ban() {
        let value = |conduct: Conduct| i64::from(conduct.reputation().value);
        let ban = i64::from(BANNED_THRESHOLD);
        assert!(value(Conduct::BadJustification) * 21 < ban);
        assert!(value(Conduct::BadVote) * 101 < ban);
        assert!(value(Conduct::LateResponse) * 1_000_000 > ban);
    }

    #[test]
    fn our_own_misuse_blames_nobody() {
        assert_eq!(Conduct::of_vote_error(&VoteError::OtherMessage), None);
        let error = VoteError::Signature {
            signer: 0,
            error: SignatureError::ProofFails,
        };
        assert_eq!(Conduct::of_vote_error(&error), Some(Conduct::BadVote));
    }
}
