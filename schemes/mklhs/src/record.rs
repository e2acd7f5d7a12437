//! Signed numbers with their labels.

use crate::{error::EvidenceError, label::Label, signature::Signature, suite::SIGNATURE_LEN};

/// A signature and the label that it is on. Nothing has been verified.
///
/// Encoding: the length of the label (4 bytes, big-endian), the label, and the signature of 80 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The label.
    pub label: Label,
    /// The signature, with the number.
    pub signature: Signature,
}

impl Record {
    /// The encoding.
    pub fn to_bytes(&self) -> Vec<u8> {
        let label = self.label.as_bytes();
        let length = u32::try_from(label.len()).unwrap_or(u32::MAX);
        [&length.to_be_bytes(), label, &self.signature.to_bytes()].concat()
    }

    /// Decodes a record.
    ///
    /// # Errors
    /// [`EvidenceError`] for the first part that does not decode.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, EvidenceError> {
        let (label, signatures) = split_label::<1>(bytes)?;
        let [signature] = signatures;
        Ok(Self {
            label,
            signature: signature_at(0, signature)?,
        })
    }
}

/// Splits a label, which its length precedes, from as many signatures as there have to be.
pub(crate) fn split_label<const SIGNATURES: usize>(
    bytes: &[u8],
) -> Result<(Label, [&[u8; SIGNATURE_LEN]; SIGNATURES]), EvidenceError> {
    let bad_length = |expected| EvidenceError::BadLength {
        expected,
        got: bytes.len(),
    };
    let fixed = 4 + SIGNATURES * SIGNATURE_LEN;
    let (length, rest) = bytes.split_first_chunk::<4>().ok_or(bad_length(fixed))?;
    let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
    let bad_length = bad_length(fixed.saturating_add(length));
    let (label, signatures) = rest.split_at_checked(length).ok_or(bad_length)?;
    let (signatures, rest) = signatures.as_chunks::<SIGNATURE_LEN>();
    let signatures: Vec<_> = signatures.iter().collect();
    match signatures.try_into() {
        Ok(signatures) if rest.is_empty() => Ok((Label::from_bytes(label)?, signatures)),
        _ => Err(bad_length),
    }
}

/// Decodes the signature with this index.
pub(crate) fn signature_at(index: usize, bytes: &[u8]) -> Result<Signature, EvidenceError> {
    Signature::from_bytes(bytes).map_err(|error| EvidenceError::Signature { index, error })
}
