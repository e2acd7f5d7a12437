//! `duet-schemes mklhs`: signing numbers, combining signatures, and verifying them.

mod args;
mod formats;
mod records;
mod results;

pub(crate) use args::Command;

use crate::{
    failure::Failure,
    files::{self, Existing, Together},
    output::Output,
};
use args::{Equivocation, LabelArgs};
use duet_mklhs::{
    check_all, BatchError, Bounds, EquivocationProof, Label, LabelRegister, Message, RegisterError,
    RegisterFiles, Scalar, SignerId, Signers, SigningKey,
};
use formats::{PublicFile, SignersFile};
use rand_core::OsRng;
use records::{FilteredRecords, Record};
use serde_json::json;
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

impl LabelArgs {
    fn label(&self, signer: SignerId, tag: &str) -> Result<Label, Failure> {
        let [context, dataset, tag] =
            [&self.context, &self.dataset, tag].map(formats::bytes_of_text);
        Label::new(&context?, signer, &dataset?, &tag?).map_err(Failure::input)
    }
}

fn bounds(residues: bool) -> Bounds {
    if residues {
        Bounds::Residues
    } else {
        Bounds::Integers
    }
}

/// Runs the command. Failures are one line without control characters, whatever the files contain.
pub(crate) fn run(command: Command, output: &Output) -> Result<(), Failure> {
    dispatch(command, output).map_err(|failure| failure.map(|why| formats::one_line(&why)))
}

fn dispatch(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Keygen {
            key,
            register,
            anchor,
        } => keygen(&KeyFolder::new(&key, register, anchor), &key, output),
        Command::Register { signers, keys } => add_signers(&signers, &keys, output),
        Command::Fingerprint { public } => {
            let public: PublicFile = formats::read_json(&public)?;
            let id = public.register(&mut Signers::default())?.to_string();
            output.result(&json!({ "id": id }), &id)
        }
        Command::Sign {
            key,
            register,
            anchor,
            label,
            residues,
            output: to,
            numbers,
        } => {
            let folder = KeyFolder::new(&key, register, anchor);
            sign(&folder, &label, bounds(residues), &numbers, &to, output)
        }
        Command::Check {
            signers,
            residues,
            records,
        } => check(&signers, bounds(residues), &records, output),
        Command::Program {
            label,
            tags,
            residues,
            output: to,
            weights,
        } => results::program(&label, &tags, bounds(residues), &weights, &to, output),
        Command::Combine {
            program,
            signers,
            output: to,
            records,
            ..
        } => results::combine(&program, signers.as_deref(), &records, &to, output),
        Command::Join {
            signers,
            program,
            output: to,
            parts,
            ..
        } => results::join(&parts, signers.as_deref(), &program, &to, output),
        Command::Verify {
            program,
            signers,
            total,
            combined,
        } => results::verify(&program, &signers, total, &combined, output),
        Command::Equivocation(Equivocation::Prove {
            signers,
            output: to,
            records,
        }) => prove(&signers, &records, &to, output),
        Command::Equivocation(Equivocation::Check { signers, proof }) => {
            check_equivocation(&signers, &proof, output)
        }
        Command::Equivocation(Equivocation::Revoke { signers, proof }) => {
            revoke(&signers, &proof, output)
        }
    }
}

/// The maximum length of a secret's file: hex and a line ending.
const MOST_SECRET_LEN: usize = 2 * duet_mklhs::suite::SCALAR_LEN + 2;

/// The paths of the parts of a key.
///
/// A journal that is older than its anchor is detected. If both are restored from the same old copy, this is not
/// detected; only separate storage of the two prevents it.
struct KeyFolder {
    secret: PathBuf,
    public: PathBuf,
    register: RegisterFiles,
}

impl KeyFolder {
    fn new(folder: &Path, journal: Option<PathBuf>, anchor: Option<PathBuf>) -> Self {
        Self {
            secret: folder.join("secret"),
            public: folder.join("public.json"),
            register: RegisterFiles {
                journal: journal.unwrap_or_else(|| folder.join("register.journal")),
                anchor: anchor.unwrap_or_else(|| folder.join("register.anchor")),
            },
        }
    }

    fn secret(&self) -> Result<SigningKey, Failure> {
        let text = files::read_secret(&self.secret, MOST_SECRET_LEN)?;
        let mut bytes = Zeroizing::new([0; duet_mklhs::suite::SCALAR_LEN]);
        let of_file = |error: &dyn std::fmt::Display| {
            Failure::input(format!("{}: {error}", self.secret.display()))
        };
        hex::decode_to_slice(text.trim_ascii(), bytes.as_mut()).map_err(|error| of_file(&error))?;
        SigningKey::from_bytes(&bytes).map_err(|error| of_file(&error))
    }
}

fn keygen(files: &KeyFolder, folder: &Path, output: &Output) -> Result<(), Failure> {
    let in_folder = |error| Failure::input(format!("{}: {error}", folder.display()));
    let key = SigningKey::random(&mut OsRng).map_err(Failure::input)?;
    std::fs::create_dir(folder).map_err(in_folder)?;
    let made = make_key(files, &key).inspect_err(|_| {
        // Empty again, unless somebody has put something into it. The first error is reported.
        let _ = std::fs::remove_dir(folder);
    });
    made?;
    let id = key.id().to_string();
    output.result(
        &json!({ "id": id, "folder": folder, "public": files.public }),
        format_args!("key {id} in {}", folder.display()),
    )
}

/// Writes all files of a key, or none.
fn make_key(files: &KeyFolder, key: &SigningKey) -> Result<(), Failure> {
    let mut together = Together::default();
    LabelRegister::create(&files.register, key.id()).map_err(register_failure)?;
    together.made(&files.register.journal);
    together.made(&files.register.anchor);
    let mut secret = Zeroizing::new([0; 2 * duet_mklhs::suite::SCALAR_LEN]);
    hex::encode_to_slice(key.expose().as_slice(), secret.as_mut()).map_err(Failure::input)?;
    files::write_secret(&files.secret, secret.as_ref())?;
    together.made(&files.secret);
    let public = PublicFile::of(key);
    files::write(&files.public, &formats::pretty(&public)?, Existing::Keep)?;
    together.keep();
    Ok(())
}

fn register_failure(error: RegisterError) -> Failure {
    match error {
        RegisterError::LabelAlreadyUsed { .. } | RegisterError::RolledBack { .. } => {
            Failure::refused(error)
        }
        _ => Failure::input(error),
    }
}

fn add_signers(file: &Path, keys: &[PathBuf], output: &Output) -> Result<(), Failure> {
    let _lock = files::lock(file)?;
    let mut known = if file.exists() {
        SignersFile::read(file)?
    } else {
        SignersFile::default()
    };
    let mut signers = known.check(output)?;
    let mut ids = Vec::new();
    for path in keys {
        let public: PublicFile = formats::read_json(path)?;
        let id = public.register(&mut signers)?;
        ids.push(id.to_string());
        known.add(public);
    }
    files::update(file, &formats::pretty(&known)?)?;
    output.result(
        &json!({ "registered": ids, "signers": known.len() }),
        format_args!("registered {}; {} signers", ids.join(" "), known.len()),
    )
}

fn sign(
    folder: &KeyFolder,
    label: &LabelArgs,
    bounds: Bounds,
    numbers: &[(String, Scalar)],
    to: &Path,
    output: &Output,
) -> Result<(), Failure> {
    let key = folder.secret()?;
    let mut asked = Vec::new();
    for (tag, number) in numbers {
        let message = Message::new(bounds, *number)
            .map_err(|error| Failure::input(format!("{tag:?}={number}: {error}")))?;
        asked.push((label.label(key.id(), tag)?, message));
    }
    files::check_outputs(&[to], output.existing())?;
    let register = output
        .when_free(
            || LabelRegister::open(&folder.register, key.id()),
            |error| matches!(error, RegisterError::InUse { .. }),
        )
        .map_err(register_failure)?;
    let messages: Vec<_> = asked
        .iter()
        .map(|(label, number)| (label, *number))
        .collect();
    let signatures = register.sign_all(&key, &messages).map_err(|error| {
        let asked = error.request().and_then(|index| numbers.get(index));
        let failure = register_failure(error);
        match asked {
            Some((tag, number)) => failure.map(|why| format!("{tag:?}={number}: {why}")),
            None => failure,
        }
    })?;
    let mut lines = String::new();
    for ((label, _), signature) in asked.iter().zip(&signatures) {
        lines.push_str(&formats::line(&Record::new(label, signature))?);
    }
    files::write(to, lines.as_bytes(), output.existing())?;
    let count = signatures.len();
    output.made(
        &[to],
        &json!({ "signed": count, "records": to }),
        format_args!("signed {count} numbers"),
    )
}

fn check(
    signers: &Path,
    bounds: Bounds,
    records: &[PathBuf],
    output: &Output,
) -> Result<(), Failure> {
    let signers = SignersFile::read(signers)?.check(output)?;
    let (labels, signatures) = records::read_all(records, output)?;
    check_all(&signers, bounds, &labels, &signatures, &mut OsRng).map_err(|error| {
        let BatchError::BadInputs(bad) = error else {
            return Failure::input(error);
        };
        let mut text = format!(
            "{} of {} signatures are not valid",
            bad.0.len(),
            labels.len()
        );
        for (index, error) in &bad.0 {
            // Writing to a string cannot fail.
            let _ = write!(text, "; record {index}: {error}");
        }
        Failure::refused(text)
    })?;
    let count = labels.len();
    output.result(
        &json!({ "valid": count }),
        format_args!("{count} signatures are valid"),
    )
}

fn prove(signers: &Path, records: &[PathBuf], to: &Path, output: &Output) -> Result<(), Failure> {
    let signers = SignersFile::read(signers)?.check(output)?;
    let mut records = FilteredRecords::read(records, output)?;
    let proof = records.evidence(&signers)?;
    let key = signers
        .key(&proof.label().signer())
        .map_err(Failure::refused)?;
    let signer = proof.check(key).map_err(Failure::refused)?.to_string();
    let text = hex::encode(proof.to_bytes()) + "\n";
    files::write(to, text.as_bytes(), output.existing())?;
    if files::is_standard_output(to) {
        records.report_dropped();
        return Ok(());
    }
    output.result(
        &json!({ "signer": signer, "proof": to, "dropped": records.dropped() }),
        format_args!("two signatures of {signer} on one label"),
    )
}

fn check_equivocation(file: &Path, proof: &Path, output: &Output) -> Result<(), Failure> {
    let known = SignersFile::read(file)?;
    let (proof, _) = formats::read_proof(proof)?;
    let signer = incriminated(&known, &proof, output)?;
    output.result(
        &json!({ "signer": signer, "revoked": false }),
        format_args!("the proof is valid: {signer} signed twice"),
    )
}

fn revoke(file: &Path, proof: &Path, output: &Output) -> Result<(), Failure> {
    let _lock = files::lock(file)?;
    let mut known = SignersFile::read(file)?;
    let (proof, text) = formats::read_proof(proof)?;
    let signer = incriminated(&known, &proof, output)?;
    known.revoke(text);
    files::update(file, &formats::pretty(&known)?)?;
    output.result(
        &json!({ "signer": signer, "revoked": true }),
        format_args!("revoked {signer}, which signed twice"),
    )
}

/// The signer that a valid proof incriminates.
fn incriminated(
    known: &SignersFile,
    proof: &EquivocationProof,
    output: &Output,
) -> Result<String, Failure> {
    let mut signers = known.check(output)?;
    let signer = signers.revoke(proof).map_err(Failure::refused)?;
    Ok(signer.to_string())
}
