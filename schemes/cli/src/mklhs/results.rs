//! Programs, combining, joining and verifying.

use super::{
    args::LabelArgs,
    formats::{self, CombinedFile, ProgramFile, SignersFile},
    records::FilteredRecords,
};
use crate::{failure::Failure, files, output::Output};
use duet_mklhs::{
    combine_disjoint, evaluate_unchecked, Bounds, CombineError, Combined, Part, PreparedProgram,
    Program, Scalar, Signers, Verified,
};
use serde_json::json;
use std::{
    cell::LazyCell,
    ffi::OsString,
    fmt::Write as _,
    path::{Path, PathBuf},
};

/// Writes a program.
pub(super) fn program(
    label: &LabelArgs,
    tags: &[String],
    bounds: Bounds,
    weights: &[(String, Scalar)],
    to: &Path,
    output: &Output,
) -> Result<(), Failure> {
    let mut coefficients = Vec::new();
    let mut labels = Vec::new();
    for (id, weight) in weights {
        let signer = formats::signer_id(id)?;
        for tag in tags {
            coefficients.push(*weight);
            labels.push(label.label(signer, tag)?);
        }
    }
    let program = Program::new(bounds, coefficients, labels).map_err(Failure::input)?;
    let text = formats::pretty(&ProgramFile::of(&program))?;
    files::write(to, &text, output.existing())?;
    let digest = hex::encode(program.digest());
    output.made(
        &[to],
        &json!({ "digest": digest, "inputs": program.labels().len(), "program": to }),
        format_args!("program {digest} of {} inputs", program.labels().len()),
    )
}

/// Combines the signatures of a program's inputs.
pub(super) fn combine(
    program: &Path,
    signers: Option<&Path>,
    records: &[PathBuf],
    to: &Path,
    output: &Output,
) -> Result<(), Failure> {
    let program = formats::read_program(program)?;
    let mut records = FilteredRecords::read(records, output)?;
    records.keep_inputs_of(&program);
    if let Some(signers) = signers {
        let signers = SignersFile::read(signers)?.check(output)?;
        for signer in program.signers() {
            signers.key(signer).map_err(Failure::refused)?;
        }
        records.drop_bad(&signers, program.bounds())?;
    }
    let signatures = records.in_order(&program)?;
    // The signatures were checked above, unless `--unchecked` was given.
    let combined = evaluate_unchecked(&program, &signatures).map_err(Failure::refused)?;
    let file = CombinedFile::of(&program, &combined);
    files::write(to, formats::line(&file)?.as_bytes(), output.existing())?;
    if files::is_standard_output(to) {
        records.report_dropped();
        return Ok(());
    }
    let (inputs, signers) = (signatures.len(), program.signers().len());
    let mut text = format!("{inputs} signatures of {signers} signers: {}", file.total);
    if let Some(note) = records.note() {
        // Writing to a string cannot fail.
        let _ = write!(text, "; {note}");
    }
    output.result(
        &json!({
            "inputs": inputs,
            "signers": signers,
            "total": file.total,
            "combined": to,
            "dropped": records.dropped(),
        }),
        text,
    )
}

/// A part, with the name of its file.
struct NamedPart {
    weight: Scalar,
    program: Program,
    combined: Combined,
}

impl NamedPart {
    /// Reads a part, and verifies it if the signers are given.
    fn read(words: &[OsString; 3], signers: Option<&Signers>) -> Result<Self, Failure> {
        let [weight, program, combined] = words;
        let parsed = weight.to_string_lossy().parse();
        let weight = parsed.map_err(|error| Failure::input(format!("{weight:?}: {error}")))?;
        let (program, path) = (
            formats::read_program(Path::new(program))?,
            Path::new(combined),
        );
        let in_file = |failure: Failure| failure.map(|why| format!("{}: {why}", path.display()));
        let file: CombinedFile = formats::read_json(path)?;
        let combined = file.combined(&hex::encode(program.digest()));
        let combined = combined.map_err(in_file)?;
        if let Some(signers) = signers {
            let total = file.total().map_err(in_file)?;
            duet_mklhs::verify(&program, signers, total, &combined)
                .map_err(|error| in_file(Failure::refused(error)))?;
        }
        Ok(Self {
            weight,
            program,
            combined,
        })
    }

    fn part(&self) -> Part<'_> {
        Part {
            weight: self.weight,
            program: &self.program,
            combined: &self.combined,
        }
    }
}

/// Adds combined signatures.
pub(super) fn join(
    parts: &[OsString],
    signers: Option<&Path>,
    to_program: &Path,
    to: &Path,
    output: &Output,
) -> Result<(), Failure> {
    let signers = match signers {
        Some(signers) => Some(SignersFile::read(signers)?.check(output)?),
        None => None,
    };
    let (words, _) = parts.as_chunks();
    let parts = words
        .iter()
        .map(|words| NamedPart::read(words, signers.as_ref()))
        .collect::<Result<Vec<_>, _>>()?;
    let parts: Vec<_> = parts.iter().map(NamedPart::part).collect();
    let (program, combined) = combine_disjoint(&parts).map_err(|error| match error {
        CombineError::Program(_) | CombineError::BoundsMismatch { .. } => Failure::input(error),
        _ => Failure::refused(error),
    })?;
    let file = CombinedFile::of(&program, &combined);
    files::check_outputs(&[to_program, to], output.existing())?;
    let text = formats::pretty(&ProgramFile::of(&program))?;
    files::write(to_program, &text, output.existing())?;
    files::write(to, formats::line(&file)?.as_bytes(), output.existing())?;
    let (inputs, signers) = (program.labels().len(), program.signers().len());
    output.made(
        &[to, to_program],
        &json!({
            "parts": parts.len(),
            "inputs": inputs,
            "signers": signers,
            "total": file.total,
            "program": to_program,
            "combined": to,
        }),
        format_args!(
            "{} parts, {inputs} signatures of {signers} signers: {}",
            parts.len(),
            file.total
        ),
    )
}

/// Verifies combined signatures of one program.
pub(super) fn verify(
    program: &Path,
    signers: &Path,
    total: Option<Scalar>,
    combined: &[PathBuf],
    output: &Output,
) -> Result<(), Failure> {
    let program = formats::read_program(program)?;
    let signers = SignersFile::read(signers)?.check(output)?;
    let verifier = Verifier {
        digest: hex::encode(program.digest()),
        // Prepared only when there is something to verify.
        prepared: LazyCell::new(|| program.prepare()),
        signers,
        total,
    };
    if let [only] = combined {
        let verified = verifier.verify(&formats::read_json(only)?)?;
        return verifier.say(None, &verified, output);
    }
    let mut failures = Vec::new();
    for path in combined {
        let in_file = |failure: Failure| failure.map(|why| format!("{}: {why}", path.display()));
        let file = formats::read_json(path);
        match file.and_then(|file| verifier.verify(&file).map_err(in_file)) {
            Ok(verified) => verifier.say(Some(path), &verified, output)?,
            Err(failure) => failures.push(failure),
        }
    }
    let count = failures.len();
    let all = failures.into_iter().reduce(Failure::and);
    all.map_or(Ok(()), |failure| {
        let of = combined.len();
        Err(failure.map(|why| format!("{count} of {of} are not valid; {why}")))
    })
}

/// The inputs of the verification, which are shared by all signatures.
struct Verifier<F> {
    digest: String,
    prepared: LazyCell<PreparedProgram, F>,
    signers: Signers,
    total: Option<Scalar>,
}

impl<F: FnOnce() -> PreparedProgram> Verifier<F> {
    fn verify(&self, file: &CombinedFile) -> Result<Verified, Failure> {
        let combined = file.combined(&self.digest)?;
        let total = match self.total {
            Some(total) => total,
            None => file.total()?,
        };
        let verified = self.prepared.verify(&self.signers, total, &combined);
        verified.map_err(Failure::refused)
    }

    /// Prints the result of one signature, with the name of its file if there are several.
    fn say(
        &self,
        path: Option<&Path>,
        verified: &Verified,
        output: &Output,
    ) -> Result<(), Failure> {
        let parts: Vec<_> = verified
            .per_signer
            .iter()
            .map(|(signer, part)| json!({ "signer": signer.to_string(), "part": part.to_string() }))
            .collect();
        let total = verified.total.to_string();
        let mut value = json!({ "total": total, "digest": self.digest, "per_signer": parts });
        let mut text = format!("total {total}");
        if let Some(path) = path {
            value["combined"] = json!(path);
            text = format!("{}: {text}", formats::one_line(&path.display().to_string()));
        }
        for (signer, part) in &verified.per_signer {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n{signer} {part}");
        }
        output.result(&value, text)
    }
}
