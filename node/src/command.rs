//! Runs the subcommands.

use crate::{
    cli::{Cli, Subcommand},
    service::{self, Chain, DuetOptions, FullBackend, FullClient, ImportQueue, Parts},
};
use duet_runtime::{types::opaque::Block, Hash};
use sc_cli::{CliConfiguration, DefaultConfigurationValues, Result, Runner, SubstrateCli};
use sc_network::{config::NetworkBackendType, Litep2pNetworkBackend, NetworkWorker};
use sc_service::Configuration;
use sp_runtime::traits::NumberFor;
use std::{future::Future, sync::Arc};
use tokio::runtime::Builder;

/// Reverts GRANDPA's records of the reverted blocks.
type GrandpaRevert =
    Box<dyn FnOnce(Arc<FullClient>, Arc<FullBackend>, NumberFor<Block>) -> Result<()>>;

/// Runs the command.
pub(crate) fn run(cli: &Cli) -> Result<()> {
    // The SDK's runtime panics without descriptors for signals. The first runtime opens them, and they stay open.
    duet_process::runtime(Builder::new_current_thread().enable_all())?;
    match &cli.subcommand {
        None => run_node(cli),
        // Most of them are the SDK's, which prints as if that could not fail.
        Some(command) => duet_process::relayed(|| run_subcommand(cli, command))?,
    }
}

fn run_subcommand(cli: &Cli, command: &Subcommand) -> Result<()> {
    match command {
        Subcommand::Key(cmd) => cmd.run(cli),
        Subcommand::DuetKey(cmd) => Ok(cmd.run(cli)?),
        Subcommand::DuetState(cmd) => with_chain(cli, cmd.at(), |config, chain, _| {
            let directory = config.base_path.path().to_path_buf();
            std::future::ready(cmd.run(&chain, &directory))
        }),
        Subcommand::ExportChainSpec(cmd) => cmd.run(cli.load_spec(&cmd.chain)?),
        Subcommand::ChainInfo(cmd) => cli
            .create_runner(cmd)?
            .sync_run(|config| cmd.run::<Block>(&config)),
        Subcommand::PurgeChain(cmd) => cli
            .create_runner(cmd)?
            .sync_run(|config| cmd.run(config.database)),
        Subcommand::CheckBlock(cmd) => {
            with_chain(cli, cmd, |_, chain, queue| cmd.run(chain.client, queue))
        }
        Subcommand::ImportBlocks(cmd) => with_chain(cli, cmd, |_, chain, queue| {
            log::warn!("proofs of Duet in the file are not imported: a node gets those of handoffs from its peers");
            cmd.run(chain.client, queue)
        }),
        Subcommand::ExportBlocks(cmd) => with_chain(cli, cmd, |config, chain, _| {
            cmd.run(chain.client, config.database)
        }),
        Subcommand::ExportState(cmd) => with_chain(cli, cmd, |config, chain, _| {
            cmd.run(chain.client, config.chain_spec)
        }),
        Subcommand::Revert(cmd) => with_chain(cli, cmd, |_, chain, _| {
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
    runner(cli, &cli.run)?.run_node_until_exit(|config| async move {
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
            NetworkBackendType::Litep2p => service::start::<Litep2pNetworkBackend>(config, options),
        }
        .map_err(sc_cli::Error::Service)
    })
}

/// A runner that SIGHUP ends, too, in the same order as the SDK's signals do.
fn runner<Cmd, Values>(cli: &Cli, cmd: &Cmd) -> Result<Runner<Cli>>
where
    Cmd: CliConfiguration<Values>,
    Values: DefaultConfigurationValues,
{
    let runner = cli.create_runner(cmd)?;
    let inside = runner.config().tokio_handle.enter();
    duet_process::hangup_terminates()?;
    drop(inside);
    Ok(runner)
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
    runner(cli, cmd)?.async_run(|mut config| {
        let Parts {
            chain,
            import_queue,
            task_manager,
            ..
        } = service::parts(&mut config, runtime_cache.as_deref())?;
        Ok((work(config, chain, import_queue), task_manager))
    })
}
