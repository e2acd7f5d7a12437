//! `duet-schemes statistics`: mean, variance and standard deviation of numbers that many sources sign with keys of `mklhs`.

mod args;

pub(crate) use args::Command;

use crate::{
    failure::Failure,
    files,
    mklhs::{self, bytes_of_text, FilteredRecords, Signer},
    object,
    output::Output,
};
use args::{DataArgs, Kind, Prove, Sign, Source, Verify, ViewArgs};
use duet_armour::{kinds::STATISTICS_PROOF, Object};
use duet_mklhs::{Bounds, Label};
use duet_polynomial::{
    standard::{self, Entry, Metric, Proof, Record, StandardError, StandardStats, View},
    Assurance, Stat, Statistic, VerifiableStats,
};
use serde_json::{json, Value};
use std::path::Path;

pub(crate) fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Sign(args) => sign(args, output),
        Command::Prove(args) => prove(&args, output),
        Command::Verify(args) => verify(&args, output),
    }
}

fn failure(error: StandardError) -> Failure {
    match error {
        StandardError::Register(error) => mklhs::register_failure(error),
        StandardError::Verify(_)
        | StandardError::Combine(_)
        | StandardError::WrongProof
        | StandardError::ValueMismatch
        | StandardError::NoSuchValues { .. }
        | StandardError::Decode(_) => Failure::refused(error),
        _ => Failure::input(error),
    }
}

impl DataArgs {
    fn metric(&self) -> Result<Metric, Failure> {
        Ok(Metric {
            context: bytes_of_text(&self.context)?,
            name: bytes_of_text(&self.metric)?,
        })
    }

    fn data_set(&self) -> Result<Vec<u8>, Failure> {
        bytes_of_text(&self.dataset)
    }
}

fn sign(args: Sign, output: &Output) -> Result<(), Failure> {
    let values = match &args.file {
        Some(path) => read_values(path)?,
        None => args.values,
    };
    let (metric, data_set) = (args.data.metric()?, args.data.data_set()?);
    files::check_outputs(&[&args.to.path], output.existing())?;
    let signer = Signer::open(&args.key, &args.register)?;
    let register = signer.register(output)?;
    let mut source = standard::Source {
        key: signer.key,
        register,
        metric,
    };
    let records = StandardStats::sign(&mut source, &data_set, &values).map_err(failure)?;
    let mut labelled = Vec::with_capacity(2 * records.len());
    for (index, Record { value, square }) in (0..).zip(&records) {
        let labels = source.metric.labels(source.key.id(), &data_set, index);
        let [first, second] = labels.map_err(Failure::input)?;
        labelled.extend([(first, *value), (second, *square)]);
    }
    mklhs::write_records(&labelled, &args.to.path, output)
}

fn read_values(path: &Path) -> Result<Vec<i64>, Failure> {
    let text = files::read_text(path)?;
    let parse = |word: &str| {
        let parsed = word.parse();
        parsed.map_err(|error| Failure::input(format!("{word:?}: {error}")).in_file(path))
    };
    text.split_whitespace().map(parse).collect()
}

impl Kind {
    fn stat(self) -> Stat {
        match self {
            Self::Mean => Stat::Mean,
            Self::Variance | Self::Deviation => Stat::Variance,
        }
    }

    /// The first byte of a proof. A standard deviation has the proof of the variance.
    fn tag(self) -> u8 {
        match self {
            Self::Mean => 1,
            Self::Variance | Self::Deviation => 2,
        }
    }
}

impl ViewArgs {
    fn view(&self, output: &Output) -> Result<View, Failure> {
        let mut entries = Vec::new();
        for Source { id, weight } in &self.sources {
            let source = mklhs::signer_id(id)?;
            entries.extend((0..self.count).map(|index| Entry {
                source,
                index,
                weight: *weight,
            }));
        }
        Ok(View {
            signers: self.signers.check(output)?,
            metric: self.data.metric()?,
            data_set: self.data.data_set()?,
            entries,
        })
    }
}

/// The labels of all values of a view, each followed by that of its square.
fn labels(view: &View) -> Result<Vec<Label>, Failure> {
    let mut labels = Vec::with_capacity(2 * view.entries.len());
    for Entry { source, index, .. } in &view.entries {
        let pair = view.metric.labels(*source, &view.data_set, *index);
        labels.extend(pair.map_err(Failure::input)?);
    }
    Ok(labels)
}

fn prove(args: &Prove, output: &Output) -> Result<(), Failure> {
    files::check_outputs(&[&args.to.path], output.existing())?;
    let view = args.view.view(output)?;
    let labels = labels(&view)?;
    let mut records = FilteredRecords::read(&args.records, output)?;
    records.keep(&labels);
    records.drop_bad(&view.signers, Bounds::Integers)?;
    let signatures = records.in_order(&labels)?;
    let (pairs, _) = signatures.as_chunks::<2>();
    let pairs: Vec<_> = pairs
        .iter()
        .map(|[value, square]| Record {
            value: *value,
            square: *square,
        })
        .collect();
    let (statistic, proof) =
        StandardStats::prove(&view, &args.stat.stat(), &pairs).map_err(failure)?;
    let content = [&[args.stat.tag()][..], &proof.to_bytes()].concat();
    object::write(&args.to.path, &STATISTICS_PROOF, &content, output)?;
    if files::is_standard_output(&args.to.path) {
        records.report_dropped();
        return Ok(());
    }
    let (mut value, mut text) = described(args.stat, &statistic)?;
    value["dropped"] = records.dropped().into();
    if let Some(note) = records.note() {
        text = format!("{text}; {note}");
    }
    output.result(&value, text)
}

fn verify(args: &Verify, output: &Output) -> Result<(), Failure> {
    let view = args.view.view(output)?;
    let (stat, tag) = (args.stat.stat(), args.stat.tag());
    let proof = object::read_one(&args.proof, &STATISTICS_PROOF, |content| {
        match content.split_first() {
            Some((got, proof)) if *got == tag => Proof::from_bytes(&stat, proof).map_err(failure),
            _ => Err(failure(StandardError::WrongProof)),
        }
    })?;
    let verified = StandardStats::proven(&view, &stat, &proof).map_err(failure)?;
    let (value, text) = described(args.stat, verified.value())?;
    output.result(&value, format_args!("{text} is verified"))
}

/// A statistic as JSON and as text.
fn described(kind: Kind, statistic: &Statistic) -> Result<(Value, String), Failure> {
    let (name, number) = match kind {
        Kind::Mean => ("mean", statistic.to_f64()),
        Kind::Variance => ("variance", statistic.to_f64()),
        Kind::Deviation => {
            let root = statistic.square_root();
            let root = root.ok_or_else(|| Failure::refused("the variance is negative"))?;
            ("deviation", root)
        }
    };
    let (numerator, denominator) = (statistic.numerator(), statistic.denominator());
    let value = json!({
        "statistic": name,
        "value": number,
        "numerator": numerator.to_string(),
        "denominator": denominator.to_string(),
        "assurance": Assurance::Standard.to_string(),
    });
    let text = match kind {
        Kind::Mean | Kind::Variance => format!("{name} {number} = {numerator}/{denominator}"),
        Kind::Deviation => format!("standard {name} {number}"),
    };
    Ok((value, text))
}

/// The statistic of a proof.
pub(crate) fn describe(object: &Object) -> Result<(Value, String), Failure> {
    let kind = match object.content()?.first() {
        Some(1) => "mean",
        Some(2) => "variance",
        _ => return Err(Failure::input("the proof is for an unknown statistic")),
    };
    let text = format!("proof of a {kind}, unverified");
    Ok((json!({ "statistic": kind }), text))
}
