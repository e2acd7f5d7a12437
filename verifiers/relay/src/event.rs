//! Events that a relayer reports.

use crate::{
    messages::{Contents, Nonce, Parcel},
    target::{Cargo, Delivered, Delivery, Estimate, Receipt},
};
use duet_light_rpc::Fault;
use duet_primitives::{BlockNumber, SetId, H256};
use serde::Serialize;
use std::fmt;

/// One thing that happened. As JSON, amounts are text, because they may be greater than what readers take for a number.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Where the target is.
    Target {
        /// Its newest block.
        block: BlockNumber,
        /// The set that signs.
        set: SetId,
        /// Whether its successor is known.
        knows_next: bool,
    },
    /// The cost of a submission that was not sent.
    Estimated {
        /// What.
        #[serde(flatten)]
        what: Brought,
        /// Units of work: gas, or picoseconds.
        work: u64,
        /// In the smallest unit of the currency.
        #[serde(serialize_with = "as_text")]
        cost: u128,
        /// Bytes of the call.
        bytes: usize,
    },
    /// A submission ended.
    Submitted {
        /// What.
        #[serde(flatten)]
        what: Brought,
        /// How.
        result: &'static str,
        /// The transaction.
        transaction: H256,
        /// Units of work: gas, or picoseconds.
        work: u64,
        /// In the smallest unit of the currency.
        #[serde(serialize_with = "as_text")]
        paid: u128,
    },
    /// An endpoint of the source failed: it is not asked again, or later.
    Source {
        /// Which.
        url: String,
        /// Whether it is never asked again.
        is_dropped: bool,
        /// Why, with the rule that broke.
        reason: String,
    },
    /// More than half of the target's trusting period is over. (LIGHT-9)
    RunningOut {
        /// Until when the target takes proofs, as Unix time.
        trusted_until: u64,
        /// The trusting period in seconds.
        trusting_period: u64,
    },
    /// The target cannot be used now; it is tried again.
    Trouble {
        /// Why.
        reason: String,
    },
    /// Everything wanted is relayed.
    Done {
        /// The target's newest block.
        block: BlockNumber,
    },
    /// The program ends.
    Failed {
        /// Of what kind, as the exit status.
        kind: &'static str,
        /// Why.
        reason: String,
    },
}

/// A relayed proof or message.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(untagged)]
pub enum Brought {
    /// A proof.
    Proof {
        /// The block that it proves.
        block: BlockNumber,
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
}

impl Brought {
    fn new(cargo: &Cargo) -> Self {
        match cargo {
            Cargo::Proof(delivery) => Self::proof(delivery),
            Cargo::Parcel(parcel) => Self::parcel(parcel),
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
                set,
                next_set,
                absent,
                of,
            } => {
                let signed = usize::try_from(*of).map_or(0, |of| of.saturating_sub(*absent));
                write!(f, "block {block} (set {set}, {signed} of {of} signed")?;
                match next_set {
                    Some(next) => write!(f, ", names set {next})"),
                    None => f.write_str(")"),
                }
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
        }
    }
}

impl Event {
    pub(crate) fn estimated(cargo: &Cargo, estimate: &Estimate) -> Self {
        Self::Estimated {
            what: Brought::new(cargo),
            work: estimate.work,
            cost: estimate.cost,
            bytes: estimate.bytes,
        }
    }

    pub(crate) fn submitted(cargo: &Cargo, receipt: &Receipt) -> Self {
        Self::Submitted {
            what: Brought::new(cargo),
            result: receipt.result.name(),
            transaction: receipt.transaction,
            work: receipt.work,
            paid: receipt.paid,
        }
    }

    pub(crate) fn of_fault(url: String, fault: &Fault) -> Self {
        Self::Source {
            url,
            is_dropped: fault.is_final(),
            reason: fault.to_string(),
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Target {
                block,
                set,
                knows_next,
            } => {
                let next = if *knows_next { "" } else { " not" };
                write!(
                    f,
                    "target at block {block}, set {set}; the next set is{next} known"
                )
            }
            Self::Estimated {
                what,
                work,
                cost,
                bytes,
            } => write!(
                f,
                "would relay {what}: {bytes} bytes, work {work}, cost {cost}"
            ),
            Self::Submitted {
                what,
                result,
                transaction,
                work,
                paid,
            } => write!(
                f,
                "{result}: {what}: work {work}, paid {paid}, transaction {transaction:?}"
            ),
            Self::Source {
                url,
                is_dropped,
                reason,
            } => {
                let then = if *is_dropped {
                    "no longer used"
                } else {
                    "retried later"
                };
                write!(f, "{url}: {reason} ({then})")
            }
            Self::RunningOut {
                trusted_until,
                trusting_period,
            } => write!(
                f,
                "LIGHT-9: more than half of the target's trusting period of {trusting_period} s is over; without a newer block it takes no proof any more from Unix time {trusted_until} on"
            ),
            Self::Trouble { reason } => f.write_str(reason),
            Self::Done { block } => write!(f, "done: the target is at block {block}"),
            Self::Failed { reason, .. } => f.write_str(reason),
        }
    }
}

/// Whether a submission that ended so has cost something for nothing.
pub(crate) fn is_loss(result: Delivered) -> bool {
    matches!(result, Delivered::Reverted | Delivered::Known)
}

fn as_text<S: serde::Serializer>(amount: &u128, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(amount)
}
