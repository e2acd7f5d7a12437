//! Events that a relayer reports.

mod brought;

pub use brought::Brought;

use crate::{
    recovery::Announced,
    target::{Cargo, Delivered, Estimate, Receipt, Stuck, Then},
};
use duet_light_rpc::Fault;
use duet_primitives::{BlockNumber, RecoveryStatement, SetId, H256};
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
    /// The target has lost blocks that it had: its chain was reorganised, its owner has set it back, or its node lags.
    WentBack {
        /// The newest block that it had.
        from: BlockNumber,
        /// Its newest block now.
        to: BlockNumber,
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
    /// The target waits to cross a reset by a recovery, whoever has announced it. (RECOVER-7)
    RecoveryAnnounced {
        /// The block that the statement is about, the target's newest one.
        block: BlockNumber,
        /// The set that the reset ended.
        ended: SetId,
        /// The block of the reset.
        reset_block: BlockNumber,
        /// Its hash.
        reset_hash: H256,
        /// The set that signs from there on.
        set: SetId,
        /// How long the wait still takes.
        seconds_left: u64,
        /// The recovery set has signed another statement too, so that the target crosses neither. (RECOVER-8)
        is_contradicted: bool,
    },
    /// The target waits to cross a reset, and its node does not show by which statement. It may be a lie of stolen
    /// recovery keys.
    RecoveryHidden {
        /// The block that the statement is about, the target's newest one.
        block: BlockNumber,
        /// How long the wait still takes.
        seconds_left: u64,
    },
    /// The source does not bear out what the target waits for: it may be a lie of stolen recovery keys.
    RecoveryUnfounded {
        /// The block that the statement is about.
        block: BlockNumber,
        /// The block of the reset, as the statement says.
        reset_block: BlockNumber,
        /// Why, and who says so.
        reason: String,
    },
    /// The operator's recovery proof is of no use now.
    NotRecovered {
        /// The block that it is about.
        block: BlockNumber,
        /// Why, with the rule that broke.
        reason: String,
    },
    /// A transaction of the paying account is in the way of the next one.
    Stuck(Stuck),
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

    pub(crate) fn announced(block: BlockNumber, announced: &Announced) -> Self {
        let Some(statement) = &announced.statement else {
            return Self::RecoveryHidden {
                block,
                seconds_left: announced.left,
            };
        };
        Self::RecoveryAnnounced {
            block,
            ended: statement.ended,
            reset_block: statement.reset_number,
            reset_hash: statement.reset_hash,
            set: statement.set.id,
            seconds_left: announced.left,
            is_contradicted: announced.is_contradicted,
        }
    }

    pub(crate) fn unfounded(statement: &RecoveryStatement, reason: String) -> Self {
        Self::RecoveryUnfounded {
            block: statement.block_number,
            reset_block: statement.reset_number,
            reason,
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
            Self::WentBack { from, to } => write!(
                f,
                "WARNING: the target went back from block {from} to block {to}: its chain was reorganised, its owner has set it back, or its node lags; what is missing is brought again"
            ),
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
            Self::RecoveryAnnounced {
                block,
                ended,
                reset_block,
                reset_hash,
                set,
                seconds_left,
                is_contradicted,
            } => {
                write!(
                    f,
                    "a recovery is announced: from block {block}, the reset in block {reset_block} ({reset_hash:?}) ended set {ended}, and set {set} signs; "
                )?;
                if *is_contradicted {
                    f.write_str("RECOVER-8: the recovery keys have signed another statement too, and the target crosses neither")
                } else {
                    write!(f, "{seconds_left} s of the wait are left")
                }
            }
            Self::RecoveryHidden {
                block,
                seconds_left,
            } => write!(
                f,
                "WARNING: a recovery from block {block} is announced, and the target's node does not show the event with its statement; {seconds_left} s of the wait are left"
            ),
            Self::RecoveryUnfounded {
                block,
                reset_block,
                reason,
            } => write!(
                f,
                "WARNING: the announced recovery from block {block} to block {reset_block} is not borne out: {reason}"
            ),
            Self::NotRecovered { block, reason } => {
                write!(f, "the recovery proof about block {block} is not used: {reason}")
            }
            Self::Stuck(Stuck {
                nonce,
                transaction,
                then,
            }) => {
                write!(f, "WARNING: a transaction of the account with nonce {nonce}")?;
                if let Some(hash) = transaction {
                    write!(f, " ({hash:?})")?;
                }
                f.write_str(match then {
                    Then::Awaited => " waits in the target's pool, and this run has not sent it: it is waited for",
                    Then::Replaced => " came into no block: it is replaced by one with higher fees",
                    Then::BehindGap => " waits in the target's pool for the nonces before it",
                    Then::AtLimit => " waits with the highest fees that are allowed",
                })
            }
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
