//! The type of an object.

use sha2::{Digest, Sha256};

/// Bytes of a fingerprint.
pub const FINGERPRINT_LEN: usize = 32;

/// The fingerprint of an object.
pub type Fingerprint = [u8; FINGERPRINT_LEN];

/// The prefix of a content's digest input.
const DIGEST_TAG: &[u8] = b"duet-armour-v1";

/// The type of an object, and the version of its content's encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    pub(crate) name: &'static str,
    pub(crate) version: u16,
    pub(crate) warning: Option<&'static str>,
}

impl Kind {
    /// The first version of a type, without a warning.
    pub(crate) const fn new(name: &'static str) -> Self {
        Self {
            name,
            version: 1,
            warning: None,
        }
    }

    /// The same type, with a warning about every object.
    pub(crate) const fn with_warning(self, warning: &'static str) -> Self {
        Self {
            warning: Some(warning),
            ..self
        }
    }

    /// The name of the type: the label of its objects without `DUET`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The version of the encoding.
    pub fn version(&self) -> u16 {
        self.version
    }

    /// The warning to show with every object of this type, if there is one.
    pub fn warning(&self) -> Option<&'static str> {
        self.warning
    }

    /// SHA-256 of the type, the version and the content: the fingerprint of everything that is not a key.
    pub fn digest(&self, content: &[u8]) -> Fingerprint {
        // The name has no zero byte, which therefore ends it.
        Sha256::new()
            .chain_update(DIGEST_TAG)
            .chain_update(self.name)
            .chain_update([0])
            .chain_update(self.version.to_be_bytes())
            .chain_update(content)
            .finalize()
            .into()
    }
}
