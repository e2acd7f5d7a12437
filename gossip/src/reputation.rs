//! The costs and rewards of peers' behaviour: the only table of reputations. (GOSSIP-6)
//!
//! The error decides whether a peer is to blame (`culprit`). This file sets the cost. An honest node forwards only
//! checked messages: behaviour that it never shows costs a share of a ban, so that the peer is disconnected after so
//! many strikes within a few minutes. Behaviour that an honest node may show costs little.

use crate::{message::MessageError, requests::response::ResponseError};
use duet_light_client as light;
use duet_primitives::{Culprit, JustificationError, VoteError};
use sc_network::{peer_store::BANNED_THRESHOLD, ReputationChange as Rep, RequestFailure};

/// A peer's behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PeerBehaviour {
    /// Sent a new and valid vote.
    GoodVote,
    /// Sent a new and valid justification.
    GoodJustification,
    /// Sent evidence of an equivocation, in the form of the second vote.
    GoodEvidence,
    /// Sent a message that does not decode.
    Undecodable {
        /// Its length in bytes.
        bytes: usize,
    },
    /// Sent a vote with a signer outside of the set.
    UnknownSigner,
    /// Sent a vote whose signature or proof does not hold.
    BadVote,
    /// Sent a justification that breaks a rule whose check needs no arithmetic.
    MisshapenJustification,
    /// Sent a justification that fails its equation.
    BadJustification,
    /// Sent a request that does not decode or asks for more than the protocol allows.
    BadRequest,
    /// Sent more requests than the protocol allows.
    TooManyRequests,
    /// Sent a response that does not decode, breaks a rule or was not requested.
    BadResponse,
    /// Sent a useful response.
    GoodResponse,
    /// Refused to answer a request that it has no reason to refuse.
    RefusedRequest,
    /// Did not answer in time.
    LateResponse,
}

impl PeerBehaviour {
    /// The sender's behaviour when a message does not decode.
    pub fn of_message_error(error: &MessageError) -> Self {
        let bytes = match error {
            MessageError::Empty => 0,
            MessageError::TooLong { got, .. }
            | MessageError::UnknownKind { got, .. }
            | MessageError::Malformed { got, .. } => *got,
        };
        Self::Undecodable { bytes }
    }

    /// The sender's behaviour when a vote breaks a rule; `None` when the sender is not to blame.
    pub fn of_vote_error(error: &VoteError) -> Option<Self> {
        let behaviour = match error {
            VoteError::UnknownSigner { .. } => Self::UnknownSigner,
            _ => Self::BadVote,
        };
        (error.culprit() == Culprit::Sender).then_some(behaviour)
    }

    /// The sender's behaviour when a justification breaks a rule; `None` when the sender is not to blame.
    pub fn of_justification_error(error: &JustificationError) -> Option<Self> {
        let behaviour = match error {
            JustificationError::BitfieldLength { .. }
            | JustificationError::PaddingBits
            | JustificationError::BelowThreshold { .. } => Self::MisshapenJustification,
            _ => Self::BadJustification,
        };
        (error.culprit() == Culprit::Sender).then_some(behaviour)
    }

    /// The sender's behaviour when a response was rejected.
    pub fn of_response_error(error: &ResponseError) -> Self {
        match error {
            ResponseError::TooLong { .. }
            | ResponseError::TooMany { .. }
            | ResponseError::Malformed(_) => Self::BadResponse,
        }
    }

    /// The sender's behaviour when a handoff justification in a response breaks a rule; `None` when the sender is not
    /// to blame.
    pub fn of_answered_justification(error: &JustificationError) -> Option<Self> {
        (error.culprit() == Culprit::Sender).then_some(Self::BadResponse)
    }

    /// The sender's behaviour when a proof in a response breaks a rule of light clients; `None` when the sender is
    /// not to blame.
    pub fn of_answered_proof(error: &light::Error) -> Option<Self> {
        (error.culprit() == Culprit::Sender).then_some(Self::BadResponse)
    }

    /// The behaviour of the asked peer when a request failed; `None` when the peer is not to blame.
    pub fn of_request_failure(failure: &RequestFailure) -> Option<Self> {
        match failure {
            RequestFailure::Refused => Some(Self::RefusedRequest),
            _ => None,
        }
    }

    /// The names of all kinds in metrics.
    pub(crate) const NAMES: [&'static str; 14] = [
        "good_vote",
        "good_justification",
        "good_evidence",
        "good_response",
        "undecodable",
        "unknown_signer",
        "bad_vote",
        "misshapen_justification",
        "bad_justification",
        "bad_response",
        "bad_request",
        "too_many_requests",
        "refused_request",
        "late_response",
    ];

    /// The name in metrics: one of [`Self::NAMES`].
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::GoodVote => "good_vote",
            Self::GoodJustification => "good_justification",
            Self::GoodEvidence => "good_evidence",
            Self::GoodResponse => "good_response",
            Self::Undecodable { .. } => "undecodable",
            Self::UnknownSigner => "unknown_signer",
            Self::BadVote => "bad_vote",
            Self::MisshapenJustification => "misshapen_justification",
            Self::BadJustification => "bad_justification",
            Self::BadResponse => "bad_response",
            Self::BadRequest => "bad_request",
            Self::TooManyRequests => "too_many_requests",
            Self::RefusedRequest => "refused_request",
            Self::LateResponse => "late_response",
        }
    }

    /// The cost or reward of this behaviour.
    pub fn reputation(self) -> Rep {
        match self {
            Self::GoodVote => Rep::new(100, "duet: good vote"),
            Self::GoodJustification => Rep::new(100, "duet: good justification"),
            Self::GoodEvidence => Rep::new(100, "duet: evidence of an equivocation"),
            Self::GoodResponse => Rep::new(100, "duet: good response"),
            Self::Undecodable { bytes } => {
                let bytes = i32::try_from(bytes).unwrap_or(BYTES_CAP).min(BYTES_CAP);
                let cost = strike::<1_000>().saturating_sub(BYTE_COST.saturating_mul(bytes));
                Rep::new(cost, "duet: undecodable message")
            }
            Self::UnknownSigner => Rep::new(strike::<1_000>(), "duet: unknown signer"),
            Self::BadVote => Rep::new(strike::<100>(), "duet: bad vote"),
            Self::MisshapenJustification => {
                Rep::new(strike::<100>(), "duet: misshapen justification")
            }
            Self::BadJustification => Rep::new(strike::<20>(), "duet: bad justification"),
            Self::BadResponse => Rep::new(strike::<20>(), "duet: bad response"),
            Self::BadRequest => Rep::new(strike::<1_000>(), "duet: bad request"),
            Self::TooManyRequests => Rep::new(strike::<10_000>(), "duet: too many requests"),
            Self::RefusedRequest => Rep::new(-100, "duet: refused request"),
            Self::LateResponse => Rep::new(-200, "duet: late response"),
        }
    }
}

/// The extra cost of each undecodable byte, up to [`BYTES_CAP`] bytes.
const BYTE_COST: i32 = 500;
/// See [`BYTE_COST`].
const BYTES_CAP: i32 = 4096;

/// The cost of behaviour that gets a peer banned after so many repetitions in a row.
const fn strike<const TO_BAN: i32>() -> i32 {
    const { BANNED_THRESHOLD / TO_BAN }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duet_primitives::{SetId, SignatureError, SignerIndex};
    use std::collections::BTreeSet;

    /// One of each, so that a new kind of behaviour does not compile here until it has its row below.
    fn all() -> Vec<PeerBehaviour> {
        use PeerBehaviour::*;
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
        for behaviour in &all {
            match behaviour {
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
    fn good_behaviour_earns_and_every_other_costs() {
        for behaviour in all() {
            let earns = matches!(
                behaviour,
                PeerBehaviour::GoodVote
                    | PeerBehaviour::GoodJustification
                    | PeerBehaviour::GoodEvidence
                    | PeerBehaviour::GoodResponse
            );
            assert_eq!(behaviour.reputation().value > 0, earns, "{behaviour:?}");
            assert_ne!(behaviour.reputation().value, 0, "{behaviour:?}");
            assert!(behaviour.reputation().reason.starts_with("duet: "));
        }
    }

    #[test]
    fn reasons_and_names_are_told_apart() {
        let reasons: BTreeSet<_> = all().iter().map(|it| it.reputation().reason).collect();
        let names: BTreeSet<_> = all().into_iter().map(PeerBehaviour::name).collect();
        assert_eq!(reasons.len(), all().len());
        assert_eq!(names, PeerBehaviour::NAMES.into_iter().collect());
    }

    #[test]
    fn what_costs_us_more_arithmetic_costs_the_sender_more() {
        let cost = |behaviour: PeerBehaviour| -behaviour.reputation().value;
        assert!(cost(PeerBehaviour::BadJustification) > cost(PeerBehaviour::BadVote));
        assert!(cost(PeerBehaviour::BadVote) > cost(PeerBehaviour::UnknownSigner));
        assert!(cost(PeerBehaviour::UnknownSigner) > 0);
    }

    #[test]
    fn undecodable_bytes_cost_by_length_up_to_a_cap() {
        let cost = |bytes| PeerBehaviour::Undecodable { bytes }.reputation().value;
        assert_eq!(cost(0), strike::<1_000>());
        assert_eq!(cost(10), strike::<1_000>() - 10 * BYTE_COST);
        assert_eq!(cost(usize::MAX), cost(4096));
        assert!(cost(4095) > cost(4096));
    }

    /// Whether a peer is banned after this many repetitions of this behaviour alone.
    fn is_banned_after(times: i64, behaviour: PeerBehaviour) -> bool {
        i64::from(behaviour.reputation().value) * times < i64::from(BANNED_THRESHOLD)
    }

    /// GOSSIP-6.
    #[test]
    fn so_many_strikes_in_a_row_are_a_ban_and_one_less_is_none() {
        for (behaviour, strikes) in [
            (PeerBehaviour::BadJustification, 20),
            (PeerBehaviour::BadResponse, 20),
            (PeerBehaviour::BadVote, 100),
            (PeerBehaviour::MisshapenJustification, 100),
            (PeerBehaviour::UnknownSigner, 1_000),
            (PeerBehaviour::BadRequest, 1_000),
            (PeerBehaviour::TooManyRequests, 10_000),
        ] {
            // The division rounds towards zero, so one more strike may be needed.
            assert!(is_banned_after(strikes + 1, behaviour), "{behaviour:?}");
            assert!(!is_banned_after(strikes - 1, behaviour), "{behaviour:?}");
        }
    }

    #[test]
    fn what_can_happen_to_anybody_is_no_ban_in_a_million_times() {
        for behaviour in [PeerBehaviour::LateResponse, PeerBehaviour::RefusedRequest] {
            assert!(!is_banned_after(1_000_000, behaviour), "{behaviour:?}");
        }
    }

    #[test]
    fn an_error_that_blames_somebody_else_costs_the_sender_nothing() {
        let wrong_set = VoteError::WrongSet {
            expected: SetId::new(1),
            got: SetId::new(0),
        };
        for error in [VoteError::OtherMessage, wrong_set] {
            assert_eq!(PeerBehaviour::of_vote_error(&error), None, "{error}");
        }
        let error = JustificationError::WrongSet {
            expected: SetId::new(1),
            got: SetId::new(0),
        };
        assert_eq!(PeerBehaviour::of_justification_error(&error), None);
    }

    #[test]
    fn an_error_that_blames_the_sender_costs_what_its_check_costs() {
        let error = VoteError::Signature {
            signer: SignerIndex::new(0),
            error: SignatureError::ProofFails,
        };
        let of_vote = PeerBehaviour::of_vote_error(&error);
        assert_eq!(of_vote, Some(PeerBehaviour::BadVote));
        let of_padding = PeerBehaviour::of_justification_error(&JustificationError::PaddingBits);
        assert_eq!(of_padding, Some(PeerBehaviour::MisshapenJustification));
        let of_equation = PeerBehaviour::of_justification_error(&JustificationError::EquationFails);
        assert_eq!(of_equation, Some(PeerBehaviour::BadJustification));
    }
}
