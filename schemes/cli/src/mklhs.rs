//! `duet-schemes mklhs`: signing numbers, combining signatures, and verifying them.

mod args;
mod describe;
mod formats;
mod records;
mod results;
mod signer;

pub(crate) use args::{Command, SignersArg};
pub(crate) use describe::describe;
pub(crate) use formats::{bytes_of_text, signer_id};
pub(crate) use records::FilteredRecords;
pub(crate) use signer::{register_failure, write_records, Signer};

use crate::{failure::Failure, files, object, output::Output};
use args::{pair, Check, Equivocation, Evidence, LabelArgs, Prove};
use duet_armour::kinds::MKLHS_EQUIVOCATION;
use duet_mklhs::{check_all, BatchError, EquivocationProof, Label, Scalar, SignerId};
use formats::SignersFile;
use rand_core::OsRng;
use serde_json::json;
use signer::keygen;
use std::path::{Path, PathBuf};

impl LabelArgs {
    fn label(&self, signer: SignerId, tag: &str) -> Result<Label, Failure> {
        let [context, dataset, tag] = [&self.context, &self.dataset, tag].map(bytes_of_text);
        Label::new(&context?, signer, &dataset?, &tag?).map_err(Failure::input)
    }
}

pub(crate) fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Keygen { key, register } => keygen(&key, &register, output),
        Command::Register { signers, keys } => add_signers(&signers, &keys, output),
        Command::Sign(args) => {
            let numbers = pairs(&args.numbers, args.file.as_deref())?;
            let signer = Signer::open(&args.key, &args.register)?;
            let to = &args.to.path;
            let records = signer.sign(&args.label, args.bounds.get(), &numbers, to, output)?;
            write_records(&records, to, output)
        }
        Command::Check(args) => check(&args, output),
        Command::Program(args) => {
            let weights = pairs(&args.weights, args.file.as_deref())?;
            results::program(&args, &weights, output)
        }
        Command::Combine(args) => results::combine(&args, output),
        Command::Join(args) => results::join(&args, output),
        Command::Verify(args) => results::verify(&args, output),
        Command::Equivocation(Equivocation::Prove(args)) => prove(&args, output),
        Command::Equivocation(Equivocation::Check(args)) => check_equivocation(&args, output),
        Command::Equivocation(Equivocation::Revoke(args)) => revoke(&args, output),
    }
}

/// Names and numbers, as arguments or from a file.
fn pairs(
    given: &[(String, Scalar)],
    file: Option<&Path>,
) -> Result<Vec<(String, Scalar)>, Failure> {
    let Some(path) = file else {
        return Ok(given.to_vec());
    };
    let parse = |(index, line): (usize, &str)| {
        pair(line.trim())
            .map_err(|error| Failure::input(format!("line {}: {error}", index + 1)).in_file(path))
    };
    let text = files::read_text(path)?;
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .map(parse)
        .collect()
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
        ids.push(known.add(path, &mut signers)?.to_string());
    }
    files::update(file, known.text())?;
    output.result(
        &json!({ "registered": ids, "signers": known.len() }),
        format_args!("registered {}; {} signers", ids.join(" "), known.len()),
    )
}

fn check(args: &Check, output: &Output) -> Result<(), Failure> {
    let (signers, bounds) = (args.signers.check(output)?, args.bounds.get());
    let (labels, signatures) = records::read_all(&args.records, output)?;
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
            text += &format!("; record {index}: {error}");
        }
        Failure::refused(text)
    })?;
    let count = labels.len();
    output.result(
        &json!({ "valid": count }),
        format_args!("{count} signatures are valid"),
    )
}

fn prove(args: &Prove, output: &Output) -> Result<(), Failure> {
    let (signers, to) = (args.signers.check(output)?, &args.to.path);
    let mut records = FilteredRecords::read(&args.records, output)?;
    let proof = records.evidence(&signers)?;
    let key = signers
        .key(&proof.label().signer())
        .map_err(Failure::refused)?;
    let signer = proof.check(key).map_err(Failure::refused)?.to_string();
    object::write(to, &MKLHS_EQUIVOCATION, &proof.to_bytes(), output)?;
    if files::is_standard_output(to) {
        records.report_dropped();
        return Ok(());
    }
    output.result(
        &json!({ "signer": signer, "proof": to, "dropped": records.dropped() }),
        format_args!("two signatures of {signer} on one label"),
    )
}

fn check_equivocation(args: &Evidence, output: &Output) -> Result<(), Failure> {
    let known = SignersFile::read(&args.signers.file)?;
    let proof = formats::read_equivocation(&args.proof)?;
    let signer = incriminated(&known, &proof, output)?;
    output.result(
        &json!({ "signer": signer, "revoked": false }),
        format_args!("the proof is valid: {signer} signed twice"),
    )
}

fn revoke(args: &Evidence, output: &Output) -> Result<(), Failure> {
    let file = &args.signers.file;
    let _lock = files::lock(file)?;
    let mut known = SignersFile::read(file)?;
    let proof = formats::read_equivocation(&args.proof)?;
    let signer = incriminated(&known, &proof, output)?;
    known.revoke(&proof);
    files::update(file, known.text())?;
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
