//! From many votes to one finality proof.

use crate::{
    error::{AggregateError, SignatureError, VoteError},
    numbers::SignerIndex,
    Bitfield, Commitment, DualKeyset, Justification, Pk2Bytes, PossessedKey, RoundMessage,
    SignatureBytes, UncheckedJustification, UncheckedVote, Vote,
};
use alloc::{collections::BTreeMap, vec::Vec};
use core::{borrow::Borrow, iter, num::NonZeroUsize};
use duet_curve::{Encodings, Groups, Native, Sums};

type G1 = <Native as Groups>::G1;
type G2 = <Native as Groups>::G2;

/// The result of adding up votes before they are checked.
#[derive(Debug)]
pub struct Aggregation {
    /// The checked proof, or why there is none.
    pub justification: Result<Justification, AggregateError>,
    /// The refused votes, by their places in the list, each with a rule that it broke: if several, not always the one
    /// from [`UncheckedVote::check`]. The other votes need not be valid: where the sum holds, only the sum was checked.
    pub refused: Vec<(usize, VoteError)>,
}

impl DualKeyset {
    /// Adds up votes that were checked against this set and `message` into a justification. (JUST-1 to JUST-4, ENC-2)
    ///
    /// Every verifier accepts it: each vote's σ is `sk·H(m)` under a key of this set, so that JUST-5 holds for the
    /// sums, and sums at infinity are refused.
    /// Cost: one addition in G1 and one in G2 per vote, and no pairing.
    ///
    /// # Errors
    /// [`AggregateError`] when the message is of another set, when a vote was checked against another key or message,
    /// when a signer has two votes, when there are too few votes, or when they add up to infinity.
    pub fn aggregate<V: Borrow<Vote>>(
        &self,
        message: &RoundMessage,
        votes: &[V],
    ) -> Result<Justification, AggregateError> {
        self.check_set(message.commitment())?;
        let signatures = self.signatures(message, votes)?;
        self.sum(message, &signatures)
            .map(Justification::from_votes)
    }

    /// Adds votes that were checked against this set and `message` to a justification that was checked against this
    /// set: those of signers that it does not have yet. (JUST-8)
    ///
    /// Every verifier accepts it: JUST-5 pins both sums of the justification, and each vote adds the σ and the key of
    /// one more signer to them.
    /// Cost: one decompression in each group, and one addition in each per vote that is new. The votes that the
    /// justification was made of are not needed.
    ///
    /// # Errors
    /// [`AggregateError`] when the justification is of another set or about another commitment than the message, as
    /// [`DualKeyset::aggregate`] for a vote, and when the sums are at infinity.
    pub fn extend<V: Borrow<Vote>>(
        &self,
        justification: &Justification,
        message: &RoundMessage,
        votes: &[V],
    ) -> Result<Justification, AggregateError> {
        self.check_set(message.commitment())?;
        let old = justification.as_unchecked();
        let len = self.keyset().len();
        if &old.commitment != message.commitment() || old.signers.check(len).is_err() {
            return Err(AggregateError::OtherJustification);
        }
        let mut signatures = self.signatures(message, votes)?;
        signatures.retain(|signer, _| !old.signers.contains(*signer));
        let sigma = Native::g1_from_stored_unchecked(&old.signature.0);
        let apk2 = Native::g2_from_stored_unchecked(&old.apk2.0);
        let (Ok(sigma), Ok(apk2)) = (sigma, apk2) else {
            return Err(AggregateError::OtherJustification);
        };
        let all = old.signers.signers(len).chain(signatures.keys().copied());
        let signers = Bitfield::from_indices(len, all);
        let sigmas = iter::once(&sigma).chain(signatures.values().copied());
        let keys = iter::once(&apk2).chain(self.second_halves(&signatures));
        sums(
            message,
            signers,
            &sigmas.collect::<Vec<_>>(),
            &keys.collect::<Vec<_>>(),
        )
        .map(Justification::from_votes)
    }

    /// The signatures of checked votes by their signers.
    fn signatures<'a, V: Borrow<Vote>>(
        &self,
        message: &RoundMessage,
        votes: &'a [V],
    ) -> Result<BTreeMap<SignerIndex, &'a G1>, AggregateError> {
        let mut signatures = BTreeMap::new();
        for vote in votes.iter().map(Borrow::borrow) {
            let signer = vote.signer();
            self.member(signer)
                .filter(|member| member.key().pk1() == vote.key())
                .ok_or(AggregateError::ForeignKey { signer })?;
            if vote.message() != message {
                return Err(AggregateError::OtherMessage { signer });
            }
            if signatures.insert(signer, vote.sigma()).is_some() {
                return Err(AggregateError::RepeatedSigner { signer });
            }
        }
        Ok(signatures)
    }

    /// The halves in G2 of the signers' keys.
    fn second_halves<'a, S>(
        &'a self,
        signatures: &'a BTreeMap<SignerIndex, S>,
    ) -> impl Iterator<Item = &'a G2> {
        signatures
            .keys()
            .filter_map(|signer| self.member(*signer))
            .map(|member| &member.key().pk2)
    }

    /// Adds up unchecked votes, and checks the sum. For callers that gather votes from a store or an archive and need
    /// the proof, not the votes. (JUST-7)
    ///
    /// A sum that holds is a finality proof, whatever its terms are, so that one product of two pairings replaces
    /// the check of each vote. When the sum does not hold, the votes are checked one by one, which finds the bad
    /// ones, and the others are added up. Of several votes of one signer the first valid one counts.
    ///
    /// Cost when the sum holds: one decompression and two additions per vote, and what
    /// [`UncheckedJustification::check`] costs. Otherwise also that of [`UncheckedVote::check_all`] on `threads`.
    ///
    /// # Security
    /// A vote that is not refused here may still be invalid: it must not be forwarded or counted.
    pub fn aggregate_unchecked(
        &self,
        message: &RoundMessage,
        votes: Vec<UncheckedVote>,
        threads: NonZeroUsize,
    ) -> Aggregation {
        let (decoded, mut refused) = self.decode(message, &votes);
        let sum = self
            .check_set(message.commitment())
            .and_then(|()| self.sum(message, &decoded));
        let proven = match sum {
            Ok(unproven) => self.verify_sum(message, unproven),
            // Bad votes may have made it so: without them the sum may hold.
            Err(AggregateError::ZeroSum) => None,
            Err(error) => {
                return Aggregation {
                    justification: Err(error),
                    refused,
                }
            }
        };
        if let Some(justification) = proven {
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
    fn check_set(&self, commitment: &Commitment) -> Result<(), AggregateError> {
        let (expected, got) = (self.keyset().id(), commitment.validator_set_id);
        if expected == got {
            Ok(())
        } else {
            Err(AggregateError::WrongSet { expected, got })
        }
    }

    fn member(&self, signer: SignerIndex) -> Option<&PossessedKey> {
        self.keys().get(signer.to_usize())
    }

    /// The first σ of each signer that is on the curve, and the votes that are refused without more work.
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
    fn sum<S: Borrow<G1>>(
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
        let keys: Vec<_> = self.second_halves(signatures).collect();
        sums(message, signers, &sigmas, &keys)
    }

    /// JUST-5 for a sum of unchecked signatures, which includes the only check of its subgroup.
    fn verify_sum(
        &self,
        message: &RoundMessage,
        unproven: UncheckedJustification,
    ) -> Option<Justification> {
        let apk1 = self.keyset().sum_of(&unproven.signers);
        unproven
            .prepare_equation(&apk1, message, None)
            .ok()?
            .verify()
            .ok()
    }
}

/// The sums as a justification. (ENC-2: no sum at infinity)
fn sums(
    message: &RoundMessage,
    signers: Bitfield,
    sigmas: &[&G1],
    keys: &[&G2],
) -> Result<UncheckedJustification, AggregateError> {
    let sigma = Native::g1_sum(sigmas);
    if Native::g1_is_zero(&sigma) {
        return Err(AggregateError::ZeroSum);
    }
    Ok(UncheckedJustification {
        commitment: message.commitment().clone(),
        signers,
        signature: SignatureBytes(Native::g1_to_bytes(&sigma)),
        apk2: Pk2Bytes(Native::g2_to_bytes(&Native::g2_sum(keys))),
    })
}
