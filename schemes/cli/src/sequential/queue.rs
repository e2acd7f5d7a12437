//! Records that wait to be verified, in a folder of their own.

use super::{
    args::{hash, party},
    deliver_record, read_record,
    registry::Keys,
    report_record, time,
};
use crate::output::{Failure, Output};
use clap::{Args, Subcommand, ValueEnum};
use duet_sequential::{
    queue::{Limits, Order, QueueStore, Report, State, Terms, Work},
    Party, RecordId, Time,
};
use serde_json::{json, Value};
use std::{num::NonZeroUsize, path::PathBuf};

/// What can be done with the queue.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Takes a record in, unverified.
    Add {
        #[command(flatten)]
        queue: Place,
        /// The record.
        #[arg(long, default_value = "-")]
        record: PathBuf,
        /// Until when it is to be verified, in seconds since 1970; after that it is dropped.
        #[arg(long)]
        deadline: u64,
        /// What it is worth: more is verified first under `--order value`.
        #[arg(long, default_value_t = 0)]
        value: u64,
        /// Who will verify it: a name, or 64 hex digits.
        #[arg(long, default_value = "self", value_parser = party)]
        verifier: Party,
        /// The time, in seconds since 1970; the present if absent.
        #[arg(long)]
        now: Option<u64>,
    },
    /// Drops what is too late, and verifies what waits, on all cores.
    Verify {
        #[command(flatten)]
        queue: Place,
        #[command(flatten)]
        keys: Keys,
        /// Which records are verified first.
        #[arg(long, value_enum, default_value_t = FirstOf::Newest)]
        order: FirstOf,
        /// How many verdicts at most; records whose keys are not known do not count.
        #[arg(long)]
        most: Option<usize>,
        /// On how many threads; as many as there are cores if absent.
        #[arg(long)]
        threads: Option<NonZeroUsize>,
        /// Whose records.
        #[arg(long, default_value = "self", value_parser = party)]
        verifier: Party,
        /// The time, in seconds since 1970; the present if absent.
        #[arg(long)]
        now: Option<u64>,
    },
    /// Shows what is in the queue.
    List {
        #[command(flatten)]
        queue: Place,
    },
    /// Takes a verified record out.
    Take {
        #[command(flatten)]
        queue: Place,
        /// The record's id, 64 hex digits.
        #[arg(long, value_parser = hash)]
        id: [u8; 32],
        /// Where the record goes.
        #[arg(long, default_value = "-")]
        output: PathBuf,
    },
    /// Throws a record away, whatever is known about it.
    Remove {
        #[command(flatten)]
        queue: Place,
        /// The record's id, 64 hex digits.
        #[arg(long, value_parser = hash)]
        id: [u8; 32],
    },
}

/// Which queue, and how much it may hold.
#[derive(Args)]
pub(crate) struct Place {
    /// The queue's folder, which is made if it is not there.
    #[arg(long)]
    queue: PathBuf,
    /// The most records that it may hold.
    #[arg(long, default_value_t = 100_000)]
    max_records: usize,
    /// The most bytes that its records may have together.
    #[arg(long, default_value_t = 256 << 20)]
    max_bytes: usize,
}

impl Place {
    fn open(&self) -> Result<QueueStore, Failure> {
        let limits = Limits {
            records: self.max_records,
            bytes: self.max_bytes,
        };
        QueueStore::open(&self.queue, limits).map_err(Failure::input)
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum FirstOf {
    /// The newest.
    Newest,
    /// The most valuable.
    Value,
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
            let id = queue.open()?.add(record, terms, time(now)?);
            let id = id.map_err(Failure::input)?.to_string();
            output.result(&json!({ "id": id }), format!("record {id} waits"))
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
                FirstOf::Newest => Order::NewestFirst,
                FirstOf::Value => Order::ByValue,
            };
            let all = Work::all(verifier, order);
            let work = Work {
                most: most.unwrap_or(all.most),
                threads: threads.unwrap_or(all.threads),
                ..all
            };
            verify(&queue, &keys, &work, time(now)?, output)
        }
        Command::List { queue } => list(&queue, output),
        Command::Take {
            queue,
            id,
            output: path,
        } => {
            let id = RecordId(id);
            let mut store = queue.open()?;
            let verified = store.verified(&id);
            let verified =
                verified.ok_or_else(|| Failure::refused(format!("no verified record {id}")))?;
            // It leaves the queue only when it is where it goes.
            deliver_record(&path, verified.record())?;
            store.remove(&id).map_err(Failure::input)?;
            report_record(&path, verified.record(), output)
        }
        Command::Remove { queue, id } => {
            let id = RecordId(id);
            if !queue.open()?.remove(&id).map_err(Failure::input)? {
                return Err(Failure::input(format!("no record {id}")));
            }
            let id = id.to_string();
            output.result(&json!({ "removed": id }), format!("record {id} is gone"))
        }
    }
}

fn verify(
    place: &Place,
    keys: &Keys,
    work: &Work,
    now: Time,
    output: &Output,
) -> Result<(), Failure> {
    let keys = keys.read()?;
    let mut store = place.open()?;
    let waiting = store.queue().pending(work.verifier, work.order).len();
    let bar = output.progress(waiting.min(work.most) as u64, "verifying");
    let report = store.verify(&keys, now, work, |records| bar.inc(records as u64));
    bar.finish_and_clear();
    let Report {
        expired,
        verified,
        invalid,
        undecided,
    } = report.map_err(Failure::input)?;
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

fn list(place: &Place, output: &Output) -> Result<(), Failure> {
    let store = place.open()?;
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
