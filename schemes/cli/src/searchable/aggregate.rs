//! Sums of ciphertexts.

use super::{
    readings::form,
    records::{read_ciphertexts, read_numbers, write_ciphertexts},
    ServerArgs,
};
use crate::{
    files,
    output::{Failure, Output},
};
use duet_searchable::{Bound, Ciphertext, EvaluationError, Term};
use rand::rngs::OsRng;
use serde_json::json;
use std::{collections::HashSet, io::Write, path::PathBuf};

/// Arguments of `aggregate`.
#[derive(clap::Args)]
pub(crate) struct Aggregate {
    #[command(flatten)]
    server: ServerArgs,
    /// The ciphertexts; `-` for standard input.
    #[arg(long, value_name = "FILE", default_value = "-")]
    input: PathBuf,
    /// How often each counts, in their order: numbers as text. Without it each counts once, and of ciphertexts that
    /// are there twice the second is dropped.
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// A public number that is added to the sum.
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 0,
        allow_negative_numbers = true
    )]
    constant: i64,
    /// The largest magnitude that each number may have; then the bound of the sum is told.
    #[arg(long, value_name = "NUMBER")]
    bound: Option<u64>,
    /// The largest that the bound of the sum may be: how far its receiver searches.
    #[arg(long, value_name = "NUMBER", requires = "bound")]
    limit: Option<u64>,
    /// Where the sum goes; `-` for standard output.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Writes 977 bytes instead of 1841.
    #[arg(long)]
    compressed: bool,
}

/// A ciphertext that counts.
struct Input {
    /// Where it was among those that came, from zero.
    position: usize,
    weight: i64,
    ciphertext: Ciphertext,
}

pub(crate) fn aggregate(command: &Aggregate, output: &Output) -> Result<(), Failure> {
    let key = command.server.key()?;
    let ciphertexts = read_ciphertexts(&command.input, output)?;
    let received = ciphertexts.len();
    let inputs = inputs(command, ciphertexts)?;
    let bound = bound(command, &inputs)?;
    let terms: Vec<_> = inputs
        .iter()
        .map(|input| Term::new(input.weight, &input.ciphertext))
        .collect();
    let bar = output.progress(terms.len() as u64, "testing and adding");
    let sum = key.evaluate_with_progress(&terms, command.constant, &mut OsRng, &|steps| {
        bar.inc(steps);
    });
    bar.finish_and_clear();
    let sum = sum.map_err(|error| Failure::refused(as_received(error, &inputs)))?;
    write_ciphertexts(&command.out, form(command.compressed), [sum.ciphertext()])?;
    let reach = bound.map(|bound| format!("the sum is between -{bound} and {bound}"));
    if files::is_pipe(&command.out) {
        if let Some(reach) = reach {
            // Standard output has the sum. Without standard error nobody is left to tell.
            let _ = writeln!(std::io::stderr(), "{reach}");
        }
        return Ok(());
    }
    let duplicates = received - inputs.len();
    let reach = reach.map(|reach| format!("; {reach}")).unwrap_or_default();
    output.result(
        &json!({ "added": inputs.len(), "duplicates": duplicates, "bound": bound }),
        format!(
            "{} ciphertexts added, {duplicates} duplicates dropped{reach}",
            inputs.len()
        ),
    )
}

/// The ciphertexts that count, and how often each does.
fn inputs(command: &Aggregate, ciphertexts: Vec<Ciphertext>) -> Result<Vec<Input>, Failure> {
    let received = ciphertexts.into_iter().enumerate();
    let Some(path) = &command.weights else {
        let mut seen = HashSet::new();
        let distinct = received.filter(|(_, ciphertext)| seen.insert(ciphertext.digest()));
        return Ok(distinct
            .map(|(position, ciphertext)| Input {
                position,
                weight: 1,
                ciphertext,
            })
            .collect());
    };
    let weights: Vec<i64> = read_numbers(path)?;
    if weights.len() != received.len() {
        return Err(Failure::input(format!(
            "{}: {} weights for {} ciphertexts",
            path.display(),
            weights.len(),
            received.len()
        )));
    }
    Ok(received
        .zip(weights)
        .map(|((position, ciphertext), weight)| Input {
            position,
            weight,
            ciphertext,
        })
        .collect())
}

/// The bound of the sum, if one of the numbers is known: not above the limit.
fn bound(command: &Aggregate, inputs: &[Input]) -> Result<Option<u64>, Failure> {
    let Some(bound) = command.bound else {
        return Ok(None);
    };
    let terms = inputs.iter().map(|input| (input.weight, Bound::new(bound)));
    let bound = Bound::of_sum(terms, command.constant)
        .map_err(Failure::input)?
        .get();
    match command.limit.filter(|limit| bound > *limit) {
        Some(limit) => Err(Failure::refused(format!(
            "the sum may reach {bound}, and the limit is {limit}"
        ))),
        None => Ok(Some(bound)),
    }
}

/// The error with the position that the input had before duplicates were dropped.
fn as_received(error: EvaluationError, inputs: &[Input]) -> EvaluationError {
    let position = |index: usize| inputs.get(index).map_or(index, |input| input.position);
    match error {
        EvaluationError::EmptyInput => EvaluationError::EmptyInput,
        EvaluationError::MisOperation { index } => EvaluationError::MisOperation {
            index: position(index),
        },
        EvaluationError::TestedWithOtherKey { index } => EvaluationError::TestedWithOtherKey {
            index: position(index),
        },
    }
}
