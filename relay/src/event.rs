//! What a relayer tells its user.

use crate::target::{Delivered, Delivery, Estimate, Receipt};
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
    /// What a submission would cost, of which nothing was sent.
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
    /// The target cannot be used now; it is tried again.
    Trouble {
        /// Why.
        reason: String,
    },
    /// Everything is brought that was wanted.
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

/// A proof that is brought.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Brought {
    /// The block that it proves.
    pub block: BlockNumber,
    /// The set that signed.
    pub set: SetId,
    /// The set that it names as the next one, when it is a handoff.
    pub next_set: Option<SetId>,
    /// How many of the set did not sign.
    pub absent: usize,
    /// How many the set has.
    pub of: u32,
}

impl Brought {
    fn new(delivery: &Delivery) -> Self {
        let commitment = &delivery.proof.justification.commitment;
        Self {
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
        let Self { block, set, of, .. } = self;
        let signed = usize::try_from(*of).map_or(0, |of| of.saturating_sub(self.absent));
        write!(f, "block {block} (set {set}, {signed} of {of} signed")?;
        match self.next_set {
            Some(next) => write!(f, ", names set {next})"),
            None => f.write_str(")"),
        }
    }
}

impl Event {
    pub(crate) fn estimated(delivery: &Delivery, estimate: &Estimate) -> Self {
        Self::Estimated {
            what: Brought::new(delivery),
            work: estimate.work,
            cost: estimate.cost,
            bytes: estimate.bytes,
        }
    }

    pub(crate) fn submitted(delivery: &Delivery, receipt: &Receipt) -> Self {
        Self::Submitted {
            what: Brought::new(delivery),
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
                    "target at block {block}, set {set}, whose successor is{next} known"
                )
            }
            Self::Estimated {
                what,
                work,
                cost,
                bytes,
            } => write!(
                f,
                "would bring {what}: {bytes} bytes, work {work}, cost {cost}"
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
                    "not asked again"
                } else {
                    "asked again later"
                };
                write!(f, "{url}: {reason} ({then})")
            }
            Self::Trouble { reason } => f.write_str(reason),
            Self::Done { block } => write!(f, "done: the target is at block {block}"),
            Self::Failed { reason, .. } => f.write_str(reason),
        }
    }
}

/// Whether a submission that ended so has cost something for nothing.
pub(crate) fn is_loss(result: Delivered) -> bool {
    matches!(result, Delivered::Reverted)
}

fn as_text<S: serde::Serializer>(amount: &u128, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(amount)
}
