//! `duet-key`: the commands for Duet keys, for the command line of any chain's node.
//!
//! The SDK's `key` does not support BLS keys, and its keystore cannot name their files. So Duet has a command and
//! a key file of its own, with the options that operators know from `key`.
//!
//! ```
//! use duet_keys::DuetKeySubcommand;
//! use sc_cli::SubstrateCli;
//!
//! #[derive(Debug, clap::Subcommand)]
//! enum Subcommand {
//!     /// Key management for Duet keys, with which validators prove finality.
//!     #[command(subcommand)]
//!     DuetKey(DuetKeySubcommand),
//! }
//!
//! fn run(cli: &impl SubstrateCli, command: &Subcommand) -> sc_cli::Result<()> {
//!     match command {
//!         Subcommand::DuetKey(command) => Ok(command.run(cli)?),
//!     }
//! }
//! ```
//!
//! The commands take chain specifications from the node's own [`SubstrateCli`], and use its folders. `rotate` and
//! `remove` ask a running node, and serve chains whose accounts are [`AccountId32`] and whose pallet is called `Duet`
//! (LIGHT-2). `rotate` reads the format of transactions and the names of errors from that chain's metadata, and signs
//! with the SDK's `MultiSignature`; for other signatures, `rotate --print-call` prints the call.

#![forbid(unsafe_code)]
// The SDK's errors are that large, and its traits take them unboxed.
#![allow(clippy::result_large_err)]
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

mod account;
mod args;
mod error;
mod genesis;
mod needed;
mod remove;
mod report;
mod rotate;
mod rpc;
mod transaction;
mod votes;

use args::{ChainArgs, GenesisArgs, KeyDirectoryArgs};
use duet_keystore::{file_name, generate_phrase, secret_of_suri, KeyRing};
use duet_primitives::{ownership_statement, DualKeyBytes, PossessionProof};
use report::Report;
use sc_cli::{utils::read_uri, OutputTypeFlag, SubstrateCli};
use sp_core::crypto::AccountId32;
use zeroize::Zeroizing;

pub use remove::RemoveCmd;
pub use rotate::RotateCmd;
pub use votes::{ExportVotesCmd, ImportVotesCmd};

pub use error::{DuetKeyError, FormatError, GenesisError, NodeError, StillNeeded};

/// Key management for Duet keys.
#[derive(Debug, clap::Subcommand)]
pub enum DuetKeySubcommand {
    /// Generate a random Duet key and print its secret phrase. Writes nothing.
    Generate(GenerateCmd),

    /// Insert a key into the key file of a node, encrypted if a password is given.
    Insert(InsertCmd),

    /// Print the public key of a secret URI, or check a public key.
    Inspect(InspectCmd),

    /// List the keys in the key files of a node.
    List(ListCmd),

    /// Prove possession of a key for an account on a chain, for the call `duet.register_keys`.
    Prove(ProveCmd),

    /// Check a proof of possession. Fails if the proof is invalid.
    Verify(VerifyCmd),

    /// Give a validator a new key without a gap: its node makes the key, and its account registers it. The old key stays.
    Rotate(RotateCmd),

    /// Remove a key file once a node reports that the chain no longer needs the key. The key's node must be stopped.
    Remove(RemoveCmd),

    /// Export the records of signed votes, for another machine. The node with the keys must be stopped.
    ExportVotes(ExportVotesCmd),

    /// Import records of votes signed on another machine, before the keys move. The node must be stopped.
    ImportVotes(ImportVotesCmd),
}

/// The `generate` command.
#[derive(Debug, Clone, clap::Parser)]
pub struct GenerateCmd {
    #[command(flatten)]
    output: OutputTypeFlag,
}

/// The `insert` command.
#[derive(Debug, Clone, clap::Parser)]
pub struct InsertCmd {
    /// The secret URI. If the value is a file, the file content is used as URI. If not given, you will be
    /// prompted for the URI.
    #[arg(long)]
    suri: Option<String>,

    #[command(flatten)]
    directory: KeyDirectoryArgs,

    #[command(flatten)]
    output: OutputTypeFlag,
}

/// The `inspect` command.
#[derive(Debug, Clone, clap::Parser)]
pub struct InspectCmd {
    /// A secret URI: a phrase or a 0x-seed, with derivations and password. If the value is a file, the file
    /// content is used as URI. If omitted, you will be prompted for the URI.
    #[arg(conflicts_with = "public")]
    uri: Option<String>,

    /// A public key to check instead: 0x-hex of 144 bytes.
    #[arg(long, value_name = "HEX", value_parser = args::dual_key)]
    public: Option<DualKeyBytes>,

    #[command(flatten)]
    output: OutputTypeFlag,
}

/// The `list` command.
#[derive(Debug, Clone, clap::Parser)]
pub struct ListCmd {
    #[command(flatten)]
    directory: KeyDirectoryArgs,

    #[command(flatten)]
    output: OutputTypeFlag,
}

/// The `prove` command.
#[derive(Debug, Clone, clap::Parser)]
pub struct ProveCmd {
    /// The account that the key is for, SS58 or 0x-hex: the validator's stash.
    #[arg(long, value_parser = args::account)]
    account: AccountId32,

    /// The key to prove, 0x-hex of 144 bytes. May be omitted when there is only one.
    #[arg(long, value_name = "HEX", value_parser = args::dual_key)]
    public: Option<DualKeyBytes>,

    /// Prove this secret URI instead of a key file. If the value is a file, the file content is used as URI.
    #[arg(long, conflicts_with_all = ["keystore_path", "password", "password_interactive", "password_filename"])]
    suri: Option<String>,

    #[command(flatten)]
    genesis: GenesisArgs,

    #[command(flatten)]
    directory: KeyDirectoryArgs,

    #[command(flatten)]
    output: OutputTypeFlag,
}

/// The `verify` command.
#[derive(Debug, Clone, clap::Parser)]
pub struct VerifyCmd {
    /// The account that the proof is for, SS58 or 0x-hex.
    #[arg(long, value_parser = args::account)]
    account: AccountId32,

    /// The key, 0x-hex of 144 bytes.
    #[arg(long, value_name = "HEX", value_parser = args::dual_key)]
    public: DualKeyBytes,

    /// The proof of possession, 0x-hex of 224 bytes.
    #[arg(long, value_name = "HEX", value_parser = args::possession_proof)]
    proof: PossessionProof,

    #[command(flatten)]
    genesis: GenesisArgs,

    #[command(flatten)]
    chain: ChainArgs,

    #[command(flatten)]
    output: OutputTypeFlag,
}

impl DuetKeySubcommand {
    /// Runs the command and prints its result. Some prompt for a secret URI or a password.
    ///
    /// # Errors
    /// [`DuetKeyError`], which the SDK's [`sc_cli::Error`] can hold.
    pub fn run(&self, cli: &impl SubstrateCli) -> Result<(), DuetKeyError> {
        match self {
            Self::Generate(cmd) => cmd.run(),
            Self::Insert(cmd) => cmd.run(cli),
            Self::Inspect(cmd) => cmd.run(),
            Self::List(cmd) => cmd.run(cli),
            Self::Prove(cmd) => cmd.run(cli),
            Self::Verify(cmd) => cmd.run(cli),
            Self::Rotate(cmd) => cmd.run(cli),
            Self::Remove(cmd) => cmd.run(cli),
            Self::ExportVotes(cmd) => cmd.run(cli),
            Self::ImportVotes(cmd) => cmd.run(cli),
        }
    }
}

impl GenerateCmd {
    fn run(&self) -> Result<(), DuetKeyError> {
        let (phrase, secret) = generate_phrase()?;
        Report::new()
            .line("Secret phrase", "secretPhrase", phrase.as_str())
            .key(&secret.public())
            .print(&self.output)
    }
}

impl InsertCmd {
    fn run(&self, cli: &impl SubstrateCli) -> Result<(), DuetKeyError> {
        let suri = Zeroizing::new(read_uri(self.suri.as_ref())?);
        let secret = secret_of_suri(&suri)?;
        let public = secret.public();
        let keys = self.directory.open(cli)?;
        keys.insert(secret)?;
        let path = keys.path_of(&public.pk1()).unwrap_or_default();
        Report::new()
            .key(&public)
            .line("Key file", "keyFile", path.display())
            .print(&self.output)
    }
}

impl InspectCmd {
    fn run(&self) -> Result<(), DuetKeyError> {
        let public = match self.public {
            Some(public) => {
                public.check()?;
                public
            }
            None => {
                let suri = Zeroizing::new(read_uri(self.uri.as_ref())?);
                secret_of_suri(&suri)?.public()
            }
        };
        Report::new()
            .key(&public)
            .line("Key file", "keyFile", file_name(&public.pk1()))
            .print(&self.output)
    }
}

impl ListCmd {
    fn run(&self, cli: &impl SubstrateCli) -> Result<(), DuetKeyError> {
        let keys = self.directory.open_existing(cli)?;
        let reports = keys.keys()?.into_iter().map(|public| {
            let path = keys.path_of(&public.pk1()).unwrap_or_default();
            Report::new()
                .key(&public)
                .line("Key file", "keyFile", path.display())
        });
        report::print_all(reports.collect(), &self.output)
    }
}

impl ProveCmd {
    fn run(&self, cli: &impl SubstrateCli) -> Result<(), DuetKeyError> {
        let genesis = self.genesis.hash(cli, &self.directory.chain)?;
        let keys = match &self.suri {
            Some(suri) => {
                let suri = Zeroizing::new(read_uri(Some(suri))?);
                let keys = KeyRing::in_memory();
                keys.insert(secret_of_suri(&suri)?)?;
                keys
            }
            None => self.directory.open_existing(cli)?,
        };
        let public = choose(keys.keys()?, self.public)?;
        let owner = ownership_statement(genesis, &self.account);
        let proof = keys.prove_possession(&public.pk1(), &owner)?;
        Report::new()
            .line("Account", "account", &self.account)
            .line("Genesis hash", "genesisHash", format!("{genesis:?}"))
            .key(&public)
            .line("Proof of possession", "proof", proof)
            .print(&self.output)
    }
}

/// The requested key, or the only one.
fn choose(
    keys: Vec<DualKeyBytes>,
    wanted: Option<DualKeyBytes>,
) -> Result<DualKeyBytes, DuetKeyError> {
    match (wanted, keys.as_slice()) {
        (Some(wanted), keys) if keys.contains(&wanted) => Ok(wanted),
        (Some(wanted), _) => Err(DuetKeyError::NoSuchKey(wanted.pk1())),
        (None, [only]) => Ok(*only),
        (None, []) => Err(DuetKeyError::NoKeys),
        (None, several) => Err(DuetKeyError::SeveralKeys(several.len())),
    }
}

impl VerifyCmd {
    fn run(&self, cli: &impl SubstrateCli) -> Result<(), DuetKeyError> {
        let genesis = self.genesis.hash(cli, &self.chain)?;
        let owner = ownership_statement(genesis, &self.account);
        self.public.check_possession(&owner, &self.proof)?;
        Report::new()
            .line("Account", "account", &self.account)
            .line("Genesis hash", "genesisHash", format!("{genesis:?}"))
            .key(&self.public)
            .line("The proof", "proof", "valid")
            .print(&self.output)
    }
}
