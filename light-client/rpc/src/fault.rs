//! Faults of an endpoint, and whether it is asked again.

use crate::{
    checkpoint::CheckpointJson,
    claim::StartClaim,
    failure::{Failure, Kind},
    wire::WireFault,
};
use duet_light_client::{
    BodyError, Culprit, Error, NextStep, ResetClaim, StateProofError, StorageProofError,
};
use duet_light_warp::WarpError;
use duet_primitives::{BlockNumber, SetId, H256};
use std::time::Duration;

/// Why the work with an endpoint ended.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Fault {
    /// It sent data that no honest server sends.
    #[error("{0}")]
    Lie(Lie),
    /// It serves another chain.
    #[error("the endpoint serves the chain with genesis {got:?}, expected {expected:?}")]
    OtherChain {
        /// The genesis hash of the chain that is followed.
        expected: H256,
        /// The genesis hash that the endpoint names.
        got: H256,
    },
    /// It does not have the methods; why, in words.
    #[error("the endpoint does not serve Duet: {0}")]
    Incompatible(String),
    /// It cannot be reached, or the connection broke; why, in words that are fit to be shown.
    #[error("{0}")]
    Unreachable(String),
    /// It is honest as far as we know, and lacks what we need.
    #[error("no {0}")]
    Incomplete(Missing),
    /// It says that its chain was reset, and no proof leads on from there.
    #[error("{}", about_reset(.0))]
    Reset(Box<ResetClaim>),
    /// It cannot prove the genesis, and says that the chain's sets begin at a later block.
    #[error("{}", about_start(.0))]
    LaterStart(StartClaim),
    /// Another endpoint proved a newer block, and had named it for too long.
    #[error("still at block {best}, {} s after {other} announced a newer block; {other} has proven block {proven}", after.as_secs_f64())]
    Lagging {
        /// The newest block that the endpoint proved.
        best: BlockNumber,
        /// The URL of the other endpoint.
        other: String,
        /// The newest block that the other endpoint proved.
        proven: BlockNumber,
        /// How long an endpoint may lag.
        after: Duration,
    },
    /// Not the endpoint's: the program ends.
    #[error("{0}")]
    Fatal(Failure),
}

/// Data that no honest server sends.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lie {
    /// A rule of the verifier broke.
    #[error("{0}")]
    Rule(Error),
    /// A rule about headers, state and older blocks broke.
    #[error("{0}")]
    State(StateProofError),
    /// A rule about GRANDPA's proofs broke.
    #[error("{0}")]
    Warp(WarpError),
    /// The extrinsics of a block are not those of its header.
    #[error("{0}")]
    Body(BodyError),
    /// RPC-3: a message that is no answer at all.
    #[error("{0}")]
    Wire(WireFault),
    /// RPC-1: the answer does not match the request.
    #[error("RPC-1: asked for {asked}, got {got}")]
    OtherAnswer {
        /// The request, in words.
        asked: String,
        /// The server's answer, in words that are fit for display.
        got: String,
    },
    /// RPC-2: two answers that cannot both be honest.
    #[error("RPC-2: contradictory answers: {0}")]
    Contradiction(String),
}

impl Lie {
    /// The broken rule.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::Rule(error) => error.rule(),
            Self::State(error) => error.rule(),
            Self::Warp(error) => error.rule(),
            Self::Body(error) => error.rule(),
            Self::Wire(_) => "RPC-3",
            Self::OtherAnswer { .. } => "RPC-1",
            Self::Contradiction(_) => "RPC-2",
        }
    }
}

/// Data that an endpoint may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// The proof of the first set: it cannot prove its genesis.
    #[error("proof of genesis")]
    Genesis,
    /// The proof of the set that signs at the block with this hash.
    #[error("start proof of block {0:?}: the block is not final there, has no sets, or its state is pruned")]
    Start(H256),
    /// Proofs from before it joined the chain, which it is fetching.
    #[error("proofs yet from before the node joined the chain; the node is fetching them: ask again later")]
    Backfill,
    /// The handoff proof of this set.
    #[error("handoff proof of set {0}, which is needed: the node has pruned too much")]
    HandoffProof(SetId),
    /// A reset after which a set signs that is not this one, nor one that it hands off to.
    #[error("reset that leads on from set {0}")]
    Reset(SetId),
    /// The keys of this set.
    #[error("keys of set {0}")]
    Keys(SetId),
    /// The proof of this block, which it named as its proven head.
    #[error("proof of block {0}, which the endpoint names as its proven head")]
    Proof(BlockNumber),
    /// The header of the block with this hash.
    #[error("header of block {0:?}")]
    Header(H256),
    /// The state of this block.
    #[error("state of block {0}: a node keeps the state of its newest blocks, 256 by default, or of all with `--state-pruning archive`")]
    State(BlockNumber),
    /// The proof of a block's state under a later block.
    #[error("proofs of block {block} under block {under}")]
    Proofs {
        /// The block of the state.
        block: BlockNumber,
        /// The block under which it is proven.
        under: BlockNumber,
    },
    /// The proof of this block under a newer one.
    #[error("proof of the older block {0}")]
    History(BlockNumber),
    /// Figures of this set's validators about their nodes.
    #[error("figures of the validators of set {0} about their nodes")]
    Statistic(SetId),
    /// Figures of so many validators.
    #[error("figures of {required} validators, only of {got}")]
    Reporters {
        /// How many have to have a part.
        required: usize,
        /// How many have.
        got: usize,
    },
    /// Figures that are as new as they have to be.
    #[error("figures newer than those of the session that began with block {0}")]
    FreshStatistic(BlockNumber),
    /// The time of this block, which a client begins from or continues from.
    #[error("proof of the time of block {0} (LIGHT-9): its state is pruned, or has no time; begin from a younger checkpoint, or add \
             --trust-old-start if people whom you trust say that the block is younger than the trusting period")]
    Time(BlockNumber),
    /// An answer as short as this client takes. Its length is the request's doing.
    #[error("answer of at most {limit} bytes, but one of {got} or more: ask for fewer or shorter entries")]
    ShortAnswer {
        /// The most bytes.
        limit: u64,
        /// How many bytes it has at least.
        got: u64,
    },
    /// The extrinsics of this block.
    #[error(
        "extrinsics of block {0}: a node with `--blocks-pruning` keeps only those of newer blocks"
    )]
    Body(BlockNumber),
}

/// A server's claim about a reset, and the user's options. (LIGHT-8)
fn about_reset(claim: &ResetClaim) -> String {
    let (number, hash) = (claim.block_number(), claim.block_hash());
    let (ended, set) = (claim.ended(), claim.set().id);
    let checkpoint = serde_json::to_string(&CheckpointJson::from(claim.checkpoint()));
    format!(
        "LIGHT-8: the endpoint says that governance reset the chain: block {number} ({hash:?}) ended set {ended} without a \
         handoff, and set {set} signs from there on. No proof can show this, so this client stops before that block. If \
         people whom you trust confirm the block, continue from it with --start {hash:?}, or with --checkpoint and a file \
         with this content: {}",
        checkpoint.unwrap_or_default(),
    )
}

/// A server's claim about the start of the sets, and the user's options. (LIGHT-1)
fn about_start(StartClaim { number, hash }: &StartClaim) -> String {
    format!(
        "LIGHT-1: the endpoint has no proof of genesis and no GRANDPA proofs from genesis to a block with sets. It says that the \
         chain adopted Duet later, at block {number} ({hash:?}). This is not proven, so this client does not start there by \
         itself. If people whom you trust confirm that this block is final, start at it with --start {hash:?}"
    )
}

impl From<Lie> for Fault {
    fn from(lie: Lie) -> Self {
        Self::Lie(lie)
    }
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        Self::Fatal(failure)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let with_advice = |kind| {
            let failure = Failure::new(kind, format!("{error}; {}", error.next_step()));
            Self::Fatal(match error.evidence() {
                Some(evidence) => failure.with_evidence(evidence),
                None => failure,
            })
        };
        match (error.culprit(), error.next_step()) {
            (Culprit::Sender, _) => Self::Lie(Lie::Rule(error)),
            (Culprit::Validators, _) => with_advice(Kind::Misbehaviour),
            (_, NextStep::NewCheckpoint) => with_advice(Kind::NoWay),
            (_, NextStep::FetchHandoffProofs { from_set }) => {
                Self::Incomplete(Missing::HandoffProof(from_set))
            }
            (_, NextStep::FetchKeys { set }) => Self::Incomplete(Missing::Keys(set)),
            (Culprit::Caller | Culprit::Nobody, _) => with_advice(Kind::Usage),
        }
    }
}

impl From<BodyError> for Fault {
    fn from(error: BodyError) -> Self {
        Self::Lie(Lie::Body(error))
    }
}

impl From<WireFault> for Fault {
    fn from(fault: WireFault) -> Self {
        Self::Lie(Lie::Wire(fault))
    }
}

impl From<StateProofError> for Fault {
    fn from(error: StateProofError) -> Self {
        if let StateProofError::Storage(StorageProofError::TooManyBytes { expected, got }) = error {
            let bytes = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
            let (limit, got) = (bytes(expected), bytes(got));
            return Self::Incomplete(Missing::ShortAnswer { limit, got });
        }
        match error.culprit() {
            Culprit::Sender => Self::Lie(Lie::State(error)),
            _ => Self::Fatal(Failure::new(Kind::NoWay, error.to_string())),
        }
    }
}

impl Fault {
    /// Whether the endpoint is not asked again.
    pub fn is_final(&self) -> bool {
        match self {
            Self::Lie(_) | Self::OtherChain { .. } | Self::Incompatible(_) => true,
            Self::Unreachable(_)
            | Self::Incomplete(_)
            | Self::Reset(_)
            | Self::LaterStart(_)
            | Self::Lagging { .. }
            | Self::Fatal(_) => false,
        }
    }

    /// The kind in one word, for programs that read the output.
    pub fn verdict(&self) -> &'static str {
        match self {
            Self::Lie(_) => "lied",
            Self::OtherChain { .. } => "other_chain",
            Self::Incompatible(_) => "incompatible",
            Self::Unreachable(_) => "unreachable",
            Self::Incomplete(_) => "incomplete",
            Self::Reset(_) => "reset",
            Self::LaterStart(_) => "later_start",
            Self::Lagging { .. } => "lagging",
            Self::Fatal(_) => "fatal",
        }
    }

    /// The broken rule, where it is one.
    pub fn rule(&self) -> Option<&'static str> {
        match self {
            Self::Lie(lie) => Some(lie.rule()),
            Self::OtherChain { .. } | Self::LaterStart(_) => Some("LIGHT-1"),
            Self::Incomplete(Missing::HandoffProof(_)) => Some("LIGHT-6"),
            Self::Incomplete(Missing::Time(_)) => Some("LIGHT-9"),
            Self::Reset(_) => Some("LIGHT-8"),
            Self::Incompatible(_)
            | Self::Unreachable(_)
            | Self::Incomplete(_)
            | Self::Lagging { .. }
            | Self::Fatal(_) => None,
        }
    }
    /// Number and hash of the block that it names as one to begin at, which its user has to confirm.
    pub fn claimed(&self) -> Option<(BlockNumber, H256)> {
        match self {
            Self::Reset(claim) => Some((claim.block_number(), claim.block_hash())),
            Self::LaterStart(StartClaim { number, hash }) => Some((*number, *hash)),
            _ => None,
        }
    }
}
