//! Why the signer does not start.

use duet_keystore::KeyStoreError;
use duet_signer::ListenError;
use std::{io, path::PathBuf};

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The password file cannot be read.
    #[error("{}: {error}", path.display())]
    Password {
        /// The file.
        path: PathBuf,
        /// The file system's error.
        error: io::Error,
    },
    /// The key files.
    #[error(transparent)]
    Keys(#[from] KeyStoreError),
    /// The keys could not be listed.
    #[error(transparent)]
    Signer(#[from] duet_keystore::SignerError),
    /// The socket.
    #[error("cannot listen: {0}")]
    Listen(#[from] ListenError),
    /// The operating system.
    #[error("{what}: {error}")]
    System {
        /// The operation.
        what: &'static str,
        /// The system's error.
        error: io::Error,
    },
}
