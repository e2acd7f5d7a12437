//! A group and its collector, for tests. Not for operators: everybody knows this secret.

use crate::{group::Group, hour::Hour};
use duet_armour::{
    encode,
    kinds::{SEARCHABLE_CIPHERTEXTS, SEARCHABLE_PUBLIC_KEY, SEARCHABLE_TRAPDOOR},
    read_one,
};
use duet_searchable::{Bound, DiscreteLog, MasterKey, ReceivedCiphertext};
use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};
use tempfile::TempDir;

/// Larger than any sum of these tests.
const BOUND: Bound = Bound::new(1 << 32);
/// Bytes for the table of discrete logarithms.
const MEMORY: usize = 1 << 24;

/// A group with its files in a directory of its own.
#[derive(Debug)]
pub struct TestGroup {
    directory: TempDir,
    master: MasterKey,
    group: Group,
}

impl TestGroup {
    /// The group of nodes of a chain. Its public key is the file `public`.
    pub fn new(chain: &str) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let master = MasterKey::from_seed(&[5; 32]).expect("a key");
        let public = master.public_key();
        let text = encode(
            &SEARCHABLE_PUBLIC_KEY,
            public.fingerprint().as_bytes(),
            &public.to_bytes(),
        );
        fs::write(directory.path().join("public"), text.as_bytes()).expect("it is ours");
        let group = Group::read(directory.path(), chain.to_owned()).expect("a key");
        Self {
            directory,
            master,
            group,
        }
    }

    /// The nodes' view of the group.
    pub fn group(&self) -> &Group {
        &self.group
    }

    /// The secret.
    pub fn master(&self) -> &MasterKey {
        &self.master
    }

    /// A file of the group's.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes the trapdoor of a keyword to the file `trapdoor`.
    pub fn write_trapdoor(&self, metric: &str, hour: Hour) {
        let keyword = self.group.keyword(metric, hour).expect("short names");
        let key = self.master.trapdoor(&keyword).expect("a keyword");
        let content = key.expose();
        let digest = SEARCHABLE_TRAPDOOR.digest(&*content);
        let text = encode(&SEARCHABLE_TRAPDOOR, &digest, &*content);
        fs::write(self.path("trapdoor"), text.as_bytes()).expect("it is ours");
    }

    /// The number in a file with one ciphertext.
    pub fn decrypt(&self, metric: &str, hour: Hour, file: &Path) -> i64 {
        let text = fs::read(file).expect("it was written");
        let object = read_one(&SEARCHABLE_CIPHERTEXTS, &text).expect("ciphertexts");
        let content = object.content().expect("whole").as_slice();
        let received = ReceivedCiphertext::parse(content).expect("one");
        let ciphertext = received.check().expect("a ciphertext");
        let keyword = self.group.keyword(metric, hour).expect("short names");
        let message = self.master.decrypt(&keyword, &ciphertext).expect("ours");
        let log = DiscreteLog::new(BOUND, MEMORY, &()).expect("a table");
        log.find(&message).expect("in the range")
    }

    /// Runs `duet-collector sum` with the trapdoor in the group's file, as written last.
    pub fn sum(&self, program: &Path, metric: &str, hour: Hour, output: &Path) -> Output {
        let chain = self.group.chain();
        Command::new(program)
            .args(["sum", "--telemetry", chain, metric, &hour.to_string()])
            .arg("--folder")
            .arg(self.path("kept"))
            .arg("--public")
            .arg(self.path("public"))
            .arg("--trapdoor")
            .arg(self.path("trapdoor"))
            .arg("--output")
            .arg(output)
            .output()
            .expect("it starts")
    }
}

/// A collector that runs until it is dropped, and keeps readings in the group's folder `kept`.
#[derive(Debug)]
pub struct TestCollector {
    child: Child,
    /// Where it listens.
    pub url: String,
}

impl TestCollector {
    /// Starts `duet-collector` at a port that is free.
    pub fn start(program: &Path, group: &TestGroup, flags: &[&str]) -> Self {
        let mut child = Command::new(program)
            .args(["serve", "--listen", "127.0.0.1:0", "--folder"])
            .arg(group.path("kept"))
            .args(flags)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        let output = child.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut line).expect("text");
        let address = line.trim().strip_prefix("listening on ");
        let url = format!("ws://{}", address.expect("it says where"));
        Self { child, url }
    }
}

impl Drop for TestCollector {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
