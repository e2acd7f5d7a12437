//! Many votes become one finality proof.

use crate::{
    error::{AggregateError, SignatureError, VoteError},
    numbers::SignerIndex,
    Bitfield, DualKeyset, Justification, Pk2Bytes, PossessedKey, RoundMessage, SignatureBytes,
    UncheckedJustification, UncheckedVote, Vote,
};
use alloc::{collections::BTreeMap, vec::Vec};
use core::num::NonZeroUsize;
use duet_curve::{Encodings, Groups, Native, Sums};

type G1 = <Native as Groups>::G1;

/// What became of votes that were added up before they were checked.
#[derive(Debug)]
pub struct Aggregation {
    /// The proof, checked, or why there is none.
    pub justification: Result<Justification, AggregateError>,
    /// The votes that were refused, by their places in the list, and the rule that each broke. Votes that are not
    /// here need not be good: only their sum was looked at, unless it did not hold.
    pub refused: Vec<(usize, VoteError)>,
}

impl DualKeyset {
    /// Adds up votes that were checked against this set into a justification. (JUST-1 to JUST-4)
    ///
    /// Cost: one addition in G1 and one in G2 per vote; no pairing, because each vote's own proof was checked.
    ///
    /// # Errors
    /// [`AggregateError`] when a vote is about something else, was checked against another key, stands
    /// twice, or when there are too few.
    pub fn aggregate(
        &self,
        message: &RoundMessage,
        votes: &[Vote],
    ) -> Result<Justification, AggregateError> {
        self.check_set(message)?;
        let mut signatures = BTreeMap::new();
        for vote in votes {
            let signer = vote.signer();
            self.member(signer)
                .filter(|member| member.key().pk1() == vote.key())
                .ok_or(AggregateError::ForeignKey { signer })?;
            if vote.commitment() != message.commitment() {
                return Err(AggregateError::OtherCommitment { signer });
            }
            if signatures.insert(signer, vote.sigma()).is_some() {
                return Err(AggregateError::RepeatedSigner);
            }
        }
        self.sum(message, &signatures)
            .map(Justification::from_votes)
    }

    /// Adds up votes that nobody has checked, and checks the sum: for who gathers votes from a store or an archive
    /// and wants the proof, not the votes. (JUST-7)
    ///
    /// A sum that holds is a finality proof, whatever each of its terms is, so that one product of two pairings
    /// stands for them all. When it does not hold, the votes' own proofs are checked, which names the bad ones, and
    /// the others are added up. Of several votes of one signer the first that is of use counts.
    ///
    /// Cost when the sum holds: one decompression and two additions per vote, and what
    /// [`UncheckedJustification::check`] costs. Otherwise also that of [`UncheckedVote::check_all`] on `threads`.
    ///
    /// # Security
    /// A vote that is not refused here may be bad: it must not be forwarded or counted on that ground.
    pub fn aggregate_unchecked(
        &self,
        message: &RoundMessage,
        votes: Vec<UncheckedVote>,
        threads: NonZeroUsize,
    ) -> Aggregation {
        let (decoded, mut refused) = self.decode(message, &votes);
        let sum = self
            .check_set(message)
            .and_then(|()| self.sum(message, &decoded));
        let unproven = match sum {
            Ok(unproven) => unproven,
            Err(error) => {
                return Aggregation {
                    justification: Err(error),
                    refused,
                }
            }
        };
        if let Some(justification) = self.verify_sum(message, unproven) {
            return Aggregation {
                justification: Ok(justification),
                refused,
            };
        }
        refused.clear();
        let mut good = BTreeMap::new();
        let verdicts = UncheckedVote::check_all(votes, self.keyset(), message, threads);
        for (at, verdict) in verdicts.into_iter().enumerate() {
            match verdict {
                Ok(vote) => {
                    good.entry(vote.signer()).or_insert(vote);
                }
                Err(error) => refused.push((at, error)),
            }
        }
        let good: Vec<_> = good.into_values().collect();
        Aggregation {
            justification: self.aggregate(message, &good),
            refused,
        }
    }

    /// JUST-1.
    fn check_set(&self, message: &RoundMessage) -> Result<(), AggregateError> {
        let (expected, got) = (self.keyset().id(), message.commitment().validator_set_id);
        if expected == got {
            Ok(())
        } else {
            Err(AggregateError::WrongSet { expected, got })
        }
    }

    fn member(&self, signer: SignerIndex) -> Option<&PossessedKey> {
        self.keys().get(signer.to_usize())
    }

    /// The first σ of each signer that is a point of the curve, and the votes that are of no use.
    fn decode(
        &self,
        message: &RoundMessage,
        votes: &[UncheckedVote],
    ) -> (BTreeMap<SignerIndex, G1>, Vec<(usize, VoteError)>) {
        let mut refused = Vec::new();
        let mut decoded = BTreeMap::new();
        for (at, vote) in votes.iter().enumerate() {
            let signer = vote.signer;
            let sigma = vote.check_form(self.keyset(), message).and_then(|_| {
                Native::g1_from_stored_unchecked(&vote.signature.sigma().0).map_err(|error| {
                    VoteError::Signature {
                        signer,
                        error: SignatureError::from(error),
                    }
                })
            });
            match sigma {
                Ok(sigma) => {
                    decoded.entry(signer).or_insert(sigma);
                }
                Err(error) => refused.push((at, error)),
            }
        }
        (decoded, refused)
    }

    /// JUST-4, then the sums: of signatures in G1, of the signers' keys in G2.
    fn sum<S: core::borrow::Borrow<G1>>(
        &self,
        message: &RoundMessage,
        signatures: &BTreeMap<SignerIndex, S>,
    ) -> Result<UncheckedJustification, AggregateError> {
        let signers = Bitfield::from_indices(self.keyset().len(), signatures.keys().copied());
        let (got, threshold) = (signers.count(), self.keyset().threshold());
        if got < threshold {
            return Err(AggregateError::BelowThreshold { threshold, got });
        }
        let sigmas: Vec<_> = signatures.values().map(S::borrow).collect();
        let members: Vec<_> = signatures
            .keys()
            .filter_map(|signer| self.member(*signer))
            .map(|member| &member.key().pk2)
            .collect();
        Ok(UncheckedJustification {
            commitment: message.commitment().clone(),
            signers,
            signature: SignatureBytes(Native::g1_to_bytes(&Native::g1_sum(&sigmas))),
            apk2: Pk2Bytes(Native::g2_to_bytes(&Native::g2_sum(&members))),
        })
    }

    /// JUST-5 for a sum of unchecked signatures, whose subgroup is checked here and nowhere before.
    fn verify_sum(
        &self,
        message: &RoundMessage,
        unproven: UncheckedJustification,
    ) -> Option<Justification> {
        let apk1 = self.keyset().sum_of(&unproven.signers);
        unproven
            .prepare_equation(&apk1, message)
            .ok()?
            .verify()
            .ok()
    }
}
