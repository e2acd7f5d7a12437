//! Where the signer listens, and how a connection begins.

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

/// How long a client that was refused has to read why.
const LINGER: Duration = Duration::from_secs(1);
/// What is read of such a client at most.
const LINGER_LEN: u64 = 64 * 1024;

/// A socket that listens, and with TLS what is needed to accept.
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
        /// What the system said.
        error: io::Error,
    },
}

/// A connection that was accepted, and has said nothing yet.
pub(crate) enum Accepted {
    Unix(UnixStream),
    Tls(TcpStream, Arc<ServerConfig>),
}

impl Listener {
    /// Listens. `files` are for `tls:` addresses; their CA is the one that signed the certificates of the clients.
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

    /// Where it listens, with the port that the system chose if it was to choose one.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// What waits for connections, in a runtime of tokio. The socket is this listener's.
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

/// Waits for connections.
pub(crate) enum Incoming {
    Unix(tokio::net::UnixListener),
    Tls(tokio::net::TcpListener, Arc<ServerConfig>),
}

impl Incoming {
    /// The next connection. One that is not waited for to the end is not lost.
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

    /// With TLS, the handshake: whose certificate the CA did not sign gets no further.
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
                    log::info!("a client shows the certificate with SHA-256 {digest}");
                }
                Ok(Box::new(StreamOwned::new(tls, socket)))
            }
        }
    }
}

/// Lets a client read why it was refused: a socket that is closed while there is something to read takes back what was sent.
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
    // It is gone either way.
    let _ = end();
}

/// TLS 1.3; a client must show a certificate that the CA signed, at each connection anew.
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
