//! Records: signatures with their labels. The files may contain objects from untrusted sources.

use crate::{failure::Failure, files, output::Output};
use duet_armour::{kinds::MKLHS_RECORD, ArmourError, Object, Reader};
use duet_mklhs::{
    check_all, BatchError, Bounds, EquivocationProof, Label, Record, Signature, Signers,
};
use rand_core::OsRng;
use serde_json::json;
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

/// A decoded record and its position. It may be invalid.
struct Found<'a> {
    path: &'a Path,
    line: usize,
    label: Label,
    signature: Signature,
}

fn decode(object: &Object) -> Result<Record, Failure> {
    if *object.kind() != MKLHS_RECORD {
        let (expected, got) = (MKLHS_RECORD.name(), object.kind().name());
        return Err(Failure::input(format!("expected {expected}, got {got}")));
    }
    let content = object
        .content()
        .map_err(|error| Failure::input(error.problem))?;
    Record::from_bytes(content).map_err(Failure::refused)
}

/// Reads the objects of the files, one after another. Failures name the file and the line.
fn read_objects<'a>(
    paths: &'a [PathBuf],
    output: &Output,
    mut take: impl FnMut(Result<Found<'a>, Failure>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    for path in paths {
        let text = files::read(path)?;
        let objects: Vec<_> = Reader::new(&text).collect();
        let total = u64::try_from(objects.len()).unwrap_or(u64::MAX);
        let bar = output.progress(total, "records");
        for object in objects {
            let at =
                |line: usize| move |failure: Failure| failure.map(|why| place(path, line, &why));
            take(match object {
                Ok(object) => {
                    let line = object.line();
                    let record = decode(&object).map_err(at(line));
                    record.map(|Record { label, signature }| Found {
                        path,
                        line,
                        label,
                        signature,
                    })
                }
                Err(ArmourError { line, problem }) => Err(at(line)(Failure::input(problem))),
            })?;
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
    read_objects(paths, output, |found| {
        let found = found?;
        labels.push(found.label);
        signatures.push(found.signature);
        Ok(())
    })?;
    Ok((labels, signatures))
}

/// Records without the invalid ones, so that an added invalid line cannot make the command fail.
pub(crate) struct FilteredRecords<'a> {
    records: Vec<Found<'a>>,
    dropped: usize,
    first_dropped: Option<String>,
}

impl<'a> FilteredRecords<'a> {
    /// Reads records, and drops those that do not decode.
    pub(crate) fn read(paths: &'a [PathBuf], output: &Output) -> Result<Self, Failure> {
        let mut records = Self {
            records: Vec::new(),
            dropped: 0,
            first_dropped: None,
        };
        read_objects(paths, output, |found| {
            match found {
                Ok(found) => records.records.push(found),
                Err(failure) => records.drop_one(failure.text()),
            }
            Ok(())
        })?;
        Ok(records)
    }

    fn drop_one(&mut self, why: String) {
        self.dropped += 1;
        self.first_dropped.get_or_insert(why);
    }

    /// Keeps only the records of these labels.
    pub(crate) fn keep(&mut self, labels: &[Label]) {
        let named: std::collections::HashSet<_> = labels.iter().collect();
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
    pub(crate) fn drop_bad(&mut self, signers: &Signers, bounds: Bounds) -> Result<(), Failure> {
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

    /// The signatures on these labels, in their order.
    pub(crate) fn in_order(&self, labels: &[Label]) -> Result<Vec<Signature>, Failure> {
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
        labels.iter().map(signature).collect()
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
    pub(crate) fn dropped(&self) -> usize {
        self.dropped
    }

    /// A description of the dropped records, if there are any.
    pub(crate) fn note(&self) -> Option<String> {
        let first = self.first_dropped.as_ref()?;
        Some(format!(
            "{} records dropped, the first: {first}",
            self.dropped
        ))
    }

    /// Reports the dropped records on standard error, as one JSON object, if standard output is used for the result.
    pub(crate) fn report_dropped(&self) {
        if let Some(note) = self.note() {
            duet_process::warn(json!({ "dropped": self.dropped(), "note": note }));
        }
    }
}
