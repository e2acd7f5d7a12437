//! One validator's vote on one commitment.

use crate::{
    commitment::{Commitment, RoundMessage, SignerIndex},
    curve::{Curve, Native},
    dleq,
    error::VoteError,
    keyset::Keyset,
    Pk1, SecretKey, VoteSignature,
};
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use scale_info::TypeInfo;

/// A vote as it travels; nothing is known about it.
#[derive(
    Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking, MaxEncodedLen, TypeInfo,
)]
pub struct UncheckedVote {
    /// What it says.
    pub commitment: Commitment,
    /// Position in its set of who claims to say so.
    pub signer: SignerIndex,
    /// Signature and proof.
    pub signature: VoteSignature,
}

impl UncheckedVote {
    /// Signs a commitment. Deterministic: the same secret and commitment give the same bytes.
    pub fn sign(secret: &SecretKey, signer: SignerIndex, message: &RoundMessage) -> Self {
        let signature = secret.sign_point(&message.hm);
        Self {
            commitment: message.commitment().clone(),
            signer,
            signature,
        }
    }

    /// Checks this vote against its set, without a pairing.
    ///
    /// Rules: VOTE-1 set id, VOTE-2 signer in the set, VOTE-3 signature and proof (DLEQ-2).
    /// Cost: one decompression with its subgroup check, four multiplications in G1. `message` is this vote's
    /// own commitment, hashed once for the whole round.
    ///
    /// # Errors
    /// The first broken rule in that order. A bad vote blames who sent it, never the signer it names.
    ///
    /// # Security
    /// `set` must come from chain state or from a checked justification, never from the sender.
    pub fn check(self, set: &Keyset, message: &RoundMessage) -> Result<Vote, VoteError> {
        let Self {
            commitment,
            signer,
            signature,
        } = self;
        let (expected, got) = (set.id(), commitment.validator_set_id);
        if expected != got {
            return Err(VoteError::WrongSet { expected, got });
        }
        let key = set.key(signer).ok_or(VoteError::UnknownSigner {
            signer,
            len: set.len(),
        })?;
        if &commitment != message.commitment() {
            return Err(VoteError::OtherMessage);
        }
        let sigma = dleq::check(&signature, &key.0, &message.hm)
            .map_err(|error| VoteError::Signature { signer, error })?;
        Ok(Vote {
            commitment,
            signer,
            signature,
            key: key.clone(),
            sigma,
        })
    }
}

/// A vote that was checked.
#[derive(Clone, Debug)]
pub struct Vote {
    commitment: Commitment,
    signer: SignerIndex,
    signature: VoteSignature,
    key: Pk1,
    sigma: <Native as Curve>::G1,
}

impl Vote {
    /// What it says.
    pub fn commitment(&self) -> &Commitment {
        &self.commitment
    }

    /// Position of the signer in the set.
    pub fn signer(&self) -> SignerIndex {
        self.signer
    }

    /// The signer's key.
    pub fn key(&self) -> &Pk1 {
        &self.key
    }

    pub(crate) fn sigma(&self) -> &<Native as Curve>::G1 {
        &self.sigma
    }

    /// The vote as it travels.
    pub fn into_unchecked(self) -> UncheckedVote {
        let Self {
            commitment,
            signer,
            signature,
            ..
        } = self;
        UncheckedVote {
            commitment,
            signer,
            signature,
        }
    }

    /// A copy of the vote as it travels.
    pub fn to_unchecked(&self) -> UncheckedVote {
        self.clone().into_unchecked()
    }
}
