//! The other end of a connection, to name it and to close it.

use std::{
    fmt,
    net::{Shutdown, TcpStream},
    os::unix::net::UnixStream,
};

/// A second handle of a socket.
pub(crate) enum Peer {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Peer {
    /// Ends the connection in both directions, which wakes blocked readers and writers.
    pub(crate) fn close(&self) {
        // Fails only if the connection is already closed.
        let _ = match self {
            Self::Unix(socket) => socket.shutdown(Shutdown::Both),
            Self::Tcp(socket) => socket.shutdown(Shutdown::Both),
        };
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(_) => f.write_str("a process on this machine"),
            Self::Tcp(socket) => match socket.peer_addr() {
                Ok(address) => write!(f, "{address}"),
                Err(_) => f.write_str("a disconnected client"),
            },
        }
    }
}
