//! The command line.

use crate::{chain_spec, service};
use sc_cli::{
    ChainSpec, ExportChainSpecCmd, KeySubcommand, PurgeChainCmd, Result, RunCmd, SubstrateCli,
};
use sc_network::{config::NetworkBackendType, Litep2pNetworkBackend, NetworkWorker};
use solochain_runtime::{Hash, OpaqueBlock};

/// What the command line says.
#[derive(Debug, clap::Parser)]
struct Cli {
    #[command(subcommand)]
    subcommand: Option<Subcommand>,

    #[command(flatten)]
    run: RunCmd,
}

#[allow(clippy::large_enum_variant)]
#[derive(Debug, clap::Subcommand)]
enum Subcommand {
    /// Key management.
    #[command(subcommand)]
    Key(KeySubcommand),

    #[cfg(feature = "duet")]
    #[command(subcommand)]
    DuetKey(duet_keys::DuetKeySubcommand),

    /// Export the chain specification.
    ExportChainSpec(ExportChainSpecCmd),

    /// Remove the whole chain.
    PurgeChain(PurgeChainCmd),
}

impl SubstrateCli for Cli {
    fn impl_name() -> String {
        "Solochain Node".into()
    }

    fn impl_version() -> String {
        env!("CARGO_PKG_VERSION").into()
    }

    fn description() -> String {
        env!("CARGO_PKG_DESCRIPTION").into()
    }

    fn author() -> String {
        env!("CARGO_PKG_AUTHORS").into()
    }

    fn support_url() -> String {
        "testing/templates/README.md".into()
    }

    fn copyright_start_year() -> i32 {
        2026
    }

    fn load_spec(&self, id: &str) -> std::result::Result<Box<dyn ChainSpec>, String> {
        chain_spec::load(id)
    }
}

/// Reads the command line and does what it says.
pub(crate) fn run() -> Result<()> {
    let cli = Cli::from_args();
    match &cli.subcommand {
        Some(Subcommand::Key(cmd)) => cmd.run(&cli),
        #[cfg(feature = "duet")]
        Some(Subcommand::DuetKey(cmd)) => Ok(cmd.run(&cli)?),
        Some(Subcommand::ExportChainSpec(cmd)) => cmd.run(cli.load_spec(&cmd.chain)?),
        Some(Subcommand::PurgeChain(cmd)) => cli
            .create_runner(cmd)?
            .sync_run(|config| cmd.run(config.database)),
        None => cli
            .create_runner(&cli.run)?
            .run_node_until_exit(|config| async move {
                let started = match config.network.network_backend {
                    NetworkBackendType::Libp2p => {
                        service::start::<NetworkWorker<OpaqueBlock, Hash>>(config)
                    }
                    NetworkBackendType::Litep2p => service::start::<Litep2pNetworkBackend>(config),
                };
                started.map_err(sc_cli::Error::Service)
            }),
    }
}
