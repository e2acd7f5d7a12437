//! Generating, writing, reading and checking keys.

use super::args::{KeywordArgs, PublicArgs, ReaderArgs, ServerArgs};
use crate::{failure::Failure, files, output::Output};
use duet_searchable::{
    suite::SEED_LEN, Ciphertext, DecryptionKey, Fingerprint, HomomorphicKey, Keyword, MasterKey,
    Message, Progress, PublicKey, PublicKeyError, Rejected,
};
use rand::rngs::OsRng;
use serde_json::json;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Arguments of `keygen`.
#[derive(clap::Args)]
pub(crate) struct Keygen {
    /// The output file for the secret key: a new file that only its owner can read.
    #[arg(long, value_name = "FILE")]
    secret: PathBuf,
    /// The output file for the public key.
    #[arg(long, value_name = "FILE")]
    public: PathBuf,
}

/// Arguments of `trapdoor`.
#[derive(clap::Args)]
pub(crate) struct Trapdoor {
    /// The receiver's secret key.
    #[arg(long, value_name = "FILE")]
    secret: PathBuf,
    #[command(flatten)]
    keyword: KeywordArgs,
    /// The output file for the trapdoor: a new file that only its owner can read.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Arguments of `delegate`.
#[derive(clap::Args)]
pub(crate) struct Delegate {
    /// The receiver's secret key.
    #[arg(long, value_name = "FILE")]
    secret: PathBuf,
    #[command(flatten)]
    keyword: KeywordArgs,
    /// The output file for the key: a new file that only its owner can read.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(crate) fn keygen(command: &Keygen, output: &Output) -> Result<(), Failure> {
    files::check_key(&command.secret, &command.public, output.existing())?;
    let master = MasterKey::generate(&mut OsRng).map_err(Failure::input)?;
    let public = master.public_key();
    files::write_key(
        (&command.secret, &*master.expose()),
        (&command.public, &public.to_bytes()),
        output.existing(),
    )?;
    let fingerprint = hex::encode(public.fingerprint().as_bytes());
    output.made(
        &[&command.secret, &command.public],
        &json!({ "fingerprint": fingerprint }),
        format!("public key {fingerprint}"),
    )
}

pub(crate) fn fingerprint(public: &Path, output: &Output) -> Result<(), Failure> {
    let fingerprint = hex::encode(read_public(public, None)?.fingerprint().as_bytes());
    output.result(&json!({ "fingerprint": fingerprint }), &fingerprint)
}

pub(crate) fn trapdoor(command: &Trapdoor, output: &Output) -> Result<(), Failure> {
    let keyword = command.keyword.keyword()?;
    let key = read_master(&command.secret)?
        .trapdoor(&keyword)
        .map_err(Failure::input)?;
    let bytes = key.expose();
    files::write_secret(&command.out, &*bytes)?;
    written(output, "trapdoor", &command.out, bytes.len())
}

pub(crate) fn delegate(command: &Delegate, output: &Output) -> Result<(), Failure> {
    let keyword = command.keyword.keyword()?;
    let key = read_master(&command.secret)?
        .decryption_key(&keyword)
        .map_err(Failure::input)?;
    let bytes = key.expose();
    files::write_secret(&command.out, &*bytes)?;
    written(output, "decryption key", &command.out, bytes.len())
}

fn written(output: &Output, what: &str, path: &Path, bytes: usize) -> Result<(), Failure> {
    output.made(
        &[path],
        &json!({ "written": path.display().to_string(), "bytes": bytes }),
        format!("{what} of {bytes} bytes in {}", path.display()),
    )
}

fn about(path: &Path) -> impl Fn(&dyn std::fmt::Display) -> Failure + '_ {
    move |error| Failure::input(format!("{}: {error}", path.display()))
}

pub(super) fn read_master(path: &Path) -> Result<MasterKey, Failure> {
    let bytes = Zeroizing::new(files::read(path)?);
    let seed: &[u8; SEED_LEN] = bytes.as_slice().try_into().map_err(|_| {
        about(path)(&format!(
            "a secret key has {SEED_LEN} bytes, not {}",
            bytes.len()
        ))
    })?;
    MasterKey::from_seed(seed).map_err(|error| about(path)(&error))
}

/// Reads a public key. If a fingerprint is given, the key must have it.
fn read_public(path: &Path, fingerprint: Option<&str>) -> Result<PublicKey, Failure> {
    let bytes = files::read(path)?;
    let key = match fingerprint {
        Some(pinned) => PublicKey::from_bytes_pinned(&bytes, &parse_fingerprint(pinned)?),
        None => PublicKey::from_bytes(&bytes),
    };
    key.map_err(|error| match error {
        PublicKeyError::FingerprintMismatch => {
            Failure::refused(format!("{}: {error}", path.display()))
        }
        _ => about(path)(&error),
    })
}

fn parse_fingerprint(hex: &str) -> Result<Fingerprint, Failure> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(hex, &mut bytes)
        .map_err(|error| Failure::input(format!("fingerprint {hex}: {error}")))?;
    Ok(Fingerprint::from_bytes(bytes))
}

impl PublicArgs {
    pub(super) fn key(&self) -> Result<PublicKey, Failure> {
        read_public(&self.public, self.fingerprint.as_deref())
    }
}

impl ServerArgs {
    pub(super) fn key(&self) -> Result<HomomorphicKey, Failure> {
        let public = self.public.key()?;
        let bytes = Zeroizing::new(files::read(&self.trapdoor)?);
        HomomorphicKey::from_bytes(&public, &self.keyword.keyword()?, &bytes)
            .map_err(|error| about(&self.trapdoor)(&error))
    }
}

/// A key that decrypts under a keyword.
pub(super) enum Reader {
    Master(Box<MasterKey>, Keyword),
    Delegated(Box<DecryptionKey>),
}

impl Reader {
    pub(super) fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Message, Rejected> {
        match self {
            Self::Master(master, keyword) => master.decrypt(keyword, ciphertext),
            Self::Delegated(key) => key.decrypt(ciphertext),
        }
    }

    /// Decrypts many ciphertexts. The results are in the same order.
    pub(super) fn decrypt_all(
        &self,
        ciphertexts: &[Ciphertext],
        progress: &impl Progress,
    ) -> Vec<Result<Message, Rejected>> {
        match self {
            Self::Master(master, keyword) => master.decrypt_all(keyword, ciphertexts, progress),
            Self::Delegated(key) => key.decrypt_all(ciphertexts, progress),
        }
    }
}

impl ReaderArgs {
    pub(super) fn reader(&self) -> Result<Reader, Failure> {
        let keyword = self.keyword.keyword()?;
        match (&self.secret, &self.delegated, &self.public) {
            (Some(secret), ..) => Ok(Reader::Master(Box::new(read_master(secret)?), keyword)),
            (None, Some(delegated), Some(public)) => {
                let bytes = Zeroizing::new(files::read(delegated)?);
                let public = read_public(public, self.fingerprint.as_deref())?;
                DecryptionKey::from_bytes(&public, &keyword, &bytes)
                    .map(|key| Reader::Delegated(Box::new(key)))
                    .map_err(|error| about(delegated)(&error))
            }
            (None, ..) => Err(Failure::input(
                "a secret key, or a delegated key with its public key, is required",
            )),
        }
    }
}
