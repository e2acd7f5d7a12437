//! The command line.

use crate::question;
#[cfg(feature = "statistics")]
use crate::stats::args::Asked;
#[cfg(feature = "vouchers")]
use crate::vouch::args::{Fingerprint, Vouch, Vouching};
use clap::{Args as ArgsGroup, Parser, Subcommand};
use duet_light_metadata::Token;
use duet_primitives::H256;
use duet_process::{seconds, ws_url};
use std::{net::SocketAddr, path::PathBuf, time::Duration};

const EXIT_STATUS: &str = "\
Exit status:
  0    the goal was reached; for `serve`, and `follow` without --blocks: stopped by SIGINT, SIGTERM
       or SIGHUP, and the state is saved
  1    this machine: the state file or the checkpoint file cannot be read or written
  2    bad usage: wrong arguments, or a hash that is not of a genesis block, or not of a block of
       that chain
  3    a proof or an answer did not verify, and no honest endpoint is left
  4    no endpoint could be reached
  5    the validators, or the recovery keys, signed two things that cannot both be true: do not
       trust this chain's finality. With --state FILE each later run ends so, too, until FILE.evidence
       is moved away
  6    no endpoint has the needed data: ask others; the message says when a newer checkpoint, or a
       block to start at, may be needed
";
const EXIT_STATUS_OF_VOUCHERS: &str = "  \
  7    too few people vouch for the checkpoint, or the file with their signatures is false
";
const EXIT_STATUS_AT_LAST: &str = "  \
  8    the newest trusted block is older than the trusting period: begin from a younger one
  9    the newest proven block is older than --max-age, or nobody proves its time
  130  stopped by a signal before the goal was reached; the state is saved";

fn exit_status() -> String {
    let vouchers = if cfg!(feature = "vouchers") {
        EXIT_STATUS_OF_VOUCHERS
    } else {
        ""
    };
    [
        EXIT_STATUS,
        vouchers,
        EXIT_STATUS_AT_LAST,
        duet_process::EXIT_STATUS,
    ]
    .concat()
}

/// A light client for chains that finalize with Duet.
///
/// It verifies one proof per change of the validators and trusts no server. An endpoint that sends invalid data is
/// reported with the broken rule and dropped, and the next endpoint is asked.
#[derive(Debug, Parser)]
#[command(name = "duet-light", version, after_help = exit_status(), after_long_help = exit_status())]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Verify everything up to the newest proven block, then exit.
    Sync(Sync),
    /// Verify everything up to the newest proven block, then each new proof as it arrives.
    Follow(Follow),
    /// Follow the chain and serve verified JSON-RPC over HTTP and WebSocket.
    ///
    /// Any tool can connect. Answers about the chain are checked under the newest proven block. Calls of the
    /// runtime are executed here. Answers that nothing proves are passed on, or refused with --strict. All other
    /// requests are refused.
    Serve(Serve),
    /// Print a block's verified header.
    Block(Block),
    /// Print a verified entry of the state. Absence is proven too.
    Storage(Storage),
    /// Print an account's verified nonce and balance.
    Account(Account),
    /// Print the outcome of a call of the runtime.
    ///
    /// The code of the runtime and the entries that it reads are proven, and this program executes the call.
    Call(Call),
    /// Print the metadata of the runtime, by the verified call `Metadata_metadata`, or its digest.
    Metadata(Metadata),
    /// Print the fee and the weight of an extrinsic, by the verified call `TransactionPaymentApi_query_info`.
    Fee(Fee),
    /// Show that a transaction is in a block and what became of it, or that it is not there.
    ///
    /// The block is proven final, and the list of its extrinsics is proven complete. The end of its call, its fee and its
    /// events are read from the block's proven events, by the metadata of the proven runtime that executed the block.
    Tx(Tx),
    /// Submit finality proofs to nodes, which report the signers of false proofs to their chain.
    ///
    /// Use it after exit status 5: the message contains the two contradicting proofs; with --json they are in
    /// `evidence`, and with --state FILE in FILE.evidence. All signers of the false proof lose their stake. A node's
    /// answer is unproven, so ask several nodes. Exits with 0 when a node calls a proof false, with 6 when none does.
    Report(Report),
    /// Show the trusted state in a state file.
    Status(Status),
    /// Print the statement for recovery keys to sign after a reset, and write the keys that may sign it to a file.
    ///
    /// The reset is an endpoint's claim, which nothing proves. The signers of a false statement lose their stake, so
    /// compare it with others before you sign.
    RecoveryStatement(RecoveryStatement),
    /// Print a mean or a sum of the validators' own figures, verified against the trusted set.
    ///
    /// Each validator signs its figures once per session, and a node adds them up under one signature. The node
    /// cannot change or invent figures, and omitted validators are listed. Validators may lie about themselves.
    #[cfg(feature = "statistics")]
    Stats(Stats),
    /// Sign a checkpoint for clients that trust your key, with a key file or with a command that uses a token.
    ///
    /// Only sign a checkpoint from which your own client started, or which it has verified.
    #[cfg(feature = "vouchers")]
    Vouch(Vouch),
    /// Print the fingerprint of a `vouch` key, for lists of trusted vouchers.
    #[cfg(feature = "vouchers")]
    Fingerprint(Fingerprint),
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Sync {
    #[command(flatten)]
    pub(crate) run: Run,

    #[command(flatten)]
    pub(crate) recovering: Recovering,

    #[command(flatten)]
    pub(crate) fresh: Fresh,

    /// Continue until this block, or a later one, is proven.
    #[arg(long, value_name = "BLOCK")]
    pub(crate) until: Option<u32>,
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Follow {
    #[command(flatten)]
    pub(crate) run: Run,

    #[command(flatten)]
    pub(crate) recovering: Recovering,

    /// Exit after this many verified proofs.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) blocks: Option<u64>,
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) run: Run,

    #[command(flatten)]
    pub(crate) recovering: Recovering,

    /// The address to listen on. Traffic is not encrypted, so do not expose it to other machines.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9955")]
    pub(crate) listen: SocketAddr,

    /// The address to serve Prometheus metrics on, at `/metrics`.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) metrics: Option<SocketAddr>,

    /// Refuse requests whose answers cannot be verified, except submitted transactions.
    #[arg(long)]
    pub(crate) strict: bool,

    /// A host name of this machine that clients may use, besides localhost and IP addresses.
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_host: Vec<String>,

    /// The origin of a web page that may connect: `https://wallet.example`. Other web pages are refused.
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_origin: Vec<String>,
}

/// How old an answer may be.
#[derive(Debug, ArgsGroup)]
pub(crate) struct Fresh {
    /// Fail if the newest proven block is older than this, or if nobody proves its time. The chain may have stopped, or
    /// the endpoints hide newer blocks. Its age is by this machine's clock.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) max_age: Option<u64>,
}

/// The common arguments of the commands that answer a question about a block.
#[derive(Debug, ArgsGroup)]
pub(crate) struct Read {
    #[command(flatten)]
    pub(crate) run: Run,

    #[command(flatten)]
    pub(crate) fresh: Fresh,

    /// Read at this block instead of the newest proven one.
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

    /// The key of the entry in the main trie, 0x-hex. Of a child trie it has the root alone.
    #[arg(value_name = "KEY", value_parser = question::Entry::from_key, required_unless_present = "name")]
    pub(crate) key: Option<question::Entry>,

    /// The name of an item with a single value, such as System.Events, instead of the key.
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
pub(crate) struct Call {
    #[command(flatten)]
    pub(crate) read: Read,

    /// The function, such as AccountNonceApi_account_nonce.
    #[arg(value_name = "METHOD")]
    pub(crate) method: String,

    /// Its parameters in SCALE, one after the other, 0x-hex.
    #[arg(value_name = "HEX", value_parser = bytes, default_value = "0x")]
    pub(crate) parameters: Bytes,
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Metadata {
    #[command(flatten)]
    pub(crate) read: Read,

    /// Print the digest of RFC 78 instead, which hardware wallets compare, for a token with this symbol and so many
    /// decimals, such as UNIT:12. No metadata has them: take them from a chain specification that you trust.
    #[arg(long, value_name = "SYMBOL:DECIMALS", value_parser = token)]
    pub(crate) digest: Option<Token>,
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Fee {
    #[command(flatten)]
    pub(crate) read: Read,

    /// The extrinsic, 0x-hex, with its length in front, as it would be submitted. The signature need not be valid.
    #[arg(value_name = "HEX_OF_EXTRINSIC", value_parser = bytes)]
    pub(crate) extrinsic: Bytes,
}

/// Bytes on the command line.
#[derive(Clone, Debug)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

#[derive(Debug, ArgsGroup)]
pub(crate) struct Tx {
    #[command(flatten)]
    pub(crate) run: Run,

    #[command(flatten)]
    pub(crate) fresh: Fresh,

    /// The block.
    #[arg(long, value_name = "BLOCK")]
    pub(crate) at: u32,

    /// Hash of the transaction, 0x-hex: BLAKE2b-256 of its bytes, as wallets and explorers show it.
    #[arg(value_name = "HASH", value_parser = hash)]
    pub(crate) hash: H256,
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Report {
    /// WebSocket RPC of a node. Each node gets every proof.
    #[arg(long = "url", value_name = "WS_URL", required = true, value_parser = ws_url)]
    pub(crate) urls: Vec<String>,

    /// A finality proof, 0x-hex.
    #[arg(value_name = "PROOF", required = true)]
    pub(crate) proofs: Vec<String>,

    /// The timeout of one request.
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

    /// Print a checkpoint from which other clients can start (see `--checkpoint` of `sync`).
    #[arg(long)]
    pub(crate) checkpoint: bool,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct RecoveryStatement {
    #[command(flatten)]
    pub(crate) run: Run,

    /// The file to write the members of the recovery set to.
    #[arg(long, value_name = "FILE")]
    pub(crate) members: PathBuf,
}

/// What the user says about resets that a recovery proof leads across.
#[derive(Debug, ArgsGroup)]
pub(crate) struct Recovering {
    /// Cross a reset by the recovery proof in this file, after the wait that the chain names. With --state, the wait
    /// goes on in the next run, without this option too.
    #[arg(long, value_name = "FILE", conflicts_with = "no_recovery")]
    pub(crate) recovery_proof: Option<PathBuf>,

    /// Do not cross a reset by a recovery proof, not even by one in the state file.
    #[arg(long)]
    pub(crate) no_recovery: bool,
}

/// The common arguments of `sync` and `follow`.
#[derive(Debug, ArgsGroup)]
pub(crate) struct Run {
    /// WebSocket RPC of a node; several are tried in this order. `sync` asks each once for a newer proof, and
    /// `follow` keeps comparing the proven heads of all.
    #[arg(long = "url", value_name = "WS_URL", required = true, value_parser = ws_url)]
    pub(crate) urls: Vec<String>,

    /// Hash of the chain's genesis block, 0x-hex. Nothing else has to be trusted.
    #[arg(long, value_name = "HASH", value_parser = hash)]
    pub(crate) genesis: Option<H256>,

    /// Start at the block with this hash instead of the genesis. Take the hash from somebody you trust. For a chain
    /// that adopted Duet after its genesis, and after a reset.
    #[arg(long, value_name = "HASH", value_parser = hash, conflicts_with = "checkpoint")]
    pub(crate) start: Option<H256>,

    /// Start from this checkpoint (JSON, as `status --checkpoint` prints it) instead of the genesis.
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,

    #[cfg(feature = "vouchers")]
    #[command(flatten)]
    pub(crate) vouching: Vouching,

    /// Store the trusted state in this file, and continue from it next time.
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,

    /// Store commitments instead of keys, and request proofs that contain the needed keys.
    #[arg(long)]
    pub(crate) stateless: bool,

    /// Refuse to continue from a block that is older than this, less than the chain's bonding duration. The chain may
    /// name a period too: the shorter one counts.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) trusting_period: Option<u64>,

    /// Begin or continue from a block that is older than the trusting period, or whose age is not known.
    #[arg(long)]
    pub(crate) trust_old_start: bool,

    /// Print one JSON object per line on standard output, and no progress bar.
    #[arg(long)]
    pub(crate) json: bool,

    /// Do not print a line per proof.
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Give up when no endpoint has been useful for this long; 0 means never.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) give_up_after: Duration,

    /// The timeout of one request.
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub(crate) request_timeout: Duration,

    /// Drop a lagging endpoint this long after another endpoint announced, and proved, a newer block.
    #[arg(long, value_name = "SECONDS", default_value = "4", value_parser = seconds)]
    pub(crate) lag_after: Duration,

    /// Warn when no endpoint has had a new proof for this long.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) stall_after: Duration,
}

fn bytes(text: &str) -> Result<Bytes, String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let bytes = hex::decode(digits);
    bytes
        .map(Bytes)
        .map_err(|error| format!("bytes are 0x and hexadecimal digits: {error}"))
}

fn token(text: &str) -> Result<Token, String> {
    let parts = text
        .rsplit_once(':')
        .filter(|(symbol, _)| !symbol.is_empty());
    let token = parts.and_then(|(symbol, decimals)| {
        let (symbol, decimals) = (symbol.to_owned(), decimals.parse().ok()?);
        Some(Token { symbol, decimals })
    });
    token.ok_or_else(|| "a token is SYMBOL:DECIMALS, as in UNIT:12".to_owned())
}

fn hash(text: &str) -> Result<H256, String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let mut bytes = [0; 32];
    hex::decode_to_slice(digits, &mut bytes)
        .map_err(|error| format!("a hash is 0x and 64 hexadecimal digits: {error}"))?;
    Ok(H256(bytes))
}
