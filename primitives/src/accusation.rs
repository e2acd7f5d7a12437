//! Accusations: members of a set signed a statement, and the chain compares it with its own blocks.
//!
//! Evidence of an equivocation proves by itself that a rule was broken. An accusation proves the signers and the
//! statement; the chain decides whether the statement is false (FALSE-1).

use crate::{
    bytes::decode_list,
    commitment::{Commitment, RoundMessage},
    dleq,
    error::AccusationError,
    keyset::{Keyset, KeysetCommitment},
    merkle::MerkleProof,
    numbers::SignerIndex,
    stateless::{check_stateless, StatelessProof},
    suite::MAX_ACCUSED,
    Justification, Pk1, Pk1Bytes, UncheckedVote, Vote, VoteSignature, H256,
};
use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode, Error, Input};
use scale_info::TypeInfo;

/// The signers of a statement and the proof, in wire format.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking, TypeInfo)]
#[allow(clippy::cast_possible_truncation)] // In what the codec derives.
pub enum Accusation {
    /// One vote.
    #[codec(index = 0)]
    Vote(VoteAccusation),
    /// A finality proof: each of its signers made it.
    #[codec(index = 1)]
    Proof(ProofAccusation),
}

/// A vote of a member of a set.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking, TypeInfo)]
pub struct VoteAccusation {
    /// Position of the accused in its set.
    pub signer: SignerIndex,
    /// Its key.
    pub key: Pk1Bytes,
    /// Proves that the key is the one at this position.
    pub membership: MerkleProof,
    /// The signed commitment.
    pub commitment: Commitment,
    /// Its signature.
    pub signature: VoteSignature,
}

/// A finality proof, and the keys of some of its signers. Decoding refuses more than [`MAX_ACCUSED`] keys, before it
/// allocates: use several accusations for more.
#[derive(Clone, Debug, PartialEq, Eq, Encode, DecodeWithMemTracking, TypeInfo)]
pub struct ProofAccusation {
    /// The proof.
    pub proof: StatelessProof,
    /// Who is accused: positions in set order, and keys.
    pub accused: Vec<(SignerIndex, Pk1Bytes)>,
    /// Proves that these are the keys at these positions.
    pub membership: MerkleProof,
}

impl Decode for ProofAccusation {
    fn decode<I: Input>(input: &mut I) -> Result<Self, Error> {
        Ok(Self {
            proof: Decode::decode(input)?,
            accused: decode_list(input, MAX_ACCUSED, "FALSE-3: too many accused members")?,
            membership: Decode::decode(input)?,
        })
    }
}

impl Accusation {
    /// Accuses the signer of a vote. `None` when it is not one of this set.
    pub fn of_vote(vote: &Vote, set: &Keyset) -> Option<Self> {
        let key = vote.key().to_bytes();
        let is_member = set.key(vote.signer()).map(Pk1::to_bytes) == Some(key);
        if vote.commitment().validator_set_id != set.id() || !is_member {
            return None;
        }
        let UncheckedVote {
            commitment,
            signer,
            signature,
        } = vote.to_unchecked();
        Some(Self::Vote(VoteAccusation {
            signer,
            key,
            membership: set.prove(&[signer]).ok()?,
            commitment,
            signature,
        }))
    }

    /// Accuses all signers of a finality proof, in one or more accusations. None when the proof is not by this set.
    pub fn of_proof(proof: &Justification, set: &Keyset) -> Vec<Self> {
        let of_this_set = proof.commitment().validator_set_id == set.id();
        let stateless = StatelessProof::new(proof, set);
        let Some(stateless) = stateless.ok().filter(|_| of_this_set) else {
            return Vec::new();
        };
        let signers: Vec<_> = proof.signers().signers(set.len()).collect();
        let accuse = |signers: &[SignerIndex]| {
            let key = |signer: &SignerIndex| Some((*signer, set.key(*signer)?.to_bytes()));
            Some(Self::Proof(ProofAccusation {
                proof: stateless.clone(),
                accused: signers.iter().filter_map(key).collect(),
                membership: set.prove(signers).ok()?,
            }))
        };
        signers
            .chunks(MAX_ACCUSED as usize)
            .filter_map(accuse)
            .collect()
    }

    /// The signed commitment.
    pub fn commitment(&self) -> &Commitment {
        match self {
            Self::Vote(vote) => &vote.commitment,
            Self::Proof(proof) => &proof.proof.justification.commitment,
        }
    }

    /// The keys of the accused.
    pub fn accused(&self) -> impl Iterator<Item = &Pk1Bytes> {
        let (one, more) = match self {
            Self::Vote(vote) => (Some(&vote.key), None),
            Self::Proof(proof) => (None, Some(&proof.accused)),
        };
        one.into_iter()
            .chain(more.into_iter().flatten().map(|(_, key)| key))
    }

    /// The number of accused, and of other keys in the proof. They determine the cost of the check.
    pub fn sizes(&self) -> (u32, u32) {
        let len = |list: usize| u32::try_from(list).unwrap_or(u32::MAX);
        match self {
            Self::Vote(_) => (1, 0),
            Self::Proof(proof) => (len(proof.accused.len()), len(proof.proof.non_signers.len())),
        }
    }

    /// Checks that all accused signed the statement.
    ///
    /// Rules: for a vote FALSE-2: this set, the key is a member, the signature holds (DLEQ-2). For a proof FALSE-3:
    /// somebody is accused, the accused are signers, the keys are members, and the proof holds (JUST-1 to JUST-5,
    /// STATELESS-1, STATELESS-2).
    /// Cost: for a vote, `O(log n)` hashes, one hash to the curve, one DLEQ check. For a proof with `k` non-signers
    /// against `a` members, [`check_stateless`] and `O(a log n)` hashes.
    ///
    /// # Errors
    /// The first broken rule in that order; see [`AccusationError::culprit`].
    ///
    /// # Security
    /// `set` must come from chain state. This does not check that the signed statement is false.
    pub fn check(&self, set: &KeysetCommitment, genesis_hash: H256) -> Result<(), AccusationError> {
        match self {
            Self::Vote(vote) => vote.check(set, genesis_hash),
            Self::Proof(proof) => proof.check(set, genesis_hash),
        }
    }
}

impl VoteAccusation {
    fn check(&self, set: &KeysetCommitment, genesis_hash: H256) -> Result<(), AccusationError> {
        let (expected, got) = (set.id, self.commitment.validator_set_id);
        if expected != got {
            return Err(AccusationError::WrongSet { expected, got });
        }
        self.membership
            .check(set.root, set.len, &[(self.signer, self.key)])?;
        let key = Pk1::from_chain_state_unchecked(&self.key)?;
        let message = RoundMessage::new(genesis_hash, self.commitment.clone());
        dleq::check(&self.signature, &key.0, message.hm())?;
        Ok(())
    }
}

impl ProofAccusation {
    fn check(&self, set: &KeysetCommitment, genesis_hash: H256) -> Result<(), AccusationError> {
        let signers = &self.proof.justification.signers;
        let mut accused = self.accused.iter();
        if self.accused.is_empty() {
            return Err(AccusationError::Nobody);
        }
        if let Some((signer, _)) = accused.find(|(signer, _)| !signers.contains(*signer)) {
            return Err(AccusationError::NotASigner { signer: *signer });
        }
        self.membership.check(set.root, set.len, &self.accused)?;
        check_stateless(self.proof.clone(), set, genesis_hash)?;
        Ok(())
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use crate::{
        error::{JustificationError, MerkleError, StatelessError},
        testing::TestSet,
        Culprit, SetId,
    };
    use std::{string::ToString, vec};

    const GENESIS: H256 = H256::repeat_byte(7);

    fn set() -> TestSet {
        TestSet::new(3, 0..7)
    }

    fn message(set: &TestSet) -> RoundMessage {
        RoundMessage::new(GENESIS, set.commitment(9, &set.set))
    }

    fn vote(signer: u32) -> Accusation {
        let set = set();
        let vote = set.vote(signer, &message(&set)).unwrap();
        Accusation::of_vote(&vote, set.set.keyset()).unwrap()
    }

    fn proof(signers: impl IntoIterator<Item = u32>) -> Accusation {
        let set = set();
        let justification = set.justify(&message(&set), signers);
        let mut all = Accusation::of_proof(&justification, set.set.keyset());
        assert_eq!(all.len(), 1);
        all.remove(0)
    }

    fn check(accusation: &Accusation) -> Result<(), AccusationError> {
        accusation.check(set().set.commitment(), GENESIS)
    }

    fn in_proof(change: impl FnOnce(&mut ProofAccusation)) -> Result<(), AccusationError> {
        let Accusation::Proof(mut proof) = proof([0, 2, 3, 4, 6]) else {
            panic!("of a proof");
        };
        change(&mut proof);
        check(&Accusation::Proof(proof))
    }

    fn in_vote(change: impl FnOnce(&mut VoteAccusation)) -> Result<(), AccusationError> {
        let Accusation::Vote(mut vote) = vote(5) else {
            panic!("of a vote");
        };
        change(&mut vote);
        check(&Accusation::Vote(vote))
    }

    #[test]
    fn whoever_signed_is_accused_and_nobody_else() {
        let keys = set().set.keyset().key_bytes();
        for (accusation, signers) in [
            (vote(5), vec![5]),
            (proof([0, 2, 3, 4, 6]), vec![0, 2, 3, 4, 6]),
            (proof(0..7), (0..7).collect()),
        ] {
            assert_eq!(check(&accusation), Ok(()));
            let expected: Vec<_> = signers.iter().map(|signer| keys[*signer]).collect();
            let accused: Vec<_> = accusation.accused().copied().collect();
            assert_eq!(accused, expected);
            let decoded = Accusation::decode(&mut &accusation.encode()[..]);
            assert_eq!(decoded, Ok(accusation));
        }
    }

    /// FALSE-2.
    #[test]
    fn a_vote_accuses_only_the_member_whose_signature_it_has() {
        let other = vote(4);
        let Accusation::Vote(other) = other else {
            panic!("of a vote");
        };
        let got = in_vote(|vote| vote.commitment.validator_set_id = SetId::new(4));
        assert!(matches!(got, Err(AccusationError::WrongSet { .. })));
        let got = in_vote(|vote| vote.key = other.key);
        assert_eq!(got, Err(MerkleError::Root.into()));
        let got = in_vote(|vote| vote.signer = other.signer);
        assert_eq!(got, Err(MerkleError::Root.into()));
        let got = in_vote(|vote| vote.signature = other.signature);
        assert!(matches!(got, Err(AccusationError::Signature(_))));
        let got = in_vote(|vote| vote.commitment.mmr_root = H256::zero());
        assert!(matches!(got, Err(AccusationError::Signature(_))));
        let got = vote(5).check(set().set.commitment(), H256::zero());
        assert!(matches!(got, Err(AccusationError::Signature(_))));
    }

    /// FALSE-3.
    #[test]
    fn a_proof_accuses_only_members_that_it_says_to_have_signed() {
        let bystander = (SignerIndex::new(1), set().set.keyset().key_bytes()[1]);
        let got = in_proof(|proof| proof.accused.clear());
        assert_eq!(got, Err(AccusationError::Nobody));
        let got = in_proof(|proof| {
            proof.accused[0] = bystander;
            proof.membership = set()
                .set
                .keyset()
                .prove(&[1, 2, 3, 4, 6].map(SignerIndex::new))
                .unwrap();
        });
        let signer = SignerIndex::new(1);
        assert_eq!(got, Err(AccusationError::NotASigner { signer }));
        let got = in_proof(|proof| proof.accused[0].1 = bystander.1);
        assert_eq!(got, Err(MerkleError::Root.into()));
        // It would name the bystander, too.
        let got = in_proof(|proof| {
            let signers = (0..7).map(SignerIndex::new);
            proof.proof.justification.signers = crate::Bitfield::from_indices(7, signers);
            proof.proof.non_signers.clear();
            proof.proof.proof = MerkleProof::default();
        });
        let fails = StatelessError::from(JustificationError::EquationFails);
        assert_eq!(got, Err(fails.into()));
        let got = in_proof(|proof| proof.accused.truncate(2));
        assert!(matches!(got, Err(AccusationError::Membership(_))));
    }

    /// Some of the signers can be accused without the others.
    #[test]
    fn a_large_set_is_accused_in_parts() {
        let set = TestSet::new(0, 0..300);
        let message = RoundMessage::new(GENESIS, set.commitment(9, &set.set));
        let justification = set.justify(&message, 10..300);
        let parts = Accusation::of_proof(&justification, set.set.keyset());
        let lens: Vec<_> = parts.iter().map(|part| part.accused().count()).collect();
        assert_eq!(lens, [MAX_ACCUSED as usize, 290 - MAX_ACCUSED as usize]);
        for part in &parts {
            assert_eq!(part.check(set.set.commitment(), GENESIS), Ok(()));
        }
        let all: Vec<_> = parts.iter().flat_map(Accusation::accused).collect();
        let keys = set.set.keyset().key_bytes();
        assert!(all.into_iter().eq(&keys[10..]));
    }

    #[test]
    fn more_accused_than_fit_are_refused_before_anything_is_allocated() {
        let Accusation::Proof(mut proof) = proof(0..7) else {
            panic!("of a proof");
        };
        proof.accused = vec![proof.accused[0]; MAX_ACCUSED as usize + 1];
        let error = Accusation::decode(&mut &Accusation::Proof(proof).encode()[..]);
        assert!(error.unwrap_err().to_string().contains("FALSE-3"));
    }

    #[test]
    fn a_vote_or_a_proof_of_another_set_accuses_nobody() {
        let (one, other) = (set(), TestSet::new(4, 1..8));
        let vote = one.vote(0, &message(&one)).unwrap();
        assert_eq!(Accusation::of_vote(&vote, other.set.keyset()), None);
        let justification = one.justify(&message(&one), 0..7);
        assert_eq!(Accusation::of_proof(&justification, other.set.keyset()), []);
    }

    #[test]
    fn a_bad_accusation_blames_its_sender() {
        let (expected, got) = (SetId::new(1), SetId::new(2));
        let error = AccusationError::WrongSet { expected, got };
        assert_eq!(error.culprit(), Culprit::Nobody);
        assert_eq!(AccusationError::Nobody.culprit(), Culprit::Sender);
        let error = AccusationError::from(MerkleError::Root);
        assert_eq!(error.culprit(), Culprit::Sender);
    }
}
