//! The keys that a verifier trusts: bare public keys, or a list with the epochs in which each is valid.

use super::{formats::read_public, parse::hash};
use crate::{failure::Failure, files, object, output::Output};
use clap::{Args, Subcommand};
use duet_armour::{encode, kinds::SEQUENTIAL_TRUSTED_KEY};
use duet_sequential::{Epoch, Fingerprint, Keyring, PublicKey};
use serde_json::{json, Value};
use std::path::{Path, PathBuf};

/// Operations on the list.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Adds a public key. The list is created if it is missing.
    Add {
        #[command(flatten)]
        list: ListArg,
        /// The public key: its file, or the key's folder.
        #[arg(long, value_name = "FILE")]
        public: PathBuf,
        /// The first epoch in which the key is valid.
        #[arg(long, value_name = "EPOCH", default_value_t = 0)]
        from: u64,
    },
    /// Revokes a key from an epoch on.
    Revoke {
        #[command(flatten)]
        list: ListArg,
        /// The key's fingerprint, 64 hex digits.
        #[arg(long, value_name = "HEX", value_parser = hash)]
        fingerprint: [u8; 32],
        /// The first epoch in which the key is no longer valid.
        #[arg(long)]
        epoch: u64,
    },
    /// Shows the list.
    List {
        #[command(flatten)]
        list: ListArg,
    },
}

/// The list.
#[derive(Args)]
pub(crate) struct ListArg {
    /// The list of keys.
    #[arg(long, value_name = "FILE")]
    registry: PathBuf,
}

/// The sources of a verifier's keys.
#[derive(Args)]
#[group(required = true, multiple = true)]
pub(crate) struct Keys {
    /// A list made with `registry add`.
    #[arg(long, value_name = "FILE")]
    registry: Option<PathBuf>,
    /// A public key that is valid in every epoch: its file, or the key's folder. Can be repeated.
    #[arg(long, value_name = "FILE")]
    public: Vec<PathBuf>,
}

impl Keys {
    pub(crate) fn read(&self) -> Result<Keyring, Failure> {
        let mut keys = match &self.registry {
            Some(path) => read(path)?,
            None => Keyring::default(),
        };
        for path in &self.public {
            keys.insert(read_public(path)?, Epoch(0));
        }
        Ok(keys)
    }
}

/// A key of the list: the first epoch in which it is valid, and the first in which it is not valid any more.
///
/// Encoding: the first epoch (8 bytes, big-endian), 1 and the second epoch or nine zeros, and the key.
pub(super) struct TrustedKey {
    key: PublicKey,
    from: Epoch,
    revoked: Option<Epoch>,
}

impl TrustedKey {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.from.0.to_be_bytes().to_vec();
        bytes.push(u8::from(self.revoked.is_some()));
        bytes.extend(self.revoked.map_or(0, |epoch| epoch.0).to_be_bytes());
        bytes.extend(self.key.as_bytes());
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, Failure> {
        let split = || {
            let (from, rest) = bytes.split_first_chunk()?;
            let (is_revoked, rest) = rest.split_first()?;
            let (revoked, key) = rest.split_first_chunk()?;
            Some((
                u64::from_be_bytes(*from),
                is_revoked,
                u64::from_be_bytes(*revoked),
                key,
            ))
        };
        let (from, is_revoked, revoked, key) =
            split().ok_or_else(|| Failure::input("too short for a trusted key"))?;
        let revoked = match (is_revoked, revoked) {
            (0, 0) => None,
            (1, epoch) => Some(Epoch(epoch)),
            _ => {
                return Err(Failure::input(
                    "the epoch of a key's revocation is not canonical",
                ))
            }
        };
        Ok(Self {
            key: PublicKey::from_bytes(key).map_err(Failure::input)?,
            from: Epoch(from),
            revoked,
        })
    }

    pub(super) fn describe(&self) -> (Value, String) {
        let (fingerprint, suite) = (self.key.fingerprint().to_string(), self.key.suite());
        let until = self.revoked.map(|epoch| format!(" until before {epoch}"));
        let until = until.unwrap_or_default();
        let text = format!("{fingerprint} {suite} from {}{until}", self.from);
        let value = json!({
            "fingerprint": fingerprint,
            "bits": suite.bits(),
            "from": self.from.0,
            "revoked": self.revoked.map(|epoch| epoch.0),
        });
        (value, text)
    }
}

fn read_list(path: &Path) -> Result<Vec<TrustedKey>, Failure> {
    let contents = object::read_contents(path, &SEQUENTIAL_TRUSTED_KEY)?;
    let keys = contents
        .iter()
        .map(|content| TrustedKey::from_bytes(content));
    let keys = keys.collect::<Result<_, _>>();
    keys.map_err(|failure: Failure| failure.in_file(path))
}

fn read(path: &Path) -> Result<Keyring, Failure> {
    let mut keys = Keyring::default();
    for TrustedKey { key, from, revoked } in read_list(path)? {
        let fingerprint = key.fingerprint();
        keys.insert(key, from);
        if let Some(epoch) = revoked {
            let revoked = keys.revoke(fingerprint, epoch);
            revoked.map_err(|error| Failure::input(error).in_file(path))?;
        }
    }
    Ok(keys)
}

fn write(path: &Path, keys: &Keyring) -> Result<(), Failure> {
    let mut text = String::new();
    for (key, from, revoked) in keys.iter() {
        let key = key.clone();
        let content = TrustedKey { key, from, revoked }.to_bytes();
        let digest = SEQUENTIAL_TRUSTED_KEY.digest(&content);
        text.push_str(&encode(&SEQUENTIAL_TRUSTED_KEY, &digest, &content));
    }
    files::update(path, text.as_bytes())
}

pub(crate) fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Add { list, public, from } => add(&list.registry, &public, from, output),
        Command::Revoke {
            list,
            fingerprint,
            epoch,
        } => {
            let _lock = files::lock(&list.registry)?;
            let mut keys = read(&list.registry)?;
            let fingerprint = Fingerprint(fingerprint);
            keys.revoke(fingerprint, Epoch(epoch))
                .map_err(Failure::input)?;
            write(&list.registry, &keys)?;
            output.result(
                &json!({ "fingerprint": fingerprint.to_string(), "revoked": epoch }),
                format!("key {fingerprint} is revoked from epoch {epoch} on"),
            )
        }
        Command::List { list } => {
            let keys = read_list(&list.registry)?;
            let described = keys.iter().map(TrustedKey::describe);
            let (values, lines): (Vec<_>, Vec<_>) = described.unzip();
            output.result(&json!({ "keys": values }), lines.join("\n"))
        }
    }
}

fn add(list: &Path, public: &Path, from: u64, output: &Output) -> Result<(), Failure> {
    let _lock = files::lock(list)?;
    let mut keys = if list.exists() {
        read(list)?
    } else {
        Keyring::default()
    };
    let key = read_public(public)?;
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
    write(list, &keys)?;
    output.result(
        &json!({ "fingerprint": fingerprint.to_string(), "from": from }),
        format!("key {fingerprint} is valid from epoch {from} on"),
    )
}
