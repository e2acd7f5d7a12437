//! A decoded object.

use crate::{
    error::{ArmourError, Problem},
    kind::{Fingerprint, Kind},
    write::encode,
};
use zeroize::Zeroizing;

/// An object as it was read. Its content is reached only through a check of its fingerprint.
#[derive(Clone)]
pub struct Object {
    pub(crate) kind: Kind,
    pub(crate) fingerprint: Fingerprint,
    pub(crate) content: Zeroizing<Vec<u8>>,
    pub(crate) line: usize,
}

impl Object {
    /// The type.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// The fingerprint that the object states.
    pub fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    /// The number of its first line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The text, as it was read apart from the ends of lines. Nothing is checked.
    pub fn text(&self) -> Zeroizing<String> {
        encode(&self.kind, &self.fingerprint, &self.content)
    }

    /// The content of an object that is not a key.
    ///
    /// # Errors
    /// [`Problem::Fingerprint`] if the content does not match the fingerprint.
    pub fn content(&self) -> Result<&Zeroizing<Vec<u8>>, ArmourError> {
        self.check(&self.kind.digest(&self.content))
    }

    /// As [`Object::content`], without a copy.
    ///
    /// # Errors
    /// As [`Object::content`].
    pub fn into_content(self) -> Result<Zeroizing<Vec<u8>>, ArmourError> {
        self.content()?;
        Ok(self.content)
    }

    /// The content of a key, decoded by `decode`, whose fingerprint `fingerprint` computes.
    ///
    /// # Errors
    /// That of `decode`; [`Problem::Fingerprint`] if the key has another fingerprint than the object states.
    pub fn key<K, E: From<ArmourError>>(
        &self,
        decode: impl FnOnce(&[u8]) -> Result<K, E>,
        fingerprint: impl FnOnce(&K) -> Fingerprint,
    ) -> Result<K, E> {
        let key = decode(&self.content)?;
        self.check(&fingerprint(&key))?;
        Ok(key)
    }

    fn check(&self, computed: &Fingerprint) -> Result<&Zeroizing<Vec<u8>>, ArmourError> {
        if computed == &self.fingerprint {
            Ok(&self.content)
        } else {
            Err(Problem::fingerprint(&self.fingerprint, computed).at(self.line))
        }
    }
}

impl std::fmt::Debug for Object {
    /// The content may be a secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Object({}, {})",
            self.kind.name,
            hex::encode(self.fingerprint)
        )
    }
}
