//! Records: signatures with their labels. The files may contain lines from untrusted sources.

use super::formats::{self, LabelText};
use crate::{failure::Failure, files, output::Output};
use duet_mklhs::{
    check_all, BatchError, Bounds, EquivocationProof, Label, Program, Signature, Signers,
};
use rand_core::OsRng;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{
    collections::HashMap,
    io::Write as _,
    path::{Path, PathBuf},
};

/// A signature and its label.
#[derive(Serialize, Deserialize)]
pub(super) struct Record {
    #[serde(flatten)]
    label: LabelText,
    message: String,
    signature: String,
}

impl Record {
    pub(super) fn new(label: &Label, signature: &Signature) -> Self {
        Self {
            label: LabelText::of(label),
            message: signature.message().to_string(),
            signature: hex::encode(signature.to_bytes()),
        }
    }

    fn parse(&self) -> Result<(Label, Signature), Failure> {
        let bytes = formats::unhex("signature", &self.signature)?;
        let signature = Signature::from_bytes(&bytes).map_err(Failure::refused)?;
        if self.message.parse() != Ok(signature.message()) {
            let (said, signed) = (&self.message, signature.message());
            return Err(Failure::refused(format!(
                "the record says {said:?}, but the signed message is {signed}"
            )));
        }
        Ok((self.label.label()?, signature))
    }
}

fn parse(line: &[u8]) -> Result<(Label, Signature), Failure> {
    let record: Record = serde_json::from_slice(line).map_err(Failure::input)?;
    record.parse()
}

/// A decoded record and its position. It may be invalid.
struct Found<'a> {
    path: &'a Path,
    line: usize,
    label: Label,
    signature: Signature,
}

/// Reads the files line by line. Failures name the position.
fn read_lines<'a>(
    paths: &'a [PathBuf],
    output: &Output,
    mut take: impl FnMut(Result<Found<'a>, Failure>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    for path in paths {
        let bytes = files::read(path)?;
        let lines = bytes.split(|byte| *byte == b'\n').enumerate();
        let lines: Vec<_> = lines
            .filter(|(_, line)| !line.trim_ascii().is_empty())
            .collect();
        let total = u64::try_from(lines.len()).unwrap_or(u64::MAX);
        let bar = output.progress(total, "records");
        for (index, line) in lines {
            let line_number = index + 1;
            let found = parse(line).map(|(label, signature)| Found {
                path,
                line: line_number,
                label,
                signature,
            });
            take(found.map_err(|failure| failure.map(|why| place(path, line_number, &why))))?;
            bar.inc(1);
        }
        bar.finish_and_clear();
    }
    Ok(())
}

fn place(path: &Path, line: usize, why: &dyn std::fmt::Display) -> String {
    format!("{} line {line}: {why}", path.display())
}

/// Reads all records. A record that does not decode is a failure.
pub(super) fn read_all(
    paths: &[PathBuf],
    output: &Output,
) -> Result<(Vec<Label>, Vec<Signature>), Failure> {
    let (mut labels, mut signatures) = (Vec::new(), Vec::new());
    read_lines(paths, output, |found| {
        let found = found?;
        labels.push(found.label);
        signatures.push(found.signature);
        Ok(())
    })?;
    Ok((labels, signatures))
}

/// Records from which invalid ones are dropped, so that nobody who can add a line can make the command fail.
pub(super) struct FilteredRecords<'a> {
    records: Vec<Found<'a>>,
    dropped: usize,
    first_dropped: Option<String>,
}

impl<'a> FilteredRecords<'a> {
    /// Reads records, and drops those that do not decode.
    pub(super) fn read(paths: &'a [PathBuf], output: &Output) -> Result<Self, Failure> {
        let mut records = Self {
            records: Vec::new(),
            dropped: 0,
            first_dropped: None,
        };
        read_lines(paths, output, |found| {
            match found {
                Ok(found) => records.records.push(found),
                Err(Failure::Refused(why) | Failure::Input(why)) => records.drop_one(why),
            }
            Ok(())
        })?;
        Ok(records)
    }

    fn drop_one(&mut self, why: String) {
        self.dropped += 1;
        self.first_dropped.get_or_insert(why);
    }

    /// Keeps only the inputs of a program.
    pub(super) fn keep_inputs_of(&mut self, program: &Program) {
        let named: std::collections::HashSet<_> = program.labels().iter().collect();
        self.records.retain(|record| named.contains(&record.label));
    }

    /// Keeps only the records of labels with more than one message.
    fn keep_labels_with_two_messages(&mut self) {
        let mut messages = HashMap::new();
        let mut doubtful = std::collections::HashSet::new();
        for Found {
            label, signature, ..
        } in &self.records
        {
            let first = *messages.entry(label).or_insert(signature.message());
            if first != signature.message() {
                doubtful.insert(label.clone());
            }
        }
        self.records
            .retain(|record| doubtful.contains(&record.label));
    }

    /// Drops invalid signatures.
    pub(super) fn drop_bad(&mut self, signers: &Signers, bounds: Bounds) -> Result<(), Failure> {
        let labels: Vec<_> = self.records.iter().map(|it| it.label.clone()).collect();
        let signatures: Vec<_> = self.records.iter().map(|it| it.signature).collect();
        let bad = match check_all(signers, bounds, &labels, &signatures, &mut OsRng) {
            Ok(()) => return Ok(()),
            Err(BatchError::BadInputs(bad)) => bad.0,
            Err(error) => return Err(Failure::input(error)),
        };
        let mut bad: HashMap<_, _> = bad.into_iter().collect();
        for (index, record) in std::mem::take(&mut self.records).into_iter().enumerate() {
            match bad.remove(&index) {
                Some(error) => self.drop_one(place(record.path, record.line, &error)),
                None => self.records.push(record),
            }
        }
        Ok(())
    }

    /// The signatures of a program's inputs, in its order.
    pub(super) fn in_order(&self, program: &Program) -> Result<Vec<Signature>, Failure> {
        let mut of_label = HashMap::new();
        for Found {
            label, signature, ..
        } in &self.records
        {
            let first = *of_label.entry(label).or_insert(*signature);
            if first.message() != signature.message() {
                return Err(self.refused(format!(
                    "two messages under one label, {label:?}: see `equivocation prove`"
                )));
            }
        }
        let signature = |label: &Label| {
            let found = of_label.get(label).copied();
            found.ok_or_else(|| self.refused(format!("no signature on {label:?}")))
        };
        program.labels().iter().map(signature).collect()
    }

    /// Two valid signatures on one label with different messages.
    pub(super) fn evidence(&mut self, signers: &Signers) -> Result<EquivocationProof, Failure> {
        self.keep_labels_with_two_messages();
        self.drop_bad(signers, Bounds::Residues)?;
        let mut seen = HashMap::new();
        for Found {
            label, signature, ..
        } in &self.records
        {
            let first = *seen.entry(label).or_insert(*signature);
            if first.message() != signature.message() {
                return Ok(EquivocationProof::new(label.clone(), first, *signature));
            }
        }
        Err(self.refused("no label has valid signatures on two messages".to_owned()))
    }

    fn refused(&self, why: String) -> Failure {
        Failure::refused(match self.note() {
            Some(note) => format!("{why}; {note}"),
            None => why,
        })
    }

    /// The number of dropped records.
    pub(super) fn dropped(&self) -> usize {
        self.dropped
    }

    /// A description of the dropped records, if there are any.
    pub(super) fn note(&self) -> Option<String> {
        let first = self.first_dropped.as_ref()?;
        Some(format!(
            "{} records dropped, the first: {first}",
            self.dropped
        ))
    }

    /// Reports the dropped records on standard error, as one JSON object, if standard output is used for the result.
    pub(super) fn report_dropped(&self) {
        if let Some(note) = self.note() {
            // If standard error is closed, there is nobody to report to.
            let line = json!({ "dropped": self.dropped(), "note": note });
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }
}
