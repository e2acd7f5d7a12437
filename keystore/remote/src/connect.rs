//! Opens a connection, within a deadline.

use crate::{
    address::Address,
    channel::{Channel, Timed},
    error::ConfigError,
    resolve::Resolver,
    tls::{self, TlsFiles},
};
use rustls::{pki_types::ServerName, ClientConfig, ClientConnection, StreamOwned};
use socket2::{Domain, SockAddr, Socket, Type};
use std::{
    io,
    net::TcpStream,
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

/// The address and credentials of connections.
pub(crate) enum Target {
    Unix(PathBuf),
    Tls {
        resolver: Resolver,
        name: ServerName<'static>,
        config: Arc<ClientConfig>,
    },
}

impl Target {
    /// Reads the files for a connection. Opens nothing.
    pub(crate) fn new(address: &Address, files: Option<&TlsFiles>) -> Result<Self, ConfigError> {
        match (address, files) {
            (Address::Unix(path), None) => Ok(Self::Unix(path.clone())),
            (Address::Unix(_), Some(_)) => Err(ConfigError::UselessCertificates),
            (Address::Tls { .. }, None) => Err(ConfigError::NoCertificates),
            (Address::Tls { host, port }, Some(files)) => Ok(Self::Tls {
                resolver: Resolver::new(host.clone(), *port),
                name: ServerName::try_from(host.clone())
                    .map_err(|_| ConfigError::Host(host.clone()))?,
                config: tls::client(files)?,
            }),
        }
    }

    /// Opens a connection. With TLS, the signer's certificate has been checked; the signer's first answer shows
    /// whether it accepts ours.
    ///
    /// # Errors
    /// `TimedOut` when the deadline passes; an error that holds a `rustls::Error` when a certificate is refused;
    /// otherwise the system's error.
    pub(crate) fn open(&self, deadline: Instant) -> io::Result<Box<dyn Channel>> {
        match self {
            Self::Unix(path) => Ok(Box::new(Timed::new(unix(path)?, deadline))),
            Self::Tls {
                resolver,
                name,
                config,
            } => {
                let socket = tcp(&resolver.addresses(deadline)?, deadline)?;
                let mut socket = Timed::new(socket, deadline);
                let mut tls = ClientConnection::new(config.clone(), name.clone())
                    .map_err(io::Error::other)?;
                while tls.is_handshaking() {
                    tls.complete_io(&mut socket)?;
                }
                Ok(Box::new(StreamOwned::new(tls, socket)))
            }
        }
    }
}

/// Connects to a Unix socket without blocking: a hung process accepts nothing, and once its queue is full a plain
/// `connect` would block for ever.
fn unix(path: &Path) -> io::Result<UnixStream> {
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    socket.connect(&SockAddr::unix(path)?)?;
    socket.set_nonblocking(false)?;
    Ok(socket.into())
}

/// Connects to the first address that answers. Each gets its share of the remaining time.
fn tcp(addresses: &[std::net::SocketAddr], deadline: Instant) -> io::Result<TcpStream> {
    let mut failed = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for (at, address) in addresses.iter().enumerate() {
        let left = deadline.saturating_duration_since(Instant::now());
        let others = u32::try_from(addresses.len().saturating_sub(at)).unwrap_or(u32::MAX);
        let share = left.checked_div(others).unwrap_or(left);
        if share.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        match TcpStream::connect_timeout(address, share) {
            Ok(socket) => {
                socket.set_nodelay(true)?;
                return Ok(socket);
            }
            Err(error) => failed = error,
        }
    }
    Err(failed)
}
