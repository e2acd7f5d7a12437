//! The state of the first version of this code: eras without rules, because all sets voted by the same. (ROUND-11)

use codec::Decode;
use duet_primitives::{BlockNumber, KeysetCommitment, UncheckedJustification, UncheckedVote};

/// The fields are those of [`Era`](super::Era).
#[derive(Decode)]
pub(super) struct FirstEra {
    pub(super) set: KeysetCommitment,
    pub(super) start: Option<BlockNumber>,
    pub(super) mandatory: Option<BlockNumber>,
}

/// The fields are those of [`State`](super::State).
#[derive(Decode)]
pub(super) struct FirstState {
    pub(super) signing: FirstEra,
    pub(super) later: Vec<FirstEra>,
    pub(super) scanned: BlockNumber,
    pub(super) best: Option<UncheckedJustification>,
    pub(super) floor: BlockNumber,
    pub(super) votes: Vec<UncheckedVote>,
}
