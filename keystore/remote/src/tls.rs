//! Mutual TLS 1.3: the files of both sides, and the client's side.

use crate::error::ConfigError;
use rustls::{
    client::Resumption,
    crypto::{ring, CryptoProvider},
    pki_types::{pem::PemObject, CertificateDer, PrivateKeyDer},
    version::TLS13,
    ClientConfig, RootCertStore, SupportedProtocolVersion,
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The accepted versions of TLS.
pub const VERSIONS: &[&SupportedProtocolVersion] = &[&TLS13];

/// PEM files of one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The CA that signed the other side's certificate.
    pub ca: PathBuf,
    /// This side's certificate, and those between it and its CA.
    pub certificate: PathBuf,
    /// The key of this side's certificate.
    pub key: PathBuf,
}

/// The content of [`TlsFiles`].
pub struct Credentials {
    /// The CA that signed the other side's certificate.
    pub roots: Arc<RootCertStore>,
    /// This side's certificate, and those between it and its CA.
    pub chain: Vec<CertificateDer<'static>>,
    /// Its key.
    pub key: PrivateKeyDer<'static>,
}

impl TlsFiles {
    /// Reads the files.
    ///
    /// # Errors
    /// [`ConfigError`] naming the file.
    pub fn read(&self) -> Result<Credentials, ConfigError> {
        let mut roots = RootCertStore::empty();
        for certificate in certificates(&self.ca)? {
            roots.add(certificate)?;
        }
        let key = PrivateKeyDer::from_pem_file(&self.key).map_err(|error| ConfigError::Pem {
            path: self.key.clone(),
            error,
        })?;
        Ok(Credentials {
            roots: Arc::new(roots),
            chain: certificates(&self.certificate)?,
            key,
        })
    }
}

/// The certificates in a file, at least one.
fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, ConfigError> {
    let pem = |error| ConfigError::Pem {
        path: path.to_owned(),
        error,
    };
    let found = CertificateDer::pem_file_iter(path).map_err(pem)?;
    let found: Vec<_> = found.collect::<Result<_, _>>().map_err(pem)?;
    if found.is_empty() {
        let path = path.to_owned();
        return Err(ConfigError::NoCertificate { path });
    }
    Ok(found)
}

/// The cryptography provider.
pub fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

/// The client's side. Sessions are not resumed: each connection presents its certificate.
pub(crate) fn client(files: &TlsFiles) -> Result<Arc<ClientConfig>, ConfigError> {
    let Credentials { roots, chain, key } = files.read()?;
    let mut config = ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(VERSIONS)?
        .with_root_certificates(roots)
        .with_client_auth_cert(chain, key)?;
    config.resumption = Resumption::disabled();
    Ok(Arc::new(config))
}
