//! Generating, writing, reading and checking keys.

use super::args::{KeywordArgs, PublicArgs, ReaderArgs, ServerArgs};
use crate::{
    failure::Failure,
    keys::{check_new, public_file, KeyArg, NewKey},
    object,
    output::{Output, SecretTo},
};
use duet_armour::{
    kinds::{
        SEARCHABLE_DECRYPTION_KEY, SEARCHABLE_PUBLIC_KEY, SEARCHABLE_SECRET_KEY,
        SEARCHABLE_TRAPDOOR,
    },
    Kind, Object,
};
use duet_searchable::{
    suite::{DECRYPTION_KEY_LEN, HOMOMORPHIC_KEY_LEN, SEED_LEN},
    Ciphertext, DecryptionKey, Fingerprint, HomomorphicKey, Keyword, MasterKey, Message, Progress,
    PublicKey, Rejected,
};
use rand::rngs::OsRng;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Arguments of `keygen`.
#[derive(clap::Args)]
pub(crate) struct Keygen {
    /// The folder to create.
    key: PathBuf,
}

/// Arguments of `trapdoor` and `delegate`.
#[derive(clap::Args)]
pub(crate) struct Derive {
    #[command(flatten)]
    key: KeyArg,
    #[command(flatten)]
    keyword: KeywordArgs,
    #[command(flatten)]
    to: SecretTo,
}

pub(crate) fn keygen(command: &Keygen, output: &Output) -> Result<(), Failure> {
    check_new(&command.key, None)?;
    let master = MasterKey::generate(&mut OsRng).map_err(Failure::input)?;
    let public = master.public_key();
    let new = NewKey {
        folder: &command.key,
        fingerprint: *public.fingerprint().as_bytes(),
        secret: (&SEARCHABLE_SECRET_KEY, &*master.expose()),
        public: (&SEARCHABLE_PUBLIC_KEY, &public.to_bytes()),
    };
    // A receiver signs nothing, so there is no register.
    new.write(|_| Ok(()))?;
    let fingerprint = hex::encode(public.fingerprint().as_bytes());
    output.result(
        &json!({ "fingerprint": fingerprint, "folder": command.key }),
        format!("key {fingerprint} in {}", command.key.display()),
    )
}

pub(crate) fn trapdoor(command: &Derive, output: &Output) -> Result<(), Failure> {
    let keyword = command.keyword.keyword()?;
    let key = read_master(&command.key.secret())?
        .trapdoor(&keyword)
        .map_err(Failure::input)?;
    write_derived(
        &SEARCHABLE_TRAPDOOR,
        &*key.expose(),
        &command.to.path,
        output,
    )
}

pub(crate) fn delegate(command: &Derive, output: &Output) -> Result<(), Failure> {
    let keyword = command.keyword.keyword()?;
    let key = read_master(&command.key.secret())?
        .decryption_key(&keyword)
        .map_err(Failure::input)?;
    write_derived(
        &SEARCHABLE_DECRYPTION_KEY,
        &*key.expose(),
        &command.to.path,
        output,
    )
}

fn write_derived(kind: &Kind, bytes: &[u8], to: &Path, output: &Output) -> Result<(), Failure> {
    object::write_secret(to, kind, bytes)?;
    output.made(
        &[to],
        &json!({ "written": to.display().to_string(), "bytes": bytes.len() }),
        format!("{} in {}", kind.name().to_lowercase(), to.display()),
    )
}

/// The key pair of a secret.
pub(super) fn master(object: &Object) -> Result<MasterKey, Failure> {
    let decode = |bytes: &[u8]| {
        let seed: &[u8; SEED_LEN] = bytes.try_into().map_err(|_| {
            let got = bytes.len();
            Failure::input(format!("a secret key has {SEED_LEN} bytes, not {got}"))
        })?;
        MasterKey::from_seed(seed).map_err(Failure::input)
    };
    object.key(decode, |key| *key.public_key().fingerprint().as_bytes())
}

fn read_master(path: &Path) -> Result<MasterKey, Failure> {
    let object = object::read_secret(path, &SEARCHABLE_SECRET_KEY, SEED_LEN)?;
    master(&object).map_err(|failure| failure.in_file(path))
}

fn fingerprint_of(key: &PublicKey) -> duet_armour::Fingerprint {
    *key.fingerprint().as_bytes()
}

/// The public key of an object.
pub(super) fn public(armoured: &Object) -> Result<PublicKey, Failure> {
    armoured.key(object::input(PublicKey::from_bytes), fingerprint_of)
}

/// Reads a public key. If a fingerprint is given, the key must have it.
fn read_public(path: &Path, fingerprint: Option<&str>) -> Result<PublicKey, Failure> {
    let path = public_file(path);
    let kind = &SEARCHABLE_PUBLIC_KEY;
    let decode = object::input(PublicKey::from_bytes);
    let key = object::read_public(&path, kind, decode, fingerprint_of)?;
    let pinned = fingerprint.map(parse_fingerprint).transpose()?;
    if pinned.is_some_and(|pinned| pinned != key.fingerprint()) {
        let got = hex::encode(key.fingerprint().as_bytes());
        return Err(
            Failure::refused(format!("the fingerprint is {got}, not the pinned one"))
                .in_file(&path),
        );
    }
    Ok(key)
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
        let keyword = self.keyword.keyword()?;
        let path = &self.trapdoor;
        let object = object::read_secret(path, &SEARCHABLE_TRAPDOOR, HOMOMORPHIC_KEY_LEN)?;
        let content = object.content().map_err(Failure::from);
        let key = content.and_then(|bytes| {
            HomomorphicKey::from_bytes(&public, &keyword, bytes).map_err(Failure::input)
        });
        key.map_err(|failure| failure.in_file(path))
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
        match (&self.key, &self.delegated, &self.public) {
            (Some(key), ..) => {
                let key = KeyArg { key: key.clone() };
                Ok(Reader::Master(
                    Box::new(read_master(&key.secret())?),
                    keyword,
                ))
            }
            (None, Some(delegated), Some(public)) => {
                let public = read_public(public, self.fingerprint.as_deref())?;
                let kind = &SEARCHABLE_DECRYPTION_KEY;
                let object = object::read_secret(delegated, kind, DECRYPTION_KEY_LEN)?;
                let content = object.content().map_err(Failure::from);
                content
                    .and_then(|bytes| {
                        DecryptionKey::from_bytes(&public, &keyword, bytes).map_err(Failure::input)
                    })
                    .map(|key| Reader::Delegated(Box::new(key)))
                    .map_err(|failure| failure.in_file(delegated))
            }
            (None, ..) => Err(Failure::input(
                "a key, or a delegated key with its public key, is required",
            )),
        }
    }
}
