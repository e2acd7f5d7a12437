//! Programs, combining, joining and verifying.

use super::{
    args::{self, Combine, Join, Verify},
    formats::{self, CombinedFile},
    records::FilteredRecords,
};
use crate::{
    failure::{one_line, Failure},
    files, object,
    output::Output,
};
use duet_armour::kinds::MKLHS_PROGRAM;
use duet_mklhs::{
    combine_disjoint, evaluate_unchecked, Bounds, CombineError, Combined, Part, PreparedProgram,
    Program, Scalar, Signers, Verified,
};
use serde_json::{json, Value};
use std::{cell::LazyCell, ffi::OsString, path::Path};

/// Writes a program.
pub(super) fn program(
    args: &args::Program,
    weights: &[(String, Scalar)],
    output: &Output,
) -> Result<(), Failure> {
    let to = &args.to.path;
    let mut coefficients = Vec::new();
    let mut labels = Vec::new();
    for (id, weight) in weights {
        let signer = formats::signer_id(id)?;
        for tag in &args.tags {
            coefficients.push(*weight);
            labels.push(args.label.label(signer, tag)?);
        }
    }
    let program = Program::new(args.bounds.get(), coefficients, labels);
    let program = program.map_err(Failure::input)?;
    object::write(to, &MKLHS_PROGRAM, &program.to_bytes(), output)?;
    let digest = hex::encode(program.digest());
    output.made(
        &[to],
        &json!({ "digest": digest, "inputs": program.labels().len(), "program": to }),
        format_args!("program {digest} of {} inputs", program.labels().len()),
    )
}

/// The function of a program.
pub(super) fn describe_program(program: &Program) -> (Value, String) {
    let digest = hex::encode(program.digest());
    let bounds = match program.bounds() {
        Bounds::Integers => "integers",
        Bounds::Residues => "residues",
    };
    let inputs = program.coefficients().iter().zip(program.labels());
    let (mut values, mut text) = (Vec::new(), format!("program {digest} over {bounds}"));
    for (coefficient, label) in inputs {
        let mut value = formats::describe_label(label);
        value["coefficient"] = coefficient.to_string().into();
        values.push(value);
        text += &format!("\n  {coefficient} times {label:?}");
    }
    let value = json!({ "digest": digest, "bounds": bounds, "inputs": values });
    (value, text)
}

/// Combines the signatures of a program's inputs.
pub(super) fn combine(args: &Combine, output: &Output) -> Result<(), Failure> {
    let to = &args.to.path;
    let program = formats::read_program(&args.program)?;
    let mut records = FilteredRecords::read(&args.records, output)?;
    records.keep(program.labels());
    if let Some(signers) = args.checks.signers(output)? {
        for signer in program.signers() {
            signers.key(signer).map_err(Failure::refused)?;
        }
        records.drop_bad(&signers, program.bounds())?;
    }
    let signatures = records.in_order(program.labels())?;
    // The signatures were checked above, unless `--unchecked` was given.
    let combined = evaluate_unchecked(&program, &signatures).map_err(Failure::refused)?;
    CombinedFile::write(to, &program, &combined, output)?;
    if files::is_standard_output(to) {
        records.report_dropped();
        return Ok(());
    }
    let (inputs, signers) = (signatures.len(), program.signers().len());
    let total = combined.total().to_string();
    let mut text = format!("{inputs} signatures of {signers} signers: {total}");
    if let Some(note) = records.note() {
        text += &format!("; {note}");
    }
    output.result(
        &json!({
            "inputs": inputs,
            "signers": signers,
            "total": total,
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
        let file = CombinedFile::read(path)?;
        let combined = file.of_program(&program.digest());
        let combined = combined.map_err(|failure| failure.in_file(path))?;
        if let Some(signers) = signers {
            duet_mklhs::verify(&program, signers, combined.total(), combined)
                .map_err(|error| Failure::refused(error).in_file(path))?;
        }
        Ok(Self {
            weight,
            combined: combined.clone(),
            program,
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
pub(super) fn join(args: &Join, output: &Output) -> Result<(), Failure> {
    let (to_program, to) = (&args.program, &args.to.path);
    let signers = args.checks.signers(output)?;
    let (words, _) = args.parts.as_chunks();
    let parts = words
        .iter()
        .map(|words| NamedPart::read(words, signers.as_ref()))
        .collect::<Result<Vec<_>, _>>()?;
    let parts: Vec<_> = parts.iter().map(NamedPart::part).collect();
    let (program, combined) = combine_disjoint(&parts).map_err(|error| match error {
        CombineError::Program(_) | CombineError::BoundsMismatch { .. } => Failure::input(error),
        _ => Failure::refused(error),
    })?;
    files::check_outputs(&[to_program, to], output.existing())?;
    object::write(to_program, &MKLHS_PROGRAM, &program.to_bytes(), output)?;
    CombinedFile::write(to, &program, &combined, output)?;
    let total = combined.total().to_string();
    let (inputs, signers) = (program.labels().len(), program.signers().len());
    output.made(
        &[to, to_program],
        &json!({
            "parts": parts.len(),
            "inputs": inputs,
            "signers": signers,
            "total": total,
            "program": to_program,
            "combined": to,
        }),
        format_args!(
            "{} parts, {inputs} signatures of {signers} signers: {total}",
            parts.len()
        ),
    )
}

/// Verifies combined signatures of one program.
pub(super) fn verify(args: &Verify, output: &Output) -> Result<(), Failure> {
    let combined = args.combined.as_slice();
    let program = formats::read_program(&args.program)?;
    let signers = args.signers.check(output)?;
    let verifier = Verifier {
        digest: program.digest(),
        // Prepared only when there is something to verify.
        prepared: LazyCell::new(|| program.prepare()),
        signers,
        total: args.total,
    };
    if let [only] = combined {
        let verified = verifier.verify(&CombinedFile::read(only)?)?;
        return verifier.say(None, &verified, output);
    }
    let mut failures = Vec::new();
    for path in combined {
        let verify = |file| {
            let verified = verifier.verify(&file);
            verified.map_err(|failure| failure.in_file(path))
        };
        match CombinedFile::read(path).and_then(verify) {
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
    digest: [u8; 32],
    prepared: LazyCell<PreparedProgram, F>,
    signers: Signers,
    total: Option<Scalar>,
}

impl<F: FnOnce() -> PreparedProgram> Verifier<F> {
    fn verify(&self, file: &CombinedFile) -> Result<Verified, Failure> {
        let combined = file.of_program(&self.digest)?;
        let total = self.total.unwrap_or_else(|| combined.total());
        let verified = self.prepared.verify(&self.signers, total, combined);
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
        let mut value =
            json!({ "total": total, "digest": hex::encode(self.digest), "per_signer": parts });
        let mut text = format!("total {total}");
        if let Some(path) = path {
            value["combined"] = json!(path);
            text = format!("{}: {text}", one_line(&path.display().to_string()));
        }
        for (signer, part) in &verified.per_signer {
            text += &format!("\n{signer} {part}");
        }
        output.result(&value, text)
    }
}
