//! `duet-key export-votes` and `import-votes`: records of signed votes move to another machine. (ROUND-4)

use crate::{
    args::{self, ChainGenesisArgs, KeyDirectoryArgs},
    error::DuetKeyError,
    report::{self, Report},
};
use duet_keystore::{ImportedVotes, VoteExport};
use duet_primitives::{BlockNumber, DualKeyBytes};
use sc_cli::{OutputTypeFlag, SubstrateCli};
use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// The `export-votes` command.
#[derive(Debug, Clone, clap::Parser)]
pub struct ExportVotesCmd {
    /// A key, 0x-hex of 144 bytes; may be given several times. If not given, all keys with a record, also those whose
    /// secrets are gone.
    #[arg(long, value_name = "HEX", value_parser = args::dual_key)]
    public: Vec<DualKeyBytes>,

    /// A new file for the export. If not given, the export is printed.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    genesis: ChainGenesisArgs,

    #[command(flatten)]
    directory: KeyDirectoryArgs,
}

impl ExportVotesCmd {
    pub(crate) fn run(&self, cli: &impl SubstrateCli) -> Result<(), DuetKeyError> {
        let genesis = self.genesis.hash(cli, &self.directory.chain)?;
        let mut export = self.directory.open_existing_records(cli)?.export(genesis)?;
        if !self.public.is_empty() {
            let keys: Vec<_> = self.public.iter().map(DualKeyBytes::pk1).collect();
            export = export.of(&keys)?;
        }
        if export.keys().next().is_none() {
            return Err(DuetKeyError::NoRecords(genesis));
        }
        let text = export.to_text()?;
        match &self.output {
            None => report::print(text),
            Some(path) => write_new(path, &text).map_err(|error| DuetKeyError::File {
                path: path.clone(),
                error,
            }),
        }
    }
}

/// Writes a new file durably: it survives a power cut.
fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// The `import-votes` command.
#[derive(Debug, Clone, clap::Parser)]
pub struct ImportVotesCmd {
    /// The file that `export-votes` wrote.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    genesis: ChainGenesisArgs,

    #[command(flatten)]
    directory: KeyDirectoryArgs,

    #[command(flatten)]
    output: OutputTypeFlag,
}

impl ImportVotesCmd {
    pub(crate) fn run(&self, cli: &impl SubstrateCli) -> Result<(), DuetKeyError> {
        let genesis = self.genesis.hash(cli, &self.directory.chain)?;
        let file = File::open(&self.file).map_err(|error| DuetKeyError::File {
            path: self.file.clone(),
            error,
        })?;
        let export = VoteExport::read(file, genesis)?;
        let imported = self.directory.open_records(cli)?.import(&export)?;
        report::print_all(imported.into_iter().map(report).collect(), &self.output)
    }
}

fn report(imported: ImportedVotes) -> Report {
    let ImportedVotes {
        key,
        lowest,
        votes,
        signed_twice,
    } = imported;
    let lowest = lowest.map_or_else(|| "none".to_owned(), |block| block.to_string());
    let report = Report::new()
        .line("Key (pk1)", "pk1", key)
        .line("Lowest block that may be signed", "lowest", lowest)
        .line("Votes remembered", "votes", votes);
    if signed_twice.is_empty() {
        return report;
    }
    let blocks: Vec<_> = signed_twice.iter().map(BlockNumber::to_string).collect();
    report.line("SIGNED TWICE at blocks", "signedTwice", blocks.join(", "))
}
