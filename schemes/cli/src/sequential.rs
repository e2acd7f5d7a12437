//! `duet-schemes sequential`: records that each hop signs without verifying the hops before it.

mod args;
mod formats;
mod parse;
mod queue;
mod registry;

pub(crate) use args::Command;

use crate::{
    failure::Failure,
    files,
    keys::{check_new, NewKey},
    object::input,
    output::Output,
};
use args::{Append, Attest, Bits, Keygen, Peel, Sign, Verify};
use duet_armour::{
    kinds::{
        SEQUENTIAL_PUBLIC_KEY, SEQUENTIAL_RECORD, SEQUENTIAL_SECRET_KEY, SEQUENTIAL_TRUSTED_KEY,
        VOUCHED_CHECKPOINT,
    },
    Object,
};
use duet_sequential::{Attestation, Epoch, HopNumber, PublicKey, Record, SecretKey, Suite, Time};
use duet_vouch::Vouched;
use formats::{fingerprint, read_public, read_record, read_secret, time, write_record};
use serde_json::{json, Value};
use std::path::Path;

pub(crate) fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Keygen(args) => keygen(&args, output),
        Command::Sign(args) => sign(&args, output),
        Command::Append(args) => append(&args, output),
        Command::Attest(args) => attest(&args, output),
        Command::Verify(args) => verify(&args, output),
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
    check_new(&args.key, None)?;
    let key = SecretKey::generate(suite).map_err(Failure::input)?;
    let bytes = key.to_bytes().map_err(Failure::input)?;
    let new = NewKey {
        folder: &args.key,
        fingerprint: fingerprint(key.public()),
        secret: (&SEQUENTIAL_SECRET_KEY, &bytes),
        public: (&SEQUENTIAL_PUBLIC_KEY, key.public().as_bytes()),
    };
    // A key of this scheme may sign a message twice, so it has no register.
    new.write(|_| Ok(()))?;
    let (fingerprint, folder) = (key.public().fingerprint().to_string(), &args.key);
    output.result(
        &json!({ "fingerprint": fingerprint, "bits": suite.bits(), "folder": folder }),
        format!("{suite} key {fingerprint} in {}", folder.display()),
    )
}

fn sign(args: &Sign, output: &Output) -> Result<(), Failure> {
    let key = read_secret(&args.key)?;
    let message = files::read(&args.message)?;
    let record = Record::first(&key, &message, Epoch(args.epoch)).map_err(Failure::input)?;
    write_record(&args.output.path, &record, output)
}

fn append(args: &Append, output: &Output) -> Result<(), Failure> {
    let key = read_secret(&args.key)?;
    let message = files::read(&args.message)?;
    let record = read_record(&args.record)?;
    let longer = record.append(&key, &message).map_err(Failure::input)?;
    write_record(&args.output.path, &longer, output)
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
    write_record(&args.output.path, &record.map_err(Failure::input)?, output)
}

/// The attestation of the last hop, unverified.
fn last_attestation(record: &Record, path: &Path) -> Result<Attestation, Failure> {
    let claims = record.claims().last().into_iter();
    let mut said = claims.map(|claim| Attestation::from_bytes(&claim.message));
    match said.next() {
        Some(said) => said.map_err(|error| Failure::input(error).in_file(path)),
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
                "{file}: not the payload with hash {payload}"
            )));
        }
    }
    if args.from.is_some_and(|expected| expected != first.from) {
        return Err(Failure::refused(format!(
            "the path comes from {from}, not from the party given with --from"
        )));
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

/// The type and content of an object of this scheme.
pub(crate) fn describe(object: &Object) -> Result<(Value, String), Failure> {
    let kind = object.kind();
    if *kind == SEQUENTIAL_RECORD {
        let record = Record::from_bytes(object.content()?).map_err(Failure::input)?;
        Ok(describe_record(&record))
    } else if *kind == SEQUENTIAL_TRUSTED_KEY {
        Ok(registry::TrustedKey::from_bytes(object.content()?)?.describe())
    } else if *kind == VOUCHED_CHECKPOINT {
        let record = Vouched::from_bytes(object.content()?).map_err(Failure::input)?;
        Ok(describe_vouched(&record))
    } else if *kind == SEQUENTIAL_SECRET_KEY {
        let of_public = |key: &SecretKey| fingerprint(key.public());
        let key = object.key(input(SecretKey::from_bytes), of_public)?;
        Ok(describe_suite(key.suite()))
    } else {
        let key = object.key(input(PublicKey::from_bytes), fingerprint)?;
        Ok(describe_suite(key.suite()))
    }
}

fn describe_suite(suite: Suite) -> (Value, String) {
    (json!({ "bits": suite.bits() }), suite.to_string())
}

fn describe_vouched(record: &Vouched) -> (Value, String) {
    let subject = record.subject();
    let genesis = hex::encode(subject.genesis.0);
    let checkpoint = hex::encode(subject.checkpoint.0);
    let mut text = format!("checkpoint {checkpoint} of chain {genesis}, unverified");
    let mut vouchers = Vec::new();
    for statement in record.statements() {
        let (key, at) = (statement.key.fingerprint().to_string(), statement.signed_at);
        text += &format!("\n  key {key} at {at}");
        vouchers.push(json!({ "fingerprint": key, "signed_at": at.0 }));
    }
    let value = json!({ "genesis": genesis, "checkpoint": checkpoint, "vouchers": vouchers });
    (value, text)
}

fn describe_record(record: &Record) -> (Value, String) {
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
    let value = json!({
        "id": id,
        "bits": suite.bits(),
        "epoch": record.epoch().0,
        "signature_bytes": record.signature().to_core().len(),
        "hops": described,
    });
    (value, text)
}

fn peel(args: &Peel, output: &Output) -> Result<(), Failure> {
    let record = read_record(&args.record)?;
    let key = read_public(&args.public)?;
    match record.peel(&key).map_err(Failure::refused)? {
        Some(shorter) => write_record(&args.output.path, &shorter, output),
        None => Err(Failure::refused("the record has only one hop")),
    }
}
