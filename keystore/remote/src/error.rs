//! Why a remote signer could not be reached, and why a client could not be created.

use crate::{address::Address, bounded::Text, frame::FrameError, hello::HelloError};
use duet_keystore::SignerError;
use duet_primitives::H256;
use std::{io, path::PathBuf, time::Duration};

/// A remote signer's failures without an error in the trait. Carried by [`SignerError::Unavailable`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// The deadline passed.
    #[error("no answer within {within:?}")]
    NoAnswer {
        /// The deadline.
        within: Duration,
    },
    /// All connections to the signer were in use until the deadline passed.
    #[error("all connections to the signer were in use for {within:?}")]
    Busy {
        /// The deadline.
        within: Duration,
    },
    /// There is no connection to the signer.
    #[error("no connection to {to}, tried {attempts} times: {error}")]
    Connect {
        /// The signer's address.
        to: Address,
        /// The number of attempts until the deadline.
        attempts: u32,
        /// The error of the last attempt.
        error: io::Error,
    },
    /// The connection was closed by the signer or the network.
    #[error("the connection ended: {0}")]
    Closed(io::Error),
    /// TLS: either side refused a certificate, or the other side does not speak TLS.
    #[error("TLS: {0}")]
    Tls(#[from] rustls::Error),
    /// The other side is not a signer, or has another version.
    #[error(transparent)]
    Hello(#[from] HelloError),
    /// A frame exceeds the limit.
    #[error(transparent)]
    Frame(FrameError),
    /// The answer does not decode.
    #[error("the answer does not decode: {0}")]
    Malformed(codec::Error),
    /// The answer is to another request.
    #[error("the answer is to request {got}, not to request {expected}")]
    OtherRequest {
        /// The request.
        expected: u64,
        /// The request that the answer names.
        got: u64,
    },
    /// The answer is to another kind of request.
    #[error("the answer is to another kind of request")]
    OtherReply,
    /// The owner exceeds the limit of a request. Nothing was sent.
    #[error("the owner has {got} bytes, above the limit of {limit}")]
    OwnerTooLong {
        /// The most bytes.
        limit: u32,
        /// Its length in bytes.
        got: usize,
    },
    /// The key files or the record of votes failed at the signer.
    #[error("the signer reports: {0}")]
    KeyStore(Text),
    /// The signer does not sign for this chain.
    #[error("the signer does not sign for the chain with genesis {0:?}")]
    OtherChain(H256),
    /// The signer could not decode the request, or found it malformed.
    #[error("the signer found the request malformed")]
    Refused,
    /// The signer has more keys than a list can hold.
    #[error("the signer has {got} keys, above the limit of {limit}")]
    TooManyKeys {
        /// The most keys.
        limit: u32,
        /// The number of keys.
        got: u32,
    },
}

impl RemoteError {
    /// The meaning of a connection error for the caller.
    pub(crate) fn of_io(error: io::Error, within: Duration) -> Self {
        if error.kind() == io::ErrorKind::TimedOut {
            return Self::NoAnswer { within };
        }
        match error.downcast::<rustls::Error>() {
            Ok(error) => Self::Tls(error),
            Err(error) => Self::Closed(error),
        }
    }

    /// As [`RemoteError::of_io`].
    pub(crate) fn of_frame(error: FrameError, within: Duration) -> Self {
        match error {
            FrameError::Io(error) => Self::of_io(error, within),
            too_long => Self::Frame(too_long),
        }
    }
}

impl From<RemoteError> for SignerError {
    fn from(error: RemoteError) -> Self {
        Self::Unavailable(Box::new(error))
    }
}

/// Why a client or a server could not be created. No connection was tried.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// `tls:` without certificates.
    #[error("a tls: address needs a CA, a certificate and its key")]
    NoCertificates,
    /// `unix:` with certificates.
    #[error("a unix: address takes no certificates")]
    UselessCertificates,
    /// The host is neither a name nor an address.
    #[error("{0} is neither a host name nor an IP address")]
    Host(String),
    /// A file of certificates or a key cannot be read.
    #[error("{}: {error}", path.display())]
    Pem {
        /// The file.
        path: PathBuf,
        /// The fault.
        error: rustls::pki_types::pem::Error,
    },
    /// A certificate file has no certificate.
    #[error("{}: there is no certificate in this file", path.display())]
    NoCertificate {
        /// The file.
        path: PathBuf,
    },
    /// The certificates are unusable.
    #[error("unusable certificates: {0}")]
    Certificates(String),
    /// TLS rejects the certificate or the key.
    #[error("TLS refuses this configuration: {0}")]
    Tls(#[from] rustls::Error),
}
