//! The flags that are more than a value: health, signer, telemetry, gossip, and compiled runtimes.

use duet_gossip::Interest;
use duet_remote_signer::{tls::TlsFiles, Address, ConfigError, RemoteSigner};
use sc_service::config::Role;
use std::{os::unix::fs::PermissionsExt, path::PathBuf};

/// Where load balancers ask whether this node is fit.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct HealthEndpoint {
    /// Answer `GET /health` and `GET /health/readiness` over HTTP at this address, for load balancers: 200 when Duet works on this
    /// node, 503 and the reasons when not.
    #[arg(
        long = "duet-health-listen",
        value_name = "ADDRESS",
        id = "duet_health_listen"
    )]
    pub(crate) listen: Option<std::net::SocketAddr>,

    /// How many final blocks may be without proof on a node that is ready.
    #[arg(
        long = "duet-health-max-lag",
        value_name = "BLOCKS",
        id = "duet_health_max_lag",
        default_value_t = 32,
        requires = "duet_health_listen"
    )]
    pub(crate) max_lag: u32,
}

/// Where compiled runtimes are kept.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct RuntimeCache {
    /// Keep compiled runtimes in DIR, and load them at the next start instead of compiling again. Nodes with the same executable may
    /// share it. The node executes the files in it: nobody but its user may write there.
    #[arg(
        long = "runtime-cache",
        value_name = "DIR",
        id = "runtime_cache",
        env = "DUET_RUNTIME_CACHE",
        global = true
    )]
    directory: Option<PathBuf>,
}

impl RuntimeCache {
    /// The directory, if one is named. It is made if it is missing.
    ///
    /// # Errors
    /// It cannot be made, or others may write to it.
    pub(crate) fn open(&self) -> Result<Option<PathBuf>, sc_cli::Error> {
        let Some(directory) = &self.directory else {
            return Ok(None);
        };
        duet_keystore::create_directory(directory)
            .map_err(|error| sc_cli::Error::Application(Box::new(error)))?;
        let directory = directory.canonicalize()?;
        let mode = directory.metadata()?.permissions().mode() & 0o7777;
        if mode & 0o022 != 0 {
            return Err(sc_cli::Error::Input(format!(
                "--runtime-cache: others may write to {} (mode {mode:o}), whose files this node would execute",
                directory.display()
            )));
        }
        Ok(Some(directory))
    }
}

/// Who holds the Duet keys, if not this node.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct DuetSigner {
    /// Have votes signed by the `duet-signer` at URL: unix:/path, or tls:host:port with the three files below. The Duet key files of
    /// this node are then not used.
    #[arg(long = "duet-signer", value_name = "URL", id = "duet_signer")]
    address: Option<Address>,

    /// The CA of the signer's certificate, in PEM.
    #[arg(
        long = "duet-signer-ca",
        value_name = "FILE",
        id = "duet_signer_ca",
        requires_all = ["duet_signer", "duet_signer_cert", "duet_signer_key"]
    )]
    ca: Option<PathBuf>,

    /// The certificate that this node shows to the signer, in PEM.
    #[arg(
        long = "duet-signer-cert",
        value_name = "FILE",
        id = "duet_signer_cert",
        requires_all = ["duet_signer", "duet_signer_ca", "duet_signer_key"]
    )]
    certificate: Option<PathBuf>,

    /// The key of that certificate, in PEM.
    #[arg(
        long = "duet-signer-key",
        value_name = "FILE",
        id = "duet_signer_key",
        requires_all = ["duet_signer", "duet_signer_ca", "duet_signer_cert"]
    )]
    key: Option<PathBuf>,
}

impl DuetSigner {
    /// The client of the signer, if one is named. It need not be there yet.
    ///
    /// # Errors
    /// A file that cannot be read or is of no use; files for a Unix socket, and none for TLS.
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

/// Where encrypted readings go.
#[cfg(feature = "encrypted-telemetry")]
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct EncryptedTelemetry {
    /// Send readings of this node to a collector, encrypted to the group with this public key, which `duet-schemes searchable
    /// keygen` made: its file, or the key's folder. The collector can add readings up and cannot read them.
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

    /// How often a reading is taken.
    #[arg(
        long = "encrypted-telemetry-interval",
        id = "encrypted_telemetry_interval",
        value_name = "SECONDS",
        default_value_t = 60,
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub(crate) interval: u64,
}

/// What a node wants to hear of Duet's gossip. (GOSSIP-9)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum DuetGossip {
    /// Votes and proofs: the node can relay votes, and make proofs of them.
    #[default]
    Votes,
    /// Proofs only.
    Proofs,
}

impl DuetGossip {
    /// What a node of this role says to its peers.
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
