//! Runs test programs side by side: cargo runs one at a time, and many of them wait for a node or a clock.

use crate::{
    cargo,
    result::{self, Result},
};
use std::{
    cmp::Reverse,
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    sync::Mutex,
    thread,
};

/// How many more than processors run at a time. Each has several threads, and limits on how long its programs may take.
const MORE_THAN_PROCESSORS: usize = 1;

/// Runs commands side by side, and prints the output of each at its end; a failure does not stop the others.
///
/// # Errors
/// Names every command that failed.
pub(crate) fn run(commands: impl Iterator<Item = Command> + Send) -> Result {
    let queue = Mutex::new(commands);
    let next = || queue.lock().ok()?.next();
    let work = || {
        let mut failures = Vec::new();
        while let Some(mut command) = next() {
            let shown = cargo::show(&command);
            match captured(&mut command) {
                Ok((output, status)) => {
                    println!("=== {shown}\n{output}");
                    if !status.success() {
                        failures.push(format!("`{shown}` ended with {status}"));
                    }
                }
                Err(error) => failures.push(format!("cannot run `{shown}`: {error}")),
            }
        }
        failures
    };
    let at_a_time = MORE_THAN_PROCESSORS + thread::available_parallelism()?.get();
    let failures: Vec<String> = thread::scope(|scope| {
        let workers: Vec<_> = (0..at_a_time).map(|_| scope.spawn(work)).collect();
        let ends = workers.into_iter().map(|worker| {
            worker
                .join()
                .unwrap_or_else(|_| vec!["a worker panicked".to_owned()])
        });
        ends.flatten().collect()
    });
    result::all(failures)
}

/// The test programs of the workspace whose package is chosen by its folder, as `cargo test` runs them. The largest come
/// first: they link the SDK, start nodes, and take longest.
pub(crate) fn programs(is_chosen: impl Fn(&Path) -> bool) -> Result<impl Iterator<Item = Command>> {
    let mut build = cargo::workspace("test");
    build.args(["--no-run", "--message-format", "json-render-diagnostics"]);
    let output = cargo::output(&mut build)?;
    let programs = output.lines().filter_map(Program::from_message);
    let mut programs: Vec<_> = programs
        .filter(|program| {
            let folder = program.package.strip_prefix(cargo::root());
            is_chosen(folder.unwrap_or(&program.package))
        })
        .collect();
    programs
        .sort_by_key(|program| Reverse(fs::metadata(&program.path).map_or(0, |found| found.len())));
    Ok(programs.into_iter().map(Program::into_command))
}

/// A test program that cargo has built.
struct Program {
    path: PathBuf,
    /// The folder of its package, in which it runs.
    package: PathBuf,
}

impl Program {
    /// Reads a line of cargo's output, if it tells of a test program.
    fn from_message(line: &str) -> Option<Self> {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        if message["profile"]["test"] != true {
            return None;
        }
        let manifest = Path::new(message["manifest_path"].as_str()?);
        Some(Self {
            path: message["executable"].as_str()?.into(),
            package: manifest.parent()?.to_owned(),
        })
    }

    /// The command that runs it as `cargo test` does.
    fn into_command(self) -> Command {
        let mut command = cargo::without_variables_of_cargo(self.path);
        command
            .env("CARGO_MANIFEST_DIR", &self.package)
            .current_dir(self.package);
        command
    }
}

/// Runs a command, and returns both of its outputs in the order in which it wrote them.
fn captured(command: &mut Command) -> io::Result<(String, ExitStatus)> {
    let (mut reader, writer) = io::pipe()?;
    command.stdin(Stdio::null());
    command.stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn()?;
    // They hold the pipe's other end.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut output = Vec::new();
    reader.read_to_end(&mut output)?;
    let text = String::from_utf8_lossy(&output).into_owned();
    Ok((text, child.wait()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_programs_are_found_in_the_output_of_cargo() {
        let message = |test| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/a/curve/Cargo.toml",
                "profile":{{"test":{test}}},"executable":"/target/debug/deps/curve-1"}}"#
            )
        };
        let program = Program::from_message(&message(true)).unwrap();
        assert_eq!(program.path, Path::new("/target/debug/deps/curve-1"));
        assert_eq!(program.package, Path::new("/a/curve"));
        assert!(Program::from_message(&message(false)).is_none());
        assert!(Program::from_message("   Compiling curve").is_none());
    }

    #[test]
    fn both_outputs_and_the_status_of_a_command_are_kept() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo one; echo two >&2; exit 3"]);
        let (output, status) = captured(&mut command).unwrap();
        assert_eq!(output, "one\ntwo\n");
        assert_eq!(status.code(), Some(3));
    }
}
