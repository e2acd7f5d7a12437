//! Sums of ciphertexts.

use super::{
    args::ServerArgs,
    readings::form,
    records::{read_ciphertexts, read_numbers, write_ciphertexts},
};
use crate::{
    failure::Failure,
    files,
    output::{Output, To},
};
use duet_searchable::{Bound, Ciphertext, EvaluationError, Term};
use rand::rngs::OsRng;
use serde_json::json;
use std::{collections::HashSet, path::PathBuf};

/// Arguments of `aggregate`.
#[derive(clap::Args)]
pub(crate) struct Aggregate {
    #[command(flatten)]
    server: ServerArgs,
    /// The ciphertexts; `-` for standard input.
    #[arg(long, value_name = "FILE", default_value = "-")]
    input: PathBuf,
    /// The weights, as text, in the order of the ciphertexts. Without this option each weight is one, and duplicate
    /// ciphertexts are dropped.
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
    /// The largest magnitude of each number. With this option the bound of the sum is printed.
    #[arg(long, value_name = "NUMBER")]
    bound: Option<u64>,
    /// The largest allowed bound of the sum: the limit of the receiver's search.
    #[arg(long, value_name = "NUMBER", requires = "bound")]
    limit: Option<u64>,
    #[command(flatten)]
    to: To,
    /// Writes 977 bytes instead of 1841.
    #[arg(long)]
    compressed: bool,
}

/// A ciphertext and its weight.
struct Input {
    /// Its index among the received ciphertexts, from zero.
    position: usize,
    weight: i64,
    ciphertext: Ciphertext,
}

pub(crate) fn aggregate(command: &Aggregate, output: &Output) -> Result<(), Failure> {
    files::check_outputs(&[&command.to.path], output.existing())?;
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
    write_ciphertexts(
        &command.to.path,
        form(command.compressed),
        [sum.ciphertext()],
        output,
    )?;
    let reach = bound.map(|bound| format!("the sum is between -{bound} and {bound}"));
    if files::is_standard_output(&command.to.path) {
        if let Some(reach) = reach {
            // Standard output is used for the sum.
            duet_process::warn(reach);
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

/// The ciphertexts and their weights.
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

/// The bound of the sum, if the bound of the numbers is given. It must not exceed the limit.
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
            "the sum may reach {bound}, above the limit of {limit}"
        ))),
        None => Ok(Some(bound)),
    }
}

/// The error with the index that the input had before duplicates were dropped.
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
