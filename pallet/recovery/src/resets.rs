//! The chain's resets, as Duet writes them into headers, and what they say about a statement. (RECOVER-9)

use crate::{Config, Error, JudgedFrom, Resets};
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use duet_primitives::{BlockNumber, ConsensusLog, KeysetCommitment, RecoveryStatement, SetId};
use frame_support::ensure;
use scale_info::TypeInfo;
use sp_runtime::SaturatedConversion;

/// The most resets that the chain keeps.
pub const MAX_RESETS: u32 = 64;

/// A reset of the chain. (RESET-1)
#[derive(
    Clone, PartialEq, Eq, Debug, Encode, Decode, DecodeWithMemTracking, MaxEncodedLen, TypeInfo,
)]
pub struct Reset {
    /// Number of its block.
    pub number: BlockNumber,
    /// The set that it ended.
    pub ended: SetId,
    /// The set that signs from there on.
    pub set: KeysetCommitment,
}

/// Learns the reset of this block, if it has one, from its header. Of several the last one counts.
///
/// After Duet has finalized the block: it may finish the set for a reset there. (CHAIN-8)
pub(crate) fn on_finalize<T: Config>() {
    let now: u32 = frame_system::Pallet::<T>::block_number().saturated_into();
    let number = BlockNumber::new(now);
    if !JudgedFrom::<T>::exists() {
        JudgedFrom::<T>::put(number.checked_previous().unwrap_or(number));
    }
    if let Some((ended, set)) = last_in_header::<T>() {
        keep::<T>(Reset { number, ended, set });
    }
}

fn last_in_header<T: Config>() -> Option<(SetId, KeysetCommitment)> {
    let digest = frame_system::Pallet::<T>::digest();
    let items = digest.logs().iter().filter_map(|item| item.as_consensus());
    let reset = |log| match log {
        ConsensusLog::Reset { ended, set } => Some((ended, set)),
        _ => None,
    };
    ConsensusLog::of_header(items).filter_map(reset).last()
}

fn keep<T: Config>(reset: Reset) {
    Resets::<T>::mutate(|resets| {
        if resets.is_full() {
            JudgedFrom::<T>::put(resets.remove(0).number);
        }
        // There is room for it.
        let _ = resets.try_push(reset);
    });
}

/// Checks that the chain shows a statement to be false. (RECOVER-9)
///
/// # Errors
/// When it is true, or the chain cannot tell.
pub(crate) fn refute<T: Config>(statement: &RecoveryStatement) -> Result<(), Error<T>> {
    let block = statement.block_number;
    let can_tell = JudgedFrom::<T>::get().is_some_and(|from| block >= from);
    ensure!(can_tell, Error::<T>::NotJudged);
    let resets = Resets::<T>::get();
    let first = resets.iter().find(|reset| reset.number > block);
    let is_true = first.is_some_and(|reset| {
        reset.number == statement.reset_number
            && reset.ended == statement.ended
            && reset.set == statement.set
    });
    ensure!(!is_true, Error::<T>::NotFalse);
    Ok(())
}
