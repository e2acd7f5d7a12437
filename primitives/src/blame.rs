//! The culprit of each error: decided only here, with one vocabulary for all crates.
//!
//! Every match is exhaustive, so that a new error does not compile until its culprit is decided. Wrapping errors of
//! other crates pass on the culprit.

use crate::error::{
    AccusationError, AggregateError, CombineError, EquivocationError, JustificationError, KeyError,
    KeysetError, MerkleError, PossessionError, RecoveryError, SecretKeyError, SignatureError,
    StatelessError, VoteError,
};

/// The culprit of a refused object.
///
/// Never the signer that a refused object names: anybody can write a name. Only valid evidence convicts a validator: an
/// `EquivocationProof` or an `Accusation`, never an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Culprit {
    /// The sender: a peer, a server, the author of an extrinsic. Honest senders never send this.
    Sender,
    /// Enough validators of a set to break its finality: their signatures hold, but the signed commitments contradict
    /// each other or cannot be verified.
    Validators,
    /// The calling code, or the user whose input it passes on: mismatched arguments.
    Caller,
    /// Nobody: the object may be good, and this verifier is at another point of the chain.
    Nobody,
}

impl SecretKeyError {
    /// The culprit: the supplier of the secret.
    pub fn culprit(&self) -> Culprit {
        match self {
            Self::NotReduced | Self::Zero => Culprit::Caller,
        }
    }
}

impl KeyError {
    /// Who is to blame.
    pub fn culprit(&self) -> Culprit {
        match self {
            Self::Pk1(_) | Self::Pk2(_) => Culprit::Sender,
        }
    }
}

impl SignatureError {
    /// Who is to blame.
    pub fn culprit(&self) -> Culprit {
        match self {
            Self::ChallengeNotReduced
            | Self::ResponseNotReduced
            | Self::Sigma(_)
            | Self::ProofFails => Culprit::Sender,
        }
    }
}

impl PossessionError {
    /// Who is to blame.
    pub fn culprit(&self) -> Culprit {
        match self {
            Self::Key(error) => error.culprit(),
            Self::Ownership(error) | Self::Possession(error) => error.culprit(),
            Self::HalvesDiffer => Culprit::Sender,
        }
    }
}

impl MerkleError {
    /// Who is to blame.
    pub fn culprit(&self) -> Culprit {
        match self {
            Self::Indices | Self::HashCount { .. } | Self::Root => Culprit::Sender,
        }
    }
}

impl KeysetError {
    /// The culprit: the sender of the keys, or the validators who signed a commitment that no keys can have.
    pub fn culprit(&self) -> Culprit {
        match self {
            Self::InvalidTotal(_) => Culprit::Validators,
            Self::Empty
            | Self::TooLarge { .. }
            | Self::Order { .. }
            | Self::Key { .. }
            | Self::ZeroTotal
            | Self::Length { .. }
            | Self::Root { .. }
            | Self::Total { .. } => Culprit::Sender,
        }
    }
}

impl VoteError {
    /// Who is to blame.
    pub fn culprit(&self) -> Culprit {
        match self {
            Self::WrongSet { .. } => Culprit::Nobody,
            Self::UnknownSigner { .. } => Culprit::Sender,
            Self::OtherMessage => Culprit::Caller,
            Self::Signature { error, .. } => error.culprit(),
        }
    }
}

impl AggregateError {
    /// Who is to blame. The votes were checked, so that it is not their senders.
    pub fn culprit(&self) -> Culprit {
        match self {
            Self::WrongSet { .. }
            | Self::ForeignKey { .. }
            | Self::OtherMessage { .. }
            | Self::RepeatedSigner { .. }
            | Self::BelowThreshold { .. }
            | Self::OtherJustification => Culprit::Caller,
            // Keys with known secrets add up to zero only if their holders chose them so.
            Self::ZeroSum => Culprit::Validators,
        }
    }
}

impl JustificationError {
    /// Who is to blame.
    pub fn culprit(&self) -> Culprit {
        match self {
            Self::WrongSet { .. } => Culprit::Nobody,
            Self::BitfieldLength { .. }
            | Self::PaddingBits
            | Self::BelowThreshold { .. }
            | Self::Signature(_)
            | Self::Apk2(_)
            | Self::EquationFails => Culprit::Sender,
        }
    }
}

impl StatelessError {
    /// Who is to blame.
    pub fn culprit(&self) -> Culprit {
        match self {
            Self::Justification(error) => error.culprit(),
            Self::NonSignerCount { .. } => Culprit::Sender,
            Self::Merkle(error) => error.culprit(),
            Self::Key { error, .. } => error.culprit(),
            // The commitment was trusted before the proof came.
            Self::Total(_) => Culprit::Caller,
        }
    }
}

impl EquivocationError {
    /// Who is to blame.
    pub fn culprit(&self) -> Culprit {
        match self {
            Self::WrongSet { .. } => Culprit::Nobody,
            Self::DifferentChains => Culprit::Caller,
            Self::DifferentSigners | Self::DifferentBlocks | Self::SameCommitment => {
                Culprit::Sender
            }
            Self::Membership(error) => error.culprit(),
            Self::Key(error) => error.culprit(),
            Self::Signature { error, .. } => error.culprit(),
        }
    }
}

impl AccusationError {
    /// Who is to blame.
    pub fn culprit(&self) -> Culprit {
        match self {
            Self::WrongSet { .. } => Culprit::Nobody,
            Self::Membership(error) => error.culprit(),
            Self::Key(error) => error.culprit(),
            Self::Signature(error) => error.culprit(),
            Self::Nobody | Self::NotASigner { .. } => Culprit::Sender,
            Self::Proof(error) => error.culprit(),
        }
    }
}

impl RecoveryError {
    /// Who is to blame.
    pub fn culprit(&self) -> Culprit {
        match self {
            // The statement may be about another block of the chain.
            Self::WrongSet { .. } => Culprit::Nobody,
            Self::ResetOrder { .. }
            | Self::SetOrder { .. }
            | Self::SetLength { .. }
            | Self::UnknownSigner { .. }
            | Self::Nobody
            | Self::NotASigner { .. } => Culprit::Sender,
            Self::SetTotal(error) => error.culprit(),
            Self::Proof(error) => error.culprit(),
            Self::Membership(error) => error.culprit(),
        }
    }
}

impl CombineError {
    /// Who is to blame: the signer of a bad signature, or the caller that combines what does not belong together.
    pub fn culprit(&self) -> Culprit {
        match self {
            Self::Nothing
            | Self::OtherStatement { .. }
            | Self::RepeatedSigner { .. }
            | Self::BelowThreshold { .. } => Culprit::Caller,
            Self::Vote { error, .. } | Self::Sum(error) => error.culprit(),
            Self::ZeroSum => Culprit::Validators,
        }
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use crate::numbers::{SetId, SignerIndex};
    use duet_curve::PointError;

    const SIGNER: SignerIndex = SignerIndex::new(1);
    const POINT: PointError = PointError::Infinity;

    #[test]
    fn an_object_of_another_set_blames_nobody() {
        let (expected, got) = (SetId::new(1), SetId::new(2));
        assert_eq!(
            VoteError::WrongSet { expected, got }.culprit(),
            Culprit::Nobody
        );
        let error = JustificationError::WrongSet { expected, got };
        assert_eq!(error.culprit(), Culprit::Nobody);
        assert_eq!(StatelessError::from(error).culprit(), Culprit::Nobody);
        let error = EquivocationError::WrongSet { expected, got };
        assert_eq!(error.culprit(), Culprit::Nobody);
    }

    #[test]
    fn an_object_that_breaks_a_rule_blames_its_sender_and_not_the_signer_it_names() {
        let error = SignatureError::ProofFails;
        let signer = SIGNER;
        assert_eq!(
            VoteError::Signature { signer, error }.culprit(),
            Culprit::Sender
        );
        assert_eq!(
            VoteError::UnknownSigner { signer, len: 1 }.culprit(),
            Culprit::Sender
        );
        let error = EquivocationError::Signature { which: 0, error };
        assert_eq!(error.culprit(), Culprit::Sender);
        assert_eq!(EquivocationError::SameCommitment.culprit(), Culprit::Sender);
        for error in [
            JustificationError::PaddingBits,
            JustificationError::Signature(POINT),
            JustificationError::EquationFails,
        ] {
            assert_eq!(error.culprit(), Culprit::Sender);
            assert_eq!(StatelessError::from(error).culprit(), Culprit::Sender);
        }
        let error = StatelessError::Key {
            index: signer,
            error: KeyError::Pk1(POINT),
        };
        assert_eq!(error.culprit(), Culprit::Sender);
        assert_eq!(
            StatelessError::from(MerkleError::Root).culprit(),
            Culprit::Sender
        );
        assert_eq!(PossessionError::HalvesDiffer.culprit(), Culprit::Sender);
        assert_eq!(
            PossessionError::Key(KeyError::Pk2(POINT)).culprit(),
            Culprit::Sender
        );
        assert_eq!(KeysetError::Empty.culprit(), Culprit::Sender);
        let total = KeysetError::InvalidTotal(KeyError::Pk1(POINT));
        assert_eq!(total.culprit(), Culprit::Validators);
    }

    #[test]
    fn what_the_caller_put_together_or_trusted_before_blames_the_caller() {
        assert_eq!(VoteError::OtherMessage.culprit(), Culprit::Caller);
        assert_eq!(StatelessError::Total(POINT).culprit(), Culprit::Caller);
        assert_eq!(
            EquivocationError::DifferentChains.culprit(),
            Culprit::Caller
        );
        assert_eq!(
            AggregateError::OtherMessage { signer: SIGNER }.culprit(),
            Culprit::Caller
        );
        assert_eq!(SecretKeyError::Zero.culprit(), Culprit::Caller);
    }

    #[test]
    fn votes_that_hold_and_add_up_to_infinity_blame_the_validators() {
        assert_eq!(AggregateError::ZeroSum.culprit(), Culprit::Validators);
    }
}
