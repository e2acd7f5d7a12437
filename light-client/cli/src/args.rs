//! The command line.

use crate::question;
#[cfg(feature = "statistics")]
use crate::stats::args::Asked;
#[cfg(feature = "vouchers")]
use crate::vouch::args::{Fingerprint, Vouch, Vouching};
use clap::{Args as ArgsGroup, Parser, Subcommand};
use duet_primitives::H256;
use std::{net::SocketAddr, path::PathBuf, time::Duration};

const EXIT_STATUS: &str = "\
Exit status:
  0    the goal was reached; for `follow` without --blocks: interrupted, and the state is saved
  1    this machine: the state file or the checkpoint file cannot be read or written
  2    bad usage: wrong arguments, or a hash that is not of a genesis block, or not of a block of that chain
  3    a proof or an answer did not verify, and no honest endpoint is left
  4    no endpoint could be reached
  5    the validators signed two things that cannot both be true: do not trust this chain's finality
  6    no endpoint has what is needed: ask others; the message says when a newer checkpoint, or a block to start at, may be
       needed
";
const EXIT_STATUS_OF_VOUCHERS: &str = "  \
  7    too few vouch for the checkpoint, or the file that says who does is false
";
const EXIT_STATUS_AT_LAST: &str = "  \
  130  interrupted before the goal was reached; the state is saved";

fn exit_status() -> String {
    let vouchers = if cfg!(feature = "vouchers") {
        EXIT_STATUS_OF_VOUCHERS
    } else {
        ""
    };
    [EXIT_STATUS, vouchers, EXIT_STATUS_AT_LAST].concat()
}

/// A light client for chains that finalize with Duet.
///
/// It verifies one proof per change of the validators and trusts no server. An endpoint that sends something that
/// does not verify is reported with the broken rule and dropped, and the next one is asked.
#[derive(Debug, Parser)]
#[command(name = "duet-light", version, after_help = exit_status(), after_long_help = exit_status())]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Verify everything up to the newest proven block, then end.
    Sync(Sync),
    /// Verify everything up to the newest proven block, then each new proof as it comes.
    Follow(Follow),
    /// Follow the chain, and answer JSON-RPC from what is verified, over HTTP and WebSocket.
    ///
    /// Any tool can be pointed at it. Answers about the chain are checked under the newest proven block; what cannot be
    /// checked without executing the runtime is passed through, or refused with --strict; the rest is refused.
    Serve(Serve),
    /// Print the header of a block, verified.
    Block(Block),
    /// Print an entry of the state, verified; also that there is none.
    Storage(Storage),
    /// Print an account's nonce and balance, verified.
    Account(Account),
    /// Show that a transaction is in a block, or that it is not.
    ///
    /// Its block is proven final, and all of the block's extrinsics are proven to be the block's. Whether the
    /// transaction's call succeeded is not proven: the chain's events say it, in a form that only the chain's own
    /// metadata describes, and metadata cannot be proven.
    Tx(Tx),
    /// Hand finality proofs to nodes, which report their signers to the chain if the proofs are not true of it.
    ///
    /// After exit status 5: the two proofs that cannot both be true are in the message, and with --json in `evidence`. All who
    /// signed the false one lose their stake. A node's answer is its word, so ask several. Ends with 0 when one of them calls a
    /// proof false, with 6 when none does.
    Report(Report),
    /// Show what a state file trusts.
    Status(Status),
    /// Print what the validators say about their own nodes: a mean or a sum, verified against the set that is trusted.
    ///
    /// Each validator signs its figures once in a session, and a node adds them up under one signature. It cannot change a figure
    /// or make one up, and whom it leaves out is listed. Whether a validator tells the truth about its own node is not proven.
    #[cfg(feature = "statistics")]
    Stats(Stats),
    /// Sign a checkpoint, so that those who trust your key can begin from it: with a key in a file, or in a token by a command.
    ///
    /// Sign none that your own client does not come from or has not followed.
    #[cfg(feature = "vouchers")]
    Vouch(Vouch),
    /// Print the fingerprint of a key of `vouch`, by which others list it.
    #[cfg(feature = "vouchers")]
    Fingerprint(Fingerprint),
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Sync {
    #[command(flatten)]
    pub(crate) run: Run,

    /// Continue until this block, or a later one, is proven.
    #[arg(long, value_name = "BLOCK")]
    pub(crate) until: Option<u32>,
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Follow {
    #[command(flatten)]
    pub(crate) run: Run,

    /// End after this many verified proofs.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) blocks: Option<u64>,
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) run: Run,

    /// Where to listen. Nothing is encrypted: other machines should not reach it.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9955")]
    pub(crate) listen: SocketAddr,

    /// Refuse what cannot be verified, except the submission of transactions.
    #[arg(long)]
    pub(crate) strict: bool,

    /// A name by which clients reach this machine, besides localhost and addresses.
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_host: Vec<String>,

    /// A page in a browser that may ask, as its origin: `https://wallet.example`. Pages are refused otherwise.
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_origin: Vec<String>,
}

/// What `block`, `storage` and `account` share.
#[derive(Debug, ArgsGroup)]
pub(crate) struct Read {
    #[command(flatten)]
    pub(crate) run: Run,

    /// A block before the newest proven one, instead of that one.
    #[arg(long, value_name = "BLOCK")]
    pub(crate) at: Option<u32>,
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Block {
    #[command(flatten)]
    pub(crate) read: Read,
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Storage {
    #[command(flatten)]
    pub(crate) read: Read,

    /// The key of the entry, 0x-hex.
    #[arg(value_name = "KEY", value_parser = question::Entry::from_key, required_unless_present = "name")]
    pub(crate) key: Option<question::Entry>,

    /// The entry of an item that holds one value, by its name instead: System.Events.
    #[arg(long, value_name = "PALLET.ITEM", value_parser = question::Entry::from_name, conflicts_with = "key")]
    pub(crate) name: Option<question::Entry>,
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Account {
    #[command(flatten)]
    pub(crate) read: Read,

    /// The account: an SS58 address, or its 32 bytes as 0x-hex.
    #[arg(value_name = "ADDRESS")]
    pub(crate) account: question::Account,
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Tx {
    #[command(flatten)]
    pub(crate) run: Run,

    /// The block.
    #[arg(long, value_name = "BLOCK")]
    pub(crate) at: u32,

    /// Hash of the transaction, 0x-hex: BLAKE2b-256 of its bytes, as wallets and explorers show it.
    #[arg(value_name = "HASH", value_parser = hash)]
    pub(crate) hash: H256,
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Report {
    /// WebSocket RPC of a node; each is given every proof.
    #[arg(long = "url", value_name = "WS_URL", required = true, value_parser = ws_url)]
    pub(crate) urls: Vec<String>,

    /// A finality proof, 0x-hex.
    #[arg(value_name = "PROOF", required = true)]
    pub(crate) proofs: Vec<String>,

    /// How long one answer may take.
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub(crate) request_timeout: Duration,

    /// Print one JSON object per line on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(feature = "statistics")]
#[derive(Debug, ArgsGroup)]
pub(crate) struct Stats {
    #[command(flatten)]
    pub(crate) run: Run,

    #[command(flatten)]
    pub(crate) asked: Asked,
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Status {
    /// The state file.
    #[arg(long, value_name = "FILE")]
    pub(crate) state: PathBuf,

    /// Print a checkpoint that other clients can begin from (see `--checkpoint` of `sync`).
    #[arg(long)]
    pub(crate) checkpoint: bool,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `sync` and `follow` share.
#[derive(Debug, ArgsGroup)]
pub(crate) struct Run {
    /// WebSocket RPC of a node; several are tried in this order. `sync` asks each once for a newer proof, and `follow`
    /// compares the proven heads of all of them all along.
    #[arg(long = "url", value_name = "WS_URL", required = true, value_parser = ws_url)]
    pub(crate) urls: Vec<String>,

    /// Hash of the chain's genesis block, 0x-hex. Nothing else has to be trusted.
    #[arg(long, value_name = "HASH", value_parser = hash)]
    pub(crate) genesis: Option<H256>,

    /// Begin at this block instead of the genesis: its hash, from somebody you trust. For a chain that took Duet up later, and
    /// after a reset.
    #[arg(long, value_name = "HASH", value_parser = hash, conflicts_with = "checkpoint")]
    pub(crate) start: Option<H256>,

    /// Begin from this checkpoint (JSON, as `status --checkpoint` prints it) instead of from genesis.
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,

    #[cfg(feature = "vouchers")]
    #[command(flatten)]
    pub(crate) vouching: Vouching,

    /// Keep the trusted state in this file and continue from it the next time.
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,

    /// Keep commitments instead of keys, and ask for proofs that bring the keys that they need.
    #[arg(long)]
    pub(crate) stateless: bool,

    /// Print one JSON object per line on standard output, and no progress bar.
    #[arg(long)]
    pub(crate) json: bool,

    /// Do not print a line per proof.
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Give up when no endpoint has been of use for this long; 0 is never.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) give_up_after: Duration,

    /// How long one answer may take.
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub(crate) request_timeout: Duration,

    /// Leave an endpoint that is still behind so long after another one named a newer proven block, and proved it.
    #[arg(long, value_name = "SECONDS", default_value = "4", value_parser = seconds)]
    pub(crate) lag_after: Duration,

    /// Say so when no endpoint has had a new proof for so long.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) stall_after: Duration,
}

fn ws_url(text: &str) -> Result<String, String> {
    if text.starts_with("ws://") || text.starts_with("wss://") {
        Ok(text.to_owned())
    } else {
        Err("a WebSocket address starts with ws:// or wss://".to_owned())
    }
}

fn hash(text: &str) -> Result<H256, String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let mut bytes = [0; 32];
    hex::decode_to_slice(digits, &mut bytes)
        .map_err(|error| format!("a hash is 0x and 64 hexadecimal digits: {error}"))?;
    Ok(H256(bytes))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|error| format!("not a number of seconds: {error}"))?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}
