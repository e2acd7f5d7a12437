//! The inputs of a step: files of the commit, and the versions of its tools.

use super::steps::{Step, ALWAYS};
use crate::{
    cargo::{output, root},
    result::Result,
};
use std::{
    io::Write,
    process::{Command, Stdio},
};

/// The files of a commit, each with the hash of its content.
pub(super) struct Tree {
    /// The commit, abbreviated by git.
    pub(super) commit: String,
    files: Vec<File>,
}

struct File {
    path: String,
    /// Mode, kind and hash, as git lists them.
    entry: String,
}

impl Tree {
    /// The checked-out commit.
    ///
    /// # Errors
    /// When git does not answer, or tracked files differ from the commit: otherwise a step would be recorded as
    /// passed for files that it never saw.
    pub(super) fn of_head() -> Result<Self> {
        let changed = output(git().args(["status", "--porcelain", "--untracked-files=no"]))?;
        if !changed.is_empty() {
            return Err(format!(
                "these files differ from the commit; `.ci/run` includes the changes:\n{changed}"
            )
            .into());
        }
        let commit = output(git().args(["describe", "--always", "--tags"]))?;
        let list = output(git().args(["ls-tree", "-r", "HEAD"]))?;
        let files = list.lines().filter_map(|line| {
            let (entry, path) = line.split_once('\t')?;
            Some(File {
                path: path.to_owned(),
                entry: entry.to_owned(),
            })
        });
        Ok(Self {
            commit,
            files: files.collect(),
        })
    }

    /// One hash over a step's inputs, its command, and the versions of its tools.
    pub(super) fn state_of(&self, step: &Step) -> Result<String> {
        let mut text = step.shown();
        for tool in ALWAYS.tools.iter().chain(step.tools) {
            text.push('\n');
            // The step installs a missing tool, and has then run.
            text.push_str(&version(tool).unwrap_or_else(|| format!("no {}", tool[0])));
        }
        for file in self.files.iter().filter(|file| step.names(&file.path)) {
            text.push_str(&format!("\n{} {}", file.entry, file.path));
        }
        hash(&text)
    }
}

fn git() -> Command {
    let mut git = Command::new("git");
    git.current_dir(root());
    git
}

fn version(tool: &[&str]) -> Option<String> {
    let (program, arguments) = tool.split_first()?;
    let answer = Command::new(program).args(arguments).output().ok()?;
    Some(String::from_utf8_lossy(&answer.stdout).into_owned())
}

/// git's hash of this text.
fn hash(text: &str) -> Result<String> {
    let mut hash = git();
    hash.args(["hash-object", "--stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut hash = hash.spawn()?;
    if let Some(mut input) = hash.stdin.take() {
        input.write_all(text.as_bytes())?;
    }
    let answer = hash.wait_with_output()?;
    Ok(String::from_utf8(answer.stdout)?.trim().to_owned())
}
