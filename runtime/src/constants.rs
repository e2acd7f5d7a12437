//! The chain's times, sizes and units.

use crate::types::{Balance, BlockNumber};
use bp_messages::LegacyLaneId;
use sp_staking::{EraIndex, SessionIndex};

pub use crate::token::{TOKEN_DECIMALS, TOKEN_SYMBOL};

/// Milliseconds from one block to the next.
pub const SLOT_MILLIS: u64 = 2_000;

/// Blocks in a session.
pub const SESSION_BLOCKS: BlockNumber = 10;
/// Sessions in an era: validators are elected once in each.
///
/// Elections are held one session ahead. Who bonds and registers its keys waits for the next election, less
/// than two sessions away, and signs one session after it.
pub const SESSIONS_PER_ERA: SessionIndex = 2;
/// Eras for which stake stays bonded, and so for which offences can be punished.
pub const BONDING_ERAS: EraIndex = 28;
/// Sessions for which an offence can be punished.
pub const BONDING_SESSIONS: SessionIndex = BONDING_ERAS * SESSIONS_PER_ERA;
/// Seconds for which light clients trust the sets of a block: two thirds of the bonding duration.
pub const TRUSTING_PERIOD: u64 =
    SLOT_MILLIS * SESSION_BLOCKS as u64 * BONDING_SESSIONS as u64 * 2 / 3 / 1000;
/// Eras for which exposures and rewards are kept.
pub const HISTORY_ERAS: EraIndex = 84;

/// The most validators that an election returns and that Aura, GRANDPA and Duet accept.
pub const MAX_VALIDATORS: u32 = 100;
/// The most nominators that back one validator in an election.
pub const MAX_BACKERS: u32 = 512;
/// The most nominators in one page of a validator's exposure.
pub const EXPOSURE_PAGE: u32 = 64;

/// The lane of messages to another chain.
pub const LANE: LegacyLaneId = LegacyLaneId(*b"duet");
/// Bytes of the longest message.
pub const MAX_MESSAGE_BYTES: u32 = 1024;
/// How many messages may be on their way: received, and not confirmed yet.
pub const MAX_UNCONFIRMED_MESSAGES: u64 = 128;

/// The prefix of addresses in SS58: the one for any Substrate chain.
pub const SS58_PREFIX: u16 = 42;
/// One token.
pub const UNIT: Balance = 1_000_000_000_000;
/// A thousandth of a token.
pub const MILLI: Balance = UNIT / 1_000;
/// A millionth of a token.
pub const MICRO: Balance = MILLI / 1_000;
/// What an account must hold to exist.
pub const EXISTENTIAL_DEPOSIT: Balance = MILLI;
/// What is held for a validator's session keys, and the same again each for its Duet key and for its recovery key.
pub const KEY_DEPOSIT: Balance = UNIT;
/// The least that a validator bonds.
pub const MIN_VALIDATOR_BOND: Balance = 10 * UNIT;
/// The least that a nominator bonds.
pub const MIN_NOMINATOR_BOND: Balance = UNIT;
/// Seats that an election fills.
pub const VALIDATOR_SEATS: u32 = 20;
