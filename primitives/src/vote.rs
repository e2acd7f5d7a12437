//! One validator's vote on one commitment.

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
    /// Cost: one decompression, one multiplication in G1 that comes with the subgroup check, and three with
    /// tables: `set` keeps those of a signer from its second vote on, `message`, which is this vote's own
    /// commitment hashed once for the whole round, its own from the second vote on.
    ///
    /// # Errors
    /// The first broken rule in that order. A bad vote blames who sent it, never the signer it names.
    ///
    /// # Security
    /// `set` must come from chain state or from a checked justification, never from the sender.
    pub fn check(self, set: &Keyset, message: &RoundMessage) -> Result<Vote, VoteError> {
        let key = self.check_form(set, message)?;
        let sigma = dleq::check(&self.signature, &key.0, &message.hm);
        self.with_verdict(key, sigma)
    }

    /// [`UncheckedVote::check`] of many votes of one round: the same verdicts in the same order, for two
    /// thirds of the field multiplications each.
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

    /// VOTE-1, VOTE-2, and that the vote is about `message`.
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
        sigma: Result<<Native as Groups>::G1, SignatureError>,
    ) -> Result<Vote, VoteError> {
        let Self {
            commitment,
            signer,
            signature,
        } = self;
        let sigma = sigma.map_err(|error| VoteError::Signature { signer, error })?;
        Ok(Vote {
            commitment,
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
    let mut verdicts = dleq::check_all(&signatures, &message.hm).into_iter();
    votes
        .into_iter()
        .zip(forms)
        .map(|(vote, key)| {
            let key = key?;
            let verdict = verdicts.next().expect("one verdict per signature; qed");
            vote.with_verdict(key, verdict)
        })
        .collect()
}

/// Divides `items` among threads; the results stand in the order of the items.
#[cfg(feature = "std")]
fn in_parallel<T: Send, R: Send>(
    mut items: Vec<T>,
    threads: NonZeroUsize,
    work: &(dyn Fn(Vec<T>) -> Vec<R> + Sync),
) -> Vec<R> {
    let share = items.len().div_ceil(threads.get()).max(1);
    std::thread::scope(|scope| {
        let mut handles = Vec::new();
        while items.len() > share {
            let last = items.split_off(items.len() - share);
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

/// A vote that was checked.
#[derive(Clone, Debug)]
pub struct Vote {
    commitment: Commitment,
    signer: SignerIndex,
    signature: VoteSignature,
    key: Pk1,
    sigma: <Native as Groups>::G1,
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

    pub(crate) fn sigma(&self) -> &<Native as Groups>::G1 {
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
