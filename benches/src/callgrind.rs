//! Counts of valgrind's callgrind: instructions, and calls of the routines that multiply field elements.
//!
//! Both are the same in every run on every machine with the same back end of blst: valgrind shows programs one
//! processor, whatever it runs on. blst chooses that back end when it is compiled: with or without ADX.

use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fmt, fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The cost of one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Instructions.
    pub instructions: u64,
    /// Products of two 384-bit integers: squares, reductions that come with them and the three of a product in
    /// the quadratic extension included; inversions, which take none, are not.
    pub multiplications: u64,
}

/// The counts of every operation, by name.
pub type Counts = BTreeMap<String, Count>;

/// How blst was compiled, as its routines' names tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackEnd {
    /// With ADX: MULX, ADCX and ADOX.
    Adx,
    /// Without.
    Portable,
}

impl BackEnd {
    /// Where its counts are kept.
    pub fn file(self) -> PathBuf {
        let name = match self {
            Self::Adx => "adx.json",
            Self::Portable => "portable.json",
        };
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("counts")
            .join(name)
    }
}

/// Why there is no count.
#[derive(Debug)]
pub enum Error {
    /// valgrind could not be started.
    NoValgrind(io::Error),
    /// valgrind ran and failed.
    Failed(String),
    /// Its output could not be read.
    Output(io::Error),
    /// Its output says something else than expected.
    Form(&'static str),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoValgrind(error) => write!(f, "valgrind cannot be started: {error}"),
            Self::Failed(said) => write!(f, "valgrind failed: {said}"),
            Self::Output(error) => write!(f, "callgrind's output cannot be read: {error}"),
            Self::Form(what) => write!(f, "callgrind's output has {what}"),
        }
    }
}

impl std::error::Error for Error {}

/// The function of the program with which counting starts; the program ends where it does.
const COUNTED: &str = "hot::counted*";

/// Runs `program operation` under callgrind and counts what happens from its function `counted` on.
///
/// # Errors
/// [`Error`], with what valgrind said.
pub fn count(program: &Path, operation: &str, folder: &Path) -> Result<(Count, BackEnd), Error> {
    let file = operation.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    let out = folder.join(format!("callgrind.{file}"));
    let run = Command::new("valgrind")
        .arg("--tool=callgrind")
        .arg(format!("--zero-before={COUNTED}"))
        .args(["--compress-strings=no", "--compress-pos=no"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(program)
        .arg(operation)
        .stdin(Stdio::null())
        .output()
        .map_err(Error::NoValgrind)?;
    if !run.status.success() {
        return Err(Error::Failed(
            String::from_utf8_lossy(&run.stderr).into_owned(),
        ));
    }
    let text = fs::read_to_string(&out).map_err(Error::Output)?;
    read(&text)
}

/// Reads callgrind's format: `totals:` holds the instructions, `calls=` after `cfn=` how often a routine is called.
fn read(text: &str) -> Result<(Count, BackEnd), Error> {
    let (mut instructions, mut multiplications) = (None, 0);
    let mut back_end = BackEnd::Portable;
    let mut called = "";
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("cfn=") {
            called = name;
        } else if let Some(calls) = line.strip_prefix("calls=") {
            let calls = calls.split(' ').next().and_then(|calls| calls.parse().ok());
            let calls: u64 = calls.ok_or(Error::Form("a call without a number"))?;
            if let Some(found) = multiplies(called) {
                multiplications += calls;
                back_end = found;
            }
        } else if let Some(totals) = line.strip_prefix("totals:") {
            instructions = totals.trim().parse().ok();
        }
    }
    let instructions = instructions.ok_or(Error::Form("no total"))?;
    if instructions == 0 {
        return Err(Error::Form("a total of zero instructions"));
    }
    let count = Count {
        instructions,
        multiplications,
    };
    Ok((count, back_end))
}

/// Whether this is one of the innermost routines of blst that multiply two 384-bit integers, of which back end.
fn multiplies(routine: &str) -> Option<BackEnd> {
    let (back_end, rest) = [("x_", BackEnd::Adx), ("q_", BackEnd::Portable)]
        .into_iter()
        .find_map(|(infix, back_end)| {
            let rest = routine
                .strip_prefix("__mul")
                .or(routine.strip_prefix("__sqr"));
            Some((back_end, rest?.strip_prefix(infix)?))
        })?;
    let known = ["384", "mont_384", "mont_383_nonred"];
    known.contains(&rest).then_some(back_end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_told_from_what_is_around_them() {
        assert_eq!(multiplies("__mulx_mont_384"), Some(BackEnd::Adx));
        assert_eq!(multiplies("__sqrq_384"), Some(BackEnd::Portable));
        assert_eq!(multiplies("__mulx_by_1_mont_384"), None);
        assert_eq!(multiplies("mulx_mont_384"), None);
        assert_eq!(multiplies("__mulx_mont_sparse_256"), None);
    }

    #[test]
    fn calls_are_added_up_over_callers() {
        let text = "fn=a\ncfn=__mulx_384\ncalls=3 0\n1 9\nfn=b\ncfn=__mulx_384\ncalls=4 0\n\
                    1 9\ncfn=other\ncalls=5 0\n1 9\ntotals: 77\n";
        let (count, back_end) = read(text).expect("well formed");
        assert_eq!((count.instructions, count.multiplications), (77, 7));
        assert_eq!(back_end, BackEnd::Adx);
        assert!(read("totals: 0\n").is_err());
    }
}
