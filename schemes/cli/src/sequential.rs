//! `duet-schemes sequential`: records that each hop signs and nobody needs to verify before the end.

mod queue;
mod registry;

use crate::{
    files,
    output::{Failure, Output},
};
use clap::{Args, Subcommand, ValueEnum};
use duet_sequential::{
    Attestation, Epoch, HopNumber, Party, PublicKey, Record, SecretKey, Suite, Time, HASH_LEN,
};
use registry::Keys;
use serde_json::{json, Value};
use std::{
    fs::File,
    io::{Read, Write},
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};
use zeroize::Zeroizing;

/// More bytes than a secret key has; longer files are cut off, and then are no key.
const SECRET_ROOM: usize = 8192;

/// What can be done with records. A file that is called `-` is standard input or output.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Makes a key: a secret file for its owner, and a public one for everybody else.
    Keygen(Keygen),
    /// Begins a record: signs a message as the first hop.
    Sign(Sign),
    /// Signs a message on top of a record, without verifying it.
    Append(Append),
    /// Signs a place in a path, as the first hop or on top of a record: what, from whom, to whom, until when.
    Attest(Attest),
    /// Verifies every signature of a record and, with --receiver, that it is a path which ends there.
    Verify(Verify),
    /// Shows what a record says, unverified.
    Inspect(Inspect),
    /// Takes the last hop off a record, which anybody may do.
    Peel(Peel),
    /// The list of keys that a verifier trusts.
    #[command(subcommand)]
    Registry(registry::Command),
    /// Records that wait to be verified.
    #[command(subcommand)]
    Queue(queue::Command),
}

#[derive(Args)]
pub(crate) struct Keygen {
    /// The size of the modulus. All keys of one record have the same.
    #[arg(long, value_enum, default_value_t = Bits::Rsa3072)]
    bits: Bits,
    /// The new file for the secret key; one that is there is not overwritten.
    #[arg(long)]
    secret: PathBuf,
    /// The file for the public key: the bare modulus.
    #[arg(long)]
    public: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Bits {
    /// About 112 bits of security.
    #[value(name = "2048")]
    Rsa2048,
    /// About 128 bits of security.
    #[value(name = "3072")]
    Rsa3072,
}

#[derive(Args)]
pub(crate) struct Sign {
    /// The own secret key.
    #[arg(long)]
    key: PathBuf,
    /// The file with the message.
    #[arg(long)]
    message: PathBuf,
    /// The epoch as of which keys are to be looked up.
    #[arg(long)]
    epoch: u64,
    /// Where the record goes.
    #[arg(long, default_value = "-")]
    output: PathBuf,
}

#[derive(Args)]
pub(crate) struct Append {
    /// The own secret key.
    #[arg(long)]
    key: PathBuf,
    /// The file with the message.
    #[arg(long)]
    message: PathBuf,
    /// The record as it was received.
    #[arg(long, default_value = "-")]
    record: PathBuf,
    /// Where the longer record goes.
    #[arg(long, default_value = "-")]
    output: PathBuf,
}

#[derive(Args)]
pub(crate) struct Attest {
    /// The own secret key.
    #[arg(long)]
    key: PathBuf,
    /// The record as it was received; without it a new one is begun.
    #[arg(long, conflicts_with_all = ["payload", "from", "epoch"])]
    record: Option<PathBuf>,
    /// The file that is relayed, of which only the hash is signed. For the first hop.
    #[arg(long, required_unless_present = "record")]
    payload: Option<PathBuf>,
    /// From whom it comes: a name, or 64 hex digits. For the first hop.
    #[arg(long, required_unless_present = "record", value_parser = party)]
    from: Option<Party>,
    /// The epoch as of which keys are to be looked up. For the first hop.
    #[arg(long, required_unless_present = "record")]
    epoch: Option<u64>,
    /// To whom it goes: the next hop's fingerprint, or the receiver's name.
    #[arg(long, value_parser = party)]
    to: Party,
    /// Until when the path is worth something, in seconds since 1970.
    #[arg(long)]
    expires: u64,
    /// What the hop asks for its work.
    #[arg(long, default_value_t = 0)]
    fee: u64,
    /// Where the record goes.
    #[arg(long, default_value = "-")]
    output: PathBuf,
}

#[derive(Args)]
pub(crate) struct Verify {
    #[command(flatten)]
    keys: Keys,
    /// The record.
    #[arg(long, default_value = "-")]
    record: PathBuf,
    /// The messages must be a path that ends at this party: a name, or 64 hex digits.
    #[arg(long, value_parser = party)]
    receiver: Option<Party>,
    /// The time at which a path must be good, in seconds since 1970; the present if absent.
    #[arg(long, requires = "receiver")]
    now: Option<u64>,
    /// The file that must be what was relayed.
    #[arg(long, requires = "receiver")]
    payload: Option<PathBuf>,
    /// The party from whom the path must come: a name, or 64 hex digits.
    #[arg(long, requires = "receiver", value_parser = party)]
    from: Option<Party>,
}

#[derive(Args)]
pub(crate) struct Inspect {
    /// The record.
    #[arg(long, default_value = "-")]
    record: PathBuf,
}

#[derive(Args)]
pub(crate) struct Peel {
    /// The record.
    #[arg(long, default_value = "-")]
    record: PathBuf,
    /// The last hop's public key.
    #[arg(long)]
    key: PathBuf,
    /// Where the shorter record goes.
    #[arg(long, default_value = "-")]
    output: PathBuf,
}

pub(crate) fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Keygen(args) => keygen(&args, output),
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

/// What is wrong with a file, after its name.
fn in_file<E: std::fmt::Display>(path: &Path) -> impl FnOnce(E) -> Failure + '_ {
    move |error| Failure::input(format!("{}: {error}", path.display()))
}

/// A fingerprint or another 32 bytes as 64 hex digits, or a name.
fn party(text: &str) -> Result<Party, String> {
    match hash(text) {
        Ok(hash) => Ok(Party(hash)),
        Err(_) if text.is_empty() => Err("empty".to_owned()),
        Err(_) => Ok(Party::named(text)),
    }
}

/// 64 hex digits.
fn hash(text: &str) -> Result<[u8; HASH_LEN], String> {
    let mut hash = [0; HASH_LEN];
    hex::decode_to_slice(text, &mut hash).map_err(|error| error.to_string())?;
    Ok(hash)
}

/// The time that was given, or the present.
fn time(now: Option<u64>) -> Result<Time, Failure> {
    if let Some(now) = now {
        return Ok(Time(now));
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let since = since.map_err(|_| Failure::input("the clock is before 1970; give --now"))?;
    Ok(Time(since.as_secs()))
}

fn read_secret(path: &Path) -> Result<SecretKey, Failure> {
    // Room for everything at once: a buffer that grows leaves copies of a secret behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(SECRET_ROOM));
    let most = (SECRET_ROOM - 1) as u64;
    let read = if files::is_pipe(path) {
        std::io::stdin().lock().take(most).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    read.map_err(in_file(path))?;
    SecretKey::from_bytes(&bytes).map_err(in_file(path))
}

fn read_public(path: &Path) -> Result<PublicKey, Failure> {
    PublicKey::from_bytes(&files::read(path)?).map_err(in_file(path))
}

fn read_record(path: &Path) -> Result<Record, Failure> {
    Record::from_bytes(&files::read(path)?).map_err(in_file(path))
}

/// Writes a record, and says so unless the record itself went to standard output.
fn write_record(path: &Path, record: &Record, output: &Output) -> Result<(), Failure> {
    deliver_record(path, record)?;
    report_record(path, record, output)
}

/// Writes a record; once this returns, it is out of this program's hands.
fn deliver_record(path: &Path, record: &Record) -> Result<(), Failure> {
    files::write(path, &record.to_bytes())?;
    if files::is_pipe(path) {
        std::io::stdout().flush().map_err(in_file(path))?;
    }
    Ok(())
}

/// Says what was written, unless the record itself went to standard output.
fn report_record(path: &Path, record: &Record, output: &Output) -> Result<(), Failure> {
    if files::is_pipe(path) {
        return Ok(());
    }
    let (id, hops, bytes) = (record.id(), record.claims().len(), record.to_bytes().len());
    output.result(
        &json!({ "id": id.to_string(), "hops": hops, "bytes": bytes }),
        format!("record {id}: {hops} hops, {bytes} bytes"),
    )
}

fn keygen(args: &Keygen, output: &Output) -> Result<(), Failure> {
    let suite = match args.bits {
        Bits::Rsa2048 => Suite::Rsa2048,
        Bits::Rsa3072 => Suite::Rsa3072,
    };
    let key = SecretKey::generate(suite).map_err(Failure::input)?;
    let bytes = key.to_bytes().map_err(Failure::input)?;
    files::write_secret(&args.secret, &bytes)?;
    files::write(&args.public, key.public().as_bytes())?;
    let fingerprint = key.public().fingerprint().to_string();
    output.result(
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
                    "the record goes to {to} and not to this key, {own}"
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

/// What the last hop said, unverified.
fn last_attestation(record: &Record, path: &Path) -> Result<Attestation, Failure> {
    let claims = record.claims().last().into_iter();
    let mut said = claims.map(|claim| Attestation::from_bytes(&claim.message));
    match said.next() {
        Some(said) => said.map_err(in_file(path)),
        None => Err(Failure::input("the record has no hop")),
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
            &json!({ "id": id, "hops": hops, "verified": true }),
            format!("record {id}: the signatures of all {hops} hops are good"),
        );
    };
    let path = verified
        .path(receiver, time(args.now)?)
        .map_err(Failure::refused)?;
    let first = path.hops().first();
    let first = first.ok_or_else(|| Failure::refused("the path has no hop"))?;
    let (payload, from) = (hex::encode(first.payload), first.from.to_string());
    if let Some(file) = &args.payload {
        if Attestation::payload_hash(&files::read(file)?) != first.payload {
            let file = file.display();
            return Err(Failure::refused(format!(
                "{file}: not what was relayed: {payload}"
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
            "fee": path.fee(),
            "payload": payload,
            "from": from,
        }),
        format!("record {id}: a good path of {hops} hops\n  payload {payload}\n  from {from}"),
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
