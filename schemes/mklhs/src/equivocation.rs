//! Evidence that a signer signed two messages under one label.

use crate::{
    error::{EquivocationError, EvidenceError},
    identity::SignerId,
    keys::PublicKey,
    label::Label,
    record::{signature_at, split_label},
    signature::Signature,
};

/// A label and two signatures on it, of two different messages.
///
/// Anyone who has two such signatures can forge signatures of this signer. Every verifier should therefore learn of
/// them: see [`Signers::revoke`](crate::Signers::revoke).
///
/// Encoding: the length of the label (4 bytes, big-endian), the label, and the two signatures of 80 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EquivocationProof {
    label: Label,
    signatures: [Signature; 2],
}

impl EquivocationProof {
    /// Creates a proof without checking it; see [`EquivocationProof::check`].
    pub fn new(label: Label, first: Signature, second: Signature) -> Self {
        Self {
            label,
            signatures: [first, second],
        }
    }

    /// The label that both signatures are on.
    pub fn label(&self) -> &Label {
        &self.label
    }

    /// The two signatures.
    pub fn signatures(&self) -> &[Signature; 2] {
        &self.signatures
    }

    /// Checks that the holder of `key` made both signatures.
    ///
    /// Messages may be out of bounds: the key is compromised anyway.
    ///
    /// Cost: two checks of a signature.
    ///
    /// # Errors
    /// [`EquivocationError`] with the first broken rule.
    pub fn check(&self, key: &PublicKey) -> Result<SignerId, EquivocationError> {
        let [first, second] = &self.signatures;
        if first.message == second.message {
            return Err(EquivocationError::SameMessage);
        }
        let (label, key_id) = (self.label.signer(), key.id());
        if label != key_id {
            return Err(EquivocationError::WrongSigner { label, key: key_id });
        }
        let wrong = self
            .signatures
            .iter()
            .position(|signature| !signature.holds(key, &self.label));
        match wrong {
            Some(index) => Err(EquivocationError::PairingMismatch { index }),
            None => Ok(key_id),
        }
    }

    /// The encoding.
    pub fn to_bytes(&self) -> Vec<u8> {
        let label = self.label.as_bytes();
        let length = u32::try_from(label.len()).unwrap_or(u32::MAX);
        let mut bytes = length.to_be_bytes().to_vec();
        bytes.extend(label);
        for signature in &self.signatures {
            bytes.extend(signature.to_bytes());
        }
        bytes
    }

    /// Decodes a proof.
    ///
    /// # Errors
    /// [`EvidenceError`] for the first part that does not decode.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, EvidenceError> {
        let (label, [first, second]) = split_label(bytes)?;
        Ok(Self {
            label,
            signatures: [signature_at(0, first)?, signature_at(1, second)?],
        })
    }
}
