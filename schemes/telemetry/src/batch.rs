//! The ciphertexts of one reading.

use duet_armour::{encode, kinds::SEARCHABLE_CIPHERTEXTS, Fingerprint};
use duet_searchable::{suite::COMPRESSED_LEN, Ciphertext, CiphertextError, ReceivedCiphertext};

/// The most ciphertexts in one batch.
pub const MOST_IN_BATCH: usize = 32;
/// Bytes of a ciphertext in the compressed form, with its version.
const CIPHERTEXT_LEN: usize = COMPRESSED_LEN + 1;

/// The ciphertexts of one reading, one after the other in the compressed form. Each is a ciphertext; under which keyword,
/// only the key of that keyword shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    content: Vec<u8>,
}

/// Why bytes are no batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// It is not one ciphertext after another, at least one and not too many.
    #[error(
        "expected 1 to {MOST_IN_BATCH} ciphertexts of {CIPHERTEXT_LEN} bytes each, got {got} bytes"
    )]
    Length {
        /// Bytes.
        got: usize,
    },
    /// An item is not a ciphertext.
    #[error("ciphertext {index}: {error}")]
    Ciphertext {
        /// Its index, from 0.
        index: usize,
        /// The broken rule.
        error: CiphertextError,
    },
}

impl Batch {
    pub(crate) fn made(content: Vec<u8>) -> Self {
        Self { content }
    }

    /// Checks the bytes of an untrusted sender.
    ///
    /// Cost: for each ciphertext a decompression, and checks of the order of its parts.
    ///
    /// # Errors
    /// [`BatchError`] with the first broken rule.
    pub fn check(content: Vec<u8>) -> Result<Self, BatchError> {
        Self::read(&content)?;
        Ok(Self { content })
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.content
    }

    /// The name of the batch: the fingerprint of its text.
    pub fn fingerprint(&self) -> Fingerprint {
        SEARCHABLE_CIPHERTEXTS.digest(&self.content)
    }

    /// As a text that `duet-schemes searchable` reads.
    pub fn text(&self) -> String {
        let text = encode(&SEARCHABLE_CIPHERTEXTS, &self.fingerprint(), &self.content);
        text.as_str().to_owned()
    }

    /// How many ciphertexts it has; never none.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.content.len() / CIPHERTEXT_LEN
    }

    /// The ciphertexts in the bytes of a batch, checked.
    ///
    /// Cost and errors as those of [`Batch::check`].
    ///
    /// # Errors
    /// [`BatchError`] with the first broken rule.
    pub fn read(content: &[u8]) -> Result<Vec<Ciphertext>, BatchError> {
        let wrong = BatchError::Length { got: content.len() };
        let (records, rest) = content.as_chunks::<CIPHERTEXT_LEN>();
        if records.is_empty() || records.len() > MOST_IN_BATCH || !rest.is_empty() {
            return Err(wrong);
        }
        let check = |(index, record): (usize, &[u8; CIPHERTEXT_LEN])| {
            ReceivedCiphertext::parse(record)
                .and_then(|received| received.check())
                .map_err(|error| BatchError::Ciphertext { index, error })
        };
        records.iter().enumerate().map(check).collect()
    }
}
