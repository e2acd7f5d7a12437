//! A node's keys, by its configuration.

// The SDK's error of a service is this large, and a node hands it on.
#![allow(clippy::result_large_err)]

use duet_keystore::{secret_of_suri, KeyStore};
use sc_service::{config::KeystoreConfig, Configuration, Error};
use std::sync::Arc;

/// Opens Duet's key files, which lie next to those of the SDK's keystore and share its password, and adds the key of
/// `--alice` and the like for the life of the process.
///
/// # Errors
/// When the directory cannot be opened, another process uses it, or a key in it is unreadable.
pub fn open_keys(config: &Configuration) -> Result<Arc<KeyStore>, Error> {
    let keys = match &config.keystore {
        KeystoreConfig::Path { path, password } => {
            KeyStore::open(path, password.clone()).map_err(application)?
        }
        KeystoreConfig::InMemory => KeyStore::in_memory(),
    };
    if let Some(suri) = &config.dev_key_seed {
        keys.insert_ephemeral(secret_of_suri(suri).map_err(application)?);
    }
    Ok(Arc::new(keys))
}

fn application(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::Application(Box::new(error))
}
