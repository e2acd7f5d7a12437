//! Programs that do one thing and end.

use crate::{Error, Result};
use std::process::Command;

/// Runs a program to its end, and returns what it printed.
///
/// # Errors
/// [`Error::Program`] with what it said when it does not succeed, [`Error::Io`] when it cannot be started.
pub(crate) fn run(command: &mut Command) -> Result<Vec<u8>> {
    let shown = shown(command);
    let output = command
        .output()
        .map_err(Error::io(format!("starting `{shown}`")))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(Error::Program {
        command: shown,
        status: output.status.to_string(),
        said: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    })
}

/// The same with the program and its arguments as one line, at whose spaces it is split.
pub(crate) fn line(line: &str) -> Result<Vec<u8>> {
    let mut words = line.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or_default());
    run(command.args(words))
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_says_when_it_fails_is_in_the_error() {
        let error = line("ls /no/such/folder").expect_err("there is none");
        assert!(error.to_string().contains("/no/such/folder"), "{error}");
        assert_eq!(line("echo all is well").unwrap(), b"all is well\n");
    }
}
