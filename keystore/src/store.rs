//! Keys in a directory, one file each, and keys that live in memory only.

use crate::{
    error::{Corruption, KeyStoreError},
    file::{file_name, seal_context, KeyFile, StoredSecret, FILE_PREFIX, MAX_FILE_LEN},
    seal::{SealCost, SealError, Sealed},
    signer::{Signer, SignerError},
};
use duet_primitives::{
    DualKeyBytes, Pk1Bytes, PossessionProof, RoundMessage, SecretKey, SignerIndex, UncheckedVote,
};
use rand::{rngs::OsRng, RngCore};
use sp_core::crypto::{ExposeSecret, SecretString};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    io::{Read, Write},
    path::{Path, PathBuf},
    sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
    time::SystemTime,
};
use zeroize::Zeroizing;

/// Secrets of Duet keys: read once from their files, checked against their public keys, wiped on drop.
///
/// Signing is blst's, constant-time. Files that appear while the node runs are found by [`Signer::keys`], so
/// that `duet-key insert` needs no restart.
pub struct KeyStore {
    directory: Option<Directory>,
    keys: RwLock<Keys>,
}

struct Directory {
    path: PathBuf,
    password: Option<SecretString>,
    cost: SealCost,
}

#[derive(Default)]
struct Keys {
    /// From files, by file name.
    on_disk: BTreeMap<String, SecretKey>,
    /// From secret URIs, gone with the process.
    in_memory: BTreeMap<Pk1Bytes, SecretKey>,
    /// Files that appeared later and were refused: reported once, and read again when they change.
    refused: Files,
}

/// Names of key files, and when each was modified, where the file system knows.
type Files = BTreeMap<String, Option<SystemTime>>;

impl Keys {
    fn knows(&self, (name, modified): &(&String, &Option<SystemTime>)) -> bool {
        self.on_disk.contains_key(*name) || self.refused.get(*name) == Some(*modified)
    }

    fn knows_all(&self, files: &Files) -> bool {
        files.iter().all(|file| self.knows(&file))
    }

    fn get(&self, key: &Pk1Bytes) -> Option<&SecretKey> {
        self.in_memory
            .get(key)
            .or_else(|| self.on_disk.get(&file_name(key)))
            .filter(|secret| &secret.public().pk1() == key)
    }

    fn public(&self) -> Vec<DualKeyBytes> {
        let all = self.on_disk.values().chain(self.in_memory.values());
        let keys: BTreeSet<_> = all.map(SecretKey::public).collect();
        keys.into_iter().collect()
    }
}

impl KeyStore {
    /// Opens the key files of a directory, which is made if it is missing, with mode 0700.
    ///
    /// With a password, new keys are encrypted under it, and files must be; without, they are in the clear.
    ///
    /// # Errors
    /// [`KeyStoreError`] naming the first file that is damaged, exposed to others or under another password:
    /// a validator that starts without one of its keys would be punished for silence.
    pub fn open(
        path: impl Into<PathBuf>,
        password: Option<SecretString>,
    ) -> Result<Self, KeyStoreError> {
        Self::open_with_cost(path, password, SealCost::default())
    }

    /// [`KeyStore::open`], with the cost that files written from now on are sealed at.
    ///
    /// # Errors
    /// As [`KeyStore::open`].
    pub fn open_with_cost(
        path: impl Into<PathBuf>,
        password: Option<SecretString>,
        cost: SealCost,
    ) -> Result<Self, KeyStoreError> {
        if password
            .as_ref()
            .is_some_and(|password| password.expose_secret().is_empty())
        {
            return Err(KeyStoreError::EmptyPassword);
        }
        let directory = Directory {
            path: path.into(),
            password,
            cost,
        };
        directory.create()?;
        let mut keys = Keys::default();
        for name in directory.files()?.into_keys() {
            let secret = directory.load(&name)?;
            keys.on_disk.insert(name, secret);
        }
        Ok(Self {
            directory: Some(directory),
            keys: RwLock::new(keys),
        })
    }

    /// A key store without a directory: all keys live in memory only.
    pub fn in_memory() -> Self {
        Self {
            directory: None,
            keys: RwLock::default(),
        }
    }

    /// Keeps a key until the process ends, as `--alice` and the like do. Nothing is written.
    pub fn insert_ephemeral(&self, secret: SecretKey) {
        self.write().in_memory.insert(secret.public().pk1(), secret);
    }

    /// Keeps a key: in its file, or in memory where there is no directory. Inserting a key twice changes
    /// nothing.
    ///
    /// # Errors
    /// [`KeyStoreError::Occupied`] when its file holds another key; what [`KeyStore::open`] says of a file
    /// that is there already; [`KeyStoreError::Io`] when it cannot be written, in which case nothing is left.
    pub fn insert(&self, secret: SecretKey) -> Result<(), KeyStoreError> {
        let Some(directory) = &self.directory else {
            self.insert_ephemeral(secret);
            return Ok(());
        };
        directory.store(&secret)?;
        self.write()
            .on_disk
            .insert(file_name(&secret.public().pk1()), secret);
        Ok(())
    }

    /// The file that a key stands in, or would; `None` without a directory.
    pub fn path_of(&self, key: &Pk1Bytes) -> Option<PathBuf> {
        self.directory
            .as_ref()
            .map(|directory| directory.path.join(file_name(key)))
    }

    /// Looks for files that came, changed or went. A file that is refused is logged and left out: the keys
    /// that are at work must not stop for it.
    fn refresh(&self) -> Result<(), KeyStoreError> {
        let Some(directory) = &self.directory else {
            return Ok(());
        };
        let files = directory.files()?;
        let changed: Vec<_> = {
            let keys = self.read();
            if keys.on_disk.keys().all(|name| files.contains_key(name)) && keys.knows_all(&files) {
                return Ok(());
            }
            files
                .iter()
                .filter(|file| !keys.knows(file))
                .map(|(name, _)| name.clone())
                .collect()
        };
        // Outside of the lock: opening a sealed file takes a while, and votes must not wait for it.
        let loaded: Vec<_> = changed
            .into_iter()
            .map(|name| (directory.load(&name), name))
            .collect();
        let mut keys = self.write();
        keys.on_disk.retain(|name, _| files.contains_key(name));
        keys.refused.retain(|name, _| files.contains_key(name));
        for (secret, name) in loaded {
            match secret {
                Ok(secret) => {
                    keys.refused.remove(&name);
                    keys.on_disk.insert(name, secret);
                }
                Err(error) => {
                    log::error!(target: "duet", "🔑 A key file is left out: {error}");
                    let modified = files.get(&name).copied().flatten();
                    keys.refused.insert(name, modified);
                }
            }
        }
        Ok(())
    }

    fn with_secret<T>(
        &self,
        key: &Pk1Bytes,
        use_it: impl FnOnce(&SecretKey) -> T,
    ) -> Result<T, SignerError> {
        self.read()
            .get(key)
            .map(use_it)
            .ok_or(SignerError::NoKey(*key))
    }

    // A panic while the lock is held leaves the maps whole: each change is one insertion or removal.
    fn read(&self) -> RwLockReadGuard<'_, Keys> {
        self.keys.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Keys> {
        self.keys.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Signer for KeyStore {
    fn keys(&self) -> Result<Vec<DualKeyBytes>, SignerError> {
        self.refresh()?;
        Ok(self.read().public())
    }

    fn sign_vote(
        &self,
        key: &Pk1Bytes,
        signer: SignerIndex,
        message: &RoundMessage,
    ) -> Result<UncheckedVote, SignerError> {
        self.with_secret(key, |secret| UncheckedVote::sign(secret, signer, message))
    }

    fn prove_possession(
        &self,
        key: &Pk1Bytes,
        owner: &[u8],
    ) -> Result<PossessionProof, SignerError> {
        self.refresh()?;
        self.with_secret(key, |secret| secret.prove_possession(owner))
    }

    fn generate(&self) -> Result<DualKeyBytes, SignerError> {
        let mut seed = Zeroizing::new([0; 32]);
        OsRng
            .try_fill_bytes(&mut *seed)
            .map_err(KeyStoreError::Randomness)?;
        let secret =
            SecretKey::from_seed(&seed).expect("no seed that anybody finds hashes to zero");
        let public = secret.public();
        self.insert(secret)?;
        Ok(public)
    }
}

impl Directory {
    fn create(&self) -> Result<(), KeyStoreError> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
            .create(&self.path)
            .map_err(|source| io_error(&self.path, source))
    }

    /// The key files. Whatever else lies there is not ours.
    fn files(&self) -> Result<Files, KeyStoreError> {
        let io_error = |source| io_error(&self.path, source);
        let mut files = Files::new();
        for entry in fs::read_dir(&self.path).map_err(io_error)? {
            let entry = entry.map_err(io_error)?;
            if let Some(name) = entry
                .file_name()
                .to_str()
                .filter(|name| name.starts_with(FILE_PREFIX))
            {
                let modified = entry.metadata().and_then(|metadata| metadata.modified());
                files.insert(name.to_owned(), modified.ok());
            }
        }
        Ok(files)
    }

    fn load(&self, name: &str) -> Result<SecretKey, KeyStoreError> {
        let path = self.path.join(name);
        let file = read(&path)?;
        let corrupt = |reason| KeyStoreError::Corrupt {
            path: path.clone(),
            reason,
        };
        let scalar = match (file.secret, &self.password) {
            (StoredSecret::Plain(_), Some(_)) => return Err(KeyStoreError::NotEncrypted { path }),
            (StoredSecret::Sealed(_), None) => return Err(KeyStoreError::PasswordNeeded { path }),
            (StoredSecret::Plain(scalar), None) => {
                refuse_exposed(&path)?;
                scalar
            }
            (StoredSecret::Sealed(sealed), Some(password)) => sealed
                .open(
                    password.expose_secret().as_bytes(),
                    &seal_context(&file.public),
                )
                .map_err(|error| seal_error(&path, error))?,
        };
        let secret = SecretKey::from_bytes(&scalar).map_err(|error| corrupt(error.into()))?;
        if secret.public() != file.public {
            let (public, secret) = (file.public, secret.public());
            return Err(corrupt(Corruption::OtherSecret { public, secret }));
        }
        let expected = file_name(&file.public.pk1());
        if name != expected {
            return Err(corrupt(Corruption::Name { expected }));
        }
        Ok(secret)
    }

    /// Writes a key's file: to a file beside it, flushed to disk, and then under its name if that is free.
    fn store(&self, secret: &SecretKey) -> Result<(), KeyStoreError> {
        let public = secret.public();
        let name = file_name(&public.pk1());
        let path = self.path.join(&name);
        let text = self.file_of(secret, &path)?.to_text();

        let io_error = |source| io_error(&path, source);
        let mut file = new_file_beside(&self.path).map_err(io_error)?;
        file.write_all(&text).map_err(io_error)?;
        file.as_file().sync_all().map_err(io_error)?;
        match file.persist_noclobber(&path) {
            Ok(_) => sync_directory(&self.path).map_err(io_error),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                let found = read(&path)?.public;
                if found != public {
                    return Err(KeyStoreError::Occupied {
                        path,
                        found,
                        wanted: public,
                    });
                }
                self.load(&name).map(|_| ())
            }
            Err(error) => Err(io_error(error.error)),
        }
    }

    fn file_of(&self, secret: &SecretKey, path: &Path) -> Result<KeyFile, KeyStoreError> {
        let Some(password) = &self.password else {
            return Ok(KeyFile::plain(secret));
        };
        let public = secret.public();
        let password = password.expose_secret().as_bytes();
        Sealed::seal(
            &secret.expose(),
            password,
            self.cost,
            &seal_context(&public),
        )
        .map(|sealed| KeyFile::sealed(public, sealed))
        .map_err(|error| seal_error(path, error))
    }
}

fn read(path: &Path) -> Result<KeyFile, KeyStoreError> {
    let io_error = |source| io_error(path, source);
    let corrupt = |reason| KeyStoreError::Corrupt {
        path: path.to_owned(),
        reason,
    };
    // One byte more than is allowed, to see whether there is more.
    let mut text = Zeroizing::new(Vec::with_capacity(MAX_FILE_LEN as usize + 1));
    fs::File::open(path)
        .map_err(io_error)?
        .take(MAX_FILE_LEN + 1)
        .read_to_end(&mut text)
        .map_err(io_error)?;
    if text.len() as u64 > MAX_FILE_LEN {
        return Err(corrupt(Corruption::TooLong {
            limit: MAX_FILE_LEN,
        }));
    }
    KeyFile::from_text(&text).map_err(corrupt)
}

/// A file with a name that no key file has, mode 0600, removed again unless it is kept.
fn new_file_beside(directory: &Path) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new()
        .prefix(".duet-")
        .suffix(".tmp")
        .tempfile_in(directory)
}

#[cfg(unix)]
fn refuse_exposed(path: &Path) -> Result<(), KeyStoreError> {
    use std::os::unix::fs::PermissionsExt;
    let metadata = fs::metadata(path).map_err(|source| io_error(path, source))?;
    let mode = metadata.permissions().mode() & 0o7777;
    if mode & 0o077 != 0 {
        return Err(KeyStoreError::Exposed {
            path: path.to_owned(),
            mode,
        });
    }
    Ok(())
}

#[cfg(not(unix))]
fn refuse_exposed(_: &Path) -> Result<(), KeyStoreError> {
    Ok(())
}

/// Makes a rename durable.
#[cfg(unix)]
fn sync_directory(path: &Path) -> io::Result<()> {
    fs::File::open(path)?.sync_all()
}

#[cfg(not(unix))]
fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}

fn io_error(path: &Path, source: io::Error) -> KeyStoreError {
    KeyStoreError::Io {
        path: path.to_owned(),
        source,
    }
}

fn seal_error(path: &Path, error: SealError) -> KeyStoreError {
    match error {
        SealError::Randomness(error) => KeyStoreError::Randomness(error),
        SealError::Stretch(error) => KeyStoreError::Stretch(error),
        SealError::Refused => KeyStoreError::WrongPassword {
            path: path.to_owned(),
        },
    }
}
