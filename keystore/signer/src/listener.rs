//! The signer's listener, and the start of a connection.

use crate::{
    peer::Peer,
    unix::{self, Socket, SocketError},
};
use duet_remote_signer::{
    tls::{self, Credentials, TlsFiles},
    Address, Channel, ConfigError, Timed,
};
use rustls::{
    server::{NoServerSessionStorage, WebPkiClientVerifier},
    ServerConfig, ServerConnection, StreamOwned,
};
use sha2::{Digest, Sha256};
use std::{
    io::{self, Read},
    net::{Shutdown, TcpListener, TcpStream},
    os::unix::net::{UnixListener, UnixStream},
    sync::Arc,
    time::{Duration, Instant},
};

/// How long a refused client has to read the reason.
const LINGER: Duration = Duration::from_secs(1);
/// The most bytes read from such a client.
const LINGER_LEN: u64 = 64 * 1024;

/// A listening socket, with the TLS configuration if it uses TLS.
pub struct Listener {
    address: Address,
    kind: Kind,
}

enum Kind {
    Unix {
        listener: UnixListener,
        /// Removes the file.
        _socket: Socket,
    },
    Tls {
        listener: TcpListener,
        config: Arc<ServerConfig>,
    },
}

/// Why the signer cannot listen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListenError {
    /// The Unix socket.
    #[error(transparent)]
    Unix(#[from] SocketError),
    /// The certificates.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The TCP port.
    #[error("{address}: {error}")]
    Tcp {
        /// The address.
        address: Address,
        /// The system's error.
        error: io::Error,
    },
}

/// An accepted connection, before the hello.
pub(crate) enum Accepted {
    Unix(UnixStream),
    Tls(TcpStream, Arc<ServerConfig>),
}

impl Listener {
    /// Starts listening. `files` are for `tls:` addresses; their CA signs the clients' certificates.
    ///
    /// # Errors
    /// [`ListenError`].
    pub fn bind(address: &Address, files: Option<&TlsFiles>) -> Result<Self, ListenError> {
        let (address, kind) = match (address, files) {
            (Address::Unix(_), Some(_)) => return Err(ConfigError::UselessCertificates.into()),
            (Address::Tls { .. }, None) => return Err(ConfigError::NoCertificates.into()),
            (Address::Unix(path), None) => {
                let (listener, _socket) = unix::bind(path)?;
                let error = |error| SocketError::Io {
                    path: path.clone(),
                    error,
                };
                listener.set_nonblocking(true).map_err(error)?;
                (address.clone(), Kind::Unix { listener, _socket })
            }
            (Address::Tls { host, port }, Some(files)) => {
                let config = server_config(files)?;
                let failed = |error| ListenError::Tcp {
                    address: address.clone(),
                    error,
                };
                let listener = TcpListener::bind((host.as_str(), *port)).map_err(failed)?;
                listener.set_nonblocking(true).map_err(failed)?;
                let port = listener.local_addr().map_err(failed)?.port();
                let host = host.clone();
                (Address::Tls { host, port }, Kind::Tls { listener, config })
            }
        };
        Ok(Self { address, kind })
    }

    /// The listening address, with the port that the system chose if it was 0.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// The source of new connections, in a tokio runtime. The socket stays this listener's.
    pub(crate) fn incoming(&self) -> io::Result<Incoming> {
        match &self.kind {
            Kind::Unix { listener, .. } => {
                tokio::net::UnixListener::from_std(listener.try_clone()?).map(Incoming::Unix)
            }
            Kind::Tls { listener, config } => {
                let listener = tokio::net::TcpListener::from_std(listener.try_clone()?)?;
                Ok(Incoming::Tls(listener, config.clone()))
            }
        }
    }
}

/// The source of new connections.
pub(crate) enum Incoming {
    Unix(tokio::net::UnixListener),
    Tls(tokio::net::TcpListener, Arc<ServerConfig>),
}

impl Incoming {
    /// The next connection. Cancelling this future loses no connection.
    pub(crate) async fn next(&self) -> io::Result<Accepted> {
        match self {
            Self::Unix(listener) => {
                let socket = listener.accept().await?.0.into_std()?;
                socket.set_nonblocking(false)?;
                Ok(Accepted::Unix(socket))
            }
            Self::Tls(listener, config) => {
                let socket = listener.accept().await?.0.into_std()?;
                socket.set_nonblocking(false)?;
                Ok(Accepted::Tls(socket, config.clone()))
            }
        }
    }
}

impl Accepted {
    /// A second handle of the socket.
    pub(crate) fn peer(&self) -> io::Result<Peer> {
        match self {
            Self::Unix(socket) => socket.try_clone().map(Peer::Unix),
            Self::Tls(socket, _) => socket.try_clone().map(Peer::Tcp),
        }
    }

    /// With TLS, the handshake: it fails for clients whose certificate the CA did not sign.
    pub(crate) fn open(self, deadline: Instant) -> io::Result<Box<dyn Channel>> {
        match self {
            Self::Unix(socket) => Ok(Box::new(Timed::new(socket, deadline))),
            Self::Tls(socket, config) => {
                socket.set_nodelay(true)?;
                let mut socket = Timed::new(socket, deadline);
                let mut tls = ServerConnection::new(config).map_err(io::Error::other)?;
                while tls.is_handshaking() {
                    if let Err(error) = tls.complete_io(&mut socket) {
                        linger(socket.socket());
                        return Err(error);
                    }
                }
                let shown = tls.peer_certificates().and_then(|chain| chain.first());
                if let Some(certificate) = shown {
                    let digest = hex::encode(Sha256::digest(certificate));
                    log::info!("a client presented the certificate with SHA-256 {digest}");
                }
                Ok(Box::new(StreamOwned::new(tls, socket)))
            }
        }
    }
}

/// Lets a client read the refusal: closing a socket with unread input discards the data sent.
fn linger(mut socket: &TcpStream) {
    let end = || -> io::Result<()> {
        socket.shutdown(Shutdown::Write)?;
        socket.set_read_timeout(Some(LINGER))?;
        let mut rest = (&mut socket).take(LINGER_LEN);
        let mut buffer = [0; 1024];
        let began = Instant::now();
        while began.elapsed() < LINGER && rest.read(&mut buffer)? > 0 {}
        Ok(())
    };
    let mut end = end;
    // The connection ends in any case.
    let _ = end();
}

/// TLS 1.3; a client must present a certificate that the CA signed, on each connection again.
fn server_config(files: &TlsFiles) -> Result<Arc<ServerConfig>, ConfigError> {
    let Credentials { roots, chain, key } = files.read()?;
    let provider = tls::provider();
    let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider.clone())
        .build()
        .map_err(|error| ConfigError::Certificates(error.to_string()))?;
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(tls::VERSIONS)?
        .with_client_cert_verifier(verifier)
        .with_single_cert(chain, key)?;
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(Arc::new(config))
}
