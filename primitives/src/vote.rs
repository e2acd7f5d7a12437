//! Votes: one validator's signature on one commitment.

use crate::{
    commitment::{Commitment, RoundMessage},
    dleq,
    error::{SignatureError, VoteError},
    keyset::Keyset,
    numbers::SignerIndex,
    Pk1, SecretKey, VoteSignature,
};
use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use core::num::NonZeroUsize;
use duet_curve::{Groups, Native};
use scale_info::TypeInfo;

/// A vote as it travels, not checked.
#[derive(
    Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking, MaxEncodedLen, TypeInfo,
)]
pub struct UncheckedVote {
    /// The content of the vote.
    pub commitment: Commitment,
    /// The position of the alleged signer in its set.
    pub signer: SignerIndex,
    /// Signature and proof.
    pub signature: VoteSignature,
}

impl UncheckedVote {
    /// Signs a commitment. Deterministic: the same secret and commitment give the same bytes.
    pub fn sign(secret: &SecretKey, signer: SignerIndex, message: &RoundMessage) -> Self {
        let signature = secret.sign_point(message.hm());
        Self {
            commitment: message.commitment().clone(),
            signer,
            signature,
        }
    }

    /// Checks this vote against its set, without a pairing.
    ///
    /// Rules: VOTE-1 set id, VOTE-2 signer in the set, VOTE-3 signature and proof (DLEQ-2).
    /// Cost: one decompression, one multiplication in G1 that comes with the subgroup check, and three with
    /// tables. `set` has tables of a signer, and `message` its own, from the second vote on.
    ///
    /// # Errors
    /// The first broken rule in that order. A bad vote blames its sender, never the signer that it names.
    ///
    /// # Security
    /// `set` must come from chain state or from a checked justification, never from the sender.
    pub fn check(self, set: &Keyset, message: &RoundMessage) -> Result<Vote, VoteError> {
        let key = self.check_form(set, message)?;
        let sigma = dleq::check(&self.signature, &key.0, message.hm());
        self.with_verdict(key, message, sigma)
    }

    /// [`UncheckedVote::check`] of many votes of one round, batched: the same verdicts in the same order, for two
    /// thirds of the field multiplications.
    ///
    /// With `threads` above one, the votes are divided among that many threads.
    ///
    /// # Errors
    /// Each vote has its own verdict; a bad one changes nothing for the others.
    pub fn check_all(
        votes: Vec<Self>,
        set: &Keyset,
        message: &RoundMessage,
        threads: NonZeroUsize,
    ) -> Vec<Result<Vote, VoteError>> {
        #[cfg(feature = "std")]
        if threads.get() > 1 {
            return in_parallel(votes, threads, &|votes| check_chunk(votes, set, message));
        }
        let _ = threads;
        check_chunk(votes, set, message)
    }

    /// VOTE-1, VOTE-2, and that the vote says what `message` says.
    pub(crate) fn check_form<'a>(
        &self,
        set: &'a Keyset,
        message: &RoundMessage,
    ) -> Result<&'a Pk1, VoteError> {
        let (expected, got) = (set.id(), self.commitment.validator_set_id);
        if expected != got {
            return Err(VoteError::WrongSet { expected, got });
        }
        let key = set.key(self.signer).ok_or(VoteError::UnknownSigner {
            signer: self.signer,
            len: set.len(),
        })?;
        if &self.commitment != message.commitment() {
            return Err(VoteError::OtherMessage);
        }
        Ok(key)
    }

    fn with_verdict(
        self,
        key: &Pk1,
        message: &RoundMessage,
        sigma: Result<<Native as Groups>::G1, SignatureError>,
    ) -> Result<Vote, VoteError> {
        let Self {
            signer, signature, ..
        } = self;
        let sigma = sigma.map_err(|error| VoteError::Signature { signer, error })?;
        Ok(Vote {
            message: message.clone(),
            signer,
            signature,
            key: key.clone(),
            sigma,
        })
    }
}

fn check_chunk(
    votes: Vec<UncheckedVote>,
    set: &Keyset,
    message: &RoundMessage,
) -> Vec<Result<Vote, VoteError>> {
    let forms: Vec<_> = votes
        .iter()
        .map(|vote| vote.check_form(set, message))
        .collect();
    let signatures: Vec<_> = votes
        .iter()
        .zip(&forms)
        .filter_map(|(vote, key)| Some((vote.signature, &key.as_ref().ok()?.0)))
        .collect();
    let mut verdicts = dleq::check_all(&signatures, message.hm()).into_iter();
    votes
        .into_iter()
        .zip(forms)
        .map(|(vote, key)| {
            let key = key?;
            // There is one verdict per signature. One that were missing would be found alone.
            let verdict = verdicts
                .next()
                .unwrap_or_else(|| dleq::check(&vote.signature, &key.0, message.hm()));
            vote.with_verdict(key, message, verdict)
        })
        .collect()
}

/// Divides `items` among threads; the results are in the order of the items.
#[cfg(feature = "std")]
fn in_parallel<T: Send, R: Send>(
    mut items: Vec<T>,
    threads: NonZeroUsize,
    work: &(dyn Fn(Vec<T>) -> Vec<R> + Sync),
) -> Vec<R> {
    let share = items.len().div_ceil(threads.get()).max(1);
    std::thread::scope(|scope| {
        let mut handles = Vec::new();
        while let Some(rest @ 1..) = items.len().checked_sub(share) {
            let last = items.split_off(rest);
            handles.push(scope.spawn(move || work(last)));
        }
        let mut results = work(items);
        for handle in handles.into_iter().rev() {
            match handle.join() {
                Ok(part) => results.extend(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    })
}

/// A checked vote.
#[derive(Clone, Debug)]
pub struct Vote {
    message: RoundMessage,
    signer: SignerIndex,
    signature: VoteSignature,
    key: Pk1,
    sigma: <Native as Groups>::G1,
}

impl Vote {
    /// The message that it was checked against: the commitment and the chain.
    pub fn message(&self) -> &RoundMessage {
        &self.message
    }

    /// The content of the vote.
    pub fn commitment(&self) -> &Commitment {
        self.message.commitment()
    }

    /// Position of the signer in the set.
    pub fn signer(&self) -> SignerIndex {
        self.signer
    }

    /// The signer's key.
    pub fn key(&self) -> &Pk1 {
        &self.key
    }

    pub(crate) fn sigma(&self) -> &<Native as Groups>::G1 {
        &self.sigma
    }

    /// The vote as it travels.
    pub fn into_unchecked(self) -> UncheckedVote {
        self.to_unchecked()
    }

    /// A copy of the vote as it travels.
    pub fn to_unchecked(&self) -> UncheckedVote {
        UncheckedVote {
            commitment: self.commitment().clone(),
            signer: self.signer,
            signature: self.signature,
        }
    }
}
