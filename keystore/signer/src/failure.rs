//! Why the signer does not start.

use duet_keystore::KeyStoreError;
use duet_signer::ListenError;
use std::{io, path::PathBuf};

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The file of the password.
    #[error("{}: {error}", path.display())]
    Password {
        /// The file.
        path: PathBuf,
        /// What the file system said.
        error: io::Error,
    },
    /// The keys.
    #[error(transparent)]
    Keys(#[from] KeyStoreError),
    /// The keys could not be listed.
    #[error(transparent)]
    Signer(#[from] duet_keystore::SignerError),
    /// The socket.
    #[error("cannot listen: {0}")]
    Listen(#[from] ListenError),
    /// The system.
    #[error("{what}: {error}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What the system said.
        error: io::Error,
    },
}
