//! Recovery keys, and how they bring light clients across a reset. Each owner has a folder of its own, and only
//! `duet-recovery` touches the keys in it. (RECOVER-7, RECOVER-8)

use crate::{transaction::submit_by, wait, Error, Executables, LightClient, Result, Rpc};
use duet_primitives::{suite::RECOVERY_TERMS_STORAGE_KEY, BlockNumber, Drill, RecoveryTerms};
use duet_recovery::text::{self, Registration};
use duet_runtime::{AccountId, Hash, Runtime};
use pallet_duet_recovery::Call;
use serde_json::Value;
use sp_core::{sr25519, Pair};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

/// The time limit for what takes some sessions.
const SOME_SESSIONS: Duration = Duration::from_secs(180);
/// The program.
const PROGRAM: &str = "duet-recovery";

/// An owner's key, offline.
#[derive(Debug)]
pub struct Owner {
    executable: PathBuf,
    folder: PathBuf,
    key: String,
}

impl Owner {
    fn new(folder: PathBuf) -> Result<Self> {
        let executable = Executables::locate()?.recovery()?;
        let mut owner = Self {
            executable,
            folder,
            key: String::new(),
        };
        let made = owner.run("generate", &[])?;
        let key = first_line(&made).strip_prefix("pk1: ");
        owner.key = key.ok_or_else(|| printed(&made))?.to_owned();
        Ok(owner)
    }

    fn run(&self, verb: &str, more: &[&str]) -> Result<String> {
        let keys = self.folder.display().to_string();
        self.output(&[&[verb, "--keys", &keys], more].concat())
    }

    fn output(&self, arguments: &[&str]) -> Result<String> {
        let ran = Command::new(&self.executable).args(arguments).output();
        let ran = ran.map_err(Error::io(format!("starting {PROGRAM}")))?;
        if !ran.status.success() {
            return Err(Error::ProgramFailed {
                program: format!("{PROGRAM} {}", arguments.join(" ")),
                said: String::from_utf8_lossy(&ran.stderr).into_owned(),
            });
        }
        Ok(String::from_utf8_lossy(&ran.stdout).into_owned())
    }
}

/// Gives each of these validators, who are all, a recovery key in a folder of this directory, and waits until the state
/// of a proven block names their set. Returns the owners, and for how many seconds a light client waits at a reset.
///
/// # Errors
/// [`Error`] with the first step that fails.
pub async fn register(
    rpc: &Rpc,
    validators: &[sr25519::Pair],
    directory: &Path,
) -> Result<(Vec<Owner>, u64)> {
    let genesis = format!("{:?}", rpc.genesis_hash().await?);
    let best = rpc.best().await?;
    let is_final = |finalized: &BlockNumber| *finalized >= best;
    wait::until("finality", SOME_SESSIONS, || rpc.finalized(), is_final).await?;
    let (number, hash) = (
        best.to_string(),
        format!("{:?}", rpc.block_hash(best).await?),
    );
    let mut owners = Vec::new();
    for (name, validator) in validators.iter().enumerate() {
        let owner = Owner::new(directory.join(format!("recovery-{name}")))?;
        let account = AccountId::from(validator.public()).to_string();
        let of = ["--key", &owner.key, "--genesis", &genesis];
        let of = [&of[..], &["--account", &account]].concat();
        let said = owner.run("prove", &of)?;
        let Registration { key, proof } = read(&said)?;
        submit_by(rpc, validator, Call::<Runtime>::register_key { key, proof }).await?;
        let block = ["--block-number", &number, "--block-hash", &hash];
        let drill: Drill = read(&owner.run("drill", &[&of[..], &block].concat())?)?;
        submit_by(rpc, validator, Call::<Runtime>::drill { drill }).await?;
        owners.push(owner);
    }
    let terms = || rpc.storage::<RecoveryTerms>(&RECOVERY_TERMS_STORAGE_KEY, None::<Hash>);
    let are_all = |terms: &Option<RecoveryTerms>| {
        let len = terms.as_ref().map(|terms| usize::try_from(terms.set.len));
        len == Some(Ok(owners.len()))
    };
    let terms = wait::until("the recovery set", SOME_SESSIONS, terms, are_all).await?;
    // Clients read the terms in the state of the last proven block.
    let named = rpc.best().await?;
    let is_proven = |proven: &BlockNumber| *proven > named;
    let proven = || rpc.proven();
    wait::until("a proof of these terms", SOME_SESSIONS, proven, is_proven).await?;
    Ok((owners, terms.map_or(0, |terms| terms.delay)))
}

/// The owners sign what a light client says of the reset, all but the first, who combines the signatures.
///
/// `said` is the output of `duet-light recovery-statement --json`, and `members` the file that it wrote. Returns the file
/// with the proof, beside it.
///
/// # Errors
/// [`Error`] when there is no statement or `duet-recovery` fails.
pub fn sign(owners: &[Owner], said: &str, members: &Path) -> Result<PathBuf> {
    let events = said
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let statement = events
        .filter(|event: &Value| event["event"] == "statement")
        .find_map(|event| Some(event["statement"].as_str()?.to_owned()));
    let statement = statement.ok_or_else(|| Error::Printed {
        program: "duet-light",
        line: said.to_owned(),
    })?;
    let write = |name: &str, content: String| {
        let path = members.with_file_name(name);
        let written = fs::write(&path, content);
        written.map_err(Error::io(format!("writing {name}")))?;
        Ok(path)
    };
    let statement = write("statement.txt", statement)?.display().to_string();
    let members = members.display().to_string();
    let [first, others @ ..] = owners else {
        return Err(printed("no owners"));
    };
    let mut combine = vec![
        "combine".to_owned(),
        "--members".to_owned(),
        members.clone(),
    ];
    for (number, owner) in others.iter().enumerate() {
        let of = ["--key", &owner.key, "--members", &members];
        let signature = owner.run("sign", &[&of[..], &["--statement", &statement]].concat())?;
        let file = write(&format!("signature-{number}.txt"), signature)?;
        combine.push(file.display().to_string());
    }
    let combine: Vec<_> = combine.iter().map(String::as_str).collect();
    write("proof.txt", first.output(&combine)?)
}

/// Waits until a light client that follows with a recovery proof has announced it, crossed this reset and then taken a
/// later block. Returns when it crossed.
///
/// # Errors
/// [`Error::ProgramEnded`] when it ends before, [`Error::Printed`] when it crosses without an announcement.
pub async fn crosses(following: &mut LightClient, reset: BlockNumber) -> Result<Instant> {
    let (mut is_announced, mut crossed) = (false, None);
    loop {
        let line = following.next_line().await?;
        let event: Value = serde_json::from_str(&line).unwrap_or_default();
        match event["event"].as_str() {
            Some("announced") => is_announced = true,
            Some("recovered") if is_announced => crossed = Some(Instant::now()),
            Some("recovered") => {
                let program = "duet-light";
                return Err(Error::Printed { program, line });
            }
            _ => {}
        }
        let is_later = event["block"].as_u64() > Some(reset.get().into());
        if let Some(crossed) = crossed.filter(|_| is_later) {
            return Ok(crossed);
        }
    }
}

fn read<T: text::Text>(said: &str) -> Result<T> {
    text::read(first_line(said)).map_err(|_| printed(said))
}

fn printed(line: &str) -> Error {
    Error::Printed {
        program: PROGRAM,
        line: line.to_owned(),
    }
}

/// The text; the arguments of the call follow it.
fn first_line(output: &str) -> &str {
    output.lines().next().unwrap_or_default()
}
