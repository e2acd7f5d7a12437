//! The rules of a finality or recovery proof, as they are named in an error of the pallet.

use codec::{Decode, DecodeWithMemTracking, Encode};
use duet_light_client::Error;
use duet_primitives::RecoveryError;
use frame_support::PalletError;
use scale_info::TypeInfo;

/// The rule that a proof breaks, as the specification numbers them.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking, PalletError, TypeInfo,
)]
pub enum Rule {
    /// JUST-1: the set.
    Just1,
    /// JUST-2: the length of the bitfield.
    Just2,
    /// JUST-3: its surplus bits.
    Just3,
    /// JUST-4: too few signers.
    Just4,
    /// JUST-5: the equation.
    Just5,
    /// STATELESS-1: the number of keys.
    Stateless1,
    /// STATELESS-2: the multiproof.
    Stateless2,
    /// LIGHT-5: the successor. The validators signed it.
    Light5,
    /// Another rule on encodings and points (ENC-1 to ENC-6, SET-3).
    Other,
    /// RECOVER-5: the form of a recovery statement.
    Recover5,
    /// RECOVER-6: the recovery set.
    Recover6,
}

impl From<RecoveryError> for Rule {
    fn from(error: RecoveryError) -> Self {
        match error {
            RecoveryError::WrongSet { .. } => Self::Recover6,
            RecoveryError::Proof(error) => Self::from(&Error::Stateless(error)),
            _ => Self::Recover5,
        }
    }
}

impl From<&Error> for Rule {
    fn from(error: &Error) -> Self {
        match error.rule() {
            "JUST-1" => Self::Just1,
            "JUST-2" => Self::Just2,
            "JUST-3" => Self::Just3,
            "JUST-4" => Self::Just4,
            "JUST-5" => Self::Just5,
            "STATELESS-1" => Self::Stateless1,
            "STATELESS-2" => Self::Stateless2,
            "LIGHT-5" => Self::Light5,
            _ => Self::Other,
        }
    }
}
