//! The key of a validator's figures.
//!
//! A folder in the layout of `duet-schemes`: `secret`, `public`, `register.journal` and `register.anchor`. It is made once, and is lost
//! without harm: a node with another key certifies that one from the next period on.

use duet_armour::{
    encode,
    kinds::{MKLHS_PUBLIC_KEY, MKLHS_SECRET_KEY},
    read_one, ArmourError, Kind,
};
use duet_mklhs::{
    suite::SCALAR_LEN, Label, LabelError, LabelRegister, Message, RegisterError, RegisterFiles,
    SigningKey,
};
use duet_primitives::Pk1Bytes;
use duet_statistics::{Context, Figure, Metric};
use rand_core::OsRng;
use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

/// A key of `duet-mklhs`, with the record of its signatures.
#[derive(Debug)]
pub struct Key {
    key: SigningKey,
    register: LabelRegister,
}

/// Why a key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// A file or folder.
    #[error("{}: {error}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The secret is damaged.
    #[error("{}: {error}", path.display())]
    Secret {
        /// The file.
        path: PathBuf,
        /// The error.
        error: SecretError,
    },
    /// No key can be made.
    #[error(transparent)]
    Random(#[from] duet_mklhs::KeyError),
    /// The register, or something was signed in this period already.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// A label that the scheme refuses.
    #[error(transparent)]
    Label(#[from] LabelError),
}

/// An error in a secret.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// It is no object of its type.
    #[error(transparent)]
    Armour(#[from] ArmourError),
    /// It has another length.
    #[error("a secret has {SCALAR_LEN} bytes, not {0}")]
    Length(usize),
    /// It is no secret.
    #[error(transparent)]
    Key(#[from] duet_mklhs::KeyError),
}

impl Key {
    /// Opens the key in a folder, or makes one there. Nobody else may use it at the same time.
    ///
    /// # Errors
    /// [`KeyError`] when a file cannot be read or written, or does not belong to the others. A key without its register signs
    /// nothing: remove the folder, and another key takes its place.
    pub fn open_or_create(folder: &Path) -> Result<Self, KeyError> {
        if !folder.exists() {
            create(folder)?;
        }
        let path = folder.join("secret");
        let text = fs::read(&path).map_err(io_error(&path))?;
        let key = decode(&text).map_err(|error| KeyError::Secret { path, error })?;
        let register = LabelRegister::open(&register_of(folder), key.id())?;
        Ok(Self { key, register })
    }

    /// The key itself, for statements about it.
    pub(crate) fn key(&self) -> &SigningKey {
        &self.key
    }

    /// Signs the figures of a member, and writes down that it did before it gives them out.
    ///
    /// # Errors
    /// [`RegisterError::LabelAlreadyUsed`] when other figures of this period were signed before.
    pub(crate) fn sign(
        &self,
        context: &Context<'_>,
        member: &Pk1Bytes,
        figures: &[(Metric, u64)],
    ) -> Result<Vec<Figure>, KeyError> {
        let label = |(metric, _): &(Metric, u64)| context.label(member, self.key.id(), *metric);
        let labels: Vec<Label> = figures.iter().map(label).collect::<Result<_, _>>()?;
        let numbers = figures.iter().map(|(_, number)| Message::from(*number));
        let messages: Vec<_> = labels.iter().zip(numbers).collect();
        let signatures = self.register.sign_all(&self.key, &messages)?;
        let signed = figures.iter().zip(signatures);
        Ok(signed
            .map(|((metric, _), signature)| Figure {
                metric: *metric,
                signature: signature.to_bytes(),
            })
            .collect())
    }
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> KeyError + '_ {
    move |error| KeyError::Io {
        path: path.to_owned(),
        error,
    }
}

fn register_of(folder: &Path) -> RegisterFiles {
    RegisterFiles {
        journal: folder.join("register.journal"),
        anchor: folder.join("register.anchor"),
    }
}

fn decode(text: &[u8]) -> Result<SigningKey, SecretError> {
    let object = read_one(&MKLHS_SECRET_KEY, text)?;
    object.key(
        |content| {
            let length = content.len();
            let secret = content
                .try_into()
                .map_err(|_| SecretError::Length(length))?;
            Ok::<_, SecretError>(SigningKey::from_bytes(secret)?)
        },
        |key| *key.id().as_bytes(),
    )
}

/// Makes a key beside the folder and moves it there, so that a folder with that name is whole.
fn create(folder: &Path) -> Result<(), KeyError> {
    let mut name = folder.as_os_str().to_owned();
    name.push(".new");
    let made = PathBuf::from(name);
    // Of a start that was cut off. No key in it has signed anything.
    match fs::remove_dir_all(&made) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(io_error(&made)(error));
        }
        _ => {}
    }
    let mut builder = DirBuilder::new();
    builder.mode(0o700).recursive(true);
    builder.create(&made).map_err(io_error(&made))?;

    let key = SigningKey::random(&mut OsRng)?;
    drop(LabelRegister::create(&register_of(&made), key.id())?);
    let id = key.id();
    let secret = key.expose();
    let path = made.join("secret");
    write_new(&path, 0o600, &MKLHS_SECRET_KEY, id, secret.as_slice())?;
    let public = key.public().to_bytes();
    let possession = key.prove_possession().to_bytes();
    let public = [public.as_slice(), &possession].concat();
    // The folder is for its owner alone. A copy of this file need not be.
    let path = made.join("public");
    write_new(&path, 0o644, &MKLHS_PUBLIC_KEY, id, &public)?;
    let synced = File::open(&made).and_then(|folder| folder.sync_all());
    synced.map_err(io_error(&made))?;
    fs::rename(&made, folder).map_err(io_error(folder))
}

fn write_new(
    path: &Path,
    mode: u32,
    kind: &Kind,
    id: duet_mklhs::SignerId,
    content: &[u8],
) -> Result<(), KeyError> {
    let text = encode(kind, id.as_bytes(), content);
    let write = || {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(mode);
        let mut file = options.open(path)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    write().map_err(io_error(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use duet_primitives::{testing::TestSet, BlockNumber, SetId, SignerIndex, H256};
    use duet_statistics::Period;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_key_is_made_once_and_for_its_owner_alone() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("statistics");
        let made = Key::open_or_create(&folder).unwrap().key.id();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        assert_eq!(mode(&folder.join("secret")), 0o600);
        let again = Key::open_or_create(&folder).unwrap();
        assert_eq!(again.key.id(), made);
        let error = Key::open_or_create(&folder).unwrap_err();
        assert!(
            matches!(error, KeyError::Register(RegisterError::File(_))),
            "it is in use: {error}"
        );
    }

    #[test]
    fn what_an_interrupted_start_left_is_made_anew() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("statistics");
        fs::create_dir(place.path().join("statistics.new")).unwrap();
        fs::write(place.path().join("statistics.new/secret"), "half").unwrap();
        assert!(Key::open_or_create(&folder).is_ok());
        assert!(!place.path().join("statistics.new").exists());
    }

    #[test]
    fn a_key_without_its_register_signs_nothing() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("statistics");
        drop(Key::open_or_create(&folder).unwrap());
        fs::remove_file(folder.join("register.journal")).unwrap();
        let error = Key::open_or_create(&folder).unwrap_err();
        assert!(matches!(error, KeyError::Register(_)), "{error}");
    }

    #[test]
    fn a_damaged_secret_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("statistics");
        drop(Key::open_or_create(&folder).unwrap());
        fs::write(folder.join("secret"), "nothing").unwrap();
        let error = Key::open_or_create(&folder).unwrap_err();
        assert!(matches!(error, KeyError::Secret { .. }), "{error}");
    }

    #[test]
    fn figures_are_signed_once_in_a_period_also_after_a_restart() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("statistics");
        let test = TestSet::new(1, 0..2);
        let period = Period {
            set: SetId::new(1),
            session: 2,
            block: BlockNumber::new(20),
        };
        let set = test.set.keyset();
        let context = Context::new(H256::zero(), period, set).unwrap();
        let pk1 = set.key(SignerIndex::new(0)).unwrap().to_bytes();
        let first = [(Metric::Peers, 3)];
        let sign = |figures: &[_]| {
            let key = Key::open_or_create(&folder).unwrap();
            key.sign(&context, &pk1, figures)
        };
        let signed = sign(&first).unwrap();
        assert_eq!(sign(&first).unwrap(), signed, "the same again");
        let error = sign(&[(Metric::Peers, 4)]).unwrap_err();
        assert!(matches!(
            error,
            KeyError::Register(RegisterError::LabelAlreadyUsed { .. })
        ));
    }
}
