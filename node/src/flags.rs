//! The flags that are more than a value: health, signer, telemetry, gossip, and compiled runtimes.

use duet_gossip::Interest;
use duet_keystore::{other_writers, OtherWriters};
use duet_remote_signer::{tls::TlsFiles, Address, ConfigError, RemoteSigner};
use sc_service::config::Role;
use std::path::PathBuf;

/// The health endpoint for load balancers.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct HealthEndpoint {
    /// Answer `GET /health` and `GET /health/readiness` over HTTP at this address, for load balancers: 200 when Duet
    /// works on this node, 503 with the reasons otherwise.
    #[arg(
        long = "duet-health-listen",
        value_name = "ADDRESS",
        id = "duet_health_listen"
    )]
    pub(crate) listen: Option<std::net::SocketAddr>,

    /// The most final blocks without proof at which the node still counts as ready.
    #[arg(
        long = "duet-health-max-lag",
        value_name = "BLOCKS",
        id = "duet_health_max_lag",
        default_value_t = 32,
        requires = "duet_health_listen"
    )]
    pub(crate) max_lag: u32,
}

/// The cache of compiled runtimes.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct RuntimeCache {
    /// Keep compiled runtimes in DIR, and load them at the next start instead of compiling again. Nodes with the same
    /// executable may share DIR. The node executes the files in it: only the node's user may write there.
    #[arg(
        long = "runtime-cache",
        value_name = "DIR",
        id = "runtime_cache",
        env = "DUET_RUNTIME_CACHE"
    )]
    directory: Option<PathBuf>,
}

impl RuntimeCache {
    /// The directory, if the operator names one. Creates it if it is missing.
    ///
    /// # Errors
    /// The directory cannot be created, or other users may write to it.
    pub(crate) fn open(&self) -> Result<Option<PathBuf>, sc_cli::Error> {
        let Some(directory) = &self.directory else {
            return Ok(None);
        };
        duet_keystore::create_directory(directory)
            .map_err(|error| sc_cli::Error::Application(Box::new(error)))?;
        let directory = directory.canonicalize()?;
        let why = match other_writers(&directory)? {
            None => return Ok(Some(directory)),
            Some(OtherWriters::Mode(mode)) => format!("its mode is {mode:04o}: chmod go-w it"),
            Some(OtherWriters::Owner(owner)) => format!("it belongs to user {owner}"),
        };
        Err(sc_cli::Error::Input(format!(
            "--runtime-cache: other users may write to {}, whose files this node would execute; {why}",
            directory.display()
        )))
    }
}

/// The remote signer, if the Duet keys are not on this node.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct DuetSigner {
    /// Have votes signed by the `duet-signer` at URL: unix:/path, or tls:host:port with the three files below. The
    /// node then ignores its own Duet key files.
    #[arg(long = "duet-signer", value_name = "URL", id = "duet_signer")]
    address: Option<Address>,

    /// The CA of the signer's certificate, as PEM.
    #[arg(
        long = "duet-signer-ca",
        value_name = "FILE",
        id = "duet_signer_ca",
        requires_all = ["duet_signer", "duet_signer_cert", "duet_signer_key"]
    )]
    ca: Option<PathBuf>,

    /// The node's client certificate for the signer, as PEM.
    #[arg(
        long = "duet-signer-cert",
        value_name = "FILE",
        id = "duet_signer_cert",
        requires_all = ["duet_signer", "duet_signer_ca", "duet_signer_key"]
    )]
    certificate: Option<PathBuf>,

    /// The private key of that certificate, as PEM.
    #[arg(
        long = "duet-signer-key",
        value_name = "FILE",
        id = "duet_signer_key",
        requires_all = ["duet_signer", "duet_signer_ca", "duet_signer_cert"]
    )]
    key: Option<PathBuf>,
}

impl DuetSigner {
    /// The client of the signer, if the operator names one. The signer need not be running yet.
    ///
    /// # Errors
    /// A file is unreadable or unusable, files are given for a Unix socket, or TLS has none.
    pub(crate) fn client(&self) -> Result<Option<RemoteSigner>, ConfigError> {
        let Some(address) = &self.address else {
            return Ok(None);
        };
        RemoteSigner::new(address.clone(), self.files().as_ref()).map(Some)
    }

    fn files(&self) -> Option<TlsFiles> {
        Some(TlsFiles {
            ca: self.ca.clone()?,
            certificate: self.certificate.clone()?,
            key: self.key.clone()?,
        })
    }
}

/// The collector of encrypted readings.
#[cfg(feature = "encrypted-telemetry")]
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct EncryptedTelemetry {
    /// Send readings of this node to a collector, encrypted to the group with this public key: the file that
    /// `duet-schemes searchable keygen` made, or the key's folder. The collector can add readings up but not read them.
    #[arg(
        long = "encrypted-telemetry",
        value_name = "KEY",
        id = "encrypted_telemetry",
        requires = "encrypted_telemetry_url"
    )]
    pub(crate) key: Option<PathBuf>,

    /// The collector: ws:// or wss://.
    #[arg(
        long = "encrypted-telemetry-url",
        value_name = "URL",
        id = "encrypted_telemetry_url",
        requires = "encrypted_telemetry"
    )]
    pub(crate) url: Option<String>,

    /// The interval between readings.
    #[arg(
        long = "encrypted-telemetry-interval",
        id = "encrypted_telemetry_interval",
        value_name = "SECONDS",
        default_value_t = 60,
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub(crate) interval: u64,
}

/// The gossip that a node subscribes to. (GOSSIP-9)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum DuetGossip {
    /// Votes and proofs: the node can relay votes and aggregate them into proofs.
    #[default]
    Votes,
    /// Proofs only.
    Proofs,
}

impl DuetGossip {
    /// The announcement of a node with this role to its peers.
    ///
    /// # Errors
    /// A validator needs votes.
    pub(crate) fn interest(self, role: &Role) -> Result<Interest, sc_cli::Error> {
        match self {
            Self::Proofs if role.is_authority() => Err(sc_cli::Error::Input(
                "--duet-gossip proofs: a validator hears votes, or it could make no proofs".into(),
            )),
            Self::Proofs => Ok(Interest::Proofs),
            Self::Votes => Ok(Interest::Votes),
        }
    }
}
