//! What the user sees: lines for people, or one JSON object per line for programs.
//!
//! What was proven goes to standard output; what happens on the way, to standard error. With `--json` everything
//! goes to standard output.

use crate::{
    exit::{Failure, Kind},
    fault::Fault,
};
use duet_light_client::{Mode, NextStep, Trusted, Verified};
use duet_primitives::{BlockNumber, SetId, H256};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use std::{
    io::{self, Write},
    time::Duration,
};

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
    },
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
    },
    /// An endpoint failed: it was dropped, or is asked again later.
    Endpoint {
        url: &'a str,
        verdict: &'static str,
        rule: Option<&'static str>,
        reason: String,
        next_step: Option<String>,
    },
    /// No endpoint has had a new proof for so long.
    Stalled {
        url: &'a str,
        block: BlockNumber,
        chain: BlockNumber,
        seconds: u64,
        /// Whether there is no other endpoint to compare with.
        alone: bool,
    },
    /// What a state file trusts.
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
        value: Option<String>,
        #[serde(flatten)]
        source: Source<'a>,
    },
    /// What the state after a block says of an account, verified. Amounts are in the chain's smallest unit, and in text,
    /// because they may be greater than what JSON's readers take for a number.
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
    /// Whether a block has a transaction, verified; not whether its call succeeded.
    Transaction {
        block: BlockNumber,
        hash: H256,
        transaction: H256,
        included: bool,
        /// Its position among the block's extrinsics.
        index: Option<usize>,
        /// Its bytes, with their length in front.
        value: Option<String>,
        #[serde(flatten)]
        source: Source<'a>,
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
}

/// Who sent what was verified, and how many bytes of proof that was, without the proof of finality.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Source<'a> {
    pub(crate) url: &'a str,
    pub(crate) proof_bytes: usize,
}

fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Full => "full",
        Mode::Stateless => "stateless",
    }
}

impl<'a> Event<'a> {
    pub(crate) fn start(genesis: H256, mode: Mode, trusted: Option<&Trusted>) -> Self {
        Self::Start {
            genesis,
            mode: mode_name(mode),
            block: trusted.map(Trusted::best_number),
            set: trusted.map(|trusted| trusted.signing().id),
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
        }
    }

    pub(crate) fn status(trusted: &Trusted) -> Self {
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
    fn is_result(&self) -> bool {
        self.is_answer()
            || matches!(
                self,
                Self::Proof { .. } | Self::Synced { .. } | Self::Status { .. }
            )
    }

    /// Whether it answers a question about a block.
    fn is_answer(&self) -> bool {
        matches!(
            self,
            Self::Header { .. }
                | Self::Storage { .. }
                | Self::Account { .. }
                | Self::Transaction { .. }
        )
    }

    /// For people.
    fn text(&self) -> String {
        match self {
            Self::Start { genesis, mode, block, set } => {
                let from = match (block, set) {
                    (Some(block), Some(set)) => format!("block {block}, set {set}"),
                    _ => "genesis".to_owned(),
                };
                format!("following {genesis:?} from {from} ({mode})")
            }
            Self::Connected { url } => format!("connected to {url}"),
            Self::Proof { block, set, signers, of, bytes, millis, next_set, .. } => {
                let line = format!(
                    "block {block}  set {set}  signers {signers} of {of}  {bytes} bytes  {millis:.2} ms"
                );
                match next_set {
                    Some(next) => format!("{line}  next set {next}"),
                    None => line,
                }
            }
            Self::Behind { url, block, head } => {
                format!("behind: at block {block}, and {url} names {head} as its proven head")
            }
            Self::Synced { block, hash, set, .. } => {
                format!("synced to block {block}  set {set}  {hash:?}")
            }
            Self::Endpoint { url, verdict, reason, next_step, .. } => {
                let verdict = verdict.replace('_', " ");
                match next_step {
                    Some(step) => format!("{url} {verdict}: {reason}; {step}"),
                    None => format!("{url} {verdict}: {reason}"),
                }
            }
            Self::Stalled { url, block, chain, seconds, alone } => {
                let others = if *alone {
                    "there is no other endpoint to compare with"
                } else {
                    "no other endpoint has one"
                };
                format!(
                    "{url} has had no new proof for {seconds} s, since block {block}; its chain is at block \
                     {chain}, and {others}"
                )
            }
            Self::Status { .. } => self.status_text(),
            Self::Header { block, hash, parent_hash, state_root, extrinsics_root, .. } => {
                let mut lines = vec![
                    format!("block            {block}"),
                    format!("hash             {hash:?}"),
                ];
                lines.extend(parent_hash.map(|hash| format!("parent           {hash:?}")));
                lines.push(format!("state root       {state_root:?}"));
                lines.push(format!("extrinsics root  {extrinsics_root:?}"));
                lines.join("\n")
            }
            Self::Storage { value: Some(value), .. } => value.clone(),
            Self::Storage { value: None, block, .. } => {
                format!("the state after block {block} has no entry under this key")
            }
            Self::Account { exists: false, block, account, .. } => {
                format!("the state after block {block} has no account {account}")
            }
            Self::Account { block, hash, account, nonce, free, reserved, frozen, .. } => format!(
                "account   {account}\nblock     {block}  {hash:?}\nnonce     {nonce}\nfree      {free}\nreserved  \
                 {reserved}\nfrozen    {frozen}"
            ),
            Self::Transaction { block, hash, transaction, index: Some(index), .. } => format!(
                "transaction  {transaction:?}\nblock        {block}  {hash:?}\nindex        {index}\nIt is in this \
                 final block. Whether its call succeeded is not proven."
            ),
            Self::Transaction { block, hash, transaction, .. } => {
                format!("block {block}  {hash:?}  does not have the transaction {transaction:?}")
            }
            Self::Failed { kind, message, .. } if *kind == Kind::Interrupted.name() => {
                (*message).to_owned()
            }
            Self::Failed { message, evidence: Some([first, second]), .. } => {
                format!("error: {message}\nfirst proof:  {first}\nsecond proof: {second}")
            }
            Self::Failed { message, .. } => format!("error: {message}"),
        }
    }

    fn status_text(&self) -> String {
        let Self::Status {
            genesis,
            mode,
            block,
            hash,
            mmr_root,
            set,
            validators,
            threshold,
            next_set,
        } = self
        else {
            return String::new();
        };
        let mut lines = vec![
            format!("genesis     {genesis:?}"),
            format!("mode        {mode}"),
            format!("block       {block}"),
            format!("hash        {hash:?}"),
        ];
        lines.extend(mmr_root.map(|root| format!("mmr root    {root:?}")));
        lines.push(format!("set         {set}"));
        lines.push(format!(
            "validators  {validators}, of which {threshold} make a proof"
        ));
        lines.extend(next_set.map(|next| format!("next set    {next}")));
        lines.join("\n")
    }
}

/// Where events go. Clones share the progress bar.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    json: bool,
    quiet: bool,
    /// Only answers go to standard output.
    answers: bool,
    bar: ProgressBar,
}

impl Output {
    pub(crate) fn new(json: bool, quiet: bool) -> Self {
        let target = if json {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        let style = "{bar:32} block {pos} of {len}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        Self {
            json,
            quiet,
            answers: false,
            bar,
        }
    }

    /// For commands that answer a question: the answer alone goes to standard output.
    pub(crate) fn of_answers(json: bool, quiet: bool) -> Self {
        Self {
            answers: true,
            ..Self::new(json, quiet)
        }
    }

    /// Shows something that happened.
    pub(crate) fn event(&self, event: &Event<'_>) {
        if self.json {
            match serde_json::to_string(event) {
                Ok(line) => self.print(&line),
                Err(error) => self.warn(&error.to_string()),
            }
        } else if !event.is_result() || (self.answers && !event.is_answer()) {
            if !(self.quiet && event.is_result()) {
                self.warn(&event.text());
            }
        } else if !(self.quiet && matches!(event, Event::Proof { .. })) {
            self.print(&event.text());
        }
    }

    /// Writes to standard output.
    pub(crate) fn print(&self, text: &str) {
        self.bar.suspend(|| write_line(io::stdout().lock(), text));
    }

    fn warn(&self, text: &str) {
        self.bar.suspend(|| write_line(io::stderr().lock(), text));
    }

    /// Moves the progress bar.
    pub(crate) fn progress(&self, block: BlockNumber, head: BlockNumber) {
        self.bar.set_length(u64::from(head.max(block).get()));
        self.bar.set_position(u64::from(block.get()));
    }

    /// Removes the progress bar.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// A closed pipe ends the output, not the verification.
fn write_line(mut to: impl Write, text: &str) {
    let _ = writeln!(to, "{text}").and_then(|()| to.flush());
}
