//! Two valid proofs that contradict each other.
//!
//! More than a third of a set must have signed both, so the chain's finality is broken and no rule can decide which
//! proof counts. The evidence is kept whole: anybody with the set can check it again.

use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use core::fmt;
use duet_primitives::{Commitment, Justification, RecoveryProof, SetId, UncheckedJustification};
use scale_info::TypeInfo;

/// The contradiction between the two proofs.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Encode,
    Decode,
    DecodeWithMemTracking,
    MaxEncodedLen,
    TypeInfo,
)]
#[non_exhaustive]
pub enum Conflict {
    /// One block number, two commitments.
    SameBlock,
    /// One set, two successors.
    Successors,
    /// One set named its successor and took it back in a later block.
    Retraction,
    /// A set signed a block that is not after one of its successor's.
    SetOrder,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SameBlock => "two commitments for one block number",
            Self::Successors => "two successors of one set",
            Self::Retraction => "a successor that was named and taken back",
            Self::SetOrder => "a set that signs behind its successor",
        })
    }
}

impl Conflict {
    /// The conflict between two signed commitments, if there is one. The order does not matter.
    pub fn between(one: &Commitment, other: &Commitment) -> Option<Self> {
        if one == other {
            return None;
        }
        if one.block_number == other.block_number {
            return Some(Self::SameBlock);
        }
        let (earlier, later) = if one.block_number < other.block_number {
            (one, other)
        } else {
            (other, one)
        };
        if earlier.validator_set_id > later.validator_set_id {
            return Some(Self::SetOrder);
        }
        if earlier.validator_set_id < later.validator_set_id || !earlier.is_handoff() {
            return None;
        }
        if !later.is_handoff() {
            return Some(Self::Retraction);
        }
        (earlier.next != later.next).then_some(Self::Successors)
    }

    /// The rule that the pair breaks.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::SameBlock => "LIGHT-4",
            Self::Successors | Self::Retraction | Self::SetOrder => "LIGHT-5",
        }
    }
}

/// Evidence that a set finalized two things that cannot both be true.
#[derive(Clone, Debug, PartialEq, Eq, Encode)]
pub struct Misbehaviour {
    conflict: Conflict,
    first: UncheckedJustification,
    second: UncheckedJustification,
}

impl Misbehaviour {
    /// The evidence in two checked proofs, if they contradict each other.
    pub fn new(first: Justification, second: Justification) -> Option<Self> {
        let conflict = Conflict::between(first.commitment(), second.commitment())?;
        let (first, second) = (first.into_unchecked(), second.into_unchecked());
        Some(Self {
            conflict,
            first,
            second,
        })
    }

    /// The evidence of a stored proof, checked before, and of a proof that was checked now.
    pub(crate) fn of_kept(
        conflict: Conflict,
        kept: &UncheckedJustification,
        second: Justification,
    ) -> Self {
        Self {
            conflict,
            first: kept.clone(),
            second: second.into_unchecked(),
        }
    }

    /// The contradiction between the two proofs.
    pub fn conflict(&self) -> Conflict {
        self.conflict
    }

    /// The two proofs, as they travel.
    pub fn proofs(&self) -> [&UncheckedJustification; 2] {
        [&self.first, &self.second]
    }

    /// The sets that signed them.
    pub fn sets(&self) -> [SetId; 2] {
        self.proofs().map(|proof| proof.commitment.validator_set_id)
    }
}

impl fmt::Display for Misbehaviour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.proofs().map(|proof| &proof.commitment);
        write!(
            f,
            "{}: two proofs hold that cannot both be true: {} (block {} {:?} by set {}; block {} {:?} by set {})",
            self.conflict.rule(),
            self.conflict,
            first.block_number,
            first.block_hash,
            first.validator_set_id,
            second.block_number,
            second.block_hash,
            second.validator_set_id,
        )
    }
}

/// Evidence that a crossed recovery was false, or that a set signs although a reset ended it: the recovery proof, and a
/// finality proof by a set from before the reset, for its block or a later one. (RECOVER-8)
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisputedRecovery {
    pub(crate) recovery: RecoveryProof,
    pub(crate) proof: UncheckedJustification,
}

impl DisputedRecovery {
    /// The proof by which the reset was crossed. It was checked then.
    pub fn recovery(&self) -> &RecoveryProof {
        &self.recovery
    }

    /// The finality proof, which was checked now.
    pub fn proof(&self) -> &UncheckedJustification {
        &self.proof
    }
}

impl fmt::Display for DisputedRecovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (statement, signed) = (&self.recovery.statement, &self.proof.commitment);
        write!(
            f,
            "RECOVER-8: two proofs hold that cannot both be true: recovery set {} says that the reset in block {} ended \
             set {}, and set {} signed block {} ({:?})",
            statement.recovery_set,
            statement.reset_number,
            statement.ended,
            signed.validator_set_id,
            signed.block_number,
            signed.block_hash,
        )
    }
}
