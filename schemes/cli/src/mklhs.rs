//! `duet-schemes mklhs`: signing numbers, combining signatures, and verifying them.

mod args;
mod formats;
mod records;
mod results;

pub(crate) use args::{pair, Command};
pub(crate) use formats::{bytes_of_text, signer_id, SignersFile};
pub(crate) use records::FilteredRecords;

use crate::{
    failure::{Failure, Kind},
    files,
    keys::{check_new, file_failure, KeyArg, NewKey, RegisterArgs},
    object,
    output::Output,
};
use args::{Equivocation, LabelArgs};
use duet_armour::{
    encode,
    kinds::{
        MKLHS_COMBINED, MKLHS_EQUIVOCATION, MKLHS_PROGRAM, MKLHS_PUBLIC_KEY, MKLHS_RECORD,
        MKLHS_SECRET_KEY,
    },
    Object,
};
use duet_mklhs::{
    check_all, suite::SCALAR_LEN, BatchError, Bounds, EquivocationProof, FileFault, Label,
    LabelRegister, Message, Program, Record, RegisterError, RegisterFiles, Scalar, Signature,
    SignerId, SigningKey,
};
use rand_core::OsRng;
use serde_json::{json, Value};
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

impl LabelArgs {
    fn label(&self, signer: SignerId, tag: &str) -> Result<Label, Failure> {
        let [context, dataset, tag] = [&self.context, &self.dataset, tag].map(bytes_of_text);
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

pub(crate) fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Keygen { key, register } => keygen(&key, &register, output),
        Command::Register { signers, keys } => add_signers(&signers, &keys, output),
        Command::Sign {
            key,
            register,
            label,
            residues,
            to,
            file,
            numbers,
        } => {
            let numbers = pairs(numbers, file.as_deref())?;
            let signer = Signer::open(&key, &register)?;
            let records = signer.sign(&label, bounds(residues), &numbers, &to.path, output)?;
            write_records(&records, &to.path, output)
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
            to,
            file,
            weights,
        } => {
            let weights = pairs(weights, file.as_deref())?;
            results::program(&label, &tags, bounds(residues), &weights, &to.path, output)
        }
        Command::Combine {
            program,
            signers,
            to,
            records,
            ..
        } => results::combine(&program, signers.as_deref(), &records, &to.path, output),
        Command::Join {
            signers,
            program,
            to,
            parts,
            ..
        } => results::join(&parts, signers.as_deref(), &program, &to.path, output),
        Command::Verify {
            program,
            signers,
            total,
            combined,
        } => results::verify(&program, &signers, total, &combined, output),
        Command::Equivocation(Equivocation::Prove {
            signers,
            to,
            records,
        }) => prove(&signers, &records, &to.path, output),
        Command::Equivocation(Equivocation::Check { signers, proof }) => {
            check_equivocation(&signers, &proof, output)
        }
        Command::Equivocation(Equivocation::Revoke { signers, proof }) => {
            revoke(&signers, &proof, output)
        }
    }
}

/// Names and numbers, as arguments or from a file.
pub(crate) fn pairs(
    given: Vec<(String, Scalar)>,
    file: Option<&Path>,
) -> Result<Vec<(String, Scalar)>, Failure> {
    let Some(path) = file else {
        return Ok(given);
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

/// The type and the content of an object that `describe` shows.
pub(crate) fn describe(object: &Object) -> Result<(Value, String), Failure> {
    let kind = object.kind();
    if *kind == MKLHS_SECRET_KEY {
        decode_secret(object)?;
        Ok((json!({}), "a secret".to_owned()))
    } else if *kind == MKLHS_PUBLIC_KEY {
        formats::check_public(object)?;
        let text = "its proof of possession is valid".to_owned();
        Ok((json!({ "possession": true }), text))
    } else if *kind == MKLHS_RECORD {
        let record = Record::from_bytes(object.content()?).map_err(Failure::refused)?;
        let (label, message) = (&record.label, record.signature.message().to_string());
        let mut value = formats::describe_label(label);
        value["message"] = message.as_str().into();
        Ok((value, format!("{message} under {label:?}, unverified")))
    } else if *kind == MKLHS_PROGRAM {
        let program = Program::from_bytes(object.content()?).map_err(Failure::input)?;
        Ok(results::describe_program(&program))
    } else if *kind == MKLHS_COMBINED {
        let file = formats::CombinedFile::from_bytes(object.content()?)?;
        let (digest, total) = (hex::encode(file.digest), file.combined.total().to_string());
        let text = format!("total {total} of program {digest}, unverified");
        Ok((json!({ "digest": digest, "total": total }), text))
    } else {
        debug_assert_eq!(*kind, MKLHS_EQUIVOCATION);
        let proof = formats::equivocation(object)?;
        let messages = proof.signatures().map(|it| it.message().to_string());
        let mut value = formats::describe_label(proof.label());
        value["messages"] = json!(messages);
        let [one, other] = messages;
        let text = format!("{one} and {other} under {:?}, unverified", proof.label());
        Ok((value, text))
    }
}

fn decode_secret(object: &Object) -> Result<SigningKey, Failure> {
    let decode = |bytes: &[u8]| {
        let bytes: &[u8; SCALAR_LEN] = bytes
            .try_into()
            .map_err(|_| Failure::input(format!("a secret key has {SCALAR_LEN} bytes")))?;
        SigningKey::from_bytes(bytes).map_err(Failure::input)
    };
    object.key(decode, |key| *key.id().as_bytes())
}

fn keygen(folder: &Path, register: &RegisterArgs, output: &Output) -> Result<(), Failure> {
    check_new(folder, Some(register))?;
    let key = SigningKey::random(&mut OsRng).map_err(Failure::input)?;
    let new = NewKey {
        folder,
        fingerprint: *key.id().as_bytes(),
        secret: (&MKLHS_SECRET_KEY, &*key.expose()),
        public: (&MKLHS_PUBLIC_KEY, &formats::public_content(&key)),
    };
    let files = register.paths(folder);
    new.write(|together| {
        LabelRegister::create(&files, key.id()).map_err(register_failure)?;
        together.made(&files.journal);
        together.made(&files.anchor);
        Ok(())
    })?;
    let id = key.id().to_string();
    output.result(
        &json!({ "fingerprint": id, "folder": folder }),
        format_args!("key {id} in {}", folder.display()),
    )
}

pub(crate) fn register_failure(error: RegisterError) -> Failure {
    match &error {
        RegisterError::File(error) => file_failure(error),
        RegisterError::Sign { .. } => Failure::input(error),
        _ => Failure::new(Kind::Register, error),
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
        ids.push(known.add(path, &mut signers)?.to_string());
    }
    files::update(file, known.text())?;
    output.result(
        &json!({ "registered": ids, "signers": known.len() }),
        format_args!("registered {}; {} signers", ids.join(" "), known.len()),
    )
}

fn is_in_use(error: &RegisterError) -> bool {
    matches!(error, RegisterError::File(file) if matches!(file.fault, FileFault::InUse))
}

/// A key, and where its register is.
pub(crate) struct Signer {
    pub(crate) key: SigningKey,
    register: RegisterFiles,
}

impl Signer {
    pub(crate) fn open(key: &KeyArg, register: &RegisterArgs) -> Result<Self, Failure> {
        let path = key.secret();
        let object = object::read_secret(&path, &MKLHS_SECRET_KEY, SCALAR_LEN)?;
        Ok(Self {
            key: decode_secret(&object).map_err(|failure| failure.in_file(&path))?,
            register: register.paths(&key.key),
        })
    }

    /// Opens the register, and waits for a process that uses it.
    pub(crate) fn register(&self, output: &Output) -> Result<LabelRegister, Failure> {
        output
            .when_free(
                || LabelRegister::open(&self.register, self.key.id()),
                is_in_use,
            )
            .map_err(register_failure)
    }

    fn sign(
        &self,
        label: &LabelArgs,
        bounds: Bounds,
        numbers: &[(String, Scalar)],
        to: &Path,
        output: &Output,
    ) -> Result<Vec<(Label, Signature)>, Failure> {
        let mut asked = Vec::new();
        for (tag, number) in numbers {
            let message = Message::new(bounds, *number)
                .map_err(|error| Failure::input(format!("{tag:?}={number}: {error}")))?;
            asked.push((label.label(self.key.id(), tag)?, message));
        }
        files::check_outputs(&[to], output.existing())?;
        let messages: Vec<_> = asked.iter().map(|(label, it)| (label, *it)).collect();
        let register = self.register(output)?;
        let signatures = register.sign_all(&self.key, &messages).map_err(|error| {
            let asked = error.request().and_then(|index| numbers.get(index));
            let failure = register_failure(error);
            match asked {
                Some((tag, number)) => failure.map(|why| format!("{tag:?}={number}: {why}")),
                None => failure,
            }
        })?;
        let labels = asked.into_iter().map(|(label, _)| label);
        Ok(labels.zip(signatures).collect())
    }
}

/// Writes records, and says how many numbers were signed.
pub(crate) fn write_records(
    records: &[(Label, Signature)],
    to: &Path,
    output: &Output,
) -> Result<(), Failure> {
    let mut text = String::new();
    for (label, signature) in records {
        let label = label.clone();
        let signature = *signature;
        let content = Record { label, signature }.to_bytes();
        text.push_str(&encode(
            &MKLHS_RECORD,
            &MKLHS_RECORD.digest(&content),
            &content,
        ));
    }
    files::write(to, text.as_bytes(), output.existing())?;
    let count = records.len();
    output.made(
        &[to],
        &json!({ "signed": count, "records": to }),
        format_args!("{count} numbers signed"),
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

fn check_equivocation(file: &Path, proof: &Path, output: &Output) -> Result<(), Failure> {
    let known = SignersFile::read(file)?;
    let proof = formats::read_equivocation(proof)?;
    let signer = incriminated(&known, &proof, output)?;
    output.result(
        &json!({ "signer": signer, "revoked": false }),
        format_args!("the proof is valid: {signer} signed twice"),
    )
}

fn revoke(file: &Path, proof: &Path, output: &Output) -> Result<(), Failure> {
    let _lock = files::lock(file)?;
    let mut known = SignersFile::read(file)?;
    let proof = formats::read_equivocation(proof)?;
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
