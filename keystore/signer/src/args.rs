//! The command line.

use duet_primitives::H256;
use duet_remote_signer::{tls::TlsFiles, Address};
use std::path::PathBuf;

const EXIT_STATUS: &str = "\
Exit status:
  0    stopped by SIGINT, SIGTERM or SIGHUP
  1    the keys cannot be read, or the address is not free
  2    bad usage: wrong arguments";

/// Holds a validator's Duet keys and signs for its nodes. A key signs only one commitment per block, for all clients.
#[derive(Debug, clap::Parser)]
#[command(version, after_help = [EXIT_STATUS, duet_process::EXIT_STATUS].concat())]
pub(crate) struct Args {
    /// The directory of the key files and the records of votes. Created if it is missing.
    #[arg(long, value_name = "DIR")]
    pub(crate) keystore_path: PathBuf,

    /// A file with the password of the key files: its whole content, as for the node.
    #[arg(long, value_name = "FILE")]
    pub(crate) password_filename: Option<PathBuf>,

    /// The address to listen on: unix:/path, or tls:host:port with the three files below.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Address,

    #[command(flatten)]
    pub(crate) tls: Tls,

    /// Make keys at a node's request (`duet_generateKeys`).
    #[arg(long)]
    pub(crate) allow_generate: bool,

    /// Sign only for the chain with this genesis hash. May be given several times. By default, sign for all.
    #[arg(long, value_name = "HASH", value_parser = hash)]
    pub(crate) genesis: Vec<H256>,

    /// The log level: error, warn, info, debug.
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = level)]
    pub(crate) log: log::LevelFilter,
}

/// The files for mutual TLS: all three or none.
#[derive(Debug, clap::Args)]
#[group(requires_all = ["tls_cert", "tls_key", "tls_client_ca"])]
pub(crate) struct Tls {
    /// The signer's certificate, as PEM, with the intermediate certificates up to the CA that nodes trust.
    #[arg(long, value_name = "FILE")]
    tls_cert: Option<PathBuf>,

    /// The private key of that certificate, as PEM.
    #[arg(long, value_name = "FILE")]
    tls_key: Option<PathBuf>,

    /// The CA of the nodes' certificates, as PEM. Every holder of such a certificate may request votes.
    #[arg(long, value_name = "FILE")]
    tls_client_ca: Option<PathBuf>,
}

impl Tls {
    /// The files, if the command line names them.
    pub(crate) fn files(&self) -> Option<TlsFiles> {
        Some(TlsFiles {
            ca: self.tls_client_ca.clone()?,
            certificate: self.tls_cert.clone()?,
            key: self.tls_key.clone()?,
        })
    }
}

fn hash(text: &str) -> Result<H256, String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let mut bytes = [0; 32];
    hex::decode_to_slice(digits, &mut bytes)
        .map(|()| H256(bytes))
        .map_err(|error| format!("not 0x-hex of 32 bytes: {error}"))
}

fn level(text: &str) -> Result<log::LevelFilter, String> {
    let level = text.parse();
    level.map_err(|_| "expected error, warn, info or debug".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{error::ErrorKind, CommandFactory, Parser};

    const NEEDED: [&str; 5] = [
        "duet-signer",
        "--keystore-path",
        "keys",
        "--listen",
        "unix:/run/signer.sock",
    ];

    fn parse(more: &[&str]) -> Result<Args, ErrorKind> {
        Args::try_parse_from([&NEEDED, more].concat()).map_err(|error| error.kind())
    }

    #[test]
    fn the_command_line_has_no_contradictions() {
        Args::command().debug_assert();
    }

    #[test]
    fn keys_are_not_made_and_all_chains_are_signed_for_unless_it_is_said() {
        let args = parse(&[]).unwrap();
        assert!(!args.allow_generate);
        assert!(args.genesis.is_empty());
        assert_eq!(args.tls.files(), None);
        assert_eq!(args.log, log::LevelFilter::Info);
    }

    #[test]
    fn tls_takes_all_three_files_or_none() {
        let all = ["--tls-cert", "c", "--tls-key", "k", "--tls-client-ca", "a"];
        let expected = TlsFiles {
            ca: "a".into(),
            certificate: "c".into(),
            key: "k".into(),
        };
        assert_eq!(parse(&all).unwrap().tls.files(), Some(expected));
        for missing in [0, 2, 4] {
            let mut some = all.to_vec();
            some.drain(missing..missing + 2);
            let error = parse(&some).unwrap_err();
            assert_eq!(error, ErrorKind::MissingRequiredArgument, "{some:?}");
        }
    }

    #[test]
    fn a_genesis_hash_is_32_bytes() {
        let one = format!("0x{}", "01".repeat(32));
        let args = parse(&["--genesis", &one, "--genesis", &"02".repeat(32)]).unwrap();
        let expected = [H256::repeat_byte(1), H256::repeat_byte(2)];
        assert_eq!(args.genesis, expected);
        let error = parse(&["--genesis", "0x01"]).unwrap_err();
        assert_eq!(error, ErrorKind::ValueValidation);
    }
}
