//! Single numbers: encryption, tests, search and decryption.

use super::{
    args::{KeywordArgs, PublicArgs, ReaderArgs, ServerArgs},
    records::{read_any_ciphertexts, read_ciphertexts, read_numbers, write_ciphertexts},
};
use crate::{
    failure::Failure,
    files,
    output::{Output, To},
};
use duet_searchable::{Bound, Ciphertext, Encryptor, Form, HomomorphicKey, Tested, Unmatched};
use rand::rngs::OsRng;
use serde_json::json;
use std::path::PathBuf;

/// Arguments of `encrypt`.
#[derive(clap::Args)]
pub(crate) struct Encrypt {
    #[command(flatten)]
    public: PublicArgs,
    #[command(flatten)]
    keyword: KeywordArgs,
    /// The numbers, as text separated by white space or commas; `-` for standard input.
    #[arg(long, value_name = "FILE", default_value = "-")]
    input: PathBuf,
    #[command(flatten)]
    to: To,
    /// The largest magnitude of a number. If one is larger, nothing is encrypted: `decrypt` finds no number beyond its own bound.
    #[arg(long, value_name = "NUMBER", default_value_t = BOUND)]
    bound: u64,
    /// Writes 977 bytes for each number instead of 1841.
    #[arg(long)]
    compressed: bool,
}

/// The default of the largest magnitude of a number.
const BOUND: u64 = 1 << 32;

/// Arguments of `test`.
#[derive(clap::Args)]
pub(crate) struct Test {
    #[command(flatten)]
    server: ServerArgs,
    /// The ciphertexts; `-` for standard input.
    #[arg(long, value_name = "FILE", default_value = "-")]
    input: PathBuf,
}

/// Arguments of `search`.
#[derive(clap::Args)]
pub(crate) struct Search {
    #[command(flatten)]
    server: ServerArgs,
    /// The ciphertexts; `-` for standard input.
    #[arg(long, value_name = "FILE", default_value = "-")]
    input: PathBuf,
    #[command(flatten)]
    to: To,
    /// Writes 977 bytes for each ciphertext instead of 1841.
    #[arg(long)]
    compressed: bool,
}

/// Arguments of `decrypt`.
#[derive(clap::Args)]
pub(crate) struct Decrypt {
    #[command(flatten)]
    reader: ReaderArgs,
    /// The ciphertexts; `-` for standard input.
    #[arg(long, value_name = "FILE", default_value = "-")]
    input: PathBuf,
    /// The largest magnitude of a number, which limits the search.
    #[arg(long, value_name = "NUMBER", default_value_t = BOUND)]
    bound: u64,
}

pub(super) fn form(compressed: bool) -> Form {
    if compressed {
        Form::Compressed
    } else {
        Form::Plain
    }
}

pub(crate) fn encrypt(command: &Encrypt, output: &Output) -> Result<(), Failure> {
    files::check_outputs(&[&command.to.path], output.existing())?;
    let public = command.public.key()?;
    let keyword = command.keyword.keyword()?;
    let encryptor = Encryptor::new(&public, &keyword).map_err(Failure::input)?;
    let numbers: Vec<i64> = read_numbers(&command.input)?;
    within(&numbers, command.bound)?;
    let bar = output.progress(numbers.len() as u64, "encrypting");
    let ciphertexts = encryptor.encrypt_all(&numbers, &mut OsRng, &|steps| bar.inc(steps));
    bar.finish_and_clear();
    write_ciphertexts(
        &command.to.path,
        form(command.compressed),
        &ciphertexts,
        output,
    )?;
    output.made(
        &[&command.to.path],
        &json!({ "encrypted": numbers.len() }),
        format!("{} numbers encrypted", numbers.len()),
    )
}

/// Refuses a number beyond the bound. The error does not contain the number, which is confidential.
fn within(numbers: &[i64], bound: u64) -> Result<(), Failure> {
    let beyond = |number: &i64| number.unsigned_abs() > bound;
    match numbers.iter().position(beyond) {
        Some(index) => Err(Failure::input(format!(
            "number {index} is not between -{bound} and {bound}"
        ))),
        None => Ok(()),
    }
}

/// Tests each ciphertext, with a progress bar.
fn verdicts(
    key: &HomomorphicKey,
    ciphertexts: &[Ciphertext],
    output: &Output,
) -> Vec<Result<Tested, Unmatched>> {
    let bar = output.progress(ciphertexts.len() as u64, "testing");
    let verdicts = key.test_all(ciphertexts, &|steps| bar.inc(steps));
    bar.finish_and_clear();
    verdicts
}

pub(crate) fn test(command: &Test, output: &Output) -> Result<(), Failure> {
    let key = command.server.key()?;
    let ciphertexts = read_ciphertexts(&command.input, output)?;
    if ciphertexts.is_empty() {
        let input = command.input.display();
        return Err(Failure::refused(format!(
            "{input}: there are no ciphertexts"
        )));
    }
    let verdicts = verdicts(&key, &ciphertexts, output);
    let failure = verdicts
        .iter()
        .enumerate()
        .find_map(|(index, verdict)| Some((index, verdict.as_ref().err()?)));
    if let Some((index, error)) = failure {
        return Err(Failure::refused(format!("ciphertext {index}: {error}")));
    }
    output.result(
        &json!({ "tested": ciphertexts.len() }),
        format!("{} ciphertexts, all for the keyword", ciphertexts.len()),
    )
}

pub(crate) fn search(command: &Search, output: &Output) -> Result<(), Failure> {
    files::check_outputs(&[&command.to.path], output.existing())?;
    let key = command.server.key()?;
    let checked = read_any_ciphertexts(&command.input, output)?;
    let searched = checked.len();
    let mut malformed = Vec::new();
    let (mut positions, mut ciphertexts) = (Vec::new(), Vec::new());
    for (index, checked) in checked.into_iter().enumerate() {
        match checked {
            Ok(ciphertext) => {
                positions.push(index);
                ciphertexts.push(ciphertext);
            }
            Err(_) => malformed.push(index),
        }
    }
    let found: Vec<_> = positions
        .iter()
        .zip(verdicts(&key, &ciphertexts, output))
        .filter_map(|(index, verdict)| Some((index, verdict.ok()?.into_ciphertext())))
        .collect();
    let matches = found.iter().map(|(_, ciphertext)| ciphertext);
    write_ciphertexts(&command.to.path, form(command.compressed), matches, output)?;
    let indices: Vec<_> = found.iter().map(|(index, _)| index).collect();
    output.made(
        &[&command.to.path],
        &json!({ "searched": searched, "found": indices, "malformed": malformed }),
        format!(
            "{} of {searched} ciphertexts found, {} malformed",
            found.len(),
            malformed.len()
        ),
    )
}

pub(crate) fn decrypt(command: &Decrypt, output: &Output) -> Result<(), Failure> {
    let reader = command.reader.reader()?;
    let ciphertexts = read_ciphertexts(&command.input, output)?;
    let bar = output.progress(ciphertexts.len() as u64, "decrypting");
    let messages = reader.decrypt_all(&ciphertexts, &|steps| bar.inc(steps));
    bar.finish_and_clear();
    // Made when the first one is searched for: with a wrong key there is none.
    let mut table = None;
    let (mut numbers, mut failed) = (Vec::with_capacity(messages.len()), Vec::new());
    for (index, message) in messages.into_iter().enumerate() {
        let found = match message {
            Ok(message) => {
                let table = match &mut table {
                    Some(table) => table,
                    None => table.insert(command.reader.table(Bound::new(command.bound), output)?),
                };
                let bar = output.progress(table.giant_steps() + 1, "discrete logarithm");
                let found = table.find_with_progress(&message, &|steps| bar.inc(steps));
                bar.finish_and_clear();
                found.map_err(|error| error.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        let found = found.map_err(|reason| failed.push((index, reason)));
        numbers.push(found.ok());
    }
    // A line for each ciphertext, also for one without a number.
    let line = |number: &Option<i64>| number.map_or("-".to_owned(), |number| number.to_string());
    let lines: Vec<_> = numbers.iter().map(line).collect();
    if failed.len() < numbers.len() {
        output.result(&json!({ "numbers": numbers }), lines.join("\n"))?;
    }
    let text = |(index, reason)| format!("ciphertext {index}: {reason}");
    let reasons: Vec<_> = failed.into_iter().map(text).collect();
    match reasons.as_slice() {
        [] => Ok(()),
        reasons => Err(Failure::refused(reasons.join("; "))),
    }
}
