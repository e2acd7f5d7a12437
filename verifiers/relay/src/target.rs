//! Targets of proofs.

use crate::{
    messages::{Contents, Ends, Lane, Parcel},
    news::News,
    recovery::{Announcement, RecoveryStatus},
};
use duet_light_rpc::{Failure, Kind};
use duet_primitives::{
    BlockNumber, KeysetCommitment, RecoveryStatement, SetId, StatelessProof, H256,
};
use serde::Serialize;
use std::{fmt, future::Future};

/// A transaction of the paying account that is in the way of the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Stuck {
    /// Its nonce.
    pub nonce: u64,
    /// Its hash, where the target's node shows it.
    pub transaction: Option<H256>,
    /// What happens now.
    pub then: Then,
}

/// What happens to a transaction that is in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// It has the next nonce, and was not sent in this run: it is waited for.
    Awaited,
    /// It came into no block in time: another one with its nonce offers higher fees.
    Replaced,
    /// Its nonce is not the next one: it comes into a block when others have used the nonces before it.
    BehindGap,
    /// The relayer's own one waits with the highest fees that the operator allows.
    AtLimit,
}

/// A verifier on another chain that accepts proofs in transactions.
///
/// Between two submissions a relayer keeps only the answers of this trait, so that it may be killed at any time, and
/// several may serve one verifier.
pub trait Target {
    /// Proofs are submitted with the header of their block.
    const WITH_HEADER: bool;

    /// So many consecutive handoffs fit into one transaction.
    const MOST_HANDOFFS: u32 = 1;

    /// Where to tell from now on of transactions in the way.
    fn tell_to(&mut self, _news: News<Stuck>) {}

    /// The chain that the verifier follows, by its genesis hash.
    ///
    /// # Errors
    /// As [`Target::status`].
    fn genesis_hash(&self) -> impl Future<Output = Result<H256, TargetError>>;

    /// How the verifier stores a set. Two sets with the same fingerprint are the same set.
    fn fingerprint(&self, set: &KeysetCommitment) -> H256;

    /// The verifier's status in the newest block.
    ///
    /// # Errors
    /// [`TargetError::Unreachable`] when there is no answer; [`TargetError::NotReady`] when the verifier is not
    /// initialised; [`TargetError::Misconfigured`] when the answer is not from a verifier.
    fn status(&self) -> impl Future<Output = Result<Status, TargetError>>;

    /// What the verifier waits for to cross a reset, in the newest block; `None` when it crosses none by a proof. Some
    /// verifiers keep a hash of the statement alone: `given` is one to compare it with.
    ///
    /// # Errors
    /// As [`Target::status`].
    fn recovery(
        &self,
        given: Option<&RecoveryStatement>,
    ) -> impl Future<Output = Result<Option<RecoveryStatus>, TargetError>>;

    /// The cost of a submission now. Nothing is sent, and no key is needed.
    ///
    /// # Errors
    /// [`TargetError::Refused`] when the verifier would not accept it; [`TargetError::Overtaken`] when another pending
    /// transaction does the same.
    fn estimate(&self, cargo: &Cargo) -> impl Future<Output = Result<Estimate, TargetError>>;

    /// Brings it, and waits until it is in a block. An interrupted call may have sent a transaction: the next call deals with it.
    ///
    /// # Errors
    /// As [`Target::estimate`], and [`TargetError::TooDear`], [`TargetError::NoFunds`], [`TargetError::NoKey`].
    fn submit(&self, cargo: &Cargo) -> impl Future<Output = Result<Receipt, TargetError>>;

    /// Both ends of a lane on the target's chain, and the hash of the verifier's newest final block, under which
    /// deliveries along the lane have to be proven.
    ///
    /// # Errors
    /// As [`Target::status`]; [`TargetError::Misconfigured`] when there is no such lane.
    fn lane(&self, lane: &Lane) -> impl Future<Output = Result<LaneStatus, TargetError>>;

    /// The paying account's balance, in the smallest unit of the chain's currency; none without a key.
    ///
    /// # Errors
    /// As [`Target::status`].
    fn balance(&self) -> impl Future<Output = Result<Option<u128>, TargetError>>;
}

/// A set that a verifier trusts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetRef {
    /// Its id.
    pub id: SetId,
    /// By [`Target::fingerprint`].
    pub fingerprint: H256,
}

/// The status of a verifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The newest block that it holds for final.
    pub best: BlockNumber,
    /// The set that signs.
    pub signing: SetRef,
    /// The set after it, once a proof has named it.
    pub next: Option<SetRef>,
    /// It takes no proof any more: somebody has halted it, or it has seen two proofs that cannot both be true.
    pub is_stopped: bool,
    /// For how long it takes proofs if no newer one comes. (LIGHT-9)
    pub trust: Option<Trust>,
}

/// The time that a verifier has left. (LIGHT-9)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trust {
    /// Until when it takes proofs, as Unix time in seconds.
    pub until: u64,
    /// Its trusting period in seconds, which begins anew with each newer block.
    pub period: u64,
}

impl Trust {
    /// Whether more than half of the trusting period is over.
    pub fn is_running_out(&self, now: u64) -> bool {
        self.until.saturating_sub(now) < self.period.div_ceil(2)
    }
}

impl Status {
    /// The newest set that it knows. It needs this set's handoff to continue.
    pub fn latest(&self) -> SetId {
        self.next.unwrap_or(self.signing).id
    }
}

/// A lane as the target has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneStatus {
    /// The newest block that the verifier holds for final.
    pub best: BlockNumber,
    /// Its hash.
    pub hash: H256,
    /// Both ends.
    pub ends: Ends,
}

/// The content of one transaction.
#[derive(Clone, Debug)]
pub enum Cargo {
    /// A proof.
    Proof(Box<Delivery>),
    /// Something of a lane.
    Parcel(Parcel),
    /// A recovery proof, which begins the wait or contradicts what is waited for. (RECOVER-7)
    Announcement(Box<Announcement>),
    /// The end of the wait for this statement. (RECOVER-8)
    Crossing(Box<RecoveryStatement>),
}

impl Cargo {
    /// The first of several handoffs, alone.
    pub(crate) fn first_handoff(&self) -> Option<Self> {
        let Self::Proof(delivery) = self else {
            return None;
        };
        let (proof, set) = delivery.before.first()?.clone();
        Some(Self::Proof(Box::new(Delivery {
            before: Vec::new(),
            proof,
            set,
            header: None,
        })))
    }
}

/// The target crosses no reset by a proof.
pub(crate) fn no_recovery() -> TargetError {
    let message =
        "the target takes no recovery proofs: after a reset it needs its owner, or a new verifier";
    TargetError::Misconfigured(message.to_owned())
}

/// There is no such lane at the target.
pub(crate) fn no_lane(lane: &Lane) -> TargetError {
    TargetError::Misconfigured(format!("the target has no lane {lane}"))
}

impl fmt::Display for Cargo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Proof(delivery) => write!(f, "block {}", delivery.block()),
            Self::Parcel(parcel) => match parcel.contents {
                Contents::Messages { .. } => write!(f, "message {}", parcel.last()),
                Contents::Confirmation(_) => {
                    write!(f, "the confirmation of message {}", parcel.last())
                }
            },
            Self::Announcement(announcement) => {
                let block = announcement.proof.statement.block_number;
                write!(f, "a recovery from block {block}")
            }
            Self::Crossing(statement) => {
                write!(f, "the crossing from block {}", statement.block_number)
            }
        }
    }
}

/// A verified proof, and the other inputs of a verifier.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Consecutive handoffs up to this proof, each with the set that signed it: none, or as many as a verifier takes in one
    /// transaction ([`Target::MOST_HANDOFFS`]).
    pub before: Vec<(StatelessProof, KeysetCommitment)>,
    /// The proof.
    pub proof: StatelessProof,
    /// The set that signed it.
    pub set: KeysetCommitment,
    /// The header of its block in SCALE, where [`Target::WITH_HEADER`].
    pub header: Option<Vec<u8>>,
}

impl Delivery {
    /// The block that it proves.
    pub fn block(&self) -> BlockNumber {
        self.proof.justification.commitment.block_number
    }

    /// The first block that it proves.
    pub fn first_block(&self) -> BlockNumber {
        let first = self.before.first().map_or(&self.proof, |(proof, _)| proof);
        first.justification.commitment.block_number
    }

    /// All of its proofs, each with the set that signed it.
    pub fn proofs(&self) -> impl Iterator<Item = (&StatelessProof, &KeysetCommitment)> {
        let before = self.before.iter().map(|(proof, set)| (proof, set));
        before.chain([(&self.proof, &self.set)])
    }

    /// How many validators of the set did not sign.
    pub fn absent(&self) -> usize {
        self.proof.non_signers.len()
    }
}

/// The estimated cost of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Units of work: gas, or picoseconds of weight.
    pub work: u64,
    /// The cost now, in the smallest unit of the chain's currency.
    pub cost: u128,
    /// Bytes of the call.
    pub bytes: usize,
}

/// The result of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Whether the proof was taken.
    pub result: Delivered,
    /// The transaction.
    pub transaction: H256,
    /// Units of work, as in [`Estimate::work`].
    pub work: u64,
    /// The paid fee, in the smallest unit of the chain's currency.
    pub paid: u128,
}

/// How a submission ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivered {
    /// The proof was taken.
    Taken,
    /// The transaction is in a block, and the verifier refused it there: something was paid for nothing.
    Reverted,
    /// The transaction is in a block, but another one before it did the same: the fee was paid in vain.
    Known,
    /// Somebody else was faster, and the transaction was withdrawn.
    Withdrawn,
}

impl Delivered {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Taken, Self::Reverted, Self::Known, Self::Withdrawn];

    /// Its name in metrics and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Taken => "taken",
            Self::Reverted => "reverted",
            Self::Known => "known",
            Self::Withdrawn => "withdrawn",
        }
    }
}

impl fmt::Display for Delivered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why nothing was relayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// No answer, or an unparsable one. A later request may succeed.
    #[error("no usable answer from the target: {0}")]
    Unreachable(String),
    /// There is no verifier, or it follows another chain.
    #[error("{0}")]
    Misconfigured(String),
    /// The verifier is not initialised yet.
    #[error("{0}")]
    NotReady(String),
    /// The verifier would refuse the call.
    #[error("the target refuses the submission: {0}")]
    Refused(String),
    /// Somebody else has submitted this, or something newer.
    #[error("somebody else submits {0}")]
    Overtaken(String),
    /// It costs more than the operator wants to pay.
    #[error("a unit of gas costs {asked} now, above the limit of {limit}")]
    TooDear {
        /// The price now, in the smallest unit of the chain's currency.
        asked: u128,
        /// The operator's limit, in the same unit.
        limit: u128,
    },
    /// The node wants more for a transaction than the operator allows, as one with its nonce waits already.
    #[error("the node refuses nonce {nonce} as underpriced up to the limit of {limit} for a unit of gas: a transaction of the account with this nonce waits, and to replace it costs more")]
    Stuck {
        /// The nonce.
        nonce: u64,
        /// The operator's limit, in the smallest unit of the chain's currency.
        limit: u128,
    },
    /// The account cannot pay.
    #[error("the account cannot pay: {0}")]
    NoFunds(String),
    /// No key was given, which only an estimate does without.
    #[error("no key to sign with")]
    NoKey,
}

/// The failure of a program that exits with it.
impl From<TargetError> for Failure {
    fn from(error: TargetError) -> Self {
        let kind = match error {
            TargetError::Unreachable(_) => Kind::Unreachable,
            TargetError::Misconfigured(_) | TargetError::NotReady(_) | TargetError::NoKey => {
                Kind::Usage
            }
            TargetError::Refused(_) => Kind::Unverified,
            TargetError::Overtaken(_)
            | TargetError::TooDear { .. }
            | TargetError::Stuck { .. }
            | TargetError::NoFunds(_) => Kind::Local,
        };
        Self::new(kind, error.to_string())
    }
}
