//! The keys that a verifier trusts: bare public keys, or a list with the epochs in which each is valid.

use super::{
    formats::{in_file, read_public},
    parse::hash,
};
use crate::{failure::Failure, files, output::Output};
use clap::{Args, Subcommand};
use duet_sequential::{Epoch, Fingerprint, Keyring, PublicKey};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Operations on the list.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Adds a public key. The list is created if it is missing.
    Add {
        /// The list.
        #[arg(long)]
        registry: PathBuf,
        /// The public key.
        #[arg(long)]
        key: PathBuf,
        /// The first epoch in which the key is valid.
        #[arg(long, default_value_t = 0)]
        from: u64,
    },
    /// Revokes a key from an epoch on.
    Revoke {
        /// The list.
        #[arg(long)]
        registry: PathBuf,
        /// The key's fingerprint, 64 hex digits.
        #[arg(long, value_parser = hash)]
        fingerprint: [u8; 32],
        /// The first epoch in which the key is no longer valid.
        #[arg(long)]
        epoch: u64,
    },
    /// Shows the list.
    List {
        /// The list.
        #[arg(long)]
        registry: PathBuf,
    },
}

/// The sources of a verifier's keys.
#[derive(Args)]
#[group(required = true, multiple = true)]
pub(crate) struct Keys {
    /// A list made with `registry add`.
    #[arg(long)]
    registry: Option<PathBuf>,
    /// A public key that is valid in every epoch. Can be repeated.
    #[arg(long)]
    key: Vec<PathBuf>,
}

impl Keys {
    pub(crate) fn read(&self) -> Result<Keyring, Failure> {
        let mut keys = match &self.registry {
            Some(path) => read(path)?,
            None => Keyring::default(),
        };
        for path in &self.key {
            keys.insert(read_public(path)?, Epoch(0));
        }
        Ok(keys)
    }
}

/// A key in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// The modulus, hex.
    modulus: String,
    from: u64,
    revoked: Option<u64>,
}

fn read(path: &Path) -> Result<Keyring, Failure> {
    let bytes = files::read(path)?;
    let entries: Vec<Entry> = serde_json::from_slice(&bytes).map_err(in_file(path))?;
    let mut keys = Keyring::default();
    for entry in entries {
        let modulus = hex::decode(&entry.modulus).map_err(in_file(path))?;
        let key = PublicKey::from_bytes(&modulus).map_err(in_file(path))?;
        let fingerprint = key.fingerprint();
        keys.insert(key, Epoch(entry.from));
        if let Some(epoch) = entry.revoked {
            keys.revoke(fingerprint, Epoch(epoch))
                .map_err(in_file(path))?;
        }
    }
    Ok(keys)
}

fn write(path: &Path, keys: &Keyring) -> Result<(), Failure> {
    let entries: Vec<_> = keys
        .iter()
        .map(|(key, from, revoked)| Entry {
            modulus: hex::encode(key.as_bytes()),
            from: from.0,
            revoked: revoked.map(|epoch| epoch.0),
        })
        .collect();
    let text = serde_json::to_vec_pretty(&entries).map_err(in_file(path))?;
    files::update(path, &text)
}

pub(crate) fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Add {
            registry,
            key,
            from,
        } => {
            let _lock = files::lock(&registry)?;
            let mut keys = if registry.exists() {
                read(&registry)?
            } else {
                Keyring::default()
            };
            let key = read_public(&key)?;
            let fingerprint = key.fingerprint();
            if keys
                .iter()
                .any(|(known, ..)| known.fingerprint() == fingerprint)
            {
                return Err(Failure::input(format!(
                    "key {fingerprint} is in the list already"
                )));
            }
            keys.insert(key, Epoch(from));
            write(&registry, &keys)?;
            output.result(
                &json!({ "fingerprint": fingerprint.to_string(), "from": from }),
                format!("key {fingerprint} is valid from epoch {from} on"),
            )
        }
        Command::Revoke {
            registry,
            fingerprint,
            epoch,
        } => {
            let _lock = files::lock(&registry)?;
            let mut keys = read(&registry)?;
            let fingerprint = Fingerprint(fingerprint);
            keys.revoke(fingerprint, Epoch(epoch))
                .map_err(Failure::input)?;
            write(&registry, &keys)?;
            output.result(
                &json!({ "fingerprint": fingerprint.to_string(), "revoked": epoch }),
                format!("key {fingerprint} is revoked from epoch {epoch} on"),
            )
        }
        Command::List { registry } => list(&registry, output),
    }
}

fn list(registry: &Path, output: &Output) -> Result<(), Failure> {
    let keys = read(registry)?;
    let described: Vec<_> = keys
        .iter()
        .map(|(key, from, revoked)| {
            json!({
                "fingerprint": key.fingerprint().to_string(),
                "bits": key.suite().bits(),
                "from": from.0,
                "revoked": revoked.map(|epoch| epoch.0),
            })
        })
        .collect();
    let lines: Vec<_> = keys
        .iter()
        .map(|(key, from, revoked)| {
            let until = revoked.map_or(String::new(), |epoch| format!(" until before {epoch}"));
            format!("{} {} from {from}{until}", key.fingerprint(), key.suite())
        })
        .collect();
    output.result(&json!({ "keys": described }), lines.join("\n"))
}
