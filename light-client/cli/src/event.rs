//! Events, in the form that `--json` prints.

#[cfg(feature = "statistics")]
use crate::stats;
#[cfg(feature = "vouchers")]
use crate::vouch::shown;
use crate::{
    age::age,
    became,
    calls::{Class, DispatchInfo},
    recovery::shown as recovery,
    verdict::Verdict,
};
use duet_light_client::{Mode, NextStep, Trusted, Verified};
use duet_light_metadata::Outcome;
use duet_light_rpc::{Failure, Fault, PathJson};
use duet_light_warp::Follower;
use duet_primitives::{BlockNumber, SetId, UncheckedJustification, H256};
use serde::Serialize;
use std::time::Duration;

/// One thing that happened.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Event<'a> {
    /// Where the client begins.
    Start {
        genesis: H256,
        mode: &'static str,
        block: Option<BlockNumber>,
        set: Option<SetId>,
        /// The block that the user named to begin at, if it is newer.
        #[serde(skip_serializing_if = "Option::is_none")]
        start: Option<H256>,
    },
    /// An endpoint proved the set of the block that the user named, and the client begins there.
    Began {
        url: &'a str,
        block: BlockNumber,
        hash: H256,
        set: SetId,
    },
    /// GRANDPA's proofs led from the genesis to a final block, over this many changes of its voters.
    Warped {
        url: &'a str,
        block: BlockNumber,
        hash: H256,
        changes: u64,
    },
    /// Who vouches for the checkpoint that it begins from.
    #[cfg(feature = "vouchers")]
    Vouched(shown::Vouched),
    /// A checkpoint was vouched for.
    #[cfg(feature = "vouchers")]
    Signed(shown::Signed),
    /// An endpoint answers and serves the right chain.
    Connected { url: &'a str },
    /// A proof was verified.
    Proof {
        block: BlockNumber,
        hash: H256,
        mmr_root: H256,
        set: SetId,
        signers: u32,
        of: u32,
        bytes: usize,
        millis: f64,
        /// The successor that it names, if it is a handoff.
        next_set: Option<SetId>,
        url: &'a str,
    },
    /// The endpoint is ahead of this client.
    Behind {
        url: &'a str,
        block: BlockNumber,
        head: BlockNumber,
    },
    /// Everything up to the endpoint's proven head is verified.
    Synced {
        url: &'a str,
        block: BlockNumber,
        hash: H256,
        set: SetId,
        /// The time of the block, or of one before it, in seconds since the Unix epoch; `None` while nothing proves it.
        time: Option<u64>,
        /// Seconds since then.
        age: Option<u64>,
    },
    /// An endpoint says that no set signs its newest block. Nothing proves it.
    Silent {
        url: &'a str,
        block: BlockNumber,
        set: SetId,
    },
    /// The newest block is so many seconds in the future by this machine's clock.
    Ahead {
        url: &'a str,
        block: BlockNumber,
        seconds: u64,
    },
    /// An endpoint failed and was dropped, or will be retried.
    Endpoint {
        url: &'a str,
        verdict: &'static str,
        rule: Option<&'static str>,
        reason: String,
        next_step: Option<String>,
        /// The block that it names as one to begin at, which nothing proves.
        #[serde(skip_serializing_if = "Option::is_none")]
        claimed_block: Option<BlockNumber>,
        #[serde(skip_serializing_if = "Option::is_none")]
        claimed_hash: Option<H256>,
    },
    /// Neither the chain nor the user names a trusting period, so that no age is checked.
    NoTrustingPeriod { url: &'a str },
    /// No endpoint has had a new proof for this long.
    Stalled {
        url: &'a str,
        block: BlockNumber,
        chain: BlockNumber,
        seconds: u64,
        /// Whether there is no other endpoint to compare with.
        alone: bool,
    },
    /// An endpoint's verdict on a submitted proof.
    Reported {
        url: &'a str,
        block: BlockNumber,
        hash: H256,
        set: SetId,
        signers: u32,
        verdict: Verdict,
    },
    /// The trusted state in a state file.
    Status {
        genesis: H256,
        mode: &'static str,
        block: BlockNumber,
        hash: H256,
        mmr_root: Option<H256>,
        set: SetId,
        validators: u32,
        threshold: u32,
        next_set: Option<SetId>,
        /// The time of the block, or of one before it, in seconds since the Unix epoch.
        time: Option<u64>,
        /// In seconds.
        age: Option<u64>,
        /// In seconds.
        trusting_period: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        recovery: Option<recovery::Awaited>,
    },
    /// A header, verified.
    Header {
        block: BlockNumber,
        hash: H256,
        parent_hash: Option<H256>,
        state_root: H256,
        extrinsics_root: H256,
        #[serde(flatten)]
        source: Source<'a>,
    },
    /// An entry of the state after a block, verified; no value when the state provably has none.
    Storage {
        block: BlockNumber,
        hash: H256,
        key: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<&'a str>,
        value: Option<String>,
        /// How many bytes the value has.
        length: Option<usize>,
        /// How many events it is, if it is `System.Events`.
        #[serde(skip_serializing_if = "Option::is_none")]
        events: Option<u32>,
        #[serde(flatten)]
        source: Source<'a>,
    },
    /// An account in the state after a block, verified. Amounts are in the chain's smallest unit, and in text,
    /// because they may exceed the numbers of JSON parsers.
    Account {
        block: BlockNumber,
        hash: H256,
        account: &'a str,
        exists: bool,
        nonce: u32,
        free: String,
        reserved: String,
        frozen: String,
        #[serde(flatten)]
        source: Source<'a>,
    },
    /// Whether a block has a transaction, and what became of it, verified.
    Transaction {
        block: BlockNumber,
        hash: H256,
        transaction: H256,
        included: bool,
        /// Its position among the block's extrinsics.
        index: Option<usize>,
        /// Its bytes, with their length in front.
        value: Option<String>,
        /// How its call ended, what it paid, and its events.
        #[serde(serialize_with = "became::serialize")]
        outcome: Option<Outcome>,
        /// Why that is not known.
        #[serde(skip_serializing_if = "Option::is_none")]
        no_outcome: Option<String>,
        #[serde(flatten)]
        source: Source<'a>,
    },
    /// The outcome of a call of the runtime after a block, executed here over proven entries.
    Call {
        block: BlockNumber,
        hash: H256,
        method: &'a str,
        parameters: String,
        /// What it returned; of metadata without the length in front.
        output: String,
        /// How many bytes the output has.
        length: usize,
        /// The output as a fee, if it is one.
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        fee: Option<Fee>,
        /// The hash of the runtime's code.
        code: H256,
        /// How many entries the call read.
        entries: usize,
        /// How many proofs were requested, besides that of the code.
        requests: u32,
        #[serde(flatten)]
        source: Source<'a>,
    },
    /// A verified statistic of the validators' own figures.
    #[cfg(feature = "statistics")]
    Statistic(stats::shown::Shown<'a>),
    /// The server listens.
    Serving {
        address: String,
        strict: bool,
        /// Whether only this machine can reach it.
        loopback: bool,
    },
    /// A request was answered, or refused.
    Request {
        /// The method, or its pattern in the table.
        method: &'static str,
        /// How far the answer is verified.
        class: &'static str,
        /// The code of the error, if it is one.
        error: Option<i32>,
        millis: f64,
    },
    /// The program failed.
    Failed {
        code: u8,
        kind: &'static str,
        message: &'a str,
        /// Two proofs that hold and cannot both be true, SCALE in 0x-hex.
        #[serde(skip_serializing_if = "Option::is_none")]
        evidence: Option<[String; 2]>,
    },
    /// News of a recovery.
    #[serde(untagged)]
    Recovery(recovery::Shown<'a>),
}

/// A fee. The amount is in the chain's smallest unit, and in text, because it may exceed the numbers of JSON parsers.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Fee {
    pub(crate) fee: String,
    pub(crate) class: Class,
    /// In picoseconds.
    pub(crate) ref_time: u64,
    /// In bytes.
    pub(crate) proof_size: u64,
}

impl From<&DispatchInfo> for Fee {
    fn from(info: &DispatchInfo) -> Self {
        Self {
            fee: info.fee.to_string(),
            class: info.class,
            ref_time: info.ref_time.0,
            proof_size: info.proof_size.0,
        }
    }
}

/// The sender of a verified answer, the size of its proof without the finality proof, and the proof.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Source<'a> {
    pub(crate) url: &'a str,
    /// Seconds since the newest proven block, which proves the answer; `None` while nothing proves its time.
    pub(crate) head_age: Option<u64>,
    pub(crate) proof_bytes: usize,
    pub(crate) proof: ProofParts,
}

/// The proof of an answer, in the parts that the verifier takes. Bytes are 0x-hex.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ProofParts {
    /// The proof of the newest block; none when that is trusted from a checkpoint or the genesis.
    pub(crate) justification: Option<String>,
    /// The header of the block that was asked about.
    pub(crate) header: String,
    /// Its place under the newest block; none when it is that one.
    pub(crate) path: Option<PathJson>,
    /// Trie nodes.
    pub(crate) nodes: Vec<String>,
    /// The block's extrinsics, where they are the proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) extrinsics: Option<Vec<String>>,
}

fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Full => "full",
        Mode::Stateless => "stateless",
    }
}

impl<'a> Event<'a> {
    pub(crate) fn start(
        genesis: H256,
        mode: Mode,
        start: Option<H256>,
        trusted: Option<&Trusted>,
    ) -> Self {
        Self::Start {
            genesis,
            mode: mode_name(mode),
            block: trusted.map(Trusted::best_number),
            set: trusted.map(|trusted| trusted.signing().id),
            start,
        }
    }

    pub(crate) fn began(trusted: &Trusted, url: &'a str) -> Self {
        Self::Began {
            url,
            block: trusted.best_number(),
            hash: trusted.best_hash(),
            set: trusted.signing().id,
        }
    }

    pub(crate) fn warped(proven: &Follower, url: &'a str) -> Self {
        Self::Warped {
            url,
            block: proven.number(),
            hash: proven.hash(),
            changes: proven.set_id(),
        }
    }

    pub(crate) fn proof(verified: &Verified, bytes: usize, took: Duration, url: &'a str) -> Self {
        let commitment = verified.justification.commitment();
        Self::Proof {
            block: commitment.block_number,
            hash: commitment.block_hash,
            mmr_root: commitment.mmr_root,
            set: commitment.validator_set_id,
            signers: verified.signers(),
            of: verified.set_len,
            bytes,
            millis: took.as_secs_f64() * 1e3,
            next_set: verified.next_set(),
            url,
        }
    }

    pub(crate) fn synced(trusted: &Trusted, url: &'a str) -> Self {
        Self::Synced {
            url,
            block: trusted.best_number(),
            hash: trusted.best_hash(),
            set: trusted.signing().id,
            time: trusted.dated().map(|dated| dated.time / 1000),
            age: age(trusted),
        }
    }

    pub(crate) fn endpoint_failed(url: &'a str, fault: &Fault) -> Self {
        let next_step = matches!(fault, Fault::Lie(_)).then(|| NextStep::LeaveSender.to_string());
        Self::Endpoint {
            url,
            verdict: fault.verdict(),
            rule: fault.rule(),
            reason: fault.to_string(),
            next_step,
            claimed_block: fault.claimed().map(|(number, _)| number),
            claimed_hash: fault.claimed().map(|(_, hash)| hash),
        }
    }

    pub(crate) fn status(trusted: &Trusted) -> Self {
        let dated = trusted.dated();
        Self::Status {
            genesis: trusted.genesis_hash(),
            mode: mode_name(trusted.mode()),
            block: trusted.best_number(),
            hash: trusted.best_hash(),
            mmr_root: trusted.best_proof().map(|proof| proof.commitment.mmr_root),
            set: trusted.signing().id,
            validators: trusted.signing().len,
            threshold: trusted.signing().threshold(),
            next_set: trusted.next().map(|next| next.id),
            time: dated.map(|dated| dated.time / 1000),
            age: age(trusted),
            trusting_period: dated.and_then(|dated| dated.trusting_period),
            recovery: trusted.announced().map(recovery::Awaited::of),
        }
    }

    pub(crate) fn reported(url: &'a str, proof: &UncheckedJustification, verdict: Verdict) -> Self {
        let UncheckedJustification {
            commitment,
            signers,
            ..
        } = proof;
        Self::Reported {
            url,
            block: commitment.block_number,
            hash: commitment.block_hash,
            set: commitment.validator_set_id,
            signers: signers.count(),
            verdict,
        }
    }

    pub(crate) fn failed(failure: &'a Failure) -> Self {
        let Failure {
            kind,
            message,
            evidence,
        } = failure;
        let hex = |proof: &Vec<u8>| format!("0x{}", hex::encode(proof));
        let evidence = evidence.as_ref().map(|proofs| proofs.each_ref().map(hex));
        Self::Failed {
            code: kind.code(),
            kind: kind.name(),
            message,
            evidence,
        }
    }

    /// Whether it is a result, or news about the way there.
    pub(crate) fn is_result(&self) -> bool {
        self.is_answer()
            || matches!(
                self,
                Self::Proof { .. }
                    | Self::Synced { .. }
                    | Self::Status { .. }
                    | Self::Serving { .. }
            )
    }

    /// Whether it answers a question about a block, or a proof of one.
    pub(crate) fn is_answer(&self) -> bool {
        #[cfg(feature = "statistics")]
        if matches!(self, Self::Statistic(_)) {
            return true;
        }
        matches!(
            self,
            Self::Header { .. }
                | Self::Storage { .. }
                | Self::Account { .. }
                | Self::Transaction { .. }
                | Self::Call { .. }
                | Self::Reported { .. }
                | Self::Recovery(recovery::Shown::Statement { .. })
        )
    }
}
