//! The command line.

use alloy::primitives::Address;
use clap::{Args as ArgsGroup, Parser, Subcommand};
use duet_relay::messages::LaneId;
use std::{net::SocketAddr, num::NonZeroU32, path::PathBuf, time::Duration};

const EXIT_STATUS: &str = "\
Exit status:
  0    everything that was wanted is brought, or a dry run has told its estimate
  1    this machine, the account or the fees: a file, funds, or a price above the limit
  2    bad usage: wrong arguments, or no verifier of this chain at that address
  3    a proof or an answer did not verify, and no honest endpoint is left; or the target refuses a proof that holds
  4    the source or the target could not be reached
  5    the validators signed two things that cannot both be true, or the target takes no proof any more
  6    no endpoint has what is needed: ask others
It stores nothing, so it may be interrupted and killed at any moment.";

/// Brings finality proofs of a Duet chain to verifiers on other chains.
///
/// It brings every handoff, and blocks as they are wanted. Each proof is verified before it is paid for.
#[derive(Debug, Parser)]
#[command(name = "duet-relay", version, after_help = EXIT_STATUS, after_long_help = EXIT_STATUS)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Print one JSON object for each event.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Bring proofs to the contract on an EVM chain.
    Evm(Evm),
    /// Bring proofs to `pallet-bridge-duet` on a Substrate chain.
    Substrate(Substrate),
    /// Deploy the contract, at a checkpoint that all its users will trust.
    Deploy(Deploy),
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Evm {
    #[command(flatten)]
    pub(crate) relaying: Relaying,

    #[command(flatten)]
    pub(crate) chain: EvmChain,

    /// Where the contract is.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) contract: Address,
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Deploy {
    #[command(flatten)]
    pub(crate) chain: EvmChain,

    /// The bytecode in hexadecimal digits: `contracts/out/DuetLightClient.bin`.
    #[arg(long, value_name = "FILE")]
    pub(crate) bytecode: PathBuf,

    /// Where the contract begins, as `duet-light status --checkpoint` prints it.
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: PathBuf,

    /// Who may begin it anew, for `OwnedDuetLightClient.bin`.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) owner: Option<Address>,
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Substrate {
    #[command(flatten)]
    pub(crate) relaying: Relaying,

    /// WebSocket of a node of the chain that has the pallet. It is trusted not to waste what the account pays.
    #[arg(long, value_name = "URL")]
    pub(crate) target: String,

    /// The pallet's name in the runtime.
    #[arg(long, value_name = "NAME", default_value = "BridgeDuet")]
    pub(crate) pallet: String,

    /// Bring messages too, along the lane with this name: 0x and 4 or 32 bytes. `0x64756574` in the reference runtime.
    #[arg(long, value_name = "ID")]
    pub(crate) lane: Option<LaneId>,

    /// The name of the messages pallet in both runtimes.
    #[arg(
        long,
        value_name = "NAME",
        default_value = "BridgeMessages",
        requires = "lane"
    )]
    pub(crate) messages_pallet: String,

    /// A file with the account's secret, which nobody else may read: a phrase, a seed or a secret URI, of sr25519.
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,

    /// How long a request to that node may take.
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub(crate) target_timeout: Duration,

    /// How long a transaction may take until it is final.
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds)]
    pub(crate) final_after: Duration,
}

/// An EVM chain, and the account that pays there.
#[derive(Debug, ArgsGroup)]
pub(crate) struct EvmChain {
    /// JSON-RPC of a node of the EVM chain, over HTTP. It is trusted not to waste what the account pays.
    #[arg(long, value_name = "URL")]
    pub(crate) target: String,

    /// A file with the account's secret in hexadecimal digits, which nobody else may read.
    #[arg(long, value_name = "FILE", conflicts_with = "keystore")]
    pub(crate) key_file: Option<PathBuf>,

    /// A keystore of an Ethereum wallet (version 3), instead.
    #[arg(long, value_name = "FILE", requires = "password_file")]
    pub(crate) keystore: Option<PathBuf>,

    /// A file with its password.
    #[arg(long, value_name = "FILE", requires = "keystore")]
    pub(crate) password_file: Option<PathBuf>,

    /// The most that is paid for a unit of gas.
    #[arg(long, value_name = "GWEI", default_value_t = 50)]
    pub(crate) max_fee_gwei: u32,

    /// How long a transaction may wait for a block until it is sent again with higher fees.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) resend_after: Duration,

    /// How long a request to the EVM chain may take.
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub(crate) target_timeout: Duration,
}

/// What is brought, and when.
#[derive(Debug, ArgsGroup)]
pub(crate) struct Relaying {
    /// WebSocket of a node of the chain whose proofs are brought. It is not trusted. Of several, one is asked after the other.
    #[arg(long = "source", value_name = "URL", required = true)]
    pub(crate) sources: Vec<String>,

    /// Bring a block once the target is so many behind. Without it, only handoffs, and what --block wants.
    #[arg(long, value_name = "BLOCKS")]
    pub(crate) every: Option<NonZeroU32>,

    /// Bring a proof of this block or of a newer one, under which messages up to it can be proven.
    #[arg(long, value_name = "BLOCK")]
    pub(crate) block: Option<u32>,

    /// End when everything that is wanted now is brought.
    #[arg(long)]
    pub(crate) once: bool,

    /// Send nothing, and end with what the next submission would cost. No key is needed.
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// How long a proof may wait for votes that are missing: each absent validator costs.
    #[arg(long, value_name = "SECONDS", default_value = "6", value_parser = seconds)]
    pub(crate) patience: Duration,

    /// How often source and target are compared.
    #[arg(long, value_name = "SECONDS", default_value = "6", value_parser = seconds)]
    pub(crate) pause: Duration,

    /// How many relayers serve this target. They take turns, so that none pays for what another one brings.
    #[arg(long, value_name = "N", default_value_t = NonZeroU32::MIN)]
    pub(crate) relayers: NonZeroU32,

    /// Which of them this is, from 0 on.
    #[arg(long, value_name = "I", default_value_t = 0)]
    pub(crate) position: u32,

    /// How long each of them has until the next one tries. The same for all.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) turn: Duration,

    /// A checkpoint that names the sets which the target trusts, where no handoff names them: after a reset of the chain.
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,

    /// How long a request to a source may take.
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub(crate) timeout: Duration,

    /// End when no source has been of use for so long; 0 for never.
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = seconds)]
    pub(crate) give_up_after: Duration,

    /// Serve metrics for Prometheus here, at `/metrics`.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) metrics: Option<SocketAddr>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "it is no number".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_number_of_seconds_is_one_that_a_clock_can_show() {
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        assert!(seconds("-1").is_err() && seconds("NaN").is_err() && seconds("1e99").is_err());
    }
}
