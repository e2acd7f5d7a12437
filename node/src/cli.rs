//! The command line.

#[cfg(feature = "encrypted-telemetry")]
use crate::flags::EncryptedTelemetry;
use crate::{
    duet_state::DuetStateSubcommand,
    flags::{DuetGossip, DuetSigner, HealthEndpoint, RuntimeCache},
};
use duet_keys::DuetKeySubcommand;
use sc_cli::{
    ChainInfoCmd, ChainSpec, CheckBlockCmd, ExportBlocksCmd, ExportChainSpecCmd, ExportStateCmd,
    ImportBlocksCmd, KeySubcommand, PurgeChainCmd, RevertCmd, RunCmd, SubstrateCli,
};

const EXIT_STATUS: &str = "\
Exit status:
  0    done; or stopped by SIGINT, SIGTERM or SIGHUP, a subcommand perhaps before its end
  1    failed; the message says why
  2    bad usage";

/// A subcommand, or the flags of a running node.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = [EXIT_STATUS, duet_process::EXIT_STATUS].concat())]
pub(crate) struct Cli {
    /// The subcommand; without one the node runs.
    #[command(subcommand)]
    pub(crate) subcommand: Option<Subcommand>,

    /// The flags of a running node.
    #[command(flatten)]
    pub(crate) run: RunCmd,

    /// Duet's gossip to subscribe to: `votes` and proofs, or `proofs` only, which needs less bandwidth and processor
    /// time. A validator needs votes.
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    pub(crate) duet_gossip: DuetGossip,

    /// Vote although a valid proof contradicts this node's finalized chain at block NUMBER. The node keeps and serves
    /// the proof. May be given several times. The node remembers it, so one start with it is enough.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) duet_acknowledge_divergence: Vec<u32>,

    #[command(flatten)]
    pub(crate) health: HealthEndpoint,

    #[command(flatten)]
    pub(crate) duet_signer: DuetSigner,

    #[command(flatten)]
    pub(crate) runtime_cache: RuntimeCache,

    /// Collect and serve the statistics that validators publish about their own nodes. A validator publishes its own
    /// once per session: import times, number of peers, finality lag, memory and processor time. All of it is public.
    #[cfg(feature = "statistics")]
    #[arg(long)]
    pub(crate) duet_statistics: bool,

    #[cfg(feature = "encrypted-telemetry")]
    #[command(flatten)]
    pub(crate) encrypted_telemetry: EncryptedTelemetry,
}

/// The subcommands of the executable.
// A process has only one value of it.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Subcommand {
    /// Key management for the SDK's keys: Aura, GRANDPA, accounts, the node key.
    #[command(subcommand)]
    Key(KeySubcommand),

    /// Key management for Duet keys, with which validators prove finality.
    #[command(subcommand)]
    DuetKey(DuetKeySubcommand),

    /// Inspect Duet's data in the database, and repair what the node cannot read.
    #[command(subcommand)]
    DuetState(DuetStateSubcommand),

    /// Export the chain specification.
    ExportChainSpec(ExportChainSpecCmd),

    /// Print the database's genesis, best and finalized block.
    ChainInfo(ChainInfoCmd),

    /// Validate blocks.
    CheckBlock(CheckBlockCmd),

    /// Export blocks.
    ExportBlocks(ExportBlocksCmd),

    /// Export the state of a given block into a chain specification.
    ExportState(ExportStateCmd),

    /// Import blocks.
    ImportBlocks(ImportBlocksCmd),

    /// Remove the whole chain.
    PurgeChain(PurgeChainCmd),

    /// Revert the chain to a previous state.
    Revert(RevertCmd),
}

impl SubstrateCli for Cli {
    fn impl_name() -> String {
        "Duet Node".into()
    }

    fn impl_version() -> String {
        env!("SUBSTRATE_CLI_IMPL_VERSION").into()
    }

    fn executable_name() -> String {
        "duet-node".into()
    }

    fn description() -> String {
        env!("CARGO_PKG_DESCRIPTION").into()
    }

    fn author() -> String {
        env!("CARGO_PKG_AUTHORS").into()
    }

    fn support_url() -> String {
        "the documentation in docs/".into()
    }

    fn copyright_start_year() -> i32 {
        2026
    }

    fn load_spec(&self, id: &str) -> Result<Box<dyn ChainSpec>, String> {
        duet_chain_spec::load_spec(id)
            .map(|spec| Box::new(spec) as Box<dyn ChainSpec>)
            .map_err(|error| error.to_string())
    }
}
