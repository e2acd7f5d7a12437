//! The command line.

use alloy::primitives::Address;
use clap::{Args as ArgsGroup, Parser, Subcommand};
use duet_process::{http_url, seconds, ws_url};
use duet_relay::messages::LaneId;
use std::{net::SocketAddr, num::NonZeroU32, path::PathBuf, time::Duration};

const EXIT_STATUS: &str = "\
Exit status:
  0    everything wanted is relayed, or a dry run has reported its estimate; without --once and
       --dry-run: stopped by SIGINT, SIGTERM or SIGHUP
  1    this machine, the account or the fees: a file, funds, or a price above the limit
  2    bad usage: wrong arguments, or no verifier of this chain at that address
  3    a proof or an answer did not verify, and no honest endpoint is left; or the target refuses a
       proof that holds
  4    the source or the target could not be reached
  5    the validators signed two things that cannot both be true, or the target no longer accepts
       proofs
  6    no endpoint has the needed data: ask others
  130  stopped by a signal before the end";
const MAY_BE_KILLED: &str = "
The relayer stores nothing, so it may be interrupted and killed at any moment.";

fn exit_status() -> String {
    [EXIT_STATUS, duet_process::EXIT_STATUS, MAY_BE_KILLED].concat()
}

/// Relays finality proofs of a Duet chain to verifiers on other chains.
///
/// It relays every handoff, and blocks on demand. Each proof is verified before any fee is paid.
#[derive(Debug, Parser)]
#[command(name = "duet-relay", version, after_help = exit_status(), after_long_help = exit_status())]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Print one JSON object per event.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Relay proofs to the contract on an EVM chain.
    Evm(Evm),
    /// Relay proofs to `pallet-bridge-duet` on a Substrate chain.
    Substrate(Substrate),
    /// Deploy the contract, at a checkpoint that all its users will trust.
    Deploy(Deploy),
}

impl Command {
    /// Whether it goes on until it is stopped.
    pub(crate) fn goes_on(&self) -> bool {
        match self {
            Self::Evm(Evm { relaying, .. }) | Self::Substrate(Substrate { relaying, .. }) => {
                !relaying.once && !relaying.dry_run
            }
            Self::Deploy(_) => false,
        }
    }
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Evm {
    #[command(flatten)]
    pub(crate) relaying: Relaying,

    #[command(flatten)]
    pub(crate) chain: EvmChain,

    /// The address of the contract.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub(crate) contract: Address,
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Deploy {
    #[command(flatten)]
    pub(crate) chain: EvmChain,

    /// The bytecode in hexadecimal digits: `verifiers/contracts/out/DuetLightClient.bin`, or
    /// `RecoverableDuetLightClient.bin` there, which crosses resets by recovery proofs.
    #[arg(long, value_name = "FILE")]
    pub(crate) bytecode: PathBuf,

    /// A library of the contract that is on the chain: `RareCalls=0x…`. Its code is compared with `RareCalls.bin` beside the
    /// bytecode. A library that is not named is deployed from there. Clients share libraries, so name those that you find.
    #[arg(long = "library", value_name = "NAME=ADDRESS", value_parser = library)]
    pub(crate) libraries: Vec<(String, Address)>,

    /// The contract's first checkpoint, as `duet-light status --checkpoint` prints it.
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: PathBuf,

    /// For how long the contract continues after its newest block: less than the unbonding time of the followed chain's
    /// validators. A contract without owner that got no block for longer is over.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) trusting_period: u64,

    /// The owner, who may reset the contract. For `OwnedDuetLightClient.bin`.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub(crate) owner: Option<Address>,
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Substrate {
    #[command(flatten)]
    pub(crate) relaying: Relaying,

    /// WebSocket RPC of a node of the chain with the pallet. It is trusted not to waste the account's funds.
    #[arg(long, value_name = "URL", value_parser = ws_url)]
    pub(crate) target: String,

    /// The pallet's name in the runtime.
    #[arg(long, value_name = "NAME", default_value = "BridgeDuet")]
    pub(crate) pallet: String,

    /// Relay messages too, along this lane: 0x and 4 or 32 bytes. `0x64756574` in the reference runtime.
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

    /// A file with the account's sr25519 secret: a phrase, a seed or a secret URI. Other users must not have access.
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,

    /// The timeout of a request to that node.
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub(crate) target_timeout: Duration,

    /// The time limit for a transaction to become final.
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds)]
    pub(crate) final_after: Duration,
}

/// An EVM chain, and the paying account.
#[derive(Debug, ArgsGroup)]
pub(crate) struct EvmChain {
    /// HTTP JSON-RPC of a node of the EVM chain. It is trusted not to waste the account's funds.
    #[arg(long, value_name = "URL", value_parser = http_url)]
    pub(crate) target: String,

    /// A file with the account's secret in hexadecimal digits. Other users must not have access.
    #[arg(long, value_name = "FILE", conflicts_with = "keystore")]
    pub(crate) key_file: Option<PathBuf>,

    /// A keystore file of an Ethereum wallet (version 3) instead of `--key-file`.
    #[arg(long, value_name = "FILE", requires = "password_file")]
    pub(crate) keystore: Option<PathBuf>,

    /// A file with the keystore's password.
    #[arg(long, value_name = "FILE", requires = "keystore")]
    pub(crate) password_file: Option<PathBuf>,

    /// The maximum fee per unit of gas.
    #[arg(long, value_name = "GWEI", default_value_t = 50)]
    pub(crate) max_fee_gwei: u32,

    /// The time after which a pending transaction is sent again with higher fees.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) resend_after: Duration,

    /// The timeout of a request to the EVM chain.
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub(crate) target_timeout: Duration,
}

/// What is relayed, and when.
#[derive(Debug, ArgsGroup)]
pub(crate) struct Relaying {
    /// WebSocket RPC of a node of the source chain. It is not trusted. Give several.
    #[arg(long = "source", value_name = "URL", required = true, value_parser = ws_url)]
    pub(crate) sources: Vec<String>,

    /// Relay a block when the target is this many blocks behind. Without it, only handoffs and --block are relayed.
    #[arg(long, value_name = "BLOCKS")]
    pub(crate) every: Option<NonZeroU32>,

    /// Relay a proof of this block or of a newer one, under which messages up to it can be proven.
    #[arg(long, value_name = "BLOCK")]
    pub(crate) block: Option<u32>,

    /// Exit when everything wanted now is relayed.
    #[arg(long)]
    pub(crate) once: bool,

    /// Send nothing, and report the cost of the next submission. No key is needed.
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// How long a proof may wait for missing votes: each absent validator adds to the cost.
    #[arg(long, value_name = "SECONDS", default_value = "6", value_parser = seconds)]
    pub(crate) patience: Duration,

    /// The pause between two comparisons of source and target.
    #[arg(long, value_name = "SECONDS", default_value = "6", value_parser = seconds)]
    pub(crate) pause: Duration,

    /// The number of relayers that serve this target. They take turns, so that each proof is paid for once.
    #[arg(long, value_name = "N", default_value_t = NonZeroU32::MIN)]
    pub(crate) relayers: NonZeroU32,

    /// The position of this relayer among them, from 0.
    #[arg(long, value_name = "I", default_value_t = 0)]
    pub(crate) position: u32,

    /// How long each relayer has before the next one tries. All must use the same value.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) turn: Duration,

    /// Announce this recovery proof where the target is at the block that it is about, and cross the reset by it after
    /// the wait. It can stay on the command line.
    #[arg(long, value_name = "FILE")]
    pub(crate) recovery_proof: Option<PathBuf>,

    /// A checkpoint with the sets that the target trusts, where no handoff names them: after a reset of the chain.
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,

    /// The timeout of a request to a source, and of all requests by which sources are compared.
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub(crate) timeout: Duration,

    /// Give up when no source has been useful for this long; 0 means never.
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = seconds)]
    pub(crate) give_up_after: Duration,

    /// The address to serve Prometheus metrics on, at `/metrics`.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) metrics: Option<SocketAddr>,
}

fn library(text: &str) -> Result<(String, Address), String> {
    let (name, at) = text.split_once('=').ok_or("no name and address")?;
    Ok((name.to_owned(), address(at)?))
}

fn address(text: &str) -> Result<Address, String> {
    let address = text.parse();
    address.map_err(|error| format!("an address is 0x and 40 hexadecimal digits: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }
}
