//! A directory of key files: listing, reading and writing.

use crate::{
    error::{Corruption, KeyStoreError},
    file::{file_name, seal_context, KeyFile, StoredSecret, FILE_PREFIX, MAX_FILE_LEN},
    seal::{SealCost, SealError, Sealed},
};
use duet_primitives::{Pk1Bytes, SecretKey};
use sp_core::crypto::{ExposeSecret, SecretString};
use std::{
    collections::BTreeMap,
    fs, io,
    io::{Read, Write},
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

/// Names of key files, and the state of each.
pub(crate) type Files = BTreeMap<String, FileState>;

/// What differs when a file's content, owner or mode has changed: its length and the time of the change. `None` if the
/// file system does not tell.
pub(crate) type FileState = Option<(u64, i64, i64)>;

/// The directory of key files, and the password that seals them.
pub(crate) struct Directory {
    pub(crate) path: PathBuf,
    pub(crate) password: Option<SecretString>,
    pub(crate) cost: SealCost,
}

impl Directory {
    /// The key files. Other files in the directory are ignored.
    pub(crate) fn files(&self) -> Result<Files, KeyStoreError> {
        let io_error = |source| io_error(&self.path, source);
        let mut files = Files::new();
        for entry in fs::read_dir(&self.path).map_err(io_error)? {
            let entry = entry.map_err(io_error)?;
            if let Some(name) = entry
                .file_name()
                .to_str()
                .filter(|name| name.starts_with(FILE_PREFIX))
            {
                files.insert(name.to_owned(), state_of(&entry.path()));
            }
        }
        Ok(files)
    }

    pub(crate) fn load(&self, name: &str) -> Result<SecretKey, KeyStoreError> {
        let path = self.path.join(name);
        let file = read(&path)?;
        let corrupt = |reason| corrupt(&path, reason);
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
        let (public, secret_of) = (file.public.pk1(), secret.public().pk1());
        if public != secret_of {
            let secret = secret_of;
            return Err(corrupt(Corruption::OtherSecret { public, secret }));
        }
        if file.public != secret.public() {
            return Err(corrupt(Corruption::OtherSecondHalf));
        }
        let expected = file_name(&public);
        if name != expected {
            return Err(corrupt(Corruption::Name { expected }));
        }
        Ok(secret)
    }

    /// Writes a key's file: to a temporary file, flushed to disk, and then renamed if the name is free.
    pub(crate) fn store(&self, secret: &SecretKey) -> Result<(), KeyStoreError> {
        let public = secret.public().pk1();
        let name = file_name(&public);
        let path = self.path.join(&name);
        let io_error = |source| io_error(&path, source);
        let text = self.file_of(secret, &path)?.to_text();
        let text = text.map_err(|error| io_error(error.into()))?;

        let mut file = new_file_beside(&self.path).map_err(io_error)?;
        file.write_all(&text).map_err(io_error)?;
        file.as_file().sync_all().map_err(io_error)?;
        match file.persist_noclobber(&path) {
            Ok(_) => sync_directory(&self.path).map_err(io_error),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                let found = read(&path)?.public.pk1();
                if found != public {
                    return Err(KeyStoreError::Occupied { path, found });
                }
                self.load(&name).map(|_| ())
            }
            Err(error) => Err(io_error(error.error)),
        }
    }

    /// Removes a key's file, and flushes the directory, so that the file does not reappear after a power cut.
    pub(crate) fn remove(&self, key: &Pk1Bytes) -> Result<(), KeyStoreError> {
        let path = self.path.join(file_name(key));
        match fs::remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(KeyStoreError::NoFile(*key))
            }
            removed => removed.map_err(|source| io_error(&path, source))?,
        }
        sync_directory(&self.path).map_err(|source| io_error(&self.path, source))
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

/// Creates a directory of key files with mode 0700, and missing parents with the usual mode. An existing directory is
/// not changed: the SDK's keystore uses it too.
///
/// # Errors
/// [`KeyStoreError::Io`].
pub fn create(path: &Path) -> Result<(), KeyStoreError> {
    let io_error = |source| io_error(path, source);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(io_error)?;
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match path.is_dir() {
            true => Ok(()),
            // "File exists" would not say what is wrong with it.
            false => Err(io_error(io::ErrorKind::NotADirectory.into())),
        },
        made => made.map_err(io_error),
    }
}

/// The state of the file at this path, or of the one that a link there leads to.
#[cfg(unix)]
fn state_of(path: &Path) -> FileState {
    use std::os::unix::fs::MetadataExt;
    let file = fs::metadata(path).ok()?;
    Some((file.len(), file.ctime(), file.ctime_nsec()))
}

#[cfg(not(unix))]
fn state_of(path: &Path) -> FileState {
    let file = fs::metadata(path).ok()?;
    let time = file
        .modified()
        .ok()?
        .duration_since(std::time::UNIX_EPOCH)
        .ok()?;
    Some((
        file.len(),
        i64::try_from(time.as_secs()).ok()?,
        time.subsec_nanos().into(),
    ))
}

fn read(path: &Path) -> Result<KeyFile, KeyStoreError> {
    let io_error = |source| io_error(path, source);
    let corrupt = |reason| corrupt(path, reason);
    // One byte more than the limit, to detect a longer file.
    const READ_LEN: usize = MAX_FILE_LEN + 1;
    let mut text = Zeroizing::new(Vec::with_capacity(READ_LEN));
    fs::File::open(path)
        .map_err(io_error)?
        .take(READ_LEN as u64)
        .read_to_end(&mut text)
        .map_err(io_error)?;
    if text.len() > MAX_FILE_LEN {
        return Err(corrupt(Corruption::TooLong {
            limit: MAX_FILE_LEN,
        }));
    }
    KeyFile::from_text(&text).map_err(corrupt)
}

/// A temporary file of mode 0600, whose name is not that of a key file. Removed on drop unless it is kept.
fn new_file_beside(directory: &Path) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new()
        .prefix(".duet-")
        .suffix(".tmp")
        .tempfile_in(directory)
}

fn refuse_exposed(path: &Path) -> Result<(), KeyStoreError> {
    let metadata = fs::metadata(path).map_err(|source| io_error(path, source))?;
    match mode_with(&metadata, 0o077) {
        Some(mode) => Err(KeyStoreError::Exposed {
            path: path.to_owned(),
            mode,
        }),
        None => Ok(()),
    }
}

/// The content of a record.
#[derive(Debug)]
pub enum Record {
    /// There is none.
    Absent,
    /// Its bytes.
    Read(Vec<u8>),
    /// Other users may write it. Its permission bits.
    Writable(u32),
}

/// Reads a file that says what a key has signed, up to so many bytes. Off Unix nobody is said to be able to write it.
///
/// # Errors
/// The system's error.
pub fn read_record(path: &Path, most: u64) -> io::Result<Record> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Record::Absent),
        Err(error) => return Err(error),
        Ok(_) => {}
    }
    // A pipe would never end, and a link that leads nowhere is no word for nothing: its disk may be away.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let file = fs::File::open(path)?;
    if let Some(mode) = mode_with(&file.metadata()?, 0o022) {
        return Ok(Record::Writable(mode));
    }
    let mut content = Vec::new();
    file.take(most).read_to_end(&mut content)?;
    Ok(Record::Read(content))
}

/// The permission bits of a file, if it has any of these.
#[cfg(unix)]
fn mode_with(file: &fs::Metadata, bits: u32) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    let mode = file.permissions().mode() & 0o7777;
    (mode & bits != 0).then_some(mode)
}

#[cfg(not(unix))]
fn mode_with(_: &fs::Metadata, _: u32) -> Option<u32> {
    None
}

/// Replaces a file with `contents`: writes a temporary file, flushes it to disk and renames it. After a crash, either
/// the old file or the new one is there.
///
/// # Errors
/// The system's error. The old file is there, or, when only the flush of the directory failed, the new one.
pub fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let mut file = new_file_beside(directory)?;
    file.write_all(contents)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_directory(directory)
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

fn corrupt(path: &Path, reason: Corruption) -> KeyStoreError {
    KeyStoreError::Corrupt {
        path: path.to_owned(),
        reason: Box::new(reason),
    }
}
