//! The filter's verdict on an object, and the mapping from the culprit of an error to a verdict on its sender.

use duet_primitives::{BlockNumber, Culprit, JustificationError, SetId, SignerIndex, VoteError};

/// The verdict on an object that a peer sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<T> {
    /// Worth its curve work: check it with this.
    Check(T),
    /// An equal valid object is known: nothing to do, nobody to blame. (GOSSIP-3)
    Known,
    /// Not needed here and now; its sender is not to blame.
    Ignore(Ignored),
    /// Its sender breaks a rule. (GOSSIP-6)
    Blame(Blame),
}

/// Why an object is not needed here and now. (GOSSIP-2)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ignored {
    /// The signing set is not loaded yet.
    NotReady,
    /// Of a set whose time is over.
    OldSet {
        /// The set that signs.
        signing: SetId,
        /// The set that the object names.
        got: SetId,
    },
    /// Of a set that this node does not know yet: it is behind.
    FutureSet {
        /// The set that signs.
        signing: SetId,
        /// The set that the object names.
        got: SetId,
    },
    /// On a block that is proven, or before the first block of its set.
    Stale {
        /// The lowest block that is needed.
        lowest: BlockNumber,
        /// The block that the object names.
        got: BlockNumber,
    },
    /// On a block too far ahead, or beyond a mandatory block that is not proven here. (ROUND-2)
    Future {
        /// The highest block that is needed.
        highest: BlockNumber,
        /// The block that the object names.
        got: BlockNumber,
    },
    /// There is evidence already that this signer voted twice on this block.
    Equivocator {
        /// The signer.
        signer: SignerIndex,
    },
    /// The signer already has the maximum of open votes, all in higher rounds. (GOSSIP-7)
    Crowded {
        /// The signer.
        signer: SignerIndex,
    },
    /// The caller put together things that do not belong together.
    Misuse,
}

/// The rule that a sender broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// With a vote.
    Vote(VoteError),
    /// With a justification.
    Justification(JustificationError),
}

impl<T> Verdict<T> {
    /// The verdict for each culprit that `duet-primitives` names. `other_set` is the reason when nobody is to blame.
    fn of(culprit: Culprit, blame: Blame, other_set: Option<Ignored>) -> Self {
        match culprit {
            Culprit::Sender => Self::Blame(blame),
            Culprit::Nobody => Self::Ignore(other_set.unwrap_or(Ignored::Misuse)),
            Culprit::Caller | Culprit::Validators => Self::Ignore(Ignored::Misuse),
        }
    }
}

impl<T> From<VoteError> for Verdict<T> {
    fn from(error: VoteError) -> Self {
        let other_set = match error {
            VoteError::WrongSet { expected, got } => Some(Ignored::set(expected, got)),
            _ => None,
        };
        Self::of(error.culprit(), Blame::Vote(error), other_set)
    }
}

impl<T> From<JustificationError> for Verdict<T> {
    fn from(error: JustificationError) -> Self {
        let other_set = match error {
            JustificationError::WrongSet { expected, got } => Some(Ignored::set(expected, got)),
            _ => None,
        };
        Self::of(error.culprit(), Blame::Justification(error), other_set)
    }
}

impl Ignored {
    /// Of another set than the signing one.
    pub(crate) fn set(signing: SetId, got: SetId) -> Self {
        if got < signing {
            Self::OldSet { signing, got }
        } else {
            Self::FutureSet { signing, got }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_another_set_blames_nobody_and_says_on_which_side_it_is() {
        let old: Verdict<()> = VoteError::WrongSet {
            expected: SetId::new(4),
            got: SetId::new(3),
        }
        .into();
        assert_eq!(
            old,
            Verdict::Ignore(Ignored::OldSet {
                signing: SetId::new(4),
                got: SetId::new(3)
            })
        );
        let new: Verdict<()> = JustificationError::WrongSet {
            expected: SetId::new(4),
            got: SetId::new(5),
        }
        .into();
        assert_eq!(
            new,
            Verdict::Ignore(Ignored::FutureSet {
                signing: SetId::new(4),
                got: SetId::new(5)
            })
        );
    }

    #[test]
    fn a_bad_signature_blames_who_sent_it() {
        let error = JustificationError::EquationFails;
        assert_eq!(
            Verdict::<()>::from(error),
            Verdict::Blame(Blame::Justification(error))
        );
        let error = VoteError::UnknownSigner {
            signer: SignerIndex::new(4),
            len: 4,
        };
        assert_eq!(
            Verdict::<()>::from(error),
            Verdict::Blame(Blame::Vote(error))
        );
    }

    #[test]
    fn our_own_mistake_blames_nobody() {
        let verdict = Verdict::<()>::from(VoteError::OtherMessage);
        assert_eq!(verdict, Verdict::Ignore(Ignored::Misuse));
    }
}
