//! The queue of records that wait to be verified, in its own folder.

use super::{
    formats::{deliver_record, read_record, report_record, time},
    parse::{hash, party},
    registry::Keys,
};
use crate::{
    failure::{Failure, Kind},
    keys::file_failure,
    output::{Output, To},
};
use clap::{Args, Subcommand, ValueEnum};
use duet_sequential::{
    queue::{Limits, Order, QueueFiles, QueueStore, Report, State, StoreError, Terms, Work},
    Party, RecordId, Time,
};
use serde_json::{json, Value};
use std::{num::NonZeroUsize, path::PathBuf};

/// Operations on the queue.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Adds a record, unverified.
    Add {
        #[command(flatten)]
        queue: QueueArgs,
        /// The record.
        #[arg(long, value_name = "FILE", default_value = "-")]
        record: PathBuf,
        /// The time until which it must be verified, in seconds since 1970. Afterwards it is dropped.
        #[arg(long)]
        deadline: u64,
        /// Its value. Higher values are verified first with `--order value`.
        #[arg(long, default_value_t = 0)]
        value: u64,
        /// The verifier: a name, or 64 hex digits.
        #[arg(long, default_value = "self", value_parser = party)]
        verifier: Party,
        /// The time, in seconds since 1970. The default is the current time.
        #[arg(long)]
        now: Option<u64>,
    },
    /// Drops expired records, and verifies the others on all cores.
    Verify {
        #[command(flatten)]
        queue: QueueArgs,
        #[command(flatten)]
        keys: Keys,
        /// The order of verification.
        #[arg(long, value_enum, default_value_t = OrderArg::Newest)]
        order: OrderArg,
        /// The maximum number of verdicts. Records with unknown keys do not count.
        #[arg(long)]
        most: Option<usize>,
        /// The number of threads. The default is one per core.
        #[arg(long)]
        threads: Option<NonZeroUsize>,
        /// The verifier whose records are verified.
        #[arg(long, default_value = "self", value_parser = party)]
        verifier: Party,
        /// The time, in seconds since 1970. The default is the current time.
        #[arg(long)]
        now: Option<u64>,
    },
    /// Takes over a queue without an anchor: from an earlier version, or after the loss of the anchor.
    ///
    /// You vouch for the log. If it is not the latest, records taken since are handed out again, and records added
    /// since are lost. To continue with a rolled-back log, remove its anchor first.
    Adopt {
        #[command(flatten)]
        queue: QueueArgs,
    },
    /// Shows the content of the queue.
    List {
        #[command(flatten)]
        queue: QueueArgs,
    },
    /// Takes a verified record out of the queue.
    Take {
        #[command(flatten)]
        queue: QueueArgs,
        /// The record's id, 64 hex digits.
        #[arg(long, value_parser = hash)]
        id: [u8; 32],
        #[command(flatten)]
        to: To,
    },
    /// Removes a record in any state.
    Remove {
        #[command(flatten)]
        queue: QueueArgs,
        /// The record's id, 64 hex digits.
        #[arg(long, value_parser = hash)]
        id: [u8; 32],
    },
}

/// The queue and its limits.
#[derive(Args)]
pub(crate) struct QueueArgs {
    /// The queue's folder; created if it is missing.
    #[arg(long, value_name = "FOLDER")]
    queue: PathBuf,
    /// The queue's anchor, which stores the position of its log, if it is not in the folder. Best on another disk; exclude it from
    /// backups.
    #[arg(long, value_name = "FILE")]
    anchor: Option<PathBuf>,
    /// The maximum number of records.
    #[arg(long, default_value_t = 100_000)]
    max_records: usize,
    /// The maximum total length of the records in bytes.
    #[arg(long, default_value_t = 256 << 20)]
    max_bytes: usize,
}

impl QueueArgs {
    fn files(&self) -> QueueFiles {
        let mut files = QueueFiles::in_folder(&self.queue);
        if let Some(anchor) = &self.anchor {
            files.anchor.clone_from(anchor);
        }
        files
    }

    fn open(&self, output: &Output) -> Result<QueueStore, Failure> {
        let limits = Limits {
            records: self.max_records,
            bytes: self.max_bytes,
        };
        let files = self.files();
        let opened = output.when_free(
            || QueueStore::open(&files, limits),
            |error| matches!(error, StoreError::InUse(_)),
        );
        opened.map_err(failure)
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum OrderArg {
    /// The newest first.
    Newest,
    /// The most valuable first.
    Value,
}

fn failure(error: StoreError) -> Failure {
    let kind = match &error {
        StoreError::InUse(_) => Kind::Busy,
        StoreError::Io { .. } => Kind::File,
        StoreError::Add(_) => Kind::Input,
        StoreError::Anchor(error) => return file_failure(error),
        _ => Kind::Register,
    };
    Failure::new(kind, error)
}

pub(crate) fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Add {
            queue,
            record,
            deadline,
            value,
            verifier,
            now,
        } => {
            let terms = Terms {
                verifier,
                deadline: Time(deadline),
                value,
            };
            let record = read_record(&record)?;
            let id = queue.open(output)?.add(record, terms, time(now)?);
            let id = id.map_err(failure)?.to_string();
            output.result(&json!({ "id": id }), format!("record {id} is queued"))
        }
        Command::Verify {
            queue,
            keys,
            order,
            most,
            threads,
            verifier,
            now,
        } => {
            let order = match order {
                OrderArg::Newest => Order::NewestFirst,
                OrderArg::Value => Order::ByValue,
            };
            let all = Work::all(verifier, order);
            let work = Work {
                most: most.unwrap_or(all.most),
                threads: threads.unwrap_or(all.threads),
                ..all
            };
            verify(&queue, &keys, &work, time(now)?, output)
        }
        Command::Adopt { queue } => {
            QueueStore::adopt(&queue.files()).map_err(failure)?;
            let anchor = queue.files().anchor;
            let text = format!("adopted the queue with the anchor {}", anchor.display());
            output.result(&json!({ "anchor": anchor }), text)
        }
        Command::List { queue } => list(&queue, output),
        Command::Take { queue, id, to } => {
            let id = RecordId(id);
            let mut store = queue.open(output)?;
            let verified = store.verified(&id);
            let verified =
                verified.ok_or_else(|| Failure::refused(format!("no verified record {id}")))?;
            // The record leaves the queue only after it was delivered.
            deliver_record(&to.path, verified.record(), output)?;
            store.remove(&id).map_err(failure)?;
            report_record(&to.path, verified.record(), output)
        }
        Command::Remove { queue, id } => {
            let id = RecordId(id);
            if !queue.open(output)?.remove(&id).map_err(failure)? {
                return Err(Failure::input(format!("no record {id}")));
            }
            let id = id.to_string();
            output.result(&json!({ "removed": id }), format!("record {id} removed"))
        }
    }
}

fn verify(
    queue: &QueueArgs,
    keys: &Keys,
    work: &Work,
    now: Time,
    output: &Output,
) -> Result<(), Failure> {
    let keys = keys.read()?;
    let mut store = queue.open(output)?;
    let waiting = store.queue().pending(work.verifier, work.order).len();
    let bar = output.progress(waiting.min(work.most) as u64, "verifying");
    let report = store.verify(&keys, now, work, |records| bar.inc(records as u64));
    bar.finish_and_clear();
    let Report {
        expired,
        verified,
        invalid,
        undecided,
    } = report.map_err(failure)?;
    let texts = |ids: &[RecordId]| -> Vec<_> { ids.iter().map(RecordId::to_string).collect() };
    let reasons: Vec<_> = invalid
        .iter()
        .map(|(id, reason)| json!({ "id": id.to_string(), "reason": reason.to_string() }))
        .collect();
    let mut text = format!(
        "{} verified, {} invalid, {} undecided, {} expired",
        verified.len(),
        invalid.len(),
        undecided.len(),
        expired.len()
    );
    for (id, reason) in &invalid {
        text += &format!("\n  invalid {id}: {reason}");
    }
    output.result(
        &json!({
            "verified": texts(&verified),
            "invalid": reasons,
            "undecided": texts(&undecided),
            "expired": texts(&expired),
        }),
        text,
    )
}

fn list(queue: &QueueArgs, output: &Output) -> Result<(), Failure> {
    let store = queue.open(output)?;
    let mut described: Vec<Value> = Vec::new();
    let mut lines = Vec::new();
    for (id, entry) in store.queue().iter() {
        let (state, reason) = match entry.state() {
            State::Unverified => ("unverified", None),
            State::Verified => ("verified", None),
            State::Invalid(reason) => ("invalid", Some(reason.to_string())),
        };
        let terms = entry.terms();
        described.push(json!({
            "id": id.to_string(),
            "state": state,
            "reason": reason,
            "hops": entry.record().claims().len(),
            "bytes": entry.size(),
            "deadline": terms.deadline.0,
            "value": terms.value,
            "verifier": terms.verifier.to_string(),
        }));
        lines.push(format!(
            "{id} {state}, worth {}, until {}",
            terms.value, terms.deadline
        ));
    }
    let (records, bytes) = (store.queue().len(), store.queue().bytes());
    lines.push(format!("records: {records}, bytes: {bytes}"));
    output.result(
        &json!({ "records": described, "bytes": bytes }),
        lines.join("\n"),
    )
}
