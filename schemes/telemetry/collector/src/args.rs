//! The command line.

use clap::{Args as ArgsGroup, Parser, Subcommand};
use std::{net::SocketAddr, path::PathBuf};

const EXIT_STATUS: &str = "\
Exit status:
  0    done; for `serve`: stopped by SIGINT, SIGTERM or SIGHUP
  1    a file or system error
  2    bad usage: wrong arguments, or a trapdoor of another key or keyword
  3    there is no reading of this metric in this hour";

/// Collects encrypted readings of nodes, and finds and adds them without decryption.
///
/// Nodes send readings with --encrypted-telemetry. Their operators make the keys with `duet-schemes searchable`, and
/// decrypt the sums with it.
#[derive(Debug, Parser)]
#[command(
    name = "duet-collector",
    version,
    after_help = [EXIT_STATUS, duet_process::EXIT_STATUS].concat()
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Accept readings, and store them in a folder for each hour.
    ///
    /// Any client with the group's public key can send readings: allow access only to your nodes.
    Serve(Serve),
    /// Find the readings of a metric in an hour, and add them up into one ciphertext for the group.
    Sum(Sum),
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Serve {
    /// The folder of the readings.
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: PathBuf,

    /// The address to listen on. Only the numbers are encrypted: use a TLS proxy on networks with other listeners.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9966")]
    pub(crate) listen: SocketAddr,

    /// The time for which readings are kept.
    #[arg(long, value_name = "HOURS", default_value_t = 14 * 24, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) keep: u64,

    /// Accept no more readings once the stored ones have this many MiB.
    #[arg(long, value_name = "MIB", default_value_t = 4096)]
    pub(crate) most: u64,
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Sum {
    /// The folder of the readings.
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: PathBuf,

    /// The group's public key: its file, or the key's folder.
    #[arg(long, value_name = "FILE")]
    pub(crate) public: PathBuf,

    /// The trapdoor of the keyword, from `duet-schemes searchable trapdoor`.
    #[arg(long, value_name = "FILE")]
    pub(crate) trapdoor: PathBuf,

    /// The chain, the metric and the hour of the keyword. The hour is the number of whole hours since 1970.
    #[arg(long, num_args = 3, required = true, value_names = ["CHAIN", "METRIC", "HOUR"])]
    pub(crate) telemetry: Vec<String>,

    /// The output file for the sum. An existing file is not replaced.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}
