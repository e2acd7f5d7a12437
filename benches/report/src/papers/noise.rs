//! The choice of benches that have to run again.

use super::{
    data::{filled, last_rows, Data, Line, Run},
    paper::{papers, Named},
};
use crate::{
    results::{Machine, Measurement, Row},
    Result,
};
use std::{collections::BTreeSet, path::PathBuf};

/// The measurements so far.
#[derive(clap::Args)]
pub struct NoisyOptions {
    /// Criterion's results.
    #[command(flatten)]
    measurement: Measurement,
    /// Folders of passes in which noisy rows were measured again, in this order.
    #[arg(long, value_name = "DIR", num_args = 1..)]
    again: Vec<PathBuf>,
}

/// A row is noisy when half of its samples spread over more than this part of the median.
const LIMIT: f64 = 0.05;
/// The mark in the name of a row whose samples are of different work.
const OTHER_WORK: &str = ",keys=";

/// Prints a filter for the benches that have to run again: noisy ones, and those that they are compared with. Prints
/// nothing when there are none.
///
/// # Errors
/// When a file cannot be read, or when nothing was measured.
pub fn print_noisy(options: &NoisyOptions) -> Result {
    let rows = last_rows(options.measurement.rows()?, &options.again)?;
    let rows: Vec<_> = rows.into_iter().map(|(_, row)| row).collect();
    let names = to_repeat(&rows, &papers()?)?;
    let escaped: Vec<_> = names.iter().map(|name| escape(name)).collect();
    if !escaped.is_empty() {
        println!("^({})$", escaped.join("|"));
    }
    Ok(())
}

fn is_noisy(row: &Row) -> bool {
    let spread = row.upper_quartile - row.lower_quartile;
    spread > LIMIT * row.median && !row.name.contains(OTHER_WORK)
}

fn to_repeat(rows: &[Row], papers: &[Named]) -> Result<BTreeSet<String>> {
    let run = Run {
        again: 0,
        passes: 1,
        scale: String::new(),
        cycles_per_second: None,
        machine: Machine::this()?,
    };
    let line = |row: &Row| Line {
        row: row.clone(),
        run: run.clone(),
    };
    let data = Data::new(rows.iter().map(line));
    let noisy = rows.iter().filter(|row| is_noisy(row));
    let noisy: BTreeSet<_> = noisy.map(|row| row.name.clone()).collect();
    let mut repeated = noisy.clone();
    let compared = papers.iter().flat_map(|(_, paper)| &paper.rows);
    for row in compared {
        let numbers = row.names().flat_map(|name| data.numbers(name));
        // A row without a number in its names is one group; otherwise there is one for each number.
        for number in numbers.chain([0]).collect::<BTreeSet<_>>() {
            let group = row.names().map(|name| filled(name, number));
            let group: Vec<_> = group.filter(|name| data.line(name).is_some()).collect();
            if group.iter().any(|name| noisy.contains(name)) {
                repeated.extend(group);
            }
        }
    }
    Ok(repeated)
}

/// For a regular expression.
fn escape(name: &str) -> String {
    let mut out = String::new();
    for character in name.chars() {
        if !character.is_alphanumeric() && !"_/=,:".contains(character) {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::pooled;

    #[test]
    fn a_noisy_row_is_repeated_with_what_it_is_compared_with() {
        let (quiet, loud) = (vec![100.0, 101.0, 102.0], vec![100.0, 130.0, 160.0]);
        let names = [
            ("mklhs::sign/scheme=duet", &quiet),
            ("mklhs::sign/scheme=blst", &loud),
            ("mklhs::keygen/scheme=blst", &quiet),
            ("sequential::verify/bits=2048,n=5,scheme=duet", &loud),
            ("sequential::verify/bits=2048,n=5,scheme=rsa", &quiet),
            ("sequential::verify/bits=2048,n=6,scheme=duet", &quiet),
            ("polynomial::keygen/n=64,keys=30,threads=1", &loud),
        ];
        let samples = names.map(|(name, samples)| (name.to_owned(), samples.clone()));
        let rows = pooled(&[samples.into()]).expect("rows");
        let repeated = to_repeat(&rows, &papers().expect("papers")).expect("a machine");
        let expected = [names[0].0, names[1].0, names[3].0, names[4].0];
        assert_eq!(repeated, expected.map(str::to_owned).into());
    }

    #[test]
    fn a_name_matches_itself_alone() {
        assert_eq!(escape("a::b/n=4+5,x_y"), r"a::b/n=4\+5,x_y");
    }
}
