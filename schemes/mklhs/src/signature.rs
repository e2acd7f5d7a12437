//! Signatures: 80 bytes that authenticate one number under one label.

use crate::{
    bounds::Message,
    curve::{self, G1},
    error::{DecodeError, SignError},
    keys::{PublicKey, SigningKey},
    label::Label,
    scalar::Scalar,
    suite::{G1_LEN, SCALAR_LEN, SIGNATURE_LEN},
};
use std::fmt;

/// `gamma ‖ mu`: a non-zero point of the subgroup, and the number. Use [`Signature::check`] to verify it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    pub(crate) gamma: G1,
    pub(crate) message: Scalar,
}

impl Signature {
    /// Decodes 80 bytes.
    ///
    /// Cost: a decompression and a subgroup check.
    ///
    /// # Errors
    /// [`DecodeError`] with the first broken rule.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let bad_length = DecodeError::BadLength {
            expected: SIGNATURE_LEN,
            got: bytes.len(),
        };
        let (gamma, message) = bytes.split_first_chunk::<G1_LEN>().ok_or(bad_length)?;
        let message: &[u8; SCALAR_LEN] = message.try_into().map_err(|_| bad_length)?;
        Ok(Self {
            gamma: curve::g1_from_bytes(gamma)?,
            message: Scalar::from_bytes(message)
                .ok_or(DecodeError::NonCanonicalScalar { index: 0 })?,
        })
    }

    /// The encoding, 80 bytes.
    pub fn to_bytes(&self) -> [u8; SIGNATURE_LEN] {
        let mut bytes = [0; SIGNATURE_LEN];
        let (gamma, message) = bytes.split_at_mut(G1_LEN);
        gamma.copy_from_slice(&curve::g1_to_bytes(&self.gamma));
        message.copy_from_slice(&self.message.to_bytes());
        bytes
    }

    /// The signed number.
    pub fn message(&self) -> Scalar {
        self.message
    }

    /// `e(γ, P2) = e(H(label) + m·U, pk)`.
    pub(crate) fn holds(&self, key: &PublicKey, label: &Label) -> bool {
        let signed = curve::add(&label.point(), &curve::base_multiple(&self.message));
        let minus_gamma = curve::negated(&curve::from_affine(&self.gamma));
        let pairs = [
            (curve::one_to_affine(&minus_gamma), curve::g2_generator()),
            (curve::one_to_affine(&signed), key.point()),
        ];
        curve::pairing_product_is_one(&pairs)
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gamma = curve::g1_to_bytes(&self.gamma);
        f.write_str("Signature(")?;
        gamma.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        write!(f, ", {})", self.message)
    }
}

impl SigningKey {
    /// `γ = sk·(H(label) + m·U)`, without checking whether the label was used before.
    ///
    /// Deterministic. Cost: a hash to the curve, a constant-time multiplication, and additions for the message.
    ///
    /// # Errors
    /// [`SignError::WrongSigner`] if the label names another signer.
    ///
    /// # Security
    /// Two signatures on one label for two messages reveal `sk·U`, with which anyone can sign any message in this key's
    /// name. Use [`LabelRegister::sign`](crate::LabelRegister::sign), which prevents this. This function is for callers
    /// that keep their own record, and write it to disk before they release the signature.
    pub fn sign_unregistered(
        &self,
        label: &Label,
        message: Message,
    ) -> Result<Signature, SignError> {
        if label.signer() != self.id() {
            return Err(SignError::WrongSigner {
                label: label.signer(),
                key: self.id(),
            });
        }
        let message = message.scalar();
        let signed = curve::add(&label.point(), &curve::base_multiple(&message));
        Ok(Signature {
            gamma: curve::sign(self.secret(), &signed),
            message,
        })
    }
}
