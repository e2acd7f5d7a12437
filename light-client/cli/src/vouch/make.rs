//! `vouch` and `fingerprint`: the commands of a voucher.

use super::{
    args::{Fingerprint, Vouch},
    files,
    shown::Signed,
    subject::{now, subject},
};
use crate::{event::Event, output::Output};
use duet_light_client::{Checkpoint, Mode, Trusted};
use duet_light_rpc::{checkpoint, Failure, Kind};
use duet_vouch::{
    fresh_seed, CommandError, CommandKey, RawPrivate, SecretKey, VouchError, Vouched,
};
use std::error::Error;

/// Signs a checkpoint, alone or on top of others, and writes the record.
pub(crate) fn vouch(args: &Vouch, output: &Output) -> Result<(), Failure> {
    let checkpoint = Checkpoint::from(checkpoint::read(&args.checkpoint)?);
    // What nobody can begin from is not worth a signature.
    Trusted::from_checkpoint(checkpoint.clone(), Mode::Stateless)
        .map_err(|error| usage(format!("the checkpoint is refused: {error}")))?;
    match (&args.key, &args.public, args.command.split_first()) {
        (Some(path), _, _) => sign(&files::secret_key(path)?, args, &checkpoint, output),
        (None, Some(path), Some((program, arguments))) => {
            let public = files::public_key(path)?;
            let command = CommandKey::new(program.clone(), arguments.to_vec(), args.sign_timeout);
            let seed = fresh_seed().map_err(local)?;
            let key = SecretKey::with_back_end(public, seed, command);
            sign(&key, args, &checkpoint, output)
        }
        _ => Err(usage("give --key, or --public and a command after --")),
    }
}

/// Shows the fingerprint of a key, as a list has it.
pub(crate) fn fingerprint(args: &Fingerprint, output: &Output) -> Result<(), Failure> {
    let key = files::any_key(&args.key)?;
    output.print(&key.fingerprint().to_string());
    Ok(())
}

fn sign<R: RawPrivate>(
    key: &SecretKey<R>,
    args: &Vouch,
    checkpoint: &Checkpoint,
    output: &Output,
) -> Result<(), Failure> {
    let (subject, now) = (subject(checkpoint), now()?);
    let record = match &args.onto {
        Some(path) => files::record(path)?.append(key, subject, now),
        None => Vouched::first(key, subject, now),
    };
    let record = record.map_err(refused)?;
    files::write_record(&args.output, &record)?;
    let signed = Signed::new(checkpoint, &record, &args.output);
    output.event(&Event::Signed(signed));
    Ok(())
}

fn refused(error: VouchError) -> Failure {
    let kind = match &error {
        VouchError::Subject(_) | VouchError::Signature(_) => Kind::Unvouched,
        _ => Kind::Local,
    };
    // What a command did wrong is not the library's.
    let cause = error.source().and_then(|cause| cause.downcast_ref());
    let message = cause.map_or_else(|| error.to_string(), CommandError::to_string);
    Failure::new(kind, message)
}

fn usage(message: impl Into<String>) -> Failure {
    Failure::new(Kind::Usage, message)
}

fn local(error: impl std::fmt::Display) -> Failure {
    Failure::new(Kind::Local, error.to_string())
}
