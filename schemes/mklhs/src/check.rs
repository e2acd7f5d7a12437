//! Verification of single signatures.

use crate::{
    bounds::Bounds, error::SignatureError, label::Label, signature::Signature, signers::Signers,
};

impl Signature {
    /// Checks that the signer named in the label signed the number.
    ///
    /// Cost: a hash to the curve and two pairings. [`check_all`](crate::check_all) is cheaper for many.
    ///
    /// # Errors
    /// [`SignatureError`] with the signer and the first broken rule.
    pub fn check(
        &self,
        signers: &Signers,
        label: &Label,
        bounds: Bounds,
    ) -> Result<(), SignatureError> {
        let signer = label.signer();
        let key = signers.key(&signer)?;
        if !bounds.admit(&self.message) {
            return Err(SignatureError::OutOfBounds { signer });
        }
        if self.holds(key, label) {
            Ok(())
        } else {
            Err(SignatureError::PairingMismatch { signer })
        }
    }
}
