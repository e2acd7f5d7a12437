//! Files of ciphertexts and of numbers.

use super::args::ReaderArgs;
use crate::{failure::Failure, files, object, output::Output};
use duet_armour::kinds::{SEARCHABLE_CIPHERTEXTS, SEARCHABLE_VECTOR};
use duet_searchable::{
    suite::{COMPRESSED_LEN, COMPRESSED_VERSION, PLAIN_LEN, PLAIN_VERSION},
    Bound, Ciphertext, CiphertextError, DiscreteLog, Factor, Form, ReceivedCiphertext, FACTOR_LEN,
};
use std::path::Path;

fn refused(path: &Path, index: usize, error: impl std::fmt::Display) -> Failure {
    Failure::refused(format!("{}: ciphertext {index}: {error}", path.display()))
}

/// Received ciphertexts, split by their versions and lengths.
struct Records {
    received: Vec<ReceivedCiphertext>,
    /// The error where the next ciphertext should begin, if there is one.
    rest: Result<(), CiphertextError>,
}

impl Records {
    fn read(path: &Path) -> Result<Self, Failure> {
        let contents = object::read_contents(path, &SEARCHABLE_CIPHERTEXTS)?;
        let bytes: Vec<u8> = contents.iter().flat_map(|it| it.iter().copied()).collect();
        Ok(Self::split(&bytes))
    }

    fn split(mut bytes: &[u8]) -> Self {
        let mut received = Vec::new();
        while let Some(version) = bytes.first() {
            let length = match *version {
                PLAIN_VERSION => PLAIN_LEN + 1,
                COMPRESSED_VERSION => COMPRESSED_LEN + 1,
                // The decoder reports the unknown version.
                _ => bytes.len(),
            };
            let (record, tail) = bytes.split_at(length.min(bytes.len()));
            match ReceivedCiphertext::parse(record) {
                Ok(record) => received.push(record),
                Err(error) => {
                    let rest = Err(error);
                    return Self { received, rest };
                }
            }
            bytes = tail;
        }
        let rest = Ok(());
        Self { received, rest }
    }

    fn check(&self, output: &Output) -> Vec<Result<Ciphertext, CiphertextError>> {
        let bar = output.progress(self.received.len() as u64, "checking");
        let checked = ReceivedCiphertext::check_all(&self.received, &|steps| bar.inc(steps));
        bar.finish_and_clear();
        checked
    }
}

/// Reads and checks concatenated ciphertexts. The first invalid one is an error.
pub(super) fn read_ciphertexts(path: &Path, output: &Output) -> Result<Vec<Ciphertext>, Failure> {
    let records = Records::read(path)?;
    let checked = records.check(output);
    let index = checked.len();
    let ciphertexts = named(path, checked)?;
    records.rest.map_err(|error| refused(path, index, error))?;
    Ok(ciphertexts)
}

/// As [`read_ciphertexts`], with a result for each: an invalid ciphertext does not hide the following ones. If the
/// start of the next one cannot be determined, reading stops there.
pub(super) fn read_any_ciphertexts(
    path: &Path,
    output: &Output,
) -> Result<Vec<Result<Ciphertext, CiphertextError>>, Failure> {
    let records = Records::read(path)?;
    if let Err(error) = records.rest {
        return Err(refused(path, records.received.len(), error));
    }
    Ok(records.check(output))
}

/// All values, or the first error with the name of the file and the index.
fn named<T, E: std::fmt::Display>(
    path: &Path,
    checked: Vec<Result<T, E>>,
) -> Result<Vec<T>, Failure> {
    (0..)
        .zip(checked)
        .map(|(index, checked)| checked.map_err(|error| refused(path, index, error)))
        .collect()
}

pub(super) fn write_ciphertexts<'a>(
    path: &Path,
    form: Form,
    ciphertexts: impl IntoIterator<Item = &'a Ciphertext>,
    output: &Output,
) -> Result<(), Failure> {
    let records: Vec<_> = ciphertexts
        .into_iter()
        .flat_map(|ciphertext| ciphertext.to_wire(form))
        .collect();
    object::write(path, &SEARCHABLE_CIPHERTEXTS, &records, output)
}

/// The number of ciphertexts in a content, without decoding them.
pub(super) fn count(content: &[u8]) -> Result<usize, Failure> {
    let records = Records::split(content);
    records.rest.map_err(Failure::input)?;
    Ok(records.received.len())
}

/// Reads and checks the components of an encrypted vector.
pub(super) fn read_vector(path: &Path, output: &Output) -> Result<Vec<Factor>, Failure> {
    let bytes = object::read_one(path, &SEARCHABLE_VECTOR, |content| Ok(content.to_vec()))?;
    let bar = output.progress(bytes.len().div_ceil(FACTOR_LEN) as u64, "checking");
    let checked = Factor::read_all(&bytes, &|steps| bar.inc(steps));
    bar.finish_and_clear();
    named(path, checked)
}

/// Reads numbers as text, separated by white space or commas.
pub(super) fn read_numbers<N>(path: &Path) -> Result<Vec<N>, Failure>
where
    N: std::str::FromStr<Err: std::fmt::Display>,
{
    files::read_text(path)?
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty())
        .map(|word| {
            word.parse()
                .map_err(|error| Failure::input(format!("{}: {word}: {error}", path.display())))
        })
        .collect()
}

impl ReaderArgs {
    /// The table for numbers of this magnitude, with the requested memory.
    pub(super) fn table(&self, bound: Bound, output: &Output) -> Result<DiscreteLog, Failure> {
        let memory = self.memory.saturating_mul(1 << 20);
        let entries = DiscreteLog::baby_steps(bound, memory).map_err(Failure::input)? + 1;
        let bar = output.progress(entries, "table of logarithms");
        let table = DiscreteLog::new(bound, memory, &|steps| bar.inc(steps));
        bar.finish_and_clear();
        table.map_err(Failure::input)
    }
}
