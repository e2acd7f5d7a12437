//! The executable, and files for it.

use duet_primitives::{
    testing::TestSet, BlockNumber, KeysetCommitment, Pk1Bytes, RecoveryStatement, RecoveryTerms,
    SetId, H256,
};
use duet_recovery::text::{write, MembersFile, StatementFile, Text};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};
use tempfile::TempDir;

pub(crate) const GENESIS: H256 = H256::repeat_byte(7);
pub(crate) const ALICE: &str = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY";
/// Alice's account.
pub(crate) const ACCOUNT: &str = "d43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d";

/// A command that works, and what it printed.
pub(crate) fn good(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout).unwrap()
}

/// A command that is refused with status 1 and prints no result, and its message.
pub(crate) fn refused(command: &mut Command) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    assert_eq!(status.code(), Some(1));
    assert!(stdout.is_empty());
    String::from_utf8(stderr).unwrap()
}

/// The first line.
pub(crate) fn line(printed: &str) -> &str {
    printed.lines().next().unwrap()
}

/// What stands after a label.
pub(crate) fn labelled<'a>(printed: &'a str, label: &str) -> &'a str {
    let found = printed.lines().find_map(|line| line.strip_prefix(label));
    found.unwrap().trim()
}

/// Four machines, each with one key in a directory of its own, in set order.
pub(crate) struct Site {
    dir: TempDir,
    pub(crate) keys: Vec<(Pk1Bytes, PathBuf)>,
}

impl Site {
    pub(crate) fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let generate = |number: u32| {
            let place = dir.path().join(format!("keys-{number}"));
            let printed = good(tool("generate").arg("--keys").arg(&place));
            let key = hex::decode(&labelled(&printed, "pk1:")[2..]).unwrap();
            (Pk1Bytes(key.try_into().unwrap()), place)
        };
        let mut keys: Vec<_> = (0..4).map(generate).collect();
        keys.sort();
        let site = Self { dir, keys };
        site.file("members", &site.members());
        site.file("statement", &site.statement());
        site
    }

    pub(crate) fn members(&self) -> MembersFile {
        let keys: Vec<_> = self.keys.iter().map(|(key, _)| *key).collect();
        let set = KeysetCommitment::of_stored_unchecked(SetId::new(3), &keys).unwrap();
        MembersFile {
            genesis_hash: GENESIS,
            terms: RecoveryTerms { set, delay: 60 },
            keys,
        }
    }

    pub(crate) fn statement(&self) -> StatementFile {
        let statement = RecoveryStatement {
            recovery_set: SetId::new(3),
            block_number: BlockNumber::new(50),
            block_hash: H256::repeat_byte(1),
            ended: SetId::new(9),
            reset_number: BlockNumber::new(90),
            reset_hash: H256::repeat_byte(2),
            set: TestSet::new(11, 0..4).set.commitment().clone(),
        };
        StatementFile {
            genesis_hash: GENESIS,
            statement,
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, object: &impl Text) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, write(object)).unwrap();
        path
    }

    /// A changed statement in a file.
    pub(crate) fn changed(&self, name: &str, change: impl FnOnce(&mut StatementFile)) -> PathBuf {
        let mut file = self.statement();
        change(&mut file);
        self.file(name, &file)
    }

    /// The command with which a member signs.
    pub(crate) fn sign(&self, member: usize, statement: &Path) -> Command {
        let (key, place) = &self.keys[member];
        let mut command = tool("sign");
        command.arg("--keys").arg(place);
        command.arg("--key").arg(key.to_string());
        command.arg("--members").arg(self.path("members"));
        command.arg("--statement").arg(statement);
        command
    }

    /// The files with the signatures of some members.
    pub(crate) fn signed(&self, members: impl IntoIterator<Item = usize>) -> Vec<PathBuf> {
        let sign = |member: usize| {
            let printed = good(&mut self.sign(member, &self.path("statement")));
            let path = self.path(&format!("signature-{member}"));
            fs::write(&path, printed).unwrap();
            path
        };
        members.into_iter().map(sign).collect()
    }

    pub(crate) fn combine(&self, signatures: &[PathBuf]) -> Command {
        let mut command = tool("combine");
        command.arg("--members").arg(self.path("members"));
        command.args(signatures);
        command
    }

    pub(crate) fn verify(&self, proof: &Path) -> Command {
        let mut command = tool("verify");
        command.arg("--members").arg(self.path("members"));
        command.arg("--proof").arg(proof);
        command
    }

    /// The record of a member's statements.
    pub(crate) fn record(&self, member: usize) -> PathBuf {
        let (key, place) = &self.keys[member];
        let head = &key.to_string()[2..42];
        place.join(format!("statements-{head}-07070707"))
    }

    pub(crate) fn owned(&self, command: &str) -> Command {
        let (key, place) = &self.keys[0];
        let mut command = tool(command);
        command.arg("--keys").arg(place);
        command.arg("--key").arg(key.to_string());
        command.arg("--genesis").arg(format!("{GENESIS:?}"));
        command.arg("--account").arg(ALICE);
        command
    }
}

pub(crate) fn tool(command: &str) -> Command {
    let mut tool = Command::new(env!("CARGO_BIN_EXE_duet-recovery"));
    tool.arg(command).stdin(Stdio::null());
    tool
}

pub(crate) fn account() -> [u8; 32] {
    hex::decode(ACCOUNT).unwrap().try_into().unwrap()
}
