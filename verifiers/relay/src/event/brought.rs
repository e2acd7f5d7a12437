//! What a submission brings.

use crate::{
    messages::{Contents, Nonce, Parcel},
    target::{Cargo, Delivery},
};
use duet_primitives::{BlockNumber, SetId};
use serde::Serialize;
use std::fmt;

/// A relayed proof or message.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(untagged)]
pub enum Brought {
    /// A proof.
    Proof {
        /// The block that it proves.
        block: BlockNumber,
        /// How many handoffs come before it in the same transaction.
        handoffs_before: usize,
        /// The set that signed.
        set: SetId,
        /// The set that it names as the next one, when it is a handoff.
        next_set: Option<SetId>,
        /// How many of the set did not sign.
        absent: usize,
        /// How many the set has.
        of: u32,
    },
    /// Messages of a lane.
    Messages {
        /// The number of the first.
        first_message: Nonce,
        /// That of the last.
        last_message: Nonce,
        /// The block under which they are proven.
        under: BlockNumber,
    },
    /// The news that messages of a lane were received.
    Confirmation {
        /// The number of the last.
        confirmed_message: Nonce,
        /// The block under which it is proven.
        under: BlockNumber,
    },
    /// The announcement of a recovery.
    Announcement {
        /// The block that the statement is about.
        announced_from: BlockNumber,
        /// The block of the reset.
        reset_block: BlockNumber,
        /// The set that signs from there on.
        new_set: SetId,
    },
    /// The crossing of a reset.
    Crossing {
        /// The newest block before it.
        crossed_from: BlockNumber,
        /// The block of the reset.
        reset_block: BlockNumber,
        /// The set that signs from there on.
        new_set: SetId,
    },
}

impl Brought {
    pub(super) fn new(cargo: &Cargo) -> Self {
        match cargo {
            Cargo::Proof(delivery) => Self::proof(delivery),
            Cargo::Parcel(parcel) => Self::parcel(parcel),
            Cargo::Announcement(announcement) => {
                let statement = &announcement.proof.statement;
                Self::Announcement {
                    announced_from: statement.block_number,
                    reset_block: statement.reset_number,
                    new_set: statement.set.id,
                }
            }
            Cargo::Crossing(statement) => Self::Crossing {
                crossed_from: statement.block_number,
                reset_block: statement.reset_number,
                new_set: statement.set.id,
            },
        }
    }

    fn parcel(parcel: &Parcel) -> Self {
        let (under, last) = (parcel.under, parcel.last());
        match parcel.contents {
            Contents::Messages { first, .. } => Self::Messages {
                first_message: first,
                last_message: last,
                under,
            },
            Contents::Confirmation(_) => Self::Confirmation {
                confirmed_message: last,
                under,
            },
        }
    }

    fn proof(delivery: &Delivery) -> Self {
        let commitment = &delivery.proof.justification.commitment;
        Self::Proof {
            block: delivery.block(),
            handoffs_before: delivery.before.len(),
            set: commitment.validator_set_id,
            next_set: commitment.is_handoff().then_some(commitment.next.id),
            absent: delivery.absent(),
            of: delivery.set.len,
        }
    }
}

impl fmt::Display for Brought {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Proof {
                block,
                handoffs_before,
                set,
                next_set,
                absent,
                of,
            } => {
                let signed = usize::try_from(*of).map_or(0, |of| of.saturating_sub(*absent));
                write!(f, "block {block} (set {set}, {signed} of {of} signed")?;
                if let Some(next) = next_set {
                    write!(f, ", names set {next}")?;
                }
                if *handoffs_before > 0 {
                    write!(f, ", with {handoffs_before} handoffs before it")?;
                }
                f.write_str(")")
            }
            Self::Messages {
                first_message,
                last_message,
                under,
            } => write!(
                f,
                "messages {first_message} to {last_message} under block {under}"
            ),
            Self::Confirmation {
                confirmed_message,
                under,
            } => write!(
                f,
                "the confirmation of message {confirmed_message} under block {under}"
            ),
            Self::Announcement {
                announced_from,
                reset_block,
                new_set,
            } => write!(
                f,
                "the recovery from block {announced_from} to block {reset_block}, where set {new_set} signs"
            ),
            Self::Crossing {
                crossed_from,
                reset_block,
                new_set,
            } => write!(
                f,
                "the crossing from block {crossed_from} to block {reset_block}, where set {new_set} signs"
            ),
        }
    }
}
