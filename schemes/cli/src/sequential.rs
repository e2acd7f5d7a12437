//! `duet-schemes sequential`: records that each hop signs without verifying the hops before it.

mod args;
mod formats;
mod parse;
mod queue;
mod registry;

pub(crate) use args::Command;

use crate::{failure::Failure, files, output::Output};
use args::{Append, Attest, Bits, Inspect, Keygen, Peel, Sign, Verify};
use duet_sequential::{Attestation, Epoch, HopNumber, Record, SecretKey, Suite, Time};
use formats::{in_file, read_public, read_record, read_secret, time, write_record};
use serde_json::{json, Value};
use std::path::Path;

pub(crate) fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Keygen(args) => keygen(&args, output),
        Command::Fingerprint { key } => {
            let fingerprint = read_public(&key)?.fingerprint().to_string();
            output.result(&json!({ "fingerprint": fingerprint }), &fingerprint)
        }
        Command::Sign(args) => sign(&args, output),
        Command::Append(args) => append(&args, output),
        Command::Attest(args) => attest(&args, output),
        Command::Verify(args) => verify(&args, output),
        Command::Inspect(args) => inspect(&args, output),
        Command::Peel(args) => peel(&args, output),
        Command::Registry(command) => registry::run(command, output),
        Command::Queue(command) => queue::run(command, output),
    }
}

fn keygen(args: &Keygen, output: &Output) -> Result<(), Failure> {
    let suite = match args.bits {
        Bits::Rsa2048 => Suite::Rsa2048,
        Bits::Rsa3072 => Suite::Rsa3072,
    };
    files::check_key(&args.secret, &args.public, output.existing())?;
    let key = SecretKey::generate(suite).map_err(Failure::input)?;
    let bytes = key.to_bytes().map_err(Failure::input)?;
    files::write_key(
        (&args.secret, &bytes),
        (&args.public, key.public().as_bytes()),
        output.existing(),
    )?;
    let fingerprint = key.public().fingerprint().to_string();
    output.made(
        &[&args.secret, &args.public],
        &json!({ "fingerprint": fingerprint, "bits": suite.bits() }),
        format!("{suite} key {fingerprint}"),
    )
}

fn sign(args: &Sign, output: &Output) -> Result<(), Failure> {
    let key = read_secret(&args.key)?;
    let message = files::read(&args.message)?;
    let record = Record::first(&key, &message, Epoch(args.epoch)).map_err(Failure::input)?;
    write_record(&args.output, &record, output)
}

fn append(args: &Append, output: &Output) -> Result<(), Failure> {
    let key = read_secret(&args.key)?;
    let message = files::read(&args.message)?;
    let record = read_record(&args.record)?;
    let longer = record.append(&key, &message).map_err(Failure::input)?;
    write_record(&args.output, &longer, output)
}

fn attest(args: &Attest, output: &Output) -> Result<(), Failure> {
    let key = read_secret(&args.key)?;
    let common = |payload, hop, from, epoch| Attestation {
        payload,
        hop,
        from,
        own: key.public().fingerprint(),
        to: args.to,
        epoch,
        expires: Time(args.expires),
        fee: args.fee,
    };
    let record = match (&args.record, &args.payload, args.from, args.epoch) {
        (Some(path), ..) => {
            let record = read_record(path)?;
            let last = last_attestation(&record, path)?;
            let own = key.public().fingerprint();
            if last.to != own.into() {
                let to = last.to;
                return Err(Failure::refused(format!(
                    "the record is for {to}, not for this key, {own}"
                )));
            }
            let hop = HopNumber::new(record.claims().len() + 1).map_err(Failure::input)?;
            let said = common(last.payload, hop, last.own.into(), record.epoch());
            record.append(&key, &said.to_bytes())
        }
        (None, Some(payload), Some(from), Some(epoch)) => {
            let payload = Attestation::payload_hash(&files::read(payload)?);
            let said = common(payload, HopNumber::FIRST, from, Epoch(epoch));
            Record::first(&key, &said.to_bytes(), said.epoch)
        }
        _ => {
            return Err(Failure::input(
                "give --record, or --payload, --from and --epoch",
            ))
        }
    };
    write_record(&args.output, &record.map_err(Failure::input)?, output)
}

/// The attestation of the last hop, unverified.
fn last_attestation(record: &Record, path: &Path) -> Result<Attestation, Failure> {
    let claims = record.claims().last().into_iter();
    let mut said = claims.map(|claim| Attestation::from_bytes(&claim.message));
    match said.next() {
        Some(said) => said.map_err(in_file(path)),
        None => Err(Failure::input("the record has no hops")),
    }
}

fn verify(args: &Verify, output: &Output) -> Result<(), Failure> {
    let keys = args.keys.read()?;
    let record = read_record(&args.record)?;
    let id = record.id().to_string();
    let hops = record.claims().len();
    let verified = record.check(&keys).map_err(Failure::refused)?;
    let Some(receiver) = args.receiver else {
        return output.result(
            &json!({ "id": id, "hops": hops, "signatures": true, "verified": false }),
            format!(
                "record {id}: the signatures of all {hops} hops are valid\n  not verified: its epoch is not signed, so a key may be revoked"
            ),
        );
    };
    let path = verified
        .path(receiver, time(args.now)?)
        .map_err(Failure::refused)?;
    let first = path.hops().first();
    let first = first.ok_or_else(|| Failure::refused("the path has no hops"))?;
    let fee = path
        .fee()
        .ok_or_else(|| Failure::refused("the fees of the path add up to more than 64 bits"))?;
    let (payload, from) = (hex::encode(first.payload), first.from.to_string());
    if let Some(file) = &args.payload {
        if Attestation::payload_hash(&files::read(file)?) != first.payload {
            let file = file.display();
            return Err(Failure::refused(format!(
                "{file}: not the payload {payload}"
            )));
        }
    }
    if args.from.is_some_and(|expected| expected != first.from) {
        return Err(Failure::refused(format!("the path comes from {from}")));
    }
    output.result(
        &json!({
            "id": id,
            "hops": hops,
            "verified": true,
            "path": true,
            "fee": fee,
            "payload": payload,
            "from": from,
        }),
        format!("record {id}: a valid path of {hops} hops\n  payload {payload}\n  from {from}"),
    )
}

fn inspect(args: &Inspect, output: &Output) -> Result<(), Failure> {
    let record = read_record(&args.record)?;
    let described: Vec<Value> = record
        .claims()
        .iter()
        .map(|claim| {
            let said = Attestation::from_bytes(&claim.message).ok().map(|said| {
                json!({
                    "payload": hex::encode(said.payload),
                    "hop": said.hop.get(),
                    "from": said.from.to_string(),
                    "to": said.to.to_string(),
                    "expires": said.expires.0,
                    "fee": said.fee,
                })
            });
            json!({
                "fingerprint": claim.fingerprint.to_string(),
                "message": hex::encode(&claim.message),
                "attestation": said,
            })
        })
        .collect();
    let (id, suite) = (record.id().to_string(), record.signature().suite());
    let mut text = format!("record {id}, {suite}, epoch {}, unverified", record.epoch());
    for (index, claim) in record.claims().iter().enumerate() {
        let (number, bytes) = (index + 1, claim.message.len());
        text += &format!("\n  hop {number}: key {}, {bytes} bytes", claim.fingerprint);
    }
    output.result(
        &json!({
            "id": id,
            "bits": suite.bits(),
            "epoch": record.epoch().0,
            "signature_bytes": record.signature().to_core().len(),
            "hops": described,
        }),
        text,
    )
}

fn peel(args: &Peel, output: &Output) -> Result<(), Failure> {
    let record = read_record(&args.record)?;
    let key = read_public(&args.key)?;
    match record.peel(&key).map_err(Failure::refused)? {
        Some(shorter) => write_record(&args.output, &shorter, output),
        None => Err(Failure::refused("the record has only one hop")),
    }
}
