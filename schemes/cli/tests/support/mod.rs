//! Runs of the program in a temporary folder, and armoured objects in files, to be taken apart and changed.
#![allow(dead_code, reason = "each test program uses its part")]

use duet_armour::{encode, Kind, Object, Reader};
use serde_json::Value;
use std::{
    fs,
    io::Write,
    path::PathBuf,
    process::{Command, Output, Stdio},
};
use tempfile::TempDir;

/// A temporary folder in which commands run.
pub(crate) struct Cli {
    folder: TempDir,
    scheme: &'static str,
}

impl Cli {
    /// Runs commands of this scheme; of any, if the name is empty.
    pub(crate) fn new(scheme: &'static str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { folder, scheme }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("it is there")
    }

    pub(crate) fn read(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).expect("text")
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect("it is written");
    }

    pub(crate) fn remove(&self, name: &str) {
        fs::remove_file(self.path(name)).expect("it is there");
    }

    /// The program, with no input.
    pub(crate) fn program(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_duet-schemes"));
        command
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// A command of the scheme, with words separated by spaces.
    pub(crate) fn command(&self, words: &str) -> Command {
        let words = std::iter::once(self.scheme).chain(words.split(' '));
        let mut command = self.program();
        command.args(words.filter(|word| !word.is_empty()));
        command
    }

    pub(crate) fn run(&self, words: &str) -> Output {
        self.command(words).output().expect("it runs")
    }

    pub(crate) fn run_with(&self, words: &str, input: impl AsRef<[u8]>) -> Output {
        let child = self.command(words).stdin(Stdio::piped()).spawn();
        let mut child = child.expect("it starts");
        // A program that fails early does not read its input.
        let _ = child
            .stdin
            .take()
            .expect("a pipe")
            .write_all(input.as_ref());
        child.wait_with_output().expect("it ends")
    }

    /// What a command that must succeed prints.
    pub(crate) fn succeeds(&self, words: &str) -> String {
        printed(words, self.run(words))
    }

    pub(crate) fn succeeds_with(&self, words: &str, input: impl AsRef<[u8]>) -> String {
        printed(words, self.run_with(words, input))
    }

    /// The one JSON object that a command prints, which must succeed.
    pub(crate) fn json(&self, words: &str) -> Value {
        let text = self.succeeds(&format!("{words} --json"));
        assert_eq!(text.lines().count(), 1, "{text}");
        serde_json::from_str(&text).expect("JSON")
    }

    /// The exit status and the one line of error of a command that must fail, and that prints nothing else.
    pub(crate) fn failure(&self, words: &str) -> (i32, String) {
        failed(words, self.run(words))
    }

    /// Expects this exit status, and an error that contains this text.
    pub(crate) fn fails(&self, words: &str, status: i32, with: &str) {
        is_failure(words, self.run(words), status, with);
    }

    pub(crate) fn fails_with(&self, words: &str, input: &str, status: i32, with: &str) {
        is_failure(words, self.run_with(words, input), status, with);
    }

    /// What `show` says of the objects in a file.
    pub(crate) fn shown(&self, name: &str) -> Vec<Value> {
        let output = self.program().args(["--json", "show", name]).output();
        let lines = printed(name, output.expect("it runs"));
        let parse = |line| serde_json::from_str(line).expect("JSON");
        lines.lines().map(parse).collect()
    }

    /// What `show` says of the one object in a file.
    pub(crate) fn show(&self, name: &str) -> Value {
        let [shown] = <[_; 1]>::try_from(self.shown(name)).expect("one object");
        shown
    }

    /// The text of `show`.
    pub(crate) fn show_text(&self, name: &str) -> String {
        let output = self.program().args(["show", name]).output();
        printed(name, output.expect("it runs"))
    }

    /// The objects in a file.
    pub(crate) fn objects(&self, name: &str) -> Vec<Object> {
        let text = self.bytes(name);
        let objects = Reader::new(&text).map(|object| object.expect("an object"));
        objects.collect()
    }

    /// The contents of the objects in a file that are not keys, one after another.
    pub(crate) fn content(&self, name: &str) -> Vec<u8> {
        let objects = self.objects(name);
        let contents = objects
            .iter()
            .map(|it| it.content().expect("whole").to_vec());
        contents.collect::<Vec<_>>().concat()
    }

    /// Writes an object that is not a key.
    pub(crate) fn write(&self, name: &str, kind: &Kind, content: &[u8]) {
        self.file(name, &**encode(kind, &kind.digest(content), content));
    }
}

fn printed(words: &str, output: Output) -> String {
    assert!(output.status.success(), "{words}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

fn failed(words: &str, output: Output) -> (i32, String) {
    assert!(output.stdout.is_empty(), "{words}: {output:?}");
    let error = String::from_utf8(output.stderr).expect("text");
    assert_eq!(error.lines().count(), 1, "{words}: {error}");
    (output.status.code().expect("a status"), error)
}

fn is_failure(words: &str, output: Output, status: i32, with: &str) {
    let (code, error) = failed(words, output);
    assert_eq!(code, status, "{words}: {error}");
    assert!(error.starts_with("error: "), "{words}: {error}");
    assert!(error.contains(with), "{words}: {error}");
}
