//! A signer's address: `unix:/path` or `tls:host:port`.

use std::{fmt, path::PathBuf, str::FromStr};

/// A signer's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// `unix:/path`: a Unix socket on this machine.
    Unix(PathBuf),
    /// `tls:host:port`: mutual TLS over TCP. An IPv6 address needs brackets.
    Tls {
        /// A name or an address. A client verifies the signer's certificate against it.
        host: String,
        /// The TCP port.
        port: u16,
    },
}

/// Why a text is not an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// It begins with neither `unix:` nor `tls:`.
    #[error("an address of a signer begins with unix: or tls:")]
    Scheme,
    /// The path of the socket is not absolute.
    #[error("unix: is followed by an absolute path, as in unix:/run/duet/signer.sock")]
    RelativePath,
    /// The host or the port is missing.
    #[error("tls: is followed by host and port, as in tls:signer.example:9970 or tls:[::1]:9970")]
    HostAndPort,
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        if let Some(path) = text.strip_prefix("unix:") {
            let path = PathBuf::from(path);
            return if path.is_absolute() {
                Ok(Self::Unix(path))
            } else {
                Err(AddressError::RelativePath)
            };
        }
        let rest = text.strip_prefix("tls:").ok_or(AddressError::Scheme)?;
        let (host, port) = rest.rsplit_once(':').ok_or(AddressError::HostAndPort)?;
        let bare = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        let host = bare.unwrap_or(host);
        let port = port.parse().map_err(|_| AddressError::HostAndPort)?;
        // Without brackets the end of an IPv6 address is unclear.
        if host.is_empty() || (bare.is_none() && host.contains(':')) {
            return Err(AddressError::HostAndPort);
        }
        Ok(Self::Tls {
            host: host.to_owned(),
            port,
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Tls { host, port } if host.contains(':') => write!(f, "tls:[{host}]:{port}"),
            Self::Tls { host, port } => write!(f, "tls:{host}:{port}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_written_alike() {
        for text in [
            "unix:/run/duet/signer.sock",
            "tls:signer.example:9970",
            "tls:127.0.0.1:0",
            "tls:[::1]:9970",
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!(address.to_string(), text);
        }
        let address: Address = "tls:[::1]:9970".parse().unwrap();
        let (host, port) = ("::1".to_owned(), 9970);
        assert_eq!(address, Address::Tls { host, port });
    }

    #[test]
    fn what_is_no_address_is_refused_with_its_reason() {
        for (text, expected) in [
            ("", AddressError::Scheme),
            ("/run/duet/signer.sock", AddressError::Scheme),
            ("tcp:localhost:1", AddressError::Scheme),
            ("unix:signer.sock", AddressError::RelativePath),
            ("unix:", AddressError::RelativePath),
            ("tls:localhost", AddressError::HostAndPort),
            ("tls::9970", AddressError::HostAndPort),
            ("tls:localhost:", AddressError::HostAndPort),
            ("tls:localhost:65536", AddressError::HostAndPort),
            ("tls:::1:9970", AddressError::HostAndPort),
            ("tls:[]:9970", AddressError::HostAndPort),
        ] {
            assert_eq!(text.parse::<Address>(), Err(expected), "{text}");
        }
    }
}
