//! The command line.

use clap::{Args as ArgsGroup, Parser, Subcommand};
use std::{net::SocketAddr, path::PathBuf};

const EXIT_STATUS: &str = "\
Exit status:
  0  done
  1  a file or the machine
  2  bad usage: wrong arguments, or a trapdoor of another key or keyword
  3  there is no reading of this metric in this hour";

/// Collects encrypted readings of nodes, and finds and adds them without reading them.
///
/// Nodes send readings with --encrypted-telemetry. The group that operates them makes the keys with `duet-schemes searchable`, and
/// decrypts the sums with it.
#[derive(Debug, Parser)]
#[command(name = "duet-collector", version, after_help = EXIT_STATUS)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Take readings, and keep them in a folder for each hour.
    ///
    /// Anybody who reaches it and knows the group's public key can send readings: let only your nodes reach it.
    Serve(Serve),
    /// Find the readings of a metric in an hour, and add them up: one ciphertext, for the group.
    Sum(Sum),
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Serve {
    /// Where readings are kept.
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: PathBuf,

    /// Where to listen. Nothing but the numbers is encrypted: put a proxy with TLS before it where others can listen.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9966")]
    pub(crate) listen: SocketAddr,

    /// How long readings are kept.
    #[arg(long, value_name = "HOURS", default_value_t = 14 * 24, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) keep: u64,

    /// Take no more readings once the kept ones have so many MiB.
    #[arg(long, value_name = "MIB", default_value_t = 4096)]
    pub(crate) most: u64,
}

#[derive(Debug, ArgsGroup)]
pub(crate) struct Sum {
    /// Where readings are kept.
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

    /// Where to write the sum. An existing file is not replaced.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}
