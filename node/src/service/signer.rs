//! The holder of the Duet keys: this node, or a remote signer.

use crate::flags::DuetSigner;
use duet_finality::open_keys;
use duet_gossip::LOG_TARGET;
use duet_keystore::{create_directory, Signer, FILE_PREFIX};
use sc_service::{config::KeystoreConfig, Configuration, Error};
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Hex digits in the name of a key file.
const DIGITS: usize = 40;

/// Opens the key files, or makes the client of the signer that the command line names. The client connects when it is
/// first used: a node follows the chain without the signer.
pub(super) fn open(config: &Configuration, remote: &DuetSigner) -> Result<Arc<dyn Signer>, Error> {
    let client = remote.client().map_err(application)?;
    let Some(client) = client else {
        let keys: Arc<dyn Signer> = open_keys(config)?;
        return Ok(keys);
    };
    log::info!(
        target: LOG_TARGET,
        "🔑 the signer at {} signs votes; this node's key files are not used",
        client.address(),
    );
    if let KeystoreConfig::Path { path, .. } = &config.keystore {
        // The directory also holds the SDK's secrets.
        create_directory(path).map_err(application)?;
        for left in key_files(path)? {
            log::warn!(
                target: LOG_TARGET,
                "{}: this key file is not used, because of --duet-signer",
                left.display(),
            );
        }
    }
    if config.dev_key_seed.is_some() {
        log::warn!(
            target: LOG_TARGET,
            "the Duet key of --alice and the like is not used, because of --duet-signer",
        );
    }
    Ok(Arc::new(client))
}

fn application(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::Application(Box::new(error))
}

/// The Duet key files in a directory.
fn key_files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        let digits = name
            .to_str()
            .and_then(|name| name.strip_prefix(FILE_PREFIX));
        if digits.is_some_and(|digits| digits.len() == DIGITS) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}
