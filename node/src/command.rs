//! Runs the subcommands.

use crate::{
    cli::{Cli, Subcommand},
    service::{self, Chain, DuetOptions, FullBackend, FullClient, ImportQueue, Parts},
};
use duet_runtime::{types::opaque::Block, Hash};
use sc_cli::{CliConfiguration, DefaultConfigurationValues, Result, SubstrateCli};
use sc_network::{config::NetworkBackendType, Litep2pNetworkBackend, NetworkWorker};
use sc_service::Configuration;
use sp_runtime::traits::NumberFor;
use std::{future::Future, sync::Arc};

/// Reverts GRANDPA's records of the reverted blocks.
type GrandpaRevert =
    Box<dyn FnOnce(Arc<FullClient>, Arc<FullBackend>, NumberFor<Block>) -> Result<()>>;

/// Parses the command line and runs the command.
pub(crate) fn run() -> Result<()> {
    let cli = Cli::from_args();
    match &cli.subcommand {
        None => run_node(&cli),
        Some(Subcommand::Key(cmd)) => cmd.run(&cli),
        Some(Subcommand::DuetKey(cmd)) => cmd
            .run(&cli)
            .map_err(|error| sc_cli::Error::Application(Box::new(error))),
        Some(Subcommand::DuetState(cmd)) => with_chain(&cli, cmd.at(), |config, chain, _| {
            let directory = config.base_path.path().to_path_buf();
            std::future::ready(cmd.run(&chain, &directory))
        }),
        Some(Subcommand::ExportChainSpec(cmd)) => cmd.run(cli.load_spec(&cmd.chain)?),
        Some(Subcommand::ChainInfo(cmd)) => cli
            .create_runner(cmd)?
            .sync_run(|config| cmd.run::<Block>(&config)),
        Some(Subcommand::PurgeChain(cmd)) => cli
            .create_runner(cmd)?
            .sync_run(|config| cmd.run(config.database)),
        Some(Subcommand::CheckBlock(cmd)) => {
            with_chain(&cli, cmd, |_, chain, queue| cmd.run(chain.client, queue))
        }
        Some(Subcommand::ImportBlocks(cmd)) => {
            with_chain(&cli, cmd, |_, chain, queue| cmd.run(chain.client, queue))
        }
        Some(Subcommand::ExportBlocks(cmd)) => with_chain(&cli, cmd, |config, chain, _| {
            cmd.run(chain.client, config.database)
        }),
        Some(Subcommand::ExportState(cmd)) => with_chain(&cli, cmd, |config, chain, _| {
            cmd.run(chain.client, config.chain_spec)
        }),
        Some(Subcommand::Revert(cmd)) => with_chain(&cli, cmd, |_, chain, _| {
            // Duet stores nothing about blocks that are not final, and final blocks are not reverted: its signatures
            // and proofs stay true.
            let grandpa: GrandpaRevert = Box::new(|client, _, blocks| {
                sc_consensus_grandpa::revert(client, blocks).map_err(Into::into)
            });
            cmd.run(chain.client, chain.backend, Some(grandpa))
        }),
    }
}

fn run_node(cli: &Cli) -> Result<()> {
    cli.create_runner(&cli.run)?
        .run_node_until_exit(|config| async move {
            let options = DuetOptions {
                interest: cli.duet_gossip.interest(&config.role)?,
                acknowledged: cli.duet_acknowledge_divergence.clone(),
                health: cli.health.clone(),
                signer: cli.duet_signer.clone(),
                runtime_cache: cli.runtime_cache.open()?,
                #[cfg(feature = "statistics")]
                statistics: cli.duet_statistics,
                #[cfg(feature = "encrypted-telemetry")]
                encrypted_telemetry: cli.encrypted_telemetry.clone(),
            };
            match config.network.network_backend {
                NetworkBackendType::Libp2p => {
                    service::start::<NetworkWorker<Block, Hash>>(config, options)
                }
                NetworkBackendType::Litep2p => {
                    service::start::<Litep2pNetworkBackend>(config, options)
                }
            }
            .map_err(sc_cli::Error::Service)
        })
}

/// Runs a future over the chain in the database, with the import queue of a running node.
fn with_chain<Cmd, Values, Work>(
    cli: &Cli,
    cmd: &Cmd,
    work: impl FnOnce(Configuration, Chain, ImportQueue) -> Work,
) -> Result<()>
where
    Cmd: CliConfiguration<Values>,
    Values: DefaultConfigurationValues,
    Work: Future<Output = Result<()>>,
{
    let runtime_cache = cli.runtime_cache.open()?;
    cli.create_runner(cmd)?.async_run(|mut config| {
        let Parts {
            chain,
            import_queue,
            task_manager,
            ..
        } = service::parts(&mut config, runtime_cache.as_deref())?;
        Ok((work(config, chain, import_queue), task_manager))
    })
}
