//! Who reads the sums.

use crate::{batch::Batch, hour::Hour};
use duet_armour::{kinds::SEARCHABLE_PUBLIC_KEY, read_one, ArmourError};
use duet_searchable::{
    Encryptor, Form, Keyword, KeywordCollidesWithKey, KeywordTooLong, PublicKey, PublicKeyError,
};
use rand_core::{CryptoRng, RngCore};
use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

/// The metric whose sum is the number of readings: each says 1.
pub const READINGS: &str = "readings";
/// More than the text of a public key has.
const LONGEST_KEY: u64 = 64 * 1024;

/// The group that operates nodes of a chain, as its nodes know it.
#[derive(Debug)]
pub struct Group {
    public: PublicKey,
    chain: String,
}

/// Why nothing can be encrypted to a group.
#[derive(Debug, thiserror::Error)]
pub enum GroupError {
    /// The file of the key.
    #[error("{}: {error}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// It is no public key.
    #[error("{}: {error}", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// The error.
        error: BadKey,
    },
    /// A name is too long.
    #[error(transparent)]
    Name(#[from] KeywordTooLong),
    /// A keyword that cannot be used with the key.
    #[error(transparent)]
    Keyword(#[from] KeywordCollidesWithKey),
}

/// An error in a file of a public key.
#[derive(Debug, thiserror::Error)]
pub enum BadKey {
    /// It is no object of its type.
    #[error(transparent)]
    Armour(#[from] ArmourError),
    /// It is no key.
    #[error(transparent)]
    Key(#[from] PublicKeyError),
}

impl Group {
    /// Reads the public key that `duet-schemes searchable keygen` made: its file, or the key's folder.
    ///
    /// # Errors
    /// [`GroupError::File`], [`GroupError::Key`].
    pub fn read(key: &Path, chain: String) -> Result<Self, GroupError> {
        let path = if key.is_dir() {
            key.join("public")
        } else {
            key.to_owned()
        };
        let mut text = Vec::new();
        let read = File::open(&path).and_then(|file| file.take(LONGEST_KEY).read_to_end(&mut text));
        if let Err(error) = read {
            return Err(GroupError::File { path, error });
        }
        match decode(&text) {
            Ok(public) => Ok(Self { public, chain }),
            Err(error) => Err(GroupError::Key { path, error }),
        }
    }

    /// The chain's id.
    pub fn chain(&self) -> &str {
        &self.chain
    }

    /// The key.
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// The keyword of a metric in an hour.
    ///
    /// # Errors
    /// [`KeywordTooLong`] for names of 64 KiB.
    pub fn keyword(&self, metric: &str, hour: Hour) -> Result<Keyword, KeywordTooLong> {
        Keyword::telemetry(&self.chain, metric, hour.0)
    }

    /// Encrypts one reading: each figure under its metric, and a 1 under [`READINGS`]. A figure that has more than 63 bits is
    /// the largest that has not.
    ///
    /// Cost: for each figure a pairing and an encryption.
    ///
    /// # Errors
    /// [`GroupError::Name`], [`GroupError::Keyword`].
    pub fn encrypt(
        &self,
        hour: Hour,
        figures: &[(&str, u64)],
        rng: &mut (impl RngCore + CryptoRng),
    ) -> Result<Batch, GroupError> {
        let mut content = Vec::new();
        for (metric, number) in figures.iter().chain([&(READINGS, 1)]) {
            let encryptor = Encryptor::new(&self.public, &self.keyword(metric, hour)?)?;
            let number = i64::try_from(*number).unwrap_or(i64::MAX);
            let ciphertext = encryptor.encrypt(number, rng);
            content.extend(ciphertext.to_wire(Form::Compressed));
        }
        Ok(Batch::made(content))
    }
}

fn decode(text: &[u8]) -> Result<PublicKey, BadKey> {
    let object = read_one(&SEARCHABLE_PUBLIC_KEY, text)?;
    object.key(
        |content| Ok::<_, BadKey>(PublicKey::from_bytes(content)?),
        |key| *key.fingerprint().as_bytes(),
    )
}
