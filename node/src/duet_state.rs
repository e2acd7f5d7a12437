//! `duet-state`: inspects and repairs Duet's data in the node's database when the node cannot read it.

use crate::service::Chain;
use duet_finality::{RepairError, Stored, StoredEntry};
use duet_primitives::BlockNumber;
use sc_cli::{
    CliConfiguration, DatabaseParams, OutputType, OutputTypeFlag, PruningParams, SharedParams,
};
use serde_json::json;
use sp_blockchain::HeaderBackend;
use std::{
    fs::OpenOptions,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// Inspect and repair Duet's data in the database. The node must be stopped.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum DuetStateSubcommand {
    /// Print the stored entries, and which of them cannot be read. Changes nothing.
    Show(DuetStateCmd),

    /// Remove unreadable entries, so that the node computes or fetches them again. Without --yes, only lists losses.
    Repair(RepairCmd),
}

/// The location of the database.
#[derive(Debug, clap::Parser)]
pub(crate) struct DuetStateCmd {
    #[clap(flatten)]
    shared_params: SharedParams,

    #[clap(flatten)]
    pruning_params: PruningParams,

    #[clap(flatten)]
    database_params: DatabaseParams,

    #[clap(flatten)]
    output: OutputTypeFlag,
}

/// The `repair` command.
#[derive(Debug, clap::Parser)]
pub(crate) struct RepairCmd {
    /// Remove the entries. A backup file is written first.
    #[arg(long)]
    yes: bool,

    #[clap(flatten)]
    at: DuetStateCmd,
}

impl DuetStateSubcommand {
    /// The location of the database.
    pub(crate) fn at(&self) -> &DuetStateCmd {
        match self {
            Self::Show(at) => at,
            Self::Repair(repair) => &repair.at,
        }
    }

    /// Runs the repair. A backup of the removed entries is written to `directory`.
    pub(crate) fn run(&self, chain: &Chain, directory: &Path) -> sc_cli::Result<()> {
        let stored = Stored::of(chain.backend.clone());
        let finalized = BlockNumber::new(chain.client.info().finalized_number);
        let done = match self {
            Self::Show(at) => show(&stored, &at.output),
            Self::Repair(RepairCmd { yes: false, .. }) => would_remove(&stored),
            Self::Repair(_) => repair(&stored, finalized, directory),
        };
        done.map_err(|error| sc_cli::Error::Application(Box::new(error)))
    }
}

impl CliConfiguration for DuetStateCmd {
    fn shared_params(&self) -> &SharedParams {
        &self.shared_params
    }

    fn pruning_params(&self) -> Option<&PruningParams> {
        Some(&self.pruning_params)
    }

    fn database_params(&self) -> Option<&DatabaseParams> {
        Some(&self.database_params)
    }
}

fn show(stored: &Stored, output: &OutputTypeFlag) -> Result<(), RepairError> {
    let (entries, voter) = (stored.entries()?, stored.voter()?);
    let unreadable: Vec<_> = entries.iter().filter(|one| one.broken.is_some()).collect();
    let voter = voter.and_then(Result::ok).map(|state| {
        json!({
            "signingSet": state.signing().set.id.get(),
            "setsThatWait": state.eras().count().saturating_sub(1),
            "bestProven": state.best().map(|best| best.commitment.block_number.get()),
            "readUpTo": state.scanned().get(),
            "ownVotesOpen": state.votes().len(),
        })
    });
    if matches!(output.output_type, OutputType::Json) {
        let unreadable: Vec<_> = unreadable
            .iter()
            .map(|one| json!({ "entry": one.name, "error": error(one), "loss": one.loss }))
            .collect();
        duet_process::tell(format_args!(
            "{:#}",
            json!({ "voter": voter, "entries": entries.len(), "unreadable": unreadable })
        ));
        return Ok(());
    }
    match voter {
        Some(voter) => duet_process::tell(format_args!("voter: {voter}")),
        None => duet_process::tell("voter: no readable state"),
    }
    duet_process::tell(format_args!("entries: {}", entries.len()));
    duet_process::tell(format_args!("unreadable: {}", unreadable.len()));
    unreadable.into_iter().for_each(print);
    Ok(())
}

fn error(one: &StoredEntry) -> &str {
    one.broken.as_ref().map_or("", |(error, _)| error)
}

fn print(one: &StoredEntry) {
    duet_process::tell(format_args!("  {}: {}", one.name, error(one)));
    duet_process::tell(format_args!("    lost with it: {}", one.loss));
}

fn would_remove(stored: &Stored) -> Result<(), RepairError> {
    let mut entries = stored.entries()?;
    entries.retain(|one| one.broken.is_some());
    if entries.is_empty() {
        duet_process::tell("all entries are readable: there is nothing to repair");
        return Ok(());
    }
    duet_process::tell("with --yes, the following would be removed:");
    entries.iter().for_each(print);
    Ok(())
}

fn repair(stored: &Stored, finalized: BlockNumber, directory: &Path) -> Result<(), RepairError> {
    let mut kept = None;
    let removed = stored.repair(finalized, |entries| {
        kept = Some(keep(entries, directory)?);
        Ok(())
    })?;
    let Some(file) = kept else {
        duet_process::tell("all entries are readable: there is nothing to repair");
        return Ok(());
    };
    duet_process::tell(format_args!("removed, and saved in {}:", file.display()));
    removed.iter().for_each(print);
    Ok(())
}

/// Writes entries to a new file, one per line: the key and the value in hex.
fn keep(entries: &[StoredEntry], directory: &Path) -> io::Result<PathBuf> {
    let (mut number, mut options) = (0_u32, OpenOptions::new());
    options.write(true).create_new(true);
    let (path, mut file) = loop {
        let path = directory.join(format!("duet-state-removed-{number}"));
        match options.open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                number = number.saturating_add(1);
            }
            opened => break (path, opened?),
        }
    };
    for one in entries {
        if let Some((_, bytes)) = &one.broken {
            writeln!(file, "{} {}", encoded(&one.key), encoded(bytes))?;
        }
    }
    file.sync_all()?;
    Ok(path)
}

fn encoded(bytes: &[u8]) -> String {
    format!("0x{}", hex::encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_removed_is_kept_and_never_replaces_what_was_kept_before() {
        let directory = tempfile::tempdir().expect("a directory");
        let entry = |value| StoredEntry {
            name: "state".into(),
            key: b"duet".to_vec(),
            broken: Some(("a reason".into(), vec![value])),
            loss: "",
        };
        let paths = [1, 2].map(|value| keep(&[entry(value)], directory.path()).expect("room"));
        assert_ne!(paths[0], paths[1]);
        let lines = paths.map(|path| std::fs::read_to_string(path).expect("it is there"));
        assert_eq!(lines, ["0x64756574 0x01\n", "0x64756574 0x02\n"]);
    }
}
